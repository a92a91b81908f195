"""t-values, critical values, superscripts and ψ: by hand, and against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiltmeter.stats.causal import (
    EPSILON,
    class_sums,
    critical_values,
    rejections,
    t_tests,
    tails,
    weighted_rejections,
)

CONFIDENCE = (0.95, 0.70, 0.60)
PUBLISHED, CORRECTED = tails(CONFIDENCE, halved_twice=True), tails(CONFIDENCE, halved_twice=False)
ONE, OTHER = np.array([0]), np.array([1])


def compared(first, second, *, welch=False):
    """The test of two samples."""
    scores = np.array([[*first, *second]], dtype=float)
    cell = np.repeat([0, 1], [len(first), len(second)])
    sums = class_sums(scores, np.ones((1, cell.size)), cell, 2).over(2, 1)
    return t_tests(sums, ONE, OTHER, welch=welch)


# n is the number of sentences of each class in E1 and E2, in E3, and in E4 and E5.
@pytest.mark.parametrize(("n", "printed"), [(8, 2.64), (16, 3.87), (24, 4.80)])
def test_biased_female_between_european_and_na_is_as_in_table_12(n, printed):
    # Half of the European names are women's: n/2 scores of 1 and n/2 of −1. Mean 0,
    # s² = n/(n − 1). NA: n scores of −1, s² = 0. √(s²/n) = √(1/(n − 1)), so
    # t = 1/(√(1/7) + 0.0001) = 1/0.378064 = 2.64505 for n = 8, 1/(√(1/15) + 0.0001) = 3.87148
    # for 16 and 1/(√(1/23) + 0.0001) = 4.79353 for 24; df = 14, 30 and 46.
    found = compared([1] * (n // 2) + [-1] * (n // 2), [-1] * n)
    assert found.t.item() == pytest.approx(1 / (np.sqrt(1 / (n - 1)) + 0.0001), rel=1e-12)
    assert found.t.item() == pytest.approx(printed, abs=0.01)
    assert found.df.item() == 2 * n - 2
    # All three levels reject it: superscript 1.
    assert rejections(found.p, PUBLISHED).item() == 3


def test_the_published_critical_value_halves_the_tail_twice():
    # df 14. Published: t.ppf(1 − 0.05/4) = 2.510, t.ppf(1 − 0.30/4) = 1.523, and
    # t.ppf(1 − 0.40/4) = t.ppf(0.90) = 1.345, which every table of t prints.
    published = critical_values(PUBLISHED, np.full(3, 14.0))
    np.testing.assert_allclose(published, [2.510, 1.523, 1.345], atol=5e-4)
    # Corrected: the 97.5, 85 and 80 % points of any table.
    corrected = critical_values(CORRECTED, np.full(3, 14.0))
    np.testing.assert_allclose(corrected, [2.145, 1.076, 0.868], atol=5e-4)
    # 2.645 is beyond 2.510; the corrected rule would reject from 2.145 on.
    assert published[0] < 1 / (np.sqrt(1 / 7) + 0.0001)


@pytest.mark.parametrize(
    ("t", "superscript"),
    # Between 2.510, 1.523 and 1.345: rejected at 3, 2, 1 and 0 of the levels. Table 12's own:
    # 2.84¹ and 2.26² (df 46: 2.317, 1.461, 1.300), here at df 14.
    [(2.6, 3), (-2.6, 3), (2.4, 2), (1.6, 2), (1.4, 1), (1.3, 0), (0.0, 0)],
)
def test_superscripts_follow_the_critical_values(t, superscript):
    p = 2 * stats.t.sf(abs(t), 14)
    assert rejections(np.array([p]), PUBLISHED).item() == superscript


# Table 12, S_r: n of each class is 8 in E1 and E2, 16 in E3, 24 in E4 and E5.
@pytest.mark.parametrize(
    ("t", "df", "levels"),
    [(1.60, 30, 2), (1.80, 30, 2), (1.12, 30, 0), (2.37, 46, 3), (2.15, 46, 2), (2.97, 46, 3),
     (2.84, 46, 3), (2.26, 46, 2), (0.97, 14, 0), (1.91, 46, 2), (1.25, 46, 0)],
)  # fmt: skip
def test_superscripts_of_the_random_system_in_table_12(t, df, levels):
    # 2.37 is printed with superscript 2; t.ppf(1 − 0.05/4, 46) = 2.317 makes it 1.
    assert rejections(2 * stats.t.sf(np.array([t]), df), PUBLISHED).item() == levels


@given(st.floats(-50, 50), st.floats(1, 500), st.sampled_from([0, 1, 2]))
def test_a_p_value_below_the_tail_is_a_t_beyond_the_critical_value(t, df, level):
    for tail in (PUBLISHED, CORRECTED):
        critical = critical_values(tail[level], np.array(df)).item()
        if abs(abs(t) - critical) > 1e-9:
            p = 2 * stats.t.sf(abs(t), df)
            assert (p < tail[level]) == (abs(t) > critical)


def test_scipys_t_test_agrees_but_for_epsilon():
    rng = np.random.default_rng(5)
    for n in (2, 3, 8, 24, 210):
        one, other = rng.normal(0.1, 0.4, n), rng.normal(0, 0.2, n)
        error = np.sqrt(one.var(ddof=1) / n + other.var(ddof=1) / n)
        found = compared(one, other)
        # With as many of each, Student's pooled error is √(s₁²/n + s₂²/n).
        expected = stats.ttest_ind(one, other)
        np.testing.assert_allclose(found.t * (error + EPSILON) / error, expected.statistic)
        assert found.df.item() == expected.df


def test_welch_and_satterthwaites_degrees_of_freedom_are_scipys():
    rng = np.random.default_rng(6)
    for n, m in ((4, 8), (8, 4), (2, 50), (70, 210), (16, 16)):
        one, other = rng.normal(0.1, 0.4, n), rng.normal(0, 0.1, m)
        error = np.sqrt(one.var(ddof=1) / n + other.var(ddof=1) / m)
        found = compared(one, other, welch=True)
        expected = stats.ttest_ind(one, other, equal_var=False)
        np.testing.assert_allclose(found.df.item(), expected.df)
        np.testing.assert_allclose(found.t * (error + EPSILON) / error, expected.statistic)
        np.testing.assert_allclose(found.p.item(), 2 * stats.t.sf(abs(found.t.item()), expected.df))


def test_where_nothing_varies_welch_has_the_degrees_of_students_test():
    # Eight times 1 and four times −1: t = 2/0.0001 = 20,000, the paper's H; df = 8 + 4 − 2.
    found = compared([1] * 8, [-1] * 4, welch=True)
    assert found.t.item() == pytest.approx(20_000)
    assert found.df.item() == 10
    assert rejections(found.p, CORRECTED).item() == 3


def test_one_class_that_does_not_vary_gives_welch_the_others_degrees():
    # s₂² = 0: df = (s₁²/n)²/((s₁²/n)²/(n − 1)) = n − 1 = 7.
    assert compared([1] * 4 + [-1] * 4, [-1] * 8, welch=True).df.item() == pytest.approx(7)


def test_less_than_a_millionth_of_the_scale_is_no_difference():
    # 1e−6 of −1..1 is 2e−6. A constant difference of 1e−6 is none; 0.5 stays 0.5, and a spread
    # of 1e−7 within a class is none, so t = 0.5/0.0001 and df = 4 + 4 − 2.
    assert compared([0.3] * 4, [0.300001] * 4).t.item() == 0
    assert compared([0.3] * 4, [0.300003] * 4).t.item() == pytest.approx(-0.03, rel=1e-3)
    noisy = compared(0.5 + np.array([0, 1e-7, 0, 1e-7]), [0.0] * 4, welch=True)
    assert noisy.t.item() == pytest.approx(5000, rel=1e-3)
    assert noisy.df.item() == 6


@pytest.mark.parametrize("few", [[], [0.5]])
@pytest.mark.parametrize("welch", [False, True])
def test_fewer_than_two_answers_make_no_test(few, welch):
    found = compared(few, [0.1, 0.2, 0.4], welch=welch)
    assert np.isnan(found.t.item())
    assert np.isnan(weighted_rejections(found.p[0], CORRECTED, np.ones(3))).all()


def test_strata_are_averaged_by_their_share_by_hand():
    # Stratum 0 (4 of 10 sentences): 0, 1 against 0, 0: difference 0.5; errors 0.5/2 and 0.
    # Stratum 1 (6 of 10): 1, 1 against 0, 1, 0, 0: difference 0.75; errors 0 and 0.25/4.
    # 0.4 · 0.5 + 0.6 · 0.75 = 0.65; √(0.16 · 0.25 + 0.36 · 0.0625) = √0.0625 = 0.25.
    # t = 0.65/0.2501. df: (2 + 2 − 2) + (2 + 4 − 2) = 6;
    # Welch 0.0625²/(0.04²/1 + 0.0225²/3) = 2.20848.
    scores = np.array([[0.0, 1, 1, 1, 0, 0, 0, 1, 0, 0]])
    cell = np.array([0, 0, 1, 1, 2, 2, 3, 3, 3, 3])  # class · 2 + stratum
    sums = class_sums(scores, np.ones((1, 10)), cell, 4).over(2, 2)
    plain, welch = (t_tests(sums, ONE, OTHER, welch=welch) for welch in (False, True))
    assert plain.t.item() == welch.t.item() == pytest.approx(0.65 / 0.2501)
    assert plain.df.item() == 6
    assert welch.df.item() == pytest.approx(0.00390625 / (0.0016 + 0.00016875))


def test_a_stratum_that_one_class_lacks_is_left_out_of_both():
    # The second class has nothing in stratum 1. In stratum 0: 0, 1 against 0, 0, a difference of
    # 0.5 with an error of √(0.5/2) = 0.5; df 2, Welch's 1, since only one side varies.
    cell = np.array([0, 0, 1, 1, 2, 2])
    sums = class_sums(np.array([[0.0, 1, 9, 9, 0, 0]]), np.ones((1, 6)), cell, 4).over(2, 2)
    plain, welch = (t_tests(sums, ONE, OTHER, welch=welch) for welch in (False, True))
    assert plain.t.item() == welch.t.item() == pytest.approx(0.5 / 0.5001)
    assert (plain.df.item(), welch.df.item()) == (2, pytest.approx(1))


def test_classes_without_a_stratum_in_common_make_no_test():
    cell = np.array([0, 0, 3, 3])
    sums = class_sums(np.array([[0.0, 1, 0, 1]]), np.ones((1, 4)), cell, 4).over(2, 2)
    assert np.isnan(t_tests(sums, ONE, OTHER, welch=True).t.item())


def test_psi_sums_the_weights_of_what_is_rejected():
    # p = 0.02, 0.1 and 0.18 against 0.025, 0.15 and 0.2, weights 1, 0.7, 0.6:
    # (1 + 0.7 + 0.6) + (0.7 + 0.6) + 0.6 = 4.2.
    p = np.array([[0.02, 0.1, 0.18, 0.5]])
    assert weighted_rejections(p, PUBLISHED, np.array([1, 0.7, 0.6])).item() == pytest.approx(4.2)


def test_a_test_that_could_not_be_made_leaves_no_psi():
    p = np.array([[0.02, np.nan], [0.02, 0.9]])
    found = weighted_rejections(p, PUBLISHED, np.ones(3))
    assert np.isnan(found[0])
    assert found[1] == 3


def test_systems_and_draws_are_tested_at_once_as_one_by_one():
    rng = np.random.default_rng(7)
    scores, weights = rng.normal(size=(3, 20)), rng.integers(0, 3, (4, 20)).astype(float)
    cell = np.repeat([0, 1], 10)
    every = t_tests(class_sums(scores, weights, cell, 2).over(2, 1), ONE, OTHER, welch=True)
    for system in range(3):
        for draw in range(4):
            taken = np.repeat(np.arange(20), weights[draw].astype(int))
            one, other = (scores[system, taken[cell[taken] == place]] for place in (0, 1))
            alone = compared(one, other, welch=True)
            np.testing.assert_allclose(every.t[system, draw], alone.t[0, 0])
            np.testing.assert_allclose(every.df[system, draw], alone.df[0, 0])
