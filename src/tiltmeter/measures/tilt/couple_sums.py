"""Differences within couples, such as my mother and my father, added up block by block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import Contrast, comparisons
from tiltmeter.measures.pairs import sides_of
from tiltmeter.measures.stats.members import members
from tiltmeter.measures.stats.paired import without_dust

Array = NDArray[np.float64]

OF_A_FRAME = ("frame", "template", "emotion", "emotion_word")


@dataclass(frozen=True, slots=True)
class Couples:
    """One contrast's couples; arrays are (rows, couples) and (rows, frames)."""

    people: pl.DataFrame
    """match, family and probability: a row a couple."""
    n: Array
    """Differences that are known."""
    total: Array
    squares: Array
    met: Array
    """(couples,): in how many frames a couple stands."""
    frames: pl.DataFrame
    """frame, template, emotion, emotion_word."""
    frame_n: Array
    frame_total: Array
    moves: Array
    """(rows,): how far frames' mean scores lie from each other, the root of their variance."""


class CoupleSums:
    """Takes blocks of whole frames, and keeps sums over matches of one person a side."""

    def __init__(
        self, rows: int, contrast: Contrast, width: Array, design: pl.DataFrame | None = None
    ) -> None:
        """`width` is each row's scale, (rows,); `design` names families and who was drawn."""
        self.contrast, self._rows, self._width = contrast, rows, width
        self._design = design
        self._matches: dict[str, int] = {}
        self._sums = [np.zeros((rows, 0)) for _ in range(3)]
        self._met: Array = np.zeros(0)
        self._frames: list[pl.DataFrame] = []
        self._of_frame: list[tuple[Array, Array]] = []
        self._level = np.zeros((3, rows))

    def add(self, sentences: pl.DataFrame, values: Array, pooled: set[str]) -> None:
        """Take a block and its scores, (rows, sentences); NaN where missing.

        `pooled` are the matches with several people a side.
        """
        single = (
            ~sentences["match"].is_in(sorted(pooled)) & sentences[self.contrast.axis].is_not_null()
        )
        if not single.any():
            return
        if not single.all():
            sentences, values = sentences.filter(single), values[:, single.to_numpy()]
        found = comparisons(sentences, [self.contrast])
        pairs = found.pairs
        if not pairs.height:
            return
        first, second = (sides_of(values, side) for side in (found.first, found.second))
        deltas = without_dust(first - second, self._width)
        known = ~np.isnan(deltas)
        size = np.where(known, deltas, 0.0)
        for match in pairs["match"].unique(maintain_order=True):
            self._matches.setdefault(match, len(self._matches))
        at = pairs["match"].replace_strict(self._matches, return_dtype=pl.Int64).to_numpy()
        of_match = members(at, len(self._matches))
        new = len(self._matches) - self._met.size
        self._met = np.pad(self._met, (0, new)) + np.bincount(at, minlength=len(self._matches))
        parts = (known.astype(np.float64), size, size**2)
        self._sums = [
            np.pad(kept, ((0, 0), (0, new))) + np.asarray(one @ of_match)
            for kept, one in zip(self._sums, parts, strict=True)
        ]
        level = np.where(known, (first + second) / 2.0, 0.0)
        self._level += np.stack([known.sum(axis=1), level.sum(axis=1), (level**2).sum(axis=1)])
        frames = pairs.select(OF_A_FRAME).unique("frame", maintain_order=True)
        place = pairs.select("frame").join(
            frames.select("frame").with_row_index("*at"), on="frame", maintain_order="left"
        )
        of_frame = members(place["*at"].to_numpy().astype(np.int64), frames.height)
        self._frames.append(frames)
        self._of_frame.append((np.asarray(parts[0] @ of_frame), np.asarray(size @ of_frame)))

    def couples(self) -> Couples:
        """All that was added up."""
        people = pl.DataFrame({"match": list(self._matches)}, {"match": pl.String})
        none = pl.DataFrame(schema=dict.fromkeys(OF_A_FRAME, pl.String))
        told = pl.DataFrame(
            schema={"match": pl.String, "family": pl.String, "probability": pl.Float64}
        )
        if self._design is not None:
            told = self._design.select(told.columns).unique("match", maintain_order=True)
        people = people.join(told, on="match", how="left", maintain_order="left").with_columns(
            pl.coalesce("family", pl.concat_str(pl.lit("match "), "match")).alias("family"),
            pl.col("probability").fill_null(0.0),
        )
        empty = np.zeros((self._rows, 0))
        counts, totals = (
            np.concatenate([empty, *(one[side] for one in self._of_frame)], axis=1)
            for side in (0, 1)
        )
        n, total, squares = self._sums
        _, level, level2 = self._level / np.maximum(self._level[0], 1.0)
        return Couples(
            people, n, total, squares, self._met, pl.concat([none, *self._frames]), counts, totals,
            np.sqrt(np.maximum(level2 - level**2, 0.0)),
        )  # fmt: skip
