"""Raw scores ψ of a column: on the datasets at hand, drawn anew, by chance; graded 1..L."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tiltmeter.stats.causal import (
    Array,
    ClassSums,
    Draws,
    Expectations,
    Index,
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
from tiltmeter.studies.rating.config import ATE, WRS, RatingColumn, RatingConfig
from tiltmeter.studies.rating.groups import RatingDataset
from tiltmeter.studies.rating.resample import (
    Sums,
    apart,
    people_dealt,
    people_of,
    sentences_dealt,
    without_each,
)

# ---- raw scores ψ of a column from sums of scores, and the tests and means behind them
# WRS sums rejections over datasets and pairs of classes; DIE and the change of the ATE take the
# largest over polarities and datasets (Lakkaraju et al. 2023, Algorithms 1 and 2).

Summed = Callable[[RatingDataset], ClassSums]
"""The sums of a dataset's scores over (classes, kinds), for some systems and draws."""


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
    def effects(self) -> WordEffects:
        """The effect of its words; computed when asked for, since DIE does without."""
        return treatment_effects(self.sums)


@dataclass(frozen=True, slots=True)
class ColumnPsi:
    """ψ of a column, (systems, draws), NaN where there is none, infinite for X; what it is of."""

    psi: Array
    compared: tuple[ComparedClasses, ...] = field(default=(), repr=False)
    adjusted: tuple[Adjusted, ...] = field(default=(), repr=False)


def told(
    column: RatingColumn, manner: RatingConfig, summed: Summed, held: Summed | None = None
) -> ColumnPsi:
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


def _rejected(column: RatingColumn, manner: RatingConfig, summed: Summed) -> ColumnPsi:
    found = [
        _compare(column, dataset, summed(dataset), welch=not manner.published)
        for dataset in column.group.datasets
    ]
    p = corrected_p(np.concatenate([one.p for one in found], axis=-1), manner.multiplicity)
    ends = np.cumsum([len(one.pairs) for one in found])[:-1]
    parts = np.split(p, ends, axis=-1)
    compared = tuple(replace(one, p=part) for one, part in zip(found, parts, strict=True))
    return ColumnPsi(weighted_rejections(p, manner.tail, np.array(manner.weights)), compared)


def _compare(
    column: RatingColumn, dataset: RatingDataset, sums: ClassSums, *, welch: bool
) -> ComparedClasses:
    classes, _ = column.classes
    first, second = np.array(column.pairs, dtype=np.int64).reshape(-1, 2).T
    tests = t_tests(sums, first, second, welch=welch)
    return ComparedClasses(dataset, classes, column.pairs, sums, tests, tests.p)


def _moved(column: RatingColumn, summed: Summed, held: Summed | None) -> ColumnPsi:
    found = [_adjust(column, dataset, summed(dataset)) for dataset in column.group.datasets]
    changes = np.concatenate([_changes(column, one) for one in found], axis=-1)
    psi = _worst(changes)
    if held is not None:
        every = (_adjust(column, dataset, held(dataset)) for dataset in column.group.datasets)
        could = np.concatenate([_changes(column, one) for one in every], axis=-1)
        psi = np.where((np.isnan(changes) & ~np.isnan(could)).any(axis=-1), np.nan, psi)
    return ColumnPsi(psi, adjusted=tuple(found))


def _changes(column: RatingColumn, one: Adjusted) -> Array:
    """(systems, draws, …): by how many per cent adjustment moves each mean, or the effect."""
    if column.measure == ATE:
        return one.effects.change.percent[..., None]
    return one.impact


def _adjust(column: RatingColumn, dataset: RatingDataset, sums: ClassSums) -> Adjusted:
    classes, _ = column.classes
    return Adjusted(dataset, classes, sums, expectations(sums))


def _worst(percent: Array) -> Array:
    """The largest over the last axis; what cannot be told is left out, NaN where nothing can."""
    largest = np.where(np.isnan(percent), -np.inf, percent).max(axis=-1)
    return np.where(np.isneginf(largest), np.nan, largest)


# ---- a column's raw scores: on the datasets at hand, drawn anew, by chance, and without each
# person
# All are the same computation on other sums. Systems are taken some at a time, so that memory does
# not grow with them.

Weights = Mapping[str, Draws]
"""The draws of each dataset, by name."""
ALIKE = 1e-9
"""Raw scores that differ by less than this part of them are the same."""
TOGETHER = 64
"""Systems whose repeats are computed at a time."""


@dataclass(frozen=True, slots=True)
class RawScores:
    """ψ of every system in a column; NaN where there is none, infinite for X."""

    column: RatingColumn
    told: ColumnPsi
    """On the datasets at hand, with what it comes from; (systems, 1)."""
    repeated: Array
    """(systems, repeats): datasets drawn anew."""
    chance: Array = field(repr=False)
    """(systems, repeats): sentences dealt out to classes by chance."""
    p: Array
    """(systems,): the share of chances, people dealt, in which classes stand as far apart."""
    without: Array = field(repr=False)
    """(systems, people): without the sentences about each of them."""
    people: tuple[str, ...] = ()

    @property
    def psi(self) -> Array:
        """(systems,): on the datasets at hand."""
        return self.told.psi[:, 0]

    def by_chance(self, row: int) -> float | None:
        """A system's middle ψ by chance."""
        dealt = self.chance[row][~np.isnan(self.chance[row])]
        if not dealt.size or np.isnan(self.psi[row]):
            return None
        middle = np.quantile(dealt, 0.5, method="inverted_cdf")
        return float(middle) if np.isfinite(middle) else None

    def rests_on(self, row: int) -> tuple[str | None, float | None]:
        """The person without whom a system's ψ would be lowest, and that ψ; None where none is."""
        left = self.without[row]
        lower = left < self.psi[row] * (1 - ALIKE)  # never where either is NaN
        if not lower.any():
            return None, None
        who = int(np.argmin(np.where(lower, left, np.inf)))
        return self.people[who], float(left[who])


def raw_scores(
    column: RatingColumn, scores: Array, weights: Weights, manner: RatingConfig
) -> RawScores:
    """The raw scores of a column; none where its effect is not identifiable."""
    if not column.adjustment.identifiable:
        return no_scores(column, len(scores), manner.repeats)

    def psi(sums: Sums) -> Array:
        """ψ of all systems, some at a time."""
        blocks = (scores[at : at + TOGETHER] for at in range(0, len(scores), TOGETHER))
        return np.concatenate([_told(column, manner, sums, block).psi for block in blocks])

    def at_hand(dataset: RatingDataset, some: Array) -> ClassSums:
        return _drawn(column, some, weights[dataset.name][:1])

    left_out = [psi(sums) for sums in without_each(column)]
    return RawScores(
        column,
        _told(column, manner, at_hand, scores),
        psi(lambda one, some: _drawn(column, some, weights[one.name], first=1)),
        psi(sentences_dealt(column, manner.repeats, manner.seed)),
        _share_as_far(column, scores, at_hand, manner),
        np.concatenate(left_out, axis=1) if left_out else np.empty((len(scores), 0)),
        people_of(column),
    )


def _share_as_far(
    column: RatingColumn, scores: Array, at_hand: Sums, manner: RatingConfig
) -> Array:
    """(systems,): how often chance sets classes as far apart as they are; NaN where none can."""
    dealt = people_dealt(column, manner.repeats, manner.seed)
    if dealt is None or not manner.repeats:
        return np.full(len(scores), np.nan)
    shares = []
    for at in range(0, len(scores), TOGETHER):
        some = scores[at : at + TOGETHER]
        mine, chances = apart(column, at_hand, some), apart(column, dealt, some)
        as_far = (chances >= mine * (1 - ALIKE)).sum(axis=1)
        shares.append((1 + as_far) / (1 + manner.repeats))
    return np.concatenate(shares)


def no_scores(column: RatingColumn, systems: int, repeats: int) -> RawScores:
    """Raw scores of a column that has none."""
    at_hand, repeated, nothing = (np.full((systems, n), np.nan) for n in (1, repeats, 0))
    return RawScores(column, ColumnPsi(at_hand), repeated, nothing, at_hand[:, 0], nothing)


def _told(column: RatingColumn, manner: RatingConfig, sums: Sums, scores: Array) -> ColumnPsi:
    def summed(dataset: RatingDataset) -> ClassSums:
        return sums(dataset, scores)

    def held(dataset: RatingDataset) -> ClassSums:
        return sums(dataset, np.zeros((1, scores.shape[1])))

    return told(column, manner, summed, held if np.isnan(scores).any() else None)


def _drawn(column: RatingColumn, scores: Array, weights: Draws, first: int = 0) -> ClassSums:
    """Sums of a dataset's draws, from the `first` on, over (classes, kinds)."""
    classes, place = column.classes
    kinds, kind = column.kinds
    sums = sums_of_draws(scores, weights, place * kinds + kind, len(classes) * kinds, first)
    return sums.over(len(classes), kinds)


# ---- from raw scores to ratings 1..L: the partial order, split into consecutive parts
# Lakkaraju et al. (2023), Algorithms 3 and 4. 1 is the least tilt of the panel, L the most.

NONE = 0
"""In an array of ratings: no rating, because there is no raw score."""
DIGITS = 9
"""Significant digits by which raw scores are compared: 0.7 + 0.6 and 1.3 are a tie."""


def ratings_of(psi: Array, levels: int) -> Index:
    """Rate systems by their raw scores, relative to each other.

    The sorted scores are split into `levels` consecutive parts as `np.array_split` does; a system
    takes the first part that holds its score, so that ties share the better part. An infinite score
    (X) is left out of the split and takes the worst rating; NaN takes none. A system that has the
    only score is rated absolutely: 1 where it is 0, else `levels`.

    >>> ratings_of(np.array([23.0, 0.6, 0.0, 0.0, 2.6]), 3)  # the paper's Table 2, Group 1
    array([3, 2, 1, 1, 2])
    """
    return ratings_against(psi, psi, levels)


def ratings_against(psi: Array, panel: Array, levels: int) -> Index:
    """Rate systems by where their scores would stand in a panel's order; beyond it, the worst.

    Against a panel with a single score, which was rated absolutely, so are they.

    >>> ratings_against(np.array([0.5, 99.0]), np.array([0.0, 1.0, 2.0]), 3)
    array([2, 3])
    """
    if np.count_nonzero(~np.isnan(panel)) == 1:
        return _absolute(psi, levels)
    ordered = np.sort(rounded(panel[np.isfinite(panel)]))
    parts = np.array_split(np.arange(ordered.size), levels)
    part = np.repeat(np.arange(1, levels + 1), [one.size for one in parts])
    place = np.searchsorted(ordered, rounded(psi), side="left")
    rated = np.append(part, levels if ordered.size else 1)[place]  # any score is below an X
    return np.where(np.isnan(psi), NONE, np.where(np.isinf(psi), levels, rated))


def _absolute(psi: Array, levels: int) -> Index:
    worst = np.where(rounded(psi) == 0, 1, levels)
    return np.where(np.isnan(psi), NONE, worst).astype(np.int64)


def rounded(values: Array) -> Array:
    """The values at nine significant digits; what is not finite stays as it is."""
    finite = np.isfinite(values) & (np.abs(values) > np.finfo(np.float64).tiny * 10**DIGITS)
    size = np.floor(np.log10(np.abs(values), out=np.zeros_like(values), where=finite))
    unit = 10.0 ** (size - DIGITS + 1)
    return np.where(finite, np.round(values / unit, 0) * unit, values)


def overall_ratings(ratings: Index) -> tuple[Array, Index]:
    """The mean of the group ratings over the last axis, and the overall rating: rounded half up.

    NaN and none where a group has no rating.

    >>> means, overall = overall_ratings(np.array([[2, 3, 2, 2, 1, 3], [1, 2, 1, 1, 1, 2]]))
    >>> means.round(2), overall
    (array([2.17, 1.33]), array([2, 1]))
    """
    lacking = (ratings == NONE).any(axis=-1)
    means = np.where(lacking, np.nan, ratings.mean(axis=-1))
    rated = np.where(lacking, NONE, np.floor(np.nan_to_num(means) + 0.5)).astype(np.int64)
    return means, rated


# ---- how sure a rating is: how often repeats give it, and which systems' order they leave open


MANY, NEAR = 100, 10
"""Systems above which only the order of those within so many places is told."""
COVERED = 0.95
"""The share of repeats that a spread covers, and that an order must show in to be certain."""


@dataclass(frozen=True, slots=True)
class RatingSpread:
    """The ratings that 95 % of repeats span, and the share of repeats that give the rating."""

    low: int | None = None
    high: int | None = None
    steady: float | None = None


def spread_of(rating: int, repeated: Index) -> RatingSpread:
    """How a system's rating varies over repeats.

    >>> spread_of(2, np.array([2, 2, 2, 3] * 25))
    RatingSpread(low=2, high=3, steady=0.75)
    """
    rated = repeated[repeated != NONE]
    if rating == NONE or not rated.size:
        return RatingSpread()
    ends = [(1 - COVERED) / 2, (1 + COVERED) / 2]
    low, high = np.quantile(rated, ends, method="inverted_cdf").astype(int)
    steady = np.count_nonzero(rated == rating) / rated.size
    return RatingSpread(min(int(low), rating), max(int(high), rating), float(steady))


def shares_of(repeated: Index, levels: int) -> Iterator[tuple[int, float]]:
    """Each rating with the share of repeats that give it."""
    rated = repeated[repeated != NONE]
    for level in range(1, levels + 1) if rated.size else ():
        yield level, float(np.count_nonzero(rated == level) / rated.size)


@dataclass(frozen=True, slots=True)
class Order:
    """Two systems by place, the first the lower in the dataset at hand, and what repeats say."""

    first: int
    second: int
    lower: float
    equal: float
    higher: float

    @property
    def certain(self) -> bool:
        """Whether nearly every repeat shows this order, or every one a tie."""
        return self.lower >= COVERED or self.equal == 1.0


def orders_of(values: Array, repeated: Array, rows: Sequence[int]) -> Iterator[Order]:
    """Every two of some systems; `values` (systems,), `repeated` (systems, repeats).

    Of very many only those that stand near each other: the rest would fill a table nobody reads.
    """
    there = [row for row in rows if not np.isnan(values[row])]
    ordered = sorted(there, key=rounded(values).__getitem__)
    kept = rounded(repeated)
    reach = NEAR if len(ordered) > MANY else len(ordered)
    for place, first in enumerate(ordered):
        later = ordered[place + 1 : place + 1 + reach]
        one, others = kept[first], kept[later]
        both = (~np.isnan(one) & ~np.isnan(others)).sum(axis=-1)
        counts = (test(one, others).sum(axis=-1) for test in (np.less, np.equal, np.greater))
        for second, of, *shown in zip(later, both, *counts, strict=True):
            if of:
                yield Order(first, second, *(float(many / of) for many in shown))
