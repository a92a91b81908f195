"""The regression of more sentences than memory holds, from blocks that come once or twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.scoring.matrix import SCALE
from tiltmeter.stats.moments import one_thread
from tiltmeter.studies.paired.contrasts import NTH
from tiltmeter.studies.regression.design import (
    KINDS,
    AtomReduction,
    Summed,
    design_of,
    kind_of,
    kinds_of,
    reduced,
    sentences_of,
    unstacked,
)
from tiltmeter.studies.regression.formula import Formula, Model, terms_of
from tiltmeter.studies.regression.study import RegressionStudy, found_in, study_of

# ---- sums over the atoms of a design, added up block by block: memory grows with atoms alone


Array = NDArray[np.float64]
Codes = NDArray[np.int64]

CHANGED = (
    "the second pass over the scores found others than the first; expected the same blocks twice: "
    "let nothing else write to the store meanwhile, and run it again"
)
NEVER = np.iinfo(np.int64).max


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
        keys, first, atom = _numbered(sentences.select(self.by))
        found = reduced(values, atom, keys.height, self.squeeze)
        self._take(keys, places[first], found, sentences.height)

    def merge(self, other: AtomSums) -> None:
        """Add what another has summed."""
        many = other.keys.height
        self._take(other.keys, other._first[:many], other.reduced(), other.size)

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

    def reduced(self, at: Codes | slice = slice(None)) -> AtomReduction:
        """The sums of some atoms, in this order."""
        sums = self._sums[:, :, : self.keys.height][:, :, at]
        return unstacked(sums, self._low, self._high, self._clipped, self._edge)

    def reduced_as(self, keys: pl.DataFrame) -> AtomReduction:
        """The sums of these atoms, in this order; refused where they are not those seen."""
        places = self.places(keys)
        if places.null_count() or keys.height != self.keys.height:
            raise TiltmeterError(CHANGED)
        return self.reduced(places.to_numpy())

    def places(self, keys: pl.DataFrame) -> pl.Series:
        """Where each atom stands here; null where it was not seen."""
        numbered = self.keys.with_row_index(NTH)
        joined = keys.join(
            numbered, on=self.by, how="left", nulls_equal=True, maintain_order="left"
        )
        return joined[NTH].cast(pl.Int64)

    def _take(self, keys: pl.DataFrame, first: Codes, found: AtomReduction, size: int) -> None:
        at = self._room_for(keys)
        self._sums[:, :, at] += found.stacked()
        self._first[at] = np.minimum(self._first[at], first)
        self._low = np.fmin(self._low, found.low)
        self._high = np.fmax(self._high, found.high)
        self._clipped = self._clipped + found.clipped
        self._edge = self._edge + found.edge
        self.size += size

    def _room_for(self, keys: pl.DataFrame) -> Codes:
        """The places of some atoms, those that are new at the end."""
        place = self.places(keys)
        new = place.is_null()
        height = self.keys.height
        if new.any():
            self.keys = pl.concat([self.keys, keys.filter(new)])
            self._grow(self.keys.height)
        found = place.fill_null(-1).to_numpy().copy()
        found[new.to_numpy()] = np.arange(height, self.keys.height)
        return found

    def _grow(self, needed: int) -> None:
        """Make room for so many atoms, and for some to come."""
        more = max(needed, 2 * self._first.size) - self._first.size
        if needed > self._first.size:
            self._first = np.concatenate([self._first, np.full(more, NEVER)])
            self._sums = np.pad(self._sums, ((0, 0), (0, 0), (0, more)))


def with_logarithms(found: AtomReduction, which: Codes, by: AtomReduction) -> AtomReduction:
    """The sums with the logarithms of some submissions taken from elsewhere, of the same scores."""
    if not np.array_equal(found.sums.n[which], by.sums.n):
        raise TiltmeterError(CHANGED)
    sums = found.stacked()
    sums[1, which], sums[2, which] = by.sums.log_y, by.sums.log_rest
    return found.stacked_as(sums)


def _numbered(keys: pl.DataFrame) -> tuple[pl.DataFrame, Codes, Codes]:
    """The distinct rows as they come, where each stands first, and which of them each row is."""
    by = keys.columns
    groups = keys.with_row_index(NTH).group_by(by, maintain_order=True).agg(pl.col(NTH))
    lengths = groups[NTH].list.len().to_numpy()
    found = np.zeros(keys.height, np.int64)
    found[groups[NTH].explode().to_numpy()] = np.repeat(np.arange(groups.height), lengths)
    return groups.select(by), groups[NTH].list.first().cast(pl.Int64).to_numpy(), found


# ---- sums for every task of a study, while it is not yet known which sentences a task is fitted
# on A task has the sentences with its own emotion, if there are any; else those without an
# emotion, if some have one; else all. What there is shows only as blocks come, so each kind is
# summed apart until it is known not to be needed.


class PartSums:
    """By task and kind of sentences, the sums over atoms of the task's submissions."""

    def __init__(
        self, tasks: pl.Series, formula: Formula, subset: str | None, emotions: Iterable[str | None]
    ) -> None:
        self.subset, self.axes = subset, formula.axes
        self.by = tuple(dict.fromkeys(["person", *formula.axes, "template", *formula.controls]))
        self.rows = {
            str(task): np.flatnonzero((tasks == task).to_numpy())
            for task in tasks.unique(maintain_order=True)
        }
        self._emotions = set(emotions)
        self._sums = dict[tuple[str, str], AtomSums]()
        self._settle()

    def add(self, sentences: pl.DataFrame, values: Array, begin: int) -> None:
        """Add a block whose first sentence stands at this place of the corpus."""
        placed = self.placed(sentences)
        self._emotions.update(placed["emotion"].unique())
        self._settle()
        for (task, kind), sums in self._sums.items():
            add_to(sums, sentences_of(placed, task, kind), values, self.rows[task], begin)

    def merge(self, other: PartSums) -> None:
        """Add what another has summed."""
        self._emotions |= other._emotions
        self._settle()
        for key in self._sums.keys() & other._sums.keys():
            self._sums[key].merge(other._sums[key])

    def placed(self, sentences: pl.DataFrame) -> pl.DataFrame:
        """The sentences about people with a group on every axis, with their places in the block."""
        numbered = sentences.select(*self.by, "emotion").with_row_index(NTH)
        return numbered.drop_nulls(list(self.axes))

    def part(self, task: str) -> tuple[str, str, AtomSums]:
        """The subset that a task is fitted on, of which kind its sentences are, and their sums."""
        subset, kind = kind_of(task, self.subset, self._emotions)
        return subset, kind, self._sums[task, kind]

    def _settle(self) -> None:
        """Hold the sums of what a task may still be fitted on, and no others."""
        self._sums = {key: self._sums.get(key) or self._none(key[0]) for key in self._wanted()}

    def _wanted(self) -> Iterator[tuple[str, str]]:
        for task in self.rows:
            for kind in kinds_of(task, self.subset, self._emotions):
                yield task, kind

    def _none(self, task: str) -> AtomSums:
        return AtomSums(self.by, np.zeros(self.rows[task].size, np.int64))


def add_to(sums: AtomSums, mine: pl.DataFrame, values: Array, rows: Codes, begin: int = 0) -> None:
    """Add some submissions' scores of some sentences of a block."""
    if mine.height:
        columns = mine[NTH].to_numpy().astype(np.int64)
        sums.add(mine, values[np.ix_(rows, columns)], begin + columns)


# ---- the regression of more sentences than memory holds, from blocks of them that come once or
# twice
# A fit needs sums over atoms alone, so that blocks are added up as they come. Only the squeeze of a
# submission with scores of 0 or 1 needs the number of all its scores first: it takes a second pass.

Run = tuple[str, str]
"""A corpus and its edition."""


def check_streamed(model: Model) -> None:
    """Refuse a model that needs every score at once: asking systems may cost."""
    if model.errors == "mixed":
        what = "mixed errors need every score at once; of a corpus this large only sums are kept"
        raise TiltmeterError(f"{what}; take --errors crossed, or draw a --sample")


class RegressionSums:
    """A regression's sums, added up block by block; `study` gives what `regression_study` would.

    `submissions` has system, task and unit. Where `needs_second_pass`, the same blocks are added to
    `second_pass()` as well, which then has the study. `emotions` are those of the whole corpus,
    where the blocks are a sample of it.
    """

    def __init__(
        self,
        submissions: pl.DataFrame,
        axes: Mapping[str, Sequence[str]],
        model: Model | None = None,
        *,
        mode: str = "corrected",
        subset: str | None = None,
        emotions: Iterable[str | None] = (),
    ) -> None:
        model = model or Model()
        check_streamed(model)
        self.submissions, self.mode = submissions, mode
        self.terms = terms_of(model, axes)
        self.parts = PartSums(submissions["task"], self.terms.formula, subset, emotions)
        self._asked = (mode, subset, {axis: tuple(groups) for axis, groups in axes.items()}, model)
        self._run: Run | None = None
        self._end = 0

    def add(self, sentences: pl.DataFrame, values: Array, begin: int | None = None) -> None:
        """Add a block: its sentences, and (submissions, sentences) scores, NaN where missing.

        `begin` is the place in the corpus of its first sentence; without it, the block follows the
        last one. The tables list people in the order of the corpus.
        """
        _check_shape(self.submissions, sentences, values)
        self._run = _same_run(self._run, _run_of(sentences))
        begin = self._end if begin is None else begin
        self.parts.add(sentences, values, begin)
        self._end = max(self._end, begin + sentences.height)

    def merge(self, other: RegressionSums) -> RegressionSums:
        """Take in what another summed of other blocks of the same corpus; returns itself."""
        if self._asked != other._asked or not self.submissions.equals(other.submissions):
            what = "these sums are of two different regressions"
            raise TiltmeterError(f"{what}; expected the same submissions, axes, model and subset")
        self._run = _same_run(self._run, other._run)
        self.parts.merge(other.parts)
        self._end = max(self._end, other._end)
        return self

    @property
    def needs_second_pass(self) -> bool:
        """Whether some submission has a score of 0 or 1, which moves all its scores inside."""
        return any(self.to_squeeze(task).size for task in self.parts.rows)

    def second_pass(self) -> SqueezedSums:
        """What to add the same blocks to once more."""
        return SqueezedSums(self)

    def to_squeeze(self, task: str) -> Codes:
        """Which of a task's submissions are fitted on squeezed scores."""
        on_scale = (self.submissions["unit"][self.parts.rows[task]] == SCALE).to_numpy()
        return np.flatnonzero(on_scale & self.parts.part(task)[2].squeezable)

    def study(self) -> RegressionStudy:
        """Fit what was summed."""
        if self.needs_second_pass:
            what = "some scores are 0 or 1, so that all are to be squeezed by their number"
            raise TiltmeterError(f"{what}; add the blocks to second_pass() too, its study has them")
        return self.study_with({})

    def study_with(self, squeezed: Mapping[str, AtomSums]) -> RegressionStudy:
        """The study, with the sums of squeezed scores by task."""
        with one_thread():
            found = [
                found_in(self._summed(task, squeezed.get(task)), self.submissions, self.terms)
                for task in self.parts.rows
            ]
        corpus, edition = self._run or ("", "")
        of = {"corpus": corpus, "edition": edition, "mode": self.mode}
        return study_of(found, self.submissions, self.terms, of)

    def _summed(self, task: str, squeezed: AtomSums | None) -> Summed:
        """A task's part, its atoms in the order of its design."""
        subset, _, sums = self.parts.part(task)
        order = sums.order
        keys, found = sums.keys[order], sums.reduced(order)
        if squeezed is not None:
            found = with_logarithms(found, self.to_squeeze(task), squeezed.reduced_as(keys))
        design = design_of(keys, self.terms.formula, self.terms.by_axis)
        atoms = found.of_cells(design.atom, len(design.cell))
        return Summed(subset, self.parts.rows[task], sums.size, design, atoms)


class SqueezedSums:
    """The second pass: sums of the submissions whose scores are squeezed by their number."""

    def __init__(self, first: RegressionSums) -> None:
        self.first = first
        which = {task: first.to_squeeze(task) for task in first.parts.rows}
        self._rows = {task: first.parts.rows[task][at] for task, at in which.items() if at.size}
        self._sums = {
            task: AtomSums(first.parts.by, first.parts.part(task)[2].reduced().n[which[task]])
            for task in self._rows
        }

    @property
    def rows(self) -> Codes:
        """The submissions that it is about; the scores of others may be left NaN."""
        return np.concatenate([np.zeros(0, np.int64), *self._rows.values()])

    def add(self, sentences: pl.DataFrame, values: Array) -> None:
        """Add a block that the first pass had."""
        _check_shape(self.first.submissions, sentences, values)
        placed = self.first.parts.placed(sentences)
        for task, sums in self._sums.items():
            mine = sentences_of(placed, task, self.first.parts.part(task)[1])
            add_to(sums, mine, values, self._rows[task])

    def merge(self, other: SqueezedSums) -> SqueezedSums:
        """Take in what another summed of other blocks; returns itself."""
        for task, sums in self._sums.items():
            sums.merge(other._sums[task])
        return self

    def study(self) -> RegressionStudy:
        """Fit what was summed."""
        return self.first.study_with(self._sums)


def _check_shape(submissions: pl.DataFrame, sentences: pl.DataFrame, values: Array) -> None:
    expected = (submissions.height, sentences.height)
    if values.shape != expected:
        what = f"a block has scores of shape {values.shape}"
        raise TiltmeterError(f"{what}; expected {expected}, submissions by sentences")


def _run_of(sentences: pl.DataFrame) -> Run | None:
    """The corpus and edition of a block."""
    run: Run | None = None
    for one in sentences.select("corpus", "edition").unique(maintain_order=True).rows():
        run = _same_run(run, (str(one[0]), str(one[1])))
    return run


def _same_run(one: Run | None, other: Run | None) -> Run | None:
    """The corpus of both, where there is but one."""
    if one is not None and other is not None and one != other:
        listed = ", ".join(f"{corpus} ({edition})" for corpus, edition in (one, other))
        raise TiltmeterError(f"the sentences are of several corpora: {listed}; give one at a time")
    return one if other is None else other
