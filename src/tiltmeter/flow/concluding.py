"""From scores to findings: the one way, whether systems were just asked or their answers packed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from tiltmeter.corpora import Corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.findings import Apart, Audited, Margins, Rule, apart, judged, judged_tilts
from tiltmeter.flow.flipping import ReadAsLabels, read_as_labels
from tiltmeter.flow.measured import measured
from tiltmeter.flow.regressing import PAIRS, REGRESSION, Wanted
from tiltmeter.flow.regression_told import Regressions, regressions_told
from tiltmeter.flow.runs import Run
from tiltmeter.flow.telling import (
    frames_left_out,
    paired_only,
    phrases_of,
    sentences_left_out,
    signal_unknown,
    unpaired,
)
from tiltmeter.flow.wanted import check_subset
from tiltmeter.measures import MIDDLE, Contrast, PairStudy, Thresholds
from tiltmeter.report import (
    PopulationWords,
    population_words,
    with_sentences,
    with_verdict_sentences,
)
from tiltmeter.schemas import FINDINGS


@dataclass(frozen=True, slots=True)
class Statistics:
    """How scores are measured and judged."""

    wanted: Wanted
    rule: Rule = field(default_factory=Rule)
    margins: Margins = field(default_factory=Margins)
    mode: str = "corrected"
    subset: str = "all"
    seed: int = 0
    flips: int | None = None
    reference: Mapping[str, str] = field(default_factory=dict)
    thresholds: Thresholds = (MIDDLE,)
    """Where labels begin, on the scale from 0 to 1."""
    all_pairs: bool = False
    """Whether every two groups are compared, however many an axis has."""
    apart: bool = True
    """Whether controls and systems without a signal are judged apart, which neither the papers nor
    older audits do."""


@dataclass(frozen=True, slots=True)
class Concluded:
    """What the scores of some corpora come to."""

    studies: tuple[PairStudy, ...]
    """The paired study of each run, without contrasts that no pair is of."""
    unpaired: tuple[tuple[str, ...], ...]
    """For each run, a note on each of those."""
    estimates: pl.DataFrame
    """Of pairs, and of claims about people; none where pairs were not asked for."""
    paired: pl.DataFrame
    """The findings of the paired study, with their sentences."""
    tilts: pl.DataFrame
    """The verdicts, with theirs."""
    regressions: Regressions
    labels: ReadAsLabels
    """Label flips, gaps and repeats, and systems ranked by size of tilt."""
    apart: Apart = field(default_factory=Apart)
    """Controls, and systems without a signal."""

    @property
    def findings(self) -> pl.DataFrame:
        """Every finding of every measure that was asked for."""
        told = (self.paired, self.tilts, *(one.findings for one in self.regressions.told))
        return pl.concat(one.select(*FINDINGS.columns) for one in told)

    @property
    def every_estimate(self) -> pl.DataFrame:
        """The numbers behind them."""
        labels = [] if self.labels.estimates is None else [self.labels.estimates]
        fitted = (one.estimates for one in self.regressions.told)
        return pl.concat([self.estimates, *labels, *fitted])


def concluded(
    runs: Sequence[Run], contrasts: Sequence[Sequence[Contrast]], how: Statistics
) -> Concluded:
    """Measure and judge the scores of some corpora."""
    found = measured(runs, contrasts, how.wanted, mode=how.mode, flips=how.flips, seed=how.seed,
                     margins=how.margins)  # fmt: skip
    heard = pl.concat(one.signal for one in found)
    heard = heard if how.apart else heard.clear()
    beside = apart(heard, audited(runs)) if how.apart else Apart()
    alone = tuple(
        (*unpaired(one.pairs, each), *frames_left_out(run, each), *sentences_left_out(run),
         *signal_unknown(run, beside))
        for run, one, each in zip(runs, found, contrasts, strict=True)
    )  # fmt: skip
    studies = tuple(paired_only(one.pairs) for one in found)
    estimates = pl.concat(study.estimates for study in studies)
    if estimates.is_empty():
        many = [note for each, notes in zip(contrasts, alone, strict=True) for note in notes
                if any(one.groups for one in each)]  # fmt: skip
        raise TiltmeterError(
            many[0] if many else "no two sentences can be compared; draw a larger --sample"
        )
    check_subset(how.subset, estimates["subset"], "; no task here is an emotion of the corpus")
    tilted = pl.concat(one.tilts for one in found)
    if PAIRS not in how.wanted.measures:
        estimates, tilted = estimates.clear(), tilted.clear()
    labels = ReadAsLabels()
    if PAIRS in how.wanted.measures:
        labels = read_as_labels(runs, studies, contrasts, how.thresholds, mode=how.mode)
    corpora = [run.corpus for run in runs]
    phrases = phrases_of(corpora)
    fitted = Regressions()
    if REGRESSION in how.wanted.measures:
        fitted = regressions_told(
            corpora, [one.fit for one in found], how.wanted, how.rule, phrases,
            mode=how.mode, subset=how.subset, apart=beside,
        )  # fmt: skip
    return Concluded(
        studies,
        alone,
        pl.concat([estimates, tilted, heard]),
        with_sentences(judged(estimates, how.rule, apart=beside), phrases),
        with_verdict_sentences(
            judged_tilts(tilted, how.rule, how.margins, beside), phrases, populations_of(corpora)
        ),
        fitted,
        labels,
        beside,
    )


def populations_of(corpora: Sequence[Corpus]) -> dict[str, PopulationWords]:
    """By corpus, what verdicts say of the population that its people were drawn from."""
    return {one.name: population_words(one.population) for one in corpora if one.population}


def audited(runs: Sequence[Run]) -> list[Audited]:
    """What the cards say of every submission."""
    return [
        Audited(
            one.card.name, one.card.task, run.corpus.name, run.corpus.language,
            one.card.languages, one.card.control is not None,
        )
        for run in runs
        for one in run.scored
    ]  # fmt: skip
