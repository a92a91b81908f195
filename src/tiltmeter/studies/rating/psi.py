"""Raw scores ψ of a column: on the datasets at hand, drawn anew, by chance, without each person.

WRS sums rejections over datasets and pairs of classes; DIE and the change of the ATE take the
largest over polarities and datasets (Lakkaraju et al. 2023, Algorithms 1 and 2). All are the same
computation on other sums. Systems are taken some at a time, so that memory does not grow with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tiltmeter.stats.causal import (
    Array,
    ClassSums,
    Draws,
    Expectations,
    TTests,
    WordEffects,
    expectations,
    impact,
    sums_of_draws,
    t_tests,
    treatment_effects,
    weighted_rejections,
)
from tiltmeter.stats.multiplicity import corrected_p
from tiltmeter.studies.rating.config import RatingConfig
from tiltmeter.studies.rating.groups import Measure, RatingColumn, RatingDataset
from tiltmeter.studies.rating.resample import (
    Sums,
    class_distance,
    leave_one_out,
    people_of,
    permute_classes,
    permute_people,
)

DatasetSums = Callable[[RatingDataset], ClassSums]
"""The sums of a dataset's scores over (classes, kinds), for some systems and draws."""
ALIKE = 1e-9
"""Raw scores that differ by less than this part of them are the same."""
TOGETHER = 64
"""Systems whose repeats are computed at a time."""


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
    def adjust(of: DatasetSums) -> tuple[tuple[AdjustedMeans, ...], Array]:
        """Every dataset, and by how many per cent adjustment moves each mean, or the effect."""
        found = []
        for dataset in column.group.datasets:
            own = of(dataset)
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
        who = int(np.argmin(np.where(lower, left, np.inf)))
        return self.people[who], float(left[who])


def no_scores(column: RatingColumn, systems: int, repeats: int) -> RawScores:
    """Raw scores of a column that has none."""
    at_hand, repeated, nothing = (np.full((systems, n), np.nan) for n in (1, repeats, 0))
    return RawScores(column, ColumnPsi(at_hand), repeated, nothing, at_hand[:, 0], nothing)


def raw_scores(
    column: RatingColumn, scores: Array, draws: Mapping[str, Draws], config: RatingConfig
) -> RawScores:
    """The raw scores of a column; none where its effect is not identifiable.

    `draws` has those of each dataset, by name.
    """
    if not column.adjustment.identifiable:
        return no_scores(column, len(scores), config.repeats)
    blocks = [scores[at : at + TOGETHER] for at in range(0, len(scores), TOGETHER)]

    def at_hand(dataset: RatingDataset, some: Array) -> ClassSums:
        return _sums_of(column, some, draws[dataset.name][:1])

    def drawn_anew(dataset: RatingDataset, some: Array) -> ClassSums:
        return _sums_of(column, some, draws[dataset.name], first=1)

    def found(sums: Sums, some: Array) -> ColumnPsi:
        held = np.zeros((1, some.shape[1])) if np.isnan(some).any() else None
        return column_psi(
            column,
            config,
            lambda dataset: sums(dataset, some),
            None if held is None else lambda dataset: sums(dataset, held),
        )

    def psi(sums: Sums) -> Array:
        return np.concatenate([found(sums, block).psi for block in blocks])

    left_out = [psi(sums) for sums in leave_one_out(column)]
    permuted = permute_people(column, config.repeats, config.seed)
    p = np.full(len(scores), np.nan)
    if permuted is not None and config.repeats:
        shares = []
        for block in blocks:
            own, chances = (class_distance(column, of, block) for of in (at_hand, permuted))
            as_far = (chances >= own * (1 - ALIKE)).sum(axis=1)
            shares.append((1 + as_far) / (1 + config.repeats))
        p = np.concatenate(shares)
    return RawScores(
        column,
        found(at_hand, scores),
        psi(drawn_anew),
        psi(permute_classes(column, config.repeats, config.seed)),
        p,
        np.concatenate(left_out, axis=1) if left_out else np.empty((len(scores), 0)),
        people_of(column),
    )


def _sums_of(column: RatingColumn, scores: Array, draws: Draws, first: int = 0) -> ClassSums:
    """Sums of a dataset's draws, from the `first` on, over (classes, kinds)."""
    classes, place = column.classes
    kinds, kind = column.kinds
    sums = sums_of_draws(scores, draws, place * kinds + kind, len(classes) * kinds, first)
    return sums.over(len(classes), kinds)
