"""Tables in CSV, TSV, JSONL, Parquet and XLSX: columns of text, with the line of every row.

Two manners of reading share the parts:

    read_table       a user's own table: anything wrong in it is an error that names the lines
    read_submission  a table from many hands: every leniency leaves a note, a row may be too long

Polars parses a plain file at once. Python's own reader, which knows the line it is on, goes over a
file only where there is a quote, a gap or a failure.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PanicException, PolarsError

from tiltmeter.columns import name_columns
from tiltmeter.errors import PROBLEMS_NAMED, CorpusError, Problem, cap_problems
from tiltmeter.files import (
    LARGEST_TABLE,
    MB,
    check_plain_file,
    is_folder,
    parquet_frame,
    with_formulas,
)
from tiltmeter.schemas import SENTENCES
from tiltmeter.workbook import WORKBOOK, workbook_frame

PARQUET = ".parquet"
SEPARATORS = {".csv": ",", ".tsv": "\t"}
JSON_LINES = (".jsonl", ".ndjson")
TABLE_FILES = (*SEPARATORS, *JSON_LINES, PARQUET, WORKBOOK)
"""The endings of the files that hold a table."""
BY_ROW = (PARQUET, WORKBOOK)
"""Files whose rows are no lines."""
SUBMISSION_SEPARATORS = {".csv": ",\t;", ".tsv": "\t,;", ".txt": "\t,;"}
"""The separators that a submission of each ending may have, the usual one first."""

MARKS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
"""Byte order marks, the longer ones first."""
WIDE = ("utf-16", "utf-32")
"""Encodings in which a NUL byte is half of a letter."""
UNREADABLE = "\ufffd"
"""What stands for a byte that is no letter."""
PIECE = 16 * MB
"""How much is decoded at once to see whether it can be."""
UNQUOTED = "quotes are read as part of the text: every line is one row as it stands"


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
        named = [f"{line:,}" for line in lines[:PROBLEMS_NAMED]]
        rest = len(lines) - len(named)
        *others, last = [*named, f"{rest:,} more"] if rest else named
        word = self._unit if len(lines) == 1 else f"{self._unit}s"
        return f"{word} {', '.join(others)} and {last}" if others else f"{word} {last}"

    def empty(self, lines: pl.Series, name: str, expected: str = "a value") -> list[Problem]:
        """A problem for the lines in which a cell is empty; none where there are no such."""
        if not lines.len():
            return []
        what = f"{name} is empty in {self.among(lines)}; expected {expected}"
        return [Problem(self.at(lines[0]), what)]

    def repeated(self, cells: pl.Series, name: str, expected: str, kind: str) -> list[Problem]:
        """A problem for each text that stands in several lines, a few named, the others counted."""
        rows = pl.DataFrame({"cell": cells, "line": self.lines}).drop_nulls("cell")
        again = rows.filter(pl.col("cell").is_duplicated())
        found = (
            Problem(
                self.at(lines[1]),
                f"the {name} {cell!r} stands in {self.among(lines)}; expected {expected}",
            )
            for cell, lines in again.group_by("cell", maintain_order=True).agg("line").iter_rows()
        )
        return cap_problems(found, kind)

    @property
    def _unit(self) -> str:
        return "row" if self.path.suffix.lower() in BY_ROW else "line"


def read_table(path: Path, encoding: str | None = None, *, subject: str | None = None) -> TableFile:
    """Read a CSV, TSV, JSONL, Parquet or Excel file, or say all that keeps it from being read.

    `subject` heads the message where the command has no option for the encoding, which is then not
    spoken of.
    """
    if subject is not None:
        try:
            return read_table(path, encoding)
        except CorpusError as error:
            raise CorpusError(subject, list(map(without_encoding, error.problems))) from error
    suffix = path.suffix.lower()
    if suffix not in TABLE_FILES and not is_folder(path):
        what = f"found the ending {path.suffix!r}; expected one of {', '.join(TABLE_FILES)}"
        raise CorpusError("the file is of an unknown kind", [Problem(str(path), what)])
    if suffix in BY_ROW:
        return _read_by_row(path)
    text, notes = _file_text(path, encoding)
    if suffix in SEPARATORS:
        return _without_guard(_read_delimited(_Delimited(path, text, SEPARATORS[suffix]), notes))
    return _text_table(path, *_json_lines(path, text), notes)


def read_tabbed(path: Path) -> TableFile:
    """Read a tab-separated file whatever its ending; quotes are letters like others."""
    text, notes = _file_text(path, None)
    return _read_delimited(_Delimited(path, text, "\t", quoted=False), notes)


def table_in_hand(frame: pl.DataFrame, name: str) -> TableFile:
    """A frame as the table of a file of that name."""
    return _text_table(Path(name), frame, range(1, frame.height + 1), [])


def without_encoding(problem: Problem) -> Problem:
    """The problem without the advice to name the encoding, where there is no option for it."""
    return Problem(problem.where, re.sub(r",? or say its encoding.*", "", problem.what))


EXPLORED = ("text", "frame", "gender")
"""The columns of the table that the explorer adds sentences to."""
EXPLORED_FRAME = "explored-"
"""How each of its frames begins."""


def _without_guard(table: TableFile) -> TableFile:
    """The table; one that we wrote ourselves without the guard against spreadsheets."""
    columns = table.frame.columns
    ours = set(SENTENCES.columns) <= set(columns) or (
        tuple(columns) == EXPLORED and table.frame["frame"].str.starts_with(EXPLORED_FRAME).all()
    )
    return replace(table, frame=with_formulas(table.frame)) if ours else table


def _text_table(
    path: Path, frame: pl.DataFrame, lines: Sequence[int], notes: Sequence[str]
) -> TableFile:
    """The table as text without its blank rows, or an error when no other row is left.

    1.0 is "1", empty cells are null, and a column whose type has no plain text stays as it is.
    """
    columns = list[pl.Series]()
    for column in frame:
        if column.dtype.is_float():
            whole = (column == column.round()) & (column.abs() < 2**53)
            number = column.cast(pl.Int64, strict=False).cast(pl.String)
            column = column.fill_nan(None).cast(pl.String).zip_with(~whole.fill_null(False), number)
        if not column.dtype.is_nested():
            with suppress(PolarsError):
                column = column.cast(pl.String).replace("", None)
        columns.append(column)
    text, numbers = pl.DataFrame(columns), pl.Series("line", lines, dtype=pl.Int64)
    if text.width:
        filled = text.select(~pl.all_horizontal(pl.all().is_null())).to_series()
        text, numbers = text.filter(filled), numbers.filter(filled)
    if not text.width or text.is_empty():
        what = "found no rows under the column names; expected one for each sentence"
        raise CorpusError("the table is empty", [Problem(str(path), what)])
    blank = frame.height - text.height
    blank_note = [f"blank rows left out: {blank:,}"] if blank else []
    return TableFile(path, text, numbers, (*notes, *blank_note))


# ---------------------------------------------------------------- bytes to text


def _file_text(path: Path, encoding: str | None) -> tuple[bytes, list[str]]:
    """The file's text as UTF-8 without a byte order mark, and a note when it was not so.

    Of what is no text at all, a disk image under the name of a table, only the start is read.
    """
    start = _file_bytes(path, MB)
    try:
        named = codecs.lookup(encoding or "utf-8").name
    except LookupError as error:
        raise _unknown_encoding(path, str(encoding)) from error
    if len(start) == MB and not (named.startswith(WIDE) or start.startswith(tuple(MARKS))):
        if b"\0" in start:
            raise CorpusError("the file is not a text file", [_nul_byte(path, start)])
        end = max(start.rfind(b"\n"), start.rfind(b"\r")) + 1
        if encoding is None and not end:
            what = "its first line has no end within a megabyte; expected a line of column names"
            problem = Problem(str(path), f"{what}, then its rows")
            raise CorpusError("the file holds no table", [problem])
        if encoding is None:
            _utf8(path, start[:end], encoding)
    return _utf8(path, _file_bytes(path), encoding)


def _file_bytes(path: Path, most: int = -1) -> bytes:
    """What a file holds, or so much of it; an error where that is nothing, or it is too large."""
    try:
        check_plain_file(path, LARGEST_TABLE)
        with path.open("rb") as file:
            data = file.read(most)
    except OSError as error:
        reason = "this is a folder" if is_folder(path) else error.strerror or str(error)
        problem = Problem(str(path), f"{reason}; expected a file that can be read")
        raise CorpusError("the file cannot be read", [problem]) from error
    if not data.strip():
        raise _empty_file(path)
    return data


def _utf8(path: Path, data: bytes, encoding: str | None) -> tuple[bytes, list[str]]:
    """The data in UTF-8 without a byte order mark, and a note when they were not so."""
    name = encoding or _marked_encoding(data) or "utf-8"
    try:
        if codecs.lookup(name).name != "utf-8":
            text = data.decode(name).removeprefix("\ufeff").encode()
        else:  # what is UTF-8 already is not copied
            at, whole = 0, memoryview(data)
            while at < len(data):
                end = data.find(b"\n", at + PIECE) + 1 or len(data)
                try:
                    str(whole[at:end], "utf-8")
                except UnicodeDecodeError as error:
                    error.start += at
                    raise
                at = end
            text = data.removeprefix(codecs.BOM_UTF8)
    except LookupError as error:  # what is no encoding of letters
        raise _unknown_encoding(path, name) from error
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        line = data.count(b"\n", 0, start) + 1
        position = start - data.rfind(b"\n", 0, start)
        what = (
            f"byte 0x{data[start]:02x} (byte {position:,} of the line) is not {name.upper()}; "
            "save the file as UTF-8 or say its encoding: --encoding cp1252 (Windows) or latin-1"
        )
        problem = Problem(f"{path}:{line}", what)
        if b"\0" in data and not name.startswith(WIDE):
            problem = _nul_byte(path, data, line)
        raise CorpusError("the file is in another encoding", [problem]) from error
    if not text.strip():
        raise _empty_file(path)
    if b"\0" in text:
        raise CorpusError("the file is not a text file", [_nul_byte(path, text)])
    if b"\n" not in text:
        text = text.replace(b"\r", b"\n")
    return text, [] if name == "utf-8" else [f"read as {name}"]


def _marked_encoding(data: bytes) -> str | None:
    """The encoding that a byte order mark tells."""
    return next((name for mark, name in MARKS.items() if data.startswith(mark)), None)


def _empty_file(path: Path) -> CorpusError:
    what = "found nothing in it; expected a table: a line of column names, then its rows"
    return CorpusError("the file is empty", [Problem(str(path), what)])


def _unknown_encoding(path: Path, encoding: str) -> CorpusError:
    what = f"there is no encoding called {encoding!r}; try utf-8, cp1252, latin-1 or utf-16"
    return CorpusError("the encoding is unknown", [Problem(str(path), what)])


def _nul_byte(path: Path, data: bytes, line: int | None = None) -> Problem:
    """A NUL byte in a line, by default the first one."""
    line = line or data.count(b"\n", 0, data.index(b"\0")) + 1
    what = (
        "found a NUL byte, so this is no UTF-8 text (a spreadsheet under another name?); "
        "save it as CSV in UTF-8, or say its encoding, as in --encoding utf-16-le"
    )
    return Problem(f"{path}:{line}", what)


# ---------------------------------------------------------------- CSV and TSV


@dataclass(frozen=True, slots=True)
class _Delimited:
    """Cells between separators, not yet taken apart; unquoted, a quote is a letter like others."""

    path: Path
    data: bytes
    separator: str
    quoted: bool = True

    @contextmanager
    def records(self) -> Iterator[Any]:
        """Python's reader over the file, which knows the line it is on.

        It takes a cell as long as the file; it stops at 131,072 letters otherwise.
        """
        text = io.TextIOWrapper(io.BytesIO(self.data), encoding="utf-8", newline="")
        quoting: Any = csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE
        longest = csv.field_size_limit()
        csv.field_size_limit(max(longest, len(self.data)))
        try:
            yield csv.reader(text, delimiter=self.separator, quoting=quoting, strict=True)
        finally:
            csv.field_size_limit(longest)

    def scan(self) -> _RecordScan:
        """Go over every record: where it begins, and whether its cells are as many as the names."""
        scan, end = _RecordScan(), 0
        try:
            with self.records() as records:
                for record in records:
                    begin, end = end + 1, records.line_num
                    if not scan.names:
                        scan.names = record
                        continue
                    scan.lines.append(begin)
                    if end > begin:
                        scan.across.append(begin)
                    if record and len(record) != len(scan.names):
                        scan.ragged.append((begin, len(record)))
        except csv.Error as error:
            what = (
                f"a quote that opens in the row from here on does not close as it should ({error})"
                '; expected "…" around the whole cell, and "" for a quote within it'
            )
            scan.broken.append(Problem(f"{self.path}:{end + 1}", what))
        return scan


@dataclass(slots=True)
class _RecordScan:
    """What Python's reader saw: the names, where each record begins, and what is wrong."""

    names: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    across: list[int] = field(default_factory=list)
    """The lines of the records that run over several lines."""
    broken: list[Problem] = field(default_factory=list)
    """A quote that does not close."""
    ragged: list[tuple[int, int]] = field(default_factory=list)
    """Lines of the records of another length, and how many cells they have."""

    @property
    def faulty(self) -> bool:
        return bool(self.broken or self.ragged)


def _read_delimited(source: _Delimited, notes: list[str]) -> TableFile:
    """The table in a CSV or TSV file: parsed by Polars, checked by Python where it must be."""
    scan = source.scan() if b'"' in source.data else None
    if scan and source.separator == "\t" and (scan.faulty or scan.across):
        bare = replace(source, quoted=False)  # where quotes break rows that are whole without
        if not (plain := bare.scan()).faulty:
            source, scan = bare, plain
    frame, quote = None, '"' if source.quoted else None
    if not (scan and scan.faulty):
        with suppress(PolarsError, PanicException):
            frame = pl.read_csv(
                source.data, separator=source.separator, quote_char=quote, infer_schema=False
            )
    if scan is None and (frame is None or not frame.width or frame[:, -1].null_count()):
        scan = source.scan()
    blank = len(source.data) - len(source.data.lstrip(b"\r\n"))
    first = source.data[blank:].split(b"\n", 1)[0].decode().rstrip("\r").split(source.separator)
    names = name_columns(scan.names if scan else first)
    problems = [*_bad_names(source.path, names, source.separator)]
    if scan:
        advice = f"; put quotes around a cell that holds {source.separator!r}"
        expected = f"expected {len(scan.names):,}, one for each column name"
        expected += advice if source.quoted else ""
        uneven = (
            Problem(f"{source.path}:{line}", f"found {cells:,} cells; {expected}")
            for line, cells in scan.ragged
        )
        problems += [*scan.broken, *cap_problems(uneven, "rows of another length")]
    if problems:
        raise CorpusError("the table cannot be read", problems)
    if frame is None or frame.width != len(names):
        # Polars gives up on some sound files (5" here, 6" there)
        with source.records() as reader:
            records = list(reader)
        begin = next(nth for nth, record in enumerate(records) if record) + 1
        rows = [record or [None] * len(names) for record in records[begin:]]
        frame = _text_frame(rows, len(names))
    frame.columns = names
    start = source.data.count(b"\n", 0, blank) + 2
    lines: Sequence[int] = range(start, start + frame.height)  # every row is one line
    if scan and len(scan.lines) == frame.height:
        lines = scan.lines
    notes = [*notes, *([] if source.quoted else [UNQUOTED])]
    if scan and scan.across:
        count = f"{len(scan.across):,}, the first on line {scan.across[0]}"
        notes.append(f"rows that run over several lines, by the quotes: {count}")
    return _text_table(source.path, frame, lines, notes)


def _text_frame(rows: list[list[str | None]], width: int) -> pl.DataFrame:
    return pl.DataFrame(rows, [(str(nth), pl.String) for nth in range(width)], orient="row")


def _bad_names(path: Path, names: list[str], separator: str) -> Iterator[Problem]:
    """Column names that stand twice, or one name that is a whole line of another format."""
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        places = " and ".join(str(nth) for nth, other in enumerate(names, 1) if other == name)
        what = f"the column name {name!r} stands {names.count(name)} times, as columns {places}"
        yield Problem(f"{path}:1", f"{what}; expected each name once")
    for other in ";\t,|":
        if len(names) == 1 and other != separator and other in names[0]:
            what = f"found {other!r} between the column names; expected {separator!r}"
            yield Problem(f"{path}:1", f"{what}; save it anew with that separator")


# ---------------------------------------------------------------- JSON lines


def _polars_json(data: bytes) -> pl.DataFrame | None:
    """The objects on the lines by Polars; None where it gives up, as it does on NaN."""
    try:
        return pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
    except (PolarsError, PanicException):
        return None


def _json_lines(path: Path, data: bytes) -> tuple[pl.DataFrame, Sequence[int]]:
    """The table in lines of JSON, an object each, and the line of every row."""
    frame = _polars_json(data)
    if frame is None:
        objects, problems = list[dict[str, Any]](), list[Problem]()
        for number, line in enumerate(io.BytesIO(data), 1):
            try:
                objects += [_json_object(line)] if line.strip() else []
            except (ValueError, RecursionError) as error:
                what = f"{error}; expected one whole JSON object on each line"
                problems.append(Problem(f"{path}:{number}", what))
        if problems:
            raise CorpusError(
                "the table cannot be read", cap_problems(problems, "lines like these")
            )

        def cell(value: object) -> str | None:
            """1.0 as "1", NaN as nothing."""
            if value is None or isinstance(value, str):
                return value
            if isinstance(value, float):
                return None if value != value else str(int(value) if value.is_integer() else value)
            return json.dumps(value, ensure_ascii=False)

        names = dict.fromkeys(name for row in objects for name in row)
        cells = {name: [cell(row.get(name)) for row in objects] for name in names}
        frame = pl.DataFrame(cells, dict.fromkeys(names, pl.String))
    lines = [number for number, line in enumerate(io.BytesIO(data), 1) if line.strip()]
    return frame, lines if len(lines) == frame.height else range(1, frame.height + 1)


def _json_object(line: bytes) -> dict[str, Any]:
    """The object on a line; ValueError says what else was found."""
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"broken JSON at character {error.pos + 1:,} ({error.msg})") from error
    if not isinstance(value, dict):
        kinds = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
        raise ValueError(f"found {kinds.get(type(value), 'a number')}")
    json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair is no text
    return value


# ---------------------------------------------------------------- Parquet and Excel


def _read_by_row(path: Path) -> TableFile:
    """A Parquet file, or the first sheet of a workbook, whose rows are those that Excel shows."""
    parquet, data = path.suffix.lower() == PARQUET, _file_bytes(path)
    try:
        frame, notes = (parquet_frame(data), list[str]()) if parquet else workbook_frame(data)
    except OSError as error:
        what = f"{error.strerror}; write it anew" if parquet else str(error.strerror)
        raise CorpusError("the table cannot be read", [Problem(str(path), what)]) from error
    if parquet:
        return _text_table(path, frame, range(1, frame.height + 1), notes)
    names = name_columns(frame.row(0))
    if problems := list(_bad_names(path, names, ",")):
        raise CorpusError("the table cannot be read", problems)
    frame = frame[1:]
    frame.columns = names
    return _without_guard(_text_table(path, frame, range(2, frame.height + 2), notes))


# ---------------------------------------------------------------- submissions

ROW, CROWDED = "*row", "*crowded"
"""Our columns: the row's line, or its number where rows are no lines; true where it has more
cells than there are names."""
NUL_BYTE = "found a NUL byte, so this is no text file; save it as CSV in UTF-8"


class UnusableTable(Exception):  # noqa: N818 - it becomes a report, not an error
    """Why a whole submission is set aside."""


@dataclass(frozen=True, slots=True)
class SubmissionTable:
    """The columns of a file under their positions, `0`, `1`, …, and what they are called there.

    Beside them ROW and CROWDED. Names may stand twice, and cells keep the types they have.
    """

    names: tuple[str, ...]
    frame: pl.DataFrame
    unit: str = "row"
    """What ROW counts: lines or rows."""
    notes: tuple[str, ...] = ()

    def at(self, rows: pl.Series) -> str:
        """Some rows in words: `line 2`, `lines 2, 5, 7 and 12 more`."""
        named, rest = [f"{row:,}" for row in rows[:3]], len(rows) - 3
        listed = ", ".join(named) + (f" and {rest:,} more" if rest > 0 else "")
        return f"{self.unit}{'s' if len(rows) > 1 else ''} {listed}"


def read_submission(path: Path, data: bytes) -> SubmissionTable:
    """The table in a file's bytes, or UnusableTable with what was found and expected.

    A tab-separated line is one row whatever quotes stand in it, bytes that are no UTF-8 harm only
    the letter they stand for, and every such leniency leaves a note.
    """
    suffix = path.suffix.lower()
    try:
        if suffix == PARQUET:
            table = typed_submission(parquet_frame(data), [])
        elif suffix == WORKBOOK:
            cells, notes = workbook_frame(data)
            names = [name or "" for name in cells.row(0)]
            rows = cells[1:].rename({name: str(nth) for nth, name in enumerate(cells.columns)})
            rows = rows.with_columns(pl.lit(None).alias(str(len(names))))
            table = _numbered(names, rows, notes, "row", 2)
        else:
            text, notes = _repair_text(data)
            if suffix in SUBMISSION_SEPARATORS:
                table = _delimited_submission(text, SUBMISSION_SEPARATORS[suffix], notes)
            else:
                table = typed_submission(_json_cells(text), notes)
    except OSError as error:
        again = "; write it anew" if suffix == PARQUET else ""
        raise UnusableTable(f"{error.strerror}{again}") from error
    if not table.frame.height:
        raise UnusableTable("found no rows under the column names; expected one for each sentence")
    return table


def check_submission_start(path: Path, start: bytes) -> None:
    """Refuse a long text file by its first megabyte, before gigabytes of it are read."""
    if len(start) < MB or path.suffix.lower() in BY_ROW or start.startswith(tuple(MARKS)):
        return
    if not start.strip():
        raise UnusableTable("found nothing in its first megabyte; expected a row for each sentence")
    if b"\0" in start:
        raise UnusableTable(NUL_BYTE)
    if b"\n" not in start and b"\r" not in start:
        raise UnusableTable("its first line has no end within a megabyte; expected column names")


def typed_submission(frame: pl.DataFrame, notes: list[str]) -> SubmissionTable:
    """A table whose columns have types of their own."""
    names = frame.columns
    numbered = frame.rename({name: str(nth) for nth, name in enumerate(names)})
    rows = numbered.with_row_index(ROW, offset=1).with_columns(pl.lit(False).alias(CROWDED))
    return SubmissionTable(tuple(names), rows, "row", tuple(notes))


def _repair_text(data: bytes) -> tuple[bytes, list[str]]:
    """The text as UTF-8, each line ended by a line feed, perhaps after a carriage return.

    What is no UTF-8 is Windows-1252 if most of its foreign bytes are none.
    """
    marked = _marked_encoding(data)
    notes = [f"read as {marked.upper()}"] if marked else []
    if marked:
        data = data.decode(marked, errors="replace").encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    if not data or data.isspace():
        raise UnusableTable("found nothing in it; expected a row for each sentence")
    if b"\0" in data:
        raise UnusableTable(NUL_BYTE)
    if data.count(b"\r") > data.count(b"\r\n"):  # one that ends a line by itself
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        if not data.isascii():
            pl.Series([data]).cast(pl.String)  # sooner than Python decodes
    except PolarsError:
        text = data.decode(errors="replace")
        broken = text.count(UNREADABLE)
        sound = len(text) - len(text.encode("ascii", "ignore")) - broken
        line = text.count("\n", 0, text.index(UNREADABLE)) + 1
        if broken > sound:
            note = f"read as Windows-1252 (first in line {line:,})"
            return data.decode("cp1252", errors="replace").encode(), [*notes, note]
        note = f"bytes that are no UTF-8, read as {UNREADABLE}: {broken:,}, first in line {line:,}"
        return text.encode(), [*notes, note]
    return data, notes


def _delimited_submission(data: bytes, separators: str, notes: list[str]) -> SubmissionTable:
    """CSV, TSV or TXT: by the separator its first line has; only commas come with quotes."""
    blank = len(data) - len(data.lstrip(b"\r\n"))
    head, _, body = data[blank:].partition(b"\n")
    head = head.rstrip(b"\r")
    separator = next((it for it in separators if it.encode() in head), separators[0])
    if separator != separators[0]:
        notes = [*notes, f"cells stand between {separator!r}"]
    if separator != "\t" and b'"' in data:
        try:
            names = next(csv.reader([head.decode()], delimiter=separator))
        except csv.Error as error:
            what = f"the column names in its first line cannot be read ({error})"
            raise UnusableTable(what) from error
        return _numbered(names, _quoted_cells(body, len(names), separator), notes, "row", 1)
    names = head.decode().split(separator)
    frame = _cells(body, len(names), separator, None)
    if all(len(name) > 1 and name[0] == name[-1] == '"' for name in names):
        names = [name[1:-1] for name in names]
        frame = frame.with_columns(pl.all().str.replace(r'^"(.*)"$', "${1}"))
        notes = [*notes, "quotes around the cells left out"]
    return _numbered(names, frame, notes, "line", data.count(b"\n", 0, blank) + 2)


def _cells(body: bytes, width: int, separator: str, quote: str | None) -> pl.DataFrame:
    """The cells as text under their positions; the last column takes what is too much."""
    names = separator.join(map(str, range(width + 1))).encode()
    return pl.read_csv(
        names + b"\n" + body,
        separator=separator,
        quote_char=quote,
        infer_schema=False,
        truncate_ragged_lines=True,
    )


def _quoted_cells(body: bytes, width: int, separator: str) -> pl.DataFrame:
    """A CSV with quotes; where a row is no line, Python's stricter reader has the last word."""
    with suppress(PolarsError):
        frame = _cells(body, width, separator, '"')
        if frame.height == body.count(b"\n") + (not body.endswith(b"\n")):
            return frame
    text = io.TextIOWrapper(io.BytesIO(body), encoding="utf-8", newline="")
    records = csv.reader(text, delimiter=separator, strict=True)
    rows, begin = list[list[str | None]](), 2
    try:
        for record in records:
            filled = [cell or None for cell in record[: width + 1]]
            rows.append([*filled, *[None] * (width + 1 - len(filled))])
            begin = records.line_num + 2
    except csv.Error as error:
        what = f"a quote that opens in line {begin:,} does not close as it should ({error})"
        advice = 'expected "…" around the whole cell and "" for a quote within it'
        raise UnusableTable(f"{what}; {advice}, or tabs between the cells") from error
    return _text_frame(rows, width + 1)


def _numbered(
    names: list[str], frame: pl.DataFrame, notes: list[str], unit: str, first: int
) -> SubmissionTable:
    """The table with its rows numbered, blank ones left out."""
    crowded = pl.col(str(len(names))).is_not_null().alias(CROWDED)
    rows = frame.with_row_index(ROW, offset=first).with_columns(crowded).drop(str(len(names)))
    cells = [str(nth) for nth in range(len(names))]
    rows = rows.filter(~pl.all_horizontal(pl.col(cells).is_null()))
    return SubmissionTable(tuple(names), rows, unit, tuple(notes))


def _json_cells(data: bytes) -> pl.DataFrame:
    """A JSON object a line; by Python where Polars gives up, as text that UTF-8 can hold."""
    frame = _polars_json(data)
    if frame is not None:
        return frame

    def cell(value: object) -> str | None:
        if value is None:
            return None
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    rows = list[dict[str, Any]]()
    for number, line in enumerate(data.split(b"\n"), start=1):
        try:
            value = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError) as error:
            what = f"broken JSON in line {number:,} ({error})"
            raise UnusableTable(f"{what}; expected one whole JSON object on each line") from error
        if isinstance(value, dict):
            rows.append(value)
        elif line.strip():
            raise UnusableTable(f"line {number:,} holds no JSON object; expected one on each line")
    names = dict.fromkeys(name for row in rows for name in row)
    return pl.DataFrame({str(cell(name)): [cell(row.get(name)) for row in rows] for name in names})
