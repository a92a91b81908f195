"""Weighted rejection scores: how often classes' mean scores differ, at three levels of confidence.

Lakkaraju et al. (2023), §3.3: t = (m₁ − m₂) / (√(s₁²/n₁ + s₂²/n₂) + ε) for every two classes, and
ψ = Σ w · [the difference is rejected at that level]. Shapes are (systems, draws, …).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from tiltmeter.measures.stats.class_sums import Array, ClassSums, Index

EPSILON = 0.0001
"""Added to the standard error, which is 0 where a system answers a class always alike."""
TINY = 2e-6
"""A difference or a standard deviation below 1e-6 of the scale −1..1 is 0."""


@dataclass(frozen=True, slots=True)
class TTests:
    """t and its degrees of freedom for each two classes; NaN where a class is too small."""

    t: Array
    df: Array

    @property
    def p(self) -> Array:
        """The two-sided p-value."""
        p: Array = 2 * stdtr(self.df, -np.abs(self.t))
        return p


def t_tests(sums: ClassSums, first: Index, second: Index, *, welch: bool) -> TTests:
    """Compare classes by t; `sums` is laid out over (classes, strata).

    In one stratum it is the formula above, df = n₁ + n₂ − 2. In several the differences within
    strata are averaged by P(z), the share of all sentences in the stratum, which is what backdoor
    adjustment asks for, over the strata in which both classes have scores. With `welch` the degrees
    of freedom are Welch and Satterthwaite's, and n₁ + n₂ − 2 where no score varies.

    >>> from tiltmeter.measures.stats.class_sums import class_sums
    >>> scores = np.array([[1.0] * 4 + [-1.0] * 12])  # 8 of one class, half of them 1; 8 of another
    >>> cell = np.repeat([0, 1], 8)
    >>> sums = class_sums(scores, np.ones((1, 16)), cell, 2).over(2, 1)
    >>> tests = t_tests(sums, np.array([0]), np.array([1]), welch=False)
    >>> round(tests.t.item(), 3), tests.df.item()  # 1 / (√(8/7/8) + 0.0001)
    (2.645, 14.0)
    """
    there = sums.n > 1
    both = there[..., first, :] & there[..., second, :]
    share = np.where(both, sums.n.sum(axis=-2)[..., None, :], 0.0)
    every = share.sum(axis=-1, keepdims=True)
    share /= np.where(every > 0, every, np.nan)
    mean, n = np.where(there, sums.mean, 0.0), np.where(there, sums.n, 2.0)
    variance = np.where(there & (sums.variance >= TINY**2), sums.variance, 0.0)
    difference = (share * (mean[..., first, :] - mean[..., second, :])).sum(axis=-1)
    difference = np.where(np.abs(difference) < TINY, 0.0, difference)
    errors = [share**2 * (variance / n)[..., side, :] for side in (first, second)]
    squared = (errors[0] + errors[1]).sum(axis=-1)
    freedom = np.where(both, (n[..., first, :] + n[..., second, :] - 2), 0.0).sum(axis=-1)
    if welch:
        parts = [
            error**2 / (n[..., side, :] - 1)
            for error, side in zip(errors, (first, second), strict=True)
        ]
        below = (parts[0] + parts[1]).sum(axis=-1)
        freedom = np.divide(squared**2, below, out=freedom, where=below > 0)
    return TTests(difference / (np.sqrt(squared) + EPSILON), freedom)


def tails(confidence: tuple[float, ...], *, halved_twice: bool) -> Array:
    """The two-sided p-value below which each level of confidence rejects.

    The paper's critical value is that of (1 − CI)/4 in each tail: `halved_twice`.

    >>> tails((0.95, 0.7), halved_twice=False).round(3), tails((0.95, 0.7), halved_twice=True)
    (array([0.05, 0.3 ]), array([0.025, 0.15 ]))
    """
    p: Array = (1 - np.asarray(confidence)) / (2 if halved_twice else 1)
    return p


def critical_values(tail: Array, df: Array) -> Array:
    """The |t| that a level asks for: t.ppf(1 − p/2, df).

    >>> critical_values(np.array([0.025]), np.array([14.0])).round(3)
    array([2.51])
    """
    found: Array = stdtrit(df, 1 - tail / 2)
    return found


def rejections(p: Array, tail: Array) -> NDArray[np.int64]:
    """How many levels reject each test; the strictest level is the last to."""
    below: NDArray[np.int64] = (p[..., None] < tail).sum(axis=-1)
    return below


def weighted_rejections(p: Array, tail: Array, weights: Array) -> Array:
    """ψ over the last axis: the weights of every level at which a test rejects.

    NaN where a test could not be made: fewer tests would be fewer rejections.

    >>> weighted_rejections(np.array([[0.01, 0.2, 0.9]]), np.array([0.05, 0.3, 0.4]),
    ...                     np.array([1.0, 0.8, 0.6]))  # 2.4 + 1.4
    array([3.8])
    """
    psi = ((p[..., None] < tail) * weights).sum(axis=(-1, -2))
    return np.where(np.isnan(p).any(axis=-1), np.nan, psi)
