"""The datasets at hand without the sentences about one person: for each person, what is left.

A person's sentences are added up once and taken from the sums of all, so that leaving out each of
many people costs no more than adding up the sentences.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tiltmeter.measures.rating.chance import Sums
from tiltmeter.measures.rating.columns import Column
from tiltmeter.measures.rating.group import RatingDataset
from tiltmeter.measures.stats.class_sums import Array, ClassSums, Index

TOGETHER = 1_000
"""People left out at a time, one each."""


def people_of(column: Column) -> tuple[str, ...]:
    """Everyone spoken of, where the sentences tell."""
    sentences = column.group.sentences
    known = "person" in sentences.columns
    return tuple(sentences["person"].unique(maintain_order=True)) if known else ()


def without_each(column: Column) -> Iterator[Sums]:
    """Sums without each of some people, (systems, people, …); all people in turn."""
    people = people_of(column)
    if not people:
        return
    person = column.group.sentences["person"].replace_strict(people, range(len(people)))
    number = person.to_numpy().astype(np.int64)
    for first in range(0, len(people), TOGETHER):
        yield _without(column, number - first, min(TOGETHER, len(people) - first))


def _without(column: Column, person: Index, people: int) -> Sums:
    """Sums without each of the people from 0 on; others' sentences stay in all of them."""
    classes, place = column.classes
    kinds, kind = column.kinds
    shape = people, len(classes), kinds

    def sums(dataset: RatingDataset, scores: Array) -> ClassSums:
        row = dataset.rows[0][place[dataset.rows[0]] >= 0]
        cell = (place * kinds + kind)[row]
        every = _added(scores[:, row], cell, (1, *shape[1:]))
        mine = (person[row] >= 0) & (person[row] < people)
        about = person[row[mine]] * len(classes) * kinds + cell[mine]
        return every - _added(scores[:, row[mine]], about, shape)

    return sums


def _added(scores: Array, cell: Index, shape: tuple[int, ...]) -> ClassSums:
    """Sums of scores (systems, sentences) over cells laid out as `shape`."""
    known = ~np.isnan(scores)
    values = np.where(known, scores, 0.0)

    def by_cell(parts: Array) -> Array:
        size = int(np.prod(shape))
        sums = [np.bincount(cell, weights=one, minlength=size).reshape(shape) for one in parts]
        return np.stack(sums)

    return ClassSums(by_cell(known.astype(np.float64)), by_cell(values), by_cell(values * values))
