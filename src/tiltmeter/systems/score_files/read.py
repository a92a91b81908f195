"""Scores made elsewhere: a file of scores, or a folder of them, joined to the corpus.

    folder ──submissions──▶ files ──table_files──▶ tables ──matching──▶ scores by sentence
           ──here──▶ one table, and a report for each

A file that cannot be used is set aside with its reason and the others go on.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl
from polars.exceptions import PanicException, PolarsError

from tiltmeter.errors import OtherSentencesError, Problem, ScoreFileError
from tiltmeter.files import MB, with_formulas
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import VALENCE, Card
from tiltmeter.systems.score_files.matching import (
    NTH,
    OtherSentences,
    ScoreRows,
    Sentences,
    score_columns,
    score_rows,
    sentences_to_match,
)
from tiltmeter.systems.score_files.report import FileReport, ScoreBlock, correlations, file_report
from tiltmeter.systems.score_files.submissions import (
    NamedScores,
    Submission,
    shown,
    submissions,
    task_in_name,
    unique_names,
)
from tiltmeter.table_files import (
    SUBMISSION_SEPARATORS,
    SubmissionTable,
    UnusableTable,
    check_submission_start,
    read_submission,
    typed_submission,
)

NO_TASK = f"no task is given: {VALENCE}"
Origin = tuple[Path, str | None, str]
"""Where scores come from: a file, what it calls the system, and the task."""
NOTHING = pl.Schema(
    {**dict.fromkeys(("system", "task", "id"), pl.String()), "raw": pl.Float64()}
    | {"reason": pl.String()}
)


@dataclass(frozen=True, slots=True)
class ScoreFiles:
    """The scores of every file that could be used, and a report on every file there was."""

    scores: pl.DataFrame
    """system, task, id, raw, reason: a row for each system, task and sentence of the corpus."""
    reports: tuple[FileReport, ...]
    cards: Mapping[tuple[str, str], Card] = field(default_factory=dict)
    """By system and task."""
    origins: Mapping[tuple[str, str], Origin] = field(default_factory=dict)
    """Likewise: the same however the systems end up being called."""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """A system's smallest and largest score, over all its tasks and files, wanted or not."""


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file after reading: its scores, or why it is set aside."""

    submission: Submission
    every: ScoreRows | None = None
    """The scores for all its tasks: they tell its systems' names and scales."""
    rows: ScoreRows | None = None
    """The scores for the tasks wanted."""
    sha256: str = ""
    set_aside: str = ""
    other_sentences: bool = False
    """Whether it is set aside because no row is of the corpus."""
    left_out: str = ""
    """Which tasks it holds, where none of them is wanted."""


def read_scores(
    spec: Path | NamedScores | Sequence[Path | NamedScores],
    sentences: pl.DataFrame,
    *,
    tasks: Sequence[str] = (),
    options: Options | None = None,
    workers: int | None = None,
    may_be_none: bool = False,
) -> ScoreFiles:
    """Read files of scores or folders of them and join each to the corpus' sentences.

    `tasks` are those wanted, all where none is named: scores for others are left out, whole files
    of them too, and only tell names and scales. One alone is also what files are for that do not
    say theirs. The result does not depend on `workers`. Where no file can be used, or none holds a
    task wanted, that is an error, unless there `may_be_none`.
    """
    options = options or Options()
    tasks = list(tasks) or ([options.task] if options.task else [])
    corpus = sentences_to_match(sentences)
    specs = [spec] if isinstance(spec, Path | NamedScores) else list(spec)
    files = [each for one in specs for each in submissions(one)]
    with ThreadPoolExecutor(workers or 2 * (os.cpu_count() or 1)) as pool:
        wide = options.systems_in
        opened = list(pool.map(lambda each: _open(each, corpus, tasks, wide), files))
    if not any(each.rows for each in opened):
        opened = [replace(each, set_aside=each.set_aside or each.left_out) for each in opened]
        if not may_be_none:
            raise _nothing_usable(specs[0], opened)
    every = score_blocks([(each.submission, each.every) for each in opened if each.every], corpus)
    found = [block for block in every if not tasks or block.task in tasks]
    reports = _reports(opened, found, corpus, options)
    origins = {
        (block.system, block.task): (block.submission.path, block.said, block.task)
        for block in found
    }
    cards, table = _cards(opened, found, options), score_table(found, corpus)
    return ScoreFiles(table, reports, cards, origins, _ranges(every))


def _ranges(every: Sequence[ScoreBlock]) -> dict[str, tuple[float, float]]:
    """Each system's smallest and largest score."""
    ends: dict[str, list[float]] = {}
    for block in every:
        there = block.raw[~np.isnan(block.raw)]
        if there.size:
            ends.setdefault(block.system, []).extend((float(there.min()), float(there.max())))
    return {system: (min(several), max(several)) for system, several in ends.items()}


def _open(
    submission: Submission, corpus: Sentences, tasks: Sequence[str], systems_in: Sequence[str]
) -> OpenedFile:
    """One file's scores; whatever is wrong with it becomes the reason it is set aside."""
    try:
        if submission.refused:
            raise UnusableTable(submission.refused)
        table, digest = _table(submission)
        every, guessed = _rows(submission, table, corpus, tasks, systems_in)
    except OtherSentences as error:
        return OpenedFile(submission, set_aside=str(error), other_sentences=True)
    except (UnusableTable, PolarsError, PanicException, MemoryError) as error:
        return OpenedFile(submission, set_aside=str(error) or type(error).__name__)
    except OSError as error:
        return OpenedFile(submission, set_aside=f"it cannot be read ({error.strerror or error})")
    rows, left_out = _selected(every, tasks, guessed)
    return OpenedFile(submission, every, rows, digest, left_out=left_out)


def _table(submission: Submission) -> tuple[SubmissionTable, str]:
    """The table of a file, or the one in hand, and its SHA-256."""
    frame = submission.table
    if frame is None:
        with submission.path.open("rb") as file:
            check_submission_start(submission.path, file.read(MB))
        data = submission.path.read_bytes()
        return read_submission(submission.path, data), hashlib.sha256(data).hexdigest()
    if not frame.height:
        raise UnusableTable("found no rows in the table; expected one for each sentence")
    content = repr([frame.columns, frame.rows()])
    return typed_submission(frame, []), hashlib.sha256(content.encode()).hexdigest()


def _rows(
    submission: Submission,
    table: SubmissionTable,
    corpus: Sentences,
    tasks: Sequence[str],
    systems_in: Sequence[str],
) -> tuple[ScoreRows, str]:
    """The scores in a file's table, and how their task is known if no column says it.

    It is the one in the file's name, else the one wanted.
    """
    columns = score_columns(table.names, systems_in)
    if columns.corpus is not None and submission.path.suffix.lower() in SUBMISSION_SEPARATORS:
        table = replace(table, frame=with_formulas(table.frame))  # ours, guarded as we write it
    own = task_in_name(submission.path.name) or task_in_name(submission.system)
    given = tasks[0] if len(tasks) == 1 else None
    rows = score_rows(table, columns, corpus, own or given)
    guessed, named = "", None in columns.scores or bool(columns.systems)
    if columns.task is None and named and not (given and not own):
        guessed = f"the task {own} is taken from its name" if own else NO_TASK
        rows = replace(rows, notes=(*rows.notes, guessed))
    return rows, guessed


def _selected(rows: ScoreRows, tasks: Sequence[str], guessed: str) -> tuple[ScoreRows | None, str]:
    """The scores for the tasks wanted, or which other tasks the file holds.

    `guessed` says how the task is known that the file does not say in a column.
    """
    there = list(dict.fromkeys(rows.frame["task"]))
    others = [task for task in there if task not in tasks] if tasks else []
    if not others:
        return rows, ""
    if len(others) == len(there):
        what = f"holds scores for {', '.join(there)}"
        why = f" ({guessed}: a column task says another)" if guessed else ""
        return None, f"{what}{why}; --task asks for {', '.join(tasks)}"
    note = f"scores for {', '.join(others)} left out, as --task says"
    kept = rows.frame.filter(pl.col("task").is_in(list(tasks)))
    return replace(rows, frame=kept, notes=(*rows.notes, note)), ""


def _reports(
    opened: Sequence[OpenedFile], found: Sequence[ScoreBlock], corpus: Sentences, options: Options
) -> tuple[FileReport, ...]:
    against, mine = correlations(found), dict[Submission, list[ScoreBlock]]()
    for block in found:
        mine.setdefault(block.submission, []).append(block)
    reports = [
        file_report(
            each.submission, each.rows, mine[each.submission], corpus, options.scales, against
        )
        if each.rows
        else _unused(each)
        for each in opened
    ]  # fmt: skip
    many = Counter(report.name for report in reports)
    return tuple(_with_folder(one) if many[one.name] > 1 else one for one in reports)


def _unused(opened: OpenedFile) -> FileReport:
    """The report on a file that is set aside, or left out for its tasks."""
    one, held = opened.submission, opened.every.frame["task"] if opened.every else ()
    aside, out = opened.set_aside or None, opened.left_out or None
    return FileReport(
        one.path, one.system, tuple(dict.fromkeys(held)), set_aside=aside,
        left_out=None if aside else out, name=one.name,
    )  # fmt: skip


def _with_folder(report: FileReport) -> FileReport:
    """The report on a file whose name stands in several folders, with its own before it."""
    return replace(report, name=shown(f"{report.path.absolute().parent.name}/{report.name}"))


def _cards(
    opened: Sequence[OpenedFile], found: Sequence[ScoreBlock], options: Options
) -> dict[tuple[str, str], Card]:
    hashes = {each.submission: each.sha256 for each in opened}
    return {
        (block.system, block.task): Card(
            block.system,
            block.task,
            options.scale_of(block.system),
            weights=hashes[block.submission],
        )
        for block in found
    }


def _nothing_usable(spec: Path | NamedScores, opened: Sequence[OpenedFile]) -> ScoreFileError:
    """Every file with its reason; a reason that all of them share is given once."""
    reasons = {each.set_aside for each in opened}
    if len(opened) > 1 and len(reasons) == 1:
        problems = [Problem(_where(spec), f"each of its {len(opened):,} files: {reasons.pop()}")]
    else:
        problems = [Problem(shown(str(each.submission.path)), each.set_aside) for each in opened]
    subject = "no file of scores can be used" if len(opened) > 1 else "the scores cannot be used"
    strange = all(each.other_sentences for each in opened)
    return (OtherSentencesError if strange else ScoreFileError)(subject, problems)


def _where(spec: Path | NamedScores) -> str:
    return shown(spec.name if isinstance(spec, NamedScores) else str(spec))


# ---------------------------------------------------------------- scores laid out over the corpus


def score_blocks(
    files: Sequence[tuple[Submission, ScoreRows]], corpus: Sentences
) -> list[ScoreBlock]:
    """Every system's scores by task, in the order of files and rows, each name only once."""
    parts = {
        submission: rows.frame.partition_by("system", "task", maintain_order=True)
        for submission, rows in files
    }
    keys = {each: [part.row(0)[:2] for part in found] for each, found in parts.items()}
    names = unique_names(keys)
    return [
        _block(submission, names[submission, part["system"][0]], part, corpus)
        for submission, found in parts.items()
        for part in found
    ]


def _block(
    submission: Submission, system: str, part: pl.DataFrame, corpus: Sentences
) -> ScoreBlock:
    raw = np.full(corpus.size, np.nan)
    raw[part[NTH].to_numpy()] = part["raw"].fill_null(float("nan")).to_numpy()
    reasons = part.filter(pl.col("raw").is_null()).select(NTH, "reason")
    return ScoreBlock(submission, system, part["task"][0], raw, reasons, part["system"][0])


def score_table(found: Iterable[ScoreBlock], corpus: Sentences) -> pl.DataFrame:
    """The scores of all, a row for each system, task and sentence."""
    rows = [_score_rows(block, corpus) for block in found]
    return pl.concat(rows, rechunk=True) if rows else NOTHING.to_frame()


def _score_rows(block: ScoreBlock, corpus: Sentences) -> pl.DataFrame:
    frame = corpus.ids.select(
        pl.lit(block.system).alias("system"),
        pl.lit(block.task).alias("task"),
        "id",
        pl.Series("raw", block.raw).fill_nan(None),
        NTH,
    )
    if block.reasons.height:
        frame = frame.join(block.reasons, on=NTH, how="left", maintain_order="left")
    else:
        frame = frame.with_columns(pl.lit(None, pl.String).alias("reason"))
    absent = pl.col("raw").is_null() & pl.col("reason").is_null()
    why = pl.when(absent).then(pl.lit(f"not in {block.submission.name}")).otherwise("reason")
    return frame.with_columns(why.alias("reason")).drop(NTH)
