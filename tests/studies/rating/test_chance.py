"""False alarms at the promised rate, a planted tilt found, and what chance alone would give.

Bounds are four standard errors of the simulated share, √(q (1 − q)/trials), or of the mean.
"""

import numpy as np
import polars as pl
import pytest
from small_groups import assigned, crossed, effect, study, universe

from tiltmeter.stats.causal import class_sums, t_tests, tails
from tiltmeter.studies.rating.grades import rating_config
from tiltmeter.studies.rating.groups import columns_of
from tiltmeter.studies.rating.psi import (
    draws_of,
    permute_classes,
    permute_people,
    raw_scores,
    scored_sums,
)

CONFIDENCE = (0.95, 0.70, 0.60)
SENTENCES = universe(people=6, templates=2)
SYSTEMS = 500


def raw(group, **how):
    """The raw scores of a group's one column; a study would put all systems in order, too."""
    config = rating_config(**how)
    (column,) = columns_of(group, config.raw)
    weights = {one.name: draws_of(group, one, config.repeats, 0)[:] for one in group.datasets}
    return raw_scores(column, scored_sums(column, group.scores, weights, config), config)


def near(share, truth, trials):
    return abs(share - truth) < 4 * np.sqrt(truth * (1 - truth) / trials)


@pytest.mark.parametrize(
    ("welch", "rates"),
    # Corrected levels reject 5, 30 and 40 % of the time; the published ones half as often.
    [(True, (0.05, 0.30, 0.40)), (False, (0.025, 0.15, 0.20))],
    ids=["corrected", "published"],
)
def test_noise_alone_is_rejected_as_often_as_each_level_says(welch, rates):
    trials = 20_000
    scores = np.random.default_rng(1).normal(0, 0.4, (trials, 32))
    sums = class_sums(scores, np.ones((1, 32)), np.repeat([0, 1], 16), 2).over(2, 1)
    p = t_tests(sums, np.array([0]), np.array([1]), welch=welch).p.ravel()
    tail = tails(CONFIDENCE, halved_twice=not welch)
    for level, rate in zip(tail, rates, strict=True):
        assert near(np.mean(p < level), rate, trials), (level, np.mean(p < level))


@pytest.mark.parametrize(
    ("mode", "by_chance"),
    # Three datasets of three pairs: 9 · (1 · 0.05 + 0.8 · 0.3 + 0.6 · 0.4) = 4.77, and
    # 9 · (1 · 0.025 + 0.7 · 0.15 + 0.6 · 0.2) = 2.25. The datasets share sentences, which makes ψ
    # vary more and leaves its mean.
    [("corrected", 4.77), ("published", 2.25)],
)
def test_the_mean_raw_score_of_noise_is_what_chance_gives(mode, by_chance):
    scores = np.random.default_rng(2).normal(0, 0.4, (SYSTEMS, SENTENCES.height))
    psi = raw(crossed(scores, SENTENCES), mode=mode).psi
    assert psi.mean() == pytest.approx(by_chance, abs=4 * psi.std() / np.sqrt(SYSTEMS))


def noise(rng, systems=SYSTEMS):
    return rng.normal(0, 0.3, (systems, SENTENCES.height))


def tastes(rng, systems=SYSTEMS):
    """What a system makes of each name, whoever it is, beside noise."""
    people = SENTENCES["person"].rank("dense").to_numpy().astype(int) - 1
    return rng.normal(0, 0.3, (systems, people.max() + 1))[:, people] + noise(rng, systems) / 3


@pytest.mark.parametrize("made", [noise, tastes])
@pytest.mark.parametrize("confounded", [False, True])
def test_p_values_of_systems_that_do_not_care_for_classes_are_spread_evenly(made, confounded):
    # Datasets that share sentences must share their chances, and sentences about one person
    # must move together, or far more than 5 % of systems would have p ≤ 0.05.
    scores = made(np.random.default_rng(3))
    shares = {"female": 0.2, "male": 0.8, None: 0.5}
    group = assigned(scores, SENTENCES, shares) if confounded else crossed(scores, SENTENCES)
    p = raw(group, repeats=99).p
    for level in (0.05, 0.2, 0.5):
        assert near(np.mean(p <= level), level, SYSTEMS), (level, np.mean(p <= level))


@pytest.mark.parametrize("dealt", [permute_classes, permute_people])
def test_a_sentence_is_dealt_the_same_class_in_every_dataset_that_holds_it(dealt):
    # Scores of happy sentences are 0, so the sums of E3, grim and happy, are those of E1, grim
    # alone. Dealt apart for each dataset, ψ would vary too little by chance, and p be too small.
    scores = noise(np.random.default_rng(7), 3)
    scores *= (SENTENCES["emotion_word"] == "grim").to_numpy()
    group = crossed(scores, SENTENCES)
    (column,) = columns_of(group, "die")
    sums = dealt(column, 30, 0)
    grim, _, both = (sums(dataset, scores) for dataset in group.datasets)
    np.testing.assert_allclose(grim.total, both.total, atol=1e-12)
    assert (grim.n == 12).all()
    assert np.unique(grim.total.round(9), axis=1).shape[1] == 30


def test_tastes_for_names_are_rejected_far_more_often_than_chance_would_have_it():
    # Tests treat each sentence as a witness of its own; that is why p is told beside ψ.
    psi = raw(crossed(tastes(np.random.default_rng(4)), SENTENCES)).psi
    assert psi.mean() > 1.5 * 4.77


def test_a_planted_tilt_is_found_in_size_in_rating_and_in_p():
    # Women are scored 0.2 higher than the others; noise 0.1. A mean of 12 sentences has a
    # standard error of 0.1/√12, a difference of two 0.041: four of them are 0.16.
    rng = np.random.default_rng(5)
    plain = rng.normal(0, 0.1, (4, SENTENCES.height))
    plain[0] += effect(SENTENCES, gender={"female": 0.2})
    found = study(crossed(plain, SENTENCES), repeats=199)
    tests = found.tests.filter(system="s0", words="E3")
    gap = {
        (row["first"], row["second"]): row["mean_first"] - row["mean_second"]
        for row in tests.iter_rows(named=True)
    }
    assert gap["female", "male"] == pytest.approx(0.2, abs=0.12)
    assert gap["female", "NA"] == pytest.approx(0.2, abs=0.12)
    assert gap["male", "NA"] == pytest.approx(0, abs=0.12)
    row = found.raw.row(0, named=True)
    assert row["rating"] == row["low"] == row["high"] == 3
    assert row["p"] == 1 / 200  # no chance of 199 sets women as far apart
    assert row["psi"] > 10 > row["by_chance"]


def test_a_system_that_never_varies_has_nothing_by_chance():
    row = study(crossed(np.full(SENTENCES.height, 0.3), SENTENCES), repeats=20).raw
    assert row.select("psi", "by_chance", "p").row(0) == (0.0, 0.0, 1.0)


def test_without_repeats_chance_is_not_told():
    row = study(crossed(np.zeros(SENTENCES.height), SENTENCES)).raw
    assert row.select("by_chance", "p", "low", "high", "steady").row(0) == (None,) * 5


def test_chance_is_the_same_for_the_same_seed():
    scores = noise(np.random.default_rng(6), 5)
    one, again, other = (
        study(crossed(scores, SENTENCES), repeats=40, seed=seed).raw for seed in (1, 1, 2)
    )
    assert one.equals(again)
    assert not one.select(pl.col("p")).equals(other.select("p"))
