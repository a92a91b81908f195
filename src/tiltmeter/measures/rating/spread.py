"""How sure a rating is: how often repeats give it, and which systems' order they leave open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tiltmeter.measures.rating.grading import NONE, rounded
from tiltmeter.measures.stats.class_sums import Array, Index

MANY, NEAR = 100, 10
"""Systems above which only the order of those within so many places is told."""
COVERED = 0.95
"""The share of repeats that a spread covers, and that an order must show in to be certain."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The ratings that 95 % of repeats span, and the share of repeats that give the rating."""

    low: int | None = None
    high: int | None = None
    steady: float | None = None


def spread_of(rating: int, repeated: Index) -> Spread:
    """How a system's rating varies over repeats.

    >>> spread_of(2, np.array([2, 2, 2, 3] * 25))
    Spread(low=2, high=3, steady=0.75)
    """
    rated = repeated[repeated != NONE]
    if rating == NONE or not rated.size:
        return Spread()
    ends = [(1 - COVERED) / 2, (1 + COVERED) / 2]
    low, high = np.quantile(rated, ends, method="inverted_cdf").astype(int)
    steady = np.count_nonzero(rated == rating) / rated.size
    return Spread(min(int(low), rating), max(int(high), rating), float(steady))


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
