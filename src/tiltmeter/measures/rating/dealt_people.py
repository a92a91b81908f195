"""Everyone in another's place, with all their sentences."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from tiltmeter.measures.rating.chance import Sums
from tiltmeter.measures.rating.columns import Column
from tiltmeter.measures.rating.group import ENOUGH_PEOPLE, RatingDataset, RatingGroup, strata_of
from tiltmeter.measures.stats.class_sums import (
    Array,
    ClassSums,
    Index,
    class_sums,
    joined,
    some_at_a_time,
    stacked,
)


def people_dealt(column: Column, repeats: int, seed: int) -> Sums | None:
    """Sums of a column's datasets, everyone in another's place.

    None where sentences do not tell whom they are about, where not everybody stands in every frame,
    or where a class has so few people that they can hardly be dealt out otherwise.
    """
    crossing = _crossing(column.group)
    if crossing is None or column.group.fewest_people(column.summed_over) < ENOUGH_PEOPLE:
        return None
    rng = np.random.default_rng([seed, zlib.crc32(column.group.name.encode())])
    people = crossing.table.shape[1]
    swaps = rng.permuted(np.tile(np.arange(people), (repeats, 1)), axis=1)

    def sums(dataset: RatingDataset, scores: Array) -> ClassSums:
        row = dataset.rows[0]
        frame, person = crossing.frame[row], crossing.person[row]
        return joined(
            _of_places(column, scores, crossing.table[frame, swaps[some][:, person]], row)
            for some in some_at_a_time(repeats, row.size)
        )

    return sums


@dataclass(frozen=True, slots=True)
class _Crossing:
    """Frames and people, numbered: what each sentence is, and where each combination stands."""

    frame: Index
    person: Index
    table: Index
    """(frames, people): the number of the sentence."""


def _crossing(group: RatingGroup) -> _Crossing | None:
    """Everybody in every frame; None where somebody lacks or nobody is told."""
    if not {"frame", "person"} <= set(group.sentences.columns):
        return None
    frame, person = (strata_of(group, (name,)) for name in ("frame", "person"))
    table = np.full((int(frame.max()) + 1, int(person.max()) + 1), -1)
    table[frame, person] = np.arange(frame.size)
    whole = table.size == frame.size and not (table < 0).any()
    return _Crossing(frame, person, table) if whole else None


def _of_places(column: Column, scores: Array, taken: Index, row: Index) -> ClassSums:
    """Sums where other sentences, `taken` (repeats, sentences), stand in the places of `row`."""
    classes, place = column.classes
    kinds, kind = column.kinds
    used, where = _used(taken, scores.shape[1])
    parts = []
    for one in range(len(classes)):
        weights = np.zeros((len(taken), used.size))
        np.put_along_axis(weights, where[:, place[row] == one], 1.0, axis=1)
        parts.append(class_sums(scores[:, used], weights, kind[used], kinds))
    return stacked(parts)


def _used(taken: Index, sentences: int) -> tuple[Index, Index]:
    """The sentences that are taken at all, and which of those stands in each place."""
    there = np.zeros(sentences, dtype=bool)
    there[taken] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[taken]
