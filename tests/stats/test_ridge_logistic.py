"""Logistic regression with a ridge: one fit, and many weightings at once."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tiltmeter.errors import TiltmeterError
from tiltmeter.stats.logistic import balanced_weights, fit_ridge, fit_weightings, sigmoid


@pytest.fixture
def planted():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 12)) * rng.uniform(0.2, 3, 12)
    odds = x @ rng.normal(size=12) * 0.5 + 0.7
    return x, rng.uniform(size=400) < sigmoid(odds)


@pytest.mark.parametrize("ridge", [0.01, 1.0, 100.0])
def test_a_fit_is_the_one_of_scikit_learn(planted, ridge):
    x, y = planted
    ours = fit_ridge(x, y, ridge)
    theirs = LogisticRegression(C=1 / ridge, tol=1e-10, max_iter=10_000).fit(x, y)
    np.testing.assert_allclose(ours.slopes[:, 0], theirs.coef_[0], atol=1e-5)
    np.testing.assert_allclose(ours.intercepts, theirs.intercept_, atol=1e-5)


@pytest.mark.parametrize("ridge", [0.01, 1.0, 100.0])
def test_balanced_weights_are_scikit_learns_balanced_classes(planted, ridge):
    x, y = planted
    fewer = np.flatnonzero(y | (np.arange(len(y)) % 5 == 0))  # about six positive for a negative
    x, y = x[fewer], y[fewer]
    ours = fit_ridge(x, y, ridge, balanced_weights(y))
    theirs = LogisticRegression(
        C=1 / ridge, class_weight="balanced", tol=1e-12, max_iter=10_000, solver="newton-cholesky"
    ).fit(x, y)
    np.testing.assert_allclose(ours.slopes[:, 0], theirs.coef_[0], atol=1e-8)
    np.testing.assert_allclose(ours.intercepts, theirs.intercept_, atol=1e-8)


def test_a_balanced_fit_derived_by_hand_whatever_the_ratio():
    # At −1 and at +1, each side weighs n/2 in all: the intercept is 0 and the slope b solves
    # n / (1 + exp(b)) = ridge · b, for any sizes. With ridge = n / (1 + e) it is 1.
    for few, many in ((50, 50), (20, 80), (90, 10)):
        x, y = np.repeat([[-1.0], [1.0]], [few, many], axis=0), np.arange(100) >= few
        fit = fit_ridge(x, y, 100 / (1 + np.e), balanced_weights(y))
        np.testing.assert_allclose([fit.slopes[0, 0], fit.intercepts[0]], [1, 0], atol=1e-10)


def test_every_weighting_is_balanced_by_itself(planted):
    x, y = planted
    counts = np.random.default_rng(2).poisson(1.0, (len(y), 9)).astype(np.uint16)
    together = fit_weightings(x, y, 0.5, counts, balanced=True)
    for column in range(9):
        own = balanced_weights(y, counts[:, column])
        assert own[y].sum() == pytest.approx(own[~y].sum())
        assert own.sum() == pytest.approx(counts[:, column].sum())
        alone = fit_ridge(x, y, 0.5, own)
        np.testing.assert_allclose(together.slopes[:, column], alone.slopes[:, 0], atol=1e-4)
        np.testing.assert_allclose(together.intercepts[column], alone.intercepts[0], atol=1e-4)


def test_weights_are_counts_of_rows(planted):
    x, y = planted
    counts = np.random.default_rng(1).integers(0, 4, len(y))
    ours = fit_ridge(x, y, 2.0, counts.astype(float))
    again = fit_ridge(np.repeat(x, counts, axis=0), np.repeat(y, counts), 2.0)
    np.testing.assert_allclose(ours.slopes, again.slopes, atol=1e-8)


def test_many_weightings_are_the_fits_one_by_one(planted):
    x, y = planted
    weights = np.random.default_rng(2).poisson(1.0, (len(y), 9)).astype(float)
    together = fit_weightings(x, y, 0.5, weights)
    for column in range(9):
        alone = fit_ridge(x, y, 0.5, weights[:, column])
        np.testing.assert_allclose(together.slopes[:, column], alone.slopes[:, 0], atol=1e-4)
        np.testing.assert_allclose(together.intercepts[column], alone.intercepts[0], atol=1e-4)


def test_where_a_start_is_far_away_the_fits_are_the_same(planted):
    x, y = planted
    weights = np.random.default_rng(2).poisson(1.0, (len(y), 4)).astype(float)
    far = fit_weightings(x, y, 1000.0, weights)
    near = fit_weightings(x, y, 0.5, weights)
    np.testing.assert_allclose(
        fit_weightings(x, y, 0.5, weights, far).slopes, near.slopes, atol=1e-4
    )


def test_more_dimensions_than_rows_and_a_side_that_is_told_apart_wholly():
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(20, 60)), np.arange(20) < 10
    ours = fit_ridge(x, y, 0.1)
    theirs = LogisticRegression(C=10, tol=1e-10, max_iter=10_000).fit(x, y)
    np.testing.assert_allclose(ours.slopes[:, 0], theirs.coef_[0], atol=1e-5)
    many = fit_weightings(x, y, 0.1, rng.poisson(1.0, (20, 5)).astype(float) + 0.1)
    assert np.isfinite(many.slopes).all()


def test_a_slope_derived_by_hand():
    # Half the rows at −1 positive, half at +1 negative: the intercept is 0 and the slope b solves
    # n / (1 + exp(b)) = ridge · b. With ridge = n / (1 + e) it is 1.
    x = np.repeat([[-1.0], [1.0]], 50, axis=0)
    fit = fit_ridge(x, np.arange(100) >= 50, 100 / (1 + np.e))
    np.testing.assert_allclose([fit.slopes[0, 0], fit.intercepts[0]], [1, 0], atol=1e-10)


@pytest.mark.parametrize("unit", [1e-20, 1e-3, 1e3, 1e20])
def test_the_unit_of_the_rows_changes_nothing_but_the_unit_of_the_slopes(unit):
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(200, 5)) + 3.0, rng.random(200) < 0.4
    weights = rng.poisson(1.0, (200, 7)).astype(float)
    here = fit_weightings(x, y, 2.0, weights)
    there = fit_weightings(x * unit, y, 2.0 * unit**2, weights)
    np.testing.assert_allclose(there.log_odds(x * unit), here.log_odds(x), rtol=1e-9)


def test_an_offset_that_all_rows_share_goes_into_the_intercept():
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(200, 5)), rng.random(200) < 0.4
    far = x + np.array([1e8, 0, 0, 0, 0])  # rounds values to 1.5e-8
    np.testing.assert_allclose(
        fit_ridge(far, y, 2.0).log_odds(far), fit_ridge(x, y, 2.0).log_odds(x), atol=1e-6
    )


def test_a_ridge_lost_in_rounding_is_an_error_that_says_so():
    x = np.random.default_rng(8).normal(size=(20, 40))
    with pytest.raises(TiltmeterError, match="expected a larger one"):
        fit_ridge(x, np.arange(20) < 10, 1e-300)
