"""Scores made elsewhere: a file of scores, or a folder of them, joined to the corpus.

    folder ──submissions──▶ files ──table_files──▶ tables ──matching──▶ scores by sentence
           ──here──▶ one table, and a report for each

A file that cannot be used is set aside with its reason and the others go on.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
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
    files = [file for one in specs for file in submissions(one)]
    with ThreadPoolExecutor(workers or 2 * (os.cpu_count() or 1)) as pool:
        wide = options.systems_in
        opened = list(pool.map(lambda file: _open(file, corpus, tasks, wide), files))
    if not any(file.used for file in opened):
        opened = [replace(file, set_aside=file.set_aside or file.left_out) for file in opened]
        if not may_be_none:
            raise _nothing_usable(specs[0], opened)
    # All scores, in the order of files and rows, each name only once
    keys = {
        file.submission: [(block.said, block.task) for block in file.blocks]
        for file in opened
        if file.blocks
    }
    names = unique_names(keys)
    every = [
        replace(block, system=names[file.submission, block.said])
        for file in opened
        for block in file.blocks
    ]
    ends: dict[str, list[float]] = {}
    for block in every:
        low, high = np.fmin.reduce(block.raw), np.fmax.reduce(block.raw)
        if not np.isnan(low):
            ends.setdefault(block.system, []).extend((float(low), float(high)))
    found = tuple(block for block in every if not tasks or block.task in tasks)
    hashes = {file.submission: file.sha256 for file in opened}
    cards, origins = dict[tuple[str, str], Card](), dict[tuple[str, str], Origin]()
    for block in found:
        key = block.system, block.task
        origins[key] = block.submission.path, block.said, block.task
        scale = options.scale_of(block.system)
        cards[key] = Card(*key, scale, weights=hashes[block.submission])
    return ScoreFiles(
        found, corpus.ids["id"], _reports(opened, found, corpus, options), cards, origins,
        {system: (min(several), max(several)) for system, several in ends.items()},
    )  # fmt: skip


def _nothing_usable(spec: Path | NamedScores, opened: Sequence[OpenedFile]) -> ScoreFileError:
    """Every file with its reason; a reason that all of them share is given once."""
    reasons = {file.set_aside for file in opened}
    if len(opened) > 1 and len(reasons) == 1:
        where = shown(spec.name if isinstance(spec, NamedScores) else str(spec))
        problems = [Problem(where, f"each of its {len(opened):,} files: {reasons.pop()}")]
    else:
        problems = [Problem(shown(str(file.submission.path)), file.set_aside) for file in opened]
    subject = "no file of scores can be used" if len(opened) > 1 else "the scores cannot be used"
    strange = all(file.other_sentences for file in opened)
    return (OtherSentencesError if strange else ScoreFileError)(subject, problems)


def _reports(
    opened: Sequence[OpenedFile], found: Sequence[ScoreBlock], corpus: Sentences, options: Options
) -> tuple[FileReport, ...]:
    """A report on each file; where several have the same name, with the folder before it."""
    against, own = correlations(found), dict[Submission, list[ScoreBlock]]()
    for block in found:
        own.setdefault(block.submission, []).append(block)
    reports = []
    for file in opened:
        one = file.submission
        if file.facts and file.used:
            reports.append(file_report(one, file.facts, own[one], corpus, options.scales, against))
        else:
            tasks = tuple(dict.fromkeys(block.task for block in file.blocks))
            left_out = None if file.set_aside else file.left_out or None
            aside = file.set_aside or None
            reports.append(
                FileReport(
                    one.path, one.system, tasks, set_aside=aside, left_out=left_out, name=one.name
                )
            )
    many = Counter(report.name for report in reports)
    return tuple(
        replace(report, name=shown(f"{report.path.absolute().parent.name}/{report.name}"))
        if many[report.name] > 1
        else report
        for report in reports
    )


def _open(
    submission: Submission, corpus: Sentences, tasks: Sequence[str], systems_in: Sequence[str]
) -> OpenedFile:
    """One file's scores; whatever is wrong with it becomes the reason it is set aside."""
    try:
        if submission.refused:
            raise UnusableTable(submission.refused)
        frame = submission.table
        if frame is None:
            with submission.path.open("rb") as file:
                check_submission_start(submission.path, file.read(MB))
            data = submission.path.read_bytes()
            table = read_submission(submission.path, data)
        elif frame.height:
            data = repr([frame.columns, frame.rows()]).encode()
            table = typed_submission(frame, [])
        else:
            raise UnusableTable("found no rows in the table; expected one for each sentence")
        columns = score_columns(table.names, systems_in)
        if columns.corpus is not None and submission.path.suffix.lower() in SUBMISSION_SEPARATORS:
            table = replace(table, frame=with_formulas(table.frame))  # ours, guarded as we write it
        # Where no column says the task, it is the one in the file's name, else the one wanted
        own = task_in_name(submission.path.name) or task_in_name(submission.system)
        only = tasks[0] if len(tasks) == 1 else None
        rows, facts = score_rows(table, columns, corpus, own or only)
    except OtherSentences as error:
        return OpenedFile(submission, set_aside=str(error), other_sentences=True)
    except (UnusableTable, PolarsError, PanicException, MemoryError) as error:
        return OpenedFile(submission, set_aside=str(error) or type(error).__name__)
    except OSError as error:
        return OpenedFile(submission, set_aside=f"it cannot be read ({error.strerror or error})")
    guessed, notes = "", list(facts.notes)
    one_column = None in columns.scores or bool(columns.systems)
    if columns.task is None and one_column and not (only and not own):
        guessed = f"the task {own} is taken from its name" if own else NO_TASK
        notes.append(guessed)
    # The scores laid out over the corpus, by system and task in the order of the rows
    alone, blocks = one_submission(rows), list[ScoreBlock]()
    for part in [rows] if alone else rows.partition_by("system", "task", maintain_order=True):
        system, task = part.row(0)[:2]
        raw = np.full(corpus.size, np.nan)
        raw[part[NTH].to_numpy()] = part["raw"].to_numpy()
        reasons = part.filter(pl.col("raw").is_null()).select(NTH, "reason")
        blocks.append(ScoreBlock(submission, system or "", task, raw, reasons, part.height, system))
    there = list(dict.fromkeys(block.task for block in blocks))
    others = [task for task in there if tasks and task not in tasks]
    left_out = ""
    if others and len(others) == len(there):
        why = f" ({guessed}: a column task says another)" if guessed else ""
        left_out = f"holds scores for {', '.join(there)}{why}; --task asks for {', '.join(tasks)}"
    elif others:
        notes.append(f"scores for {', '.join(others)} left out, as --task says")
    facts, digest = replace(facts, notes=tuple(notes)), hashlib.sha256(data).hexdigest()
    return OpenedFile(submission, facts, tuple(blocks), digest, left_out=left_out)


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
