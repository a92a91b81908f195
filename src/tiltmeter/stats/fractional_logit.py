"""Fractional logit for many submissions at once: means of scores from 0 to 1, no distribution.

Papke & Wooldridge (1996): E[y] = μ with logit μ = x'β, fitted by Bernoulli's quasi-likelihood

    ℓ = Σ y log μ + (1 − y) log(1 − μ)

which needs the mean alone to be right. A Beta regression is misspecified for scores of a lexicon
and moves their means (METHODS §10.8); here the equations X'(y − μ) = 0 make the fitted means of
groups that have a column each those of the scores. Scores of 0 and 1 need no squeezing. Within a
cell of the design x is the same, so n and Σ y of each cell are all that the fit needs. Its errors
are sandwiches: nothing is assumed of how scores spread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tiltmeter.errors import ArgumentError

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

STEPS = 100
"""Newton steps at most; eight are common."""
HALVINGS = 40
SETTLED = 1e-20
"""The squared length of a Newton step, in standard errors, below which a fit has converged."""
FARTHEST = 25.0
"""A logit beyond which a mean is 0 or 1: then a parameter has no finite value."""
SINGULAR = 1e-12
"""The least eigenvalue, of information scaled to ones, that counts as more than 0."""


@dataclass(frozen=True, slots=True)
class FractionalLogitFit:
    """The maximum of the quasi-likelihood, for each submission; NaN where there is none."""

    parameters: Array
    """(submissions, p)"""
    inverse: Array
    """(submissions, p, p): that of the information X' diag(n μ (1 − μ)) X. It is no covariance by
    itself: see `clustered_covariance` and `robust_covariance`."""
    means: Array
    """(submissions, cells): μ."""
    converged: Flags
    """False where a group's scores are all 0 or all 1, or columns cannot be told apart."""


def fit_fractional_logit(n: Array, total: Array, design: Array) -> FractionalLogitFit:
    """Fit every submission from n and Σ y of each cell, (submissions, cells).

    `design` is (cells, p). Cells without scores do not count.

    Four scores with mean ¼ and four with mean ¾: logits −log 3 and log 3.

    >>> fit = fit_fractional_logit(
    ...     np.array([[4.0, 4.0]]), np.array([[1.0, 3.0]]), np.array([[1.0, 1.0], [1.0, 0.0]]))
    >>> fit.parameters.round(3), fit.means.round(6)
    (array([[ 1.099, -2.197]]), array([[0.25, 0.75]]))
    """
    _check(n, total, design)
    at, live = _start(n, total, design), n.sum(axis=1) > 0
    done = np.zeros(len(n), bool)
    for _ in range(STEPS):
        rows = np.flatnonzero(live & ~done)
        if not rows.size:
            break
        mu = expit(at[rows] @ design.T)
        gradient = (total[rows] - n[rows] * mu) @ design
        inverse, regular = _inverse(n[rows] * mu * (1.0 - mu), design)
        live[rows[~regular]] = False
        rows, step = rows[regular], np.einsum("sjk,sk->sj", inverse[regular], gradient[regular])
        length = np.abs((step * gradient[regular]).sum(axis=1))
        at[rows] = _climb(n[rows], total[rows], design, at[rows], step)
        done[rows] = length < SETTLED
    logits = np.where(n > 0, at @ design.T, 0.0)
    done &= np.abs(logits).max(axis=1, initial=0.0) < FARTHEST
    parameters = np.where(done[:, None], at, np.nan)
    means = np.where(done[:, None], expit(at @ design.T), np.nan)
    inverse = np.full((len(n), design.shape[1], design.shape[1]), np.nan)
    inverse[done], _ = _inverse((n * means * (1.0 - means))[done], design)
    return FractionalLogitFit(parameters, inverse, means, done)


@dataclass(frozen=True, slots=True)
class ClusterParts:
    """What each cluster, such as a name, adds; as `clustered.cr2` takes it."""

    scores: Array
    """(submissions, clusters, p): Σ x (y − μ)."""
    information: Array
    """(submissions, clusters, p, p): Σ x x' μ (1 − μ)."""


def cluster_parts(fit: FractionalLogitFit, n: Array, total: Array, design: Array) -> ClusterParts:
    """Scores and information of clusters, from their n and Σ y, (submissions, clusters, cells).

    Of submissions without a fit both are NaN.
    """
    means = fit.means[:, None, :]
    pairs = (design[:, :, None] * design[:, None, :]).reshape(len(design), -1)
    information = (n * means * (1.0 - means)) @ pairs
    size = design.shape[1]
    return ClusterParts(
        (total - n * means) @ design, information.reshape(*information.shape[:2], size, size)
    )


def clustered_covariance(fit: FractionalLogitFit, parts: ClusterParts) -> Array:
    """The sandwich over clusters (Liang & Zeger 1986), (submissions, p, p): H⁻¹ Σ S S' H⁻¹.

    With few clusters it is too small: `clustered.cr2` with the same parts corrects that.
    """
    meat = np.einsum("sgj,sgk->sjk", parts.scores, parts.scores)
    return np.asarray(fit.inverse @ meat @ fit.inverse)


def robust_covariance(
    fit: FractionalLogitFit, n: Array, total: Array, squares: Array, design: Array
) -> Array:
    """The sandwich over single scores (HC0), (submissions, p, p).

    From n, Σ y and Σ y² of each cell: Σ (y − μ)² = Σ y² − 2 μ Σ y + n μ².
    """
    spread = np.maximum(squares - 2.0 * fit.means * total + n * fit.means**2, 0.0)
    meat = np.einsum("sc,cj,ck->sjk", spread, design, design, optimize=True)
    return np.asarray(fit.inverse @ meat @ fit.inverse)


@dataclass(frozen=True, slots=True)
class MeanContrasts:
    """Differences of fitted means in points of the scale, and how parameters move them."""

    value: Array
    """(submissions, contrasts)"""
    combinations: Array
    """(submissions, contrasts, p): ∂value/∂β, as `clustered.cr2` takes it; the variance of a value
    is combination' V combination (delta method)."""


def mean_contrasts(fit: FractionalLogitFit, weights: Array, design: Array) -> MeanContrasts:
    """Weighted sums of fitted means, Σ_c w_c μ_c; `weights` is (contrasts, cells).

    The means ¼ and ½ differ by ¼: weights 1 and −1.

    >>> design = np.array([[1.0, 1.0], [1.0, 0.0]])
    >>> fit = fit_fractional_logit(np.array([[4.0, 4.0]]), np.array([[1.0, 2.0]]), design)
    >>> mean_contrasts(fit, np.array([[1.0, -1.0]]), design).value.round(6)
    array([[-0.25]])
    """
    slope = fit.means * (1.0 - fit.means)
    combinations = np.einsum("qc,sc,cj->sqj", weights, slope, design, optimize=True)
    return MeanContrasts(fit.means @ weights.T, combinations)


def _start(n: Array, total: Array, design: Array) -> Array:
    """One weighted step from the logits of the cells' means, drawn in from 0 and 1."""
    share = (total + 0.5) / (n + 1.0)
    weight = n * share * (1.0 - share)
    inverse, regular = _inverse(weight, design)
    aim = weight * np.log(share / (1.0 - share)) @ design
    start = np.einsum("sjk,sk->sj", inverse, aim)
    return np.where(regular[:, None], start, 0.0)


def _inverse(weight: Array, design: Array) -> tuple[Array, Flags]:
    """(X' diag(w) X)⁻¹ of each submission, and which are regular; 0 where one is not."""
    information = np.einsum("sc,cj,ck->sjk", weight, design, design, optimize=True)
    scale = np.sqrt(np.maximum(np.einsum("sjj->sj", information), np.finfo(np.float64).tiny))
    level = information / (scale[:, :, None] * scale[:, None, :])
    regular: Flags = np.linalg.eigvalsh(level)[:, 0] > SINGULAR
    inverse = np.zeros_like(information)
    inverse[regular] = np.linalg.inv(level[regular])
    return inverse / (scale[:, :, None] * scale[:, None, :]), regular


def _quasi_likelihood(n: Array, total: Array, design: Array, at: Array) -> Array:
    logits = at @ design.T
    return np.asarray((total * logits - n * np.logaddexp(0.0, logits)).sum(axis=1))


def _climb(n: Array, total: Array, design: Array, at: Array, step: Array) -> Array:
    """Go along the step, halving it where the quasi-likelihood would fall."""
    here = _quasi_likelihood(n, total, design, at)
    slack = 1e-12 * (np.abs(here) + n.sum(axis=1))
    moved = at + step
    for _ in range(HALVINGS):
        falling = _quasi_likelihood(n, total, design, moved) < here - slack
        if not falling.any():
            break
        step = np.where(falling[:, None], step / 2.0, step)
        moved = at + step
    return moved


def _check(n: Array, total: Array, design: Array) -> None:
    if n.shape != total.shape or n.shape[1:] != design.shape[:1]:
        shapes = f"{n.shape}, {total.shape} and {design.shape}"
        raise ArgumentError("n", f"has with total and design the shapes {shapes}; expected (s, c), "
                                 "(s, c) and (c, p)")  # fmt: skip
    slack = 1e-9 * np.maximum(n, 1.0)
    if not ((total >= -slack) & (total <= n + slack)).all():
        raise ArgumentError("total", "is of scores beyond 0 to 1; map them to that scale first")
