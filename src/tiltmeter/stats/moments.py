"""Sums by group that can be added up: counts, means, squares, ends, quantiles on a grid."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array


def one_thread() -> AbstractContextManager[object]:
    """Linear algebra on one thread within.

    Its library would share each matrix of a stack out among all cores, and on busy ones wait ten
    times longer for them than it computes; the last digit would depend on how many there are.
    """
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(1)
    return limits


def members(group: NDArray[np.int64], size: int) -> csr_array:
    """(things, groups): 1 where a thing is in a group.

    >>> np.array([[1.0, 2.0, 4.0]]) @ members(np.array([0, 1, 0]), 2)
    array([[5., 2.]])
    """
    things = group.size
    return csr_array((np.ones(things), (np.arange(things), group)), (things, size))


# A row is a system, a column a group. Squares are taken about each part's own mean and put together
# as in Chan, Golub & LeVeque (1983), so that a large mean costs no digits however many parts:
#     mean = mean_a + (mean_b − mean_a) · n_b / n
#     M2 = M2_a + M2_b + (mean_b − mean_a)² · n_a · n_b / n

Array = NDArray[np.float64]
Places = NDArray[np.int64]

AT_ONCE = 2_000_000
"""Numbers worked on at a time."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Arrays of shape (systems, groups)."""

    n: Array
    mean: Array
    """0 where there is no number."""
    m2: Array
    """Σ (x − mean)²"""
    up: Array
    """Sum of the numbers above 0."""
    n_up: Array
    down: Array
    n_down: Array
    top: Array
    """The largest; −∞ where there is no number."""
    bottom: Array

    @property
    def known_mean(self) -> Array:
        """The mean, NaN where there is no number."""
        found: Array = np.where(self.n > 0, self.mean, np.nan)
        return found

    def columns(self, which: Places | slice) -> Moments:
        """Some groups only."""
        return Moments(*(getattr(self, one.name)[:, which] for one in fields(self)))

    def rows(self, which: Places | slice) -> Moments:
        """Some systems only."""
        return Moments(*(getattr(self, one.name)[which] for one in fields(self)))


def nothing(systems: int, groups: int) -> Moments:
    """The moments of no number."""
    shape = (systems, groups)
    n, mean, m2, up, n_up, down, n_down = (np.zeros(shape) for _ in range(7))
    top, bottom = np.full(shape, -np.inf), np.full(shape, np.inf)
    return Moments(n, mean, m2, up, n_up, down, n_down, top, bottom)


def moments(values: Array, group: Places, groups: int) -> Moments:
    """The moments of each group's known values; `values` is (systems, things), NaN unknown.

    >>> found = moments(np.array([[1.0, 3.0, np.nan]]), np.array([0, 0, 1]), 2)
    >>> found.n, found.mean, found.m2
    (array([[2., 0.]]), array([[2., 0.]]), array([[2., 0.]]))
    """
    step = max(1, AT_ONCE // max(1, values.shape[1]))
    parts = [_moments(values[at : at + step], group, groups) for at in range(0, len(values), step)]
    if not parts:
        return nothing(0, groups)
    names = [one.name for one in fields(Moments)]
    return Moments(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _moments(values: Array, group: Places, groups: int) -> Moments:
    add = members(group, groups)
    known = ~np.isnan(values)
    plain = np.where(known, values, 0.0)
    n = known.astype(np.float64) @ add
    mean = np.divide(plain @ add, n, out=np.zeros_like(n), where=n > 0)
    apart = np.where(known, plain - mean[:, group], 0.0)
    # The mean of a group is rounded; what is left over is taken off again.
    m2 = (apart * apart) @ add - np.divide((apart @ add) ** 2, n, out=np.zeros_like(n), where=n > 0)
    above, below = np.maximum(plain, 0.0), np.minimum(plain, 0.0)
    counts = ((part != 0).astype(np.float64) @ add for part in (above, below))
    n_up, n_down = counts
    top, bottom = _ends(values, group, groups)
    return Moments(
        n, mean, np.maximum(m2, 0.0), above @ add, n_up, below @ add, n_down, top, bottom
    )  # fmt: skip


def _ends(values: Array, group: Places, groups: int) -> tuple[Array, Array]:
    """The largest and smallest of each group, from values put in the groups' order."""
    top = np.full((len(values), groups), -np.inf)
    bottom = np.full((len(values), groups), np.inf)
    if not group.size:
        return top, bottom
    order = np.argsort(group, kind="stable")
    there, starts = np.unique(group[order], return_index=True)
    ordered = values[:, order]
    top[:, there] = np.fmax.reduceat(ordered, starts, axis=1)
    bottom[:, there] = np.fmin.reduceat(ordered, starts, axis=1)
    return np.where(np.isnan(top), -np.inf, top), np.where(np.isnan(bottom), np.inf, bottom)


def together(first: Moments, second: Moments) -> Moments:
    """The moments of both parts' numbers."""
    n = first.n + second.n
    share = np.divide(second.n, n, out=np.zeros_like(n), where=n > 0)
    apart = second.mean - first.mean
    return Moments(
        n,
        np.where(first.n > 0, first.mean + apart * share, second.mean),
        first.m2 + second.m2 + apart**2 * first.n * share,
        first.up + second.up,
        first.n_up + second.n_up,
        first.down + second.down,
        first.n_down + second.n_down,
        np.maximum(first.top, second.top),
        np.minimum(first.bottom, second.bottom),
    )


def pooled(found: Moments) -> Moments:
    """All groups as one, (systems, 1)."""
    n = found.n.sum(axis=1, keepdims=True)
    mean = np.divide((found.n * found.mean).sum(axis=1, keepdims=True), n,
                     out=np.zeros_like(n), where=n > 0)  # fmt: skip
    m2 = found.m2 + found.n * (found.mean - mean) ** 2
    sums = (m2, found.up, found.n_up, found.down, found.n_down)
    m2, up, n_up, down, n_down = (part.sum(axis=1, keepdims=True) for part in sums)
    top = found.top.max(axis=1, keepdims=True, initial=-np.inf)
    bottom = found.bottom.min(axis=1, keepdims=True, initial=np.inf)
    return Moments(n, mean, m2, up, n_up, down, n_down, top, bottom)


# A sketch of many numbers from which quantiles are read. The grid has `CELLS` points from −width to
# width, one of them exactly 0. A number counts at its nearest point, so every quantile is known
# within half a step, width / 8,192, whatever the numbers, their order, or how they were parted.
# (Sketches that bound the error in rank instead, as KLL or the t-digest do, can be far off where
# few numbers lie far apart, and depend on the order of merging.)

Counts = NDArray[np.int64]

HALF = 4096
CELLS = 2 * HALF + 1
ERROR = 0.5 / HALF
"""The largest error of a quantile, in parts of the width."""


@dataclass(frozen=True, slots=True)
class QuantileGrid:
    """How many numbers each system has at each point."""

    width: Array
    """(systems,)"""
    counts: Counts
    """(systems, CELLS)"""

    def add(self, values: Array) -> None:
        """Count further numbers, (systems, things), NaN left out; beyond the ends at the ends."""
        for row, (width, numbers) in enumerate(zip(self.width, values, strict=True)):
            known = numbers[~np.isnan(numbers)]
            at = np.rint(known / (width or 1.0) * HALF)
            places = np.clip(at, -HALF, HALF).astype(np.int64) + HALF
            self.counts[row] += np.bincount(places, minlength=CELLS)

    def points(self, row: int) -> Array:
        """Where a system has any number."""
        found: Array = (np.flatnonzero(self.counts[row]) - HALF) / HALF * self.width[row]
        return found

    def quantiles(self, row: int, shares: Array) -> Array:
        """A system's quantiles, linear between neighbours; NaN without a number.

        >>> grid = empty_grid(np.ones(1))
        >>> grid.add(np.array([[0.0, 0.25, 0.5, 1.0]]))
        >>> grid.quantiles(0, np.array([0.0, 0.5, 1.0])).tolist()
        [0.0, 0.375, 1.0]
        """
        upto = np.cumsum(self.counts[row])
        many = int(upto[-1])
        if not many:
            return np.full(shares.shape, np.nan)
        rank = shares * (many - 1)
        low = np.floor(rank).astype(np.int64)
        below, above = (
            (np.searchsorted(upto, at, side="right") - HALF) / HALF * self.width[row]
            for at in (low, np.minimum(low + 1, many - 1))
        )
        found: Array = below + (above - below) * (rank - low)
        return found


def empty_grid(width: Array) -> QuantileGrid:
    """A grid that holds no number yet."""
    return QuantileGrid(width, np.zeros((width.size, CELLS), np.int64))
