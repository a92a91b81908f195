"""Like scores of like rows as one row: how many, their mean, and the squares around it.

Scores between the lowest and the highest that a system gave for a word in a dataset are parted into
bins of one width. The sums of a bin are those of its rows, in whatever order and cut they come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.corpora.rating_results.records import Brief

Array = NDArray[np.float64]
Index = NDArray[np.int64]

BINS, FEWEST, MOST_SLOTS = 64, 4, 4_000_000
"""Bins of a word's scores: powers of two. With very many classes fewer, so that all find room."""
WORD = ["system", "group", "words", "emotion_word"]
"""Rows alike in these share their bins."""


class LikeScores:
    """Bins that records are added to."""

    def __init__(
        self, tallies: pl.DataFrame, axes: Sequence[str], split: Mapping[str, float]
    ) -> None:
        """Bins for `tallies`, whose datasets and groups are settled.

        `split` is by system the score above which one counts as positive; no bin has both kinds.
        """
        self._cells = ["system", "group", "words", *axes, "emotion_word", "polarity"]
        self._cell, word = numbered(tallies, self._cells), numbered(tallies, WORD)
        self._frame = _one_each(tallies.select(self._cells), self._cell)
        self._word = np.zeros(self._frame.height, np.int64)
        self._word[self._cell] = word
        low, high = _ends(tallies, word)
        self._bins = _bins(self._frame.height)
        self._low, self._width = low[word], (high - low)[word] / self._bins
        self._split = np.array([split.get(name, -np.inf) for name in tallies["system"]])
        slots = self._frame.height * self._bins * 2
        self._n, self._sum, self._squares = np.zeros(slots, np.int64), *np.zeros((2, slots))
        self._edge = np.zeros(slots)
        self._missing = np.zeros(self._frame.height, np.int64)

    def add(self, some: Brief) -> None:
        """Add records, each with its tally's number."""
        known = ~np.isnan(some["raw"])
        self._missing += self._counted(self._cell[some["tally"][~known]], self._missing.size)
        tally, raw = some["tally"][known], some["raw"][known]
        low, width = self._low[tally], self._width[tally]
        place = np.divide(raw - low, width, out=np.zeros_like(raw), where=width > 0)
        which = np.minimum(place.astype(np.int64), self._bins - 1)
        edge = low + which * width
        slot = (self._cell[tally] * self._bins + which) * 2 + (raw > self._split[tally])
        self._n += self._counted(slot, self._n.size)
        self._sum += np.bincount(slot, weights=raw - edge, minlength=self._n.size)
        self._squares += np.bincount(slot, weights=(raw - edge) ** 2, minlength=self._n.size)
        self._edge[slot] = edge

    @staticmethod
    def _counted(numbers: Index, size: int) -> Index:
        return np.bincount(numbers, minlength=size).astype(np.int64)

    def rows(self) -> pl.DataFrame:
        """Like rows with like scores, in an order that nothing but they decide.

        n, raw (their mean; null: no score), spread (Σ (score − mean)²), and like: the same number
        for rows that differ in nothing but people's groups.
        """
        used = np.flatnonzero(self._n)
        n, total = self._n[used], self._sum[used]
        spread = np.maximum(self._squares[used] - total**2 / n, 0.0)
        inner = self._bins * 2
        answered = self._rows(used // inner, n, used % inner, self._edge[used] + total / n, spread)
        none = np.flatnonzero(self._missing)
        nothing = np.full(none.size, np.nan)
        lacking = self._rows(none, self._missing[none], np.full(none.size, inner), nothing, nothing)
        return pl.concat([answered, lacking])

    def _rows(self, cell: Index, n: Index, place: Index, raw: Array, spread: Array) -> pl.DataFrame:
        like = self._word[cell] * (self._bins * 2 + 1) + place
        return self._frame[cell].with_columns(
            pl.Series("raw", raw).fill_nan(None),
            pl.Series("n", n),
            pl.Series("spread", spread).fill_nan(None),
            pl.Series("like", like),
        )


def numbered(rows: pl.DataFrame, columns: Sequence[str]) -> Index:
    """Which rows share the values of some columns: a number each, in the order of the values."""
    number = pl.struct(columns).rank("dense").cast(pl.Int64) - 1
    return rows.select(number).to_series().to_numpy()


def _one_each(rows: pl.DataFrame, number: Index) -> pl.DataFrame:
    _, first = np.unique(number, return_index=True)
    return rows[first]


def _ends(tallies: pl.DataFrame, word: Index) -> tuple[Array, Array]:
    """The lowest and the highest score of each word; 0 where it has none."""
    low, high = np.full((2, int(word.max()) + 1), np.nan)
    np.fmin.at(low, word, tallies["low"].to_numpy())
    np.fmax.at(high, word, tallies["high"].to_numpy())
    return np.nan_to_num(low), np.nan_to_num(high)


def _bins(cells: int) -> int:
    bins = BINS
    while bins > FEWEST and cells * bins * 2 > MOST_SLOTS:
        bins //= 2
    return bins
