"""Labelled texts scored without a corpus: systems are asked, files of scores looked through."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from tiltmeter.corpora import Gold
from tiltmeter.errors import IncompleteError, SystemFailure, TiltmeterError
from tiltmeter.flow.asking import Manner, names_of
from tiltmeter.flow.gold_answers import NO_ROW, NO_TEXTS, NOT_THERE
from tiltmeter.flow.subjects import Asked, Subjects
from tiltmeter.scoring import Scored, assemble, one_scale_each, texts_of
from tiltmeter.systems import Card, FileReport, Options, ScoreFiles, answers_in, read_scores

TEXTS = ("id", "text")


@dataclass(frozen=True, slots=True)
class Unscored:
    """A submission without scores of the gold texts, and why."""

    system: str
    task: str
    reason: str
    error: TiltmeterError | None = None
    """What went wrong, where something did."""


Answered = Scored | Unscored


def gold_scored(
    gold: Gold, subjects: Subjects, manner: Manner
) -> tuple[list[Answered], tuple[FileReport, ...]]:
    """Everything's scores of the gold of its task, or why there are none; a report on each file."""
    # First the files: one that cannot be read should cost no request.
    # A tweet may be labelled for several tasks; two files' own numbering may give one ID twice.
    texts = gold.frame.select(TEXTS).unique(maintain_order=True)
    files = _read(subjects, texts, manner.options)
    names = names_of(subjects, files.cards)
    manner.options.scales.check(names)
    many = len(subjects.asked)
    asked = [_asked(*both, gold, manner) for both in zip(subjects.asked, names, strict=False)]
    filed = [
        _filed(replace(card, name=name), answers_in(block), texts, gold, manner.options)
        for card, block, name in zip(files.cards.values(), files.blocks, names[many:], strict=True)
    ]
    every: list[Answered] = [*asked, *filed]
    scored = iter(one_scale_each([one for one in every if isinstance(one, Scored)]))
    return [next(scored) if isinstance(one, Scored) else one for one in every], files.reports


def _asked(asked: Asked, name: str, gold: Gold, manner: Manner) -> Answered:
    card = asked.system.card
    part = gold.of(card.task)
    texts = part.drop_nulls("text").select(*TEXTS, corpus=pl.lit("gold"))
    if part.is_empty() or asked.system.rows is not None or texts.is_empty():
        why = no_gold(gold, card.task) if part.is_empty() else NO_TEXTS
        return Unscored(name, card.task, NO_ROW if asked.system.rows is not None else why)
    try:
        scored = manner.ask(asked, texts_of(texts), name)
        _check_stored(scored, manner)
    except (IncompleteError, SystemFailure) as error:
        return Unscored(name, card.task, f"it could not be asked: {error}", error)
    return scored


def _check_stored(scored: Scored, manner: Manner) -> None:
    """Refuse to go on with too few stored scores where nothing may be asked."""
    missing, size = scored.missing, scored.scores.height
    if manner.settings.reuse == "stored" and missing > manner.settings.max_missing * size:
        what = f"{scored.card.name} has no stored score for {missing:,} of {size:,} gold texts"
        next_ = "leave out --reuse stored to ask for them, or allow more"
        raise IncompleteError(f"{what}; --max-missing allows fewer: {next_}")


def no_gold(gold: Gold, task: str) -> str:
    """Why a submission of a task that the gold is not for has no skill."""
    there = ", ".join(str(one) for one in gold.tasks)
    asks = f"--task {gold.tasks[0]} asks for it where a system can"
    return f"no gold scores for {task}; there are some for {there}: {asks}"


def _read(subjects: Subjects, texts: pl.DataFrame, options: Options) -> ScoreFiles:
    """The scores of the gold texts that stand in files or tables made elsewhere."""
    if not subjects.scores:
        return ScoreFiles()
    return read_scores(
        subjects.scores, texts, tasks=subjects.tasks, options=options,
        may_be_none=bool(subjects.asked),
    )  # fmt: skip


def _filed(
    card: Card, rows: pl.DataFrame, texts: pl.DataFrame, gold: Gold, options: Options
) -> Answered:
    """One submission's scores, of which `rows` has one for each of the texts."""
    part = gold.of(card.task).select(TEXTS)
    if part.is_empty():
        return Unscored(card.name, card.task, no_gold(gold, card.task))
    given = texts.with_columns(rows["raw"], rows["reason"], repeat=pl.lit(0, pl.Int64))
    answers = part.join(given, on=TEXTS, how="left", nulls_equal=True, maintain_order="left")
    if answers["raw"].null_count() == answers.height:
        return Unscored(card.name, card.task, NOT_THERE)
    asked_for = texts_of(part.with_columns(corpus=pl.lit("gold")))
    return assemble(card, asked_for, answers, scale=options.scale_of(card.name))
