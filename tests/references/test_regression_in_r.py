"""Our regressions against R: glmmTMB, sandwich, clubSandwich, lme4 and lmerTest.

margins_regression.json was written by margins_regression.R from margins_scores.csv; no R here.
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from tiltmeter.stats.beta import Sums, derivatives, fit_beta, shape_of
from tiltmeter.stats.clustered import cr2, fit_least_squares
from tiltmeter.stats.mixed import fit_mixed

PLACE = Path(__file__).parent
IN_R = json.loads((PLACE / "margins_regression.json").read_text())["sets"]
with (PLACE / "margins_scores.csv").open(newline="") as opened:
    ROWS = list(csv.DictReader(opened))


def codes(column):
    return np.array([int(row[column]) for row in ROWS])


PERSON, TEMPLATE, WORD = codes("person"), codes("template"), codes("word")
RACE, GENDER = codes("race"), codes("gender")
GROUP = 2 * RACE + GENDER
DESIGN = np.column_stack([np.ones(len(ROWS)), RACE, GENDER, RACE * GENDER])
CELLS = np.array([[1.0, r, g, r * g] for r in (0, 1) for g in (0, 1)])
PRECISIONS = {"beta": CELLS[:, :1], "precision": CELLS[:, :3]}
FACTORS = [PERSON, TEMPLATE, 4 * TEMPLATE + GROUP, 3 * TEMPLATE + WORD]
SETS = pytest.mark.parametrize("name", IN_R)
MODELS = pytest.mark.parametrize("model", PRECISIONS)


def scores(name):
    return np.array([float(row[name] or "nan") for row in ROWS])


def seen(name):
    y = scores(name)
    return y[~np.isnan(y)], ~np.isnan(y)


def summed(values, labels, levels):
    return np.bincount(labels, weights=values, minlength=levels)[None, :]


def beta_fit(name, model):
    y, here = seen(name)
    group, precision = GROUP[here], PRECISIONS[model]
    parts = (np.ones_like(y), np.log(y), np.log1p(-y))
    start = np.zeros((1, 4 + precision.shape[1]))
    start[0, 0], start[0, 4] = np.log(y.mean() / (1 - y.mean())), 2.0
    return fit_beta(Sums(*(summed(part, group, 4) for part in parts)), CELLS, precision, start)


@SETS
@MODELS
def test_beta_regression_is_that_of_glmmtmb(name, model):
    fit, expected = beta_fit(name, model), IN_R[name][model]
    assert fit.converged.all()
    np.testing.assert_allclose(fit.parameters[0], expected["parameters"], rtol=0, atol=1e-9)
    errors = np.sqrt(np.diagonal(fit.covariance[0]))
    np.testing.assert_allclose(errors, expected["se"], rtol=1e-8)
    np.testing.assert_allclose(fit.log_likelihood[0], expected["log_likelihood"], rtol=1e-10)


def clustered(fit, model, name, labels):
    """H⁻¹ (Σ_g S_g S_g') H⁻¹ from our scores and our information."""
    y, here = seen(name)
    x, z = DESIGN[here], PRECISIONS[model][GROUP[here]]
    each = Sums(np.ones((1, y.size)), np.log(y)[None], np.log1p(-y)[None])
    parts = derivatives(each, shape_of(x, z, fit.parameters))
    rows = np.column_stack([parts.eta[0][:, None] * x, parts.zeta[0][:, None] * z])
    sums = np.equal.outer(np.unique(labels[here]), labels[here]) @ rows
    return fit.covariance[0] @ sums.T @ sums @ fit.covariance[0]


@SETS
@MODELS
def test_plain_clustered_errors_of_beta_regression_are_those_of_sandwich(name, model):
    fit, expected = beta_fit(name, model), IN_R[name][model]
    by_person, by_template, by_cell = (
        clustered(fit, model, name, labels) for labels in (PERSON, TEMPLATE, 5 * PERSON + TEMPLATE)
    )
    both = by_person + by_template - by_cell
    for ours, theirs in ((by_person, "person"), (by_template, "template"), (both, "both")):
        in_r = np.array(expected[f"by_{theirs}"])
        np.testing.assert_allclose(ours, in_r, rtol=0, atol=1e-8 * np.abs(in_r).max())


@SETS
def test_least_squares_is_that_of_lm(name):
    y, here = seen(name)
    parts = (np.ones_like(y), y, y**2)
    fit = fit_least_squares(*(summed(part, GROUP[here], 4) for part in parts), CELLS)
    expected = IN_R[name]["linear"]
    np.testing.assert_allclose(fit.parameters[0], expected["coefficients"], atol=1e-12)
    errors = np.sqrt(np.diagonal(fit.covariance[0]))
    np.testing.assert_allclose(errors, expected["naive_se"], rtol=1e-10)


@SETS
@pytest.mark.parametrize("by", ["person", "template"])
def test_cr2_and_its_degrees_of_freedom_are_those_of_clubsandwich(name, by):
    y, here = seen(name)
    x, labels = DESIGN[here], {"person": PERSON, "template": TEMPLATE}[by][here]
    left = y - x @ np.linalg.lstsq(x, y)[0]
    member = np.equal.outer(np.unique(labels), labels).astype(float)
    sums = member @ (x * left[:, None])
    information = np.einsum("gn,nj,nk->gjk", member, x, x)
    inverse = np.linalg.inv(x.T @ x)
    found = cr2(sums[None], information[None], inverse[None], np.eye(4)[None])
    expected = IN_R[name]["linear"][by]
    np.testing.assert_allclose(np.sqrt(found.variance[0]), expected["se"], rtol=1e-9)
    np.testing.assert_allclose(found.df[0], expected["df"], rtol=1e-8)


@pytest.fixture(scope="module")
def mixed():
    """All seven sets in one call, as the measure makes it."""
    y = np.array([scores(name) for name in IN_R])
    fit = fit_mixed(np.log(y / (1 - y)), DESIGN, FACTORS, np.eye(4))
    return {name: (fit, place) for place, name in enumerate(IN_R)}


@SETS
def test_the_mixed_model_is_that_of_lme4(name, mixed):
    (fit, i), expected = mixed[name], IN_R[name]["mixed"]
    assert fit.converged[i]
    np.testing.assert_allclose(fit.log_likelihood[i], expected["log_likelihood"], atol=1e-8)
    residual = expected["variances"][-1]
    np.testing.assert_allclose(
        fit.variances[i], expected["variances"], rtol=1e-6, atol=1e-6 * residual
    )
    np.testing.assert_allclose(fit.coefficients[i], expected["coefficients"], rtol=0, atol=1e-8)
    covariance = np.array(expected["covariance"])
    np.testing.assert_allclose(
        fit.covariance[i], covariance, rtol=0, atol=1e-6 * np.abs(covariance).max()
    )


@SETS
def test_degrees_of_freedom_are_those_of_lmertest(name, mixed):
    (fit, i), expected = mixed[name], IN_R[name]["mixed"]
    np.testing.assert_allclose(fit.df[i], expected["df"], rtol=1e-5)


def test_components_that_lme4_puts_at_zero_are_exactly_zero(mixed):
    for name, part in (("balanced", 1), ("still", 0), ("still", 2), ("edge", 2), ("edge", 3)):
        fit, i = mixed[name]
        assert fit.variances[i, part] == 0.0
        assert IN_R[name]["mixed"]["variances"][part] < 1e-12
