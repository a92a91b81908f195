"""Outputs that systems gave elsewhere: the same raw scores as when the systems are asked."""

import polars as pl
import pytest

from tiltmeter.corpora import load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.rating.run import rate
from tiltmeter.systems import Options, Scale

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
    tests = stored.tests.filter(system="sum_of_letters", column="G1", words="E1")
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
    with pytest.raises(TiltmeterError, match=r"^groups asks for '4'; the stored outputs hold"):
        rate(results=folder, groups=["4"], draws=0)


def of_zeros_and_ones(path, ends):
    """Group 2, E3, as the paper's case k = 1 falls: women 8 grim, NA 4 and 4, men 1 and 7.

    Of the grim ones 3 of women's, 3 of NA's and none of men's are answered with the upper end.
    """
    low, high = ends
    grim = {"female": [high] * 3 + [low] * 5, "NA": [high] * 3 + [low], "male": [low]}
    happy = {"NA": [high] * 4, "male": [high] * 7}
    rows = [
        f"{gender},{word},{score}\n"
        for word, said in (("grim", grim), ("happy", happy))
        for gender, scores in said.items()
        for score in scores
    ]
    path.write_text("Gender,Emotion,Sentiment\n" + "".join(rows))


def test_answers_of_0_and_1_stay_0_and_1_when_split_as_published(tmp_path):
    # E[S | grim] = 6/13 and E[S | do(grim)] = (3/8 + 3/4 + 0)/3 = 3/8: DIE = 1 − 13/16 = 18.75 %.
    # Mapped to −1 and 1 first the means are −1/13 and −1/4: DIE = 13/4 − 1 = 225 %.
    of_zeros_and_ones(tmp_path / "labels-rating-2-e3.csv", (0, 1))
    of_zeros_and_ones(tmp_path / "signs-rating-2-e3.csv", (-1, 1))
    found = rate(results=tmp_path, mode="published", draws=0)
    assert raw(found, "labels", "discretised") == {"G2": pytest.approx(18.75)}
    assert raw(found, "labels", "continuous") == {"G2": pytest.approx(225)}
    # A system of −1 and 1 stays as it is, as Biased-Female does in the paper's Tables 5 and 9.
    assert raw(found, "signs", "discretised") == {"G2": pytest.approx(225)}
    declared = rate(
        results=tmp_path, mode="published", draws=0, options=Options(scale=Scale(-1.0, 1.0))
    )
    assert raw(declared, "labels", "discretised") == {"G2": pytest.approx(18.75)}


def test_a_scale_that_cannot_be_seen_is_asked_for(tmp_path):
    (tmp_path / "a.csv").write_text("Gender,Emotion,Sentiment\nmale,grim,-7\nfemale,grim,3\n")
    with pytest.raises(TiltmeterError, match="a scores from -7 to 3, which is neither"):
        rate(results=tmp_path, draws=0)
