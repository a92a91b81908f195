"""CSV and TSV: parsed by Polars, gone over by Python where Polars would fill in or give up.

Python's own reader knows the line it is on, so that rows of another length and quotes that do not
close are named. It goes over a file only where there is a quote, a gap or a failure.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PanicException, PolarsError

from tiltmeter.corpora.published import without_repeats
from tiltmeter.corpora.table_file import TableFile, as_table, capped
from tiltmeter.errors import CorpusError, Problem

UNQUOTED = "quotes are read as part of the text: every line is one row as it stands"


@dataclass(frozen=True, slots=True)
class Delimited:
    """Cells between separators, not yet taken apart; unquoted, a quote is a letter like others."""

    path: Path
    data: bytes
    separator: str
    quoted: bool = True
    before: int = 0
    """How many lines of the file stand before the rows here: the names are given anew."""

    def records(self) -> Any:  # noqa: ANN401
        """Python's reader over the file, which knows the line it is on."""
        text = io.TextIOWrapper(io.BytesIO(self.data), encoding="utf-8", newline="")
        if self.quoted:
            return csv.reader(text, delimiter=self.separator, strict=True)
        return csv.reader(text, delimiter=self.separator, quoting=csv.QUOTE_NONE, strict=True)


@dataclass(slots=True)
class Scan:
    """What Python's reader saw: the names, where each record begins, and what is wrong."""

    names: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    across: list[int] = field(default_factory=list)
    """The lines of the records that run over several lines."""
    broken: list[Problem] = field(default_factory=list)
    """A quote that does not close."""
    ragged: list[tuple[int, int]] = field(default_factory=list)
    """Lines of the records of another length, and how many cells they have."""

    def see(self, record: list[str], begin: int, end: int) -> None:
        """Take note of a record and of the lines it begins and ends on."""
        if not self.names:
            self.names = record
            return
        self.lines.append(begin)
        if end > begin:
            self.across.append(begin)
        if record and len(record) != len(self.names):
            self.ragged.append((begin, len(record)))

    def problems(self, source: Delimited) -> list[Problem]:
        """Everything wrong."""
        uneven = (ragged_row(source, line, cells, len(self.names)) for line, cells in self.ragged)
        return [*self.broken, *capped(uneven, "rows of another length")]


def read_delimited(source: Delimited, notes: list[str]) -> TableFile:
    """The table in a CSV or TSV file: parsed by Polars, checked by Python where it must be."""
    source, scan = _quoting(source)
    said = [*notes, UNQUOTED] if not source.quoted else notes
    parsed = parse(source, scan)
    if problems := parsed.problems(source):
        raise CorpusError("the table cannot be read", problems)
    return as_table(source.path, parsed.frame, parsed.lines, [*said, *across(parsed.scan.across)])


@dataclass(frozen=True, slots=True)
class Parsed:
    """The rows of a table, or what keeps them from being read."""

    frame: pl.DataFrame
    lines: Sequence[int]
    names: list[str]
    scan: Scan

    def problems(self, source: Delimited) -> list[Problem]:
        """Everything wrong."""
        return [*bad_names(source, self.names), *self.scan.problems(source)]


def parse(source: Delimited, scan: Scan | None) -> Parsed:
    """Parsed by Polars; by Python where there is no scan yet and one is needed."""
    frame = None if scan and faulty(scan) else _parse(source)
    if scan is None and (frame is None or not frame.width or frame[:, -1].null_count()):
        scan = _scan(source)
    found = scan.names if scan else _first_line(source)
    names = column_names(found)
    if (scan and faulty(scan)) or any(bad_names(source, names)):
        return Parsed(pl.DataFrame(), [], names, scan or Scan())
    if frame is None or frame.width != len(names):
        frame = _parse_by_hand(source, len(names))
    frame.columns = names
    return Parsed(frame, _lines(source, scan, frame.height), names, scan or Scan())


def column_names(found: Sequence[str | None]) -> list[str]:
    """The names of columns: a number where one has none, and a published file's each once."""
    named = [name or f"column {nth}" for nth, name in enumerate(found, start=1)]
    return without_repeats(named)


def across(lines: Sequence[int]) -> list[str]:
    """A note on rows that run over several lines, if any do."""
    count = f"{len(lines):,}, the first on line {lines[0]}" if lines else ""
    return [f"rows that run over several lines, by the quotes: {count}"] if lines else []


def faulty(scan: Scan) -> bool:
    """Whether anything is wrong."""
    return bool(scan.broken or scan.ragged)


def _quoting(source: Delimited) -> tuple[Delimited, Scan | None]:
    """Whether quotes enclose cells: in a TSV not if that breaks rows that are whole without."""
    if b'"' not in source.data:
        return source, None
    scan = _scan(source)
    if source.separator == "\t" and (faulty(scan) or scan.across):
        bare = replace(source, quoted=False)
        if not faulty(plain := _scan(bare)):
            return bare, plain
    return source, scan


def _parse(source: Delimited) -> pl.DataFrame | None:
    quote = '"' if source.quoted else None
    try:
        return pl.read_csv(
            source.data, separator=source.separator, quote_char=quote, infer_schema=False
        )
    except (PolarsError, PanicException):
        return None


def _parse_by_hand(source: Delimited, width: int) -> pl.DataFrame:
    """The rows as Python reads them, where Polars gives up on a sound file (5" here, 6" there)."""
    with long_cells(len(source.data)):
        records = list(source.records())
    names = next(nth for nth, record in enumerate(records) if record)
    rows = [record or [None] * width for record in records[names + 1 :]]
    return pl.DataFrame(rows, [(f"{nth}", pl.String) for nth in range(width)], orient="row")


def _scan(source: Delimited) -> Scan:
    """Go over every record: where it begins, and whether its cells are as many as the names."""
    scan, end = Scan(), 0
    records = source.records()
    with long_cells(len(source.data)):
        try:
            for record in records:
                begin, end = end + 1, records.line_num
                scan.see(record, source.before + begin, source.before + end)
        except csv.Error as error:
            scan.broken.append(bad_quote(source, source.before + end + 1, error))
    return scan


@contextmanager
def long_cells(longest: int) -> Iterator[None]:
    """Let Python's reader take a cell as long as the file; it stops at 131,072 otherwise."""
    before = csv.field_size_limit()
    csv.field_size_limit(max(before, longest))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def ragged_row(source: Delimited, line: int, found: int, expected: int) -> Problem:
    """A row with more or fewer cells than there are names, as a problem."""
    what = f"found {found:,} cells; expected {expected:,}, one for each column name"
    advice = f"put quotes around a cell that holds {source.separator!r}"
    return Problem(f"{source.path}:{line}", f"{what}; {advice}" if source.quoted else what)


def bad_quote(source: Delimited, line: int, error: csv.Error) -> Problem:
    """A quote that does not close, as a problem."""
    what = (
        f"a quote that opens in the row from here on does not close as it should ({error}); "
        'expected "…" around the whole cell, and "" for a quote within it'
    )
    return Problem(f"{source.path}:{line}", what)


def _first_line(source: Delimited) -> list[str]:
    return (
        source.data.lstrip(b"\r\n").split(b"\n", 1)[0].decode().rstrip("\r").split(source.separator)
    )


def _lines(source: Delimited, scan: Scan | None, height: int) -> Sequence[int]:
    """The line each row begins on; without a scan every row is one line."""
    if scan and len(scan.lines) == height:
        return scan.lines
    blank = len(source.data) - len(source.data.lstrip(b"\r\n"))
    start = source.before + source.data.count(b"\n", 0, blank) + 2
    return range(start, start + height)


def bad_names(source: Delimited, names: list[str]) -> Iterator[Problem]:
    """Column names that stand twice, or one name that is a whole line of another format."""
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        places = " and ".join(str(nth) for nth, other in enumerate(names, 1) if other == name)
        what = f"the column name {name!r} stands {names.count(name)} times, as columns {places}"
        yield Problem(f"{source.path}:1", f"{what}; expected each name once")
    for other in ";\t,|":
        if len(names) == 1 and other != source.separator and other in names[0]:
            what = f"found {other!r} between the column names; expected {source.separator!r}"
            yield Problem(f"{source.path}:1", f"{what}; save it anew with that separator")
