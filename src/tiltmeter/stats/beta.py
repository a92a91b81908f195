"""Beta regression for many submissions at once, by Newton's method on the cells of the design.

Ferrari & Cribari-Neto (2004): y ~ Beta(μφ, (1 − μ)φ), logit μ = x'β, log φ = z'γ. Within a cell
of the design x and z are the same, so that the likelihood depends on its scores only through n,
Σ log y and Σ log(1 − y):
    ℓ = n [ln Γ(φ) − ln Γ(μφ) − ln Γ((1−μ)φ)] + (μφ − 1) Σ log y + ((1−μ)φ − 1) Σ log(1 − y)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, expit, gammaln, zeta

Array = NDArray[np.float64]
Rows = NDArray[np.bool_] | NDArray[np.int64] | slice


@dataclass(frozen=True, slots=True)
class Sums:
    """What scores come down to: (submissions, cells)."""

    n: Array
    log_y: Array
    """Σ log y"""
    log_rest: Array
    """Σ log(1 − y)"""

    def rows(self, which: Rows) -> Sums:
        """Some submissions only."""
        return Sums(self.n[which], self.log_y[which], self.log_rest[which])


@dataclass(frozen=True, slots=True)
class LikelihoodDerivatives:
    """First and second derivatives in η = logit μ and ζ = log φ, (submissions, cells)."""

    eta: Array
    zeta: Array
    eta_eta: Array
    eta_zeta: Array
    zeta_zeta: Array


def means_and_precisions(mean: Array, precision: Array, at: Array) -> tuple[Array, Array]:
    """μ and φ of every cell, (submissions, cells)."""
    p = mean.shape[1]
    with np.errstate(over="ignore", under="ignore"):
        return expit(at[:, :p] @ mean.T), np.exp(at[:, p:] @ precision.T)


@dataclass(frozen=True, slots=True)
class Shape:
    """Beta distributions, (submissions, cells): what their derivatives are made of."""

    mu: Array
    phi: Array
    digamma: tuple[Array, Array, Array]
    """ψ of μφ, of (1 − μ)φ and of φ."""
    trigamma: tuple[Array, Array, Array]
    """ψ′ of the same."""

    def at(self, cell: NDArray[np.int64]) -> Shape:
        """The shapes of things that lie in cells."""
        first, second = (
            (a[:, cell], b[:, cell], c[:, cell]) for a, b, c in (self.digamma, self.trigamma)
        )
        return Shape(self.mu[:, cell], self.phi[:, cell], first, second)


def shape_of(mean: Array, precision: Array, at: Array) -> Shape:
    """The distributions that parameters stand for."""
    mu, phi = means_and_precisions(mean, precision, at)
    with np.errstate(all="ignore"):
        a, b = mu * phi, (1.0 - mu) * phi
        first = (digamma(a), digamma(b), digamma(phi))
        second = (zeta(2.0, a), zeta(2.0, b), zeta(2.0, phi))  # ψ′(x) = ζ(2, x)
    return Shape(mu, phi, first, second)


def log_likelihood(sums: Sums, mean: Array, precision: Array, at: Array) -> Array:
    """ℓ of each submission; −∞ where the parameters are out of reach of floating point."""
    mu, phi = means_and_precisions(mean, precision, at)
    with np.errstate(all="ignore"):
        a, b = mu * phi, (1.0 - mu) * phi
        cells = sums.n * (gammaln(phi) - gammaln(a) - gammaln(b))
        total: Array = np.sum(cells + (a - 1) * sums.log_y + (b - 1) * sums.log_rest, axis=1)
    return np.where(np.isfinite(total), total, -np.inf)


def derivatives(sums: Sums, shape: Shape) -> LikelihoodDerivatives:
    """The score and the observed second derivatives, cell by cell."""
    n, mu, phi = sums.n, shape.mu, shape.phi
    in_a, in_b, in_phi = shape.digamma
    m = mu * (1.0 - mu)
    tilt = sums.log_y - sums.log_rest - n * (in_a - in_b)
    size = n * in_phi + mu * (sums.log_y - n * in_a) + (1.0 - mu) * (sums.log_rest - n * in_b)
    expected = information(n, shape)
    return LikelihoodDerivatives(
        eta=phi * m * tilt,
        zeta=phi * size,
        eta_eta=phi * m * (1.0 - 2.0 * mu) * tilt - expected[0],
        eta_zeta=phi * m * tilt - expected[1],
        zeta_zeta=phi * size - expected[2],
    )


def information(n: Array, shape: Shape) -> tuple[Array, Array, Array]:
    """The expected information of η, of η with ζ, and of ζ, cell by cell."""
    mu, phi = shape.mu, shape.phi
    in_a, in_b, in_phi = shape.trigamma
    m = mu * (1.0 - mu)
    return (
        n * (phi * m) ** 2 * (in_a + in_b),
        n * phi**2 * m * (mu * in_a - (1.0 - mu) * in_b),
        n * phi**2 * (mu**2 * in_a + (1.0 - mu) ** 2 * in_b - in_phi),
    )


def quadratic(mean: Array, precision: Array, weights: tuple[Array, Array, Array]) -> Array:
    """Σ over cells of weights · design · designᵀ, (submissions, p + q, p + q)."""
    of_eta, of_both, of_zeta = weights
    top = [_weighed(of_eta, mean, mean), _weighed(of_both, mean, precision)]
    bottom = [_weighed(of_both, precision, mean), _weighed(of_zeta, precision, precision)]
    return np.concatenate([np.concatenate(row, axis=2) for row in (top, bottom)], axis=1)


def _weighed(weight: Array, left: Array, right: Array) -> Array:
    """Products of two designs' columns, weighed and summed over cells."""
    pairs = (left[:, :, None] * right[:, None, :]).reshape(len(left), -1)
    found: Array = (weight @ pairs).reshape(len(weight), left.shape[1], right.shape[1])
    return found


# Sentences are summed once, into n, Σ log y and Σ log(1 − y) of each cell; what a fit costs depends
# on cells and submissions alone.

Flags = NDArray[np.bool_]

STEPS = 100
"""Newton steps at most; ten are common."""
HALVINGS = 40
STRIDE = 4.0
"""What one step may change a parameter by: beyond e⁴ times the odds or the precision, the curve
says little."""
SETTLED = 1e-18
"""The squared length of a Newton step, in standard errors, below which a fit has converged."""
RESTING = 1e-8
"""The same where the likelihood, to the last digit, grows no more."""
NEARLY = 1e-13
"""The least eigenvalue, of a matrix scaled to ones, that counts as more than 0."""
ROUNDING = 8 * np.finfo(np.float64).eps


@dataclass(frozen=True, slots=True)
class BetaFit:
    """The maximum of the likelihood, for each submission; NaN where there is none."""

    parameters: Array
    """(submissions, p + q): β, then γ."""
    covariance: Array
    """(submissions, p + q, p + q): from the observed information, as if sentences were
    independent."""
    log_likelihood: Array
    converged: Flags
    iterations: NDArray[np.int64]


def fit_beta(sums: Sums, mean: Array, precision: Array, start: Array) -> BetaFit:
    """Fit every submission; `mean` (cells, p) and `precision` (cells, q) are the two designs.

    `start` (submissions, p + q) is where Newton begins. A submission whose start is not finite is
    left alone.
    """
    at, live = start.copy(), _all_finite(start)
    done, steps = np.zeros(len(at), bool), np.zeros(len(at), np.int64)
    value = np.full(len(at), np.nan)
    value[live] = log_likelihood(sums.rows(live), mean, precision, at[live])
    for _ in range(STEPS):
        rows = np.flatnonzero(live & ~done)
        if not rows.size:
            break
        now = sums.rows(rows)
        step, length = _newton_step(now, mean, precision, at[rows])
        moved, value[rows], grew, fell = _climb(now, mean, precision, at[rows], step, value[rows])
        at[rows] = moved
        steps[rows] += 1
        done[rows] = (length < SETTLED) | (~grew & (length < RESTING))
        live[rows[fell & ~done[rows]]] = False  # stuck: said by `converged`
    size = at.shape[1]
    covariance = np.full((len(at), size, size), np.nan)
    if done.any():
        with np.errstate(all="ignore"):
            parts = derivatives(sums.rows(done), shape_of(mean, precision, at[done]))
            curved = -quadratic(mean, precision, (parts.eta_eta, parts.eta_zeta, parts.zeta_zeta))
        fine = _positive(curved)
        inverse = np.full_like(curved, np.nan)
        inverse[fine] = np.linalg.inv(curved[fine])
        covariance[done] = inverse
        done[done] = fine
    here = np.where(done[:, None], at, np.nan)
    return BetaFit(here, covariance, np.where(done, value, np.nan), done, steps)


def _newton_step(sums: Sums, mean: Array, precision: Array, at: Array) -> tuple[Array, Array]:
    """The step, and its squared length in standard errors.

    Where the likelihood is not curved downwards, the expected information takes the observed
    one's place: it always is.
    """
    shape = shape_of(mean, precision, at)
    with np.errstate(all="ignore"):
        parts = derivatives(sums, shape)
        gradient = np.concatenate([parts.eta @ mean, parts.zeta @ precision], axis=1)
        curved = -quadratic(mean, precision, (parts.eta_eta, parts.eta_zeta, parts.zeta_zeta))
        bad = ~_positive(curved)
        if bad.any():
            expected = information(sums.n, shape)
            curved[bad] = quadratic(mean, precision, expected)[bad]
    step, fine = np.zeros_like(gradient), _positive(curved)
    if fine.any():
        step[fine] = np.linalg.solve(curved[fine], gradient[fine, :, None])[:, :, 0]
    farthest = np.abs(step).max(axis=1, keepdims=True)
    shorter = step / np.maximum(1.0, farthest / STRIDE)
    return shorter, np.abs(np.sum(step * gradient, axis=1))


def _all_finite(rows: Array) -> Flags:
    """Which rows hold nothing but numbers."""
    finite = np.isfinite(rows).reshape(len(rows), -1)
    return np.asarray(finite.all(axis=1), np.bool_)


def _positive(matrices: Array) -> Flags:
    """Which matrices are finite and positive definite."""
    finite = _all_finite(matrices)
    safe = np.where(finite[:, None, None], matrices, np.eye(matrices.shape[1]))
    scale = np.sqrt(np.abs(np.einsum("sii->si", safe)))
    scale[scale == 0] = 1.0
    least: Array = np.linalg.eigvalsh(safe / (scale[:, :, None] * scale[:, None, :]))[:, 0]
    positive: Flags = finite & (least > NEARLY)
    return positive


def _climb(
    sums: Sums, mean: Array, precision: Array, at: Array, step: Array, value: Array
) -> tuple[Array, Array, Flags, Flags]:
    """Go along the step, halving it until the likelihood does not fall; whether it grew or fell.

    Where neither can be told to the last digit, the step is taken: the gradient knows more.
    """
    moved, best = at + step, log_likelihood(sums, mean, precision, at + step)
    _, phi = means_and_precisions(mean, precision, at)
    with np.errstate(all="ignore"):  # how large the terms are tells how well their sum is known
        terms = sums.n * np.abs(gammaln(phi)) + phi * (np.abs(sums.log_y) + np.abs(sums.log_rest))
    slack = ROUNDING * np.sum(np.where(np.isfinite(terms), terms, 0.0), axis=1)
    falling = best < value - slack
    for halving in range(1, HALVINGS):
        if not falling.any():
            break
        moved[falling] = at[falling] + step[falling] / 2.0**halving
        best[falling] = log_likelihood(sums.rows(falling), mean, precision, moved[falling])
        falling = best < value - slack
    moved[falling], best[falling] = at[falling], value[falling]
    return moved, best, best > value + slack, falling
