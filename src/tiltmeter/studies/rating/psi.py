"""Raw scores ψ of a column: on the datasets at hand, drawn anew, by chance, without each person.

WRS sums rejections over datasets and pairs of classes; DIE and the change of the ATE take the
largest over polarities and datasets (Lakkaraju et al. 2023, Algorithms 1 and 2). All are the same
computation on other sums of scores: `scored_sums` has them where systems were asked, and
`stored_rows.StoredSums` where their outputs were stored.

Two permutations say what chance alone gives. *Classes among like sentences* (of a template with the
same word, or where words are assigned of the same polarity): the raw score of a system whose scores
have nothing to do with classes, sentence by sentence. *People*: everyone takes another's place in
the dataset, with all their sentences. Sentences about one person share whatever a system makes of
the name, so this is the chance that a claim about groups must be held against. The raw score is too
coarse for it, since rejections treat each sentence as a witness of its own.

Draws resample people, each with all their sentences, as many of each class as there are: a rating
that rests on one name is not steady. Where a class has too few people for that, templates are
resampled, the same for all classes. Either way a system that is even stays so, and datasets that
share sentences share luck.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from tiltmeter.ranking import coarsen
from tiltmeter.stats.causal import (
    ROOM,
    TINY,
    Array,
    ClassSums,
    Draws,
    Expectations,
    Index,
    TTests,
    WordEffects,
    class_sums,
    expectations,
    impact,
    joined,
    some_at_a_time,
    stacked,
    sums_of_draws,
    t_tests,
    treatment_effects,
    weighted_rejections,
)
from tiltmeter.stats.multiplicity import corrected_p
from tiltmeter.studies.rating.grades import RatingConfig
from tiltmeter.studies.rating.groups import (
    ENOUGH_PEOPLE,
    POLARITIES,
    Measure,
    RatingColumn,
    RatingDataset,
    RatingGroup,
    positions,
)

Sums = Callable[[RatingDataset, Array], ClassSums]
"""A dataset's sums over (classes, kinds), of some systems' scores."""
SystemSums = Callable[[RatingDataset, slice | None], ClassSums]
"""A dataset's sums over (classes, kinds), of some systems; None: of one that answers all with 0."""
DatasetSums = Callable[[RatingDataset], ClassSums]
LEFT_OUT = 1_000
"""People left out at a time, one each."""
ALIKE = 1e-9
"""Raw scores that differ by less than this part of them are the same."""
TOGETHER = 64
"""Systems whose repeats are computed at a time, so that memory does not grow with them."""


# -------------------------------- from sums of scores to ψ


@dataclass(frozen=True, slots=True)
class ComparedClasses:
    """A dataset's classes, compared two by two."""

    dataset: RatingDataset
    classes: list[str]
    pairs: list[tuple[int, int]]
    sums: ClassSums
    tests: TTests
    p: Array
    """Corrected for the other tests of the column, where that was asked for."""


@dataclass(frozen=True, slots=True)
class AdjustedMeans:
    """A dataset's mean scores before and after adjustment, and the effect of its words."""

    dataset: RatingDataset
    classes: list[str]
    sums: ClassSums
    means: Expectations

    @property
    def impact(self) -> Array:
        """DIE % of each polarity; NaN where all words are of one, so that adjusting moves none."""
        both: Array = (self.sums.n.sum(axis=-2) > 0).all(axis=-1, keepdims=True)
        return np.where(both, impact(self.means).percent, np.nan)

    @property
    def effects(self) -> WordEffects:
        """The effect of its words; computed when asked for, since DIE does without."""
        return treatment_effects(self.sums)


@dataclass(frozen=True, slots=True)
class ColumnPsi:
    """ψ of a column, (systems, draws), NaN where there is none, infinite for X; what it is of."""

    psi: Array
    compared: tuple[ComparedClasses, ...] = field(default=(), repr=False)
    adjusted: tuple[AdjustedMeans, ...] = field(default=(), repr=False)


def column_psi(
    column: RatingColumn, config: RatingConfig, sums: DatasetSums, held: DatasetSums | None = None
) -> ColumnPsi:
    """ψ of a column, with everything that it comes from.

    `held` gives the sums of a system that answers everything: where one does not answer what a
    dataset holds, there is no ψ, since a maximum over fewer means would be a lower one.
    """
    wrs = column.measure == Measure.WRS
    found = _rejections(column, config, sums) if wrs else _largest_change(column, sums, held)
    if len(column.classes[0]) < 2 or (wrs and not column.pairs):
        # No two to compare is not no difference.
        return replace(found, psi=np.full_like(found.psi, np.nan))
    return found


def _rejections(column: RatingColumn, config: RatingConfig, sums: DatasetSums) -> ColumnPsi:
    first, second = np.array(column.pairs, dtype=np.int64).reshape(-1, 2).T
    found = []
    for dataset in column.group.datasets:
        own = sums(dataset)
        tests = t_tests(own, first, second, welch=not config.published)
        found.append(ComparedClasses(dataset, column.classes[0], column.pairs, own, tests, tests.p))
    p = corrected_p(np.concatenate([one.p for one in found], axis=-1), config.multiplicity)
    parts = np.split(p, np.cumsum([len(one.pairs) for one in found])[:-1], axis=-1)
    compared = tuple(replace(one, p=part) for one, part in zip(found, parts, strict=True))
    return ColumnPsi(weighted_rejections(p, config.tail, np.array(config.weights)), compared)


def _largest_change(column: RatingColumn, sums: DatasetSums, held: DatasetSums | None) -> ColumnPsi:
    def adjust(sums: DatasetSums) -> tuple[tuple[AdjustedMeans, ...], Array]:
        """Every dataset, and by how many per cent adjustment moves each mean, or the effect."""
        found = []
        for dataset in column.group.datasets:
            own = sums(dataset)
            found.append(AdjustedMeans(dataset, column.classes[0], own, expectations(own)))
        ate = column.measure == Measure.ATE
        changes = [one.effects.change.percent[..., None] if ate else one.impact for one in found]
        return tuple(found), np.concatenate(changes, axis=-1)

    adjusted, changes = adjust(sums)
    largest = np.where(np.isnan(changes), -np.inf, changes).max(axis=-1)
    psi = np.where(np.isneginf(largest), np.nan, largest)
    if held is not None:
        _, possible = adjust(held)
        psi = np.where((np.isnan(changes) & ~np.isnan(possible)).any(axis=-1), np.nan, psi)
    return ColumnPsi(psi, adjusted=adjusted)


def class_distance(column: RatingColumn, sums: SystemSums, systems: slice) -> Array:
    """(systems, draws): how far a column's classes stand apart, over all its datasets.

    Σ n (m_class − m)² within the strata held fixed where classes are compared; where words are
    assigned the largest distance between means before and after adjustment, or between the naive
    and the adjusted effect. What cannot be computed or is but rounding counts as 0.
    """

    def largest(values: Array) -> Array:
        found: Array = np.where(values > TINY, values, 0.0).max(axis=-1)
        return found

    parts = []
    for own in (sums(dataset, systems) for dataset in column.group.datasets):
        if column.measure == Measure.WRS:
            n, total = own.n.sum(axis=-2, keepdims=True), own.total.sum(axis=-2, keepdims=True)
            mean = np.divide(total, n, out=np.zeros_like(total), where=n > 0)
            from_it = np.where(own.n > 0, own.mean, 0.0) - mean
            parts.append((own.n * from_it**2).sum(axis=(-1, -2)))
        elif column.measure == Measure.ATE:
            effects = treatment_effects(own)
            parts.append(np.abs(effects.adjusted - effects.naive))
        else:
            parts.append(largest(np.abs(expectations(own).difference)))
    if column.measure == Measure.WRS:
        between: Array = np.sum(parts, axis=0)
        return np.where(between < TINY**2, 0.0, between)
    return largest(np.stack(parts, axis=-1))


@dataclass(frozen=True, slots=True)
class ColumnSums:
    """The sums of a column's datasets, each of some systems at a time."""

    systems: int
    complete: bool
    """Whether every system answered everything."""
    at_hand: SystemSums
    redrawn: SystemSums
    permuted: SystemSums
    """Classes permuted among like sentences."""
    people: tuple[str, ...] = ()
    """Everyone spoken of, where the sentences say."""
    without: tuple[SystemSums, ...] = ()
    """Without each of some people; all people in turn."""
    swapped: SystemSums | None = None
    """Everyone in another's place."""
    together: int = TOGETHER
    """Systems whose sums are computed at a time."""


@dataclass(frozen=True, slots=True)
class RawScores:
    """ψ of every system in a column; NaN where there is none, infinite for X."""

    column: RatingColumn
    at_hand: ColumnPsi
    """On the datasets at hand, with what it comes from; (systems, 1)."""
    repeated: Array
    """(systems, repeats): datasets drawn anew."""
    chance: Array = field(repr=False)
    """(systems, repeats): classes permuted among sentences."""
    p: Array
    """(systems,): the share of permutations of people in which classes stand as far apart."""
    without: Array = field(repr=False)
    """(systems, people): without the sentences about each of them."""
    people: tuple[str, ...] = ()

    @property
    def psi(self) -> Array:
        """(systems,): on the datasets at hand."""
        return self.at_hand.psi[:, 0]

    def by_chance(self, row: int) -> float | None:
        """A system's middle ψ by chance."""
        known = self.chance[row][~np.isnan(self.chance[row])]
        if not known.size or np.isnan(self.psi[row]):
            return None
        middle = np.quantile(known, 0.5, method="inverted_cdf")
        return float(middle) if np.isfinite(middle) else None

    def most_influential(self, row: int) -> tuple[str | None, float | None]:
        """The person without whom a system's ψ would be lowest, and that ψ; None where none is."""
        left = self.without[row]
        lower = left < self.psi[row] * (1 - ALIKE)  # never where either is NaN
        if not lower.any():
            return None, None
        who = int(np.argmin(coarsen(np.where(lower, left, np.inf))))
        return self.people[who], float(left[who])

    def why_not_rated(self, row: int) -> str | None:
        """Why a system has no raw score, in words; None where it has one."""
        column = self.column
        if not column.adjustment.identifiable:
            return column.adjustment.reason
        if not np.isnan(self.psi[row]):
            return None
        group, (classes, _) = column.group, column.classes
        if group.all_by_submission(np.isnan(group.scores))[row]:
            return "it answered none of the sentences"
        if len(classes) < 2:
            return f"everybody is of the class {classes[0]}; comparing needs two"
        held = column.adjustment.strata
        for tested in self.at_hand.compared:
            n = tested.sums.n[row, 0]
            if (n < 2).any():
                few, stratum = np.unravel_index(int(n.argmin()), n.shape)
                answers = f"{int(n.min())} answer{'s' * (int(n.min()) != 1)}"
                fixed = (
                    f" with {' × '.join(held)} {group.classes(held)[0][stratum]}" if held else ""
                )
                where = f"{tested.classes[few]}{fixed} in {tested.dataset.name}"
                return f"{answers} for {where}; a test needs two"
        for means in self.at_hand.adjusted:
            n = means.sums.n[row, 0].sum(axis=0)
            if lacking := [name for name, some in zip(POLARITIES, n, strict=True) if not some]:
                word = f"a {' or '.join(lacking)} word in {means.dataset.name}"
                return f"no answer to {word}; adjusting needs both"
        if column.measure == Measure.WRS:
            return "a test could not be made"
        return "no class has answers to words of both polarities; adjusting needs one that does"


def raw_scores(column: RatingColumn, sums: ColumnSums, config: RatingConfig) -> RawScores:
    """The raw scores of a column; none where its effect is not identifiable."""
    p = np.full(sums.systems, np.nan)
    if not column.adjustment.identifiable:
        at_hand, repeated, none = (np.full((p.size, n), np.nan) for n in (1, config.repeats, 0))
        return RawScores(column, ColumnPsi(at_hand), repeated, none, p, none)

    def found(sampled: SystemSums, systems: slice) -> ColumnPsi:
        held = None if sums.complete else (lambda dataset: sampled(dataset, None))
        return column_psi(column, config, lambda dataset: sampled(dataset, systems), held)

    blocks = [slice(at, at + sums.together) for at in range(0, sums.systems, sums.together)]

    def psi(sampled: SystemSums) -> Array:
        return np.concatenate([found(sampled, block).psi for block in blocks])

    if sums.swapped is not None and config.repeats:
        for block in blocks:
            own = class_distance(column, sums.at_hand, block)
            chances = class_distance(column, sums.swapped, block)
            p[block] = (1 + (chances >= own * (1 - ALIKE)).sum(axis=1)) / (1 + config.repeats)
    without = [psi(sampled) for sampled in sums.without]
    return RawScores(
        column,
        found(sums.at_hand, slice(None)),
        psi(sums.redrawn),
        psi(sums.permuted),
        p,
        np.concatenate(without, axis=1) if without else np.empty((sums.systems, 0)),
        sums.people,
    )


# -------------------------------- sums of scores where all systems answered the same sentences


def scored_sums(
    column: RatingColumn, scores: Array, draws: Mapping[str, Draws], config: RatingConfig
) -> ColumnSums:
    """The sums of `scores` (systems, sentences); `draws` has those of each dataset, by name."""

    def by_system(sums: Sums) -> SystemSums:
        nothing = np.zeros((1, scores.shape[1]))
        return lambda dataset, some: sums(dataset, nothing if some is None else scores[some])

    def drawn(scores: Array, draws: Draws, first: int = 0) -> ClassSums:
        (classes, place), (kinds, kind) = column.classes, column.kinds
        sums = sums_of_draws(scores, draws, place * kinds + kind, len(classes) * kinds, first)
        return sums.over(len(classes), kinds)

    swapped = permute_people(column, config.repeats, config.seed)
    sentences = column.group.sentences
    named = "person" in sentences.columns
    people = tuple(sentences["person"].unique(maintain_order=True)) if named else ()
    return ColumnSums(
        len(scores),
        not np.isnan(scores).any(),
        by_system(lambda dataset, some: drawn(some, draws[dataset.name][:1])),
        by_system(lambda dataset, some: drawn(some, draws[dataset.name], first=1)),
        by_system(permute_classes(column, config.repeats, config.seed)),
        people,
        tuple(map(by_system, leave_one_out(column, people))),
        None if swapped is None else by_system(swapped),
    )


def permute_people(column: RatingColumn, repeats: int, seed: int) -> Sums | None:
    """Sums of a column's datasets, everyone in another's place.

    Where a column is about one attribute of several, people change places with those who are alike
    on the others: by race among women, and among men. So no other attribute passes for the one
    asked for. None where sentences do not say whom they are about, where not everybody stands in
    every frame, or where a class has so few people that they hardly have another order.
    """
    group, (classes, place) = column.group, column.classes
    if not {"frame", "person"} <= set(group.sentences.columns):
        return None
    frame, person = (group.strata((name,)) for name in ("frame", "person"))
    sentence = np.full((int(frame.max()) + 1, int(person.max()) + 1), -1)
    sentence[frame, person] = np.arange(frame.size)
    whole = sentence.size == frame.size and not (sentence < 0).any()
    if not whole or group.fewest_people(place) < ENOUGH_PEOPLE:
        return None
    wrs = column.measure == Measure.WRS
    others = tuple(axis for axis in group.axes if axis not in column.axes) if wrs else ()
    own, alike = place[sentence[0]], group.strata(others)[sentence[0]]
    if not any(np.unique(own[those]).size > 1 for _, those in positions(alike)):
        return None
    rng = np.random.default_rng([seed, zlib.crc32(group.name.encode())])
    swaps = np.tile(np.arange(alike.size), (repeats, 1))
    for _, those in positions(alike):
        swaps[:, those] = rng.permuted(swaps[:, those], axis=1)
    kinds, kind = column.kinds

    def sums(dataset: RatingDataset, scores: Array) -> ClassSums:
        row, parts = dataset.rows[0], []
        for some in some_at_a_time(repeats, row.size):
            taken = sentence[frame[row], swaps[some][:, person[row]]]  # in the places of `row`
            there = np.zeros(scores.shape[1], dtype=bool)
            there[taken] = True
            used, where = np.flatnonzero(there), (np.cumsum(there) - 1)[taken]
            by_class = []
            for number in range(len(classes)):
                weights = np.zeros((len(taken), used.size))
                np.put_along_axis(weights, where[:, place[row] == number], 1.0, axis=1)
                by_class.append(class_sums(scores[:, used], weights, kind[used], kinds))
            parts.append(stacked(by_class))
        return joined(parts)

    return sums


def permute_classes(column: RatingColumn, repeats: int, seed: int) -> Sums:
    """Sums of a column's datasets, their classes permuted among like sentences.

    Every class keeps its number of sentences of each kind. A sentence that several datasets of a
    group hold has the same class in all of them. Strata stay whole; all come at once where there is
    room.
    """
    (classes, place), (kinds, kind) = column.classes, column.kinds
    within = column.group.permutation_strata()
    most = ROOM // max(1, repeats)

    def sums(dataset: RatingDataset, scores: Array) -> ClassSums:
        rows = dataset.rows[0][place[dataset.rows[0]] >= 0]
        name = dataset.name if column.group.confounded else column.group.name
        blocks: list[list[Index]] = [[]]
        for _, here in positions(within[rows]):
            if rows.size > most and blocks[-1] and sum(map(len, blocks[-1])) + here.size > most:
                blocks.append([])
            blocks[-1].append(here)
        parts = []
        for block in blocks:
            row = rows if rows.size <= most else rows[np.concatenate(block)]
            permuted = np.tile(place[row].astype(np.int32), (repeats, 1))
            for stratum, here in positions(within[row]):
                rng = np.random.default_rng([seed, zlib.crc32(name.encode()), stratum])
                permuted[:, here] = rng.permuted(permuted[:, here], axis=1)
            parts.append(
                joined(
                    stacked(
                        class_sums(
                            scores[:, row], (permuted[some] == one).astype(float), kind[row], kinds
                        )
                        for one in range(len(classes))
                    )
                    for some in some_at_a_time(repeats, row.size)
                )
            )
        return reduce(add, parts)

    return sums


@dataclass(frozen=True, eq=False, slots=True)
class _Redrawn:
    """Draws of a dataset, their weights made when they are asked for."""

    rows: Index
    """(draws, sentences of the dataset)."""
    counts: NDArray[np.uint16]
    """(repeats, blocks): how often each block is taken; small numbers, of perhaps millions."""
    block: Index
    """A slot's block is the same in every draw of a dataset, so the first draw says it."""
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
    if group.fewest_people(group.classes(group.axes)[1]) >= ENOUGH_PEOPLE:
        strata, block = group.strata(group.axes), group.strata(("person",))
    elif "template" in group.sentences.columns:
        strata, block = group.strata(()), group.strata(("template",))
    else:
        strata, block = group.resampling_strata(), np.arange(group.sentences.height)
    rng = np.random.default_rng([seed, zlib.crc32(group.name.encode())])
    counts = np.zeros((repeats, int(block.max()) + 1), np.uint16)
    for stratum in np.unique(strata):
        here = np.unique(block[strata == stratum])
        counts[:, here] = rng.multinomial(here.size, np.full(here.size, 1 / here.size), repeats)
    rows = dataset.rows if repeats else dataset.rows[:1]
    drawn = _Redrawn(rows, counts, block[dataset.rows[0]], group.sentences.height)
    return drawn[:] if len(drawn) * drawn.sentences <= ROOM else drawn


def leave_one_out(column: RatingColumn, people: tuple[str, ...]) -> Iterator[Sums]:
    """Sums without each of some people, (systems, people, …); all people in turn.

    A person's sentences are added up once and taken from the sums of all, so that leaving out each
    of many people costs no more than adding up the sentences.
    """
    if not people:
        return
    numbers = column.group.sentences["person"].replace_strict(people, range(len(people)))
    person = numbers.to_numpy().astype(np.int64)
    (classes, place), (kinds, kind) = column.classes, column.kinds

    def sum_cells(scores: Array, cell: Index, *shape: int) -> ClassSums:
        known = ~np.isnan(scores)
        values = np.where(known, scores, 0.0)

        def by_cell(parts: Array) -> Array:
            size = int(np.prod(shape))
            sums = [np.bincount(cell, weights=one, minlength=size).reshape(shape) for one in parts]
            return np.stack(sums)

        return ClassSums(*map(by_cell, (known.astype(np.float64), values, values * values)))

    def without(first: int) -> Sums:
        many = min(LEFT_OUT, len(people) - first)

        def sums(dataset: RatingDataset, scores: Array) -> ClassSums:
            row = dataset.rows[0][place[dataset.rows[0]] >= 0]
            cell, number = (place * kinds + kind)[row], person[row] - first
            own = (number >= 0) & (number < many)
            about = number[own] * len(classes) * kinds + cell[own]
            every = sum_cells(scores[:, row], cell, 1, len(classes), kinds)
            return every - sum_cells(scores[:, row[own]], about, many, len(classes), kinds)

        return sums

    yield from map(without, range(0, len(people), LEFT_OUT))
