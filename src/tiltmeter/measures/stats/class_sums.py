"""Numbers, means and variances of scores by cell, for many systems and many draws of a dataset.

A draw of a dataset is a weight for every sentence that it could hold: 0 where it does not hold it,
1 where it does, 2 where resampling took it twice. All draws of all systems are then products of
matrices. Shapes are (systems, draws, cells).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.int64]

ROOM = 8_000_000
"""Weights held at a time, 64 MB: draws of large datasets are taken some at a time."""


class Draws(Protocol):
    """Weights (draws, sentences), an array or made when some draws are asked for."""

    def __len__(self) -> int: ...
    def __getitem__(self, some: slice, /) -> Array: ...


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

    def __add__(self, other: ClassSums) -> ClassSums:
        """The sums of two sets of sentences together."""
        return ClassSums(self.n + other.n, self.total + other.total, self.squares + other.squares)

    def __sub__(self, other: ClassSums) -> ClassSums:
        """The sums without some of the sentences."""
        return ClassSums(self.n - other.n, self.total - other.total, self.squares - other.squares)


def joined(parts: Iterable[ClassSums]) -> ClassSums:
    """The draws of several sums, one after the other."""
    every = [(one.n, one.total, one.squares) for one in parts]
    return ClassSums(*(np.concatenate(part, axis=1) for part in zip(*every, strict=True)))


def stacked(parts: Iterable[ClassSums]) -> ClassSums:
    """The classes' sums beside each other, before their kinds."""
    every = list(parts)
    return ClassSums(
        np.stack([one.n for one in every], axis=-2),
        np.stack([one.total for one in every], axis=-2),
        np.stack([one.squares for one in every], axis=-2),
    )


def some_at_a_time(draws: int, sentences: int, first: int = 0) -> Iterator[slice]:
    """Draws from the `first` on, cut so that their weights find room; one empty cut of none.

    >>> [(some.start, some.stop) for some in some_at_a_time(5, ROOM // 2, first=1)]
    [(1, 3), (3, 5)]
    """
    step = max(1, ROOM // max(1, sentences))
    for start in range(first, max(draws, first + 1), step):
        yield slice(start, min(start + step, draws))


def sums_of_draws(
    scores: Array, draws: Draws, cell: Index, cells: int, first: int = 0
) -> ClassSums:
    """The `class_sums` of draws from the `first` on, so many at a time as there is room for."""
    cuts = some_at_a_time(len(draws), scores.shape[1], first)
    return joined(class_sums(scores, draws[some], cell, cells) for some in cuts)


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
