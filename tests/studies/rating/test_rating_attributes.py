"""One attribute never passes for another: race without people of whom neither is said."""

import re

import numpy as np
import polars as pl
import pytest

from tiltmeter.corpora import load_corpus, load_rating_group
from tiltmeter.studies.rating.run import rate

WOMEN = load_rating_group("rating-3").sentences().filter(gender="female")["person"].unique()
BLACK = load_rating_group("rating-3").sentences().filter(race="African American")["person"].unique()


def mentioning(people, texts):
    """1 for sentences about some people, −1 for the rest."""
    named = re.compile(rf"\b({'|'.join(map(re.escape, people))})\b", re.IGNORECASE)
    return [1.0 if named.search(text) else -1.0 for text in texts]


def by_gender(texts):
    return mentioning(WOMEN, texts)


def by_race(texts):
    return mentioning(BLACK, texts)


def found(ratings, system, column, variant="continuous"):
    return ratings.ratings.row(
        by_predicate=(pl.col("system") == system)
        & (pl.col("column") == column)
        & (pl.col("variant") == variant),
        named=True,
    )


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    store = tmp_path_factory.mktemp("store")
    return rate(
        {"gender": by_gender, "race": by_race}, groups=["3"], store=store, draws=99
    )  # fmt: skip


def test_a_system_that_goes_by_gender_alone_has_no_raw_score_for_race(planted):
    # Each race has as many women as men: both means are 0, every t is 0, so is ψ, and no deal of
    # people among those of their gender sets races closer together than 0: p = 1.
    row = found(planted, "gender", "G3-R")
    assert (row["psi"], row["p"]) == (0, 1)
    # Women against men, and against NA, in five word sets at all levels: 10 · (1 + 0.8 + 0.6).
    gender = found(planted, "gender", "G3-G")
    assert gender["psi"] == pytest.approx(24)
    assert gender["p"] == 0.01  # of 99 deals none
    # Six of ten pairs of classes: women of either race from men of either and from NA.
    assert found(planted, "gender", "G3-RG")["psi"] == pytest.approx(5 * 6 * 2.4)


def test_a_system_that_goes_by_race_alone_is_found_by_race(planted):
    assert found(planted, "race", "G3-R")["psi"] == pytest.approx(5 * 2.4)
    assert found(planted, "race", "G3-R")["p"] == 0.01
    # NA is of no race: ψ of gender counts it. p, people of one race at a time, does not.
    assert found(planted, "race", "G3-G")["p"] == 1


def test_race_has_one_pair_of_classes_and_gender_keeps_its_three(planted):
    tests = planted.tests.filter(system="gender", variant="continuous", words="E1")
    assert dict(tests.group_by("column").len().rows()) == {"G3-R": 1, "G3-G": 3, "G3-RG": 10}
    sizes = dict(planted.columns.select("column", "sentences").rows())
    # Per word 7 templates with ten people of each of five classes, of race four.
    assert sizes["G3-G"] == 10 * 350
    assert sizes["G3-R"] == 10 * 280
    said = dict(planted.columns.select("column", "about_na").rows())
    assert said["G3-R"].startswith("race (G3-R) compares African American and European American")
    assert "goes by race alone" in said["G3-G"]
    assert not said["G3-RG"]


def test_as_published_the_papers_number_stays_and_is_explained(tmp_path):
    ratings = rate(["biased-female"], mode="published", groups=["3"], store=tmp_path, draws=0)
    assert found(ratings, "biased-female", "G3-R")["psi"] == pytest.approx(23)
    (said,) = [note for note in ratings.notes if "race (G3-R)" in note]
    assert "a system that goes by gender alone" in said
    mixed = rate(["biased-female"], edition="published", groups=["3"], store=tmp_path, draws=0)
    assert found(mixed, "biased-female", "G3-R")["psi"] == 0
    assert not [note for note in mixed.notes if "race (G3-R)" in note]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Stored outputs of group 3: by gender alone, and noise; NA has other scores than names."""
    root = tmp_path_factory.mktemp("outputs")
    table = pl.concat([load_corpus(f"rating-3-e{n}").sentences().with_columns(
        Dataset=pl.lit(f"rating-3-e{n}")) for n in (1, 3)])  # fmt: skip
    noise = np.random.default_rng(3).normal(0, 0.2, table.height).round(2)
    scores = {
        "gender": pl.when(pl.col("gender") == "female").then(1.0).otherwise(-1.0),
        "noise": pl.when(pl.col("race").is_null()).then(0.9).otherwise(pl.Series(noise)),
    }
    for system, score in scores.items():
        table.select(
            "Dataset",
            pl.col("gender").alias("Gender"),
            pl.col("race").alias("Race"),
            pl.col("emotion_word").alias("Emotion"),
            score.clip(-1, 1).alias("Sentiment"),
            pl.col("text").alias("Sentence"),
        ).write_csv(root / f"{system}.csv")
    return root


def test_stored_outputs_leave_na_out_of_race(outputs):
    stored = rate(results=outputs, draws=400, discretise="no")
    assert found(stored, "gender", "G3-R")["psi"] == 0
    assert set(stored.tests.filter(column="G3-R")["second"]) == {"European American"}
    # Two tests at 95, 70 and 60 %: ψ by chance has a middle of at most one test's lower levels.
    # With the scores of NA, which are other ones, dealt to races it would be another.
    assert found(stored, "noise", "G3-R")["by_chance"] <= 1.4
