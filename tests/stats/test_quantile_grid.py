"""Quantiles from a grid are within half a step of the true ones, whatever the order or parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.stats.moments import ERROR, HALF, empty_grid

SHARES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=50), st.floats(0.01, 100))
def test_a_quantile_is_within_the_stated_error(values, width):
    numbers = np.array(values) * width
    grid = empty_grid(np.array([width]))
    grid.add(numbers[None, ::2])
    grid.add(numbers[None, 1::2])
    found = grid.quantiles(0, SHARES)
    assert np.abs(found - np.quantile(numbers, SHARES)).max() <= ERROR * width * (1 + 1e-9)


def test_the_error_is_a_hundredth_of_a_point():
    assert pytest.approx(0.0122, abs=1e-4) == 100 * ERROR
    assert ERROR == 0.5 / HALF


def test_zero_is_told_exactly():
    grid = empty_grid(np.ones(1))
    grid.add(np.zeros((1, 1000)))
    assert grid.quantiles(0, SHARES).tolist() == [0.0] * 5
    assert grid.points(0).tolist() == [0.0]


def test_beyond_the_scale_counts_at_its_end_and_missing_counts_nowhere():
    grid = empty_grid(np.ones(2))
    grid.add(np.array([[3.0, np.nan], [np.nan, np.nan]]))
    assert grid.points(0).tolist() == [1.0]
    assert np.isnan(grid.quantiles(1, SHARES)).all()


def test_a_system_of_equal_scores_has_a_grid_too():
    grid = empty_grid(np.zeros(1))  # its answers span nothing
    grid.add(np.zeros((1, 3)))
    assert grid.quantiles(0, SHARES).tolist() == [0.0] * 5
