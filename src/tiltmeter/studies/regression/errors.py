"""How sure effects are: allowing for names and templates, and who pulls an estimate."""

from __future__ import annotations

from collections.abc import Sequence
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

# ---- names and templates as clusters: errors that allow for both, and who pulls an estimate


Array = NDArray[np.float64]
Codes = NDArray[np.int64]

AT_ONCE = 2_000_000
"""Numbers of clusters' information, or of what atoms add, held in memory at a time."""
SINGULAR = 1e-10
"""The least eigenvalue, of a matrix scaled to ones, below which nothing is left without a name."""


@dataclass(frozen=True, slots=True)
class Clustered:
    """Crossed errors of combinations of parameters, and what each person adds to them."""

    spread: CombinationVariance
    pull: Array
    """(submissions, combinations, people): how much lower it would be without one; NaN where it
    could not be told without them."""


@dataclass(frozen=True, slots=True)
class At:
    """Where the fits of some submissions stand."""

    parameters: Array
    covariance: Array
    combinations: Array
    """(submissions, c, k)"""

    def rows(self, which: slice) -> At:
        """Some submissions only."""
        return At(self.parameters[which], self.covariance[which], self.combinations[which])


def clustered(at: At, sums: Sums, design: RegressionDesign, precision: Array) -> Clustered:
    """Errors that allow for names and templates; `sums` are of the atoms, (submissions, atoms)."""
    many, wanted, size = at.combinations.shape
    each = max(design.people.height * size * size, design.cell.size * wanted)
    step = max(1, AT_ONCE // (1 + each))
    parts = [
        _clustered(at.rows(rows), sums.rows(rows), design, precision)
        for rows in (slice(begin, begin + step) for begin in range(0, many, step))
    ]
    if not parts:
        none = np.zeros((0, wanted))
        return Clustered(
            CombinationVariance(none, none), np.zeros((0, wanted, design.people.height))
        )
    return _joined(parts)


def _joined(parts: Sequence[Clustered]) -> Clustered:
    spread = CombinationVariance(
        np.concatenate([part.spread.variance for part in parts]),
        np.concatenate([part.spread.df for part in parts]),
    )
    return Clustered(spread, np.concatenate([part.pull for part in parts]))


def _clustered(at: At, sums: Sums, design: RegressionDesign, precision: Array) -> Clustered:
    shape = shape_of(design.mean, precision, at.parameters).at(design.cell)
    mean, spread = design.mean[design.cell], precision[design.cell]
    parts, weights = derivatives(sums, shape), information(sums.n, shape)
    scores = _Scores(parts.eta, parts.zeta, weights, mean, spread)
    names = scores.of(design.person, design.people.height)
    by_name = cr2(*names, at.covariance, at.combinations)
    by_template, rest = None, None
    if len(design.templates) > 1:
        templates = scores.of(design.template, len(design.templates))
        by_template = cr2(*templates, at.covariance, at.combinations)
        moved = scores.moved(at.combinations @ at.covariance)
        rest = _remainder(moved, sums.n, design)
    return Clustered(cluster_crossed(by_name, by_template, rest), _pulls(*names, at.combinations))


@dataclass(frozen=True, slots=True)
class _Scores:
    """The score and the information of every atom, as weights of its rows of the two designs."""

    eta: Array
    zeta: Array
    information: tuple[Array, Array, Array]
    mean: Array
    precision: Array

    def of(self, codes: Codes, many: int) -> tuple[Array, Array]:
        """Their sums over clusters: (s, many, k) and (s, many, k, k)."""
        one = np.ones((len(codes), 1))
        add = _Adds(codes, many)
        of_eta, of_both, of_zeta = self.information
        score = np.concatenate(
            [add(self.eta, self.mean, one), add(self.zeta, self.precision, one)], axis=2
        )
        both = add(of_both, self.mean, self.precision)
        top = [add(of_eta, self.mean, self.mean), both]
        bottom = [np.swapaxes(both, 2, 3), add(of_zeta, self.precision, self.precision)]
        whole = np.concatenate([np.concatenate(row, axis=3) for row in (top, bottom)], axis=2)
        return score[..., 0], whole

    def moved(self, reach: Array) -> Array:
        """What each atom adds to combinations, (s, c, atoms)."""
        p = self.mean.shape[1]
        in_mean = (reach[:, :, :p] @ self.mean.T) * self.eta[:, None]
        in_precision = (reach[:, :, p:] @ self.precision.T) * self.zeta[:, None]
        found: Array = in_mean + in_precision
        return found


@dataclass(frozen=True, slots=True)
class _Adds:
    """Sums over clusters of weights times the products of two designs' columns."""

    codes: Codes
    many: int

    def __call__(self, weight: Array, left: Array, right: Array) -> Array:
        """(s, many, columns of the left, columns of the right)."""
        pairs = (left[:, :, None] * right[:, None, :]).reshape(len(left), -1)
        atoms, width = pairs.shape
        places = (self.codes[:, None] * width + np.arange(width)).ravel()
        ends = np.arange(0, atoms * width + 1, width)
        add = csr_array((pairs.ravel(), places, ends), shape=(atoms, self.many * width))
        shape = (len(weight), self.many, left.shape[1], right.shape[1])
        found: Array = (weight @ add).reshape(shape)
        return found


def _remainder(moved: Array, n: Array, design: RegressionDesign) -> CombinationVariance | None:
    """What is in both parts; nothing where a submission lacks a person in a template."""
    group = design.group
    rest = remainder(moved, design.person, design.template, group)
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


# ---- how sure effects are: as if sentences were independent, or allowing for names and templates


DUST = 1e-6
"""Part of the scale that counts as 0."""
NO_ERROR = 1e-2
"""Part of the dust below which an error is a rounding error."""
NO_VALUE = 1e-4
"""Part of the dust below which a value is a rounding error, whose sign would say something."""
LEVEL = 0.95
STEEPEST = 4.0
"""A score moves by a quarter of what the logit does, at most: dust on the logit is so much more."""


@dataclass(frozen=True, slots=True)
class Estimated:
    """Numbers with their uncertainty, (submissions, effects)."""

    value: Array
    se: Array
    low: Array
    high: Array
    statistic: Array
    df: Array
    """Infinite: the normal distribution."""
    p: Array


def estimated(value: Array, variance: Array, df: Array, dust: float = DUST) -> Estimated:
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
    return Estimated(value, se, value - half, value + half, finite, df, p)


@dataclass(frozen=True, slots=True)
class Means:
    """The mean score that the model gives each group, with everything else as it stands."""

    value: Array
    """(submissions, groups)"""
    slope: Array
    """(submissions, groups, p): its derivative in β."""
    rows: Array
    """(submissions, groups, p): the average row of the design."""


def group_means(fitted: Fitted, design: RegressionDesign, beta: Array) -> Means:
    """Every sentence's mean, had it been of each group; averaged over sentences."""
    n = fitted.cells.sums.n
    with np.errstate(all="ignore"):
        weight = n / n.sum(axis=1, keepdims=True)
        mu = expit(np.einsum("gcp,sp->sgc", design.settings, beta, optimize=True))
    weighed = mu * (1.0 - mu) * weight[:, None, :]
    return Means(
        np.einsum("sgc,sc->sg", mu, weight),
        np.einsum("sgc,gcp->sgp", weighed, design.settings, optimize=True),
        np.einsum("sc,gcp->sgp", weight, design.settings, optimize=True),
    )
