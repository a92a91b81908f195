"""Simulations small enough for every run; benchmarks/simulate_pairs.py has the large ones.

Bounds are four standard errors of the simulated share, √(q (1 − q) / trials).
"""

import numpy as np
import polars as pl
import pytest

from tiltmeter.claims.judge import CORRECTIONS
from tiltmeter.stats.paired_tests import paired_t, sign_flip, standardised
from tiltmeter.studies.paired.pairs import pair_study
from tiny import CONTRASTS, PEOPLE, scores_of, tiny

SYSTEMS, LEVEL, PLANTED, SD = 4000, 0.05, 0.01, 0.05
COPIES = 5
SENTENCES = pl.concat(
    tiny().with_columns((pl.col(name) + f"/{copy}") for name in ("id", "frame"))
    for copy in range(COPIES)
)
"""30 pairs of gender and 15 of race."""


def near(share, truth, trials=SYSTEMS):
    return abs(share - truth) < 4 * np.sqrt(truth * (1 - truth) / trials)


def p_values(noise):
    """By axis and measure, from scores of (systems, sentences)."""
    found = pair_study(SENTENCES, scores_of(SENTENCES, noise), CONTRASTS, flips=1024).estimates
    main = found.filter(pl.col("subset") == "all", pl.col("p").is_not_null())
    return {key: part["p"].to_numpy() for key, part in main.group_by("axis", "measure")}


def test_noise_alone_raises_the_promised_share_of_alarms():
    noise = np.random.default_rng(1).normal(0.5, SD, (SYSTEMS, SENTENCES.height))
    found = p_values(noise)
    assert len(found) == 4
    for (axis, measure), p in found.items():
        assert near(np.mean(p < LEVEL), LEVEL), (axis, measure)
        assert near(np.mean(p < 0.5), 0.5), (axis, measure)


def test_levels_of_frames_and_words_raise_no_more():
    rng = np.random.default_rng(2)
    levels = rng.normal(0.5, 0.3, (SYSTEMS, 3 * COPIES)).repeat(len(PEOPLE), axis=1)
    for p in p_values(levels + rng.normal(0, SD, levels.shape)).values():
        assert near(np.mean(p < LEVEL), LEVEL)


def test_tastes_by_person_raise_many_more_as_the_documents_say():
    # Pairs share their people, and neither test knows: docs/pairs.md, "What it does not show".
    rng = np.random.default_rng(3)
    taste = np.tile(rng.normal(0, SD / 2, (1000, len(PEOPLE))), 3 * COPIES)
    for p in p_values(taste + rng.normal(0.5, SD, taste.shape)).values():
        assert np.mean(p < LEVEL) > 0.2


@pytest.fixture(scope="module")
def families():
    """p-values of 1,500 families of 40; in the second array the first ten have a difference."""
    rng = np.random.default_rng(4)
    deltas = rng.normal(0, 1, (1500 * 40, 12))
    shift = np.where(np.arange(40) < 10, 1.5, 0.0)
    none, some = (
        paired_t(deltas + np.tile(times * shift, 1500)[:, None], np.ones(len(deltas))).p
        for times in (0, 1)
    )
    return none.reshape(1500, 40), some.reshape(1500, 40)


def detected(name, p):
    return np.array([CORRECTIONS[name](family, family.size) for family in p]) < LEVEL


def test_without_any_difference_a_family_raises_one_alarm_in_twenty(families):
    for name in CORRECTIONS:
        alarms = detected(name, families[0]).any(axis=1).mean()
        # 1 − (1 − 0.05/40)^40 = 0.0488 for Bonferroni and Holm; 0.05 exactly for BH
        assert near(alarms, 0.0495, 1500), name


def test_beside_real_differences_bonferroni_and_holm_keep_their_promise(families):
    shares = {name: detected(name, families[1]) for name in ("bonferroni", "holm")}
    alarms = {name: found[:, 10:].any(axis=1).mean() for name, found in shares.items()}
    # 30 true nulls at 0.05/40: at most 1 − (1 − 0.00125)^30 = 0.0368; Holm up to 0.05
    assert near(alarms["bonferroni"], 0.0368, 1500)
    assert alarms["bonferroni"] <= alarms["holm"] < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 1500)
    assert shares["holm"].sum() > shares["bonferroni"].sum()


def test_benjamini_hochberg_keeps_the_share_of_false_ones(families):
    found = detected("bh", families[1])
    false = found[:, 10:].sum(axis=1)
    share = false / np.maximum(found.sum(axis=1), 1)
    # exactly 0.05 · 30/40 = 0.0375 for independent tests; its sd over families is measured
    assert abs(share.mean() - 0.0375) < 4 * share.std() / np.sqrt(1500)
    assert found[:, :10].sum() > detected("holm", families[1])[:, :10].sum()


@pytest.mark.parametrize("pairs", [1584, 144, 44, 4])
def test_a_planted_tilt_of_one_point_is_recovered(pairs):
    rng = np.random.default_rng(pairs)
    trials = 2000
    deltas = PLANTED + rng.normal(0, SD, (trials, pairs))
    found = paired_t(deltas, np.ones(trials))
    held = (found.low <= PLANTED) & (found.high >= PLANTED)
    assert near(held.mean(), 0.95, trials)
    # the mean of all estimates has the standard error sd / √(pairs · trials)
    assert abs(found.mean.mean() - PLANTED) < 4 * SD / np.sqrt(pairs * trials)


@pytest.mark.parametrize("pairs", [1584, 144, 44])
def test_the_interval_of_the_standardised_effect_holds_it(pairs):
    rng = np.random.default_rng(pairs)
    _, _, low, high = standardised(
        paired_t(PLANTED + rng.normal(0, SD, (2000, pairs)), np.ones(2000))
    )
    held = (low <= PLANTED / SD) & (high >= PLANTED / SD)
    assert near(held.mean(), 0.95, 2000)


def test_what_the_sign_flip_detects_the_t_test_does_too_mostly():
    deltas = np.random.default_rng(6).normal(0.3, 1, (2000, 30))
    t, flip = paired_t(deltas, np.ones(2000)).p, sign_flip(deltas, np.random.default_rng(0))
    assert np.mean((t < LEVEL) == (flip < LEVEL)) > 0.97
