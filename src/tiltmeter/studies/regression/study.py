"""Race, gender and their product, told apart: Beta regression for every submission of a corpus.

Câmara et al. (2022): per system, task and corpus, over the sentences with a name and a word of the
task's own emotion,

    logit μ = β₀ + β₁ · minority + β₂ · female + β₃ · minority · female

All submissions of a task are fitted at once, from sums over the design's cells, added up block by
block; a corpus in memory is one block. Only the squeeze of a submission with scores of 0 or 1 needs
the number of all its scores first: it takes a second pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.claims.estimates import EstimateBlock, estimates_table
from tiltmeter.errors import TiltmeterError, argument
from tiltmeter.scoring.matrix import SCALE, Scores, score_matrix
from tiltmeter.stats.moments import one_thread
from tiltmeter.studies.paired.contrasts import NTH
from tiltmeter.studies.paired.results import RegressionStudy
from tiltmeter.studies.regression.design import Errors, Model, codes_of, design_of, terms_of
from tiltmeter.studies.regression.effects import (
    EffectTable,
    effect_tables,
    groups_table,
    mixed_tables,
    people_table,
)
from tiltmeter.studies.regression.fit import (
    FITS,
    AtomSums,
    Fitted,
    fit_submissions,
    kind_of,
    kinds_of,
    sentences_of,
)

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
CorpusEdition = tuple[str, str]
MixedTables = Callable[[str, Fitted], list[EffectTable]]
"""The tables of a task's mixed model."""


def regression_study(
    sentences: pl.DataFrame,
    scores: Scores,
    axes: Mapping[str, Sequence[str]],
    model: Model | None = None,
    *,
    mode: str = "corrected",
    subset: str | None = None,
    whole: pl.DataFrame | None = None,
) -> RegressionStudy:
    """Fit every submission's scores; `axes` has the groups of each axis, the reference last.

    Without a subset, a task about an emotion is fitted on the sentences with its words, any other
    on those without an emotion word, as in the paper; a subset, `all` too, is taken as it is.
    `whole` is what the sentences were drawn from, where they are a sample: it tells which emotions
    there are.
    """
    model = model or Model()
    matrix = score_matrix(scores, sentences)
    drawn_from = sentences if whole is None else whole
    sums = RegressionSums(
        matrix.submissions,
        axes,
        replace(model, errors=Errors.CROSSED),
        mode=mode,
        subset=subset,
        emotions=drawn_from.drop_nulls(list(terms_of(model, axes).formula.axes))["emotion"],
    )
    sums.add(sentences, matrix.values)
    again = sums.second_pass()
    if sums.needs_second_pass:
        again.add(sentences, matrix.values)
    if model.errors != Errors.MIXED:
        return again.study()

    def mixed(task: str, fitted: Fitted) -> list[EffectTable]:
        places = sums.placed_sentences(sentences, task)[NTH].to_numpy().astype(np.int64)
        mine = sentences[places]
        values = matrix.values[np.ix_(sums.rows[task], places)]
        return mixed_tables(
            fitted, values, design_of(mine, sums.terms).atom, codes_of(mine["frame"])
        )

    return again.study(mixed)


def check_streamed(model: Model) -> None:
    """Refuse a model that needs every score at once: asking systems may cost."""
    if model.errors == Errors.MIXED:
        what = "mixed errors need every score at once; of a corpus this large only sums are kept"
        crossed, sample = f"{argument('errors')} crossed", argument("sample")
        raise TiltmeterError(f"{what}; take {crossed}, or draw a {sample}")


class RegressionSums:
    """A regression's sums, added up block by block; `study` fits them.

    `submissions` has system, task and unit. Where `needs_second_pass`, the same blocks are added to
    `second_pass()` as well, which then has the study. `emotions` are those of the whole corpus,
    where the blocks are a sample of it.

    A task has the sentences with its own emotion, if there are any; else those without an emotion,
    if some have one; else all. What there is shows only as blocks come, so each kind is summed
    apart until it is known not to be needed.
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
        self.submissions, self.mode, self.subset = submissions, mode, subset
        self.terms = terms_of(model, axes)
        formula = self.terms.formula
        self.by = tuple(dict.fromkeys(["person", *formula.axes, "template", *formula.controls]))
        tasks = submissions["task"]
        self.rows = {
            str(task): np.flatnonzero((tasks == task).to_numpy())
            for task in tasks.unique(maintain_order=True)
        }
        """By task, its submissions."""
        self._asked = (mode, subset, {axis: tuple(groups) for axis, groups in axes.items()}, model)
        self._of: CorpusEdition | None = None
        self._end = 0
        self._emotions = set[str | None]()
        self._sums = dict[tuple[str, str], AtomSums]()
        self._see(emotions)

    def add(self, sentences: pl.DataFrame, values: Array, begin: int | None = None) -> None:
        """Add a block: its sentences, and (submissions, sentences) scores, NaN where missing.

        `begin` is the place in the corpus of its first sentence; without it, the block follows the
        last one. The tables list people in the order of the corpus.
        """
        _check_shape(self.submissions, sentences, values)
        for corpus, edition in (
            sentences.select("corpus", "edition").unique(maintain_order=True).rows()
        ):
            self._of = _same_corpus(self._of, (str(corpus), str(edition)))
        begin = self._end if begin is None else begin
        known = self._with_groups(sentences)
        self._see(known["emotion"].unique())
        for (task, kind), sums in self._sums.items():
            _add_to(sums, sentences_of(known, task, kind), values, self.rows[task], begin)
        self._end = max(self._end, begin + sentences.height)

    def merge(self, other: RegressionSums) -> RegressionSums:
        """Take in what another summed of other blocks of the same corpus; returns itself."""
        if self._asked != other._asked or not self.submissions.equals(other.submissions):
            what = "these sums are of two different regressions"
            raise TiltmeterError(f"{what}; expected the same submissions, axes, model and subset")
        self._of = _same_corpus(self._of, other._of)
        self._see(other._emotions)
        for key in self._sums.keys() & other._sums.keys():
            self._sums[key].merge(other._sums[key])
        self._end = max(self._end, other._end)
        return self

    @property
    def needs_second_pass(self) -> bool:
        """Whether some submission has a score of 0 or 1, which moves all its scores inside."""
        return any(self.to_squeeze(task).size for task in self.rows)

    def second_pass(self) -> SqueezedSums:
        """What to add the same blocks to once more."""
        return SqueezedSums(self)

    def study(self) -> RegressionStudy:
        """Fit what was summed."""
        if self.needs_second_pass:
            what = "some scores are 0 or 1, so that all are to be squeezed by their number"
            raise TiltmeterError(f"{what}; add the blocks to second_pass() too, its study has them")
        return self.second_pass().study()

    def of_task(self, task: str) -> tuple[str, AtomSums]:
        """The subset that a task is fitted on, and its sums."""
        subset, kind = kind_of(task, self.subset, self._emotions)
        return subset, self._sums[task, kind]

    def to_squeeze(self, task: str) -> Codes:
        """Which of a task's submissions are fitted on squeezed scores."""
        on_scale = (self.submissions["unit"][self.rows[task]] == SCALE).to_numpy()
        return np.flatnonzero(on_scale & self.of_task(task)[1].squeezable)

    def placed_sentences(self, sentences: pl.DataFrame, task: str) -> pl.DataFrame:
        """The sentences of a block that a task is fitted on, with their places in it."""
        kind = kind_of(task, self.subset, self._emotions)[1]
        return sentences_of(self._with_groups(sentences), task, kind)

    def fit(self, squeezed: Mapping[str, AtomSums], mixed: MixedTables | None) -> RegressionStudy:
        """The study, with the sums of squeezed scores by task."""
        fits, groups, people = [pl.DataFrame(schema=FITS)], [], []
        blocks, effects = list[EstimateBlock](), dict[tuple[str, str, str], None]()
        with one_thread():
            for task, rows in self.rows.items():
                subset, sums = self.of_task(task)
                keys, atoms = sums.keys[sums.order], sums.reduction(sums.order)
                if task in squeezed:
                    squeezed[task].replace_logarithms(atoms, self.to_squeeze(task), keys)
                design = design_of(keys, self.terms)
                atoms = atoms.of_cells(design.atom, len(design.cell))
                mine = self.submissions[rows]
                on_scale = (mine["unit"] == SCALE).to_numpy()
                fitted = fit_submissions(atoms, design, on_scale, subset)
                tables, pull = effect_tables(fitted)
                tables += mixed(task, fitted) if mixed else []
                effects |= {(one.axis, one.name, one.second): None for one in design.effects}
                fits.append(fitted.table(mine, sums.size))
                groups.append(groups_table(mine, fitted))
                people.append(people_table(mine, fitted, pull))
                for table in tables:
                    blocks += table.blocks(subset, rows, atoms.n, sums.size - atoms.n)
        corpus, edition = self._of or ("", "")
        of = {"corpus": corpus, "edition": edition, "mode": self.mode}
        return RegressionStudy(
            corpus=corpus,
            formula=str(self.terms.formula),
            effects=tuple(effects),
            estimates=estimates_table(blocks, self.submissions, of),
            fits=pl.concat(fits),
            groups=pl.concat(groups, how="diagonal"),
            people=pl.concat(people, how="diagonal"),
        )

    def _with_groups(self, sentences: pl.DataFrame) -> pl.DataFrame:
        """The sentences about people with a group on every axis, with their places in the block."""
        numbered = sentences.select(*self.by, "emotion").with_row_index(NTH)
        return numbered.drop_nulls(list(self.terms.formula.axes))

    def _see(self, emotions: Iterable[str | None]) -> None:
        """Hold the sums of what a task may still be fitted on, and no others."""
        self._emotions.update(emotions)
        wanted = [
            (task, kind)
            for task in self.rows
            for kind in kinds_of(task, self.subset, self._emotions)
        ]
        self._sums = {
            (task, kind): self._sums.get((task, kind))
            or AtomSums(self.by, np.zeros(self.rows[task].size, np.int64))
            for task, kind in wanted
        }


class SqueezedSums:
    """The second pass: sums of the submissions whose scores are squeezed by their number."""

    def __init__(self, first: RegressionSums) -> None:
        self.first = first
        self._rows, self._sums = dict[str, Codes](), dict[str, AtomSums]()
        for task, rows in first.rows.items():
            if (which := first.to_squeeze(task)).size:
                self._rows[task] = rows[which]
                n = first.of_task(task)[1].reduction().n
                self._sums[task] = AtomSums(first.by, n[which])

    @property
    def rows(self) -> Codes:
        """The submissions that it is about; the scores of others may be left NaN."""
        return np.concatenate([np.zeros(0, np.int64), *self._rows.values()])

    def add(self, sentences: pl.DataFrame, values: Array) -> None:
        """Add a block that the first pass had."""
        _check_shape(self.first.submissions, sentences, values)
        for task, sums in self._sums.items():
            mine = self.first.placed_sentences(sentences, task)
            _add_to(sums, mine, values, self._rows[task])

    def merge(self, other: SqueezedSums) -> SqueezedSums:
        """Take in what another summed of other blocks; returns itself."""
        for task, sums in self._sums.items():
            sums.merge(other._sums[task])
        return self

    def study(self, mixed: MixedTables | None = None) -> RegressionStudy:
        """Fit what was summed; `mixed` makes the tables of a mixed model, where they are wanted."""
        return self.first.fit(self._sums, mixed)


def _add_to(sums: AtomSums, mine: pl.DataFrame, values: Array, rows: Codes, begin: int = 0) -> None:
    """Add some submissions' scores of some sentences of a block."""
    if mine.height:
        columns = mine[NTH].to_numpy().astype(np.int64)
        sums.add(mine, values[np.ix_(rows, columns)], begin + columns)


def _check_shape(submissions: pl.DataFrame, sentences: pl.DataFrame, values: Array) -> None:
    expected = (submissions.height, sentences.height)
    if values.shape != expected:
        what = f"a block has scores of shape {values.shape}"
        raise TiltmeterError(f"{what}; expected {expected}, submissions by sentences")


def _same_corpus(one: CorpusEdition | None, other: CorpusEdition | None) -> CorpusEdition | None:
    """The corpus of both, where there is but one."""
    if one is not None and other is not None and one != other:
        listed = ", ".join(f"{corpus} ({edition})" for corpus, edition in (one, other))
        raise TiltmeterError(f"the sentences are of several corpora: {listed}; give one at a time")
    return one if other is None else other
