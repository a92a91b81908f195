"""Several tests at once: corrected p-values, and the ranks that all comparisons allow.

Ranks after Mogstad, Romano, Shaikh and Wilhelm (2024): where system i is surely above system j, i
ranks before j. Each ordered pair is a one-sided test, all of them corrected together after Holm, so
that with 95 % probability every range holds at once, however the systems' numbers hang together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from tiltmeter.ranking import coarsen

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]

LEVEL = 0.05
"""Of being wrong about any pair."""
ROUNDING = 1e-13
"""A variance of a difference is no smaller than this part of what it is made of."""


def bonferroni(p: Array, family: int) -> Array:
    """P · m, at most 1: no false alarm in the family, with the promised probability.

    Families lie along the last axis, of which `family` tests were made.

    >>> bonferroni(np.array([0.01, 0.03, 0.5]), 3)
    array([0.03, 0.09, 1.  ])
    """
    return np.minimum(p * family, 1.0)


def holm(p: Array, family: int) -> Array:
    """Holm (1979): the i-th smallest times m − i + 1, never below an earlier one.

    Promises what Bonferroni does and finds at least as much.

    >>> holm(np.array([0.01, 0.03, 0.04]), 3)
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p, axis=-1, kind="stable")
    times = np.maximum(family - np.arange(p.shape[-1]), 1)
    rising = np.take_along_axis(p, order, axis=-1) * times
    return _put_back(np.maximum.accumulate(rising, axis=-1), order)


def benjamini_hochberg(p: Array, family: int) -> Array:
    """Benjamini & Hochberg (1995): the i-th smallest times m / i, never above a later one.

    Of the differences detected, at most the promised share are false alarms on average.

    >>> benjamini_hochberg(np.array([0.01, 0.03, 0.04]), 3)
    array([0.03, 0.04, 0.04])
    """
    order = np.argsort(p, axis=-1, kind="stable")
    rank = np.minimum(np.arange(1, p.shape[-1] + 1), family)
    falling = np.flip(np.take_along_axis(p, order, axis=-1) * family / rank, axis=-1)
    return _put_back(np.flip(np.fmin.accumulate(falling, axis=-1), axis=-1), order)


def _put_back(ordered: Array, order: Places) -> Array:
    adjusted = np.empty_like(ordered)
    np.put_along_axis(adjusted, order, np.minimum(ordered, 1.0), axis=-1)
    return adjusted


CORRECTIONS = ("none", "bonferroni", "holm", "bh")


def corrected_p(p: Array, how: str) -> Array:
    """Each family along the last axis corrected: bonferroni, holm, bh, or none; NaN stays alone.

    >>> corrected_p(np.array([[0.01, 0.04, 0.03]]), "holm")[0].round(2)  # 3×, 1×, 2×, rising
    array([0.03, 0.06, 0.06])
    """
    if how == "none":
        return p
    correct = {"bonferroni": bonferroni, "holm": holm, "bh": benjamini_hochberg}[how]
    return correct(p, p.shape[-1])


@dataclass(frozen=True, slots=True)
class Ranges:
    """Ranks of systems, 1 the highest, arrays of shape (systems,); 0 where a system has none."""

    rank: Places
    """By the numbers as they are; equal ones share the better rank."""
    best: Places
    """The highest rank that the data allow."""
    worst: Places
    group: Places
    """1 for the highest system and all that cannot be told from it, and so on: see `tie_groups`."""

    @property
    def of(self) -> int:
        """How many systems are ranked."""
        return int(np.count_nonzero(self.rank))


def difference_variances(rows: Array) -> tuple[Array, Array]:
    """Variances of every θ_i − θ_j and θ_i + θ_j, (systems, systems) each.

    `rows` (systems, units) is what each unit adds to a number: Σ over units of its squares is that
    number's variance, so that Σ (x_i ∓ x_j)² is that of a difference or a sum.

    >>> minus, plus = difference_variances(np.array([[3.0, 4.0], [0.0, 4.0]]))
    >>> float(minus[0, 1]), float(plus[0, 1])  # (3 − 0)² + (4 − 4)², (3 + 0)² + (4 + 4)²
    (9.0, 73.0)
    """
    products = rows @ rows.T
    own = np.diagonal(products)
    both = own[:, None] + own
    least = ROUNDING * both
    return np.maximum(both - 2.0 * products, least), np.maximum(both + 2.0 * products, least)


def above_p(value: Array, variance: Array, df: Array, dust: float) -> Array:
    """One-sided p of every pair, (systems, systems): small where i is above j.

    Values that differ by no more than `dust` are equal, p = 1.
    """
    apart = value[:, None] - value
    return np.where(np.abs(apart) <= dust, 1.0, _upper(apart, variance, df))


def larger_p(value: Array, minus: Array, plus: Array, df: Array, dust: float) -> Array:
    """One-sided p of every pair: small where |θ_i| is larger than |θ_j|.

    |θ_i| > |θ_j| where both sθ_i − θ_j > 0 and sθ_i + θ_j > 0, s the sign of θ_i; both have to be
    shown, so p is the larger of the two (an intersection–union test, Berger 1982).
    """
    sign = np.where(value < 0, -1.0, 1.0)[:, None]
    size = np.abs(value)[:, None]
    same, other = np.where(sign > 0, minus, plus), np.where(sign > 0, plus, minus)
    p = np.maximum(_upper(size - value, same, df), _upper(size + value, other, df))
    return np.where(np.abs(size - np.abs(value)) <= dust, 1.0, p)


def _upper(value: Array, variance: Array, df: Array) -> Array:
    """P(T ≥ value / se); 0 or 1 where there is no uncertainty."""
    se = np.sqrt(variance)
    t = np.divide(value, se, out=np.copysign(np.full(value.shape, 1e9), value), where=se > 0)
    p: Array = stdtr(np.maximum(df, 1.0), -t)
    return p


def surely_above(p: Array, level: float = LEVEL) -> Flags:
    """Which pairs are told apart, (systems, systems): i above j, corrected for all after Holm.

    >>> surely_above(np.array([[1.0, 0.001], [0.999, 1.0]]))
    array([[False,  True],
           [False, False]])
    """
    others = ~np.eye(len(p), dtype=bool)
    found = np.zeros(p.shape, bool)
    if others.any():
        found[others] = holm(p[others], int(others.sum())) < level
    return found


def rank_ranges(value: Array, above: Flags, dust: float) -> Ranges:
    """The ranks that the data allow: 1 + those surely above, to all minus those surely below.

    >>> above = np.array([[False, False, True], [False, False, False], [False, False, False]])
    >>> found = rank_ranges(np.array([0.9, 0.8, 0.1]), above, 0.0)
    >>> found.rank, found.best, found.worst
    (array([1, 2, 3]), array([1, 1, 2]), array([2, 3, 3]))
    """
    higher = value > value[:, None] + dust
    rank = 1 + np.count_nonzero(higher, axis=1)
    best = 1 + np.count_nonzero(above, axis=0)
    worst = len(value) - np.count_nonzero(above, axis=1)
    return Ranges(rank, best, worst, tie_groups(value, above))


def tie_groups(value: Array, above: Flags) -> Places:
    """Groups of systems that the data do not tell apart, 1 the highest.

    From the highest down: the first opens a group, those that it is not surely above join it, and
    the first that it is surely above opens the next.

    >>> above = np.array([[False, False, True], [False, False, False], [False, False, False]])
    >>> tie_groups(np.array([0.9, 0.8, 0.1]), above)
    array([1, 1, 2])
    """
    groups = np.zeros(len(value), np.int64)
    group, first = 0, -1
    for one in np.argsort(-coarsen(value), kind="stable"):
        if first < 0 or above[first, one]:
            group, first = group + 1, one
        groups[one] = group
    return groups


def among_known(known: Flags, found: Ranges) -> Ranges:
    """Ranges of the systems that have a number, laid out among all; 0 for the others."""
    laid = [np.zeros(len(known), np.int64) for _ in range(4)]
    for whole, part in zip(laid, (found.rank, found.best, found.worst, found.group), strict=True):
        whole[known] = part
    return Ranges(*laid)
