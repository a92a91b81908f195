"""What an audit found: tables, both sides of every pair, and how it was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.audit_run import AuditRun
from tiltmeter.claims.signal import Exclusions
from tiltmeter.corpora import Corpus
from tiltmeter.schemas import AVERAGE, FINDINGS
from tiltmeter.studies.paired.pairs import PairStudy, People

EVERYBODY = "of all groups on average"
"""What follows "sentences" where a group is compared with the average of all."""


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """Every sentence of a corpus that is held whole, and every submission's score of it."""

    sentences: pl.DataFrame
    """As the `sentences` table."""
    values: NDArray[np.float64]
    """(submissions, sentences); NaN where there is no score."""


@dataclass(frozen=True, slots=True)
class CorpusComparisons:
    """One corpus' comparisons: its paired study, and whom the differences depend on."""

    corpus: Corpus
    study: PairStudy
    by_person: People
    """How far each person's sentences stand from their match's average."""
    size: int
    """Sentences scored."""
    pivots: pl.DataFrame | None = None
    """system, task, axis, contrast, kind, person, value, without: the mean difference without the
    person it depends on most; `kind` is of what: names, couples, or nothing for all sentences."""
    sample: str = ""
    """What was drawn, where only a part of the corpus was scored."""
    not_compared: tuple[str, ...] = ()
    """Notes on what could not be compared, or be told."""
    scored: SentenceScores | None = None
    """Single sentences and their scores; None of a corpus too large to be held."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth knowing of the corpus and of its comparisons."""
        totals = self.study.totals
        return (*self.corpus.notes, *self.not_compared, *(totals.notes if totals else ()))

    @property
    def name(self) -> str:
        """The corpus' name."""
        return self.corpus.name

    @property
    def title(self) -> str:
        """The corpus' title."""
        return self.corpus.title

    @property
    def edition(self) -> str:
        """The corpus' edition."""
        return self.corpus.edition

    @property
    def submissions(self) -> pl.DataFrame:
        """system, task, unit (scale or native), width, sd, n_missing."""
        return self.study.submissions

    def phrase(self, axis: str, group: str) -> str:
        """How a group's sentences are spoken of: `about women`."""
        if self.is_average(axis, group):
            return EVERYBODY
        for one in self.corpus.axes:
            if one.name == axis and group in one.groups:
                return one.phrase(group)
        return f"marked “{group}”"

    def is_average(self, axis: str, group: str) -> bool:
        """Whether it is no group, but the average of all."""
        known = next((one.groups for one in self.corpus.axes if one.name == axis), ())
        return group == AVERAGE and group not in known

    def of_system(self, system: str) -> CorpusComparisons:
        """One system's submissions only."""
        rows = (self.submissions["system"] == system).arg_true().to_numpy().astype(np.int64)
        return replace(
            self,
            study=self.study.of_submissions(rows),
            by_person=replace(self.by_person, deviations=self.by_person.deviations[rows]),
            pivots=None if self.pivots is None else self.pivots.filter(system=system),
            scored=self.scored and replace(self.scored, values=self.scored.values[rows]),
        )

    def without_pairs(self) -> CorpusComparisons:
        """The same where only a regression was asked for: no pair, and nobody compared."""
        none = np.zeros((self.submissions.height, 0))
        pairs, people = self.study.pairs.clear(), self.by_person.people.clear()
        return replace(
            self,
            study=replace(
                self.study, pairs=pairs, first=none, second=none, deltas=none, totals=None
            ),
            by_person=replace(self.by_person, people=people, deviations=none),
            pivots=None,
            scored=None,
        )


@dataclass(frozen=True, slots=True)
class RegressionStudy:
    """One corpus' regressions: coefficients of axes and of their products."""

    corpus: str
    """Its name: the rest of what is known of it stands in `Compared`."""
    formula: str
    """As in `gender + race + gender:race`."""
    effects: tuple[tuple[str, str, str], ...]
    """Axis, contrast and reference of every row of a table of coefficients."""
    estimates: pl.DataFrame
    """As the `estimates` table; measures coefficient, coefficient_naive, marginal_effect, total,
    total_effect, least_squares, …"""
    fits: pl.DataFrame
    """system, task, subset, n, n_dropped, people, templates, clipped, edge, precision,
    log_likelihood, iterations, converged, reason: why there is no fit, or null."""
    groups: pl.DataFrame
    """system, task, a column per axis, n, people, mean, fitted."""
    people: pl.DataFrame
    """system, task, person, a column per axis, n, mean, axis, contrast, pull: how much lower the
    marginal effect would be without the person."""
    findings: pl.DataFrame = field(default_factory=pl.DataFrame)
    """As the `findings` table, once it is judged."""


@dataclass(frozen=True, eq=False)
class AuditResults:
    """Everything that a report shows."""

    paired_estimates: pl.DataFrame
    """Of the paired study, of signal and of skill; a regression's stand in `regressed`."""
    paired_findings: pl.DataFrame
    """Of the paired study over pairs."""
    compared: tuple[CorpusComparisons, ...]
    run: AuditRun
    """What determines the findings, as run.json holds it."""
    environment: Mapping[str, Any] = field(default_factory=dict)
    """Versions, machine, command and time."""
    subset: str = "all"
    """What the page puts first."""
    skill: pl.DataFrame | None = None
    """system, task, gold, n, pearson, pearson_low, pearson_high, spearman, spearman_low,
    spearman_high, rank, rank_best, rank_worst, tied, of; None without gold scores."""
    meta: pl.DataFrame | None = None
    """system and what else an organiser knows of it: team, algorithm, features, …"""
    notes: pl.DataFrame | None = None
    """system, task, corpus, note: what is worth knowing of each submission."""
    gold_notes: tuple[tuple[str, str, str, str], ...] = ()
    """Those of them that gold scores are behind."""
    set_aside: pl.DataFrame | None = None
    """system, corpus, file, reason: the files of scores that could not be used, and whose
    (null: nobody's, as a readme)."""
    regressed: tuple[RegressionStudy, ...] = ()
    """The regressions of each corpus that has any."""
    languages: pl.DataFrame | None = None
    """system, task, axis, contrast, reference, measure, unit, {corpus, language, value, low,
    high}_first and _second, difference, se, low, high, df, p: one system's effects in two
    languages."""
    measures: tuple[str, ...] = ("pairs",)
    """What was asked for: `pairs`, `regression`."""
    tilts: pl.DataFrame | None = None
    """The claims, by names and by couples: the columns of `findings`, and reference, unit, se, df,
    n_dropped, detectable, p_decides, level, se_these, low_these, high_these, p_these,
    needed_people, reason."""
    labels: pl.DataFrame | None = None
    """As the `estimates` table: what thresholded scores come to, label flips, gaps and repeats."""
    ranks: pl.DataFrame | None = None
    """system, task, corpus, edition, axis, contrast, tilt, low, high, rank, rank_best, rank_worst,
    tied, of: systems by size of tilt, 1 the largest, with the ranks that the data allow."""
    apart: Exclusions = field(default_factory=Exclusions)
    """Controls, and systems without a signal, with the reason; neither counts in the family."""

    @property
    def controls(self) -> dict[str, str]:
        """The controls among the systems, and their kind: `no tilt` or `planted`."""
        return {one.system: one.control for one in self.run.systems if one.control}

    def is_apart(self, system: str, task: str, corpus: str) -> bool:
        """Whether it is counted apart: a control, or without a signal."""
        return system in self.controls or (system, task, corpus) in self.apart.no_signal

    @property
    def findings(self) -> pl.DataFrame:
        """Every finding, as the `findings` table; `measure` tells what each is of."""
        paired = self.paired_findings
        paired = paired if "pairs" in self.measures else paired.clear()
        tilts = [] if self.tilts is None else [self.tilts]
        every = [paired, *tilts, *(one.findings for one in self.regressed)]
        return pl.concat(one.select(*FINDINGS.columns) for one in every)

    @property
    def estimates(self) -> pl.DataFrame:
        """Every number with its uncertainty, as the `estimates` table; `measure` tells which."""
        labels = [] if self.labels is None else [self.labels]
        fitted = (one.estimates for one in self.regressed)
        return pl.concat([self.paired_estimates, *labels, *fitted])
