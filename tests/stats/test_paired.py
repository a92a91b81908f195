"""The paired t-test and what describes differences: by hand, degenerate, and against SciPy."""

import math

import numpy as np
import pytest
from scipy import stats

from tiltmeter.stats.paired_tests import DUST, describe, paired_t, standardised, without_dust

WIDTH = np.ones(1)


def compared(*deltas, width=1.0):
    found = paired_t(np.array([deltas], float), np.array([width]))
    return {name: getattr(found, name)[0] for name in found.__slots__}


def test_four_differences_by_hand():
    # Δ = 1, 2, 3, 6: mean 12/4 = 3; deviations −2, −1, 0, 3; squares 4 + 1 + 0 + 9 = 14
    # sd = √(14/3); se = √(14/3)/2 = √(14/12); t = 3 / √(7/6), df = 3; t² = 9·6/7 = 54/7
    found = compared(1, 2, 3, 6, width=10.0)
    assert found["n"] == 4
    assert found["mean"] == pytest.approx(3.0, abs=1e-14)
    assert found["sd"] == pytest.approx(math.sqrt(14 / 3), rel=1e-14)
    assert found["se"] == pytest.approx(math.sqrt(7 / 6), rel=1e-14)
    assert found["t"] ** 2 == pytest.approx(54 / 7, rel=1e-14)
    assert found["df"] == 3
    # With 3 degrees of freedom P(T ≤ t) = 1/2 + (u/(1 + u²) + arctan u)/π, u = t/√3
    u = math.sqrt(54 / 7 / 3)
    upper = 0.5 - (u / (1 + u * u) + math.atan(u)) / math.pi
    assert found["p"] == pytest.approx(2 * upper, rel=1e-12)
    # t.ppf(0.975, 3) = 3.182446305284263, as in any table
    assert found["high"] - 3 == pytest.approx(3.182446305284263 * math.sqrt(7 / 6), rel=1e-12)
    assert 3 - found["low"] == pytest.approx(found["high"] - 3, rel=1e-12)


def test_two_differences_by_hand():
    # Δ = 0, 2: mean 1, sd √2, se 1, t = 1, df = 1 (Cauchy): p = 2 (1/2 − arctan(1)/π) = 1/2
    found = compared(0, 2, width=10.0)
    assert (found["se"], found["t"], found["df"]) == pytest.approx((1, 1, 1))
    assert found["p"] == pytest.approx(0.5, rel=1e-12)


def test_a_missing_pair_is_left_out_of_everything():
    with_gap, without = compared(1, math.nan, 2, 3, 6), compared(1, 2, 3, 6)
    assert with_gap == without


def test_no_difference_at_all_is_certain_not_to_be_one():
    found = compared(0, 0, 0)
    assert (found["mean"], found["sd"], found["p"]) == (0, 0, 1)
    assert (found["low"], found["high"]) == (0, 0)
    assert math.isnan(found["t"])


def test_one_and_the_same_difference_is_certain():
    found = compared(0.3, 0.3, 0.3)
    assert (found["sd"], found["se"], found["p"]) == (0, 0, 0)
    assert found["mean"] == found["low"] == found["high"] == pytest.approx(0.3)


def test_the_same_difference_but_for_rounding_is_certain():
    assert 0.1 + 0.2 != 0.3  # there is rounding to survive
    found = compared(0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2)
    assert (found["sd"], found["p"]) == (0, 0)


@pytest.mark.parametrize("width", [1.0, 4.0, 1e-3, 1e6])
def test_dust_is_counted_from_a_millionth_of_the_scale(width):
    below, above = 0.99 * DUST * width, 1.01 * DUST * width
    deltas = np.array([[below, -below, above, -above, 0.0]])
    clean = without_dust(deltas, np.array([width]))
    assert clean.tolist() == [[0.0, 0.0, above, -above, 0.0]]


@pytest.mark.parametrize("width", [1.0, 4.0, 1e-3, 1e6])
@pytest.mark.parametrize(("times", "p"), [(0.99, 1.0), (1.01, 0.0)])
def test_equal_differences_around_a_millionth_of_the_scale(width, times, p):
    deltas = without_dust(np.full((1, 5), times * DUST * width), np.array([width]))
    assert paired_t(deltas, np.array([width])).p.tolist() == [p]


@pytest.mark.parametrize("width", [1.0, 4.0, 1e-3, 1e6])
def test_a_standard_deviation_around_a_millionth_of_the_scale(width):
    # Δ = c ± e, as many of each: sd = e √(n/(n−1)), with n = 8: e √(8/7)
    e, c = DUST * width / math.sqrt(8 / 7), 0.1 * width
    signs = np.array([1, -1] * 4)
    flat, spread = (c + times * e * signs for times in (0.99, 1.01))
    assert paired_t(flat[None], np.array([width])).sd.tolist() == [0]
    assert paired_t(flat[None], np.array([width])).p.tolist() == [0]
    found = paired_t(spread[None], np.array([width]))
    assert found.sd[0] == pytest.approx(1.01 * DUST * width, rel=1e-5)
    assert 0 < found.p[0] < 1e-30


def test_one_speck_among_zeros_is_no_certain_difference():
    # sd = 2e-6/√1584 ≈ 5e-8 counts as 0; the mean, 1.3e-9, must then too
    deltas = np.zeros((1, 1584))
    deltas[0, 7] = 2e-6
    found = paired_t(deltas, WIDTH)
    assert (found.mean[0], found.sd[0], found.p[0]) == (0, 0, 1)


def test_a_small_mean_with_a_real_spread_is_tested_as_it_is():
    # Δ = 2e-6, −1e-6, −1e-6 (three times over) + 1e-7: no degenerate case
    deltas = np.array([2e-6, -1e-6, -1e-6] * 3) + 1e-7
    found = paired_t(deltas[None], WIDTH)
    assert found.mean[0] == pytest.approx(1e-7, rel=1e-6)
    assert found.p[0] == pytest.approx(stats.ttest_1samp(deltas, 0).pvalue, rel=1e-9)


def test_one_pair_has_a_size_and_no_test():
    found = compared(0.2)
    assert (found["n"], found["mean"]) == (1, 0.2)
    assert all(math.isnan(found[name]) for name in ("sd", "se", "t", "df", "p", "low", "high"))


@pytest.mark.parametrize("deltas", [np.zeros((2, 0)), np.full((2, 3), np.nan)])
def test_no_pair_has_nothing(deltas):
    found, shape = paired_t(deltas, np.ones(2)), describe(deltas)
    assert found.n.tolist() == [0, 0]
    for numbers in (found.mean, found.p, found.low, shape.up, shape.spread, shape.largest):
        assert np.isnan(numbers).all()
    assert np.isnan(shape.size).all()


def test_no_negative_zero_comes_out():
    for deltas in ([0.0, 0.0], [-0.0, -0.0], [-1e-9, -1e-9]):
        clean = without_dust(np.array([deltas]), WIDTH)
        found, shape = paired_t(clean, WIDTH), describe(clean)
        numbers = (found.mean, found.low, found.high, shape.spread, shape.largest, shape.size)
        assert not any(np.signbit(number).any() for number in numbers)


def test_description_by_hand():
    # up: (0.1 + 0.3)/2; down: −0.2; spread 0.3 + 0.2; largest 0.3; size (0.1+0.3+0.2+0)/4
    found = describe(np.array([[0.1, 0.3, -0.2, 0.0, np.nan]]))
    assert found.up[0] == pytest.approx(0.2)
    assert found.down[0] == pytest.approx(-0.2)
    assert (found.n_up[0], found.n_down[0]) == (2, 1)
    assert found.spread[0] == pytest.approx(0.5)
    assert found.largest[0] == pytest.approx(0.3)
    assert found.size[0] == pytest.approx(0.15)


def test_the_largest_difference_may_be_the_lowest():
    assert describe(np.array([[0.1, -0.4]])).largest[0] == pytest.approx(0.4)


def test_a_side_without_differences_is_absent_not_zero():
    found = describe(np.array([[0.1, 0.3, 0.0]]))
    assert math.isnan(found.down[0])
    assert found.n_down[0] == 0


def test_the_standardised_effect_by_hand():
    # Δ = 1, 2, 3, 6: d = 3 / √(14/3); d² = 27/14; se² = 1/4 + (27/14)/8 = 0.25 + 27/112 = 55/112
    d, se, low, high = (numbers[0] for numbers in standardised(
        paired_t(np.array([[1.0, 2.0, 3.0, 6.0]]), np.array([10.0]))
    ))  # fmt: skip
    assert d**2 == pytest.approx(27 / 14, rel=1e-14)
    assert se**2 == pytest.approx(55 / 112, rel=1e-14)
    assert high - d == pytest.approx(3.182446305284263 * math.sqrt(55 / 112), rel=1e-12)
    assert d - low == pytest.approx(high - d, rel=1e-12)


def test_equal_differences_have_no_standardised_effect():
    assert np.isnan(standardised(paired_t(np.full((1, 3), 0.1), WIDTH))).all()


@pytest.mark.parametrize("pairs", [2, 3, 4, 44, 144, 1584])
@pytest.mark.parametrize("shift", [0.0, 0.01, 1e3])
def test_scipy_agrees(pairs, shift):
    rng = np.random.default_rng(pairs)
    deltas = shift + rng.normal(0, 0.05, (5, pairs))
    deltas[:2, 2:] = np.where(rng.random((2, max(pairs - 2, 0))) < 0.2, np.nan, deltas[:2, 2:])
    found = paired_t(deltas, np.ones(5))
    for row, values in enumerate(deltas):
        theirs = stats.ttest_1samp(values, 0.0, nan_policy="omit")
        assert found.t[row] == pytest.approx(theirs.statistic, rel=1e-9)
        assert found.p[row] == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-300)
        assert found.df[row] == theirs.df
        interval = theirs.confidence_interval(0.95)
        assert found.low[row] == pytest.approx(interval.low, rel=1e-9, abs=1e-12)
        assert found.high[row] == pytest.approx(interval.high, rel=1e-9, abs=1e-12)


def test_a_system_comes_out_the_same_alone_and_among_others():
    deltas = np.random.default_rng(0).normal(size=(50, 333))
    together, alone = paired_t(deltas, np.ones(50)), paired_t(deltas[17:18], np.ones(1))
    for name in together.__slots__:
        ours = getattr(together, name)[17]
        assert ours == pytest.approx(getattr(alone, name)[0], rel=1e-12, abs=1e-12), name
