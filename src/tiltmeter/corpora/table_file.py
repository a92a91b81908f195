"""A user's table as it stands in a file: columns of text, and the line of every row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from tiltmeter.errors import CorpusError, Problem
from tiltmeter.workbook import WORKBOOK

PARQUET = ".parquet"
BY_ROW = (PARQUET, WORKBOOK)
"""Files whose rows are no lines."""

NAMED = 5
"""How many problems of one kind are named before the rest is only counted."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table as it stands in a file: text columns, and the line each row begins on."""

    path: Path
    frame: pl.DataFrame
    lines: pl.Series
    notes: tuple[str, ...] = ()

    def at(self, line: int | None = None) -> str:
        """The place of a line for a message: `file.csv:12`, or `file.parquet:row 12`."""
        row = "row " if self._unit == "row" else ""
        return str(self.path) if line is None else f"{self.path}:{row}{line}"

    def among(self, lines: Sequence[int] | pl.Series, many: int | None = None) -> str:
        """The lines in words: `line 2`, `lines 2 and 5`, `lines 2, 5, 7, 8, 9 and 12 more`.

        There are as many as are given, or `many` of which these are the first.
        """
        many = len(lines) if many is None else many
        named = [f"{line:,}" for line in lines[:NAMED]]
        rest = many - len(named)
        *others, last = [*named, f"{rest:,} more"] if rest else named
        word = self._unit if many == 1 else f"{self._unit}s"
        return f"{word} {', '.join(others)} and {last}" if others else f"{word} {last}"

    def without_rows(self) -> TableFile:
        """The same table's columns, to speak of it."""
        return TableFile(self.path, self.frame.clear(), self.lines.clear(), self.notes)

    @property
    def _unit(self) -> str:
        return "row" if self.path.suffix.lower() in BY_ROW else "line"


def capped(problems: Iterable[Problem], rest: str) -> list[Problem]:
    """The first problems of a kind, and a count of the rest, so that other kinds stay in sight."""
    found = iter(problems)
    named = list(islice(found, NAMED))
    return capped_at(named, len(named) + sum(1 for _ in found), rest)


def capped_at(named: Sequence[Problem], many: int, rest: str) -> list[Problem]:
    """The problems that are named, and a count of the rest where there are `many`."""
    left = many - len(named)
    return [*named, Problem("", f"… and {left:,} more {rest}")] if left else list(named)


def without_encoding(problem: Problem) -> Problem:
    """The problem without the advice to name the encoding, where there is no option for it."""
    return Problem(problem.where, re.sub(r",? or say its encoding.*", "", problem.what))


def folded(name: str) -> str:
    """A column name as it is compared, whatever its case, spaces, underscores and hyphens.

    >>> folded("Emotion word") == folded("emotion_word")
    True
    """
    return re.sub(r"[\s_-]+", "", name).casefold()


def as_table(
    path: Path, frame: pl.DataFrame, lines: Sequence[int], notes: Sequence[str]
) -> TableFile:
    """The table as text without its blank rows, or an error when no other row is left."""
    rows, numbers = text_rows(frame, lines)
    if rows.is_empty():
        raise no_rows(path)
    return TableFile(path, rows, numbers, (*notes, *blank_rows(frame.height - rows.height)))


def text_rows(frame: pl.DataFrame, lines: Sequence[int]) -> tuple[pl.DataFrame, pl.Series]:
    """The table as text, and the line of every row; without its blank rows."""
    text = frame.select(_as_text(column) for column in frame)
    numbers = pl.Series("line", lines, dtype=pl.Int64)
    if not text.width:
        return text, numbers.clear()
    kept = text.select(~pl.all_horizontal(pl.all().is_null())).to_series()
    return text.filter(kept), numbers.filter(kept)


def no_rows(path: Path) -> CorpusError:
    """What is said of a table without rows."""
    what = "found no rows under the column names; expected one for each sentence"
    return CorpusError("the table is empty", [Problem(str(path), what)])


def blank_rows(many: int) -> list[str]:
    """A note on rows that were left out, if any were."""
    return [f"blank rows left out: {many:,}"] if many else []


def _as_text(column: pl.Series) -> pl.Series:
    """The column as text, 1.0 as "1", empty cells null; a type without a plain text stays."""
    if column.dtype.is_float():
        whole = (column == column.round()) & (column.abs() < 2**53)
        number = column.cast(pl.Int64, strict=False).cast(pl.String)
        column = column.fill_nan(None).cast(pl.String).zip_with(~whole.fill_null(False), number)
    try:
        return column if column.dtype.is_nested() else column.cast(pl.String).replace("", None)
    except PolarsError:
        return column
