"""`tiltmeter audit --measure regression`: options, what it prints, what it refuses."""

import json
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest

from tiltmeter import cli, corpora

SYSTEMS = ("glove-lexicon", "tilted:gender=0.03,noise=0.02", "biased-female", "constant")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture
def run(store, tmp_path, monkeypatch, capsys):
    def go(*words):
        told = ["audit", *words, "--store", str(store), "-o", str(tmp_path / "out")]
        monkeypatch.setattr("sys.argv", ["tiltmeter", *told])
        with pytest.raises(SystemExit) as left:
            cli.main()
        said = capsys.readouterr()
        return SimpleNamespace(
            exit_code=left.value.code, stdout=said.out, output=said.out + said.err
        )

    return go


def test_the_default_audit_has_a_regression_where_a_corpus_has_two_axes(run, tmp_path):
    done = run(*SYSTEMS)
    assert done.exit_code == 0, done.output
    assert "regression gender + race + gender:race" in done.output
    found = json.loads((tmp_path / "out" / "findings.json").read_text(encoding="utf-8"))
    measures = {one["measure"] for one in found["findings"]}
    assert measures == {"mean_difference", "tilt", "marginal_effect"}
    assert found["run"]["regression"]["errors"] == "crossed"
    kept = pl.read_parquet(tmp_path / "out" / "estimates.parquet")
    assert {"coefficient", "least_squares", "total", "mean_difference"} <= set(kept["measure"])


def test_a_measure_alone_is_all_that_is_told(run, tmp_path):
    done = run(*SYSTEMS[:2], "--measure", "regression", "--json", "-")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout[done.stdout.index("{") :])
    assert {one["measure"] for one in found["findings"]} == {"marginal_effect"}
    pairs = run(*SYSTEMS[:2], "--measure", "pairs")
    assert "regression" not in pairs.output
    assert {"mean_difference", "tilt"} == {
        one["measure"]
        for one in json.loads((tmp_path / "out" / "findings.json").read_text())["findings"]
    }


def test_it_says_who_cannot_be_estimated_and_why(run):
    said = " ".join(run(*SYSTEMS, "--measure", "regression").output.split())
    assert "Cannot be estimated for biased-female (valence), because within each group" in said
    assert "Cannot be estimated for constant (valence), because all 160 scores are the same" in said


def test_a_planted_tilt_is_found_and_nothing_else(run, tmp_path):
    run(SYSTEMS[1], "--measure", "regression")
    found = json.loads((tmp_path / "out" / "findings.json").read_text())["findings"]
    by_axis = {one["axis"]: one for one in found}
    assert by_axis["gender"]["significance"] == "up"
    assert by_axis["gender"]["low"] < 0.03 < by_axis["gender"]["high"]
    assert by_axis["race"]["significance"] == by_axis["gender:race"]["significance"] == "none"
    assert "sentences about women are scored" in by_axis["gender"]["sentence"]


def test_published_mode_gives_least_squares(run, tmp_path):
    done = run("glove-lexicon", "--measure", "regression", "--mode", "published")
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "out" / "findings.json").read_text())["findings"]
    assert {one["measure"] for one in found} == {"least_squares"}
    assert found[0]["rule"].startswith("least squares")


def test_both_sides_of_zero_stand_in_words(run):
    said = " ".join(run("glove-lexicon", "--measure", "regression").output.split())
    assert "gender: plus, higher about women; minus, higher about men" in said
    assert "gender × race: about women beside men: plus, higher with African American names" in said
    assert "*** p ≤ 0.01, before correction" in said
    # The paper's β of gender is about the reference of race alone.
    paper = run("glove-lexicon", "--measure", "regression", "--mode", "published").output
    assert "minus, higher about men, all with European American names" in " ".join(paper.split())


def test_sentences_of_ones_own_choice_are_exploratory(run, tmp_path):
    for words, said in ((), False), (("--subset", "emotion"), True):
        assert run("glove-lexicon", "--measure", "regression", *words).exit_code == 0
        found = json.loads((tmp_path / "out" / "findings.json").read_text())["findings"]
        assert {one["rule"].startswith("exploratory: ") for one in found} == {said}


def test_no_reference_lists_every_group(run):
    said = run("glove-lexicon", "--measure", "regression", "--no-reference").output
    assert "female-average" in said
    assert "male-average" in said


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--measure", "regresion"], "did you mean 'regression'"),
        (["--measure", "rating"], "there is no measure called 'rating'"),
        (["--formula", "gender * age"], "names 'age', which is no axis here"),
        (["--formula", "gender *"], "has a gap"),
        (["--formula", "gender:race"], "without gender; write gender * race"),
        (["--formula", "gender * template"], "multiplies by template, which is a control"),
        (["--errors", "robust"], "there are no errors 'robust'"),
        (["--precision", "emotion_word"], "names no axis"),
        (["--formula", "gender", "--precision", "race"], "which is not in the formula"),
        (["--measure", "pairs", "--formula", "gender"], "--formula is for a regression"),
        (["--errors", "mixed", "--mode", "published"], "leave out --errors"),
    ],
)
def test_what_no_model_can_be_is_refused_before_anything_is_asked(run, words, told):
    done = run("glove-lexicon", *words)
    assert done.exit_code == 2, done.output
    said = " ".join(done.output.split())
    assert told in said
    assert "Traceback" not in said


def test_it_fits_a_narrow_terminal(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    done = run(*SYSTEMS, "--measure", "regression")
    assert done.exit_code == 0
    assert max(map(len, done.output.splitlines()[:-1])) <= 40


def test_a_formula_that_one_of_two_corpora_cannot_have_names_it(run, tmp_path):
    starter = Path(corpora.__file__).parent / "starter.toml"  # its axes are gender and origin
    (tmp_path / "mine.toml").write_text(starter.read_text(encoding="utf-8"), encoding="utf-8")
    both = ("--corpus", "eec", "--corpus", str(tmp_path / "mine.toml"))
    done = run("constant", *both, "--formula", "gender * race")
    assert done.exit_code == 2, done.output
    assert "my-corpus: the formula 'gender * race' names 'race'" in " ".join(done.output.split())


def test_the_terminal_says_which_sentences_a_regression_is_of(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")
    own = run("glove-lexicon").stdout
    names = "about 40 names with a group on every axis"
    assert f"valence: 160 sentences without an emotion word, {names}, in 4 templates." in own
    all_of_them = run(
        "glove-lexicon", "--subset", "all", "--measure", "regression", "--force"
    ).stdout
    assert f"valence: 5,760 sentences, {names}, in 11 templates." in all_of_them


def test_opposite_signs_are_explained(run, monkeypatch):
    """glove-lexicon scores women higher over all pairs, and lower among names without emotion."""
    monkeypatch.setenv("COLUMNS", "500")
    said = run("glove-lexicon").stdout
    assert "Pairs and regression lean different ways:" in said
    assert "glove-lexicon (valence), gender: 0.90 higher about women in pairs, " in said
    assert "1.7 higher about men in the regression." in said
    assert "They may, since pairs are of all sentences, the regression of those without an" in said
    assert "lean different ways" not in run("vader", "--force").stdout


def test_scores_below_the_scale_are_fitted_by_least_squares(run, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")
    sentences = corpora.load_corpus("eec").sentences()
    women = (sentences["gender"] == "female").fill_null(value=False).cast(pl.Float64)
    scores = -1 - 0.04 * women - pl.Series(range(sentences.height)) % 7 / 100
    table = sentences.select("id", task=pl.lit("anger"), score=scores)
    table.write_csv(tmp_path / "below.csv")
    given = (str(tmp_path / "below.csv"), "--scale", "0:1", "--measure", "regression")
    done = run(*given, "--mode", "published")
    assert done.exit_code == 0, done.output
    assert "are the same" not in done.stdout
    assert "−4.0***" in done.stdout
    corrected = run(*given, "--force").stdout
    assert "all 1,400 scores lie below the scale, where they differ" in corrected
