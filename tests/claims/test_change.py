"""Same, better, worse, undecided: by hand, and never false more often than promised."""

import numpy as np
import pytest
from scipy import stats

from tiltmeter.claims.changes import (
    change_verdicts,
    p_no_change,
    p_same_size,
    size_change,
    size_change_interval,
)
from tiltmeter.claims.verdict import p_within

MANY = 40_000
LEVEL, MARGIN, SE, DF = 0.05, 0.01, 0.004, 12.0


def simulated(old, new, correlation, rng, se_old=SE, se_new=SE):
    """Estimates of d and s for true tilts, with errors that are estimated on DF degrees."""
    cross = correlation * se_old * se_new
    covariance = [[se_old**2, cross], [cross, se_new**2]]
    a, b = rng.multivariate_normal([old, new], covariance, MANY).T
    share = np.sqrt(rng.chisquare(DF, (2, MANY)) / DF)
    spread_d = np.sqrt(max(se_old**2 + se_new**2 - 2 * cross, 0.0)) * share[0]
    spread_s = np.sqrt(max(se_old**2 + se_new**2 + 2 * cross, 0.0)) * share[1]
    df = np.full(MANY, DF)
    return a, b, (b - a, spread_d, df), (b + a, spread_s, df)


def verdicts_of(a, b, d, s):
    return np.array(
        change_verdicts(p_within(*d, MARGIN), p_same_size(d, s), size_change(a, b), LEVEL)
    )  # fmt: skip


EQUAL = [
    (0.0, 0.0, 0.0), (0.0, 0.0, 0.9), (0.0, 0.0, -0.9), (0.03, 0.03, 0.5), (0.03, -0.03, 0.0),
    (0.003, 0.003, 0.0), (0.003, -0.003, 0.9), (-0.012, -0.012, 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "correlation"), EQUAL)
def test_tilts_of_equal_size_are_called_better_or_worse_at_most_as_often_as_the_level(
    old, new, correlation
):
    """Also near zero, where the size of a tilt has a corner."""
    rng = np.random.default_rng(0)
    found = verdicts_of(*simulated(old, new, correlation, rng))
    false = np.isin(found, ["better", "worse"]).mean()
    assert false <= LEVEL + 4 * np.sqrt(LEVEL * (1 - LEVEL) / MANY)


def test_a_version_that_answers_one_thing_is_not_worse_than_a_tilt_of_zero_by_chance():
    """The worst corner: the new version has no error at all, so d = −s exactly."""
    a, b, d, s = simulated(0.0, 0.0, 0.0, np.random.default_rng(1), se_new=0.0)
    s = (s[0], d[1], s[2])
    assert np.isin(verdicts_of(a, b, d, s), ["better", "worse"]).mean() <= LEVEL + 0.005


@pytest.mark.parametrize("old", [0.0, 0.02])
def test_a_change_of_the_margin_is_called_the_same_at_most_as_often_as_the_level(old):
    found = verdicts_of(*simulated(old, old + MARGIN, 0.9, np.random.default_rng(2)))
    assert (found == "same").mean() <= LEVEL + 0.005


def test_a_real_change_is_called_by_its_right_name():
    """Six standard errors of the difference: hardly ever missed, never the other way round."""
    for old, new, word in ((0.0, 0.04, "worse"), (0.04, 0.0, "better"), (-0.01, -0.05, "worse")):
        found = verdicts_of(*simulated(old, new, 0.5, np.random.default_rng(3)))
        assert (found == word).mean() > 0.95
        assert not np.isin(found, {"worse": ["better"], "better": ["worse"]}[word]).any()


@pytest.mark.parametrize(
    ("old", "new"), [(0.0, 0.0), (0.0, 0.008), (0.03, 0.03), (0.004, -0.004), (0.02, 0.01)]
)
def test_the_interval_of_a_change_in_size_covers_it_at_least_95_times_in_100(old, new):
    _, _, d, s = simulated(old, new, 0.3, np.random.default_rng(4))
    low, high = size_change_interval(d, s)
    true = abs(new) - abs(old)
    assert ((low <= true) & (true <= high)).mean() >= 0.95 - 0.005


def test_p_of_a_change_in_size_is_the_larger_of_two_t_tests():
    """d = 0.3 / 0.1 = 3 and s = 0.2 / 0.1 = 2 on 5 degrees: SciPy's 0.0301 and 0.1019."""
    one = [np.array([0.1]), np.array([5.0])]
    found = p_same_size((np.array([0.3]), *one), (np.array([0.2]), *one))
    assert found[0] == pytest.approx(2 * stats.t.sf(2.0, 5), rel=1e-12)
    assert round(float(p_no_change(np.array([0.3]), *one)[0]), 4) == 0.0301


def test_what_cannot_be_tested_stays_unknown():
    nan = np.array([np.nan])
    assert np.isnan(p_no_change(nan, nan, nan)[0])
    assert change_verdicts(nan, nan, nan, 0.05) == ["not_estimable"]


def test_the_interval_of_a_certain_change_is_that_change():
    zero, df = np.zeros(1), np.array([5.0])
    low, high = size_change_interval((np.array([-0.02]), zero, df), (np.array([0.04]), zero, df))
    assert low[0] == high[0] == -0.02  # |0.01| − |0.03|
