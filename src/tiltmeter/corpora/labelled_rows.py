"""The labelled texts in one table: which column is what, and a number for every row or why not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.corpora.classes import (
    CLASSES,
    CLASSES_READ,
    class_expected,
    class_scores,
    holds_classes,
)
from tiltmeter.corpora.group_column import group_column, no_group
from tiltmeter.corpora.table_file import TableFile, capped, folded
from tiltmeter.errors import CorpusError, Problem

COLUMNS = ("id", "text", "task", "score", "source")
LINE = "*line"
"""The row's line in its file."""
GROUP = "group"
"""Who wrote a text or what it is of, where a column for it was named."""

CALLED = {
    "id": ("id", "sentence id", "tweet id", "text id"),
    "text": ("text", "sentence", "tweet"),
    "task": ("affect dimension", "task", "dimension"),
}
SCORES = (
    *("intensity score", "intensity", "score", "gold", "gold score", "gold label", "label"),
    *("sentiment", "sentiment score", "polarity", "rating", "value"),
    CLASSES,
)
"""What the column of gold scores may be called; one called after a task is that task's."""
TASKS = ("valence", "anger", "fear", "joy", "sadness")
KNOWN = {**CALLED, "score": (*SCORES, *TASKS)}
"""What each column may be called."""

UNLABELLED = "none"
"""Stands for the score in SemEval's unlabelled test files."""
MYSTERY = "mystery"
"""Stands in the IDs of SemEval's rows that are not labelled but scored 0.000. Four tweets have the
word in their text; they are labelled, and stay."""
DECIMAL_COMMA = r"^[+-]?\d*,\d+$"
SHOWN = 40


@dataclass(frozen=True, slots=True)
class GoldRows:
    """The labelled texts of one table."""

    source: str
    frame: pl.DataFrame
    """COLUMNS, GROUP and LINE; only rows with a score."""
    rows: int
    unlabelled: int
    mystery: int
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """Which column is what."""

    scores: Mapping[str | None, str]
    """By task where columns are called after tasks, else the one column under None."""
    id: str | None = None
    text: str | None = None
    task: str | None = None
    group: str | None = None

    @property
    def classes(self) -> bool:
        """True where classes stand for scores."""
        return any(map(holds_classes, self.scores.values()))

    def said(self) -> str:
        """The choice as a line for people."""
        found = {"id": self.id, "text": self.text, "task": self.task, GROUP: self.group}
        named = [f"{ours} ← {theirs}" for ours, theirs in found.items() if theirs]
        scores = [f"{task or 'score'} ← {column}" for task, column in self.scores.items()]
        return ", ".join([*named, *scores])


def gold_rows(table: TableFile, by: str | None = None) -> GoldRows:
    """The labelled texts of a table, with everything wrong in its cells; unclear columns raise.

    `by` names the column with each text's group.
    """
    named = _named(table, by)
    own = None if named.task or None not in named.scores else task_in_name(table.path.name)
    rows = pl.concat(
        _column(table, named, task or own, column) for task, column in named.scores.items()
    )
    mystery = rows["id"].str.to_lowercase().str.contains(MYSTERY, literal=True).fill_null(False)
    labelled = rows.filter(~mystery)
    absent = labelled["said"].is_null() | (labelled["said"].str.to_lowercase() == UNLABELLED)
    kept = labelled.filter(~absent)
    problems = (*_no_numbers(table, named, kept), *_no_key(table, named, kept))
    task = f"; task {own}, from the file's name" if own else ""
    notes = (f"{table.path.name}: {named.said()}{task}", *_of(table, named))
    return GoldRows(
        str(table.path), _keyed(table, named, kept), table.frame.height,
        int(absent.sum()), int(mystery.sum()), problems, notes,
    )  # fmt: skip


def _of(table: TableFile, named: Named) -> Iterator[str]:
    read = (CLASSES_READ,) if named.classes else ()
    return (f"{table.path.name}: {note}" for note in (*table.notes, *read))


def task_in_name(name: str) -> str | None:
    """The one task a file's name speaks of.

    >>> task_in_name("2018-Valence-reg-En-test-gold.txt"), task_in_name("gold.csv")
    ('valence', None)
    """
    words = set(re.split(r"[\W\d_]+", name.lower()))
    found = [task for task in TASKS if task in words]
    return found[0] if len(found) == 1 else None


# ---------------------------------------------------------------- columns


def _named(table: TableFile, by: str | None) -> Named:
    names, problems = table.frame.columns, list[str]()
    single = {ours: _called(names, called) for ours, called in CALLED.items()}
    for ours, found in single.items():
        if len(found) > 1:
            problems.append(_unclear(found, ours))
    if not single["id"] and not single["text"]:
        problems.append("no column says which text a score is for; expected id, or text or tweet")
    scores, wrong = _scores(names)
    problems += wrong
    group, unfit = (None, []) if by is None else group_column(names, by)
    taken = {"score": [*scores.values()], **single}
    role = next((ours for ours, found in taken.items() if group in found), None)
    problems += unfit or ([no_group(str(group), role)] if role else [])
    if problems:
        there = f"there are {', '.join(repr(name[:SHOWN]) for name in names[:12])}"
        listed = [Problem(table.at(), f"{what}; {there}") for what in problems]
        raise CorpusError("the gold scores cannot be used", listed)
    known = {ours: found[0] for ours, found in single.items() if found}
    return Named(scores, **known, group=group)


def _scores(names: Sequence[str]) -> tuple[dict[str | None, str], list[str]]:
    """The one column of scores, or one for each task, and what is unclear about it."""
    general, by_task = _called(names, SCORES), _called(names, TASKS)
    if not general and not by_task:
        listed = "score, gold, label, intensity score, or after a task"
        return {}, [f"no column of scores; expected one called {listed} ({', '.join(TASKS)})"]
    tasks = [folded(name) for name in by_task]
    if len(general) > 1 or (general and by_task) or len(set(tasks)) < len(tasks):
        return {}, [_unclear([*general, *by_task], "score")]
    return ({None: general[0]} if general else dict(zip(tasks, by_task, strict=True))), []


def _called(names: Sequence[str], called: Sequence[str]) -> list[str]:
    wanted = {folded(name) for name in called}
    return [name for name in names if folded(name) in wanted]


def _unclear(found: Sequence[str], ours: str) -> str:
    listed = " and ".join(repr(name) for name in found)
    return f"the columns {listed} could each be the {ours}; leave only one or rename the others"


# ---------------------------------------------------------------- cells


def _column(table: TableFile, named: Named, task: str | None, column: str) -> pl.DataFrame:
    """One column of scores with what stands beside it; `task` where the rows do not say theirs."""
    said = _text(table, column).replace("", None)
    tasks = _text(table, named.task).str.to_lowercase().replace("", None)
    tasks = tasks if task is None else pl.repeat(task, said.len(), eager=True)
    numbers = class_scores(said, tasks) if named.classes else said.cast(pl.Float64, strict=False)
    return pl.DataFrame(
        {
            "id": _text(table, named.id).replace("", None),
            "text": _text(table, named.text, strip=False),
            "task": tasks,
            "said": said,
            "score": numbers,
            GROUP: _text(table, named.group).replace("", None),
            LINE: table.lines,
        }
    )


def _text(table: TableFile, column: str | None, *, strip: bool = True) -> pl.Series:
    if column is None:
        return pl.repeat(None, table.frame.height, dtype=pl.String, eager=True)
    found = table.frame[column]
    if found.dtype != pl.String:
        what = f"the column {column!r} holds {found.dtype}; expected text or numbers"
        raise CorpusError("the gold scores cannot be used", [Problem(table.at(), what)])
    return found.str.strip_chars() if strip else found


def _no_numbers(table: TableFile, named: Named, rows: pl.DataFrame) -> list[Problem]:
    """Scores that are no finite number, and classes that are none of their task's."""
    bad = rows.filter(~pl.col("score").is_finite().fill_null(False))
    expected = class_expected if named.classes else _number_expected
    found = (
        Problem(table.at(line), _found(said, expected(said, task)))
        for line, said, task in bad.select(LINE, "said", "task").rows()
    )
    return capped(found, "scores that are no numbers")


def _number_expected(said: str, _task: str | None) -> str:
    comma = re.search(DECIMAL_COMMA, said)
    return f"a number, with a point: {said.replace(',', '.')}" if comma else "a number"


def _found(said: str, expected: str) -> str:
    shown = said if len(said) <= SHOWN else said[:SHOWN] + "…"
    return f"found {shown!r} for the score; expected {expected}"


def _no_key(table: TableFile, named: Named, rows: pl.DataFrame) -> Iterator[Problem]:
    """Rows that do not say which text they are for."""
    key = "id" if named.id else "text"
    blank = pl.col(key).is_null() | (pl.col(key).str.strip_chars() == "")
    lines = rows.filter(blank)[LINE]
    if lines.len():
        what = f"the {key} is empty in {table.among(lines)}; expected a value"
        yield Problem(table.at(lines[0]), what)


def _keyed(table: TableFile, named: Named, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows under an ID: their own, or the first place of their text in the file."""
    if not named.id:
        place = pl.format(f"{table.path.name.replace('{', '(').replace('}', ')')}:{{}}", LINE)
        rows = rows.with_columns(id=place.first().over("text"))
    return rows.with_columns(source=pl.lit(str(table.path))).select(*COLUMNS, GROUP, LINE)
