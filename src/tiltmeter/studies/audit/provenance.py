"""How an audit came about: what determines its findings, where and when it was made."""

from __future__ import annotations

from collections.abc import Sequence

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
from tiltmeter.claims.signal import Exclusions
from tiltmeter.corpora import Corpus
from tiltmeter.scoring.corpus_scores import Run
from tiltmeter.scoring.provenance import audited_system
from tiltmeter.studies.audit.options import Statistics
from tiltmeter.studies.paired.pairs import PairStudy


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
            margins=how.margins.told(),
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
