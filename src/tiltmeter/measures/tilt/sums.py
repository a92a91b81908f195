"""Sums over people, templates and words, added up block by block.

From them come the mean difference on any subset and its variance. A subset is a union of parts with
one template and one emotion, so people's and frames' sums are kept by part. Words stand in several
templates and mostly in one emotion, so theirs are kept by emotion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tiltmeter.measures.contrasts import Contrast
from tiltmeter.measures.stats.crossed import Source, over, source
from tiltmeter.measures.stats.members import members
from tiltmeter.measures.stats.paired import DUST
from tiltmeter.measures.streamed.group_sums import GroupSums
from tiltmeter.measures.tilt.units import OF_A_PART, OF_NO_WORD, Units, units_of

__all__ = ["OF_NO_WORD", "Sums", "TiltSums", "Within"]

Array = NDArray[np.float64]
Rows = NDArray[np.int64] | slice

SQUARES = ("squares", "times_n", "n_squared", "single_squares")
"""Of the frames of a part: ΣS², ΣSn, Σn², and ΣS²/n over pairs of one person a side."""


@dataclass(frozen=True, slots=True)
class Within:
    """Sums of the groups of a subset."""

    keys: pl.DataFrame
    sums: Array
    """(rows, groups)"""
    n: Array
    squares: Array
    """Σx²"""
    size: int
    """Numbers, the missing ones too."""

    def together(self, *by: str) -> Within:
        """The same with groups alike in some columns put together."""
        units = self.keys.select(by).unique(maintain_order=True)
        joined = self.keys.select(by).join(
            units.with_row_index("*unit"), on=by, nulls_equal=True, maintain_order="left"
        )
        add = members(joined["*unit"].to_numpy().astype(np.int64), units.height)
        return Within(units, self.sums @ add, self.n @ add, self.squares @ add, self.size)

    def columns(self, which: NDArray[np.int64]) -> Within:
        """Some groups only."""
        sums, n, squares = (one[:, which] for one in (self.sums, self.n, self.squares))
        return Within(self.keys[which], sums, n, squares, self.size)

    def source(self, whole: Array | None = None) -> Source:
        """What drawing the groups anew would add to the variance of the mean."""
        return source(self.sums, self.n, whole)

    def left_of(self, *by: str) -> Array:
        """Σ (x − mean of its unit)² over units, (rows,)."""
        units = self.together(*by)
        squares: Array = units.squares.sum(axis=1)
        left = squares - over(units.sums**2, units.n).sum(axis=1)
        return np.where(left < DUST**2 * squares, 0.0, left)


class Sums(GroupSums):
    """Moments by group, of which a subset's sums can be had."""

    def within(self, inside: pl.Expr | None, rows: Rows) -> Within:
        """The groups that an expression chooses, for some rows."""
        keys = self.keys.with_row_index("*place")
        keys = keys if inside is None else keys.filter(inside)
        at = keys["*place"].to_numpy().astype(np.int64)
        n, mean, m2 = (getattr(self.moments, name)[rows][:, at] for name in ("n", "mean", "m2"))
        return Within(keys, n * mean, n, m2 + n * mean**2, int(keys["size"].sum()))


class TiltSums:
    """Takes blocks of whole frames of one contrast, and keeps sums."""

    def __init__(self, rows: int, contrast: Contrast, axes: Sequence[str], width: Array) -> None:
        """`width` is each row's scale, (rows,)."""
        self.contrast, self.rows, self.width, self._axes = contrast, rows, width, list(axes)
        people = ("stratum", "match", "side", "group", "cell", "person", *OF_A_PART)
        self.pairs = Sums(rows, ("match", *OF_A_PART))
        """Differences of pairs of one person a side."""
        self.people = Sums(rows, people)
        """What each person adds to the differences of their pairs."""
        self.dealt = Sums(rows, people)
        """How far each person stands from their pairs' two sides together."""
        self.parts = Sums(rows, OF_A_PART)
        """All differences."""
        self.words = Sums(rows, ("word", "emotion"))
        self.frames = {name: Sums(rows, OF_A_PART) for name in SQUARES}

    def add(self, sentences: pl.DataFrame, values: Array) -> None:
        """Take a block and its scores, (rows, sentences)."""
        found = units_of(sentences, values, self.contrast, self._axes, self.width)
        single = found.pairs["single"]
        self.pairs.add(found.pairs.filter(single), found.deltas[:, single.to_numpy()])
        self.people.add(found.pooled, found.apart)
        self.dealt.add(found.pooled, found.dealt)
        self.parts.add(found.pairs, found.deltas)
        self.words.add(found.pairs, found.deltas)
        frames = found.pairs.select("frame", *OF_A_PART).unique("frame", maintain_order=True)
        for name, numbers in zip(SQUARES, _by_frame(found, frames), strict=True):
            self.frames[name].add(frames, numbers)


def _by_frame(found: Units, frames: pl.DataFrame) -> tuple[Array, ...]:
    """What is summed over frames, (rows, frames) each."""
    joined = found.pairs.select("frame").join(
        frames.select("frame").with_row_index("at"), on="frame", maintain_order="left"
    )
    add = members(joined["at"].to_numpy().astype(np.int64), frames.height)
    sums, n = _summed(found.deltas, add)
    alone = np.where(found.pairs["single"].to_numpy(), found.deltas, np.nan)
    single, n_single = _summed(alone, add)
    return sums**2, sums * n, n**2, over(single**2, n_single)


def _summed(deltas: Array, add: csr_array) -> tuple[Array, Array]:
    known = ~np.isnan(deltas)
    return np.where(known, deltas, 0.0) @ add, known.astype(np.float64) @ add
