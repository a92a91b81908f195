"""Reading a user's table: bytes in, a frame of text with the line of every row out.

Polars parses. Python's own readers go over the file a second time only where Polars would fill in,
give up or not say where: rows that are too short, quotes, broken JSON. They name the line.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PanicException, PolarsError

from tiltmeter.errors import CorpusError, Problem

SEPARATORS = {".csv": ",", ".tsv": "\t"}
JSON_LINES, PARQUET = (".jsonl", ".ndjson"), ".parquet"
TABLE_FILES = (*SEPARATORS, *JSON_LINES, PARQUET)
"""The endings of the files that hold a table."""

KINDS = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
"""What a line of JSON may hold instead of an object, in words."""

NAMED = 5
"""How many problems of one kind are named before the rest is only counted."""

MARKS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
"""Byte order marks, the longer ones first."""


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


def read_table(path: Path, encoding: str | None = None) -> TableFile:
    """Read a CSV, TSV, JSONL or Parquet file, or say everything that keeps it from being read."""
    suffix = path.suffix.lower()
    if suffix not in TABLE_FILES and not path.is_dir():
        what = f"found the ending {path.suffix!r}; expected one of {', '.join(TABLE_FILES)}"
        raise CorpusError("the file is of an unknown kind", [Problem(str(path), what)])
    data = _bytes(path)
    if suffix == PARQUET:
        return _parquet(path, data)
    text, notes = _utf8(path, data, encoding)
    if suffix in SEPARATORS:
        return _delimited(Delimited(path, text, SEPARATORS[suffix]), notes)
    return _json_lines(path, text, notes)


def capped(problems: Iterable[Problem], rest: str) -> list[Problem]:
    """The first problems of a kind, and a count of the rest, so that other kinds stay in sight."""
    found = iter(problems)
    named = list(islice(found, NAMED))
    left = sum(1 for _ in found)
    return [*named, Problem("", f"… and {left:,} more {rest}")] if left else named


def folded(name: str) -> str:
    """A column name as it is compared, whatever its case, spaces, underscores and hyphens.

    >>> folded("Emotion word") == folded("emotion_word")
    True
    """
    return re.sub(r"[\s_-]+", "", name).casefold()


def _bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = "this is a folder" if path.is_dir() else error.strerror or str(error)
        problem = Problem(str(path), f"{reason}; expected a file that can be read")
        raise CorpusError("the file cannot be read", [problem]) from error
    if not data.strip():
        raise _nothing(path)
    return data


def _nothing(path: Path) -> CorpusError:
    what = "found nothing in it; expected a table with a row for each sentence"
    return CorpusError("the file is empty", [Problem(str(path), what)])


def _utf8(path: Path, data: bytes, encoding: str | None) -> tuple[bytes, list[str]]:
    """The file's text as UTF-8 without a byte order mark, and a note when it was not so."""
    marked = next((name for mark, name in MARKS.items() if data.startswith(mark)), None)
    named = encoding or marked or "utf-8"
    try:
        text = data.decode(named).removeprefix("\ufeff").encode()
    except LookupError as error:
        what = f"there is no encoding called {named!r}; try utf-8, cp1252, latin-1 or utf-16"
        raise CorpusError("the encoding is unknown", [Problem(str(path), what)]) from error
    except UnicodeError as error:
        problem = _undecodable(path, data, named, getattr(error, "start", 0))
        raise CorpusError("the file is in another encoding", [problem]) from error
    if not text.strip():
        raise _nothing(path)
    if b"\0" in text:
        problem = _not_text(path, text.count(b"\n", 0, text.index(b"\0")) + 1)
        raise CorpusError("the file is not a text file", [problem])
    if b"\n" not in text:
        text = text.replace(b"\r", b"\n")
    return text, [] if named == "utf-8" else [f"read as {named}"]


def _undecodable(path: Path, data: bytes, encoding: str, start: int) -> Problem:
    line = data.count(b"\n", 0, start) + 1
    if b"\0" in data and not encoding.startswith(("utf-16", "utf-32")):
        return _not_text(path, line)
    position = start - data.rfind(b"\n", 0, start)
    what = (
        f"byte 0x{data[start]:02x} (byte {position:,} of the line) is not {encoding.upper()}; "
        "save the file as UTF-8 or say its encoding: --encoding cp1252 (Windows) or latin-1"
    )
    return Problem(f"{path}:{line}", what)


def _not_text(path: Path, line: int) -> Problem:
    what = (
        "found a NUL byte, so this is no UTF-8 text (a spreadsheet under another name?); "
        "save it as CSV in UTF-8, or say its encoding, as in --encoding utf-16-le"
    )
    return Problem(f"{path}:{line}", what)


def _table(
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


# ------------------------------------------------------------------ CSV and TSV


@dataclass(frozen=True, slots=True)
class Delimited:
    """Cells between separators, not yet taken apart; unquoted, a quote is a letter like others."""

    path: Path
    data: bytes
    separator: str
    quoted: bool = True

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
    problems: list[Problem] = field(default_factory=list)


def _delimited(source: Delimited, notes: list[str]) -> TableFile:
    """The table in a CSV or TSV file: parsed by Polars, checked by Python where it must be."""
    source, scan = _quoting(source)
    if not source.quoted:
        notes = [*notes, "quotes are read as part of the text: every line is one row as it stands"]
    frame = None if scan and scan.problems else _parse(source)
    if scan is None and (frame is None or not frame.width or frame[:, -1].null_count()):
        scan = _scan(source)
    found = scan.names if scan else _first_line(source)
    names = [name or f"column {nth}" for nth, name in enumerate(found, start=1)]
    problems = [*_bad_names(source, names), *(scan.problems if scan else ())]
    if problems:
        raise CorpusError("the table cannot be read", problems)
    if frame is None or frame.width != len(names):
        frame = _parse_by_hand(source, len(names))
    frame.columns = names
    if scan and scan.across:
        lines = f"{len(scan.across):,}, the first on line {scan.across[0]}"
        notes = [*notes, f"rows that run over several lines, by the quotes: {lines}"]
    return _table(source.path, frame, _lines(source, scan, frame.height), notes)


def _quoting(source: Delimited) -> tuple[Delimited, Scan | None]:
    """Whether quotes enclose cells: in a TSV not if that breaks rows that are whole without."""
    if b'"' not in source.data:
        return source, None
    scan = _scan(source)
    if source.separator == "\t" and (scan.problems or scan.across):
        bare = replace(source, quoted=False)
        if not (plain := _scan(bare)).problems:
            return bare, plain
    return source, scan


def _parse(source: Delimited) -> pl.DataFrame | None:
    quote = '"' if source.quoted else None
    try:
        return pl.read_csv(
            source.data, separator=source.separator, quote_char=quote, infer_schema=False
        )
    except PolarsError:
        return None


def _parse_by_hand(source: Delimited, width: int) -> pl.DataFrame:
    """The rows as Python reads them, where Polars gives up on a sound file (5" here, 6" there)."""
    with _long_cells(len(source.data)):
        records = list(source.records())
    names = next(nth for nth, record in enumerate(records) if record)
    rows = [record or [None] * width for record in records[names + 1 :]]
    return pl.DataFrame(rows, [(f"{nth}", pl.String) for nth in range(width)], orient="row")


def _scan(source: Delimited) -> Scan:
    """Go over every record: where it begins, and whether its cells are as many as the names."""
    scan, ragged, end = Scan(), list[tuple[int, int]](), 0
    records = source.records()
    with _long_cells(len(source.data)):
        try:
            for record in records:
                begin, end = end + 1, records.line_num
                if not scan.names:
                    scan.names = record
                    continue
                scan.lines.append(begin)
                if end > begin:
                    scan.across.append(begin)
                if record and len(record) != len(scan.names):
                    ragged.append((begin, len(record)))
        except csv.Error as error:
            scan.problems.append(_bad_quote(source, end + 1, error))
    uneven = (_ragged(source, line, cells, len(scan.names)) for line, cells in ragged)
    scan.problems += capped(uneven, "rows of another length")
    return scan


@contextmanager
def _long_cells(longest: int) -> Iterator[None]:
    """Let Python's reader take a cell as long as the file; it stops at 131,072 otherwise."""
    before = csv.field_size_limit()
    csv.field_size_limit(max(before, longest))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _ragged(source: Delimited, line: int, found: int, expected: int) -> Problem:
    what = f"found {found:,} cells; expected {expected:,}, one for each column name"
    advice = f"put quotes around a cell that holds {source.separator!r}"
    return Problem(f"{source.path}:{line}", f"{what}; {advice}" if source.quoted else what)


def _bad_quote(source: Delimited, line: int, error: csv.Error) -> Problem:
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
    start = source.data.count(b"\n", 0, blank) + 2
    return range(start, start + height)


def _bad_names(source: Delimited, names: list[str]) -> Iterator[Problem]:
    """Column names that stand twice, or one name that is a whole line of another format."""
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        places = " and ".join(str(nth) for nth, other in enumerate(names, 1) if other == name)
        what = f"the column name {name!r} stands {names.count(name)} times, as columns {places}"
        yield Problem(f"{source.path}:1", f"{what}; expected each name once")
    for other in ";\t,|":
        if len(names) == 1 and other != source.separator and other in names[0]:
            what = f"found {other!r} between the column names; expected {source.separator!r}"
            yield Problem(f"{source.path}:1", f"{what}; save it anew with that separator")


# ------------------------------------------------------------------ JSON lines and Parquet


def _json_lines(path: Path, data: bytes, notes: list[str]) -> TableFile:
    """The table in a file with one JSON object a line."""
    try:
        frame = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
    except PolarsError:
        frame = _objects_by_hand(path, data)
    lines = [number for number, line in enumerate(io.BytesIO(data), start=1) if line.strip()]
    exact = len(lines) == frame.height
    return _table(path, frame, lines if exact else range(1, frame.height + 1), notes)


def _objects_by_hand(path: Path, data: bytes) -> pl.DataFrame:
    """The objects as Python reads them, or an error that names every line that holds none."""
    rows, problems = list[dict[str, Any]](), list[Problem]()
    for number, line in enumerate(io.BytesIO(data), start=1):
        if not line.strip():
            continue
        try:
            rows.append(_json_object(line))
        except (ValueError, RecursionError) as error:
            what = f"{error}; expected one whole JSON object on each line"
            problems.append(Problem(f"{path}:{number}", what))
    if problems:
        raise CorpusError("the table cannot be read", capped(problems, "lines like these"))
    names = dict.fromkeys(name for row in rows for name in row)
    return pl.DataFrame(
        {name: [_cell(row.get(name)) for row in rows] for name in names},
        dict.fromkeys(names, pl.String),
    )


def _json_object(line: bytes) -> dict[str, Any]:
    """The object on a line; ValueError says what else was found."""
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"broken JSON at character {error.pos + 1:,} ({error.msg})") from error
    if not isinstance(value, dict):
        raise ValueError(f"found {KINDS.get(type(value), 'a number')}")
    json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair is no text
    return value


def _cell(value: object) -> str | None:
    """A JSON value as the text of a cell: 1.0 as "1", NaN as nothing."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        return None if value != value else str(int(value) if value.is_integer() else value)
    return json.dumps(value, ensure_ascii=False)


def _parquet(path: Path, data: bytes) -> TableFile:
    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (PolarsError, PanicException) as error:
        what = f"the file is damaged or not Parquet ({str(error).splitlines()[0]}); write it anew"
        raise CorpusError("the table cannot be read", [Problem(str(path), what)]) from error
    return _table(path, frame, range(1, frame.height + 1), [])
