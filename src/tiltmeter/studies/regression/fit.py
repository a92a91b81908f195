"""Submissions fitted on the same sentences, from sums over the atoms of their design.

Sums are added up in blocks, so that memory grows with atoms alone; a corpus in memory is one block.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import expit

from tiltmeter.errors import TiltmeterError
from tiltmeter.stats.beta import STEPS, BetaFit, Sums, fit_beta
from tiltmeter.stats.clustered import LeastSquares, fit_least_squares
from tiltmeter.stats.moments import members
from tiltmeter.studies.paired.contrasts import NTH, subsets
from tiltmeter.studies.regression.design import RegressionDesign, independent

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


SAME = 1e-6
"""Part of the scale below which scores are the same."""
FEWEST = 2
"""Names of a group without which nothing can be said beyond them."""
TINY = 1e-12
"""Added to a matrix, in parts of its size, so that an empty design can be solved at all."""
FARTHEST = 30.0
"""The largest logit to begin at."""
NO_SCALE = "its scale is not known; give it with --scale LOW:HIGH"
SEPARATED = "within each group all scores are the same (perfect separation)"
EXPLAINED = "groups and controls explain every score to the last digit (perfect separation)"
UNSETTLED = f"the fit did not converge within {STEPS} steps"

FITS = {
    "system": pl.String, "task": pl.String, "subset": pl.String, "n": pl.Int64,
    "n_dropped": pl.Int64, "people": pl.Int64, "templates": pl.Int64, "clipped": pl.Int64,
    "edge": pl.Int64, "precision": pl.Float64, "log_likelihood": pl.Float64,
    "iterations": pl.Int64, "converged": pl.Boolean, "reason": pl.String,
    "least_squares_reason": pl.String,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fitted:
    """Fits of submissions on the same sentences; NaN and a reason where there is none."""

    design: RegressionDesign
    atoms: AtomReduction
    cells: AtomReduction
    subset: str
    """What the sentences are."""
    beta: BetaFit
    least_squares: LeastSquares
    reasons: tuple[str | None, ...]
    """By submission: what stands in the way of a Beta regression."""
    least_reasons: tuple[str | None, ...]
    """By submission: what stands in the way of least squares."""

    @property
    def fine(self) -> NDArray[np.bool_]:
        """Which submissions have a Beta regression."""
        return np.array([reason is None for reason in self.reasons], bool)

    def table(self, submissions: pl.DataFrame, size: int) -> pl.DataFrame:
        """How the fit of each submission to `size` sentences went, and why there is none."""
        design, atoms, beta, many = self.design, self.atoms, self.beta, submissions.height
        phi = np.full(many, np.nan)
        if design.precision.shape[1] == 1:
            phi = np.exp(beta.parameters[:, design.mean.shape[1]])
        people, templates = (
            np.count_nonzero(atoms.sums.n @ members(of, whole) > 0, axis=1)
            for of, whole in (
                (design.person, design.people.height),
                (design.template, len(design.templates)),
            )
        )
        return pl.DataFrame(
            {
                "system": submissions["system"],
                "task": submissions["task"],
                "subset": [self.subset] * many,
                "n": atoms.n,
                "n_dropped": size - atoms.n,
                "people": people,
                "templates": templates,
                "clipped": atoms.clipped,
                "edge": atoms.edge,
                "precision": pl.Series(phi).fill_nan(None),
                "log_likelihood": pl.Series(beta.log_likelihood).fill_nan(None),
                "iterations": beta.iterations,
                "converged": beta.converged,
                "reason": list(self.reasons),
                "least_squares_reason": list(self.least_reasons),
            },
            FITS,
        )


def fit_submissions(
    atoms: AtomReduction, design: RegressionDesign, on_scale: NDArray[np.bool_], subset: str = ALL
) -> Fitted:
    """Fit every submission that can be; `on_scale` says whose scores lie on a known scale."""
    cells = atoms.of_cells(design.cell, len(design.mean))
    n, mean = cells.sums.n, design.mean
    squares = fit_least_squares(n, *cells.raw, mean)
    inside = fit_least_squares(n, *cells.inside, mean)
    # What stands in the way is found before a fit is tried: a reason rather than a wild number.
    common = _common_obstacles(atoms, n, design, on_scale, subset)
    least, reasons = list(common), list(common)
    if len(mean):
        least = _first(common, _separated(cells.raw, n, design, squares))
        clipped = _all_clipped(atoms)
        reasons = _first(common, clipped, _separated(cells.inside, n, design, inside))
    left = np.array([reason is None for reason in reasons], bool)
    start = np.where(left[:, None], _start(cells, design), np.nan)
    beta = fit_beta(cells.sums, mean, design.precision, start)
    for at in np.flatnonzero(left & ~beta.converged):
        reasons[at] = UNSETTLED
    return Fitted(design, atoms, cells, subset, beta, squares, tuple(reasons), tuple(least))


Reasons = Sequence[str | None]
"""By submission; None where nothing stands in the way."""


def _first(*several: Reasons) -> list[str | None]:
    return [next(filter(None, found), None) for found in zip(*several, strict=True)]


def _common_obstacles(
    atoms: AtomReduction,
    n: Array,
    design: RegressionDesign,
    on_scale: NDArray[np.bool_],
    subset: str,
) -> Reasons:
    """What stands in the way of any fit; `n` is of the cells, (submissions, cells)."""
    many = len(n)
    if not n.shape[1]:
        what = f"no sentence of the subset {subset}"
        return [f"there is {what} about a person with a group on every axis"] * many
    alike: list[str | None] = [None] * many  # columns that no sentence tells apart
    patterns, of = np.unique(n > 0, axis=0, return_inverse=True)
    for at, there in enumerate(patterns):
        why = None
        if not there.any():
            why = "no sentence has a score"
        elif len(independent(design.mean[there])) < design.mean.shape[1]:
            full = set(design.group_of_cell[there])
            empty = [one for one in range(design.groups.height) if one not in full]
            which = _groups(design, empty) or "some level of a control"
            why = f"no sentence with a score tells {which} apart from the others"
        for one in np.flatnonzero(of.reshape(-1) == at):
            alike[one] = why
    few: list[str | None] = [None] * many
    there = atoms.sums.n @ members(design.person, design.people.height) > 0
    groups = np.unique(design.group)
    names = np.stack([there[:, design.group == one].sum(axis=1) for one in groups], axis=1)
    for at, one in zip(*np.nonzero((names > 0) & (names < FEWEST)), strict=True):
        has = f"{_groups(design, [groups[one]])} has {names[at, one]} name"
        few[at] = few[at] or f"{has} with a score; each group needs {FEWEST} or more"
    constant = [
        f"all {n:,} scores are the same ({low:.4g})" if high - low < SAME else None
        for n, low, high in zip(atoms.n, atoms.low, atoms.high, strict=True)
    ]
    return _first(alike, [None if known else NO_SCALE for known in on_scale], few, constant)


def _groups(design: RegressionDesign, groups: Sequence[int] | Codes) -> str:
    return "; ".join(", ".join(map(str, design.groups.row(int(one)))) for one in groups)


def _all_clipped(atoms: AtomReduction) -> Reasons:
    """Submissions all of whose scores lie beyond one end of the scale, where they may differ."""
    found: list[str | None] = []
    for n, low, high in zip(atoms.n, atoms.low, atoms.high, strict=True):
        first, last = np.clip([low, high], 0.0, 1.0)
        end = "below" if high <= SAME else "above"
        read = f"a Beta regression would read them all as {first:.4g}"
        what = f"all {n:,} scores lie {end} the scale, where they differ, and {read}"
        found.append(
            f"{what}; least squares takes them as they are" if last - first < SAME else None
        )
    return found


def _separated(
    scores: ScoreMoments, n: Array, design: RegressionDesign, fit: LeastSquares
) -> Reasons:
    """Submissions whose scores the groups explain to the last digit: no spread is left to go by.

    The spread is Σ (y − ŷ)² of each cell about the least-squares fit, (submissions, cells).
    """
    fitted = fit.parameters @ design.mean.T
    with np.errstate(all="ignore"):
        mean = np.where(n > 0, scores.total / n, 0.0)
        inside = np.maximum(np.where(n > 0, scores.squares - scores.total * mean, 0.0), 0.0)
        spread = inside + np.nan_to_num(n * (mean - fitted) ** 2)
    found: list[str | None] = [None] * len(n)
    parts = np.unique(design.precision, axis=0, return_inverse=True)[1].reshape(-1)
    for part in np.unique(parts):
        mine = parts == part
        size = n[:, mine].sum(axis=1)
        with np.errstate(all="ignore"):
            sd = np.sqrt(spread[:, mine].sum(axis=1) / size)
        why = SEPARATED if n.shape[1] <= design.groups.height else EXPLAINED
        if parts.max() > 0:
            named = _groups(design, np.unique(design.group_of_cell[mine]))
            why = f"no spread is left within {named}, and the precision depends on the group"
        for at in np.flatnonzero((size > 0) & (sd < SAME)):
            found[at] = why
    return found


def _start(cells: AtomReduction, design: RegressionDesign) -> Array:
    """Where Newton begins: least squares on the logit, and the spread that goes with it.

    φ comes from the variance of a Beta distribution, μ(1 − μ)/(1 + φ).
    """
    n, mean = cells.sums.n, design.mean
    normal = np.einsum("sc,cj,ck->sjk", n, mean, mean, optimize=True)
    level = np.maximum(np.trace(normal, axis1=1, axis2=2), 1.0)
    tilt = (cells.sums.log_y - cells.sums.log_rest) @ mean
    safe = normal + TINY * level[:, None, None] * np.eye(mean.shape[1])
    slope = np.linalg.solve(safe, tilt[:, :, None])[:, :, 0]
    mu = expit(np.clip(slope @ mean.T, -FARTHEST, FARTHEST))
    with np.errstate(all="ignore"):
        squares = cells.inside.squares - 2 * mu * cells.inside.total + n * mu**2
        phi = np.sum(n * mu * (1 - mu), axis=1) / squares.sum(axis=1) - 1.0
    begin = np.zeros((len(n), design.precision.shape[1]))
    begin[:, 0] = np.log(np.clip(np.nan_to_num(phi, nan=1.0, posinf=1e9), 0.05, 1e9))
    return np.concatenate([slope, begin], axis=1)
