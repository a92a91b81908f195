"""Raw scores ψ of a column from sums of scores, and the tests and means behind them.

WRS sums rejections over datasets and pairs of classes; DIE and the change of the ATE take the
largest over polarities and datasets (Lakkaraju et al. 2023, Algorithms 1 and 2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from tiltmeter.measures.rating.columns import ATE, WRS, Column
from tiltmeter.measures.rating.group import RatingDataset
from tiltmeter.measures.rating.manner import Manner
from tiltmeter.measures.stats.backdoor import (
    Effects,
    Expectations,
    expectations,
    impact,
    treatment_effects,
)
from tiltmeter.measures.stats.class_sums import Array, ClassSums
from tiltmeter.measures.stats.rejections import TTests, t_tests, weighted_rejections
from tiltmeter.measures.stats.several_tests import corrected_p

Summed = Callable[[RatingDataset], ClassSums]
"""The sums of a dataset's scores over (classes, kinds), for some systems and draws."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A dataset's classes, compared two by two."""

    dataset: RatingDataset
    classes: list[str]
    pairs: list[tuple[int, int]]
    sums: ClassSums
    tests: TTests
    p: Array
    """Corrected for the other tests of the column, where that was asked for."""


@dataclass(frozen=True, slots=True)
class Adjusted:
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
    def effects(self) -> Effects:
        """The effect of its words; computed when asked for, since DIE does without."""
        return treatment_effects(self.sums)


@dataclass(frozen=True, slots=True)
class Told:
    """ψ of a column, (systems, draws), NaN where there is none, infinite for X; what it is of."""

    psi: Array
    compared: tuple[Compared, ...] = field(default=(), repr=False)
    adjusted: tuple[Adjusted, ...] = field(default=(), repr=False)


def told(column: Column, manner: Manner, summed: Summed, held: Summed | None = None) -> Told:
    """ψ of a column, with everything that it comes from.

    `held` gives the sums of a system that answers everything: where one does not answer what a
    dataset holds, there is no ψ, since a maximum over fewer means would be a lower one.
    """
    found = (
        _rejected(column, manner, summed) if column.measure == WRS else _moved(column, summed, held)
    )
    if len(column.classes[0]) < 2 or (column.measure == WRS and not column.pairs):
        # No two to compare is not no difference.
        return replace(found, psi=np.full_like(found.psi, np.nan))
    return found


def _rejected(column: Column, manner: Manner, summed: Summed) -> Told:
    found = [
        _compare(column, dataset, summed(dataset), welch=not manner.published)
        for dataset in column.group.datasets
    ]
    p = corrected_p(np.concatenate([one.p for one in found], axis=-1), manner.multiplicity)
    ends = np.cumsum([len(one.pairs) for one in found])[:-1]
    parts = np.split(p, ends, axis=-1)
    compared = tuple(replace(one, p=part) for one, part in zip(found, parts, strict=True))
    return Told(weighted_rejections(p, manner.tail, np.array(manner.weights)), compared)


def _compare(column: Column, dataset: RatingDataset, sums: ClassSums, *, welch: bool) -> Compared:
    classes, _ = column.classes
    first, second = np.array(column.pairs, dtype=np.int64).reshape(-1, 2).T
    tests = t_tests(sums, first, second, welch=welch)
    return Compared(dataset, classes, column.pairs, sums, tests, tests.p)


def _moved(column: Column, summed: Summed, held: Summed | None) -> Told:
    found = [_adjust(column, dataset, summed(dataset)) for dataset in column.group.datasets]
    changes = np.concatenate([_changes(column, one) for one in found], axis=-1)
    psi = _worst(changes)
    if held is not None:
        every = (_adjust(column, dataset, held(dataset)) for dataset in column.group.datasets)
        could = np.concatenate([_changes(column, one) for one in every], axis=-1)
        psi = np.where((np.isnan(changes) & ~np.isnan(could)).any(axis=-1), np.nan, psi)
    return Told(psi, adjusted=tuple(found))


def _changes(column: Column, one: Adjusted) -> Array:
    """(systems, draws, …): by how many per cent adjustment moves each mean, or the effect."""
    if column.measure == ATE:
        return one.effects.change.percent[..., None]
    return one.impact


def _adjust(column: Column, dataset: RatingDataset, sums: ClassSums) -> Adjusted:
    classes, _ = column.classes
    return Adjusted(dataset, classes, sums, expectations(sums))


def _worst(percent: Array) -> Array:
    """The largest over the last axis; what cannot be told is left out, NaN where nothing can."""
    largest = np.where(np.isnan(percent), -np.inf, percent).max(axis=-1)
    return np.where(np.isneginf(largest), np.nan, largest)
