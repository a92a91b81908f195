"""How ratings are made: terms, levels, confidence, weights; from raw scores to ratings 1..L.

Lakkaraju et al. (2023), Algorithms 3 and 4: the partial order of raw scores is split into
consecutive parts. 1 is the least tilt of the panel, L the most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from tiltmeter.corpora import Share
from tiltmeter.errors import ArgumentError
from tiltmeter.ranking import coarsen
from tiltmeter.stats.causal import Array, Index, tails
from tiltmeter.stats.multiplicity import CORRECTIONS
from tiltmeter.studies.rating.groups import Measure


class ScoreVariant(StrEnum):
    """Which scores are rated: as systems give them, or split at 0."""

    CONTINUOUS = "continuous"
    DISCRETISED = "discretised"


CONTINUOUS, DISCRETISED = ScoreVariant
VARIANTS = {"both": (CONTINUOUS, DISCRETISED), "no": (CONTINUOUS,), "yes": (DISCRETISED,)}
CONFIDENCE = (0.95, 0.70, 0.60)
WEIGHTS = {"published": (1.0, 0.7, 0.6), "corrected": (1.0, 0.8, 0.6)}
"""The paper's text says 1, 0.8, 0.6; every number in its tables comes from 1, 0.7, 0.6."""
MOST_REPEATS, MOST_LEVELS, HEAVIEST = 10_000, 100, 1_000
READABLE = 7
"""More levels than people can tell apart at a glance (Miller 1956, as the paper says)."""


@dataclass(frozen=True, slots=True)
class RatingTerms:
    """What determines ratings, besides the systems."""

    mode: str = "corrected"
    edition: str = "corrected"
    raw: str = "die"
    k: int = 1
    strength: float | None = None
    shares: tuple[Share, ...] | None = None
    seed: int = 0
    weights: tuple[float, ...] | None = None
    """None: those of the mode."""
    multiplicity: str = "none"
    levels: int | None = None
    """None: as many as are usual for so many systems."""
    groups: tuple[str, ...] = ("1", "2", "3", "4")

    @property
    def facts(self) -> dict[str, Any]:
        """The same as plain values, to be written beside the ratings."""
        return asdict(self) | {"shares": list(map(asdict, self.shares)) if self.shares else None}


@dataclass(frozen=True, slots=True)
class RatingConfig:
    """How raw scores are computed and rated."""

    mode: str = "corrected"
    raw: str = Measure.DIE
    """What confounded groups are rated on: die or ate."""
    variants: tuple[str, ...] = VARIANTS["both"]
    weights: tuple[float, ...] = WEIGHTS["corrected"]
    multiplicity: str = "none"
    repeats: int = 0
    seed: int = 0

    @property
    def published(self) -> bool:
        """Whether everything is as in the paper."""
        return self.mode == "published"

    @property
    def tail(self) -> Array:
        """The two-sided p-value below which each level rejects."""
        return tails(CONFIDENCE, halved_twice=self.published)


def rating_config(
    *,
    mode: str = "corrected",
    raw: str = Measure.DIE,
    discretise: str = "both",
    weights: tuple[float, ...] | None = None,
    multiplicity: str = "none",
    repeats: int = 0,
    seed: int = 0,
    levels: int | None = None,
) -> RatingConfig:
    """What a user asks for, checked; `levels` too, before any system is asked."""
    if levels is not None:
        check_levels(levels)
    for name, given, known in (
        ("mode", mode, WEIGHTS),
        ("raw", raw, (Measure.DIE, Measure.ATE)),
        ("discretise", discretise, VARIANTS),
        ("multiplicity", multiplicity, CORRECTIONS),
    ):
        if given not in known:
            raise ArgumentError(name, f"is {given!r}; expected one of {', '.join(known)}")
    if not 0 <= repeats <= MOST_REPEATS:
        raise ArgumentError("draws", f"is {repeats:,}; expected from 0 to {MOST_REPEATS:,}")
    if seed < 0:
        raise ArgumentError("seed", f"is a whole number from 0 up; found {seed}")
    if weights is None:
        weights = WEIGHTS[mode]
    found, three = ", ".join(map(str, weights)), ", ".join(f"{one:.0%}" for one in CONFIDENCE)
    if len(weights) != len(CONFIDENCE) or not all(0 <= one < float("inf") for one in weights):
        raise ArgumentError("weights", f"is {found}; expected three, 0 or more, for {three}")
    if not 0 < max(weights) <= HEAVIEST:  # all 0: nothing would ever be rejected
        what = f"is {found}; expected one above 0 and none above {HEAVIEST:,}"
        raise ArgumentError("weights", f"{what}, as in 1,0.8,0.6")
    return RatingConfig(mode, raw, VARIANTS[discretise], weights, multiplicity, repeats, seed)


def check_levels(levels: int) -> None:
    """Refuse numbers of rating levels that no panel can be split into."""
    if levels < 2:
        raise ArgumentError("levels", f"is {levels}; expected 2 or more")
    if levels > MOST_LEVELS:
        what = f"is {levels:,}; expected at most {MOST_LEVELS}"
        raise ArgumentError("levels", f"{what}, and up to {READABLE} read well")


# -------------------------------- from raw scores to ratings 1..L

NONE = 0
"""In an array of ratings: no rating, because there is no raw score."""
MANY, NEAR = 100, 10
"""Systems above which only the order of those within so many places is given."""
COVERED = 0.95
"""The share of repeats that a spread covers, and that an order must show in to be certain."""


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
        worst = np.where(coarsen(psi) == 0, 1, levels)
        return np.where(np.isnan(psi), NONE, worst).astype(np.int64)
    ordered = np.sort(coarsen(panel[np.isfinite(panel)]))
    parts = np.array_split(np.arange(ordered.size), levels)
    part = np.repeat(np.arange(1, levels + 1), [one.size for one in parts])
    place = np.searchsorted(ordered, coarsen(psi), side="left")
    rated = np.append(part, levels if ordered.size else 1)[place]  # any score is below an X
    return np.where(np.isnan(psi), NONE, np.where(np.isinf(psi), levels, rated))


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
    ordered = sorted(there, key=coarsen(values).__getitem__)
    by_repeat = coarsen(repeated)
    reach = NEAR if len(ordered) > MANY else len(ordered)
    for place, first in enumerate(ordered):
        later = ordered[place + 1 : place + 1 + reach]
        one, others = by_repeat[first], by_repeat[later]
        both = (~np.isnan(one) & ~np.isnan(others)).sum(axis=-1)
        counts = (test(one, others).sum(axis=-1) for test in (np.less, np.equal, np.greater))
        for second, of, *shown in zip(later, both, *counts, strict=True):
            if of:
                yield Order(first, second, *(float(many / of) for many in shown))
