"""Moments of groups are those of all their numbers, however these were parted."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.stats.moments import moments, nothing, pooled, together

NUMBERS = st.lists(st.floats(-1e3, 1e3) | st.just(float("nan")), min_size=1, max_size=30)


def one_group(values):
    return moments(np.array([values]), np.zeros(len(values), np.int64), 1)


@given(NUMBERS, st.integers(0, 30))
def test_two_parts_together_are_the_whole(values, cut):
    whole = one_group(values)
    parts = together(one_group(values[:cut] or [np.nan]), one_group(values[cut:] or [np.nan]))
    for name in whole.__slots__:
        np.testing.assert_allclose(
            getattr(parts, name), getattr(whole, name), rtol=1e-9, atol=1e-7, err_msg=name
        )


@given(NUMBERS)
def test_the_moments_are_what_numpy_says(values):
    known = np.array(values)[~np.isnan(values)]
    found = one_group(values)
    assert found.n[0, 0] == known.size
    if known.size:
        np.testing.assert_allclose(found.mean[0, 0], known.mean(), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.m2[0, 0], known.var() * known.size, rtol=1e-7, atol=1e-6)
        assert (found.top[0, 0], found.bottom[0, 0]) == (known.max(), known.min())
    assert found.up[0, 0] == known[known > 0].sum() or np.isclose(
        found.up[0, 0], known[known > 0].sum()
    )


def test_a_large_mean_costs_no_digits():
    # Two parts around 1e9 that differ by 1 within: Σ (x − mean)² = 4 · 0.25 = 1.
    values = 1e9 + np.array([0.0, 1.0, 0.0, 1.0])
    both = together(one_group(values[:2]), one_group(values[2:]))
    assert both.m2[0, 0] == 1.0


def test_groups_pooled_are_one_group():
    values = np.array([[1.0, 2.0, 4.0, 8.0, np.nan]])
    parts = moments(values, np.array([0, 1, 0, 2, 2]), 4)
    all_in_one = one_group(values[0])
    for name in all_in_one.__slots__:
        np.testing.assert_allclose(
            getattr(pooled(parts), name), getattr(all_in_one, name), rtol=1e-12
        )


def test_no_number_has_no_mean_and_no_end():
    found = pooled(nothing(2, 3))
    assert found.n.tolist() == [[0.0], [0.0]]
    assert found.top[0, 0] == -np.inf
