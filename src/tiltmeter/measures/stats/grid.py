"""A sketch of many numbers from which quantiles are told: counts on a grid, added up as they come.

The grid has `CELLS` points from −width to width, one of them exactly 0. A number counts at its
nearest point, so every quantile is told within half a step, width / 8,192, whatever the numbers,
their order, or how they were parted. (Sketches that bound the error in rank instead, as KLL or the
t-digest do, can be far off where few numbers lie far apart, and depend on the order of merging.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

HALF = 4096
CELLS = 2 * HALF + 1
ERROR = 0.5 / HALF
"""The largest error of a quantile, in parts of the width."""


@dataclass(frozen=True, slots=True)
class Grid:
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


def empty_grid(width: Array) -> Grid:
    """A grid that holds no number yet."""
    return Grid(width, np.zeros((width.size, CELLS), np.int64))
