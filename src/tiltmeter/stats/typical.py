"""The typical name: a difference of medians that a small list can decide (METHODS §10.5).

One name that is a word to a system moves a mean as far as it likes, and no list of ten names a cell
can exclude that the next name is one. No single name moves a median far, so its interval needs no
floor. It rests on order statistics alone: of n names drawn at random, the number below the median
of their population is Binomial(n, ½) at most, whatever the distribution, ties included.

It holds for lists where every name counts once. It may say tilted; it never says even, because a
median says nothing of the names beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from tiltmeter.errors import ArgumentError

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TypicalDifference:
    """A difference of medians and its interval; arrays of shape (rows,).

    `low` and `high` are −∞ and ∞ where there are too few names for the level.
    """

    value: Array
    low: Array
    high: Array
    n_first: Counts
    """Names of the first group with an effect; families, of word pairs."""
    n_second: Counts
    level: float

    def is_tilted(self, margin: float) -> NDArray[np.bool_]:
        """Where the interval lies wholly beyond the margin; where it does not, nothing is decided.

        >>> three = np.array([[3.0] * 20]), np.array([[0.0] * 20])
        >>> typical_names(*three).is_tilted(1.0), typical_names(*three).is_tilted(4.0)
        (array([ True]), array([False]))
        """
        return np.asarray((self.low > margin) | (self.high < -margin))


def median_rank(n: int, tail: float) -> int:
    """The largest k with P(the median lies below x₍k₎) ≤ tail, from Binomial(n, ½); 0 if none.

    P(median < x₍k₎) is P(Binomial(n, ½) ≤ k − 1) at most. At 5 %, twenty names a group: either
    group's interval may miss by 2.5 %, either end of it by 1.25 %: P(≤ 4) = 6,196/2²⁰ = 0.6 %, and
    P(≤ 5) = 21,700/2²⁰ = 2.1 % would be too much.

    >>> median_rank(20, 0.05 / 4), median_rank(20, 0.05 / 12 / 4), median_rank(6, 0.05 / 4)
    (5, 3, 0)
    """
    below = bdtr(np.arange(n // 2 + 1, dtype=np.float64), n, 0.5)
    return int(np.count_nonzero(below[: n // 2] <= tail))


def fewest_names(level: float = 0.95) -> int:
    """How many names each group needs for an interval at a level: 2⁻ⁿ ≤ (1 − level)/4.

    >>> fewest_names(0.95), fewest_names(1 - 0.05 / 12)  # 2⁻⁷ = 0.8 %; 2⁻¹⁰ = 0.1 %
    (7, 10)
    """
    _check_level(level)
    return int(np.ceil(-np.log2((1.0 - level) / 4.0) - 1e-9))


def typical_names(first: Array, second: Array, level: float = 0.95) -> TypicalDifference:
    """The median of the first group's names minus that of the second's.

        [x₍k₎ − z₍m+1−l₎, x₍n+1−k₎ − z₍l₎],  k and l from Binomial(n, ½) and Binomial(m, ½)

    at (1 − level)/2 for each group. `first` (rows, n) and `second` (rows, m) are effects of names,
    every name once, the cells of other axes pooled; NaN effects are left out. Pooling compares like
    with like where both groups have as many names in each cell, as in the EEC.

    Ten names 1 to 10 against ten zeros: the medians differ by 5.5. P(Binomial(10, ½) ≤ 1) is
    11/1024 = 1.07 %, below 1.25 %: k = 2, and the interval reaches from 2 to 9.

    >>> typical = typical_names(np.arange(1.0, 11.0)[None], np.zeros((1, 10)))
    >>> typical.value, typical.low, typical.high
    (array([5.5]), array([2.]), array([9.]))
    """
    _check_level(level)
    tail = (1.0 - level) / 4.0
    middle, low, high, n_first = _medians(first, tail)
    other, other_low, other_high, n_second = _medians(second, tail)
    return TypicalDifference(
        middle - other, low - other_high, high - other_low, n_first, n_second, level
    )


def typical_pairs(differences: Array, level: float = 0.95) -> TypicalDifference:
    """The median difference of word pairs, (rows, families): one number for each family of pairs.

    The interval is [d₍k₎, d₍n+1−k₎] with k from Binomial(n, ½) at (1 − level)/2. Of eight families
    it runs from the least to the largest, which holds the median with 1 − 2/2⁸ = 99.2 %.

    >>> typical = typical_pairs(np.array([[2.0, 5, 3, 4, 9, 1, 7, 8]]))
    >>> typical.value, typical.low, typical.high
    (array([4.5]), array([1.]), array([9.]))
    """
    _check_level(level)
    middle, low, high, n = _medians(differences, (1.0 - level) / 2.0)
    return TypicalDifference(middle, low, high, n, n, level)


def _medians(values: Array, tail: float) -> tuple[Array, Array, Array, Counts]:
    """Each row's median, the order statistics k and n + 1 − k, and n."""
    ranked = np.sort(values, axis=1)  # NaN last
    n = np.count_nonzero(~np.isnan(ranked), axis=1)
    middle, low, high = np.full(n.size, np.nan), np.full(n.size, -np.inf), np.full(n.size, np.inf)
    for size in np.unique(n[n > 0]).tolist():
        rows, k = np.flatnonzero(n == size), median_rank(size, tail)
        middle[rows] = np.median(ranked[rows, :size], axis=1)
        if k:
            low[rows], high[rows] = ranked[rows, k - 1], ranked[rows, size - k]
    return middle, low, high, n.astype(np.int64)


def _check_level(level: float) -> None:
    if not 0.0 < level < 1.0:
        raise ArgumentError("level", f"lies between 0 and 1; found {level!r}")
