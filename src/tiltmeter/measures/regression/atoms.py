"""Sums over the atoms of a design, added up block by block: memory grows with atoms alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.measures.contrasts import NTH
from tiltmeter.measures.regression.reduction import KINDS, Reduced, reduced, unstacked

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

CHANGED = (
    "the second pass over the scores found others than the first; expected the same blocks twice: "
    "let nothing else write to the store meanwhile, and run it again"
)
NEVER = np.iinfo(np.int64).max


class AtomSums:
    """What some submissions' scores come to in every atom seen so far.

    `by` has the columns that tell atoms apart; `squeeze` has how to squeeze each submission, as in
    `squeezed`: without it as they are, and scores of 0 and 1 are left out of Σ log.
    """

    def __init__(self, by: Sequence[str], squeeze: Codes) -> None:
        self.by, self.squeeze = list(by), squeeze
        self.keys = pl.DataFrame(schema=dict.fromkeys(self.by, pl.String))
        """A row an atom, as they came."""
        self.size = 0
        """Sentences, with a score or without."""
        many = len(squeeze)
        self._first = np.zeros(0, np.int64)
        self._sums = np.zeros((KINDS, many, 0))
        self._low, self._high = np.full(many, np.nan), np.full(many, np.nan)
        self._clipped, self._edge = np.zeros(many, np.int64), np.zeros(many, np.int64)

    def add(self, sentences: pl.DataFrame, values: Array, places: Codes) -> None:
        """Add a block's sentences, which stand at these places of the corpus."""
        keys, first, atom = _numbered(sentences.select(self.by))
        found = reduced(values, atom, keys.height, self.squeeze)
        self._take(keys, places[first], found, sentences.height)

    def merge(self, other: AtomSums) -> None:
        """Add what another has summed."""
        many = other.keys.height
        self._take(other.keys, other._first[:many], other.reduced(), other.size)

    @property
    def squeezable(self) -> NDArray[np.bool_]:
        """(submissions,): which have a score of 0 or 1, and another."""
        low, high = (np.clip(end, 0.0, 1.0) for end in (self._low, self._high))
        found: NDArray[np.bool_] = (self._edge > 0) & (high > low)
        return found

    @property
    def order(self) -> Codes:
        """The atoms by their first sentence's place in the corpus."""
        return np.argsort(self._first[: self.keys.height], kind="stable")

    def reduced(self, at: Codes | slice = slice(None)) -> Reduced:
        """The sums of some atoms, in this order."""
        sums = self._sums[:, :, : self.keys.height][:, :, at]
        return unstacked(sums, self._low, self._high, self._clipped, self._edge)

    def reduced_as(self, keys: pl.DataFrame) -> Reduced:
        """The sums of these atoms, in this order; refused where they are not those seen."""
        places = self.places(keys)
        if places.null_count() or keys.height != self.keys.height:
            raise TiltmeterError(CHANGED)
        return self.reduced(places.to_numpy())

    def places(self, keys: pl.DataFrame) -> pl.Series:
        """Where each atom stands here; null where it was not seen."""
        numbered = self.keys.with_row_index(NTH)
        joined = keys.join(
            numbered, on=self.by, how="left", nulls_equal=True, maintain_order="left"
        )
        return joined[NTH].cast(pl.Int64)

    def _take(self, keys: pl.DataFrame, first: Codes, found: Reduced, size: int) -> None:
        at = self._room_for(keys)
        self._sums[:, :, at] += found.stacked()
        self._first[at] = np.minimum(self._first[at], first)
        self._low = np.fmin(self._low, found.low)
        self._high = np.fmax(self._high, found.high)
        self._clipped = self._clipped + found.clipped
        self._edge = self._edge + found.edge
        self.size += size

    def _room_for(self, keys: pl.DataFrame) -> Codes:
        """The places of some atoms, those that are new at the end."""
        place = self.places(keys)
        new = place.is_null()
        height = self.keys.height
        if new.any():
            self.keys = pl.concat([self.keys, keys.filter(new)])
            self._grow(self.keys.height)
        found = place.fill_null(-1).to_numpy().copy()
        found[new.to_numpy()] = np.arange(height, self.keys.height)
        return found

    def _grow(self, needed: int) -> None:
        """Make room for so many atoms, and for some to come."""
        more = max(needed, 2 * self._first.size) - self._first.size
        if needed > self._first.size:
            self._first = np.concatenate([self._first, np.full(more, NEVER)])
            self._sums = np.pad(self._sums, ((0, 0), (0, 0), (0, more)))


def with_logarithms(found: Reduced, which: Codes, by: Reduced) -> Reduced:
    """The sums with the logarithms of some submissions taken from elsewhere, of the same scores."""
    if not np.array_equal(found.sums.n[which], by.sums.n):
        raise TiltmeterError(CHANGED)
    sums = found.stacked()
    sums[1, which], sums[2, which] = by.sums.log_y, by.sums.log_rest
    return found.stacked_as(sums)


def _numbered(keys: pl.DataFrame) -> tuple[pl.DataFrame, Codes, Codes]:
    """The distinct rows as they come, where each stands first, and which of them each row is."""
    by = keys.columns
    groups = keys.with_row_index(NTH).group_by(by, maintain_order=True).agg(pl.col(NTH))
    lengths = groups[NTH].list.len().to_numpy()
    found = np.zeros(keys.height, np.int64)
    found[groups[NTH].explode().to_numpy()] = np.repeat(np.arange(groups.height), lengths)
    return groups.select(by), groups[NTH].list.first().cast(pl.Int64).to_numpy(), found
