"""A rating as a user types it: ratings on the terminal, a folder, and clear refusals."""

import json
import re

import polars as pl
import pytest

from tiltmeter.corpora import load_corpus

QUICK = ("--mode", "published", "--draws", "20")


@pytest.fixture(scope="module")
def done(at):
    """One rating that many tests look at."""
    result = at.run("rate", "vader", "biased-female", "random", *QUICK, "-o", "out")
    assert result.returncode == 0, result.stderr
    return result


def test_the_terminal_shows_a_rating_for_each_group_within_80_columns(done):
    lines = done.stdout.splitlines()
    header = next(line for line in lines if line.startswith("system"))
    assert header.split() == ["system", "G1", "G2", "G3-R", "G3-G", "G3-RG", "G4", "overall"]
    words = {line.split("  ")[0]: line.split("  ")[-1] for line in lines if line.startswith("G")}
    assert words["G3-R"].strip() == "race alone"
    assert words["G4"].strip() == "race and gender with words dealt unevenly"
    row = next(line for line in lines if line.startswith("biased-female"))
    assert row.split()[1] == "3"
    assert row.split()[-1] == "3"
    assert "1 is the least tilt among these systems, 3 the most. 1 is not none." in lines
    assert all(len(line) <= 80 for line in lines)
    assert lines[-1] == "The report is in out/rating.html"


@pytest.mark.usefixtures("done")
def test_the_folder_is_as_the_contract_says(at):
    out = at.folder / "out"
    assert {path.name for path in out.iterdir()} == {
        "rating.html", "ratings.json", "scores.parquet", "sentences.parquet", "run.json",
        "tables", "labels",
    }  # fmt: skip
    assert (out / "labels" / "biased-female.svg").exists()
    assert (out / "labels" / "biased-female-discretised.svg").exists()
    for name in ("ratings", "raw-scores", "t-values", "die", "ate"):
        assert (out / "tables" / f"{name}.csv").exists()


@pytest.mark.usefixtures("done")
def test_the_papers_raw_scores_of_biased_female_are_in_the_json(at):
    told = json.loads((at.folder / "out" / "ratings.json").read_text())
    mine = next(
        one
        for one in told["systems"]
        if (one["system"], one["variant"]) == ("biased-female", "continuous")
    )
    found = {column: one["psi"] for column, one in mine["groups"].items()}
    assert {"G1": 23, "G3-R": 23, "G3-G": 23, "G3-RG": 69}.items() <= found.items()
    assert mine["overall"] == told["levels"] == 3


@pytest.mark.usefixtures("done")
def test_the_same_rating_again_gives_the_same_bytes_but_for_the_environment(at):
    again = at.run("rate", "vader", "biased-female", "random", *QUICK, "-o", "again", "-q")
    assert (again.returncode, again.stdout) == (0, "")
    first, second = (
        (at.folder / name / "ratings.json").read_text().partition('"run"')[2]
        for name in ("out", "again")
    )
    assert first == second


def test_json_goes_to_standard_output_alone(at):
    result = at.run("rate", "vader", "random", *QUICK, "--groups", "1", "--json", "-", "-o", "j")
    assert result.returncode == 0
    assert json.loads(result.stdout)["columns"][0]["column"] == "G1"


@pytest.mark.usefixtures("done")
def test_a_new_system_is_rated_against_a_stored_panel_on_its_terms(at):
    result = at.run("rate", "biased-female", "--reference", "out/ratings.json", "-o", "new")
    assert result.returncode == 0, result.stderr
    told = json.loads((at.folder / "new" / "ratings.json").read_text())
    assert told["run"]["rating"]["mode"] == "published"
    assert [one["overall"] for one in told["systems"]] == [3, 3]
    assert "Rated against the panel in out/ratings.json" in result.stdout


def test_one_system_alone_is_rated_1_or_2(at):
    result = at.run("rate", "constant", *QUICK, "-o", "alone", "--json", "-")
    told = json.loads(result.stdout)
    assert told["levels"] == 2
    assert {one["overall"] for one in told["systems"]} == {1}
    result = at.run("rate", "biased-female", *QUICK, "-o", "alone", "--json", "-")
    assert {one["overall"] for one in json.loads(result.stdout)["systems"]} == {2}


def test_more_than_seven_levels_are_warned_of(at):
    result = at.run("rate", "vader", "random", *QUICK, "--levels", "9", "--groups", "1", "-o", "l")
    assert result.returncode == 0
    assert "9 rating levels: more than 7 are hard to tell apart" in result.stdout


def test_stored_outputs_are_rated(at):
    for system, sign in (("one", 1.0), ("two", -1.0)):
        for words in ("e1", "e3"):
            sentences = load_corpus(f"rating-1-{words}", "published").sentences()
            score = pl.when(pl.col("gender") == "female").then(0.5 * sign).otherwise(-0.5 * sign)
            folder = at.folder / "results" / system
            folder.mkdir(parents=True, exist_ok=True)
            sentences.select(
                Gender=pl.col("gender").fill_null("NA"), Emotion="emotion_word", Sentiment=score
            ).write_csv(folder / f"group1_{words}.csv")
    result = at.run("rate", "--scores", "results", *QUICK, "-o", "stored", "--json", "-")
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    # Two datasets, two of three pairs of classes apart, 2.3 each: 9.2.
    assert {one["groups"]["G1"]["psi"] for one in told["systems"]} == {9.2}


def test_a_dry_run_asks_nothing(at):
    result = at.run("rate", "vader", "--mode", "published", "--dry-run")
    assert result.returncode == 0
    # Four nouns and four names in four templates, and eight NA sentences, with four words each:
    # (8 × 4 + 8) × 4 = 160, all of them stored by the ratings above.
    assert "160" in result.stdout
    assert "Nothing was scored" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "there is no system to score with"),
        (("vader", "--groups", "9"), "there is no rating group called '9'"),
        (("vader", "--groups", ","), "--groups names no group"),
        (("vader", "--k", "9"), "there is no case k = 9"),
        (("vader", "--levels", "1"), "--levels is 1; expected 2 or more"),
        (("vader", "--weights", "1,2"), "--weights is 1.0, 2.0; expected three"),
        (("vader", "--weights", "a"), "--weights is 'a'; expected three numbers"),
        (("vader", "--raw", "x"), "--raw is 'x'; expected one of die, ate"),
        (("vader", "--mode", "x"), "--mode is 'x'; expected one of"),
        (("vader", "--discretise", "x"), "--discretise is 'x'"),
        (("vader", "--multiplicity", "x"), "--multiplicity is 'x'"),
        (("vader", "--draws", "-1"), "--draws is -1"),
        (("vader", "--draws", "1000000"), "--draws is 1,000,000; expected from 0 to 10,000"),
        (("vader", "--seed", "-1"), "--seed is a whole number"),
        (("vader", "--strength", "3"), "the strength is 3"),
        (("vader", "--scores", "x"), "systems are named, and stored outputs are given"),
        (("--scores", "nowhere"), "found no such file or folder"),
        (("vader", "--reference", "nowhere.json"), "there is no such file"),
        (("vader", "--shares", "nowhere.csv"), "the table of shares cannot be used"),
        (("vader", "--edition", "x"), "there is no edition"),
        (("--dry-run",), "--dry-run tells what systems would be asked"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_message(at, arguments, told):
    result = at.run("rate", *arguments, "-o", "refused")
    assert result.returncode == 2, result.stdout
    assert told in result.stderr
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr
    assert not (at.folder / "refused").exists()


def test_a_panels_terms_cannot_be_changed(at, done):
    assert done.returncode == 0
    result = at.run("rate", "vader", "--reference", "out/ratings.json", "--mode", "corrected")
    assert result.returncode == 2
    assert "out/ratings.json was rated with --mode published" in result.stderr


def test_a_file_of_scores_is_pointed_to_the_right_option(at):
    (at.folder / "some.csv").write_text("id,score\nt01-w01-p01,0.5\n")
    result = at.run("rate", "some.csv")
    assert result.returncode == 2
    assert "--scores some.csv" in result.stderr


CODE = re.compile(r"G[1-4](-[RG]+)?\b")


def test_what_is_beyond_chance_is_said_in_words_on_terminal_page_and_label(at):
    # Without names of its own vader has one, Tia, whom it reads as a word: race, and by chance.
    result = at.run(
        "rate", "vader", "textblob", "biased-female", "--groups", "1,3", "--draws", "60", "-o",
        "words",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    said = "gender: beyond chance; race: not; race and gender: beyond chance"
    assert f"biased-female: {said}." in " ".join(result.stdout.split())
    assert "vader, textblob: nothing beyond chance." in result.stdout
    table = [line for line in result.stdout.splitlines() if line.startswith("vader")]
    assert "3?" in table[0]  # race, where nobody else has a raw score
    page = (at.folder / "words" / "rating.html").read_text()
    seen = " ".join(re.sub(r"<style.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL).split())
    assert said.capitalize() in seen
    assert "Gender weighs more than race." in seen
    assert "Race (G3-R) compares African American and European American only" in seen
    badge = (at.folder / "words" / "labels" / "vader.svg").read_text()
    assert "nothing beyond chance" in badge
    # Every code has its words before it, but where the glossary explains them.
    shown = seen.partition("Glossary")[2].rpartition("group, column")[0]
    words = re.compile(r"(alone|by name|together|unevenly|[Gg]ender|[Rr]ace) [(]?$")
    bare = [found[0] for found in CODE.finditer(shown) if not words.search(shown[: found.start()])]
    assert bare == []
    assert "ψ" not in re.sub(r"(?i)raw scores? [(]?ψ", "", shown)
