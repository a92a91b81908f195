"""Logistic regression with a ridge: one fit, or many weightings of the same rows at once."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from tiltmeter.errors import TiltmeterError

Array = NDArray[np.float64]
Weights = NDArray[np.floating[Any]] | NDArray[np.integer[Any]]
"""Of rows by fits; counts may be as small as they are."""

NEWTON, MOST = 50, 60
"""Steps of one fit, and of many at once, before those that are not there yet are fitted alone."""
CLOSE, CLOSE_ENOUGH = 1e-8, 1e-5
"""A fit is there once the next step would move no coefficient further than this, beside the
largest; one of many, which tell only how much a number varies, is there sooner."""
CELLS = 2**18
"""Numbers held at a time: weightings are fitted so many together."""


@dataclass(frozen=True, slots=True, eq=False)
class Fits:
    """Linear models: log-odds = x · slopes + intercepts."""

    slopes: Array
    """(dimension, fits)"""
    intercepts: Array
    """(fits,)"""

    def log_odds(self, x: Array) -> Array:
        """Of each row, by each fit: (rows, fits)."""
        odds: Array = x @ self.slopes + self.intercepts
        return odds


def sigmoid(log_odds: Array) -> Array:
    """1 / (1 + exp(−log-odds)), whatever their size.

    >>> sigmoid(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    p: Array = (1 + np.tanh(log_odds / 2)) / 2
    return p


def balanced_weights(y: NDArray[np.bool_], weights: Weights | None = None) -> Array:
    """Weights that give both classes half of the weight, by weighting: (rows,) or (rows, fits).

    A weight is multiplied by (sum of weights) / (2 · sum of its class' weights). The intercept
    then no longer says how many rows each class has: the prior is 1 : 1.

    >>> balanced_weights(np.array([True, False, False, False])).round(3).tolist()
    [2.0, 0.667, 0.667, 0.667]
    """
    own: Array = np.ones(len(y)) if weights is None else weights.astype(np.float64)
    whole = own.sum(axis=0)
    for members in (y, ~y):
        own[members] *= whole / (2 * own[members].sum(axis=0))
    return own


def fit_ridge(x: Array, y: NDArray[np.bool_], ridge: float, weights: Array | None = None) -> Fits:
    """One fit by Newton's method, with halved steps where a full one would climb.

    >>> fit = fit_ridge(np.array([[-1.0], [1.0]]), np.array([False, True]), 1.0)
    >>> fit.slopes.round(3).tolist(), abs(fit.intercepts.round(3)).tolist()
    ([[0.675]], [0.0])
    """
    unit, w = _Unit.of(x), np.ones(len(x)) if weights is None else weights
    rows, ridge = unit.rows(x), unit.ridge(ridge)
    beta = np.zeros(rows.shape[1])
    loss = _loss(rows, y, w, ridge, beta)
    for _ in range(NEWTON):
        gradient, hessian = _curved(rows, y, w, ridge, beta)
        step = cho_solve(_factor(hessian), gradient)
        for _ in range(40):
            reached = _loss(rows, y, w, ridge, beta - step)
            if reached <= loss + 1e-12 * abs(loss):
                break
            step /= 2
        beta, loss = beta - step, reached
        if np.abs(step).max() <= CLOSE * np.abs(beta).max():
            break
    return unit.undone(beta[:, None])


def fit_weightings(
    x: Array,
    y: NDArray[np.bool_],
    ridge: float,
    weights: Weights,
    start: Fits | None = None,
    *,
    balanced: bool = False,
) -> Fits:
    """A fit for each column of the weights, (rows, fits); `balanced`: both classes weigh the same.

    All go out from `start`, a fit each; without one, from the fit to their mean, so that none
    starts far away.
    """
    unit, mean = _Unit.of(x), weights.mean(axis=1)
    if balanced:
        mean = balanced_weights(y, mean)
    begin = unit.done(fit_ridge(x, y, ridge, mean) if start is None else start)
    rows, ridge = unit.rows(x), unit.ridge(ridge)
    if start is None:
        begin = np.repeat(begin, weights.shape[1], axis=1)
    factor = _factor(_curved(rows, y, mean, ridge, begin.mean(axis=1))[1])

    def block(part: slice) -> Array:
        own = weights[:, part].astype(np.float64)
        if balanced:
            own = balanced_weights(y, own)
        return _descended(rows, y, ridge, own, begin[:, part], factor)

    # Threads of our own, a block each: NumPy lets go of Python's lock while it computes.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = _parts(weights.shape[1], max(1, CELLS // len(rows)))
        return unit.undone(np.hstack(list(pool.map(block, parts))))


def _parts(size: int, at_once: int) -> list[slice]:
    return [slice(begun, begun + at_once) for begun in range(0, size, at_once)]


def _descended(
    rows: Array,
    y: NDArray[np.bool_],
    ridge: float,
    weights: Array,
    start: Array,
    factor: tuple[Array, bool],
) -> Array:
    """Coefficients of every weighting, (coefficients, fits)."""
    beta = start.copy()
    penalty = _penalty(len(start), ridge)[:, None]
    target = y.astype(np.float64)[:, None]
    length, before = np.ones(weights.shape[1]), np.empty(0)
    moved = beta
    for nth in range(MOST):
        pulled: Array = weights * (sigmoid(rows @ beta) - target)
        gradient = rows.T @ pulled + penalty * beta
        if nth:
            length = _barzilai_borwein(moved, gradient - before, factor)
        step = cho_solve(factor, gradient, check_finite=False) * length
        if (np.abs(step).max(axis=0) <= CLOSE_ENOUGH * np.abs(beta).max(axis=0)).all():
            return beta
        beta, moved, before = beta - step, -step, gradient
    return _alone(rows, y, ridge, weights, beta, np.abs(step).max(axis=0))


def _barzilai_borwein(moved: Array, changed: Array, factor: tuple[Array, bool]) -> Array:
    """Step lengths in the metric of the Hessian: s·y / y·H⁻¹y, by weighting."""
    along = np.einsum("cf,cf->f", moved, changed)
    across = np.einsum("cf,cf->f", changed, cho_solve(factor, changed, check_finite=False))
    lengths: Array = np.divide(along, across, out=np.ones_like(along), where=across > 0)
    return np.clip(lengths, 0.05, 20.0)


def _alone(
    rows: Array, y: NDArray[np.bool_], ridge: float, weights: Array, beta: Array, left: Array
) -> Array:
    """Fit one by one what did not come close together."""
    for column in np.flatnonzero(left > CLOSE_ENOUGH * np.abs(beta).max(axis=0)):
        fit = fit_ridge(rows[:, :-1], y, ridge, weights[:, column])
        beta[:, column] = np.append(fit.slopes[:, 0], fit.intercepts)
    return beta


@dataclass(frozen=True, slots=True, eq=False)
class _Unit:
    """Where rows stand and how large they are."""

    middle: Array
    size: float

    @classmethod
    def of(cls, x: Array) -> _Unit:
        middle = x.mean(axis=0)
        return cls(middle, float((x - middle).std()) or 1.0)

    def rows(self, x: Array) -> Array:
        """Rows about 0 and of size 1, and a column of ones for the intercept."""
        return np.column_stack([(x - self.middle) / self.size, np.ones(len(x))])

    def ridge(self, ridge: float) -> float:
        """The ridge that does to these rows what `ridge` does to the given ones."""
        return ridge / self.size**2

    def done(self, fits: Fits) -> Array:
        """Coefficients for these rows, intercepts last: (dimension + 1, fits)."""
        intercepts = fits.intercepts + self.middle @ fits.slopes
        return np.vstack([fits.slopes * self.size, intercepts])

    def undone(self, beta: Array) -> Fits:
        """Coefficients for these rows, as fits to the given ones."""
        slopes = beta[:-1] / self.size
        return Fits(slopes, beta[-1] - self.middle @ slopes)


def _factor(hessian: Array) -> tuple[Array, bool]:
    try:
        factor: tuple[Array, bool] = cho_factor(hessian)
    except LinAlgError:
        what = "no classifier can be fitted: the ridge is lost in rounding beside the vectors"
        raise TiltmeterError(f"{what}; expected a larger one than given") from None
    return factor


def _penalty(size: int, ridge: float) -> Array:
    return np.append(np.full(size - 1, ridge), 0.0)


def _loss(rows: Array, y: NDArray[np.bool_], w: Array, ridge: float, beta: Array) -> float:
    odds = rows @ beta
    penalty = 0.5 * float(_penalty(len(beta), ridge) @ beta**2)
    return float(w @ np.logaddexp(0.0, np.where(y, -odds, odds))) + penalty


def _curved(
    rows: Array, y: NDArray[np.bool_], w: Array, ridge: float, beta: Array
) -> tuple[Array, Array]:
    """Gradient and Hessian."""
    p, penalty = sigmoid(rows @ beta), _penalty(len(beta), ridge)
    gradient = rows.T @ (w * (p - y)) + penalty * beta
    scaled = rows * np.sqrt(w * p * (1 - p))[:, None]
    return gradient, scaled.T @ scaled + np.diag(penalty)
