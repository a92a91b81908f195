"""Rows of all files as they come: listed while they are few, else counted and set aside."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tiltmeter.corpora.rating_results.records import Records, in_brief
from tiltmeter.corpora.rating_results.tallies import alike, each_for_itself, merged, tallied

FEW = 50_000
"""Rows up to which every one is kept."""
LISTED = ("raw", "sentiment", "text", "key", "line", "place")
TALLY = "tally"
"""The number of a tally."""


class Gathered:
    """Understood rows, gathered; `records` take what is set aside."""

    def __init__(self, axes: Sequence[str], records: Records, few: int = FEW) -> None:
        self.records, self.height, self.missing = records, 0, 0
        self._axes, self._few = tuple(axes), few
        self._waiting: list[pl.DataFrame] | None = []
        self._tallies = pl.DataFrame()
        self._counted = 0

    @property
    def listed(self) -> bool:
        """Whether every row is kept."""
        return self._waiting is not None

    @property
    def tallies(self) -> pl.DataFrame:
        """What datasets, rules and notes are told from: rows each for itself, or counted."""
        return self._tallies if self._waiting is None else each_for_itself(pl.concat(self._waiting))

    def add(self, rows: pl.DataFrame) -> None:
        """Gather some rows."""
        self.height += rows.height
        self.missing += rows["raw"].null_count()
        whole = self._whole(rows)
        waiting = [whole] if self._waiting is None else [*self._waiting, whole]
        if self.height <= self._few:
            self._waiting = waiting
            return
        self._waiting = None
        for some in waiting:
            self._count(some)

    def which(self, rows: pl.DataFrame) -> pl.Series:
        """The number of the tally that each row is counted in."""
        keys = alike(self._axes)
        known = self._tallies.select(TALLY, *keys)
        found = (
            self._whole(rows)
            .select(keys)
            .join(known, on=keys, how="left", nulls_equal=True, maintain_order="left")
        )
        return found[TALLY]

    def _whole(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows with every axis, null where their file has none."""
        absent = [pl.lit(None, pl.String).alias(a) for a in self._axes if a not in rows.columns]
        return rows.with_columns(absent).select(*alike(self._axes), *LISTED)

    def _count(self, rows: pl.DataFrame) -> None:
        if rows.is_empty():
            return
        known = [] if self._tallies.is_empty() else [self._tallies.drop(TALLY)]
        every = merged([*known, tallied(rows, self._axes)], self._axes)
        self._tallies = every.with_row_index(TALLY)
        self.records.add(in_brief(rows, self.which(rows), self._counted))
        self._counted += rows.height
