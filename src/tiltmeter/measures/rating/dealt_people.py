"""Everyone in another's place, with all their sentences.

Where a column is about one attribute of several, people change places with those who are alike on
the others: by race among women, and among men. So no other attribute passes for the one asked for.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from tiltmeter.measures.rating.chance import Sums
from tiltmeter.measures.rating.columns import Column
from tiltmeter.measures.rating.group import (
    ENOUGH_PEOPLE,
    RatingDataset,
    RatingGroup,
    places,
    strata_of,
)
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
    if crossing is None or column.group.fewest_in(column.classes[1]) < ENOUGH_PEOPLE:
        return None
    alike = strata_of(column.group, column.beside)[crossing.table[0]]
    if not _can_change(column.classes[1][crossing.table[0]], alike):
        return None
    rng = np.random.default_rng([seed, zlib.crc32(column.group.name.encode())])
    swaps = np.tile(np.arange(alike.size), (repeats, 1))
    for _, those in places(alike):
        swaps[:, those] = rng.permuted(swaps[:, those], axis=1)

    def sums(dataset: RatingDataset, scores: Array) -> ClassSums:
        row = dataset.rows[0]
        frame, person = crossing.frame[row], crossing.person[row]
        return joined(
            _of_places(column, scores, crossing.table[frame, swaps[some][:, person]], row)
            for some in some_at_a_time(repeats, row.size)
        )

    return sums


def _can_change(place: Index, alike: Index) -> bool:
    """Whether some people who are alike on the other attributes are of several classes."""
    return any(np.unique(place[those]).size > 1 for _, those in places(alike))


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
