"""What a regression needs of scores, as sums over the atoms of its design, added up in blocks.

Memory grows with atoms alone. A corpus in memory is one block.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.stats.beta import Sums
from tiltmeter.stats.moments import members
from tiltmeter.studies.paired.contrasts import NTH, subsets

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

AT_ONCE = 4_000_000
"""Scores whose logarithms are held in memory at a time."""
KINDS = 7
"""Kinds of sums: n, Σ log y, Σ log(1 − y), and Σ y and Σ y² as they are and clipped."""
NEVER = np.iinfo(np.int64).max
CHANGED = (
    "the second pass over the scores found others than the first; expected the same blocks twice: "
    "let nothing else write to the store meanwhile, and run it again"
)


class ScoreMoments(NamedTuple):
    """Σ y and Σ y², (submissions, atoms)."""

    total: Array
    squares: Array


@dataclass(frozen=True, slots=True)
class AtomReduction:
    """Sums over sentences, and what had to be done to the scores."""

    stacked: Array
    """(KINDS, submissions, atoms): every kind of sum."""
    low: Array
    """(submissions,): the lowest score as it is; NaN without any."""
    high: Array
    clipped: Codes
    """(submissions,): scores below 0 or above 1, which a Beta regression reads as 0 or 1."""
    edge: Codes
    """(submissions,): scores of 0 or 1 after that. One is enough to squeeze them all."""

    @property
    def sums(self) -> Sums:
        """For a Beta regression: clipped to 0..1 and squeezed."""
        return Sums(*self.stacked[:3])

    @property
    def raw(self) -> ScoreMoments:
        """For least squares: the scores as they are, beyond 0..1 too."""
        return ScoreMoments(*self.stacked[3:5])

    @property
    def inside(self) -> ScoreMoments:
        """The scores clipped to 0..1, not squeezed."""
        return ScoreMoments(*self.stacked[5:])

    @property
    def n(self) -> Codes:
        """(submissions,): sentences with a score."""
        found: Codes = self.stacked[0].sum(axis=1).astype(np.int64)
        return found

    def of_cells(self, cell: Codes, size: int) -> AtomReduction:
        """The same, summed over the atoms of each cell."""
        add = members(cell, size)
        return replace(self, stacked=np.stack([part @ add for part in self.stacked]))

    def rows(self, which: NDArray[np.bool_] | Codes) -> AtomReduction:
        """Some submissions only."""
        ends = (self.low[which], self.high[which], self.clipped[which], self.edge[which])
        return AtomReduction(self.stacked[:, which], *ends)


def squeezed(scores: Array, by: Codes | None = None) -> Array:
    """Scores of 0 or 1 moved inside, and all others with them: (y (n − 1) + 0.5) / n.

    Smithson & Verkuilen (2006). Only submissions that have such a score are touched. Where `scores`
    are but some of them, `by` has the n of each submission to squeeze; of one with 0 they stay as
    they are, and those of 0 or 1 are NaN.

    >>> squeezed(np.array([[0.0, 1.0, 0.5, 0.5], [0.1, 0.2, 0.3, 0.4]])).tolist()
    [[0.125, 0.875, 0.5, 0.5], [0.1, 0.2, 0.3, 0.4]]
    >>> squeezed(np.array([[0.0, 0.5], [0.0, 0.5]]), np.array([4, 0])).tolist()
    [[0.125, 0.5], [nan, 0.5]]
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        edge = (scores <= 0.0) | (scores >= 1.0)
        if by is None:
            by = np.where(edge.any(axis=1), np.count_nonzero(~np.isnan(scores), axis=1), 0)
        n = by[:, None]
        inside = np.where(edge, np.nan, scores)
        return np.where(n > 0, (scores * (n - 1) + 0.5) / n, inside)


def reduce_scores(values: Array, atom: Codes, size: int, by: Codes | None = None) -> AtomReduction:
    """Sum scores, (submissions, sentences), over the sentences of each atom.

    Where they are but some of the scores, `by` says how to squeeze them, as in `squeezed`.
    """
    add = members(atom, size)
    step = max(1, AT_ONCE // max(1, values.shape[1]))
    parts = list[tuple[Array, Array, Array, Codes, Codes]]()
    for begin in range(0, max(1, len(values)), step):
        some = values[begin : begin + step]
        known, inside = ~np.isnan(some), np.clip(some, 0.0, 1.0)
        with np.errstate(invalid="ignore"):
            clipped = np.count_nonzero(some != inside, axis=1) - np.count_nonzero(~known, axis=1)
            edge = np.count_nonzero((inside <= 0.0) | (inside >= 1.0), axis=1)
        moved = squeezed(inside, None if by is None else by[begin : begin + step])
        fine = ~np.isnan(moved)
        moved = np.where(fine, moved, 0.5)
        sums = (
            known.astype(np.float64),
            np.where(fine, np.log(moved), 0.0),
            np.where(fine, np.log1p(-moved), 0.0),
            *(np.where(known, y, 0.0) ** power for y in (some, inside) for power in (1, 2)),
        )
        none = ~known.any(axis=1)
        low = np.where(none, np.nan, np.fmin.reduce(some, axis=1, initial=np.inf))
        high = np.where(none, np.nan, np.fmax.reduce(some, axis=1, initial=-np.inf))
        parts.append((np.stack([part @ add for part in sums]), low, high, clipped, edge))
    stacked, *ends = zip(*parts, strict=True)
    return AtomReduction(np.concatenate(stacked, axis=1), *map(np.concatenate, ends))


class AtomSums:
    """What some submissions' scores come to in every atom seen so far.

    `by` has the columns that tell atoms apart; `squeeze` has how to squeeze each submission, as in
    `squeezed`: without it as they are, and scores of 0 and 1 are left out of Σ log.
    """

    def __init__(self, by: Sequence[str], squeeze: Codes) -> None:
        self.by, self.squeeze = list(by), squeeze
        self.keys = pl.DataFrame(schema=dict.fromkeys(self.by, pl.String))
        """A row an atom, as they came."""
        self.size = 0
        """Sentences, with a score or without."""
        many = len(squeeze)
        self._first = np.zeros(0, np.int64)
        self._sums = np.zeros((KINDS, many, 0))
        self._low, self._high = np.full(many, np.nan), np.full(many, np.nan)
        self._clipped, self._edge = np.zeros(many, np.int64), np.zeros(many, np.int64)

    def add(self, sentences: pl.DataFrame, values: Array, places: Codes) -> None:
        """Add a block's sentences, which stand at these places of the corpus."""
        groups = (
            sentences.select(self.by).with_row_index(NTH)
            .group_by(self.by, maintain_order=True).agg(pl.col(NTH))
        )  # fmt: skip
        rows, first = groups[NTH], groups[NTH].list.first().cast(pl.Int64).to_numpy()
        atom = np.zeros(sentences.height, np.int64)
        atom[rows.explode().to_numpy()] = np.repeat(np.arange(len(rows)), rows.list.len())
        found = reduce_scores(values, atom, groups.height, self.squeeze)
        self._take(groups.select(self.by), places[first], found, sentences.height)

    def merge(self, other: AtomSums) -> None:
        """Add what another has summed."""
        many = other.keys.height
        self._take(other.keys, other._first[:many], other.reduction(), other.size)

    @property
    def squeezable(self) -> NDArray[np.bool_]:
        """(submissions,): which have a score of 0 or 1, and another."""
        low, high = (np.clip(end, 0.0, 1.0) for end in (self._low, self._high))
        found: NDArray[np.bool_] = (self._edge > 0) & (high > low)
        return found

    @property
    def order(self) -> Codes:
        """The atoms by their first sentence's place in the corpus."""
        return np.argsort(self._first[: self.keys.height], kind="stable")

    def reduction(self, at: Codes | slice = slice(None)) -> AtomReduction:
        """The sums of some atoms, in this order."""
        sums = self._sums[:, :, : self.keys.height][:, :, at]
        return AtomReduction(sums, self._low, self._high, self._clipped, self._edge)

    def replace_logarithms(self, found: AtomReduction, which: Codes, keys: pl.DataFrame) -> None:
        """Put Σ log of the scores squeezed here into some submissions' sums of the first pass.

        Refused where atoms or scores are not those of the first pass.
        """
        places = self._places(keys)
        if places.null_count() or keys.height != self.keys.height:
            raise TiltmeterError(CHANGED)
        mine = self.reduction(places.to_numpy()).stacked
        if not np.array_equal(found.stacked[0, which], mine[0]):
            raise TiltmeterError(CHANGED)
        found.stacked[1:3, which] = mine[1:3]

    def _places(self, keys: pl.DataFrame) -> pl.Series:
        """Where each atom stands here; null where it was not seen."""
        numbered = self.keys.with_row_index(NTH)
        joined = keys.join(
            numbered, on=self.by, how="left", nulls_equal=True, maintain_order="left"
        )
        return joined[NTH].cast(pl.Int64)

    def _take(self, keys: pl.DataFrame, first: Codes, found: AtomReduction, size: int) -> None:
        place, height = self._places(keys), self.keys.height
        new = place.is_null()
        at = place.fill_null(-1).to_numpy().copy()
        if new.any():
            self.keys = pl.concat([self.keys, keys.filter(new)])
            at[new.to_numpy()] = np.arange(height, self.keys.height)
        if self.keys.height > self._first.size:  # room for these, and for some to come
            more = max(self.keys.height, 2 * self._first.size) - self._first.size
            self._first = np.concatenate([self._first, np.full(more, NEVER)])
            self._sums = np.pad(self._sums, ((0, 0), (0, 0), (0, more)))
        self._sums[:, :, at] += found.stacked
        self._first[at] = np.minimum(self._first[at], first)
        self._low = np.fmin(self._low, found.low)
        self._high = np.fmax(self._high, found.high)
        self._clipped = self._clipped + found.clipped
        self._edge = self._edge + found.edge
        self.size += size


OWN, NEUTRAL, ALL = "own-emotion", "neutral", "all"
OTHER = "other-emotion"
"""No subset of its own: the rest of a corpus, whose sentences all have an emotion."""


def kinds_of(task: str, subset: str | None, seen: Collection[str | None]) -> tuple[str, ...]:
    """What a task may still be fitted on, by the emotions seen so far: in the end, one of these.

    >>> kinds_of("joy", None, [None])
    ('own-emotion', 'neutral', 'other-emotion')
    >>> kinds_of("joy", None, [None, "fear"]), kinds_of("joy", None, ["joy"])
    (('own-emotion', 'neutral'), ('own-emotion',))
    """
    if subset is not None:
        return (subset,)
    if task in seen:
        return (OWN,)
    return (OWN, NEUTRAL) if None in seen and len(seen) > 1 else (OWN, NEUTRAL, OTHER)


def kind_of(task: str, subset: str | None, seen: Collection[str | None]) -> tuple[str, str]:
    """The subset that a task is fitted on (METHODS §3), and of which kind its sentences are.

    `seen` are the emotions of the whole corpus' sentences.

    >>> kind_of("joy", None, ["joy", None]), kind_of("joy", None, [None])
    (('own-emotion', 'own-emotion'), ('all', 'neutral'))
    >>> kind_of("valence", None, ["joy"]), kind_of("valence", None, ["joy", None])
    (('all', 'other-emotion'), ('neutral', 'neutral'))
    """
    if subset is not None:
        return subset, subset
    if task in seen:
        return OWN, OWN
    if None not in seen:
        return ALL, OTHER
    return NEUTRAL if len(seen) > 1 else ALL, NEUTRAL


def sentences_of(sentences: pl.DataFrame, task: str, subset: str) -> pl.DataFrame:
    """The sentences of a subset, or of a kind."""
    if subset == OWN:
        return sentences.filter(pl.col("emotion") == task)
    if subset == OTHER:
        return sentences.filter(pl.col("emotion") != task)
    if subset == NEUTRAL:
        return sentences.filter(pl.col("emotion").is_null())
    known = dict(subsets(sentences))
    return sentences.filter(known[subset]) if subset in known else sentences.head(0)
