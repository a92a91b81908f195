"""The design of a regression: its columns, and what prevents a fit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tiltmeter.stats.beta import Sums
from tiltmeter.stats.moments import members
from tiltmeter.studies.paired.contrasts import NTH, subsets
from tiltmeter.studies.regression.formula import Coding, CoefficientRow, Formula, effects_of

# ---- the design of a regression: what every sentence has in each column of the model
# Sentences with the same person, template and controls are one *atom*, in which scores may be
# summed; atoms with the same columns are one *cell*, on which the model is fitted.

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

ALIASED = 1e-8
"""Part of a column left over by the columns before it, below which it says nothing of its own."""


@dataclass(frozen=True, slots=True)
class RegressionDesign:
    """Sentences as atoms, atoms as cells, cells as rows of the model."""

    effects: tuple[CoefficientRow, ...]
    mean: Array
    """(cells, p)"""
    settings: Array
    """(groups, cells, p): every cell's row, had it been of each group."""
    groups: pl.DataFrame
    """A column per axis: what a group is, in the order of `settings`."""
    people: pl.DataFrame
    """person and a column per axis."""
    group: Codes
    """(people,): the group of each, a place in `groups`."""
    templates: tuple[str, ...]
    atom: Codes
    """(sentences,): which atom each is in."""
    cell: Codes
    """(atoms,)"""
    person: Codes
    """(atoms,): a place in `people`."""
    template: Codes
    """(atoms,): a place in `templates`."""
    dropped: int = 0
    """Columns of controls that others stand for already."""

    @property
    def group_of_cell(self) -> Codes:
        """(cells,): the group of each cell's people."""
        found = np.zeros(len(self.mean), np.int64)
        found[self.cell] = self.group[self.person]
        return found


def design_of(
    sentences: pl.DataFrame, formula: Formula, by_axis: Mapping[str, Coding]
) -> RegressionDesign:
    """The design of sentences whose people have a group on every axis of the formula."""
    axes = list(formula.axes)
    levels = [by_axis[axis].groups for axis in axes]
    groups = pl.DataFrame(list(product(*levels)), dict.fromkeys(axes, pl.String), orient="row")
    people = sentences.select("person", *axes).unique(maintain_order=True)
    group_of = _codes(people, groups, axes)
    person = _codes(sentences, people, ["person", *axes])
    templates = sentences["template"].unique(maintain_order=True)
    atoms, atom = _distinct(
        person, *(codes_of(sentences[name]) for name in ("template", *formula.controls))
    )
    cells, cell = _distinct(
        group_of[atoms[:, 0]], *(atoms[:, 2 + at] for at in range(len(formula.controls)))
    )
    columns = _group_columns(formula, by_axis, groups)
    controls, dropped = _control_columns(cells[:, 1:])
    settings = np.concatenate(
        [
            np.broadcast_to(columns[:, None, :], (groups.height, len(cells), columns.shape[1])),
            np.broadcast_to(controls, (groups.height, *controls.shape)),
        ],
        axis=2,
    )
    return RegressionDesign(
        effects=effects_of(formula, by_axis, groups, settings.shape[2]),
        mean=settings[cells[:, 0], np.arange(len(cells))],
        settings=settings,
        groups=groups,
        people=people,
        group=group_of,
        templates=tuple(templates),
        atom=atom,
        cell=cell,
        person=atoms[:, 0],
        template=atoms[:, 1],
        dropped=dropped,
    )


def precision_columns(
    formula: Formula | None, by_axis: Mapping[str, Coding], of: RegressionDesign
) -> Array:
    """(cells, q): what log φ depends on; without a formula, on nothing."""
    if formula is None:
        return np.ones((len(of.mean), 1))
    return _group_columns(formula, by_axis, of.groups)[of.group_of_cell]


def precision_effects(
    formula: Formula | None, by_axis: Mapping[str, Coding], of: RegressionDesign
) -> tuple[CoefficientRow, ...]:
    """The rows of a table of what the spread depends on."""
    if formula is None:
        return ()
    width = _group_columns(formula, by_axis, of.groups).shape[1]
    return effects_of(formula, by_axis, of.groups, width)


def _codes(frame: pl.DataFrame, known: pl.DataFrame, by: list[str]) -> Codes:
    """Where in `known` each row stands."""
    numbered = known.select(by).with_row_index(NTH)
    joined = frame.select(by).join(numbered, on=by, how="left", maintain_order="left")
    return joined[NTH].to_numpy().astype(np.int64)


def codes_of(series: pl.Series) -> Codes:
    """Distinct values numbered as they come; a missing one is a value of its own."""
    frame = series.fill_null("").to_frame("value")
    return _codes(frame, frame.unique(maintain_order=True), ["value"])


def _distinct(*codes: Codes) -> tuple[Codes, Codes]:
    """The distinct rows of some codes, and which of them each row is."""
    rows, place = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    return rows, place.reshape(-1).astype(np.int64)


def _group_columns(formula: Formula, by_axis: Mapping[str, Coding], groups: pl.DataFrame) -> Array:
    """(groups, columns): the intercept and every term."""
    blocks = [np.ones((groups.height, 1))]
    for term in formula.terms:
        parts = [
            by_axis[axis].values[[by_axis[axis].groups.index(name) for name in groups[axis]]]
            for axis in term
        ]
        blocks.append(reduce(_row_products, parts))
    return np.concatenate(blocks, axis=1)


def _row_products(left: Array, right: Array) -> Array:
    """Every column of one times every column of the other, row by row."""
    return (left[:, :, None] * right[:, None, :]).reshape(len(left), -1)


def _control_columns(codes: Codes) -> tuple[Array, int]:
    """A column for every level of a control, without those that others stand for already."""
    full = [np.ones((len(codes), 1))]
    for column in codes.T:
        full.append((column[:, None] == np.unique(column)[None, 1:]).astype(np.float64))
    stacked = np.concatenate(full, axis=1)
    kept = independent(stacked)
    return stacked[:, kept[1:]], stacked.shape[1] - len(kept)


def independent(columns: Array) -> list[int]:
    """The columns that say something of their own beside those before them."""
    basis: Array = np.zeros((len(columns), 0))
    kept = list[int]()
    for at, column in enumerate(columns.T):
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)
        size, left = np.linalg.norm(column), np.linalg.norm(rest)
        if left > ALIASED * size:
            basis = np.concatenate([basis, (rest / left)[:, None]], axis=1)
            kept.append(at)
    return kept


# ---- sentences summed once: what a regression needs of the scores in each atom of the design


AT_ONCE = 4_000_000
"""Scores whose logarithms are held in memory at a time."""


KINDS = 7
"""Kinds of sums: n, Σ log y, Σ log(1 − y), and Σ y and Σ y² as they are and clipped."""


class ScoreMoments(NamedTuple):
    """Σ y and Σ y², (submissions, atoms)."""

    total: Array
    squares: Array


@dataclass(frozen=True, slots=True)
class AtomReduction:
    """Sums over sentences, (submissions, atoms), and what had to be done to the scores."""

    sums: Sums
    """For a Beta regression: clipped to 0..1 and squeezed."""
    raw: ScoreMoments
    """For least squares: the scores as they are, beyond 0..1 too."""
    inside: ScoreMoments
    """The scores clipped to 0..1, not squeezed."""
    low: Array
    """(submissions,): the lowest score as it is; NaN without any."""
    high: Array
    clipped: Codes
    """(submissions,): scores below 0 or above 1, which a Beta regression reads as 0 or 1."""
    edge: Codes
    """(submissions,): scores of 0 or 1 after that. One is enough to squeeze them all."""

    @property
    def n(self) -> Codes:
        """(submissions,): sentences with a score."""
        found: Codes = self.sums.n.sum(axis=1).astype(np.int64)
        return found

    def of_cells(self, cell: Codes, size: int) -> AtomReduction:
        """The same, summed over the atoms of each cell."""
        add = members(cell, size)
        return self.stacked_as(np.stack([part @ add for part in self.stacked()]))

    def stacked(self) -> Array:
        """(KINDS, submissions, atoms): every kind of sum."""
        sums = (self.sums.n, self.sums.log_y, self.sums.log_rest)
        return np.stack([*sums, *self.raw, *self.inside])

    def stacked_as(self, sums: Array) -> AtomReduction:
        """The same submissions with other sums."""
        ends = (self.low, self.high, self.clipped, self.edge)
        return unstacked(sums, *ends)

    def rows(self, which: NDArray[np.bool_] | Codes) -> AtomReduction:
        """Some submissions only."""
        ends = (self.low[which], self.high[which], self.clipped[which], self.edge[which])
        return unstacked(self.stacked()[:, which], *ends)


def unstacked(sums: Array, low: Array, high: Array, clipped: Codes, edge: Codes) -> AtomReduction:
    """Sums of every kind, (KINDS, submissions, atoms), by name."""
    n, log_y, log_rest, *moments = sums
    return AtomReduction(
        Sums(n, log_y, log_rest), ScoreMoments(*moments[:2]), ScoreMoments(*moments[2:]),
        low, high, clipped, edge,
    )  # fmt: skip


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


def reduced(values: Array, atom: Codes, size: int, by: Codes | None = None) -> AtomReduction:
    """Sum scores, (submissions, sentences), over the sentences of each atom.

    Where they are but some of the scores, `by` says how to squeeze them, as in `squeezed`.
    """
    add = members(atom, size)
    step = max(1, AT_ONCE // max(1, values.shape[1]))
    parts = [
        _reduced(values[rows], add, None if by is None else by[rows])
        for rows in (slice(at, at + step) for at in range(0, max(1, len(values)), step))
    ]
    stacked = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return unstacked(np.stack(stacked[:KINDS]), *stacked[KINDS:])


def _reduced(values: Array, add: csr_array, by: Codes | None) -> tuple[Array | Codes, ...]:
    known = ~np.isnan(values)
    inside = np.clip(values, 0.0, 1.0)
    low = np.fmin.reduce(values, axis=1, initial=np.inf)
    high = np.fmax.reduce(values, axis=1, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        beyond = np.count_nonzero(values != inside, axis=1) - np.count_nonzero(~known, axis=1)
        edge = np.count_nonzero((inside <= 0.0) | (inside >= 1.0), axis=1)
        moved = squeezed(inside, by)
    fine = ~np.isnan(moved)
    log_y, log_rest = (
        np.where(fine, part(np.where(fine, moved, 0.5)), 0.0)
        for part in (np.log, lambda y: np.log1p(-y))
    )
    moments = [np.where(known, part, 0.0) ** power for part in (values, inside) for power in (1, 2)]
    sums = (known.astype(np.float64), log_y, log_rest, *moments)
    none = ~known.any(axis=1)
    ends = (np.where(none, np.nan, low), np.where(none, np.nan, high))
    return (*(part @ add for part in sums), *ends, beyond.astype(np.int64), edge.astype(np.int64))


# ---- which sentences a submission is fitted on, as METHODS §3 gives them to each task


Places = NDArray[np.int64]

OWN, NEUTRAL, ALL = "own-emotion", "neutral", "all"
OTHER = "other-emotion"
"""No subset of its own: the rest of a corpus, whose sentences all have an emotion."""


@dataclass(frozen=True, slots=True)
class FittedSentences:
    """Submissions that are fitted on the same sentences."""

    subset: str
    rows: Places
    columns: Places


@dataclass(frozen=True, slots=True)
class Summed:
    """The sentences of a part as sums over the atoms of their design: all that its fits need."""

    subset: str
    rows: Places
    """Which submissions."""
    size: int
    """Its sentences, with a score or without."""
    design: RegressionDesign
    atoms: AtomReduction


def parts_of(
    sentences: pl.DataFrame,
    tasks: pl.Series,
    axes: Sequence[str],
    subset: str | None,
    whole: pl.DataFrame,
) -> list[FittedSentences]:
    """Which submissions are fitted on which sentences; `whole` is what these were drawn from."""
    placed = sentences.with_row_index(NTH).drop_nulls(list(axes))
    emotions = whole.drop_nulls(list(axes))["emotion"]
    found = list[FittedSentences]()
    for task in tasks.unique(maintain_order=True):
        rows = np.flatnonzero((tasks == task).to_numpy())
        name = subset_of(emotions, str(task), subset)
        mine = sentences_of(placed, str(task), name)
        found.append(FittedSentences(name, rows, mine[NTH].to_numpy().astype(np.int64)))
    return found


def subset_of(emotions: pl.Series, task: str, subset: str | None = None) -> str:
    """The subset that a task is fitted on, by the emotions of the whole corpus' sentences.

    The one named, or where none is, that of METHODS §3.

    >>> said = pl.Series(["joy", None])
    >>> subset_of(said, "joy"), subset_of(said, "valence"), subset_of(said[1:], "joy")
    ('own-emotion', 'neutral', 'all')
    """
    if subset is not None:
        return subset
    if (emotions == task).any():
        return OWN
    return NEUTRAL if 0 < emotions.null_count() < emotions.len() else ALL


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
    """The subset that a task is fitted on, and of which kind its sentences are.

    >>> kind_of("valence", None, ["joy"]), kind_of("valence", None, ["joy", None])
    (('all', 'other-emotion'), ('neutral', 'neutral'))
    """
    if subset is not None:
        return subset, subset
    name = subset_of(pl.Series(list(seen), dtype=pl.String), task)
    without = NEUTRAL if None in seen else OTHER
    return name, without if name == ALL else name


def sentences_of(placed: pl.DataFrame, task: str, subset: str) -> pl.DataFrame:
    """The sentences of a subset, or of a kind."""
    if subset == OWN:
        return placed.filter(pl.col("emotion") == task)
    if subset == OTHER:
        return placed.filter(pl.col("emotion") != task)
    if subset == NEUTRAL:
        return placed.filter(pl.col("emotion").is_null())
    known = dict(subsets(placed))
    return placed.filter(known[subset]) if subset in known else placed.head(0)
