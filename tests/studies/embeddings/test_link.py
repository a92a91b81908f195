"""How far a system's tilt between names goes with the vectors."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import pearsonr, spearmanr

from tiltmeter.studies.embeddings.link import link_study
from tiltmeter.studies.paired.pairs import People

NAMES = tuple(f"name{n}" for n in range(20))
GROUPS = ("first",) * 10 + ("second",) * 10


def people(*deviations, match="names", names=NAMES):
    table = pl.DataFrame(
        {
            "person": names, "match": [match] * len(names), "race": GROUPS[: len(names)],
            "n": [144] * len(names),
        }
    )  # fmt: skip
    submissions = pl.DataFrame(
        {"system": [f"s{n}" for n in range(len(deviations))], "task": "valence"}
    )
    return People(submissions, table, np.array(deviations))


def odds(values, names=NAMES):
    return dict(zip(names, map(float, values), strict=True))


@pytest.fixture
def vectors():
    return np.random.default_rng(0).normal(size=20)


def linked(values, *deviations, **how):
    return link_study("glove", odds(values), people(*deviations, **how), "eec", ["race"])


def test_the_correlations_are_scipys(vectors):
    tilt = -0.5 * vectors + np.random.default_rng(1).normal(size=20) * 0.4
    [told] = linked(vectors, tilt).links.rows(named=True)
    assert told["pearson"] == pytest.approx(pearsonr(vectors, tilt).statistic)
    assert told["spearman"] == pytest.approx(spearmanr(vectors, tilt).statistic)
    slope = np.polyfit(vectors - vectors.mean(), tilt, 1)[0]
    assert told["slope"] == pytest.approx(slope, abs=0.05)
    assert told["low"] <= told["pearson"] <= told["high"]
    assert told["p"] < 0.01


def test_p_is_at_its_level_where_vectors_and_tilt_have_nothing_to_do_with_each_other():
    rng = np.random.default_rng(2)
    tilts = rng.normal(size=(100, 20))
    found = linked(rng.normal(size=20), *tilts).links["p"]
    assert (found <= 0.05).mean() <= 0.13  # 0.05 promised; more once in 1,000 runs


def test_a_system_that_reads_the_vectors_alone_is_explained_wholly(vectors):
    study = linked(vectors, 0.02 * vectors - 0.02 * vectors.mean())
    [told], [gap] = study.links.rows(named=True), study.gaps.rows(named=True)
    assert told["pearson"] == pytest.approx(1)
    assert gap["carried"] == pytest.approx(gap["gap"])
    assert gap["share"] == pytest.approx(1)


def test_a_tilt_between_groups_that_vectors_do_not_hold_is_not_carried():
    # Within a group the tilt follows the vectors at 0.1 a unit; between groups it is 0.5 more,
    # while the vectors' means are 0.2 apart: 0.1 · 0.2 = 0.02 of 0.52 is carried.
    within = np.tile(np.linspace(-1, 1, 10), 2)
    values = within + np.repeat([0.2, 0.0], 10)
    tilt = 0.1 * values + np.repeat([0.5, 0.0], 10)
    [gap] = linked(values, tilt - tilt.mean()).gaps.rows(named=True)
    assert gap["gap"] == pytest.approx(0.52)
    assert gap["carried"] == pytest.approx(0.02)
    assert gap["share"] == pytest.approx(0.02 / 0.52)
    assert gap["low"] <= gap["carried"] <= gap["high"]


def test_names_without_a_vector_or_a_score_are_left_out_and_counted(vectors):
    tilt = 0.1 * vectors
    tilt[0] = np.nan
    known = odds(vectors)
    del known["name5"]
    study = link_study("glove", known, people(tilt), "eec", ["race"])
    assert study.links["n"].to_list() == [18]
    assert {"name0", "name5"}.isdisjoint(study.names["person"])


def test_too_few_names_and_a_system_without_a_tilt_have_a_reason(vectors):
    few = link_study("glove", odds(vectors[:4], NAMES[:4]), people(vectors), "eec", ["race"])
    assert few.links["reason"][0] == (
        "4 names have both a vector and scores; at least 6 are needed"
    )
    assert few.gaps.height == 0
    even = linked(vectors, np.zeros(20)).links
    assert even["reason"][0] == "the system scores all names alike: there is no tilt to explain"
    assert even["pearson"][0] is None
    flat = linked(np.ones(20), vectors).links
    assert flat["reason"][0] == "the vectors give all names the same sentiment"


def test_each_match_is_held_against_its_own_average(vectors):
    # Two matches whose vectors stand far apart: that distance is no tilt of any system.
    tilt = 0.1 * vectors
    apart = vectors + np.repeat([0.0, 50.0], 10)
    both = people(tilt)
    split = both.people.with_columns(match=pl.Series(["a"] * 10 + ["b"] * 10))
    centred = tilt - np.repeat([tilt[:10].mean(), tilt[10:].mean()], 10)
    held = People(both.submissions, split, centred[None])
    [told] = link_study("glove", odds(apart), held, "eec", ["race"]).links.rows(named=True)
    assert told["pearson"] == pytest.approx(1)
