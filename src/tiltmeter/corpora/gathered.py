"""Many rows brought to one for each key, some rows at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
KEY = "*key"
"""The column of the keys."""
PENDING = 500_000
"""Rows that may wait before they are brought together."""

SOME = 8
"""The keys are brought together in so many lots, which takes less memory."""


class Gathered:
    """Rows gathered by their key, in memory that grows with the keys alone.

    >>> counts = Gathered(pl.col("n").sum())
    >>> for key in (7, 9, 7):
    ...     counts.add(pl.DataFrame({KEY: [key], "n": [1]}))
    >>> counts.rows().sort(KEY).rows()
    [(7, 2), (9, 1)]
    """

    def __init__(self, *ways: pl.Expr) -> None:
        """`ways` say what becomes of each other column: its sum, its least, its largest."""
        self._ways, self._waiting = ways, list[pl.DataFrame]()
        self._gathered = 0

    def add(self, rows: pl.DataFrame) -> None:
        """Add rows; what waits is brought together once it has doubled."""
        self._waiting.append(self._brought(rows))
        if sum(part.height for part in self._waiting) > 2 * max(self._gathered, PENDING):
            self.rows()

    def rows(self) -> pl.DataFrame:
        """One row for each key, in no order."""
        if len(self._waiting) > 1:
            every = pl.concat(self._waiting)
            some = (every.filter(pl.col(KEY) % SOME == nth) for nth in range(SOME))
            self._waiting = [pl.concat(self._brought(rows) for rows in some)]
        self._gathered = sum(part.height for part in self._waiting)
        return self._waiting[0] if self._waiting else pl.DataFrame()

    def _brought(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.group_by(KEY).agg(self._ways)


def standing_twice(parts: Sequence[Hashes]) -> Hashes:
    """The numbers that stand more than once, in order.

    >>> standing_twice([np.array([3, 1], np.uint64), np.array([3], np.uint64)]).tolist()
    [3]
    """
    every = np.concatenate([*parts, np.zeros(0, np.uint64)])
    every.sort()
    return np.unique(every[1:][every[1:] == every[:-1]])


def places(values: Hashes, known: Hashes) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where each value stands among the known ones, which are in order, and whether it does."""
    if not known.size:
        return np.zeros(values.size, np.intp), np.zeros(values.size, np.bool_)
    at = np.minimum(np.searchsorted(known, values), known.size - 1)
    return at, known[at] == values
