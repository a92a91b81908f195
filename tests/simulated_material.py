"""Audits of simulated submissions, measured as a real audit measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.audit_run import AuditRun
from tiltmeter.claims.judge import Rule, judge_differences
from tiltmeter.corpora import Corpus, load_corpus
from tiltmeter.report.page import render
from tiltmeter.scoring.matrix import score_matrix
from tiltmeter.studies.audit.analyse import phrases_of
from tiltmeter.studies.audit.page import audit_page
from tiltmeter.studies.audit.results import Audit
from tiltmeter.studies.paired.contrasts import contrasts_of
from tiltmeter.studies.paired.influence import pivots
from tiltmeter.studies.paired.pairs import pair_study, people_study
from tiltmeter.studies.paired.results import CorpusComparisons, SentenceScores
from tiltmeter.studies.paired.wording import with_sentences

TASKS = {"anger": 46, "fear": 46, "joy": 45, "sadness": 46, "valence": 36}
"""The paper's 219 submissions."""
KINDS = ("up", "down", "none")


def audit_html(audit: Audit, only: str | None = None, *, figures: bool = False) -> str:
    """An audit's page as a browser gets it."""
    return render(audit_page(audit, only, figures=figures))


def kind_of(nth: int) -> str:
    """Which kind the nth submission of a task is made to be."""
    return KINDS[nth % len(KINDS)]


def simulated_scores(
    sentences: pl.DataFrame,
    tasks: Mapping[str, int] = TASKS,
    *,
    shift: float = 0.02,
    noise: float = 0.03,
    seed: int = 0,
) -> pl.DataFrame:
    """Submissions of three kinds by turns, on both axes: women and African Americans higher, lower,
    or no difference but noise."""
    rng = np.random.default_rng(seed)
    towards = np.zeros(sentences.height)
    for axis, group in (("gender", "female"), ("race", "African American")):
        towards += (sentences[axis] == group).fill_null(False).to_numpy()
    frames = sentences["frame"].rank("dense").to_numpy().astype(int) - 1
    blocks = []
    for task, many in tasks.items():
        for nth in range(many):
            level = rng.uniform(0.3, 0.7, frames.max() + 1)[frames]
            sign = {"up": 1, "down": -1, "none": 0}[kind_of(nth)]
            score = level + sign * shift * towards + rng.normal(0, noise, level.size)
            blocks.append(scored(sentences, f"team{nth:02}", task, np.clip(score, 0, 1)))
    return pl.concat(blocks)


def scored(
    sentences: pl.DataFrame, system: str, task: str, score: Sequence[float] | np.ndarray,
    *, native: bool = False,
) -> pl.DataFrame:  # fmt: skip
    """One submission's scores of every sentence; NaN is a missing one."""
    values = pl.Series(np.asarray(score, float)).fill_nan(None)
    return sentences.select(
        system=pl.lit(system),
        task=pl.lit(task),
        corpus="corpus",
        id="id",
        repeat=pl.lit(0, pl.Int64),
        raw=values,
        score=pl.lit(None, pl.Float64) if native else values,
        reason=pl.lit(None, pl.String),
    )


@dataclass(frozen=True)
class GivenScores:
    """A run whose scores were given, not asked for."""

    corpus: Corpus
    scores: pl.DataFrame

    def lazy_scores(self) -> pl.LazyFrame:
        return self.scores.lazy()

    def lazy_sentences(self) -> pl.LazyFrame:
        return self.corpus.sentences().lazy()


def material_of(
    scores: pl.DataFrame, corpus: Corpus | None = None, *, rule: Rule | None = None, **more: Any
) -> Audit:
    """An audit of scores of one corpus."""
    corpus = corpus or load_corpus("eec")
    compared, estimates = compared_of(scores, corpus)
    runs = (GivenScores(corpus, scores),)
    return material_from([compared], estimates, rule=rule, **({"runs": runs} | more))


def material_from(
    compared: Sequence[CorpusComparisons],
    estimates: pl.DataFrame,
    *,
    rule: Rule | None = None,
    **more: Any,
) -> Audit:
    """An audit of several corpora."""
    phrases = phrases_of([one.corpus for one in compared])
    findings = with_sentences(judge_differences(estimates, rule), phrases)
    facts = {"run": AuditRun(), "environment": {"time": "now"}}
    return Audit(estimates, findings, tuple(compared), **(facts | more))


def compared_of(scores: pl.DataFrame, corpus: Corpus) -> tuple[CorpusComparisons, pl.DataFrame]:
    """One corpus' comparisons and estimates."""
    sentences = corpus.sentences()
    names = [axis.name for axis in corpus.axes]
    contrasts = [c for axis in corpus.axes for c in contrasts_of(axis.name, axis.groups)]
    study = pair_study(sentences, scores, contrasts, flips=0)
    people = people_study(sentences, scores, names)
    rests_on = pivots(study, people)
    matrix = score_matrix(scores, sentences)
    compared = CorpusComparisons(
        corpus, study, people, sentences.height, rests_on,
        scored=SentenceScores(sentences, matrix.values),
    )  # fmt: skip
    return compared, study.estimates


def skill_of(material: Audit) -> pl.DataFrame:
    """Made-up skill: in each task the systems' names in order, the first the best."""
    systems = material.paired_findings.select("system", "task").unique().sort("task", "system")
    rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("task")
    spearman = 0.9 - 0.01 * pl.col("rank")
    return systems.with_columns(rank=rank).select(
        "system", "task", gold=pl.lit("gold.txt"), n=pl.lit(1000, pl.Int64),
        pearson=spearman + 0.01, pearson_low=spearman - 0.02, pearson_high=spearman + 0.04,
        spearman=spearman, spearman_low=spearman - 0.03, spearman_high=spearman + 0.03,
        rank="rank", rank_best=pl.max_horizontal(1, pl.col("rank") - 2), rank_worst="rank",
        tied=pl.lit(1, pl.Int64), of=pl.len().over("task").cast(pl.Int64),
    )  # fmt: skip


def ranks_of(material: Audit) -> pl.DataFrame:
    """Systems by size of the mean difference, two to a group, each with two places to stand in."""
    found = material.paired_findings.filter(
        pl.col("subset") == "all", pl.col("value").is_not_null()
    )
    by = ["task", "corpus", "axis", "contrast"]
    size = pl.col("value").abs()
    rank = size.rank("ordinal", descending=True).over(by).cast(pl.Int64)
    return (
        found.with_columns(rank=rank)
        .select(
            "system", "task", "corpus", "edition", "axis", "contrast", "rank",
            kind=pl.lit(""), tilt="value",
            rank_best=pl.max_horizontal(1, pl.col("rank") - 1), rank_worst="rank",
            tied=(pl.col("rank") + 1) // 2, of=pl.len().over(by).cast(pl.Int64),
        )
        .sort(*by, "rank")
    )  # fmt: skip
