"""How sure effects are: allowing for names and templates, and who pulls an estimate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit, stdtr, stdtrit

from tiltmeter.stats.beta import Sums, derivatives, information, shape_of
from tiltmeter.stats.clustered import CombinationVariance, cluster_crossed, cr2, remainder
from tiltmeter.stats.moments import members
from tiltmeter.studies.regression.design import RegressionDesign
from tiltmeter.studies.regression.fit import Fitted

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

AT_ONCE = 2_000_000
"""Numbers of clusters' information, or of what atoms add, held in memory at a time."""
SINGULAR = 1e-10
"""The least eigenvalue, of a matrix scaled to ones, below which nothing is left without a name."""
DUST = 1e-6
"""Part of the scale that counts as 0."""
NO_ERROR = 1e-2
"""Part of the dust below which an error is a rounding error."""
NO_VALUE = 1e-4
"""Part of the dust below which a value is a rounding error, whose sign would say something."""
LEVEL = 0.95
STEEPEST = 4.0
"""A score moves by a quarter of what the logit does, at most: dust on the logit is so much more."""


def crossed_errors(fitted: Fitted, combinations: Array) -> tuple[CombinationVariance, Array]:
    """Errors of combinations, (submissions, c, k), that allow for names and templates as clusters.

    Also (submissions, c, people): how much lower each would be without a person; NaN where it could
    not be told without them, and wherever there is no fit.
    """
    many, wanted, size = combinations.shape
    design, sums = fitted.design, fitted.atoms.sums
    each = max(design.people.height * size * size, design.cell.size * wanted)
    step = max(1, AT_ONCE // (1 + each))
    variance, df = np.full((2, many, wanted), np.nan)
    pull = np.full((many, wanted, design.people.height), np.nan)
    fine = np.flatnonzero(fitted.fine)
    for rows in (fine[begin : begin + step] for begin in range(0, fine.size, step)):
        beta = fitted.beta
        some = (beta.parameters[rows], beta.covariance[rows], combinations[rows])
        found, pull[rows] = _some_errors(*some, sums.rows(rows), design)
        variance[rows], df[rows] = found.variance, found.df
    return CombinationVariance(variance, df), pull


def _some_errors(
    parameters: Array, covariance: Array, combinations: Array, sums: Sums, design: RegressionDesign
) -> tuple[CombinationVariance, Array]:
    shape = shape_of(design.mean, design.precision, parameters).at(design.cell)
    mean, precision = design.mean[design.cell], design.precision[design.cell]
    slopes, (of_eta, of_both, of_zeta) = derivatives(sums, shape), information(sums.n, shape)

    def of_clusters(codes: Codes, many: int) -> tuple[Array, Array]:
        """The score and the information of clusters: (s, many, k) and (s, many, k, k)."""
        one = np.ones((len(codes), 1))
        score = [
            _cluster_sums(slopes.eta, mean, one, codes, many),
            _cluster_sums(slopes.zeta, precision, one, codes, many),
        ]
        both = _cluster_sums(of_both, mean, precision, codes, many)
        top = [_cluster_sums(of_eta, mean, mean, codes, many), both]
        last = _cluster_sums(of_zeta, precision, precision, codes, many)
        bottom = [np.swapaxes(both, 2, 3), last]
        whole = np.concatenate([np.concatenate(row, axis=3) for row in (top, bottom)], axis=2)
        return np.concatenate(score, axis=2)[..., 0], whole

    names = of_clusters(design.person, design.people.height)
    by_name, by_template, rest = cr2(*names, covariance, combinations), None, None
    if len(design.templates) > 1:
        templates = of_clusters(design.template, len(design.templates))
        by_template = cr2(*templates, covariance, combinations)
        reach, p = combinations @ covariance, mean.shape[1]
        in_mean = (reach[:, :, :p] @ mean.T) * slopes.eta[:, None]
        in_precision = (reach[:, :, p:] @ precision.T) * slopes.zeta[:, None]
        rest = _remainder(in_mean + in_precision, sums.n, design)
    return cluster_crossed(by_name, by_template, rest), _pulls(*names, combinations)


def _cluster_sums(weight: Array, left: Array, right: Array, codes: Codes, many: int) -> Array:
    """Sums over clusters of weights times the products of two designs' columns.

    (s, many, columns of the left, columns of the right)
    """
    pairs = (left[:, :, None] * right[:, None, :]).reshape(len(left), -1)
    atoms, width = pairs.shape
    places = (codes[:, None] * width + np.arange(width)).ravel()
    ends = np.arange(0, atoms * width + 1, width)
    add = csr_array((pairs.ravel(), places, ends), shape=(atoms, many * width))
    found: Array = (weight @ add).reshape(len(weight), many, left.shape[1], right.shape[1])
    return found


def _remainder(moved: Array, n: Array, design: RegressionDesign) -> CombinationVariance | None:
    """What is in both parts; nothing where a submission lacks a person in a template.

    `moved` is what each atom adds to combinations, (s, c, atoms).
    """
    rest = remainder(moved, design.person, design.template, design.group)
    if rest is None:
        return None
    place = design.person * len(design.templates) + design.template
    many = design.people.height * len(design.templates)
    complete = ((n @ members(place, many)) > 0).all(axis=1)[:, None]
    return CombinationVariance(
        np.where(complete, rest.variance, 0.0), np.where(complete, rest.df, np.inf)
    )


def _pulls(scores: Array, info: Array, combinations: Array) -> Array:
    """One Newton step from the fit to that without a person: (H − H_i)⁻¹ S_i."""
    left = info.sum(axis=1, keepdims=True) - info
    scale = np.sqrt(np.maximum(np.einsum("sgkk->sgk", left), np.finfo(np.float64).tiny))
    level = left / (scale[..., :, None] * scale[..., None, :])
    singular = np.linalg.eigvalsh(level)[..., 0] < SINGULAR
    level = np.where(singular[..., None, None], np.eye(level.shape[-1]), level)
    step = np.linalg.solve(level, (scores / scale)[..., None])[..., 0] / scale
    step = np.where(singular[..., None], np.nan, step)
    found: Array = combinations @ np.swapaxes(step, 1, 2)
    return found


@dataclass(frozen=True, slots=True)
class TestedValues:
    """Numbers with their uncertainty, (submissions, effects)."""

    value: Array
    se: Array
    low: Array
    high: Array
    statistic: Array
    df: Array
    """Infinite: the normal distribution."""
    p: Array


def t_test(value: Array, variance: Array, df: Array, dust: float = DUST) -> TestedValues:
    """A t-test of 0 and its 95 % interval.

    A value and an error below `dust` are 0, and so is a value that is but a rounding error; a value
    above it without any error is certain.
    """
    known = np.isfinite(value) & np.isfinite(variance) & (df > 0)
    with np.errstate(all="ignore"):
        se = np.sqrt(np.where(known, np.maximum(variance, 0.0), np.nan))
        none = (np.abs(value) < dust) & (se < dust)
        naught = none | (np.abs(value) < NO_VALUE * dust)
        value, se = np.where(naught, 0.0, value), np.where(none | (se < NO_ERROR * dust), 0.0, se)
        t = np.where(none, 0.0, value / se)
        p = 2.0 * stdtr(df, -np.abs(t))
        half = np.where(se > 0, stdtrit(df, 0.5 + LEVEL / 2.0) * se, 0.0)
    value, df, p = (np.where(known, column, np.nan) for column in (value, df, p))
    finite = np.where(np.isfinite(t) & known, t, np.nan)
    return TestedValues(value, se, value - half, value + half, finite, df, p)


@dataclass(frozen=True, slots=True)
class GroupMeans:
    """The mean score that the model gives each group, with everything else as it stands."""

    value: Array
    """(submissions, groups)"""
    slope: Array
    """(submissions, groups, p): its derivative in β."""
    rows: Array
    """(submissions, groups, p): the average row of the design."""


def group_means(fitted: Fitted, beta: Array) -> GroupMeans:
    """Every sentence's mean, had it been of each group; averaged over sentences."""
    n, settings = fitted.cells.sums.n, fitted.design.settings
    with np.errstate(all="ignore"):
        weight = n / n.sum(axis=1, keepdims=True)
        mu = expit(np.einsum("gcp,sp->sgc", settings, beta, optimize=True))
    weighed = mu * (1.0 - mu) * weight[:, None, :]
    return GroupMeans(
        np.einsum("sgc,sc->sg", mu, weight),
        np.einsum("sgc,gcp->sgp", weighed, settings, optimize=True),
        np.einsum("sc,gcp->sgp", weight, settings, optimize=True),
    )
