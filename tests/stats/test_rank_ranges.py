"""Ranks that the data allow: by hand, their promised coverage, and the influence behind them."""

import numpy as np
import polars as pl
import pytest

from tiltmeter import load_corpus
from tiltmeter.stats.correlation import pearson, pearson_influence, spearman, spearman_influence
from tiltmeter.stats.multiplicity import (
    above_p,
    difference_variances,
    larger_p,
    rank_ranges,
    surely_above,
)
from tiltmeter.studies.paired.claims import COUPLES, NAMES
from tiltmeter.studies.paired.contrasts import contrasts_of
from tiltmeter.studies.paired.tilt import tilt_ranges, tilt_ranks, tilt_study
from tiltmeter.studies.skill.measure import skill_ranges
from tiny import scores_of

EEC = load_corpus("eec")
SENTENCES = EEC.sentences()
AXES = [axis.name for axis in EEC.axes]
GENDER = contrasts_of("gender", ["female", "male"])[0]


def ranges_of(value, variance, level=0.05):
    df = np.full(variance.shape, 1e9)
    above = surely_above(above_p(value, variance, df, 0.0), level)
    return rank_ranges(value, above, 0.0)


def test_systems_far_apart_have_one_place_and_those_close_share_theirs():
    value = np.array([5.0, 0.1, 0.0, -5.0])
    found = ranges_of(value, np.ones((4, 4)))
    assert found.rank.tolist() == [1, 2, 3, 4]
    assert found.best.tolist() == [1, 2, 2, 4]
    assert found.worst.tolist() == [1, 3, 3, 4]
    assert found.group.tolist() == [1, 2, 2, 3]
    assert found.of == 4


def test_one_system_is_first_and_equal_ones_share_the_better_rank():
    alone = ranges_of(np.array([0.3]), np.ones((1, 1)))
    assert (alone.rank.tolist(), alone.worst.tolist()) == ([1], [1])
    equal = ranges_of(np.array([1.0, 1.0, -9.0]), np.zeros((3, 3)))
    assert equal.rank.tolist() == [1, 1, 3]
    assert (equal.best.tolist(), equal.worst.tolist()) == ([1, 1, 3], [2, 2, 3])


@pytest.mark.slow
def test_all_ranges_hold_at_once_as_often_as_promised():
    # Ten systems, five of them equal, whose numbers hang together through a shared part.
    rng = np.random.default_rng(1)
    true = np.array([0.0, 0, 0, 0, 0, 2, 2.5, 4, 8, 8.5])
    held, whole = 0, 400
    for _ in range(whole):
        rows = rng.normal(size=(10, 30)) / np.sqrt(30)
        rows += rng.normal(size=30) / np.sqrt(30)  # drops out of every difference
        value = true + rows @ rng.normal(size=30)
        found = ranges_of(value, difference_variances(rows)[0])
        best = 1 + (true > true[:, None]).sum(axis=1)
        worst = (true >= true[:, None]).sum(axis=1)
        held += bool(((found.best <= best) & (worst <= found.worst)).all())
    assert held / whole >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / whole)


def test_sizes_are_told_apart_only_where_both_signs_are_ruled_out():
    # 3 and −3 are as large; 3 is larger than 0.5 by 2.5 and by 3.5, each with a variance of 1
    value, one = np.array([3.0, -3.0, 0.5]), np.ones((3, 3))
    p = larger_p(value, one, one, np.full((3, 3), 1e9), 1e-9)
    assert p[0, 1] == p[1, 0] == 1.0
    np.testing.assert_allclose(p[[0, 1], 2], 0.00621, atol=1e-5)  # P(Z > 2.5)
    assert p[2, 0] > 0.99


def test_sizes_of_nothing_are_hardly_ever_told_apart():
    rng = np.random.default_rng(2)
    false = 0
    for _ in range(200):
        rows = rng.normal(size=(6, 20)) / np.sqrt(20)
        value = rows @ rng.normal(size=20)
        p = larger_p(value, *difference_variances(rows), np.full((6, 6), 1e9), 1e-9)
        false += surely_above(p).any()
    assert false / 200 <= 0.05


@pytest.mark.parametrize(
    ("influence", "correlation"),
    [(pearson_influence, pearson), (spearman_influence, spearman)],
)
def test_influence_is_that_of_leaving_a_text_out(influence, correlation):
    rng = np.random.default_rng(3)
    gold = rng.normal(size=80).round(1)
    answers = (gold + rng.normal(size=(2, 80))).round(1)
    answers[1] = answers[1].round()  # many ties
    answers[0, :7] = np.nan
    found = influence(answers, gold)
    for row in range(2):
        known = np.flatnonzero(~np.isnan(answers[row]))
        left_out = [np.delete(known, nth) for nth in range(known.size)]
        without = [
            float(np.arctanh(correlation(answers[[row]][:, some], gold[some]).value[0]))
            for some in left_out
        ]
        jackknife = np.mean(without) - np.array(without)
        mine = found[row, known]
        assert np.corrcoef(jackknife, mine)[0, 1] > 0.999
        size = known.size
        theirs = np.sqrt((size - 1) / size * (jackknife**2).sum())
        assert np.sqrt((mine**2).sum()) == pytest.approx(theirs, rel=0.05)
        assert not found[row, np.isnan(answers[row])].any()


def test_systems_that_answer_alike_are_told_apart_sooner_than_their_intervals_would():
    rng = np.random.default_rng(4)
    gold = rng.normal(size=300)
    shared = gold + rng.normal(size=300)
    answers = np.stack([shared, shared + 0.7 * rng.normal(size=300), rng.normal(size=300)])
    found = skill_ranges(answers, gold)
    assert found.best.tolist() == found.worst.tolist() == [1, 2, 3]
    both = pearson(answers[:2], gold)
    assert both.low[0] < both.high[1]  # their own intervals overlap


@pytest.mark.parametrize("by", ["pearson", "spearman"])
def test_systems_of_equal_skill_are_told_apart_no_more_often_than_promised(by):
    rng, wrong = np.random.default_rng(11), 0
    for _ in range(200):
        gold, shared = rng.beta(2, 2, 60), rng.normal(size=60)
        answers = 3 * gold + 0.6 * shared + 0.8 * rng.normal(size=(5, 60))
        found = skill_ranges(answers, gold, by)
        wrong += bool((found.best > 1).any() or (found.worst < 5).any())
    assert wrong / 200 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


def test_a_system_without_a_correlation_has_no_rank_and_counts_for_nobody():
    gold = np.arange(30.0)
    answers = np.stack([gold, np.full(30, 0.5), -gold])
    found = skill_ranges(answers, gold, "spearman")
    assert found.rank.tolist() == [1, 0, 2]
    assert found.of == 2
    assert (found.best.tolist(), found.worst.tolist()) == ([1, 0, 2], [1, 0, 2])


def tilted(tilts, rng, noise=0.02):
    """Systems that score women higher by so much, with tastes of their own about words."""
    female = (SENTENCES["gender"] == "female").to_numpy()
    frames = SENTENCES["frame"].rank("dense").to_numpy().astype(int) - 1
    level = rng.uniform(0.3, 0.7, (len(tilts), frames.max() + 1))[:, frames]
    return level + np.outer(tilts, female) + rng.normal(0, noise, level.shape)


def claim_of(sentences, values, kind=NAMES, people=None):
    """The claim on gender by names, or by couples."""
    study = tilt_study(sentences, values, [GENDER], AXES, people=people)
    (found,) = [one for one in study.claims(GENDER) if one.kind == kind]
    return found


def test_a_leaderboard_of_tilts_has_the_largest_first_whatever_its_sign():
    values = tilted([0.01, -0.2, 0.0, 0.1], np.random.default_rng(5))
    scores = scores_of(SENTENCES, values, systems=["some", "down", "none", "up"])
    native = scores_of(SENTENCES, values[:1], systems=["native"], raw=True)
    found = tilt_ranks(SENTENCES, pl.concat([scores, native]), [GENDER], AXES, EEC.people)
    assert found["kind"].to_list() == [NAMES] * 4 + [COUPLES] * 4
    for kind in (NAMES, COUPLES):
        board = found.filter(kind=kind)
        assert board["system"].to_list() == ["down", "up", "some", "none"]
        assert board.select("rank", "rank_best", "rank_worst", "of").row(0) == (1, 1, 1, 4)
        assert board["tilt"][0] == pytest.approx(-0.2, abs=0.005)
    assert found["corpus"].unique().to_list() == ["eec"]


def test_the_variance_of_a_difference_is_that_of_the_difference_itself():
    """What people and words add, and what nobody saw of either system besides."""
    values = tilted([0.1, 0.02], np.random.default_rng(6))
    both, apart = claim_of(SENTENCES, values), claim_of(SENTENCES, values[:1] - values[1:])
    for over in ("over_people", "over_words"):
        mine = getattr(both, over)
        assert mine[0] - mine[1] == pytest.approx(getattr(apart, over)[0], abs=1e-12)
    assert (both.over_people**2).sum(axis=1) == pytest.approx(
        both.se_people**2 - both.se_floor**2, rel=0.5
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", [NAMES, COUPLES])
def test_ranges_over_other_people_hold_as_often_as_promised(kind):
    # Four systems with tastes of their own about people; two have the same true tilt.
    rng = np.random.default_rng(10)
    some = SENTENCES.filter(pl.col("template").is_in(["1", "5", "8"])).filter(
        pl.col("emotion_word").is_null() | pl.col("emotion").is_in(["joy", "anger"])
    )
    person = some["person"].rank("dense").to_numpy().astype(int) - 1
    female = (some["gender"] == "female").to_numpy()
    true = np.array([0.2, 0.1, 0.1, 0.0])
    held, told = 0, 0
    for _ in range(40):
        tastes = rng.normal(0, 0.02, (4, person.max() + 1))[:, person]
        values = np.outer(true, female) + tastes + rng.normal(0, 0.02, tastes.shape)
        found = tilt_ranges(claim_of(some, values, kind, EEC.people))
        held += bool((found.best <= [1, 2, 2, 4]).all() and (found.worst >= [1, 3, 3, 4]).all())
        told += found.worst[0] == 1
    assert held >= 35  # P(X < 35 | 40, 0.95) = 0.014
    assert told > 20  # and the ranges say something


def test_a_floor_keeps_systems_tied_whose_names_nobody_saw():
    """Both read words alike and no name at all: 40 names do not tell 0.2 points from none."""
    frames = SENTENCES["frame"].rank("dense").to_numpy().astype(int) - 1
    level = np.random.default_rng(7).uniform(0.2, 0.8, frames.max() + 1)[frames]
    female = (SENTENCES["gender"] == "female").to_numpy()
    found = tilt_ranges(claim_of(SENTENCES, np.stack([level + 0.002 * female, level])))
    assert (found.best.tolist(), found.worst.tolist()) == ([1, 1], [2, 2])


def test_equal_systems_are_tied_and_no_rounding_tells_them_apart():
    one = tilted([0.05], np.random.default_rng(6))
    values = np.concatenate([one, one + 1e-12, 1.0 - one])  # the last has the opposite tilt
    found = tilt_ranges(claim_of(SENTENCES, values))
    assert found.best.tolist() == [1, 1, 1]
    assert found.worst.tolist() == [3, 3, 3]
    assert found.rank.tolist() == [1, 1, 1]
