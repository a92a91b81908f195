"""Hard projection: exactly what lies along the direction goes, and nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted_words import GENDER, planted

from tiltmeter.studies.embeddings.mitigation_methods import (
    MitigationTask,
    hard_map,
    mitigate,
    null_space_map,
)
from tiltmeter.studies.embeddings.space import direction_of

SEEDS = st.integers(0, 10_000)


def turn_of(seed, dimension):
    """A rotation by chance."""
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((dimension, dimension)))[0]


def hard(space):
    return mitigate(MitigationTask(space, direction_of(space, GENDER), (), 0), "hard")


def test_the_planted_component_is_removed_and_no_other():
    b = np.array([0.6, 0.8])
    # (2, 1) · b = 2; (2, 1) − 2 (0.6, 0.8) = (0.8, −0.6)
    np.testing.assert_allclose(np.array([2.0, 1.0]) @ hard_map(b), [0.8, -0.6])


def test_every_word_loses_its_leaning():
    found = hard(planted())
    b = direction_of(planted(), GENDER).vector
    np.testing.assert_allclose(found.space.vectors @ b, 0.0, atol=1e-12)
    np.testing.assert_allclose(planted().vectors @ found.map, found.space.vectors)


def test_the_space_that_was_given_stays_as_it_was():
    space = planted()
    before = space.vectors.copy()
    hard(space)
    np.testing.assert_array_equal(space.vectors, before)


@given(SEEDS)
def test_twice_is_once_and_orthogonal_words_stay(seed):
    rng = np.random.default_rng(seed)
    b = rng.standard_normal(7)
    b /= np.linalg.norm(b)
    rows = rng.standard_normal((5, 7))
    once = rows @ hard_map(b)
    np.testing.assert_allclose(once @ hard_map(b), once, atol=1e-12)
    np.testing.assert_allclose(once @ b, 0.0, atol=1e-12)
    assert np.linalg.matrix_rank(hard_map(b)) == 6


@given(SEEDS)
def test_turning_the_space_turns_the_result(seed):
    space = planted()
    turn = turn_of(seed, space.dimension)
    turned = hard(space.moved(space.vectors @ turn)).space.vectors
    np.testing.assert_allclose(turned, hard(space).space.vectors @ turn, atol=1e-9)


def test_a_null_space_is_orthogonal_to_all_rows():
    rows = np.random.default_rng(1).standard_normal((3, 8))
    kept = null_space_map(rows)
    np.testing.assert_allclose(rows @ kept, 0.0, atol=1e-12)
    assert np.trace(kept) == pytest.approx(5)  # 8 − 3 dimensions are left
