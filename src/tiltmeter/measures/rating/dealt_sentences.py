"""Classes dealt out anew among like sentences, each sentence for itself."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.rating.chance import Sums
from tiltmeter.measures.rating.columns import Column
from tiltmeter.measures.rating.group import RatingDataset, RatingGroup, dealt_within, places
from tiltmeter.measures.stats.class_sums import (
    ROOM,
    Array,
    ClassSums,
    Index,
    class_sums,
    joined,
    some_at_a_time,
    stacked,
)

Classes = NDArray[np.int32]
"""Classes by number."""


def sentences_dealt(column: Column, repeats: int, seed: int) -> Sums:
    """Sums of a column's datasets, their classes dealt out anew among like sentences."""
    _, place = column.classes
    within = dealt_within(column.group)

    def sums(dataset: RatingDataset, scores: Array) -> ClassSums:
        row = dataset.rows[0][place[dataset.rows[0]] >= 0]
        parts = (
            _of_dealt(column, scores, row[some], dealt)
            for some, dealt in _dealt(column.group, dataset, within[row], place[row], repeats, seed)
        )
        return reduce(add, parts)

    return sums


def _of_dealt(column: Column, scores: Array, row: Index, dealt: Classes) -> ClassSums:
    """Sums of some sentences, their classes `dealt` (repeats, sentences)."""
    kinds, kind = column.kinds
    some_scores, some_kinds = scores[:, row], kind[row]

    def of_some(some: slice) -> ClassSums:
        return stacked(
            class_sums(some_scores, (dealt[some] == one).astype(np.float64), some_kinds, kinds)
            for one in range(len(column.classes[0]))
        )

    return joined(map(of_some, some_at_a_time(len(dealt), row.size)))


def _dealt(
    group: RatingGroup,
    dataset: RatingDataset,
    strata: Index,
    place: Index,
    repeats: int,
    seed: int,
) -> Iterator[tuple[Index, Classes]]:
    """Some of a dataset's sentences at a time, and their classes in each repeat, dealt out anew.

    Every class keeps its number of sentences of each kind. A sentence that several datasets of a
    group hold is dealt the same class in all of them.
    """
    name = dataset.name if group.confounded else group.name
    for some in _whole_strata(strata, ROOM // max(1, repeats)):
        dealt = np.tile(place[some].astype(np.int32), (repeats, 1))
        for stratum, here in places(strata[some]):
            rng = np.random.default_rng([seed, zlib.crc32(name.encode()), stratum])
            dealt[:, here] = rng.permuted(dealt[:, here], axis=1)
        yield some, dealt


def _whole_strata(strata: Index, most: int) -> Iterator[Index]:
    """All sentences if they are no more than `most`; else strata together until they are more."""
    if strata.size <= most:
        yield np.arange(strata.size)
        return
    waiting: list[Index] = []
    for _, here in places(strata):
        if waiting and sum(map(len, waiting)) + here.size > most:
            yield np.concatenate(waiting)
            waiting = []
        waiting.append(here)
    yield np.concatenate(waiting)
