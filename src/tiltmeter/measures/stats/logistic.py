"""Logistic regression with a ridge: one fit, or many weightings of the same rows at once.

    minimise Σ w · log(1 + exp(−y (x · slopes + intercept))) + ridge/2 · ‖slopes‖²,  y = ±1

The intercept is free. With weights of 1 it is scikit-learn's LogisticRegression with C = 1/ridge.
Vectors are centred first, which changes the intercept alone: a value that all of them share would
leave nothing of the rest after rounding. Resamples and folds are weights of the same rows, so all
of them are one product of matrices a step. Steps are preconditioned with one Hessian, which is
made and factorised once, and their lengths follow Barzilai & Borwein (1988), a length for each
weighting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from tiltmeter.errors import TiltmeterError

Array = NDArray[np.float64]

NEWTON, MOST = 50, 60
"""Steps of one fit, and of many at once, before those that are not there yet are fitted alone."""
CLOSE, CLOSE_ENOUGH = 1e-8, 1e-5
"""A fit is there once the next step would move no coefficient further than this, beside the
largest; one of many, which tell only how much a number varies, is there sooner."""
CELLS = 2**20
"""Numbers held at a time: weightings are fitted so many together."""


@dataclass(frozen=True, slots=True, eq=False)
class Fits:
    """Linear models: log-odds = x · slopes + intercepts."""

    slopes: Array
    """(dimension, fits)"""
    intercepts: Array
    """(fits,)"""

    @property
    def coefficients(self) -> Array:
        """Slopes and below them the intercepts, (dimension + 1, fits)."""
        return np.vstack([self.slopes, self.intercepts])

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


def fit_ridge(x: Array, y: NDArray[np.bool_], ridge: float, weights: Array | None = None) -> Fits:
    """One fit by Newton's method, with halved steps where a full one would climb.

    >>> fit = fit_ridge(np.array([[-1.0], [1.0]]), np.array([False, True]), 1.0)
    >>> fit.slopes.round(4).tolist(), abs(fit.intercepts.round(4)).tolist()
    ([[0.6749]], [0.0])
    """
    middle, w = x.mean(axis=0), np.ones(len(x)) if weights is None else weights
    rows = _with_ones(x - middle)
    beta = np.zeros(rows.shape[1])
    loss = _loss(rows, y, w, ridge, beta)
    for _ in range(NEWTON):
        gradient, hessian = _curved(rows, y, w, ridge, beta)
        step = cho_solve(_factor(hessian, ridge), gradient)
        for _ in range(40):
            reached = _loss(rows, y, w, ridge, beta - step)
            if reached <= loss + 1e-12 * abs(loss):
                break
            step /= 2
        beta, loss = beta - step, reached
        if np.abs(step).max() <= CLOSE * np.abs(beta).max():
            break
    return _of_uncentred(beta[:, None], middle)


def fit_weightings(
    x: Array, y: NDArray[np.bool_], ridge: float, weights: Array, start: Fits | None = None
) -> Fits:
    """A fit for each column of the weights, (rows, fits).

    All go out from `start`, a fit each; without one, from the fit to their mean, so that none
    starts far away.
    """
    middle, mean = x.mean(axis=0), weights.mean(axis=1)
    rows = _with_ones(x - middle)
    begun = fit_ridge(x, y, ridge, mean) if start is None else start
    begin = np.vstack([begun.slopes, begun.intercepts + middle @ begun.slopes])
    if start is None:
        begin = np.repeat(begin, weights.shape[1], axis=1)
    factor = _factor(_curved(rows, y, mean, ridge, begin.mean(axis=1))[1], ridge)
    at_once = max(1, CELLS // len(rows))
    blocks = [
        _descended(rows, y, ridge, weights[:, part], begin[:, part], factor)
        for part in _parts(weights.shape[1], at_once)
    ]
    return _of_uncentred(np.hstack(blocks), middle)


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


def _with_ones(x: Array) -> Array:
    return np.column_stack([x, np.ones(len(x))])


def _of_uncentred(beta: Array, middle: Array) -> Fits:
    """Fits to rows about their middle, as fits to the rows themselves."""
    return Fits(beta[:-1], beta[-1] - middle @ beta[:-1])


def _factor(hessian: Array, ridge: float) -> tuple[Array, bool]:
    try:
        factor: tuple[Array, bool] = cho_factor(hessian)
    except LinAlgError:
        what = f"no classifier can be fitted with a ridge of {ridge:.3g}: it is lost in rounding"
        raise TiltmeterError(f"{what} beside the vectors; expected a larger one") from None
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
