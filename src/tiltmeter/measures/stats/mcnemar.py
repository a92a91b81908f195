"""Pairs that change label: how often, which way, and how sure that is.

Of n pairs, b have the higher label on the first side and c on the second; the others have the same
on both. Arrays hold counts for each system; nothing here knows that pairs may share people.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincinv, ndtri

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

LEVEL = 0.95
"""Of the intervals."""
HALVINGS = 60
"""Of the range −1 to 1, which leaves an end known to the last digit."""


def exact_interval(hits: Counts, n: Counts) -> tuple[Array, Array]:
    """Clopper and Pearson's (1934) 95 % interval of a share hits / n; NaN for n = 0.

    low is the p at which P(X ≥ hits) = 2.5 %, high the one at which P(X ≤ hits) = 2.5 %.

    >>> low, high = exact_interval(np.array([0]), np.array([10]))
    >>> float(low[0]), round(float(high[0]), 4)  # (1 − p)^10 = 0.025, p = 1 − 0.025^0.1
    (0.0, 0.3085)
    """
    tail = (1.0 - LEVEL) / 2.0
    x, size = np.asarray(hits, float), np.asarray(n, float)
    rest = size - x
    low = np.where(x > 0, betaincinv(np.maximum(x, 1.0), rest + 1.0, tail), 0.0)
    high = np.where(rest > 0, betaincinv(x + 1.0, np.maximum(rest, 1.0), 1.0 - tail), 1.0)
    known = size > 0
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def mcnemar_p(b: Counts, c: Counts) -> Array:
    """The exact two-sided p of McNemar's (1947) test: whether b and c are a fair coin's.

    p = min(1, 2 · P(X ≤ min(b, c))), X binomial of b + c trials at ½; 1 where nothing changed.

    >>> mcnemar_p(np.array([1, 0]), np.array([7, 0]))  # 2 · (1 + 8) / 2^8 = 18 / 256
    array([0.0703125, 1.       ])
    """
    fewer, tosses = np.minimum(b, c), np.asarray(b) + c
    p: Array = np.minimum(1.0, 2.0 * bdtr(fewer, tosses, 0.5))
    return np.where(tosses > 0, p, 1.0)


def balance_interval(b: Counts, c: Counts, n: Counts) -> tuple[Array, Array]:
    """Tango's (1998) score interval of (b − c) / n, 95 %; NaN for n = 0.

    All δ that a score test does not reject: |b − c − nδ| ≤ z √(n (2q + δ (1 − δ))), with q the
    likeliest share of c at that δ, the larger root of 2n q² + Bq − cδ(1 − δ) = 0, where
    B = (2n − b + c) δ − b − c. It holds its level where few pairs change, and where none do.

    >>> low, high = balance_interval(np.array([0]), np.array([0]), np.array([100]))
    >>> round(float(high[0]), 5)  # nδ² = z² δ (1 − δ), so δ = z² / (n + z²) = 3.8415 / 103.8415
    0.03699
    """
    up, down, size = (np.asarray(one, np.float64) for one in (b, c, n))
    value = (up - down) / np.where(size > 0, size, np.nan)
    return _end(up, down, size, value, -1.0), _end(up, down, size, value, 1.0)


def _end(b: Array, c: Array, n: Array, value: Array, outer: float) -> Array:
    """Where the score test begins to reject, between the value seen and δ = `outer`."""
    far, near = np.full_like(value, outer), value.copy()
    for _ in range(HALVINGS):
        middle = (far + near) / 2.0
        rejected = _rejected(b, c, n, middle)
        far, near = np.where(rejected, middle, far), np.where(rejected, near, middle)
    return np.where(np.isnan(value), np.nan, near)


def _rejected(b: Array, c: Array, n: Array, delta: Array) -> NDArray[np.bool_]:
    """Whether b − c lies more than z standard errors from nδ."""
    linear = (2.0 * n - b + c) * delta - b - c
    root = np.sqrt(np.maximum(linear**2 + 8.0 * n * c * delta * (1.0 - delta), 0.0))
    q = (root - linear) / (4.0 * np.maximum(n, 1.0))
    variance = np.maximum(n * (2.0 * q + delta * (1.0 - delta)), 0.0)
    z = float(ndtri((1.0 + LEVEL) / 2.0))
    beyond: NDArray[np.bool_] = (b - c - n * delta) ** 2 > z**2 * variance
    return beyond
