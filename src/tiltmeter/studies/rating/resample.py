"""Datasets drawn anew: classes permuted, words redrawn, people left out."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.causal import (
    ROOM,
    TINY,
    Array,
    ClassSums,
    Draws,
    Index,
    class_sums,
    expectations,
    joined,
    some_at_a_time,
    stacked,
    treatment_effects,
)
from tiltmeter.studies.rating.config import ATE, WRS, RatingColumn
from tiltmeter.studies.rating.groups import (
    ENOUGH_PEOPLE,
    RatingDataset,
    RatingGroup,
    dealt_within,
    places,
    resampled_within,
    strata_of,
)

# ---- what chance alone gives, told two ways
# *Sentences dealt*: the classes are dealt out anew among sentences of a template with the same
# word, or where words are assigned of the same polarity. The raw score that this gives is what a
# system gets whose scores have nothing to do with classes, sentence by sentence. *People dealt*:
# everyone takes another's place in the dataset, in the same templates and with the same words,
# with all their sentences. Sentences about one person share whatever a system makes of the name,
# so this is the chance that a claim about groups must be held against. The raw score is too
# coarse for it: rejections treat each sentence as a witness of its own. How far classes stand
# apart is not.

Sums = Callable[[RatingDataset, Array], ClassSums]
"""A dataset's sums over (classes, kinds), of some systems' scores."""


def apart(column: RatingColumn, sums: Sums, scores: Array) -> Array:
    """(systems, draws): how far a column's classes stand apart, over all its datasets.

    Σ n (m_class − m)² where classes are compared; where words are assigned the largest distance
    between means before and after adjustment, or between the naive and the adjusted effect.
    """
    every = [sums(dataset, scores) for dataset in column.group.datasets]
    if column.measure == WRS:
        total: Array = np.sum([_between(one) for one in every], axis=0)
        return np.where(total < TINY**2, 0.0, total)
    moved = np.stack([_moved(column, one) for one in every], axis=-1)
    return _largest(moved)


def _between(sums: ClassSums) -> Array:
    """The sum of squares between classes, within the strata held fixed."""
    n, total = sums.n.sum(axis=-2, keepdims=True), sums.total.sum(axis=-2, keepdims=True)
    mean = np.divide(total, n, out=np.zeros_like(total), where=n > 0)
    from_it = np.where(sums.n > 0, sums.mean, 0.0) - mean
    between: Array = (sums.n * from_it**2).sum(axis=(-1, -2))
    return between


def _moved(column: RatingColumn, sums: ClassSums) -> Array:
    if column.measure == ATE:
        effects = treatment_effects(sums)
        return np.abs(effects.adjusted - effects.naive)
    return _largest(np.abs(expectations(sums).difference))


def _largest(values: Array) -> Array:
    """The largest over the last axis; what cannot be told or is but rounding counts as 0."""
    largest: Array = np.where(values > TINY, values, 0.0).max(axis=-1)
    return largest


# ---- everyone in another's place, with all their sentences
# Where a column is about one attribute of several, people change places with those who are alike
# on the others: by race among women, and among men. So no other attribute passes for the one
# asked for.


def people_dealt(column: RatingColumn, repeats: int, seed: int) -> Sums | None:
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


def _of_places(column: RatingColumn, scores: Array, taken: Index, row: Index) -> ClassSums:
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


# ---- classes dealt out anew among like sentences, each sentence for itself


Classes = NDArray[np.int32]
"""Classes by number."""


def sentences_dealt(column: RatingColumn, repeats: int, seed: int) -> Sums:
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


def _of_dealt(column: RatingColumn, scores: Array, row: Index, dealt: Classes) -> ClassSums:
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


# ---- datasets drawn anew: other words where words are assigned, and sentences resampled in
# blocks Sentences about one person share whatever a system makes of the name. So people are
# resampled, each with all their sentences, as many of each class as there are: a rating that
# rests on one name is not steady. Where a class has too few people for that, templates are
# resampled, the same for all classes. Either way a system that is even stays so, and datasets
# that share sentences share luck.


@dataclass(frozen=True, eq=False, slots=True)
class _Redrawn:
    """Draws of a dataset, their weights made when they are asked for."""

    rows: Index
    """(draws, sentences of the dataset)."""
    counts: NDArray[np.uint16]
    """(repeats, blocks): how often each block is taken; small numbers, of perhaps millions."""
    block: Index
    """A slot's block is the same in every draw of a dataset, so the first draw tells it."""
    sentences: int

    def __len__(self) -> int:
        return len(self.counts) + 1

    def __getitem__(self, some: slice) -> Array:
        numbers = np.arange(len(self))[some]
        weights = np.empty((numbers.size, self.sentences))
        for place, number in enumerate(numbers):
            taken = self.counts[number - 1, self.block] if number else np.ones(self.block.size)
            row = self.rows[number % len(self.rows)]
            weights[place] = np.bincount(row, weights=taken, minlength=self.sentences)
        return weights


def draws_of(group: RatingGroup, dataset: RatingDataset, repeats: int, seed: int) -> Draws:
    """How often each sentence stands in each draw of the dataset; draw 0 is the dataset itself.

    Made at once where there is room for all, and else when some of them are asked for.
    """
    strata, block = _blocks(group)
    rng = np.random.default_rng([seed, zlib.crc32(group.name.encode())])
    counts = _counts(strata, block, repeats, rng)
    rows = dataset.rows if repeats else dataset.rows[:1]
    drawn = _Redrawn(rows, counts, block[dataset.rows[0]], group.sentences.height)
    return drawn[:] if len(drawn) * drawn.sentences <= ROOM else drawn


def draw_weights(group: RatingGroup, dataset: RatingDataset, repeats: int, seed: int) -> Array:
    """(1 + repeats, sentences): the draws of a dataset, all at once."""
    return draws_of(group, dataset, repeats, seed)[:]


def _blocks(group: RatingGroup) -> tuple[Index, Index]:
    """What is resampled within what, and in which block: a number each for every sentence."""
    columns = group.sentences.columns
    if group.fewest_people(group.axes) >= ENOUGH_PEOPLE:
        return strata_of(group, group.axes), strata_of(group, ("person",))
    if "template" in columns:
        return strata_of(group, ()), strata_of(group, ("template",))
    return resampled_within(group), np.arange(group.sentences.height)


def _counts(
    strata: Index, block: Index, repeats: int, rng: np.random.Generator
) -> NDArray[np.uint16]:
    """(repeats, blocks): how often each block is taken when as many are drawn from each stratum."""
    counts = np.zeros((repeats, int(block.max()) + 1), np.uint16)
    for stratum in np.unique(strata):
        here = np.unique(block[strata == stratum])
        counts[:, here] = rng.multinomial(here.size, np.full(here.size, 1 / here.size), repeats)
    return counts


# ---- the datasets at hand without the sentences about one person: for each person, what is left
# A person's sentences are added up once and taken from the sums of all, so that leaving out each of
# many people costs no more than adding up the sentences.

TOGETHER = 1_000
"""People left out at a time, one each."""


def people_of(column: RatingColumn) -> tuple[str, ...]:
    """Everyone spoken of, where the sentences tell."""
    sentences = column.group.sentences
    known = "person" in sentences.columns
    return tuple(sentences["person"].unique(maintain_order=True)) if known else ()


def without_each(column: RatingColumn) -> Iterator[Sums]:
    """Sums without each of some people, (systems, people, …); all people in turn."""
    people = people_of(column)
    if not people:
        return
    person = column.group.sentences["person"].replace_strict(people, range(len(people)))
    number = person.to_numpy().astype(np.int64)
    for first in range(0, len(people), TOGETHER):
        yield _without(column, number - first, min(TOGETHER, len(people) - first))


def _without(column: RatingColumn, person: Index, people: int) -> Sums:
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
