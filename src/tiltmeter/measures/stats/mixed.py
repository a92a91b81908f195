"""Linear mixed models with crossed random intercepts, by REML, for every submission at once.

y = Xβ + Σ_k Z_k u_k + e with u_k ~ N(0, σ_k² I) and e ~ N(0, σ² I). Sentences are read once; after
that the cost depends on the levels of the factors (names, templates …), not on the sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.stats.random_effects import (
    DUST,
    Array,
    Codes,
    Fixed,
    Reduced,
    leaves_something,
    reduce_sentences,
    some,
)
from tiltmeter.measures.stats.reml import Criterion, Flags, criterion, first_guess, smallest

TOGETHER = 32
"""Submissions fitted in one go: each needs a few matrices of random columns × random columns."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """A mixed model for each of S submissions; NaN throughout where it did not converge."""

    coefficients: Array
    """β, (S, p)."""
    covariance: Array
    """(X'V⁻¹X)⁻¹, (S, p, p)."""
    estimate: Array
    """The combinations asked for, (S, k)."""
    se: Array
    df: Array
    """Satterthwaite's degrees of freedom, (S, k)."""
    variances: Array
    """σ_k² by factor and σ² last, (S, K + 1); NaN for a factor that was left out."""
    log_likelihood: Array
    """The restricted one, (S,)."""
    converged: Flags
    iterations: NDArray[np.int64]


def fit_mixed(values: Array, design: Array, factors: Sequence[Codes], combinations: Array) -> Mixed:
    """Mixed models of values (S, N) on a design (N, p), a random intercept for each factor (N,).

    A factor that the fixed effects absorb, or that cannot be told from the residual and the
    factors before it, is left out. A component at its bound is exactly 0. Degrees of freedom are
    2v²/(g'Ag) as in lmerTest (Kuznetsova et al. 2017), without the components at 0.

    >>> y = np.array([[1.0, 3.0, 2.0, 4.0, 7.0, 7.0]])
    >>> person = np.array([0, 0, 1, 1, 2, 2])
    >>> fit = fit_mixed(y, np.ones((6, 1)), [person], np.ones((1, 1)))
    >>> fit.variances.round(4).tolist()  # within (2 + 2 + 0)/3; ((8 + 2 + 18)/2 − 4/3)/2, between
    [[6.3333, 1.3333]]
    """
    fit = _nothing(len(values), design.shape[1], len(factors), len(combinations))
    for rows, seen in _patterns(values):
        y, x = values[np.ix_(rows, seen)], design[seen]
        if seen.size > x.shape[1] and np.linalg.matrix_rank(x) == x.shape[1]:
            _fit_pattern(fit, rows, y, x, [codes[seen] for codes in factors], combinations)
    return fit


def _nothing(s: int, p: int, factors: int, k: int) -> Mixed:
    return Mixed(
        coefficients=np.full((s, p), np.nan),
        covariance=np.full((s, p, p), np.nan),
        estimate=np.full((s, k), np.nan),
        se=np.full((s, k), np.nan),
        df=np.full((s, k), np.nan),
        variances=np.full((s, factors + 1), np.nan),
        log_likelihood=np.full(s, np.nan),
        converged=np.zeros(s, bool),
        iterations=np.zeros(s, np.int64),
    )


def _patterns(values: Array) -> Iterator[tuple[Codes, Codes]]:
    """Submissions that answered the same sentences, and these sentences."""
    known = ~np.isnan(values)
    _, which = np.unique(np.packbits(known, axis=1), axis=0, return_inverse=True)
    for pattern in range(which.max(initial=-1) + 1):
        rows = np.flatnonzero(which.ravel() == pattern)
        yield rows, np.flatnonzero(known[rows[0]])


def _fit_pattern(
    fit: Mixed, rows: Codes, y: Array, x: Array, factors: Sequence[Codes], combinations: Array
) -> None:
    kept, fixed, reduced = reduce_sentences(y, x, factors)
    able = leaves_something(y, reduced)
    for part in np.array_split(able, max(1, -(-able.size // TOGETHER))):
        ratios, held, fit.iterations[rows[part]] = _ratios(some(reduced, part))
        of = some(reduced, part[held])
        least = fixed.coefficients[part[held]]
        _enter(fit, rows[part[held]], kept, of, ratios[held], fixed, least, combinations)


def _ratios(of: Reduced) -> tuple[Array, Flags, Codes]:
    """The ratios γ, and which fits hold: a residual that shrinks to nothing is none."""
    ratios, reached, steps = smallest(of, first_guess(of))
    return ratios, reached & (criterion(of, ratios).scale * of.free > DUST**2 * of.rest), steps


def _enter(
    fit: Mixed,
    rows: Codes,
    kept: list[int],
    of: Reduced,
    ratios: Array,
    fixed: Fixed,
    least: Array,
    combinations: Array,
) -> None:
    """β = β_ols − U'Dg and its covariance σ²((X'X)⁻¹ + U'DTU), where U = Z'X(X'X)⁻¹."""
    at, weights = criterion(of, ratios), ratios @ of.owner.T
    matrix = np.eye(weights.shape[1]) + of.inner * weights[:, None, :]
    lean = np.linalg.solve(matrix, np.broadcast_to(fixed.lean, (len(ratios), *fixed.lean.shape)))
    shape = fixed.inverse + fixed.lean.T @ (weights[:, :, None] * lean)
    covariance = at.scale[:, None, None] * (shape + np.swapaxes(shape, 1, 2)) / 2.0
    variance = np.einsum("kp,spr,kr->sk", combinations, covariance, combinations)
    pulls = of.owner.T @ (lean @ combinations.T) ** 2 * at.scale[:, None, None]
    fit.converged[rows] = True
    fit.coefficients[rows] = least - (weights * at.toward) @ fixed.lean
    fit.covariance[rows] = covariance
    fit.estimate[rows] = fit.coefficients[rows] @ combinations.T
    fit.se[rows] = np.sqrt(variance)
    fit.df[rows] = _satterthwaite(of.free, at, ratios > 0.0, variance, pulls)
    fit.variances[rows[:, None], kept] = ratios * at.scale[:, None]
    fit.variances[rows, -1] = at.scale
    constant = of.free * (np.log(2.0 * np.pi) + 1.0) + fixed.size
    fit.log_likelihood[rows] = -0.5 * (at.value + constant)


def _satterthwaite(free: int, at: Criterion, inside: Flags, variance: Array, pulls: Array) -> Array:
    """2v²/(g'Ag): A is twice the inverse of −2ℓ's second derivatives in (γ, log σ²).

    Their choice does not matter at the maximum. pulls: the derivatives of v in γ, (s, K, k).
    """
    s, factors = inside.shape
    curve = np.empty((s, factors + 1, factors + 1))
    curve[:, :-1, :-1] = 2.0 * at.forms - at.squares
    curve[:, :-1, -1] = curve[:, -1, :-1] = at.explained
    curve[:, -1, -1] = free
    taken = np.column_stack([inside, np.ones(s, bool)])
    both = taken[:, :, None] & taken[:, None, :]
    curve = np.where(both, curve, np.eye(factors + 1))
    slope = np.concatenate([pulls, variance[:, None, :]], axis=1) * taken[:, :, None]
    sound = np.all(np.linalg.eigvalsh(curve) > 0.0, axis=1)
    curve[~sound] = np.eye(factors + 1)
    wobble = 2.0 * np.sum(slope * np.linalg.solve(curve, slope), axis=1)
    known = sound[:, None] & (wobble > 0.0)
    return np.where(known, 2.0 * variance**2 / np.where(known, wobble, 1.0), np.nan)
