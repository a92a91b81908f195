"""Labelled texts put to what is audited: systems are asked, files of scores are looked through.

A submission without scores of them is no error: why there are none stands in their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import polars as pl
from msgspec import UNSET

from tiltmeter.audit_run import GoldSource, MetadataSource
from tiltmeter.corpora import Corpus, Gold, SystemMetadata, read_gold, read_system_metadata
from tiltmeter.errors import IncompleteError, SystemFailure, TiltmeterError, did_you_mean
from tiltmeter.schemas import SCORES
from tiltmeter.scoring import Scored, assemble, one_scale_each, texts_of
from tiltmeter.scoring.corpus_scores import Run
from tiltmeter.scoring.open_systems import NamedSystem, Subjects, as_polars
from tiltmeter.scoring.scoring_run import UNKNOWN, ScoringOptions, Source, system_names
from tiltmeter.studies.skill.measure import RANKED_BY, SkillStudy, check_rank_by, skill_study
from tiltmeter.systems import (
    FileReport,
    ScoreDirection,
    ScoreFiles,
    answers_in,
    read_scores,
)

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


ByTask = dict[str, pl.DataFrame]
"""id, text, task, score, source and gold, what it is called, of every task."""
Found = dict[GoldAnswers, pl.DataFrame | str]
"""A submission's scores of the gold texts, or why there are none."""


def submissions_of(runs: Sequence[Run]) -> list[GoldAnswers]:
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
    files, texts = ScoreFiles(), pl.DataFrame()
    if any(one.task in by_task and not isinstance(one.source, int) for one in every):
        texts = _distinct_texts(pl.concat(by_task.values()))
        files = read_scores(
            subjects.scores, texts, tasks=subjects.tasks, options=manner.options, may_be_none=True
        )
    rows = {files.origins[block.system, block.task]: answers_in(block) for block in files.blocks}
    aside = {report.path: report.set_aside for report in files.reports if report.set_aside}
    found: Found = {}
    for one in every:
        part = by_task.get(one.task)
        if part is None:
            there = ", ".join(str(task) for task in gold.tasks)
            found[one] = f"no gold scores for {one.task}; there are some for {there}"
        elif isinstance(one.source, int):
            try:
                scored = _ask(subjects.systems[one.source], part, manner)
                found[one] = scored if isinstance(scored, str) else scored.scores
            except (IncompleteError, SystemFailure) as error:
                found[one] = f"it could not be asked for the gold texts: {error}"
        elif (answers := _answers_to(part, texts, rows.get(one.source))) is not None:
            found[one] = answers.select(
                "id",
                "repeat",
                "raw",
                system=pl.lit(one.system),
                task=pl.lit(one.task),
                corpus=pl.lit("gold"),
                score=pl.lit(None, pl.Float64),
                reason=pl.when(pl.col("raw").is_null()).then(pl.lit(NOT_THERE)),
            ).select(*SCORES.columns)
        else:
            why = aside.get(one.source[0], "").replace("the corpus", "the gold")
            found[one] = f"{NOT_THERE}: {why}" if why else NOT_THERE
    return found


def _distinct_texts(gold: pl.DataFrame) -> pl.DataFrame:
    """A tweet may be labelled for several tasks; two files' own numbering may give one ID twice."""
    return gold.select(TEXTS).unique(maintain_order=True)


def _answers_to(
    part: pl.DataFrame, texts: pl.DataFrame, rows: pl.DataFrame | None
) -> pl.DataFrame | None:
    """A file's answers to some gold texts: id, text, raw, reason, repeat; None without any.

    `rows` has raw and reason, a row for each of `texts`.
    """
    if rows is None:
        return None
    answered = texts.with_columns(rows["raw"], rows["reason"], repeat=pl.lit(0, pl.Int64))
    answers = part.select(TEXTS).join(
        answered, on=TEXTS, how="left", nulls_equal=True, maintain_order="left"
    )
    return None if answers["raw"].null_count() == answers.height else answers


def _ask(
    asked: NamedSystem, gold: pl.DataFrame, manner: ScoringOptions, name: str | None = None
) -> Scored | str:
    """A system's scores of gold texts, or why it cannot be asked for them."""
    if asked.system.rows is not None:
        return NO_ROW
    texts = gold.select(*TEXTS, corpus=pl.lit("gold")).drop_nulls("text")
    return NO_TEXTS if texts.is_empty() else manner.ask(asked, texts_of(texts), name)


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
    texts, files = _distinct_texts(gold.frame), ScoreFiles()
    if subjects.scores:
        files = read_scores(
            subjects.scores, texts, tasks=subjects.tasks, options=manner.options,
            may_be_none=bool(subjects.systems),
        )  # fmt: skip
    names = system_names(subjects, files.cards)
    manner.options.scales.check(names)
    every: list[Answered] = []
    for asked, name in zip(subjects.systems, names, strict=False):
        task = asked.system.card.task
        part = gold.of(task)
        if part.is_empty() and asked.system.rows is None:
            every.append(Unscored(name, task, _no_gold(gold, task)))
            continue
        try:
            answer = _ask(asked, part, manner, name)
            if isinstance(answer, Scored) and manner.settings.reuse == "stored":
                missing, size = answer.missing, answer.scores.height
                if missing > manner.settings.max_missing * size:
                    what = f"{answer.card.name} has no stored score for {missing:,} of {size:,}"
                    next_ = "leave out --reuse stored to ask for them, or allow more"
                    raise IncompleteError(f"{what} gold texts; --max-missing allows fewer: {next_}")
            every.append(answer if isinstance(answer, Scored) else Unscored(name, task, answer))
        except (IncompleteError, SystemFailure) as error:
            every.append(Unscored(name, task, f"it could not be asked: {error}", error))
    named = names[len(subjects.systems) :]
    for card, block, name in zip(files.cards.values(), files.blocks, named, strict=True):
        part = gold.of(card.task).select(*TEXTS, corpus=pl.lit("gold"))
        answers = _answers_to(part, texts, answers_in(block))
        if part.is_empty():
            every.append(Unscored(name, card.task, _no_gold(gold, card.task)))
        elif answers is None:
            every.append(Unscored(name, card.task, NOT_THERE))
        else:
            scale = manner.options.scale_of(name)
            every.append(assemble(replace(card, name=name), texts_of(part), answers, scale=scale))
    scored = iter(one_scale_each([one for one in every if isinstance(one, Scored)]))
    return [next(scored) if isinstance(one, Scored) else one for one in every], files.reports


def _no_gold(gold: Gold, task: str) -> str:
    """Why a submission of a task that the gold is not for has no skill."""
    there = ", ".join(str(one) for one in gold.tasks)
    asks = f"--task {gold.tasks[0]} asks for it where a system can"
    return f"no gold scores for {task}; there are some for {there}: {asks}"


Note = tuple[str, str, str, str]
KEYS = ("system", "task")
NO_SCORES = pl.Schema(
    {name: pl.String() for name in SCORES.columns}
    | {"repeat": pl.Int64(), "raw": pl.Float64(), "score": pl.Float64()}
)
NO_GOLD = pl.Schema(dict.fromkeys(("id", "task", "gold"), pl.String()) | {"score": pl.Float64()})


@dataclass(frozen=True, slots=True)
class Labelled:
    """What gold scores and an organiser's table say of the systems audited."""

    study: SkillStudy | None = None
    meta: pl.DataFrame | None = None
    notes: tuple[Note, ...] = ()
    """system, task, corpus, note."""
    gold: GoldSource | None = None
    about: MetadataSource | None = None

    @property
    def skill(self) -> pl.DataFrame | None:
        """A row a submission; None without gold scores."""
        return self.study.skill if self.study else None

    @property
    def estimates(self) -> list[pl.DataFrame]:
        """The correlations as the `estimates` table, where there are any."""
        return [self.study.estimates] if self.study else []


NOT_LABELLED = Labelled()


def gold_given(
    given: object, by: str | None = None, corpora: Sequence[Corpus] = (), language: str = ""
) -> Gold | None:
    """The gold scores at a path or in a table of any kind, or None where none are given.

    Of an archive in several languages those of the corpora are read, or of the one named.
    """
    if given is None:
        return None
    spoken = list(dict.fromkeys(one.language.split("-")[0] for one in corpora))
    languages = [language] if language else [] if UNKNOWN in spoken else spoken
    return read_gold(_path_or_table(given, "gold"), by=by, languages=languages)


def about_given(given: object) -> SystemMetadata | None:
    """What is known of the systems, likewise."""
    return None if given is None else read_system_metadata(_path_or_table(given, "meta"))


def _path_or_table(given: object, what: str) -> Path | pl.DataFrame:
    if isinstance(given, str | Path):
        return Path(given)
    frame = as_polars(given)
    if frame is None:
        found = f"found {type(given).__name__} for {what}"
        raise TiltmeterError(f"{found}; expected a path, or a pandas or Polars table")
    return frame


def check_askable(gold: Gold | None, subjects: Subjects) -> None:
    """Refuse gold that nothing here can use: it was given on purpose, so silence would mislead."""
    if gold and not subjects.scores and gold.frame["text"].null_count() == gold.frame.height:
        what = f"the gold scores in {gold.name} have IDs but no texts, and every system is asked"
        raise TiltmeterError(f"{what}; add a column text, or give files of scores to join by ID")


def ranked_by(wanted: str | None, mode: str) -> str:
    """What orders the systems: the official metric, or in published mode that of K&M 2018."""
    check_rank_by(wanted or RANKED_BY[0])
    return wanted or ("spearman" if mode == "published" else "pearson")


def labelled(
    gold: Gold | None,
    about: SystemMetadata | None,
    runs: Sequence[Run],
    subjects: Subjects,
    manner: ScoringOptions,
    *,
    rank_by: str,
    mode: str,
) -> Labelled:
    """The skill of everything audited, and what is known of it, as far as either was given."""
    every = submissions_of(runs)
    study, notes, source = None, tuple[Note, ...](), None
    if gold is not None:
        study, notes = skill_of(gold, every, subjects, manner, rank_by=rank_by, mode=mode)
        source = GoldSource(
            name=gold.name,
            files=tuple(asdict(file) for file in gold.files),
            rows=gold.frame.height,
            tasks=tuple(task or "any" for task in gold.tasks),
            rank_by=rank_by,
            notes=tuple(gold.notes),
            choice=gold.choice or UNSET,
        )
    if about is None:
        return Labelled(study, None, notes, source)
    # The rows on systems that are audited, and who is left out on either side.
    names = list(dict.fromkeys(one.system for one in every))
    mine = about.frame.filter(pl.col("system").is_in(names))
    if mine.is_empty():
        first = about.frame["system"][0]
        near = did_you_mean(first, names) or f"audited are {', '.join(names[:8])}"
        what = f"{about.name} speaks of none of the systems audited; it has {first!r}: {near}"
        raise TiltmeterError(what)
    described = set(mine["system"])
    metadata = MetadataSource(
        name=about.name,
        sha256=about.sha256,
        systems=mine.height,
        not_audited=tuple(name for name in about.frame["system"] if name not in described),
        not_described=tuple(name for name in names if name not in described),
        notes=tuple(about.notes),
    )
    return Labelled(study, mine, notes, source, metadata)


def skill_of(
    gold: Gold,
    every: Sequence[GoldAnswers],
    subjects: Subjects,
    manner: ScoringOptions,
    *,
    rank_by: str,
    mode: str,
) -> tuple[SkillStudy, tuple[Note, ...]]:
    """The skill of submissions, and why it is not known or rests on fewer texts than there are."""
    by_task = gold_by_task(gold, [one.task for one in every])
    found = gold_answers(gold, by_task, every, subjects, manner)
    scores = [
        rows.with_columns(system=pl.lit(one.system))
        for one, rows in found.items()
        if isinstance(rows, pl.DataFrame)
    ]
    study = skill_study(
        pl.concat([NO_SCORES.to_frame(), *scores]),
        pl.concat([NO_GOLD.to_frame(), *(part.select(*NO_GOLD) for part in by_task.values())]),
        pl.DataFrame([(one.system, one.task) for one in found], KEYS, orient="row"),
        rank_by,
        mode=mode,
    )
    notes = [
        (one.system, one.task, gold.called(one.task), f"no skill is known: {why}")
        for one, why in found.items()
        if isinstance(why, str)
    ]
    for system, task, name, reason in study.reasons.rows():
        notes.append((system, task, name, f"no skill is known: {reason}"))
    partly = study.estimates.filter(
        pl.col("measure") == RANKED_BY[0], pl.col("value").is_not_null(), pl.col("n_dropped") > 0
    )
    for system, task, name, n, lost in partly.select(*KEYS, "corpus", "n", "n_dropped").rows():
        what = f"its skill rests on {n:,} of {n + lost:,} gold texts"
        notes.append((system, task, name, f"{what}; it has no score for the others"))
    return study, tuple(notes)


def directions_by_gold(
    reports: Sequence[FileReport], every: Sequence[GoldAnswers], skill: pl.DataFrame | None
) -> tuple[FileReport, ...]:
    """The reports on files, each doubt of a direction decided where gold scores decide it."""
    if skill is None:
        return tuple(reports)
    names = ("pearson", "pearson_low", "pearson_high")
    rows = skill.drop_nulls(names).select(*KEYS, *names).rows()
    known = {(system, task): (value, low, high) for system, task, value, low, high in rows}
    doubts = {(one.system, one.task): one for each in reports for one in each.directions}
    mine: dict[Path, list[ScoreDirection]] = {}
    for one in every:
        key = one.system, one.task
        found = replace(doubts.get(key, ScoreDirection(*key)), gold=known.get(key))
        if isinstance(one.source, tuple) and (found.others is not None or found.against_gold):
            mine.setdefault(one.source[0], []).append(found)
    return tuple(replace(one, directions=tuple(mine.get(one.path, ()))) for one in reports)
