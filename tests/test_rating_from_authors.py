"""The rating authors' coded files, made a table with names by the script in examples/.

We do not have their outputs; these are written in their layout from our own datasets.
"""

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from command_line import in_own_process
from tiltmeter import rate
from tiltmeter.corpora import load_corpus

SCRIPT = Path(__file__).parent.parent / "examples" / "rating_from_authors.py"
DATASETS = {group: range(1 if group in "13" else 3, 6) for group in "1234"}
GENDERS = {None: "0", "male": "1", "female": "2"}
RACES = {None: "0", "European American": "1", "African American": "2"}
WORDS = {"grim": "1", "happy": "2", "depressing": "3", "glad": "4"}
POLARITIES = {"sadness": "0", "joy": "1"}

BY_GENDER = pl.when(pl.col("gender") == "female").then(1.0).otherwise(-1.0)
BY_LETTERS = pl.col("text").hash(seed=1).mod(2001).cast(pl.Float64) / 1000 - 1
SYSTEMS = {"biased": BY_GENDER, "noise": BY_LETTERS, "noise_discrete": BY_LETTERS.ge(0).cast(int)}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A folder in the authors' layout, and one with the same answers under names."""
    coded, named = tmp_path_factory.mktemp("coded"), tmp_path_factory.mktemp("named")
    for group, sets in DATASETS.items():
        for number in sets:
            dataset = f"rating-{group}-e{number}"
            sentences = load_corpus(dataset, "published").sentences()
            race = pl.col("race") if group in "34" else pl.lit(None, pl.String)
            word = (
                pl.col("emotion_word").replace_strict(WORDS)
                if group in "13"
                else pl.col("emotion").replace_strict(POLARITIES)
            )
            for system, score in SYSTEMS.items():
                answers = sentences.select(
                    pl.col("gender").replace_strict(GENDERS).alias("Gender"),
                    race.replace_strict(RACES, return_dtype=pl.String).alias("Race"),
                    word.alias("Emotion"),
                    score.alias("Sentiment"),
                )
                path = coded / f"group{group}" / system / f"e{number}_sys.csv"
                path.parent.mkdir(parents=True, exist_ok=True)
                (answers if group in "34" else answers.drop("Race")).write_csv(path)
                (named / system).mkdir(exist_ok=True)
                sentences.select(
                    pl.col("gender").alias("Gender"), race.alias("Race"),
                    pl.col("emotion_word").alias("Emotion"), score.alias("Sentiment"),
                    pl.col("text").alias("Sentence"),
                ).write_csv(named / system / f"{dataset}.csv")  # fmt: skip
    return coded, named


def run(*arguments, folder):
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def psi(ratings):
    return {
        (system, variant, column): value
        for system, variant, column, value in ratings.ratings.select(
            "system", "variant", "column", "psi"
        ).rows()
    }


def test_the_coded_files_have_the_psi_of_the_named_tables(tables, tmp_path):
    coded, named = tables
    done = run(coded, "-o", "table.csv", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "48 files written to table.csv: biased, noise, noise_discrete" in done.stdout
    ratings = psi(rate(results=tmp_path / "table.csv", mode="published", draws=0))
    assert ratings == pytest.approx(psi(rate(results=named, mode="published", draws=0)))
    for column, paper in {"G1": 23, "G3-R": 23, "G3-G": 23, "G3-RG": 69}.items():
        assert ratings["biased", "continuous", column] == pytest.approx(paper)
    assert {column for _, _, column in ratings} == {"G1", "G2", "G3-R", "G3-G", "G3-RG", "G4"}


def test_the_table_is_rated_by_the_command(tables, tmp_path):
    run(tables[0], "-o", tmp_path / "table.csv", folder=tmp_path)
    command = "rate --scores table.csv --mode published --draws 0 -o out"
    done = in_own_process(*command.split(), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "ratings.json").is_file()


def test_variants_of_a_system_may_lie_in_folders_of_their_own(tmp_path):
    for folder in ("group1/gru/continuous", "group1/gru/discrete", "Group_1"):
        path = tmp_path / "results" / folder / "e1_tb.csv"
        path.parent.mkdir(parents=True)
        path.write_text("\ufeff,Gender,Emotion,Sentiment\n0,1.0,1,-0.3\n1,2,1,\n")
    (tmp_path / "results" / "group1" / "notes.csv").write_text("nothing of theirs\n")
    done = run("results", "-o", "table.csv", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    table = pl.read_csv(tmp_path / "table.csv", infer_schema=False)
    assert table["System"].unique().sort().to_list() == ["gru-continuous", "gru-discrete", "tb"]
    assert table.filter(System="tb").rows() == [
        ("tb", "1", "e1", "male", "NA", "grim", "-0.3"),
        ("tb", "1", "e1", "female", "NA", "grim", None),
    ]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "found no answers; expected group1/gru/e3_gru.csv"),
        ({"group1/gru/e1_gru.csv": "Gender,Emotion,Sentiment\n1,7,0\n"},
         "Emotion is '7' in"),
        ({"group3/gru/e1_gru.csv": "Gender,Emotion,Sentiment\n1,1,0\n"},
         "expected one of 0 NA, 1 European American, 2 African American"),
    ],
)  # fmt: skip
def test_what_is_no_answer_of_theirs_is_said(files, message, tmp_path):
    (tmp_path / "results").mkdir()
    for name, text in files.items():
        path = tmp_path / "results" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    done = run("results", "-o", "table.csv", folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "table.csv").exists()
