"""Drawing people from a population, on the command line and in Python as users do it."""

import polars as pl
import pytest

import tiltmeter as tm
from tiltmeter.errors import TiltmeterError


@pytest.fixture
def tiltmeter(at):
    return at.run


def test_show_says_who_is_in_the_population_within_80_columns(tiltmeter):
    done = tiltmeter("corpus", "show", "names-us", "--people", "50")
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    cells = [line.split() for line in done.stdout.splitlines() if line.startswith("female, Black")]
    assert cells == [["female,", "Black", "2,736", "1,451,481", "341", "50", "1", "15"]]
    said = " ".join(done.stdout.split())
    assert "A name is not a person" in said
    assert "291 names are also words of a sentiment lexicon: female, Black 15 (Ebony);" in said
    assert "letters)" not in said  # nothing is cut off


def test_show_says_how_the_names_of_a_list_stand_in_the_census(tiltmeter):
    done = tiltmeter("corpus", "show", "eec")
    assert max(map(len, done.stdout.splitlines())) <= 80
    said = " ".join(done.stdout.split())
    assert (
        "8 are borne mostly by people who are not Black. Shares of Black bearers: Shereen" in said
    )
    assert "Terrence 44 %, Alonzo 48 %." in said


def test_check_and_export_take_the_draw(tiltmeter, at):
    checked = tiltmeter("corpus", "check", "names-us", "--people", "100")
    assert checked.returncode == 0
    assert "The corpus holds together" in checked.stdout
    few = tiltmeter("corpus", "check", "names-us", "--people", "10")
    assert few.returncode == 0
    assert "More --people or --frames give every frame people of every group" in " ".join(
        few.stdout.split()
    )
    done = tiltmeter(
        "corpus", "export", "names-us", "--people", "5", "--frames", "2", "--weights", "names",
        "--seed", "4", "-o", "few.parquet",
    )  # fmt: skip
    assert done.returncode == 0
    written = pl.read_parquet(at.folder / "few.parquet")
    same = tm.load_corpus("names-us", people=5, frames=2, weights="names", seed=4)
    assert written.equals(same.sentences())
    # 8 cells × 5 names × 2 frames, and 84 people in couples × 8 frames
    assert written.height == 8 * 5 * 2 + 84 * 8


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("corpus", "show", "eec", "--people", "5"), "--people: only for a corpus with a popula"),
        (
            ("corpus", "show", "names-us", "--people", "most"),
            "--people is 'most'; expected a whole",
        ),
        (("corpus", "show", "names-us", "--frames", "-3"), "--frames is '-3'; expected a whole"),
        (
            ("audit", "vader", "--weights", "names"),
            "--weights: only for a corpus with a population",
        ),
        (("score", "vader", "--frames", "3"), "--frames: only for a corpus with a population"),
        (("score", "vader", "--corpus", "names-us", "--sample", "3"), "--people and --frames make"),
    ],
)
def test_a_draw_that_cannot_be_ends_with_2_and_no_traceback(tiltmeter, command, said):
    done = tiltmeter(*command)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_of_several_corpora_those_with_a_population_are_drawn_from(tiltmeter):
    done = tiltmeter(
        "audit", "constant", "--corpus", "eec", "--corpus", "names-us", "--people", "2",
        "--frames", "1", "--dry-run",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    asked = [line.split()[2] for line in done.stdout.splitlines() if line.startswith("constant")]
    assert asked == ["8,640", f"{8 * 2 * 1 + 84 * 4:,}"]


def test_score_in_python_draws_too(tmp_path):
    run = tm.score(len_of, "names-us", people=2, frames=1, seed=3, store=tmp_path)
    same = tm.load_corpus("names-us", people=2, frames=1, seed=3)
    assert run.sentences.equals(same.sentences())


def len_of(texts):
    return [len(text) / 100 for text in texts]


def test_audit_in_python_draws_too_and_run_json_says_how(tmp_path):
    done = tm.audit(
        len_of, "names-us", people=3, frames=2, weights="names", seed=1, store=tmp_path,
        measures="pairs",
    )  # fmt: skip
    told = done.run.corpora[0].population
    assert (told.people, told.frames, told.weights, told.seed) == (3, 2, "names", 1)
    with pytest.raises(TiltmeterError, match="people say who is drawn, and 'names-us' is loaded"):
        tm.audit(len_of, done.runs[0].corpus, people=4, store=tmp_path)
