"""The likelihood of Beta regressions and its derivatives, cell by cell, for many submissions.

Ferrari & Cribari-Neto (2004): y ~ Beta(μφ, (1 − μ)φ), logit μ = x'β, log φ = z'γ. Within a cell of
the design x and z are the same, so that the likelihood depends on its scores only through
n, Σ log y and Σ log(1 − y):

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
class Parts:
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


def derivatives(sums: Sums, shape: Shape) -> Parts:
    """The score and the observed second derivatives, cell by cell."""
    n, mu, phi = sums.n, shape.mu, shape.phi
    in_a, in_b, in_phi = shape.digamma
    m = mu * (1.0 - mu)
    tilt = sums.log_y - sums.log_rest - n * (in_a - in_b)
    size = n * in_phi + mu * (sums.log_y - n * in_a) + (1.0 - mu) * (sums.log_rest - n * in_b)
    expected = information(n, shape)
    return Parts(
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
