"""Moments by group, where the groups are met as the blocks come."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.stats.moments import Moments, moments, nothing, together

Array = NDArray[np.float64]
Places = NDArray[np.int64]


class GroupSums:
    """What things come to by the values of some columns."""

    def __init__(self, systems: int, by: Sequence[str], most: int | None = None) -> None:
        self.by, self._most = list(by), most
        self.moments = nothing(systems, 0)
        self._rows: dict[tuple[str | None, ...], int] = {}
        self._sizes = np.zeros(0, np.int64)
        self._keys: pl.DataFrame | None = None
        self.full = False
        """Whether there were more groups than may be held; then none is."""

    @property
    def keys(self) -> pl.DataFrame:
        """A row for each group, in the order they were met: its values, and its things."""
        if self._keys is None:
            keys = pl.DataFrame(list(self._rows), dict.fromkeys(self.by, pl.String), orient="row")
            self._keys = keys.with_columns(size=pl.Series(self._sizes, dtype=pl.Int64))
        return self._keys

    def add(self, things: pl.DataFrame, values: Array) -> None:
        """Take further things, a column of `values` (systems, things) each."""
        if self.full or not things.height:
            return
        self._keys = None
        keys = things.select(self.by).unique(maintain_order=True)
        place = self._places(keys)
        if self._most is not None and len(self._rows) > self._most:
            self._forget()
            return
        mine = _codes(things, keys, self.by)
        found = moments(values, mine, keys.height)
        self._grow()
        here = self.moments.columns(place)
        _put(self.moments, place, together(here, found))
        self._sizes[place] += np.bincount(mine, minlength=keys.height)

    def _places(self, keys: pl.DataFrame) -> Places:
        rows = self._rows
        return np.array([rows.setdefault(key, len(rows)) for key in keys.iter_rows()], np.int64)

    def _grow(self) -> None:
        more = len(self._rows) - self._sizes.size
        if more:
            fresh = nothing(len(self.moments.n), more)
            self.moments = _beside(self.moments, fresh)
            self._sizes = np.concatenate([self._sizes, np.zeros(more, np.int64)])

    def _forget(self) -> None:
        self.full, self._rows = True, {}
        self.moments, self._sizes = nothing(len(self.moments.n), 0), np.zeros(0, np.int64)


def _codes(things: pl.DataFrame, keys: pl.DataFrame, by: list[str]) -> Places:
    """Which row of `keys` each thing has."""
    joined = things.select(by).join(
        keys.with_row_index("*at"), on=by, how="left", nulls_equal=True, maintain_order="left"
    )
    return joined["*at"].to_numpy().astype(np.int64)


def _put(into: Moments, place: Places, found: Moments) -> None:
    for name in Moments.__slots__:
        getattr(into, name)[:, place] = getattr(found, name)


def _beside(first: Moments, second: Moments) -> Moments:
    return Moments(
        *(
            np.concatenate([getattr(first, name), getattr(second, name)], axis=1)
            for name in Moments.__slots__
        )
    )
