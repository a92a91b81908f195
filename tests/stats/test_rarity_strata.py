"""Names equally common: by hand, against statsmodels and SciPy, and planted rarity taken away."""

import warnings

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from tiltmeter.errors import ArgumentError
from tiltmeter.stats.rarity import (
    HARRELL,
    NamesByBearers,
    natural_spline,
    tilt_by_spline,
    tilt_in_strata,
)

sm = pytest.importorskip("statsmodels.api", reason="statsmodels is a dev extra")


def names_of(first, bearers, cell=None, weight=None):
    first, bearers = np.array(first, bool), np.array(bearers, float)
    cell = np.zeros(first.size, np.int64) if cell is None else np.array(cell, np.int64)
    weight = np.ones(first.size) if weight is None else np.array(weight, float)
    return NamesByBearers(first, bearers, cell, weight)


def test_two_strata_by_hand():
    """Bearers 100 and 10,000, so the support is cut in many strata of which two hold names.

    At 100: first 3, 5 (mean 4), second 1, 1, 4 (mean 2): difference 2, overlap 2·3/5 = 1.2.
    At 10,000: first 8, 10 (mean 9), second 2, 4 (mean 3): difference 6, overlap 2·2/4 = 1.
    θ = (1.2·2 + 1·6)/2.2 = 8.4/2.2 = 42/11; shares 6/11 and 5/11.
    Variance of means: 2/2 = 1 and 3/3 = 1; 2/2 = 1 and 1: (6/11)²·2 + (5/11)²·2 = 122/121.
    Mean logs: 6/11·log 100 + 5/11·log 10,000 on both sides.
    """
    names = names_of([1, 1, 0, 0, 0, 1, 1, 0, 0], [100] * 5 + [10_000] * 4)
    tilt = tilt_in_strata(np.array([[3.0, 5, 1, 1, 4, 8, 10, 2, 4]]), names)
    assert tilt.value[0] == pytest.approx(42 / 11)
    assert tilt.se[0] ** 2 == pytest.approx(122 / 121)
    parts = [(36 / 121, 1), (36 / 121, 2), (25 / 121, 1), (25 / 121, 1)]
    df = (122 / 121) ** 2 / sum(part**2 / free for part, free in parts)
    assert tilt.df[0] == pytest.approx(df)
    assert tilt.log_first == tilt.log_second == pytest.approx((16 / 11) * np.log(100))
    assert (tilt.n_first, tilt.n_second, tilt.strata, tilt.overlap) == (4, 5, 2, 1)


def test_weights_are_those_of_the_claim():
    """First 10 (weight 1), 4 (weight 3): 5.5; second 0, 1 alike: 0.5."""
    names = names_of([1, 1, 0, 0], [500] * 4, weight=[1, 3, 2, 2])
    assert tilt_in_strata(np.array([[10.0, 4, 0, 1]]), names).value[0] == pytest.approx(5)


def test_strata_are_narrow():
    """51 thousand bearers against 3.1 million were one stratum; now nothing overlaps there."""
    first = [1, 1, 1, 0, 0, 0]
    far = names_of(first, [11_000, 30_000, 51_000, 60_000, 900_000, 3_100_000])
    tilt = tilt_in_strata(np.zeros((1, 6)), far)
    assert not tilt.is_estimable
    near = names_of(first * 2, [100, 149, 130, 101, 150, 120, 400, 500, 420, 440, 480, 460])
    tilt = tilt_in_strata(np.zeros((1, 12)), near)
    assert (tilt.is_estimable, tilt.strata) == (True, 2)


def test_where_nothing_overlaps_it_is_not_estimable():
    effects = np.array([[1.0, 2, 3, 4]])
    disjoint = names_of([1, 1, 0, 0], [100, 200, 300, 400])
    for tilt in (tilt_in_strata(effects, disjoint), tilt_by_spline(effects, disjoint)):
        assert np.isnan(tilt.value[0])
        assert np.isnan(tilt.reach()[0])
        assert not tilt.is_estimable
        assert tilt.left_out == (0,)
        assert tilt.overlap == 0
    nobody = names_of([1, 1, 1, 1], [100, 200, 300, 400])
    assert not tilt_in_strata(effects, nobody).is_estimable


def test_a_cell_without_overlap_is_named():
    names = names_of([1, 1, 0, 0] * 2, [100] * 4 + [100, 100, 900, 900], [0] * 4 + [1] * 4)
    tilt = tilt_in_strata(np.array([[5.0, 5, 1, 1, 9, 9, 0, 0]]), names)
    assert (tilt.value[0], tilt.left_out, tilt.overlap) == (4, (1,), 0.5)


def rare_names(rng, size=800, tilt=0.0):
    """Two cells; the first group's names are rarer, and rare names score lower."""
    first = rng.random(size) < 0.5
    log_bearers = rng.normal(np.where(first, 6, 7.5), 1.2)
    cell = rng.integers(0, 2, size)
    effects = 2 * np.tanh(log_bearers - 7) + 0.5 * cell + tilt * first + rng.normal(0, 0.5, size)
    return effects[None], names_of(first, np.exp(log_bearers), cell)


@pytest.mark.parametrize("method", [tilt_in_strata, tilt_by_spline])
@pytest.mark.parametrize("planted", [0.0, 1.0])
def test_rarity_is_taken_away_and_a_tilt_is_not(method, planted):
    effects, names = rare_names(np.random.default_rng(0), 4_000, planted)
    first = names.is_first
    raw = effects[0, first].mean() - effects[0, ~first].mean()
    tilt = method(effects, names)
    assert raw < planted - 1  # what rarity does
    assert abs(tilt.value[0] - planted) < min(tilt.reach()[0] * 1.5, 0.15)


def test_the_present_strata_would_leave_rarity_in():
    """Of strata as wide as ×100, as "10,000 and more" was, most of the planted rarity is left."""
    effects, names = rare_names(np.random.default_rng(0), 4_000)
    assert tilt_in_strata(effects, names, widest=1e4).value[0] < -0.4
    assert abs(tilt_in_strata(effects, names).value[0]) < 0.1


def test_both_sides_are_equally_common():
    effects, names = rare_names(np.random.default_rng(1), 4_000)
    tilt = tilt_in_strata(effects, names)
    assert tilt.log_first == pytest.approx(tilt.log_second, abs=0.03)


@pytest.mark.parametrize("method", [tilt_in_strata, tilt_by_spline])
def test_the_level_holds(method):
    """A nominal 5 % over 400 lists of 200 names; three errors of a binomial are 3.3 %."""
    rng, missed = np.random.default_rng(2), 0
    for _ in range(400):
        tilt = method(*rare_names(rng, 200, 0.3))
        missed += abs(tilt.value[0] - 0.3) > tilt.reach()[0]
    assert missed <= 400 * (0.05 + 0.033)


def test_the_regression_is_that_of_statsmodels():
    rng = np.random.default_rng(3)
    effects, names = rare_names(rng, 150)
    weight = rng.exponential(1, 150)
    same_cell = names_of(names.is_first, names.bearers, weight=weight)
    tilt = tilt_by_spline(effects, same_cell)
    first, bearers = names.is_first, names.bearers
    low = max(bearers[first].min(), bearers[~first].min())
    high = min(bearers[first].max(), bearers[~first].max())
    at = (bearers >= low) & (bearers <= high)
    basis = natural_spline(np.log(bearers[at]))
    design = np.column_stack([first[at].astype(float), np.ones(at.sum()), basis])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = sm.WLS(effects[0, at], design, weights=weight[at]).fit(cov_type="HC3")
    assert tilt.value[0] == pytest.approx(fit.params[0], rel=1e-9)
    assert tilt.se[0] == pytest.approx(fit.bse[0], rel=1e-9)


def test_a_regression_that_a_few_names_carry_has_few_degrees_of_freedom():
    """Alike, two groups of 40 less six coefficients leave 74; where two names a group weigh a
    thousand times as much, they are all that it rests on."""
    rng = np.random.default_rng(9)
    first, bearers = np.repeat([1, 0], 40), np.tile(np.geomspace(100, 5_000, 40), 2)
    weight = np.where(np.arange(80) % 40 > 37, 1_000.0, 1.0)
    effects = rng.normal(size=(1, 80))
    alike = tilt_by_spline(effects, names_of(first, bearers))
    heavy = tilt_by_spline(effects, names_of(first, bearers, weight=weight))
    assert alike.df[0] == pytest.approx(74)
    assert heavy.df[0] < 4
    assert (alike.n_first, heavy.n_first) == (40, 40)


@pytest.mark.parametrize("knots", HARRELL)
def test_the_spline_holds_every_natural_spline_on_its_knots(knots):
    """SciPy's natural spline through any values at the knots is fitted to the last digit inside,
    and beyond the outer knots the columns are straight lines."""
    rng = np.random.default_rng(4)
    x = np.sort(rng.normal(7, 1.5, 300))
    basis = np.column_stack([np.ones(300), natural_spline(x, knots)])
    assert basis.shape[1] == knots
    places = np.quantile(x, HARRELL[knots])
    spline = CubicSpline(places, rng.normal(size=knots), bc_type="natural")
    inside = (x >= places[0]) & (x <= places[-1])
    fit, *_ = np.linalg.lstsq(basis[inside], spline(x[inside]), rcond=None)
    assert basis[inside] @ fit == pytest.approx(spline(x[inside]), abs=1e-8)
    for outside in (x < places[0], x > places[-1]):
        line = np.column_stack([np.ones(outside.sum()), x[outside]])
        lines, *_ = np.linalg.lstsq(line, basis[outside], rcond=None)
        assert line @ lines == pytest.approx(basis[outside], abs=1e-8)


def test_names_all_as_common_need_no_spline():
    names = names_of([1, 1, 1, 0, 0, 0], [500] * 6)
    tilt = tilt_by_spline(np.array([[3.0, 4, 5, 1, 1, 1]]), names)
    assert tilt.value[0] == pytest.approx(3)


def test_what_cannot_be_used_is_an_error():
    names = names_of([1, 0], [100, 100])
    with pytest.raises(ArgumentError, match="effects has the shape"):
        tilt_in_strata(np.zeros((1, 3)), names)
    with pytest.raises(ArgumentError, match="leave out names without an effect"):
        tilt_in_strata(np.array([[1.0, np.nan]]), names)
    with pytest.raises(ArgumentError, match="knots is one of 3, 4, 5, 6"):
        tilt_by_spline(np.zeros((1, 2)), names, 9)
    with pytest.raises(ArgumentError, match="widest is a number above 1"):
        tilt_in_strata(np.zeros((1, 2)), names, 1.0)
    with pytest.raises(ArgumentError, match="numbers below 1"):
        names_of([1, 0], [0, 100])
