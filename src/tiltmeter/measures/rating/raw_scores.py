"""A column's raw scores: on the datasets at hand, drawn anew, by chance, and without each person.

All are the same computation on other sums. Systems are taken some at a time, so that memory does
not grow with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tiltmeter.measures.rating.chance import Sums, apart
from tiltmeter.measures.rating.columns import Column
from tiltmeter.measures.rating.dealt_people import people_dealt
from tiltmeter.measures.rating.dealt_sentences import sentences_dealt
from tiltmeter.measures.rating.group import RatingDataset
from tiltmeter.measures.rating.manner import Manner
from tiltmeter.measures.rating.told import Told, told
from tiltmeter.measures.rating.without import people_of, without_each
from tiltmeter.measures.stats.class_sums import Array, ClassSums, Draws, sums_of_draws

Weights = Mapping[str, Draws]
"""The draws of each dataset, by name."""
ALIKE = 1e-9
"""Raw scores that differ by less than this part of them are the same."""
TOGETHER = 64
"""Systems whose repeats are computed at a time."""


@dataclass(frozen=True, slots=True)
class RawScores:
    """ψ of every system in a column; NaN where there is none, infinite for X."""

    column: Column
    told: Told
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


def raw_scores(column: Column, scores: Array, weights: Weights, manner: Manner) -> RawScores:
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


def _share_as_far(column: Column, scores: Array, at_hand: Sums, manner: Manner) -> Array:
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


def no_scores(column: Column, systems: int, repeats: int) -> RawScores:
    """Raw scores of a column that has none."""
    at_hand, repeated, nothing = (np.full((systems, n), np.nan) for n in (1, repeats, 0))
    return RawScores(column, Told(at_hand), repeated, nothing, at_hand[:, 0], nothing)


def _told(column: Column, manner: Manner, sums: Sums, scores: Array) -> Told:
    def summed(dataset: RatingDataset) -> ClassSums:
        return sums(dataset, scores)

    def held(dataset: RatingDataset) -> ClassSums:
        return sums(dataset, np.zeros((1, scores.shape[1])))

    return told(column, manner, summed, held if np.isnan(scores).any() else None)


def _drawn(column: Column, scores: Array, weights: Draws, first: int = 0) -> ClassSums:
    """Sums of a dataset's draws, from the `first` on, over (classes, kinds)."""
    classes, place = column.classes
    kinds, kind = column.kinds
    sums = sums_of_draws(scores, weights, place * kinds + kind, len(classes) * kinds, first)
    return sums.over(len(classes), kinds)
