"""Scores made elsewhere: a file of scores, or a folder of them, joined to the corpus.

    folder ──submissions──▶ files ──table_files──▶ tables ──matching──▶ scores by sentence
           ──here──▶ one table, and a report for each

A file that cannot be used is set aside with its reason and the others go on.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
    JoinFacts,
    OtherSentences,
    Sentences,
    one_submission,
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
NO_SCORES = pl.DataFrame(
    schema={**dict.fromkeys(("system", "task", "id"), pl.String()), "raw": pl.Float64()}
    | {"reason": pl.String()}
)
NO_REASONS = pl.DataFrame(schema={NTH: pl.UInt32, "reason": pl.String})


@dataclass(frozen=True, slots=True)
class ScoreFiles:
    """The scores of every file that could be used, and a report on every file there was."""

    blocks: tuple[ScoreBlock, ...] = ()
    """Each system's scores for a task, over the whole corpus."""
    ids: pl.Series = field(default_factory=lambda: pl.Series("id", [], pl.String))
    """The corpus' sentences."""
    reports: tuple[FileReport, ...] = ()
    cards: Mapping[tuple[str, str], Card] = field(default_factory=dict)
    """By system and task, in the order of the blocks."""
    origins: Mapping[tuple[str, str], Origin] = field(default_factory=dict)
    """Likewise: the same however the systems end up being called."""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """A system's smallest and largest score, over all its tasks and files, wanted or not."""

    @property
    def scores(self) -> pl.DataFrame:
        """system, task, id, raw, reason: a row for each system, task and sentence of the corpus."""
        parts = [
            answers_in(block).select(
                pl.lit(block.system).alias("system"), pl.lit(block.task).alias("task"),
                self.ids, "raw", "reason",
            )
            for block in self.blocks
        ]  # fmt: skip
        return pl.concat(parts) if parts else NO_SCORES


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file after reading: its scores, or why it is set aside."""

    submission: Submission
    facts: JoinFacts | None = None
    blocks: tuple[ScoreBlock, ...] = ()
    """The scores for all its tasks: they tell its systems' names and scales."""
    sha256: str = ""
    set_aside: str = ""
    other_sentences: bool = False
    """Whether it is set aside because no row is of the corpus."""
    left_out: str = ""
    """Which tasks it holds, where none of them is wanted."""

    @property
    def used(self) -> bool:
        """Whether any of its scores are wanted."""
        return bool(self.blocks) and not self.left_out


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
    if not any(each.used for each in opened):
        opened = [replace(each, set_aside=each.set_aside or each.left_out) for each in opened]
        if not may_be_none:
            raise _nothing_usable(specs[0], opened)
    # All scores, in the order of files and rows, each name only once
    keys = {
        each.submission: [(block.said, block.task) for block in each.blocks]
        for each in opened
        if each.blocks
    }
    names = unique_names(keys)
    every = [
        replace(block, system=names[each.submission, block.said])
        for each in opened
        for block in each.blocks
    ]
    found = tuple(block for block in every if not tasks or block.task in tasks)
    reports = _reports(opened, found, corpus, options)
    origins = {
        (block.system, block.task): (block.submission.path, block.said, block.task)
        for block in found
    }
    cards = _cards(opened, found, options)
    return ScoreFiles(found, corpus.ids["id"], reports, cards, origins, _ranges(every))


def _ranges(every: Sequence[ScoreBlock]) -> dict[str, tuple[float, float]]:
    """Each system's smallest and largest score."""
    ends: dict[str, list[float]] = {}
    for block in every:
        low, high = np.fmin.reduce(block.raw), np.fmax.reduce(block.raw)
        if not np.isnan(low):
            ends.setdefault(block.system, []).extend((float(low), float(high)))
    return {system: (min(several), max(several)) for system, several in ends.items()}


def _open(
    submission: Submission, corpus: Sentences, tasks: Sequence[str], systems_in: Sequence[str]
) -> OpenedFile:
    """One file's scores; whatever is wrong with it becomes the reason it is set aside."""
    try:
        if submission.refused:
            raise UnusableTable(submission.refused)
        table, digest = _table(submission)
        rows, facts, guessed = _rows(submission, table, corpus, tasks, systems_in)
    except OtherSentences as error:
        return OpenedFile(submission, set_aside=str(error), other_sentences=True)
    except (UnusableTable, PolarsError, PanicException, MemoryError) as error:
        return OpenedFile(submission, set_aside=str(error) or type(error).__name__)
    except OSError as error:
        return OpenedFile(submission, set_aside=f"it cannot be read ({error.strerror or error})")
    blocks = tuple(_blocks(submission, rows, corpus.size))
    note, left_out = _note_left_out(blocks, tasks, guessed)
    facts = replace(facts, notes=(*facts.notes, note)) if note else facts
    return OpenedFile(submission, facts, blocks, digest, left_out=left_out)


def _blocks(submission: Submission, rows: pl.DataFrame, size: int) -> Iterator[ScoreBlock]:
    """A file's scores laid out over the corpus, by system and task in the order of its rows."""
    alone = one_submission(rows)
    for part in [rows] if alone else rows.partition_by("system", "task", maintain_order=True):
        said, task = part.row(0)[:2]
        raw = np.full(size, np.nan)
        raw[part[NTH].to_numpy()] = part["raw"].to_numpy()
        if part["raw"].null_count():
            reasons = part.filter(pl.col("raw").is_null()).select(NTH, "reason")
        else:
            reasons = NO_REASONS
        yield ScoreBlock(submission, said or "", task, raw, reasons, part.height, said)


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
) -> tuple[pl.DataFrame, JoinFacts, str]:
    """The scores in a file's table, and how their task is known if no column says it.

    It is the one in the file's name, else the one wanted.
    """
    columns = score_columns(table.names, systems_in)
    if columns.corpus is not None and submission.path.suffix.lower() in SUBMISSION_SEPARATORS:
        table = replace(table, frame=with_formulas(table.frame))  # ours, guarded as we write it
    own = task_in_name(submission.path.name) or task_in_name(submission.system)
    given = tasks[0] if len(tasks) == 1 else None
    rows, facts = score_rows(table, columns, corpus, own or given)
    guessed, named = "", None in columns.scores or bool(columns.systems)
    if columns.task is None and named and not (given and not own):
        guessed = f"the task {own} is taken from its name" if own else NO_TASK
        facts = replace(facts, notes=(*facts.notes, guessed))
    return rows, facts, guessed


def _note_left_out(
    blocks: Sequence[ScoreBlock], tasks: Sequence[str], guessed: str
) -> tuple[str, str]:
    """A note on the tasks left out; or else, where none is wanted, why the whole file is.

    `guessed` says how the task is known that the file does not say in a column.
    """
    there = list(dict.fromkeys(block.task for block in blocks))
    others = [task for task in there if task not in tasks] if tasks else []
    if not others:
        return "", ""
    if len(others) == len(there):
        what = f"holds scores for {', '.join(there)}"
        why = f" ({guessed}: a column task says another)" if guessed else ""
        return "", f"{what}{why}; --task asks for {', '.join(tasks)}"
    return f"scores for {', '.join(others)} left out, as --task says", ""


def _reports(
    opened: Sequence[OpenedFile], found: Sequence[ScoreBlock], corpus: Sentences, options: Options
) -> tuple[FileReport, ...]:
    against, mine = correlations(found), dict[Submission, list[ScoreBlock]]()
    for block in found:
        mine.setdefault(block.submission, []).append(block)
    reports = [
        file_report(
            each.submission, each.facts, mine[each.submission], corpus, options.scales, against
        )
        if each.facts and each.used
        else _report_unused(each)
        for each in opened
    ]
    many = Counter(report.name for report in reports)
    return tuple(_with_folder(one) if many[one.name] > 1 else one for one in reports)


def _report_unused(opened: OpenedFile) -> FileReport:
    """The report on a file that is set aside, or left out for its tasks."""
    one, held = opened.submission, (block.task for block in opened.blocks)
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


def answers_in(block: ScoreBlock) -> pl.DataFrame:
    """A system's answers, raw and reason, a row for each sentence of the corpus."""
    raw = pl.Series("raw", block.raw).fill_nan(None)
    reason = pl.Series("reason", [None], pl.String).new_from_index(0, len(block.raw))
    if raw.null_count():
        absent = np.full(len(block.raw), f"not in {block.submission.name}", object)
        absent[block.reasons[NTH].to_numpy()] = block.reasons["reason"].to_list()
        why = pl.Series("reason", absent, pl.String, strict=False)
        reason = why.set(raw.is_not_null(), None)
    return pl.DataFrame([raw, reason])
