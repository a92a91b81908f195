"""Stored outputs, like rows in one cell: the numbers of all rows, and draws of the right law."""

from itertools import combinations, permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats
from small_groups import CONFOUNDED, PLAIN, POLARITY

from tiltmeter.studies.rating import stored_rows
from tiltmeter.studies.rating.grades import rating_config
from tiltmeter.studies.rating.groups import RatingDataset, RatingGroup
from tiltmeter.studies.rating.measure import rating_study
from tiltmeter.studies.rating.stored_rows import permute_labels, resample, stored_group

TABLES = ("raw", "overall", "tests", "effects", "ates", "frequencies", "order", "columns")
DECIMALS = {"ties": 1, "labels": 0, "continuous": 12}


def rows_of(seed, decimals, systems=("s0",), missing=0.0, size=150):
    """Rows in the order in which they are read: of systems, words, people."""
    rng = np.random.default_rng(seed)
    parts = []
    for system in systems:
        word = rng.choice(["grim", "happy"], size)
        gender = rng.choice(["female", "male", "NA"], size)
        level = np.where(word == "happy", 0.3, -0.3) + 0.1 * (gender == "female")
        score = np.clip(rng.normal(level, 0.3), -1, 1).round(decimals)
        score[rng.random(size) < missing] = np.nan
        parts.append(
            pl.DataFrame({"emotion_word": word, "gender": gender, "score": score}).with_columns(
                system=pl.lit(system), words=pl.lit("e3")
            )
        )
    every = pl.concat(parts).with_columns(
        pl.col("gender").replace("NA", None),
        polarity=pl.col("emotion_word").replace_strict(POLARITY),
    )
    return every.sort("system", "words", "emotion_word", "gender", nulls_last=True)


def stored(rows, diagram=PLAIN):
    scales = dict.fromkeys(rows["system"].unique(maintain_order=True), (-1.0, 1.0))
    return stored_group("1", ("gender",), diagram, rows, scales, {"e3": "rating-1-e3"})


def row_by_row(rows, diagram=PLAIN):
    """The same of one system, every row a sentence of its own."""
    dataset = RatingDataset("rating-1-e3", "E3", np.arange(rows.height)[None])
    scores = rows["score"].to_numpy()[None]
    return RatingGroup("1", ("gender",), diagram, rows, scores, (dataset,), ((-1.0, 1.0),))


def study(group, names=("s0",), **how):
    config = rating_config(discretise="both", **how)
    return rating_study([group], [(name, "valence") for name in names], 3, config)


@pytest.mark.parametrize("decimals", DECIMALS.values(), ids=DECIMALS)
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize(
    ("diagram", "raw"), [(PLAIN, "die"), (CONFOUNDED, "die"), (CONFOUNDED, "ate")]
)
def test_like_rows_together_are_rated_as_one_by_one(decimals, missing, diagram, raw):
    for seed in range(3):
        rows = rows_of(seed, decimals, missing=missing)
        grouped = study(stored(rows, diagram), repeats=20, seed=seed, raw=raw)
        single = study(row_by_row(rows, diagram), repeats=20, seed=seed, raw=raw)
        for table in TABLES:
            one, other = getattr(grouped, table), getattr(single, table)
            assert_frame_equal(one, other, rel_tol=1e-11, abs_tol=1e-12)


@pytest.mark.parametrize("decimals", DECIMALS.values(), ids=DECIMALS)
def test_tests_of_several_systems_are_those_of_pandas_and_scipy(decimals):
    systems = ("s0", "s1", "s2")
    rows = rows_of(7, decimals, systems, missing=0.05)
    found = study(stored(rows), systems).tests.filter(variant="continuous")
    assert found.height == 9
    frame = pd.DataFrame(rows.to_dict(as_series=False)).fillna({"gender": "NA"})
    by = frame.groupby(["system", "gender"])["score"].agg(["mean", "var", "count"])
    for row in found.iter_rows(named=True):
        one, two = (by.loc[row["system"], row[end]] for end in ("first", "second"))
        error = one["var"] / one["count"], two["var"] / two["count"]
        t = (one["mean"] - two["mean"]) / (np.sqrt(sum(error)) + 0.0001)
        df = sum(error) ** 2 / (
            error[0] ** 2 / (one["count"] - 1) + error[1] ** 2 / (two["count"] - 1)
        )
        assert (row["n_first"], row["n_second"]) == (one["count"], two["count"])
        expected = (one["mean"], two["mean"], t, df, 2 * stats.t.sf(abs(t), df))
        told = [row[name] for name in ("mean_first", "mean_second", "t", "df", "p")]
        assert told == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_system_is_rated_and_drawn_alike_whoever_else_is_there():
    systems = ("s0", "s1", "s2")
    rows = rows_of(3, 2, systems)
    beside = study(stored(rows), systems, repeats=30).tests.filter(system="s1")
    alone = study(stored(rows.filter(system="s1")), ("s1",), repeats=30).tests
    assert_frame_equal(beside, alone)
    assert stored(rows).count_sentences() == 150  # of each system, not of all


def test_draws_of_many_rows_say_the_same_as_draws_of_few(monkeypatch):
    # The quick ways of drawing are for many rows. Shares of 1,000 repeats have a standard error of
    # at most 0.016, a difference of two 0.022; four of them are 0.09.
    rows = rows_of(5, 12)
    few = study(stored(rows), repeats=1_000)
    monkeypatch.setattr(stored_rows, "ROOM", 0)
    monkeypatch.setattr(stored_rows, "LARGE", 0)
    many = study(stored(rows), repeats=1_000)
    assert_frame_equal(few.tests, many.tests)
    assert few.raw["psi"].equals(many.raw["psi"])
    gap = few.frequencies["share"] - many.frequencies["share"]
    assert gap.abs().max() < 0.09
    assert (few.raw["by_chance"] - many.raw["by_chance"]).abs().max() <= 0.6  # one rejection


@pytest.mark.parametrize("few", [True, False])
def test_resampling_takes_each_row_with_the_chances_of_drawing_with_replacement(few):
    # 3 rows drawn 3 times: (3, 0, 0) 1/27 each, (2, 1, 0) 3/27 each, (1, 1, 1) 6/27.
    taken = resample(3, 27_000, np.random.default_rng(1), few=few).astype(int)
    kinds, seen = np.unique(taken, axis=0, return_counts=True)
    shares = {3: 1, 2: 3, 1: 6}
    expected = [27_000 * shares[int(kind.max())] / 27 for kind in kinds]
    assert len(kinds) == 10
    assert stats.chisquare(seen, expected).pvalue > 1e-4


@pytest.mark.parametrize("large", [0, 100], ids=["many", "few"])
def test_every_deal_is_as_likely_and_keeps_the_size_of_each_class(large, monkeypatch):
    monkeypatch.setattr(stored_rows, "LARGE", large)
    labels = np.array([0, 0, 0, 1, 2])
    dealt = permute_labels(labels, 20_000, np.random.default_rng(2))
    assert (np.sort(dealt, axis=1) == labels).all()
    kinds, seen = np.unique(dealt, axis=0, return_counts=True)
    assert len(kinds) == len(set(permutations(labels.tolist()))) == 20
    assert stats.chisquare(seen).pvalue > 1e-4


def test_a_large_deal_has_the_spread_of_drawing_without_replacement():
    # Of 20,000 scores 5,000 are dealt to a class: its mean has the variance
    # s²/n · (1 − n/N), by sampling theory; and rows of two classes are as rarely alike.
    rng = np.random.default_rng(3)
    scores, labels = rng.normal(size=20_000), np.repeat([0, 1, 2], [5_000, 9_000, 6_000])
    dealt = permute_labels(labels, 600, rng)
    assert all((np.bincount(row) == [5_000, 9_000, 6_000]).all() for row in dealt)
    means = np.array([[scores[row == one].mean() for one in range(3)] for row in dealt])
    n = np.array([5_000, 9_000, 6_000])
    truth = scores.var(ddof=1) / n * (1 - n / 20_000)
    ratio = means.var(axis=0, ddof=1) / truth
    assert (abs(ratio - 1) < 4 * np.sqrt(2 / 599)).all(), ratio
    for one, two in combinations(range(3), 2):
        correlation = np.corrcoef(means[:, one], means[:, two])[0, 1]
        apart = -np.sqrt(n[one] * n[two] / ((20_000 - n[one]) * (20_000 - n[two])))
        assert abs(correlation - apart) < 4 / np.sqrt(600)
