"""What a report is made from: tables, both sides of every pair, and how it was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.audit_run import AuditRun
from tiltmeter.schemas import AVERAGE, FINDINGS

Array = NDArray[np.float64]

EVERYBODY = "of all groups on average"
"""What follows "sentences" where a group is compared with the average of all."""


@dataclass(frozen=True, slots=True)
class AxisWords:
    """An axis, its groups, and how each group's sentences are spoken of."""

    name: str
    groups: tuple[str, ...]
    phrases: Mapping[str, str]
    """By group: what follows "sentences", as in "about women"."""


@dataclass(frozen=True, eq=False, slots=True)
class ShownTotals:
    """What is known of all pairs of a corpus too large for each to be held."""

    counts: pl.DataFrame
    """axis, contrast, pairs."""
    boxes: Mapping[tuple[str, str], Array]
    """By axis and contrast, (submissions, 5), as `boxes` gives them."""
    points: Mapping[tuple[str, str], tuple[Array, ...]]
    """By axis and contrast, for each submission: where there is any difference."""
    words: pl.DataFrame
    """axis, contrast, template, emotion, emotion_word: a row for each column of `word_means`."""
    word_means: Array
    word_n: Array
    matches: pl.DataFrame
    """axis, contrast, match: a row for each column of `match_means`."""
    match_means: Array
    match_n: Array
    error: float
    """How far a box may be off, in parts of the scale."""

    def rows(self, which: NDArray[np.int64]) -> ShownTotals:
        """Some submissions only."""
        return replace(
            self,
            boxes={key: found[which] for key, found in self.boxes.items()},
            points={key: tuple(found[at] for at in which) for key, found in self.points.items()},
            word_means=self.word_means[which],
            word_n=self.word_n[which],
            match_means=self.match_means[which],
            match_n=self.match_n[which],
        )


@dataclass(frozen=True, slots=True)
class CorpusComparisons:
    """One corpus' comparisons: a row of the arrays is a submission, a column a pair."""

    name: str
    title: str
    edition: str
    language: str
    direction: str
    """ltr or rtl."""
    checksum: str
    size: int
    """Sentences."""
    axes: tuple[AxisWords, ...]
    submissions: pl.DataFrame
    """system, task, unit (scale or native), width, sd, n_missing."""
    pairs: pl.DataFrame
    """axis, contrast, first, second, frame, match, template, emotion, emotion_word, n_first,
    n_second, text_first, text_second: an example sentence of either side."""
    first: Array
    """(submissions, pairs): average score of the first group's sentences, NaN where missing."""
    second: Array
    deltas: Array
    """first − second without floating-point dust."""
    people: pl.DataFrame
    """person, match, one column per axis, n."""
    deviations: Array
    """(submissions, people): how far a person's sentences stand from their match's average."""
    pivots: pl.DataFrame | None = None
    """system, task, axis, contrast, kind, person, value, without: the mean difference without the
    person it depends on most; `kind` is of what: names, couples, or nothing for all sentences."""
    sample: str = ""
    """What was drawn, where only a part of the corpus was scored."""
    notes: tuple[str, ...] = ()
    people_notes: tuple[str, ...] = ()
    """Who its names are: what a reader should know of their population, or of a list's names."""
    whole: ShownTotals | None = None
    """What is known of all pairs, where `pairs` and its arrays hold each submission's largest."""

    def phrase(self, axis: str, group: str) -> str:
        """How a group's sentences are spoken of: `about women`."""
        if self.is_average(axis, group):
            return EVERYBODY
        words = next((one.phrases for one in self.axes if one.name == axis), {})
        return words.get(group, f"marked “{group}”")

    def is_average(self, axis: str, group: str) -> bool:
        """Whether it is no group, but the average of all."""
        known = next((one.groups for one in self.axes if one.name == axis), ())
        return group == AVERAGE and group not in known


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


@dataclass(frozen=True, slots=True)
class Material:
    """Everything a report shows."""

    estimates: pl.DataFrame
    """Of the paired study and of skill; a regression's stand in `regressed`."""
    findings: pl.DataFrame
    """Of the paired study."""
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
    no_signal: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    """By system, task and corpus: why a system is taken not to read the sentences."""

    @property
    def controls(self) -> dict[str, str]:
        """The controls among the systems, and their kind: `no tilt` or `planted`."""
        return {one.system: one.control for one in self.run.systems if one.control}

    def is_apart(self, system: str, task: str, corpus: str) -> bool:
        """Whether it is counted apart: a control, or without a signal."""
        return system in self.controls or (system, task, corpus) in self.no_signal

    @property
    def every_finding(self) -> pl.DataFrame:
        """The findings of every measure that was asked for."""
        paired = self.findings if "pairs" in self.measures else self.findings.clear()
        tilts = [] if self.tilts is None else [self.tilts.select(*FINDINGS.columns)]
        return pl.concat([paired, *tilts, *(one.findings for one in self.regressed)])

    @property
    def every_estimate(self) -> pl.DataFrame:
        """The estimates of every measure."""
        labels = [] if self.labels is None else [self.labels]
        return pl.concat([self.estimates, *labels, *(one.estimates for one in self.regressed)])
