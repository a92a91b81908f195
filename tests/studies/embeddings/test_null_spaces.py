"""INLP: what was planted cannot be read any more, and what was not touched can."""

import numpy as np
import pytest
from planted_words import FIRST, GENDER, NEUTRAL, SECOND, planted

from tiltmeter.studies.embeddings.mitigation_methods import (
    MitigationTask,
    balanced_accuracy,
    folds_of,
    mitigate,
    null_spaced,
    probe,
    wilson,
)
from tiltmeter.studies.embeddings.space import unit

SPACE = planted()
SIDES = SPACE.rows(FIRST), SPACE.rows(SECOND)


def rng():
    return np.random.default_rng(5)


def test_a_planted_side_is_readable_before_and_guessed_after():
    found = null_spaced(*SIDES, rng())
    assert found.accuracies[0] > 0.95
    assert not found.readable
    assert found.rounds == len(found.accuracies) - 1 <= 3
    rows, side = unit(SPACE.rows(NEUTRAL)), np.arange(200) < 100
    assert probe(rows, side, rng()).value > 0.9
    assert probe(rows @ found.map, side, rng()).value < 0.65


def test_an_orthogonal_property_stays_readable():
    found = null_spaced(*SIDES, rng())
    even = np.arange(200) % 2 == 0
    rows = SPACE.rows(NEUTRAL)
    assert probe(unit(rows), even, rng()).value > 0.95
    assert probe(unit(rows @ found.map), even, rng()).value > 0.95


def test_the_map_is_a_projection_that_removes_as_many_dimensions_as_rounds():
    found = null_spaced(*SIDES, rng())
    np.testing.assert_allclose(found.map @ found.map, found.map, atol=1e-12)
    assert np.trace(found.map) == pytest.approx(SPACE.dimension - found.rounds)


def test_sides_of_the_same_vectors_lose_nothing():
    noise = np.random.default_rng(11).standard_normal((30, 12))
    found = null_spaced(noise, noise, rng())
    assert found.rounds == 0
    np.testing.assert_array_equal(found.map, np.eye(12))


def test_sides_that_differ_by_chance_mostly_lose_nothing():
    # One standard error above guessing is passed in about 23 of 100 cases
    noise = np.random.default_rng(1).standard_normal((60, 60, 12))
    rounds = [null_spaced(one[:30], one[30:], rng()).rounds for one in noise]
    assert np.mean([many == 0 for many in rounds]) > 0.65


def test_a_probe_of_noise_has_guessing_within_its_interval():
    noise = np.random.default_rng(2).standard_normal((60, 80, 10))
    found = [probe(unit(one), np.arange(80) < 40, rng()) for one in noise]
    assert np.mean([one.low <= 0.5 <= one.high for one in found]) >= 0.93


def test_rounds_may_be_too_few_and_that_is_told():
    many = np.random.default_rng(2).standard_normal((60, 12)) * 0.2
    many[:, :6] += np.repeat([1.0, -1.0], 30)[:, None] * np.array([1, 0.5, 0.4, 0.3, 0.2, 0.1])
    many[:30, 0] += np.arange(30) % 3
    assert null_spaced(many[:30], many[30:], rng(), rounds=1).readable


def test_the_same_seed_gives_the_same_map():
    np.testing.assert_array_equal(null_spaced(*SIDES, rng()).map, null_spaced(*SIDES, rng()).map)


def test_fewer_words_than_dimensions_work_too():
    wide = planted(dimension=120)
    found = null_spaced(wide.rows(FIRST), wide.rows(SECOND), rng())
    assert found.map.shape == (120, 120)
    assert found.rounds >= 1


def test_words_of_both_sides_are_of_neither():
    from dataclasses import replace

    from tiltmeter.studies.embeddings.space import direction_of

    both = replace(GENDER, pairs=(), first=(*FIRST[:4], "word1"), second=(*SECOND, "word1"))
    found = mitigate(MitigationTask(SPACE, direction_of(SPACE, both), (), 0), "inlp")
    assert found.space is None
    assert found.reason.startswith("4 and 30 words of the two sides are in the embedding")


def test_folds_are_even_on_both_sides():
    side = np.arange(33) < 12
    fold = folds_of(side, rng())
    # 12 words in 5 folds: 3, 3, 2, 2, 2; 21 words: 5, 4, 4, 4, 4
    assert sorted(np.bincount(fold[side])) == [2, 2, 2, 3, 3]
    assert sorted(np.bincount(fold[~side])) == [4, 4, 4, 4, 5]


def test_a_guess_of_one_side_only_is_half_right():
    side = np.arange(10) < 9
    assert balanced_accuracy(np.ones(10, bool), side) == 0.5


def test_wilsons_interval_stays_within_0_and_1():
    assert wilson(1.0, 20)[1] == 1.0
    assert wilson(0.0, 20)[0] == 0.0
    # all of 10: low = n / (n + z²) = 10 / 13.8415
    assert wilson(1.0, 10)[0] == pytest.approx(10 / 13.8415, abs=1e-4)
