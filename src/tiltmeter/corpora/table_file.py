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

PARQUET = ".parquet"

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

    def among(self, lines: Sequence[int] | pl.Series) -> str:
        """The lines in words: `line 2`, `lines 2 and 5`, `lines 2, 5, 7, 8, 9 and 12 more`."""
        named = [f"{line:,}" for line in lines[:NAMED]]
        rest = len(lines) - len(named)
        *others, last = [*named, f"{rest:,} more"] if rest else named
        word = self._unit if len(lines) == 1 else f"{self._unit}s"
        return f"{word} {', '.join(others)} and {last}" if others else f"{word} {last}"

    @property
    def _unit(self) -> str:
        return "row" if self.path.suffix.lower() == PARQUET else "line"


def capped(problems: Iterable[Problem], rest: str) -> list[Problem]:
    """The first problems of a kind, and a count of the rest, so that other kinds stay in sight."""
    found = iter(problems)
    named = list(islice(found, NAMED))
    left = sum(1 for _ in found)
    return [*named, Problem("", f"… and {left:,} more {rest}")] if left else named


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
    text = frame.select(_as_text(column) for column in frame)
    kept = text.select(~pl.all_horizontal(pl.all().is_null())).to_series() if text.width else None
    if kept is None or not kept.any():
        what = "found no rows under the column names; expected one for each sentence"
        raise CorpusError("the table is empty", [Problem(str(path), what)])
    blank = text.height - int(kept.sum())
    said = [*notes, *([f"blank rows left out: {blank:,}"] if blank else [])]
    numbers = pl.Series("line", lines, dtype=pl.Int64)
    return TableFile(path, text.filter(kept), numbers.filter(kept), tuple(said))


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
