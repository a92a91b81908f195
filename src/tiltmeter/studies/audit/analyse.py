"""From scores to findings: the one way, whether systems were just asked or answers packed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from tiltmeter.claims.judge import Rule, judged, judged_tilts
from tiltmeter.claims.signal import Apart, Audited, apart
from tiltmeter.claims.verdict import Margins
from tiltmeter.corpora import Corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.schemas import FINDINGS
from tiltmeter.studies.audit.audit_view import (
    frames_left_out,
    paired_only,
    phrases_of,
    sentences_left_out,
    signal_unknown,
    unpaired,
)
from tiltmeter.studies.audit.corpus_scores import LargeRun, Run, large_studies
from tiltmeter.studies.audit.options import check_subset
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.label_gaps import label_estimates
from tiltmeter.studies.paired.labels import MIDDLE, Thresholds, thresholds_given
from tiltmeter.studies.paired.material import RegressionStudy
from tiltmeter.studies.paired.pairs import PairStudy, pair_study
from tiltmeter.studies.paired.signal import SignalSums, signal_estimates, signals_from
from tiltmeter.studies.paired.tilt import TiltSums, tilt_estimates, tilts_from
from tiltmeter.studies.paired.tilt_ranks import tilt_ranks
from tiltmeter.studies.paired.verdict_wording import (
    PopulationWords,
    population_words,
    with_verdict_sentences,
)
from tiltmeter.studies.paired.wording import with_sentences
from tiltmeter.studies.regression.run import (
    PAIRS,
    REGRESSION,
    Regressions,
    Wanted,
    judge_regressions,
    regression_of,
    regression_sums,
)

# ---- scores measured: of corpora that are held, and of those gone through in parts


CORRECTED = "corrected"


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of one run."""

    pairs: PairStudy
    tilts: pl.DataFrame
    """Claims about people, as estimates; none in published mode."""
    signal: pl.DataFrame
    """Whether scores move with the emotion words; nothing in published mode."""
    fit: RegressionStudy | None


def measured(
    runs: Sequence[Run],
    contrasts: Sequence[Sequence[Contrast]],
    wanted: Wanted,
    *,
    mode: str,
    flips: int | None,
    seed: int,
    margins: Margins,
) -> list[Measured]:
    """Each run's paired study, its tilts, and its regression where one is wanted."""
    found = []
    for run, compare in zip(runs, contrasts, strict=True):
        axes = [axis.name for axis in run.corpus.axes]
        if isinstance(run, LargeRun):
            found.append(_large(run, compare, wanted, axes, margins, mode=mode))
            continue
        study = pair_study(
            run.sentences, run.matrix, compare, mode=mode, seed=seed,
            flips=0 if run.in_parts else flips,
        )  # fmt: skip
        tilts = tilt_estimates(
            run.sentences, run.matrix, compare, axes, people=run.corpus.people, mode=mode,
            margins={axis: margins.of(axis) for axis in axes},
        )  # fmt: skip
        heard = signal_estimates(run.sentences, run.matrix, mode=mode)
        if mode != CORRECTED:
            tilts, heard = tilts.clear(), heard.clear()
        found.append(Measured(study, tilts, heard, regression_of(run, wanted, mode)))
    return found


def _large(
    run: LargeRun,
    compare: Sequence[Contrast],
    wanted: Wanted,
    axes: Sequence[str],
    margins: Margins,
    *,
    mode: str,
) -> Measured:
    """The same in one pass over the sentences."""
    sums = regression_sums(run.corpus, run.submissions, wanted, mode=mode)
    width = run.submissions["width"].to_numpy()
    corrected = mode == CORRECTED
    tilts = TiltSums(
        run.submissions.height, compare if corrected else (), axes, width, run.corpus.people
    )
    signal = SignalSums(run.submissions.height)
    kept = (tilts, signal) if corrected else (signal,)
    study, fit = large_studies(run, compare, sums, kept, mode)
    of = {"corpus": run.corpus.name, "edition": run.corpus.edition, "mode": mode}
    heard = signals_from(signal, run.submissions, of)
    return Measured(
        study,
        tilts_from(tilts.study(), run.submissions, of, margins={a: margins.of(a) for a in axes}),
        heard if corrected else heard.clear(),
        fit,
    )


# ---- scores read as labels and systems ranked by tilt: what an audit adds where scores are held


@dataclass(frozen=True, slots=True)
class ReadAsLabels:
    """What labels and ranks come to; None where no run is held."""

    estimates: pl.DataFrame | None = None
    """Label flips, gaps and repeats, as the `estimates` table."""
    ranks: pl.DataFrame | None = None
    """Systems by size of tilt, with the ranks that the data allow."""


def read_as_labels(
    runs: Sequence[Run],
    studies: Sequence[PairStudy],
    contrasts: Sequence[Sequence[Contrast]],
    thresholds: Thresholds,
    *,
    mode: str,
) -> ReadAsLabels:
    """The labels and ranks of every run that is held; a large corpus has none.

    Nor has the published mode, which keeps to what the papers tell.
    """
    if mode != CORRECTED:
        return ReadAsLabels()
    held = [
        (run, study, compare)
        for run, study, compare in zip(runs, studies, contrasts, strict=True)
        if not isinstance(run, LargeRun) and not run.in_parts
    ]
    if not held:
        return ReadAsLabels()
    labels, ranks = list[pl.DataFrame](), list[pl.DataFrame]()
    for run, study, compare in held:
        axes = {axis.name: axis.groups for axis in run.corpus.axes}
        asked_again = any(one.repeats > 1 for one in run.scored)
        labels.append(
            label_estimates(
                run.sentences,
                run.scores if asked_again else run.matrix,
                study,
                compare,
                axes,
                thresholds,
                people=run.corpus.people,
                mode=mode,
            )
        )
        ranks.append(tilt_ranks(run.sentences, run.matrix, compare, list(axes), run.corpus.people))
    return ReadAsLabels(pl.concat(labels), pl.concat(ranks))


def thresholds_said(text: str | None) -> Thresholds:
    """The thresholds of a command line, as in `0.4,0.6`.

    >>> thresholds_said("0.4,0.6"), thresholds_said(None)
    ((0.4, 0.6), (0.5,))
    """
    if text is None:
        return thresholds_given(None)
    try:
        return thresholds_given([float(part) for part in text.split(",")])
    except ValueError:
        what = f"--threshold is {text!r}; expected a number between 0 and 1"
        raise TiltmeterError(f"{what}, or several with commas: 0.4,0.6") from None


# ---- from scores to findings: the one way, whether systems were just asked or their answers
# packed


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
        told = (self.paired, self.tilts, *(one.findings for one in self.regressions.studies))
        return pl.concat(one.select(*FINDINGS.columns) for one in told)

    @property
    def every_estimate(self) -> pl.DataFrame:
        """The numbers behind them."""
        labels = [] if self.labels.estimates is None else [self.labels.estimates]
        fitted = (one.estimates for one in self.regressions.studies)
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
        fitted = judge_regressions(
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
