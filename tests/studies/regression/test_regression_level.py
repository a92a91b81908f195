"""Simulations small enough for every run; benchmarks/simulate_regression.py has the large ones.

Every simulated system is one submission, so that a whole simulation is one call. Bounds are four
standard errors of the simulated share, √(q (1 − q) / systems).
"""

import numpy as np
import polars as pl
import pytest
from scipy.special import expit
from threadpoolctl import threadpool_limits

from tiltmeter import load_corpus
from tiltmeter.studies.regression.study import regression_study

SYSTEMS, PHI, LEVEL = 400, 20.0, 0.95
OF_NAME, OF_GROUP_BY_TEMPLATE = 0.15, 0.1
"""Standard deviations on the logit, where that of the noise is 2 / √(1 + 20) = 0.44."""
PLANTED = {"gender": -0.15, "race": 0.2, "gender:race": 0.1}
SLACK = 4 * np.sqrt(LEVEL * (1 - LEVEL) / SYSTEMS)
"""0.044: a right 95 % interval holds the truth in 90.6 % of 400 systems, or in more."""


@pytest.fixture(autouse=True)
def one_thread():
    """Threads wait for each other on many small matrices where a machine is busy."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def corpus():
    return load_corpus("eec")


@pytest.fixture(scope="module")
def sentences(corpus):
    """The 1,400 with a name and a word of anger."""
    named = corpus.sentences().filter(emotion="anger").drop_nulls("race")
    return named.with_columns(group=pl.concat_str("gender", "race"))


def draws(rng, sentences, columns, sd):
    """(systems, sentences): one draw for all sentences that have the same in some columns."""
    place = sentences.select(pl.struct(columns).rank("dense")).to_series().to_numpy() - 1
    return rng.normal(0, sd, (SYSTEMS, place.max() + 1))[:, place]


def tilt(sentences):
    """What is planted: female beside male, African American beside European American, both."""
    female = (sentences["gender"] == "female").to_numpy()
    african = (sentences["race"] == "African American").to_numpy()
    return (
        PLANTED["gender"] * female
        + PLANTED["race"] * african
        + PLANTED["gender:race"] * (female & african)
    )


def estimates(rng, corpus, sentences, logit):
    """The coefficients of systems that score at a logit, with Beta noise."""
    mu = expit(logit)
    scores = rng.beta(mu * PHI, (1 - mu) * PHI).ravel()
    size = sentences.height
    systems = pl.Series(np.repeat(np.arange(SYSTEMS), size)).cast(pl.String)
    table = pl.DataFrame(
        {
            "system": systems,
            "task": pl.Series(["anger"]).new_from_index(0, scores.size),
            "corpus": pl.Series(["eec"]).new_from_index(0, scores.size),
            "id": sentences["id"].gather(np.tile(np.arange(size), SYSTEMS)),
            "repeat": np.zeros(scores.size, np.int64),
            "raw": scores,
            "score": scores,
            "reason": pl.Series([None], dtype=pl.String).new_from_index(0, scores.size),
        }
    )
    axes = {axis.name: axis.groups for axis in corpus.axes}
    return regression_study(sentences, table, axes).estimates


def held(found, measure, truth):
    """By axis: the share of systems whose interval holds the truth."""
    right = pl.col("low").le(pl.col("truth")) & pl.col("high").ge(pl.col("truth"))
    shares = (
        found.filter(pl.col("measure") == measure)
        .with_columns(truth=pl.col("axis").replace_strict(truth, return_dtype=pl.Float64))
        .group_by("axis")
        .agg(held=right.sum() / SYSTEMS)
    )
    return dict(shares.rows())


NOTHING = dict.fromkeys(PLANTED, 0.0)


def test_naive_intervals_miss_the_truth_where_names_matter_and_crossed_ones_hold_it(
    corpus, sentences
):
    rng = np.random.default_rng(1)
    found = estimates(rng, corpus, sentences, draws(rng, sentences, ["person"], OF_NAME))
    naive, crossed = (held(found, name, NOTHING) for name in ("coefficient_naive", "coefficient"))
    assert naive.keys() == crossed.keys() == PLANTED.keys()
    # A naive variance of a difference of two groups is 2 · 0.44²/350 = 0.0011; the true one has
    # 2 · 0.15²/10 = 0.0045 more. A naive interval reaches 1.96 · √(0.0011/0.0056) = 0.87 standard
    # deviations, and so holds 61 % of estimates.
    for axis in PLANTED:
        assert naive[axis] < 0.70, naive
        assert crossed[axis] >= 0.93, crossed


def test_crossed_intervals_hold_where_groups_fare_otherwise_in_each_template(corpus, sentences):
    rng = np.random.default_rng(2)
    logit = draws(rng, sentences, ["person"], OF_NAME)
    logit += draws(rng, sentences, ["group", "template"], OF_GROUP_BY_TEMPLATE)
    found = estimates(rng, corpus, sentences, logit)
    assert max(held(found, "coefficient_naive", NOTHING).values()) < 0.70
    assert min(held(found, "coefficient", NOTHING).values()) > LEVEL - SLACK


def test_without_names_or_templates_naive_intervals_are_right_and_crossed_ones_no_narrower(
    corpus, sentences
):
    rng = np.random.default_rng(3)
    found = estimates(rng, corpus, sentences, np.zeros((SYSTEMS, sentences.height)))
    for axis, share in held(found, "coefficient_naive", NOTHING).items():
        assert abs(share - LEVEL) < SLACK, (axis, share)
    assert min(held(found, "coefficient", NOTHING).values()) > LEVEL - SLACK


def test_planted_race_gender_and_intersection_are_recovered(corpus, sentences):
    rng = np.random.default_rng(4)
    logit = tilt(sentences) + draws(rng, sentences, ["person"], OF_NAME)
    found = estimates(rng, corpus, sentences, logit)
    coefficients = found.filter(pl.col("measure") == "coefficient")
    for axis, size in PLANTED.items():
        values = coefficients.filter(pl.col("axis") == axis)["value"].to_numpy()
        assert values.size == SYSTEMS
        error = values.std(ddof=1) / np.sqrt(SYSTEMS)
        assert abs(values.mean() - size) < 4 * error, (axis, values.mean(), error)
    assert min(held(found, "coefficient", PLANTED).values()) > LEVEL - SLACK
