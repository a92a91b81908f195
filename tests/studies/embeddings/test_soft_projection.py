"""Soft projection: half of the leaning goes at the least cost to all inner products."""

import numpy as np
import pytest
from planted_words import GENDER, planted

from tiltmeter.studies.embeddings.mitigation_methods import hard_map, soft_map
from tiltmeter.studies.embeddings.space import direction_of, unit

SPACE = planted()
B = direction_of(SPACE, GENDER).vector
WORDS, NEUTRAL = unit(SPACE.vectors), unit(SPACE.rows(GENDER.neutral))


def objective(linear_map, strength):
    """‖(T W)ᵀ(T W) − WᵀW‖² + λ ‖(T N)ᵀ(T b)‖², with words as rows."""
    moved, straight = WORDS @ linear_map, NEUTRAL @ linear_map @ (B @ linear_map)
    return ((moved @ moved.T - WORDS @ WORDS.T) ** 2).sum() + strength * (straight**2).sum()


@pytest.mark.parametrize("left", [0.1, 0.5, 0.9])
def test_it_leaves_as_much_of_the_leaning_as_is_asked_for(left):
    found = soft_map(WORDS, NEUTRAL, B, left)
    after = NEUTRAL @ found.map @ (B @ found.map)
    assert found.left == pytest.approx(left, abs=0.005)
    assert np.linalg.norm(after) / np.linalg.norm(NEUTRAL @ B) == pytest.approx(found.left)


def test_no_small_change_of_the_map_does_better():
    found = soft_map(WORDS, NEUTRAL, B)
    best = objective(found.map, found.strength)
    rng = np.random.default_rng(0)
    for _ in range(50):
        change = 1e-3 * rng.standard_normal(found.map.shape)
        assert objective(found.map + change, found.strength) >= best


def test_it_costs_less_than_no_change_and_than_hard_projection():
    found = soft_map(WORDS, NEUTRAL, B)
    best = objective(found.map, found.strength)
    assert best < objective(np.eye(len(B)), found.strength)
    assert best < objective(hard_map(B), found.strength)


def test_words_that_lean_nowhere_need_no_map():
    level = NEUTRAL @ hard_map(B)
    np.testing.assert_array_equal(soft_map(WORDS, level, B).map, np.eye(len(B)))


def test_fewer_words_than_dimensions_give_a_finite_map():
    some = np.vstack([WORDS[:4], NEUTRAL[:4]])
    found = soft_map(some, NEUTRAL[:4], unit(WORDS[0] - WORDS[1]))
    assert np.isfinite(found.map).all()
    assert found.left == pytest.approx(0.5, abs=0.05)
