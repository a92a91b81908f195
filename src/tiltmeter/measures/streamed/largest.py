"""The pairs that move most, kept while all others go by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

Array = NDArray[np.float64]
Places = NDArray[np.int64]

FEWEST, MOST = 20, 200
"""Pairs that every submission and contrast keeps: at least what tables show."""
BUDGET = 400_000
"""Numbers that may be kept for all of them."""


class LargestPairs:
    """Every submission's largest differences of each contrast, in the corpus' order."""

    def __init__(self, systems: int, contrasts: int) -> None:
        each = BUDGET // max(1, systems * systems * contrasts)
        self.many = min(MOST, max(FEWEST, each))
        self.pairs = pl.DataFrame()
        self.first = self.second = self.deltas = np.zeros((systems, 0))

    def add(self, pairs: pl.DataFrame, first: Array, second: Array, deltas: Array) -> None:
        """Take a block's pairs."""
        if not self.pairs.width:
            self.pairs = pairs.clear()
        if not pairs.height:
            return
        near = self._among(pairs, deltas)
        self.pairs = pl.concat([self.pairs, pairs[near]])
        self.first = np.concatenate([self.first, first[:, near]], axis=1)
        self.second = np.concatenate([self.second, second[:, near]], axis=1)
        self.deltas = np.concatenate([self.deltas, deltas[:, near]], axis=1)
        self._take(self._among(self.pairs, self.deltas))

    def put_in_order(self, contrasts: Sequence[tuple[str, str]]) -> None:
        """One contrast's pairs after the other's, each in the corpus' order."""
        nth = {key: at for at, key in enumerate(contrasts)}
        rank = [nth[key] for key in self.pairs.select("axis", "contrast").rows()]
        self._take(np.argsort(np.array(rank, np.int64), kind="stable"))

    def _take(self, keep: Places) -> None:
        self.pairs = self.pairs[keep]
        self.first, self.second, self.deltas = (
            part[:, keep] for part in (self.first, self.second, self.deltas)
        )

    def _among(self, pairs: pl.DataFrame, deltas: Array) -> Places:
        """The places of pairs that are among some submission's largest."""
        placed = pairs.select("axis", "contrast").with_row_index("place")
        parts = placed.group_by("axis", "contrast", maintain_order=True)
        chosen = [self._of_contrast(part["place"].to_numpy(), deltas) for _, part in parts]
        return np.unique(np.concatenate(chosen)).astype(np.int64)

    def _of_contrast(self, places: NDArray[np.uint32], deltas: Array) -> NDArray[np.uint32]:
        size = np.nan_to_num(np.abs(deltas[:, places]), nan=-1.0)
        order = np.argsort(-size, axis=1, kind="stable")[:, : self.many]
        return places[np.unique(order)]
