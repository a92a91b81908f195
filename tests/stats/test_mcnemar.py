"""Label flips counted: exact McNemar and both intervals, by hand and against statsmodels."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

from tiltmeter.stats.paired_tests import balance_interval, exact_interval, mcnemar_p

COUNTS = [(0, 0), (1, 7), (12, 0), (5, 5), (9, 3), (40, 20), (1, 0), (300, 350)]


def test_p_is_that_of_statsmodels_and_scipy():
    b, c = np.array(COUNTS).T
    found = mcnemar_p(b, c)
    for nth, (up, down) in enumerate(COUNTS):
        theirs = mcnemar([[3, up], [down, 4]], exact=True).pvalue if up + down else 1.0
        assert found[nth] == pytest.approx(theirs, abs=1e-12)
        if up + down:
            assert found[nth] == pytest.approx(stats.binomtest(up, up + down).pvalue, abs=1e-12)


def test_the_share_s_interval_is_that_of_statsmodels():
    hits, n = np.array([0, 1, 12, 10, 1584]), np.array([10, 10, 1584, 10, 1584])
    low, high = exact_interval(hits, n)
    theirs = [proportion_confint(h, m, method="beta") for h, m in zip(hits, n, strict=True)]
    np.testing.assert_allclose(np.stack([low, high], axis=1), theirs, atol=1e-12)


def test_the_balance_s_interval_is_the_published_one():
    # Airway hyper-responsiveness (Bentur et al. 2009) in Fagerland, Lydersen and Laake (2014):
    # 1 and 7 of 21 pairs change; Tango's interval is −0.517 to −0.026.
    low, high = balance_interval(np.array([1]), np.array([7]), np.array([21]))
    assert (round(float(low[0]), 3), round(float(high[0]), 3)) == (-0.517, -0.026)


def test_the_balance_s_ends_are_where_the_score_test_is_at_five_per_cent():
    b, c, n = 40.0, 20.0, 160.0
    for end in balance_interval(*(np.array([int(one)]) for one in (b, c, n))):
        d = float(end[0])
        roots = np.roots([2 * n, (2 * n - b + c) * d - b - c, -c * d * (1 - d)])
        spread = np.sqrt(n * (2 * roots.real.max() + d * (1 - d)))
        assert abs((b - c - n * d) / spread) == pytest.approx(stats.norm.ppf(0.975), abs=1e-9)


def test_without_a_pair_there_is_no_interval_and_without_a_change_p_is_one():
    none = np.array([0])
    assert np.isnan([*exact_interval(none, none), *balance_interval(none, none, none)]).all()
    assert mcnemar_p(none, none)[0] == 1.0


def test_intervals_turn_with_the_sides_and_hold_their_value():
    b, c = np.array(COUNTS).T
    n = np.full(len(b), 700)
    low, high = balance_interval(b, c, n)
    back_low, back_high = balance_interval(c, b, n)
    np.testing.assert_allclose(low, -back_high, atol=1e-12)
    np.testing.assert_allclose(high, -back_low, atol=1e-12)
    assert ((low <= (b - c) / n) & ((b - c) / n <= high)).all()
