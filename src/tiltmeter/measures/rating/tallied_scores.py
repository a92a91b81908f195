"""A column's raw scores from a tally: the same computation, on sums over cells.

Nobody is named in a tally, so nobody is dealt another's place or left out.
"""

from __future__ import annotations

import numpy as np

from tiltmeter.measures.rating.cell_sums import CellSums, classes_held, classes_summed
from tiltmeter.measures.rating.columns import Column
from tiltmeter.measures.rating.group import RatingDataset
from tiltmeter.measures.rating.manner import Manner
from tiltmeter.measures.rating.raw_scores import RawScores, no_scores
from tiltmeter.measures.rating.tallied import Tallied, dealt_cells
from tiltmeter.measures.rating.told import Told, told
from tiltmeter.measures.stats.class_sums import ClassSums


def tallied_scores(column: Column, found: Tallied, manner: Manner) -> RawScores:
    """The raw scores of a column; none where its effect is not identifiable."""
    submissions = found.tally.submissions
    if not column.adjustment.identifiable:
        return no_scores(column, submissions, manner.repeats)
    none = np.full((submissions, 1), np.nan)
    return RawScores(
        column,
        _told(column, found, found.at_hand, manner),
        _told(column, found, found.redrawn, manner).psi,
        _told(column, found, _dealt(column, found, manner), manner).psi,
        none[:, 0],
        none[:, :0],
    )


def _dealt(column: Column, found: Tallied, manner: Manner) -> CellSums:
    """Classes dealt by chance: of the whole group, or of those that the column is about."""
    if not column.leaves_out:
        return found.dealt
    rows = np.flatnonzero(column.compared)
    return dealt_cells(column.group, found.tally, found.cells, rows, manner.repeats, manner.seed)


def _told(column: Column, found: Tallied, sums: CellSums, manner: Manner) -> Told:
    def summed(dataset: RatingDataset) -> ClassSums:
        return classes_summed(column, dataset, found.cells, found.tally, sums)

    def held(dataset: RatingDataset) -> ClassSums:
        return classes_held(column, dataset, found.cells, sums)

    return told(column, manner, summed, held)
