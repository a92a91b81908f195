"""The regression of more sentences than memory holds, from blocks of them that come once or twice.

A fit needs sums over atoms alone, so that blocks are added up as they come. Only the squeeze of a
submission with scores of 0 or 1 needs the number of all its scores first: it takes a second pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.measures.matrix import SCALE
from tiltmeter.measures.regression.atoms import AtomSums, with_logarithms
from tiltmeter.measures.regression.design import design_of
from tiltmeter.measures.regression.found import RegressionStudy, found_in, study_of
from tiltmeter.measures.regression.model import Model, terms_of
from tiltmeter.measures.regression.part_sums import PartSums, add_to
from tiltmeter.measures.regression.parts import Summed, sentences_of
from tiltmeter.measures.stats.threads import one_thread

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
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
