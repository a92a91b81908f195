"""From scores to findings: the one way, whether systems were just asked or answers packed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
import polars as pl

from tiltmeter.audit_run import (
    AuditedAxis,
    AuditedCorpus,
    AuditRun,
    AuditStatistics,
    PairCount,
    SentenceKind,
)
from tiltmeter.claims.judge import judge_differences, judge_tilts
from tiltmeter.claims.signal import AuditedSubmission, Exclusions, find_exclusions
from tiltmeter.corpora import Corpus
from tiltmeter.errors import TiltmeterError, argument
from tiltmeter.schemas import ESTIMATES
from tiltmeter.scoring.corpus_scores import LargeRun, Run
from tiltmeter.scoring.provenance import audited_system
from tiltmeter.scoring.scoring_run import ScoreRun
from tiltmeter.studies.audit.method import (
    frames_left_out,
    sentences_left_out,
    signal_unknown,
    unpaired_contrasts,
)
from tiltmeter.studies.audit.options import CORRECTED, Statistics, check_subset
from tiltmeter.studies.audit.results import Audit
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.influence import pivots
from tiltmeter.studies.paired.labels import label_estimates
from tiltmeter.studies.paired.pairs import PairStudy, PairSums, People, pair_study, people_study
from tiltmeter.studies.paired.results import CorpusComparisons, RegressionStudy, SentenceScores
from tiltmeter.studies.paired.signal import SignalSums, signal_estimates, signals_from
from tiltmeter.studies.paired.tilt import TiltSums, tilt_estimates, tilt_ranks, tilts_from
from tiltmeter.studies.paired.verdict_wording import population_words, with_verdict_sentences
from tiltmeter.studies.paired.wording import with_sentences
from tiltmeter.studies.regression.run import (
    PAIRS,
    REGRESSION,
    Regressions,
    judge_regressions,
    regression_of,
    regression_sums,
)


def analyse(
    runs: Sequence[Run],
    contrasts: Sequence[Sequence[Contrast]],
    how: Statistics,
    stored: pl.DataFrame | None = None,
) -> Audit:
    """Measure and judge the scores of some corpora.

    `stored` are estimates of the same scores from another machine, whose numbers differ in their
    last digits: they are judged in place of those measured here.
    """
    found = [
        _measure_blocks(run, compare, how)
        if isinstance(run, LargeRun)
        else _measure(run, compare, how)
        for run, compare in zip(runs, contrasts, strict=True)
    ]
    if stored is not None:
        found = [one.with_numbers_of(stored) for one in found]
    signal = pl.concat(one.signal for one in found)
    signal = signal if how.apart else signal.clear()
    cards = (
        AuditedSubmission(
            one.card.name, one.card.task, run.corpus.name, run.corpus.language,
            one.card.languages, one.card.control is not None,
        )
        for run in runs
        for one in run.scored
    )  # fmt: skip
    aside = find_exclusions(signal, cards) if how.apart else Exclusions()
    notes = [
        (
            *unpaired_contrasts(one.pairs, compare),
            *frames_left_out(run, compare),
            *sentences_left_out(run),
            *signal_unknown(run, aside),
        )
        for run, one, compare in zip(runs, found, contrasts, strict=True)
    ]
    # Of contrasts that no pair is of there is nothing to tell.
    estimates = pl.concat(
        one.pairs.estimates.join(
            one.pairs.counts, on=["axis", "contrast"], how="semi", maintain_order="left"
        )
        for one in found
    )
    if estimates.is_empty():
        several = [any(one.groups for one in compare) for compare in contrasts]
        why = [note for many, each in zip(several, notes, strict=True) if many for note in each]
        raise TiltmeterError(
            why[0]
            if why
            else f"no two sentences can be compared; draw a larger {argument('sample')}"
        )
    check_subset(how.subset, estimates["subset"], "; no task here is an emotion of the corpus")
    tilts = pl.concat(one.tilts for one in found)
    labels, ranks = list[pl.DataFrame](), list[pl.DataFrame]()
    if PAIRS not in how.wanted.measures:
        estimates, tilts = estimates.clear(), tilts.clear()
    elif how.mode == CORRECTED:  # the published mode keeps to what the papers tell
        for run, one, compare in zip(runs, found, contrasts, strict=True):
            if isinstance(run, LargeRun) or run.in_parts:
                continue
            axes = {axis.name: axis.groups for axis in run.corpus.axes}
            scores = run.scores if any(each.repeats > 1 for each in run.scored) else run.matrix
            people = run.corpus.people
            labels.append(
                label_estimates(
                    run.sentences, scores, one.pairs, compare, axes, how.thresholds,
                    people=people, mode=how.mode,
                )
            )  # fmt: skip
            ranks.append(tilt_ranks(run.sentences, run.matrix, compare, list(axes), people))
    corpora = [run.corpus for run in runs]
    phrases = phrases_of(corpora)
    populations = {one.name: population_words(one.population) for one in corpora if one.population}
    fitted = Regressions()
    if REGRESSION in how.wanted.measures:
        fitted = judge_regressions(
            corpora, [one.fit for one in found], how.wanted, how.rule, phrases,
            mode=how.mode, subset=how.subset, apart=aside,
        )  # fmt: skip
    facts = run_facts(runs, [one.pairs for one in found], how, aside)
    return Audit(
        pl.concat([estimates, tilts, signal]),
        with_sentences(judge_differences(estimates, how.rule, exclusions=aside), phrases),
        tuple(map(_compared, runs, found, notes)),
        msgspec.structs.replace(facts, regression=fitted.settings),
        subset=how.subset,
        regressed=fitted.studies,
        languages=fitted.languages,
        measures=how.wanted.measures,
        tilts=with_verdict_sentences(
            judge_tilts(tilts, how.rule, how.margins, aside), phrases, populations
        ),
        labels=pl.concat(labels) if labels else None,
        ranks=pl.concat(ranks) if ranks else None,
        apart=aside,
        runs=tuple(runs),
    )


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of one run."""

    pairs: PairStudy
    people: People
    tilts: pl.DataFrame
    """Claims about people, as estimates; none in published mode."""
    signal: pl.DataFrame
    """Whether scores move with the emotion words; nothing in published mode."""
    fit: RegressionStudy | None

    def with_numbers_of(self, stored: pl.DataFrame) -> Measured:
        """The same with the numbers of other estimates, wherever these have the same keys."""

        def numbers_of(measured: pl.DataFrame) -> pl.DataFrame:
            return measured.update(stored, on=ESTIMATES.key, how="left", include_nulls=False)

        fit = self.fit and replace(self.fit, estimates=numbers_of(self.fit.estimates))
        pairs = replace(self.pairs, estimates=numbers_of(self.pairs.estimates))
        return replace(
            self, pairs=pairs, tilts=numbers_of(self.tilts), signal=numbers_of(self.signal), fit=fit
        )


def _measure(run: ScoreRun, compare: Sequence[Contrast], how: Statistics) -> Measured:
    """What a run that is held comes to."""
    sentences, matrix, mode = run.sentences, run.matrix, how.mode
    axes = [axis.name for axis in run.corpus.axes]
    pairs = pair_study(
        sentences, matrix, compare, mode=mode, seed=how.seed, flips=0 if run.in_parts else how.flips
    )
    tilts = tilt_estimates(
        sentences, matrix, compare, axes, people=run.corpus.people, mode=mode,
        margins={axis: how.margins.of(axis) for axis in axes},
    )  # fmt: skip
    signal = signal_estimates(sentences, matrix, mode=mode)
    if mode != CORRECTED:
        tilts, signal = tilts.clear(), signal.clear()
    fit = regression_of(run, how.wanted, mode)
    return Measured(pairs, people_study(sentences, matrix, axes), tilts, signal, fit)


def _measure_blocks(run: LargeRun, compare: Sequence[Contrast], how: Statistics) -> Measured:
    """The same in one pass over the sentences, or two where scores of 0 and 1 are fitted."""
    corpus, submissions, corrected = run.corpus, run.submissions, how.mode == CORRECTED
    axes = [axis.name for axis in corpus.axes]
    pairs = PairSums(submissions, compare, axes)
    width = submissions["width"].to_numpy()
    tilts = TiltSums(submissions.height, compare if corrected else (), axes, width, corpus.people)
    signal = SignalSums(submissions.height)
    fit = regression_sums(corpus, submissions, how.wanted, mode=how.mode)
    for sentences, values in run.blocks(f"{corpus.name}: comparing"):
        pairs.add(sentences, values)
        signal.add(sentences, values)
        if corrected:
            tilts.add(sentences, values)
        if fit is not None:
            fit.add(sentences, values)
    fitted = None
    if fit is not None and fit.needs_second_pass:
        squeezed = fit.second_pass()
        for sentences, values in run.blocks(f"{corpus.name}: scores of 0 and 1 moved inside"):
            squeezed.add(sentences, values)
        fitted = squeezed.study()
    elif fit is not None:
        fitted = fit.study()
    of = {"corpus": corpus.name, "edition": corpus.edition, "mode": how.mode}
    study, heard = pairs.study(how.mode), signals_from(signal, submissions, of)
    margins = {axis: how.margins.of(axis) for axis in axes}
    return Measured(
        study,
        pairs.people(),
        tilts_from(tilts.study(), submissions, of, margins=margins),
        heard if corrected else heard.clear(),
        fitted,
    )


def _compared(run: Run, found: Measured, notes: tuple[str, ...]) -> CorpusComparisons:
    """One corpus' comparisons, and whom each difference rests on."""
    rests_on = pivots(found.pairs, found.people)
    if run.corpus.population is not None:  # claims over a population rest on more than one name
        rests_on = rests_on.filter(kind="")
    return CorpusComparisons(
        run.corpus,
        found.pairs,
        found.people,
        run.size,
        rests_on,
        run.sample,
        notes,
        None if isinstance(run, LargeRun) else SentenceScores(run.sentences, run.matrix.values),
    )


def phrases_of(corpora: Sequence[Corpus]) -> dict[tuple[str, str, str], str]:
    """By corpus, axis and group: how findings speak of the group's sentences."""
    return {
        (corpus.name, axis.name, group): axis.phrase(group)
        for corpus in corpora
        for axis in corpus.axes
        for group in axis.groups
    }


def run_facts(
    runs: Sequence[Run], studies: Sequence[PairStudy], how: Statistics, apart: Exclusions
) -> AuditRun:
    """What determines the findings: corpora, systems and statistics."""
    return AuditRun(
        corpora=tuple(_corpus(run, study) for run, study in zip(runs, studies, strict=True)),
        systems=tuple(
            audited_system(run.corpus.name, scored) for run in runs for scored in run.scored
        ),
        statistics=AuditStatistics(
            mode=how.mode,
            subset=how.subset,
            correction=how.rule.correction,
            level=how.rule.level,
            family=how.rule.family or _comparisons(runs, studies, apart),
            family_given=how.rule.family is not None,
            reference=dict(how.reference),
            all_pairs=how.all_pairs,
            apart=how.apart,
            seed=how.seed,
            measures=tuple(how.wanted.measures),
            formula=how.wanted.model.formula,
            everywhere=how.wanted.everywhere,
            flips=how.flips,
            margins=how.margins.to_dict(),
            thresholds=tuple(how.thresholds),
        ),
    )


def _comparisons(runs: Sequence[Run], studies: Sequence[PairStudy], apart: Exclusions) -> int:
    """Systems × tasks × corpora × axes × contrasts, without those apart unless all are."""
    contrasts = np.array([study.counts.height for study in studies])
    named = [
        study.submissions.with_columns(corpus=pl.lit(run.corpus.name))
        for run, study in zip(runs, studies, strict=True)
    ]
    aside = [apart.mask(one) for one in named]
    main = np.array([(~one).sum() for one in aside]) @ contrasts
    return int(main or np.array([one.size for one in aside]) @ contrasts)


def _corpus(run: Run, study: PairStudy) -> AuditedCorpus:
    corpus = run.corpus
    return AuditedCorpus(
        name=corpus.name,
        title=corpus.title,
        edition=corpus.edition,
        language=corpus.language,
        sentences=run.size,
        checksum=corpus.checksum,
        axes=tuple(
            AuditedAxis(
                axis.name, axis.groups, {group: axis.phrase(group) for group in axis.groups}
            )
            for axis in corpus.axes
        ),
        sample=run.sample,
        population=corpus.population,
        drawn_from=_kinds(corpus) if run.sample else None,
        in_parts=study.totals is not None,
        pairs=tuple(PairCount(*row) for row in study.counts.rows()),
    )


def _kinds(corpus: Corpus) -> tuple[SentenceKind, ...]:
    """What kinds of sentences a sample was drawn from: what is said of whom, by the axes known.

    A regression takes the sentences that a task has in the whole corpus, drawn or not.
    """
    axes = [axis.name for axis in corpus.axes]
    kind = [pl.col("emotion"), *(pl.col(axis).is_not_null() for axis in axes)]
    every = [batch.select(kind).unique() for batch in corpus.batches()]
    found = pl.concat(every).unique().sort("emotion", *axes, nulls_last=False)
    return tuple(
        SentenceKind(row["emotion"], tuple(axis for axis in axes if row[axis]))
        for row in found.to_dicts()
    )
