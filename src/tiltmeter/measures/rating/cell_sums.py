"""A tally added up by cell, for each draw.

A *cell* is what no column of a rating parts further: one submission, one dataset, one class on all
attributes, one polarity. Their number does not grow with the sentences, and sums over them are all
that a rating asks for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tiltmeter.measures.rating.columns import Column
from tiltmeter.measures.rating.group import RatingDataset, RatingGroup, places, strata_of
from tiltmeter.measures.rating.tally import Tally
from tiltmeter.measures.stats.class_sums import Array, ClassSums, Index

Drawn = Iterable[tuple[Index, Array]]
"""Some rows of a tally, and (draws, rows): how many sentences of each are drawn."""


@dataclass(frozen=True, eq=False, slots=True)
class Cells:
    """Which cell each row is in, and a row of each cell."""

    of_row: Index
    row: Index

    def __len__(self) -> int:
        return self.row.size


def cells_of(group: RatingGroup) -> Cells:
    """The cells of a group whose sentences are counted."""
    numbers = strata_of(group, (*group.axes, "polarity"))
    _, row, of_row = np.unique(numbers, return_index=True, return_inverse=True)
    return Cells(of_row.astype(np.int64), row.astype(np.int64))


@dataclass(frozen=True, eq=False, slots=True)
class CellSums:
    """(draws, cells): sentences, answers among them, sums of scores and of their squares."""

    every: Array
    n: Array
    total: Array
    squares: Array

    @classmethod
    def none(cls, draws: int, cells: int) -> CellSums:
        """Nothing yet."""
        return cls(*(np.zeros((draws, cells)) for _ in range(4)))

    def add(self, cell: int, drawn: Array, values: Array) -> None:
        """Add sentences of a cell, `drawn` (draws, rows), with the rows' `values` (4, rows)."""
        every, n, total, squares = (drawn @ one for one in values)
        self.every[:, cell] += every
        self.n[:, cell] += n
        self.total[:, cell] += total
        self.squares[:, cell] += squares


def row_values(tally: Tally, rows: Index) -> Array:
    """(4, rows): 1, whether there is an answer, the mean and the mean square; 0 where none is."""
    known = tally.known[rows]
    mean, square = (np.where(known, one[rows], 0.0) for one in (tally.mean, tally.square))
    return np.stack([np.ones(rows.size), known.astype(np.float64), mean, square])


def added_up(tally: Tally, cells: Cells, draws: int, drawn: Drawn) -> CellSums:
    """Draws of rows added up by cell."""
    sums = CellSums.none(draws, len(cells))
    for rows, weights in drawn:
        for cell, here in places(cells.of_row[rows]):
            sums.add(cell, weights[:, here], row_values(tally, rows[here]))
    return sums


def classes_summed(
    column: Column, dataset: RatingDataset, cells: Cells, tally: Tally, sums: CellSums
) -> ClassSums:
    """From sums over cells to a dataset's over (submissions, draws, classes, kinds)."""
    whose = tally.whose[cells.row]
    parts = (sums.n, sums.total, sums.squares)
    return ClassSums(
        *(_added(column, dataset, cells, whose, tally.submissions, part) for part in parts)
    )


def classes_held(column: Column, dataset: RatingDataset, cells: Cells, sums: CellSums) -> ClassSums:
    """The same of one submission that answers all that anybody was asked, with 0."""
    every = _added(column, dataset, cells, np.zeros_like(cells.row), 1, sums.every)
    return ClassSums(every, np.zeros_like(every), np.zeros_like(every))


def _added(
    column: Column,
    dataset: RatingDataset,
    cells: Cells,
    whose: Index,
    submissions: int,
    part: Array,
) -> Array:
    """The cells of a dataset added up by whose they are, class and kind."""
    (classes, place), (kinds, kind) = column.classes, column.kinds
    within = np.zeros(column.group.sentences.height, dtype=bool)
    within[dataset.rows[0]] = True
    within &= column.compared
    here = np.flatnonzero(within[cells.row])
    row = cells.row[here]
    sums = np.zeros((submissions, len(classes), kinds, len(part)))
    np.add.at(sums, (whose[here], place[row], kind[row]), part[:, here].T)
    return np.moveaxis(sums, -1, 1)
