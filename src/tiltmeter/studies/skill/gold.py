"""Labelled texts put to what is audited: systems are asked, files of scores are looked through.

A submission without scores of them is no error: why there are none stands in their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import polars as pl

from tiltmeter.corpora import Gold
from tiltmeter.errors import IncompleteError, SystemFailure, TiltmeterError
from tiltmeter.schemas import SCORES
from tiltmeter.scoring import Scored, assemble, one_scale_each, texts_of
from tiltmeter.scoring.open_systems import Asked, Subjects
from tiltmeter.scoring.scoring_run import ScoringOptions, Source, names_of
from tiltmeter.systems import FileReport, Options, ScoreFiles, answers_in, read_scores

NO_TEXTS = "the gold scores have no texts to ask it for"
NO_ROW = "a control that answers from the corpus' rows; it cannot answer the gold texts"
NOT_THERE = "no scores for the gold texts in its file"
TEXTS = ("id", "text")


@dataclass(frozen=True, slots=True)
class GoldAnswers:
    """One system's answers for one task, and where they come from."""

    system: str
    task: str
    source: Source


class ScoredSystems(Protocol):
    """The systems of one corpus, scored in memory or in parts."""

    @property
    def scored(self) -> Sequence[Scored]:
        """Their scores, or what is known of them."""

    @property
    def sources(self) -> Sequence[Source]:
        """Where each of `scored` comes from."""


ByTask = dict[str, pl.DataFrame]
"""id, text, task, score, source and gold, what it is called, of every task."""
Found = dict[GoldAnswers, pl.DataFrame | str]
"""A submission's scores of the gold texts, or why there are none."""


def submissions_of(runs: Sequence[ScoredSystems]) -> list[GoldAnswers]:
    """Everything audited, each once though it stands in the runs of several corpora."""
    found: dict[tuple[str, str], GoldAnswers] = {}
    for run in runs:
        for scored, source in zip(run.scored, run.sources, strict=True):
            key = scored.card.name, scored.card.task
            found.setdefault(key, GoldAnswers(*key, source))
    return list(found.values())


def gold_by_task(gold: Gold, tasks: Sequence[str]) -> ByTask:
    """The gold of each task; tasks without any left out."""
    return {
        task: part.with_columns(task=pl.lit(task), gold=pl.lit(gold.called(task)))
        for task in dict.fromkeys(tasks)
        if (part := gold.of(task)).height
    }


def gold_answers(
    gold: Gold,
    by_task: ByTask,
    every: Sequence[GoldAnswers],
    subjects: Subjects,
    manner: ScoringOptions,
) -> Found:
    """Every submission's scores of the gold of its task, or why there are none."""
    there = ", ".join(str(task) for task in gold.tasks)
    filed = [one for one in every if one.task in by_task and not isinstance(one.source, int)]
    found = _from_files(by_task, filed, subjects, manner.options) if filed else Found()
    for one in every:
        if one.task not in by_task:
            found[one] = f"no gold scores for {one.task}; there are some for {there}"
        elif isinstance(one.source, int):
            texts = by_task[one.task].select(*TEXTS, corpus="gold")
            try:
                scored = _ask(subjects.asked[one.source], texts, manner)
                found[one] = scored if isinstance(scored, str) else scored.scores
            except (IncompleteError, SystemFailure) as error:
                found[one] = f"it could not be asked for the gold texts: {error}"
    return {one: found[one] for one in every}


def _ask(
    asked: Asked, gold: pl.DataFrame, manner: ScoringOptions, name: str | None = None
) -> Scored | str:
    """A system's scores of gold texts, or why it cannot be asked for them."""
    if asked.system.rows is not None:
        return NO_ROW
    texts = gold.drop_nulls("text")
    return NO_TEXTS if texts.is_empty() else manner.ask(asked, texts_of(texts), name)


def _from_files(
    gold: ByTask, filed: Sequence[GoldAnswers], subjects: Subjects, options: Options
) -> Found:
    """The scores of the gold texts that stand in files, beside those of the corpus."""
    # A tweet may be labelled for several tasks; two files' own numbering may give one ID twice.
    texts = pl.concat(gold.values()).select(TEXTS).unique(maintain_order=True)
    files = read_scores(
        subjects.scores, texts, tasks=subjects.tasks, options=options, may_be_none=True
    )
    answers = {
        files.origins[block.system, block.task]: answers_in(block)["raw"] for block in files.blocks
    }
    aside = {report.path: report.set_aside for report in files.reports if report.set_aside}
    numbered = texts.with_row_index("place")
    placed = {
        task: part.join(numbered, on=TEXTS, nulls_equal=True, maintain_order="left")
        for task, part in gold.items()
    }
    found: Found = {}
    for one in filed:
        mine = placed[one.task]
        raw = answers[one.source].gather(mine["place"]) if one.source in answers else None
        if raw is None or raw.null_count() == raw.len():
            why = aside.get(one.source[0], "") if isinstance(one.source, tuple) else ""
            found[one] = (
                f"{NOT_THERE}: {why.replace('the corpus', 'the gold')}" if why else NOT_THERE
            )
            continue
        found[one] = mine.select(
            "id",
            system=pl.lit(one.system),
            task=pl.lit(one.task),
            corpus="gold",
            repeat=pl.lit(0, pl.Int64),
            raw=raw,
            score=pl.lit(None, pl.Float64),
            reason=pl.when(raw.is_null()).then(pl.lit(NOT_THERE)),
        ).select(*SCORES.columns)
    return found


@dataclass(frozen=True, slots=True)
class Unscored:
    """A submission without scores of the gold texts, and why."""

    system: str
    task: str
    reason: str
    error: TiltmeterError | None = None
    """What went wrong, where something did."""


Answered = Scored | Unscored


def score_gold(
    gold: Gold, subjects: Subjects, manner: ScoringOptions
) -> tuple[list[Answered], tuple[FileReport, ...]]:
    """Without a corpus: everything's scores of the gold of its task, or why there are none.

    Also a report on each file.
    """
    # First the files: one that cannot be read should cost no request.
    # A tweet may be labelled for several tasks; two files' own numbering may give one ID twice.
    texts = gold.frame.select(TEXTS).unique(maintain_order=True)
    files = ScoreFiles()
    if subjects.scores:
        files = read_scores(
            subjects.scores, texts, tasks=subjects.tasks, options=manner.options,
            may_be_none=bool(subjects.asked),
        )  # fmt: skip
    names = names_of(subjects, files.cards)
    manner.options.scales.check(names)
    every: list[Answered] = [
        _asked_answers(asked, name, gold, manner)
        for asked, name in zip(subjects.asked, names, strict=False)
    ]
    named = names[len(subjects.asked) :]
    for card, block, name in zip(files.cards.values(), files.blocks, named, strict=True):
        part, rows = gold.of(card.task).select(TEXTS), answers_in(block)
        given = texts.with_columns(rows["raw"], rows["reason"], repeat=pl.lit(0, pl.Int64))
        answers = part.join(given, on=TEXTS, how="left", nulls_equal=True, maintain_order="left")
        if part.is_empty():
            every.append(Unscored(name, card.task, _no_gold(gold, card.task)))
        elif answers["raw"].null_count() == answers.height:
            every.append(Unscored(name, card.task, NOT_THERE))
        else:
            wanted = texts_of(part.with_columns(corpus=pl.lit("gold")))
            scale = manner.options.scale_of(name)
            every.append(assemble(replace(card, name=name), wanted, answers, scale=scale))
    scored = iter(one_scale_each([one for one in every if isinstance(one, Scored)]))
    return [next(scored) if isinstance(one, Scored) else one for one in every], files.reports


def _asked_answers(asked: Asked, name: str, gold: Gold, manner: ScoringOptions) -> Answered:
    task = asked.system.card.task
    part = gold.of(task)
    if part.is_empty() and asked.system.rows is None:
        return Unscored(name, task, _no_gold(gold, task))
    try:
        scored = _ask(asked, part.select(*TEXTS, corpus=pl.lit("gold")), manner, name)
        if isinstance(scored, str):
            return Unscored(name, task, scored)
        missing, size = scored.missing, scored.scores.height
        if manner.settings.reuse == "stored" and missing > manner.settings.max_missing * size:
            what = f"{scored.card.name} has no stored score for {missing:,} of {size:,} gold texts"
            next_ = "leave out --reuse stored to ask for them, or allow more"
            raise IncompleteError(f"{what}; --max-missing allows fewer: {next_}")
    except (IncompleteError, SystemFailure) as error:
        return Unscored(name, task, f"it could not be asked: {error}", error)
    return scored


def _no_gold(gold: Gold, task: str) -> str:
    """Why a submission of a task that the gold is not for has no skill."""
    there = ", ".join(str(one) for one in gold.tasks)
    asks = f"--task {gold.tasks[0]} asks for it where a system can"
    return f"no gold scores for {task}; there are some for {there}: {asks}"
