"""Labelled texts put to what is audited: systems are asked, files of scores are looked through."""

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
from tiltmeter.systems import Card, FileReport, Options, ScoreFiles, answers_in, read_scores

# ---- labelled texts put to everything audited: systems are asked, files of scores are looked
# through
# A submission without scores of them is no error: why there are none stands in their place.

NO_TEXTS = "the gold scores have no texts to ask it for"
NO_ROW = "a control that answers from the corpus' rows; it cannot answer the gold texts"
NOT_THERE = "no scores for the gold texts in its file"


@dataclass(frozen=True, slots=True)
class GoldAnswers:
    """One system's answers for one task, and where they come from."""

    system: str
    task: str
    source: Source


ByTask = dict[str, pl.DataFrame]
"""id, text, task, score, source and gold, what it is called, of every task."""
Found = dict[GoldAnswers, pl.DataFrame | str]
"""A submission's scores of the gold texts, or why there are none."""


class ScoredSystems(Protocol):
    """The systems of one corpus, scored in memory or in parts."""

    @property
    def scored(self) -> Sequence[Scored]:
        """Their scores, or what is known of them."""

    @property
    def sources(self) -> Sequence[Source]:
        """Where each of `scored` comes from."""


def submissions_of(runs: Sequence[ScoredSystems]) -> list[GoldAnswers]:
    """Everything audited, each once though it stands in the runs of several corpora."""
    found: dict[tuple[str, str], GoldAnswers] = {}
    for run in runs:
        for scored, source in zip(run.scored, run.sources, strict=True):
            key = scored.card.name, scored.card.task
            found.setdefault(key, GoldAnswers(*key, source))
    return list(found.values())


def gold_by_task(gold: Gold, every: Sequence[GoldAnswers]) -> ByTask:
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
    every: Sequence[GoldAnswers],
    subjects: Subjects,
    manner: ScoringOptions,
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
            found[one] = _gold_answers_asked(subjects.asked[one.source], by_task[one.task], manner)
    return {one: found[one] for one in every}


def _gold_answers_asked(
    asked: Asked, gold: pl.DataFrame, manner: ScoringOptions
) -> pl.DataFrame | str:
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
    gold: ByTask, filed: Sequence[GoldAnswers], subjects: Subjects, options: Options
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
        found[one] = _gold_answers_filed(one, placed[one.task], answers.get(one.source), why)
    return found


def _by_origin(files: ScoreFiles) -> dict[Source, pl.Series]:
    """The raw scores of each origin, in the order of the gold texts."""
    return {
        files.origins[block.system, block.task]: answers_in(block)["raw"] for block in files.blocks
    }


def _gold_answers_filed(
    one: GoldAnswers, gold: pl.DataFrame, answers: pl.Series | None, why: str
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


# ---- labelled texts scored without a corpus: systems are asked, files of scores looked through


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
    gold: Gold, subjects: Subjects, manner: ScoringOptions
) -> tuple[list[Answered], tuple[FileReport, ...]]:
    """Everything's scores of the gold of its task, or why there are none; a report on each file."""
    # First the files: one that cannot be read should cost no request.
    # A tweet may be labelled for several tasks; two files' own numbering may give one ID twice.
    texts = gold.frame.select(TEXTS).unique(maintain_order=True)
    files = _read(subjects, texts, manner.options)
    names = names_of(subjects, files.cards)
    manner.options.scales.check(names)
    many = len(subjects.asked)
    asked = [
        _gold_scored_asked(*both, gold, manner) for both in zip(subjects.asked, names, strict=False)
    ]
    filed = [
        _gold_scored_filed(replace(card, name=name), answers_in(block), texts, gold, manner.options)
        for card, block, name in zip(files.cards.values(), files.blocks, names[many:], strict=True)
    ]
    every: list[Answered] = [*asked, *filed]
    scored = iter(one_scale_each([one for one in every if isinstance(one, Scored)]))
    return [next(scored) if isinstance(one, Scored) else one for one in every], files.reports


def _gold_scored_asked(asked: Asked, name: str, gold: Gold, manner: ScoringOptions) -> Answered:
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


def _check_stored(scored: Scored, manner: ScoringOptions) -> None:
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


def _gold_scored_filed(
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
