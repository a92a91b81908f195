"""What chance alone gives, told two ways.

*Sentences dealt*: the classes are dealt out anew among sentences of a template with the same word,
or where words are assigned of the same polarity. The raw score that this gives is what a system
gets whose scores have nothing to do with classes, sentence by sentence.

*People dealt*: everyone takes another's place in the dataset, in the same templates and with the
same words, with all their sentences. Sentences about one person share whatever a system makes of
the name, so this is the chance that a claim about groups must be held against. The raw score is too
coarse for it: rejections treat each sentence as a witness of its own. How far classes stand apart
is not.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from tiltmeter.measures.rating.columns import ATE, WRS, Column
from tiltmeter.measures.rating.group import ENOUGH_PEOPLE, RatingDataset, RatingGroup, strata_of
from tiltmeter.measures.stats.backdoor import expectations, treatment_effects
from tiltmeter.measures.stats.class_sums import Array, ClassSums, Index, class_sums
from tiltmeter.measures.stats.rejections import TINY

Sums = Callable[[RatingDataset, Array], ClassSums]
"""A dataset's sums over (classes, kinds), of some systems' scores."""


def sentences_dealt(column: Column, repeats: int, seed: int) -> Sums:
    """Sums of a column's datasets, their classes dealt out anew among like sentences."""
    classes, place = column.classes
    kinds, kind = column.kinds

    def sums(dataset: RatingDataset, scores: Array) -> ClassSums:
        row = dataset.rows[0]
        dealt = _dealt(column.group, dataset, place, repeats, seed)
        return _stacked(
            class_sums(scores[:, row], (dealt == one).astype(np.float64), kind[row], kinds)
            for one in range(len(classes))
        )

    return sums


def _dealt(
    group: RatingGroup, dataset: RatingDataset, place: Index, repeats: int, seed: int
) -> Index:
    """(repeats, sentences): the classes of a dataset's sentences, dealt out anew.

    Every class keeps its number of sentences of each kind. A sentence that several datasets of a
    group hold is dealt the same class in all of them.
    """
    row = dataset.rows[0]
    strata = strata_of(group, _alike(group))[row]
    name = dataset.name if group.confounded else group.name
    dealt = np.tile(place[row], (repeats, 1))
    for stratum in np.unique(strata):
        rng = np.random.default_rng([seed, zlib.crc32(name.encode()), int(stratum)])
        here = np.flatnonzero(strata == stratum)
        dealt[:, here] = rng.permuted(dealt[:, here], axis=1)
    return dealt


def _alike(group: RatingGroup) -> tuple[str, ...]:
    """What sentences share among which classes are dealt: template, if told, and word or polarity.

    Scores that go by template and word alone then stand apart by no chance.
    """
    template = ("template",) if "template" in group.sentences.columns else ()
    return (*template, "polarity" if group.confounded else "emotion_word")


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
        taken = crossing.table[crossing.frame[row], swaps[:, crossing.person[row]]]
        return _of_places(column, scores, taken, row)

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
    used, where = np.unique(taken, return_inverse=True)
    where = where.reshape(taken.shape)
    parts = []
    for one in range(len(classes)):
        weights = np.zeros((len(taken), used.size))
        np.put_along_axis(weights, where[:, place[row] == one], 1.0, axis=1)
        parts.append(class_sums(scores[:, used], weights, kind[used], kinds))
    return _stacked(parts)


def _stacked(parts: Iterable[ClassSums]) -> ClassSums:
    """The classes' sums beside each other, before their kinds."""
    every = list(parts)
    return ClassSums(
        np.stack([one.n for one in every], axis=-2),
        np.stack([one.total for one in every], axis=-2),
        np.stack([one.squares for one in every], axis=-2),
    )


def apart(column: Column, sums: Sums, scores: Array) -> Array:
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


def _moved(column: Column, sums: ClassSums) -> Array:
    if column.measure == ATE:
        effects = treatment_effects(sums)
        return np.abs(effects.adjusted - effects.naive)
    return _largest(np.abs(expectations(sums).difference))


def _largest(values: Array) -> Array:
    """The largest over the last axis; what cannot be told or is but rounding counts as 0."""
    largest: Array = np.where(values > TINY, values, 0.0).max(axis=-1)
    return largest
