"""Numbers, means and variances of scores by cell, for many systems and many draws of a dataset.

A draw of a dataset is a weight for every sentence that it could hold: 0 where it does not hold it,
1 where it does, 2 where resampling took it twice. All draws of all systems are then products of
matrices. Shapes are (systems, draws, cells).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ClassSums:
    """How many scores each cell has, their sum, and the sum of their squares."""

    n: Array
    total: Array
    squares: Array

    @property
    def mean(self) -> Array:
        """The mean of each cell; NaN where it is empty."""
        return np.divide(self.total, self.n, out=np.full_like(self.n, np.nan), where=self.n > 0)

    @property
    def variance(self) -> Array:
        """s² with n − 1; NaN where there are fewer than two scores."""
        around = np.maximum(self.squares - self.total * self.mean, 0.0)
        return np.divide(around, self.n - 1, out=np.full_like(self.n, np.nan), where=self.n > 1)

    def over(self, *shape: int) -> ClassSums:
        """The same numbers with the cells laid out over several axes."""
        lead = self.n.shape[:2]
        parts = (self.n, self.total, self.squares)
        return ClassSums(*(part.reshape(*lead, *shape) for part in parts))


def class_sums(scores: Array, weights: Array, cell: Index, cells: int) -> ClassSums:
    """Sum `scores` (systems, sentences; NaN where there is none) over the cells of each draw.

    `weights` is (draws, sentences); `cell` says which cell each sentence is in.

    >>> scores, weights = np.array([[1.0, 3.0, 5.0]]), np.array([[1.0, 1.0, 2.0]])
    >>> sums = class_sums(scores, weights, np.array([0, 0, 1]), 2)
    >>> sums.n[0, 0], sums.mean[0, 0], sums.variance[0, 0]
    (array([2., 2.]), array([2., 5.]), array([2., 0.]))
    """
    known = ~np.isnan(scores)
    values = np.where(known, scores, 0.0)
    shape = (len(scores), len(weights), cells)
    n, total, squares = np.empty(shape), np.empty(shape), np.empty(shape)
    for one in range(cells):
        here = np.flatnonzero(cell == one)
        drawn, some = weights[:, here].T, values[:, here]
        total[:, :, one] = some @ drawn
        squares[:, :, one] = (some * some) @ drawn
        n[:, :, one] = _counted(known[:, here], drawn)
    return ClassSums(n, total, squares)


def _counted(known: NDArray[np.bool_], drawn: Array) -> Array:
    """How many known scores each draw holds: the same for all systems where none is missing."""
    counts: Array = drawn.sum(axis=0) if known.all() else known.astype(np.float64) @ drawn
    return counts
