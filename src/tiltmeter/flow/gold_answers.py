"""Labelled texts put to everything audited: systems are asked, files of scores are looked through.

A submission without scores of them is no error: why there are none stands in their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.corpora import Gold
from tiltmeter.errors import IncompleteError, SystemFailure
from tiltmeter.flow.asking import Manner, Source
from tiltmeter.flow.runs import Run
from tiltmeter.flow.subjects import Asked, Subjects
from tiltmeter.schemas import SCORES
from tiltmeter.scoring import texts_of
from tiltmeter.systems import Options, ScoreFiles, answers_in, read_scores

NO_TEXTS = "the gold scores have no texts to ask it for"
NO_ROW = "a control that answers from the corpus' rows; it cannot answer the gold texts"
NOT_THERE = "no scores for the gold texts in its file"


@dataclass(frozen=True, slots=True)
class Submission:
    """One system's answers for one task, and where they come from."""

    system: str
    task: str
    source: Source


ByTask = dict[str, pl.DataFrame]
"""id, text, task, score, source and gold, what it is called, of every task."""
Found = dict[Submission, pl.DataFrame | str]
"""A submission's scores of the gold texts, or why there are none."""


def submissions_of(runs: Sequence[Run]) -> list[Submission]:
    """Everything audited, each once though it stands in the runs of several corpora."""
    found: dict[tuple[str, str], Submission] = {}
    for run in runs:
        for scored, source in zip(run.scored, run.sources, strict=True):
            key = scored.card.name, scored.card.task
            found.setdefault(key, Submission(*key, source))
    return list(found.values())


def gold_by_task(gold: Gold, every: Sequence[Submission]) -> ByTask:
    """The gold of each task audited; tasks without any left out."""
    tasks = dict.fromkeys(one.task for one in every)
    return {
        task: part.with_columns(task=pl.lit(task), gold=pl.lit(gold.called(task)))
        for task in tasks
        if (part := gold.of(task)).height
    }


def gold_answers(
    gold: Gold,
    by_task: ByTask,
    every: Sequence[Submission],
    subjects: Subjects,
    manner: Manner,
) -> Found:
    """Every submission's scores of the gold of its task, or why there are none."""
    there = ", ".join(str(task) for task in gold.tasks)
    found: Found = {
        one: f"no gold scores for {one.task}; there are some for {there}"
        for one in every
        if one.task not in by_task
    }
    filed = [one for one in every if one not in found and not isinstance(one.source, int)]
    if filed:
        found |= _from_files(by_task, filed, subjects, manner.options)
    for one in every:
        if one not in found and isinstance(one.source, int):
            found[one] = _asked(subjects.asked[one.source], by_task[one.task], manner)
    return {one: found[one] for one in every}


def _asked(asked: Asked, gold: pl.DataFrame, manner: Manner) -> pl.DataFrame | str:
    """A system's scores of the gold texts, or why there are none."""
    if asked.system.rows is not None:
        return NO_ROW
    texts = gold.drop_nulls("text").select("id", "text", corpus="gold")
    if texts.is_empty():
        return NO_TEXTS
    try:
        return manner.ask(asked, texts_of(texts)).scores
    except (IncompleteError, SystemFailure) as error:
        return f"it could not be asked for the gold texts: {error}"


def _from_files(
    gold: ByTask, filed: Sequence[Submission], subjects: Subjects, options: Options
) -> Found:
    """The scores of the gold texts that stand in files, beside those of the corpus."""
    # A tweet may be labelled for several tasks; two files' own numbering may give one ID twice.
    texts = pl.concat(gold.values()).select("id", "text").unique(maintain_order=True)
    files = read_scores(
        subjects.scores, texts, tasks=subjects.tasks, options=options, may_be_none=True
    )
    answers = _by_origin(files)
    aside = {report.path: report.set_aside for report in files.reports if report.set_aside}
    numbered = texts.with_row_index("place")
    placed = {
        task: part.join(numbered, on=["id", "text"], nulls_equal=True, maintain_order="left")
        for task, part in gold.items()
    }
    found: Found = {}
    for one in filed:
        why = aside.get(one.source[0], "") if isinstance(one.source, tuple) else ""
        found[one] = _filed(one, placed[one.task], answers.get(one.source), why)
    return found


def _by_origin(files: ScoreFiles) -> dict[Source, pl.Series]:
    """The raw scores of each origin, in the order of the gold texts."""
    return {
        files.origins[block.system, block.task]: answers_in(block)["raw"] for block in files.blocks
    }


def _filed(
    one: Submission, gold: pl.DataFrame, answers: pl.Series | None, why: str
) -> pl.DataFrame | str:
    raw = answers.gather(gold["place"]) if answers is not None else None
    if raw is None or raw.null_count() == raw.len():
        return f"{NOT_THERE}: {why.replace('the corpus', 'the gold')}" if why else NOT_THERE
    return gold.select(
        "id",
        system=pl.lit(one.system),
        task=pl.lit(one.task),
        corpus="gold",
        repeat=pl.lit(0, pl.Int64),
        raw=raw,
        score=pl.lit(None, pl.Float64),
        reason=pl.when(raw.is_null()).then(pl.lit(NOT_THERE)),
    ).select(*SCORES.columns)
