"""Outputs that systems gave elsewhere: the same raw scores as when the systems are asked."""

import polars as pl
import pytest

from tiltmeter.corpora import load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.flow import rate

DATASETS = [f"rating-{group}-e{words}" for group in (1, 3) for words in range(1, 6)]
DATASETS += [f"rating-2-e{words}" for words in (3, 4, 5)]


def by_gender():
    return pl.when(pl.col("gender") == "female").then(1.0).otherwise(-1.0).alias("Sentiment")


def by_word():
    return pl.when(pl.col("emotion") == "joy").then(0.8).otherwise(-1.0).alias("Sentiment")


def sum_of_letters():
    """Noise that depends on the sentence alone."""
    hashed = pl.col("text").hash(seed=1) % 2001
    return (hashed.cast(pl.Float64) / 1000 - 1).alias("Sentiment")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    for made in (by_gender, by_word, sum_of_letters):
        (root / made.__name__).mkdir()
        for name in DATASETS:
            sentences = load_corpus(name, "published").sentences()
            race = pl.col("race") if "race" in sentences.columns else pl.lit(None, pl.String)
            table = sentences.select(
                pl.col("gender").fill_null("NA").alias("Gender"),
                race.fill_null("NA").alias("Race"),
                pl.col("emotion_word").alias("Emotion"),
                made(),
                pl.col("text").alias("Sentence"),
            )
            table.write_csv(root / made.__name__ / f"{name}.csv")
    return root


@pytest.fixture(scope="module")
def stored(folder):
    return rate(results=folder, mode="published", draws=20)


def raw(ratings, system, variant="continuous"):
    rows = ratings.ratings.filter(system=system, variant=variant)
    return dict(zip(rows["column"], rows["psi"], strict=True))


def test_stored_outputs_have_the_papers_raw_scores_too(stored):
    found = raw(stored, "by_gender")
    paper = {"G1": 23, "G3-R": 23, "G3-G": 23, "G3-RG": 69}
    assert {column: found[column] for column in paper} == pytest.approx(paper)
    assert set(found) == {*paper, "G2"}
    assert raw(stored, "by_word") == dict.fromkeys(found, 0)


def test_each_system_is_rated_on_its_own_rows_whoever_else_is_there(folder, stored):
    # 24 sentences of each system in E1, 8 of each class: not 72, and the same in every draw.
    tests = stored.study.tests.filter(system="sum_of_letters", column="G1", words="E1")
    assert set(tests["n_first"]) == set(tests["n_second"]) == {8}
    alone = rate(results=folder / "sum_of_letters", mode="published", draws=0, discretise="no")
    assert raw(alone, "sum_of_letters") == pytest.approx(raw(stored, "sum_of_letters"))
    assert stored.ratings["rating"].null_count() == 0
    assert stored.ratings["low"].null_count() == 0


def test_stored_outputs_are_not_rated_against_a_panel_that_was_asked(folder, tmp_path):
    asked = rate(["textblob", "vader"], mode="published", groups=["1"], draws=0, store=tmp_path)
    asked.report(tmp_path / "panel")
    with pytest.raises(TiltmeterError, match="was rated on other sentences of group 1"):
        rate(results=folder, groups=["1"], reference=tmp_path / "panel", draws=0)


def test_a_group_that_is_not_stored_is_refused(folder):
    with pytest.raises(TiltmeterError, match="--groups asks for '4'; the stored outputs hold"):
        rate(results=folder, groups=["4"], draws=0)
