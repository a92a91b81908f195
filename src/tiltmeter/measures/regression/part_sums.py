"""Sums for every task of a study, while it is not yet known which sentences a task is fitted on.

A task has the sentences with its own emotion, if there are any; else those without an emotion, if
some have one; else all. What there is shows only as blocks come, so each kind is summed apart until
it is known not to be needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import NTH
from tiltmeter.measures.regression.atoms import AtomSums
from tiltmeter.measures.regression.formula import Formula
from tiltmeter.measures.regression.parts import kind_of, kinds_of, sentences_of

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


class PartSums:
    """By task and kind of sentences, the sums over atoms of the task's submissions."""

    def __init__(
        self, tasks: pl.Series, formula: Formula, subset: str | None, emotions: Iterable[str | None]
    ) -> None:
        self.subset, self.axes = subset, formula.axes
        self.by = tuple(dict.fromkeys(["person", *formula.axes, "template", *formula.controls]))
        self.rows = {
            str(task): np.flatnonzero((tasks == task).to_numpy())
            for task in tasks.unique(maintain_order=True)
        }
        self._emotions = set(emotions)
        self._sums = dict[tuple[str, str], AtomSums]()
        self._settle()

    def add(self, sentences: pl.DataFrame, values: Array, begin: int) -> None:
        """Add a block whose first sentence stands at this place of the corpus."""
        placed = self.placed(sentences)
        self._emotions.update(placed["emotion"].unique())
        self._settle()
        for (task, kind), sums in self._sums.items():
            add_to(sums, sentences_of(placed, task, kind), values, self.rows[task], begin)

    def merge(self, other: PartSums) -> None:
        """Add what another has summed."""
        self._emotions |= other._emotions
        self._settle()
        for key in self._sums.keys() & other._sums.keys():
            self._sums[key].merge(other._sums[key])

    def placed(self, sentences: pl.DataFrame) -> pl.DataFrame:
        """The sentences about people with a group on every axis, with their places in the block."""
        numbered = sentences.select(*self.by, "emotion").with_row_index(NTH)
        return numbered.drop_nulls(list(self.axes))

    def part(self, task: str) -> tuple[str, str, AtomSums]:
        """The subset that a task is fitted on, of which kind its sentences are, and their sums."""
        subset, kind = kind_of(task, self.subset, self._emotions)
        return subset, kind, self._sums[task, kind]

    def _settle(self) -> None:
        """Hold the sums of what a task may still be fitted on, and no others."""
        self._sums = {key: self._sums.get(key) or self._none(key[0]) for key in self._wanted()}

    def _wanted(self) -> Iterator[tuple[str, str]]:
        for task in self.rows:
            for kind in kinds_of(task, self.subset, self._emotions):
                yield task, kind

    def _none(self, task: str) -> AtomSums:
        return AtomSums(self.by, np.zeros(self.rows[task].size, np.int64))


def add_to(sums: AtomSums, mine: pl.DataFrame, values: Array, rows: Codes, begin: int = 0) -> None:
    """Add some submissions' scores of some sentences of a block."""
    if mine.height:
        columns = mine[NTH].to_numpy().astype(np.int64)
        sums.add(mine, values[np.ix_(rows, columns)], begin + columns)
