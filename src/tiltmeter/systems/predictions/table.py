"""One file of scores as it stands: CSV, TSV, TXT, JSONL or Parquet, read with a tolerant eye.

Submissions come from many hands. A tab-separated line is one row whatever quotes stand in it, bytes
that are no UTF-8 harm only the letter they stand for, and every such leniency leaves a note.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from polars.exceptions import PanicException, PolarsError

from tiltmeter.files import MB, parquet_frame
from tiltmeter.workbook import WORKBOOK, workbook_frame

PREFERRED = {".csv": ",\t;", ".tsv": "\t,;", ".txt": "\t,;"}
"""The separators each ending may have, the usual one first."""

MARKS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
"""Byte order marks, the longer ones first."""

UNREADABLE = "\ufffd"
"""What stands for a byte that is no letter."""

ROW, CROWDED = "*row", "*crowded"
"""Our columns: the row's line, or its number where rows are no lines; true where it has more
cells than there are names."""


NUL = "found a NUL byte, so this is no text file; save it as CSV in UTF-8"


class Unusable(Exception):  # noqa: N818 - it becomes a report, not an error
    """Why a whole file is set aside."""


class OtherSentences(Unusable):
    """A file is set aside because no row of it is of the corpus."""


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """The columns of a file under their positions, `0`, `1`, …, and what they are called there."""

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


def read_score_table(path: Path, data: bytes) -> ScoreTable:
    """The table in a file's bytes, or Unusable with what was found and expected."""
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        table = _parquet(data)
    elif suffix == WORKBOOK:
        table = _workbook(data)
    else:
        text, notes = _utf8(data)
        table = (_delimited if suffix in PREFERRED else _json_lines)(text, suffix, notes)
    if not table.frame.height:
        raise Unusable("found no rows under the column names; expected one for each sentence")
    return table


def must_begin_a_table(path: Path, start: bytes) -> None:
    """Refuse a long text file by its first megabyte, before gigabytes of it are read."""
    packed = path.suffix.lower() in (".parquet", WORKBOOK)
    if len(start) < MB or packed or start.startswith(tuple(MARKS)):
        return
    if not start.strip():
        raise Unusable("found nothing in its first megabyte; expected a row for each sentence")
    if b"\0" in start:
        raise Unusable(NUL)
    if b"\n" not in start and b"\r" not in start:
        raise Unusable("its first line has no end within a megabyte; expected column names")


def _utf8(data: bytes) -> tuple[bytes, list[str]]:
    """The text as UTF-8, each line ended by a line feed, perhaps after a carriage return."""
    marked = next((name for mark, name in MARKS.items() if data.startswith(mark)), None)
    notes = [f"read as {marked.upper()}"] if marked else []
    if marked:
        data = data.decode(marked, errors="replace").encode()
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise Unusable("found nothing in it; expected a row for each sentence")
    if b"\0" in data:
        raise Unusable(NUL)
    if _has_lone_return(data):
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        data, note = _mended(data, error.start)
        notes.append(note)
    return data, notes


def _has_lone_return(data: bytes) -> bool:
    """True where a carriage return ends a line by itself; Polars reads the others as they are."""
    letters = np.frombuffer(data, np.uint8)
    returns = np.flatnonzero(letters == ord("\r"))
    followed = letters[np.minimum(returns + 1, len(letters) - 1)] == ord("\n")
    return not bool(followed.all())


def _mended(data: bytes, first: int) -> tuple[bytes, str]:
    """Text in another encoding: Windows-1252 if most of its foreign bytes are no UTF-8."""
    text = data.decode(errors="replace")
    broken, sound = text.count(UNREADABLE), len(re.findall(r"[^\x00-\x7f\ufffd]", text))
    line = data.count(b"\n", 0, first) + 1
    where = f"first in line {line:,}"
    if broken > sound:
        return data.decode("cp1252", errors="replace").encode(), f"read as Windows-1252 ({where})"
    note = f"bytes that are no UTF-8, read as {UNREADABLE}: {broken:,}, {where}"
    return text.encode(), note


def _delimited(data: bytes, suffix: str, notes: list[str]) -> ScoreTable:
    """CSV, TSV or TXT: by the separator its first line has; only commas come with quotes."""
    blank = len(data) - len(data.lstrip(b"\r\n"))
    head, _, body = data[blank:].partition(b"\n")
    head, usual = head.rstrip(b"\r"), PREFERRED[suffix][0]
    separator = next((each for each in PREFERRED[suffix] if each.encode() in head), usual)
    if separator != usual:
        notes = [*notes, f"cells stand between {separator!r}"]
    if separator == "\t" or b'"' not in data:
        names, frame = head.decode().split(separator), _cells(head, body, separator, None)
        names, frame, notes = _unwrapped(names, frame, notes)
        return _numbered(names, frame, notes, "line", data.count(b"\n", 0, blank) + 2)
    names = _header(head, separator)
    frame = _quoted(head, body, separator)
    return _numbered(names, frame, notes, "row", 1)


def _cells(head: bytes, body: bytes, separator: str, quote: str | None) -> pl.DataFrame:
    """The cells as text under their positions; the last column takes what is too much."""
    width = head.count(separator.encode()) + 1
    names = separator.join(str(nth) for nth in range(width + 1)).encode()
    return pl.read_csv(
        names + b"\n" + body,
        separator=separator,
        quote_char=quote,
        infer_schema=False,
        truncate_ragged_lines=True,
    )


def _quoted(head: bytes, body: bytes, separator: str) -> pl.DataFrame:
    """A CSV with quotes; where a row is no line, Python's stricter reader has the last word."""
    width = len(_header(head, separator))
    simple = separator.join("x" * width).encode()
    try:
        frame = _cells(simple, body, separator, '"')
    except PolarsError:
        return _by_hand(body, width, separator)
    lines = body.count(b"\n") + (not body.endswith(b"\n"))
    return frame if frame.height == lines else _by_hand(body, width, separator)


def _header(head: bytes, separator: str) -> list[str]:
    try:
        return next(csv.reader([head.decode()], delimiter=separator))
    except csv.Error as error:
        raise Unusable(f"the column names in its first line cannot be read ({error})") from error


def _by_hand(body: bytes, width: int, separator: str) -> pl.DataFrame:
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
        raise Unusable(f"{what}; {advice}, or tabs between the cells") from error
    schema = [(str(nth), pl.String) for nth in range(width + 1)]
    return pl.DataFrame(rows, schema, orient="row")


def _unwrapped(
    names: list[str], frame: pl.DataFrame, notes: list[str]
) -> tuple[list[str], pl.DataFrame, list[str]]:
    """Cells without the quotes around them, where the column names have them too."""
    if not all(len(name) > 1 and name[0] == name[-1] == '"' for name in names):
        return names, frame, notes
    bare = frame.with_columns(pl.all().str.replace(r'^"(.*)"$', "${1}"))
    return [name[1:-1] for name in names], bare, [*notes, "quotes around the cells left out"]


def _numbered(
    names: list[str], frame: pl.DataFrame, notes: list[str], unit: str, first: int
) -> ScoreTable:
    """The table with its rows numbered, blank ones left out."""
    crowded = pl.col(str(len(names))).is_not_null().alias(CROWDED)
    rows = frame.with_row_index(ROW, offset=first).with_columns(crowded).drop(str(len(names)))
    cells = [str(nth) for nth in range(len(names))]
    rows = rows.filter(~pl.all_horizontal(pl.col(cells).is_null()))
    return ScoreTable(tuple(names), rows, unit, tuple(notes))


def _json_lines(data: bytes, _suffix: str, notes: list[str]) -> ScoreTable:
    """A JSON object a line; by Python where Polars gives up, as it does on NaN."""
    try:
        frame = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
    except (PolarsError, PanicException):
        frame = _objects_by_hand(data)
    return typed_table(frame, notes)


def _objects_by_hand(data: bytes) -> pl.DataFrame:
    rows = list[dict[str, Any]]()
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            what = f"broken JSON in line {number:,} ({error})"
            raise Unusable(f"{what}; expected one whole JSON object on each line") from error
        if not isinstance(value, dict):
            raise Unusable(f"line {number:,} holds no JSON object; expected one on each line")
        rows.append(value)
    names = dict.fromkeys(name for row in rows for name in row)
    return pl.DataFrame(
        {str(_cell(name)): [_cell(row.get(name)) for row in rows] for name in names}
    )


def _cell(value: object) -> str | None:
    """A JSON value as text that UTF-8 can hold."""
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _parquet(data: bytes) -> ScoreTable:
    try:
        return typed_table(parquet_frame(data), [])
    except OSError as error:
        raise Unusable(f"{error.strerror}; write it anew") from error


def _workbook(data: bytes) -> ScoreTable:
    """The first sheet of a workbook; its first row has the names."""
    try:
        cells, notes = workbook_frame(data)
    except OSError as error:
        raise Unusable(error.strerror) from error
    names = [name or "" for name in cells.row(0)]
    rows = cells[1:].rename({name: str(nth) for nth, name in enumerate(cells.columns)})
    return _numbered(names, rows.with_columns(pl.lit(None).alias(str(len(names)))), notes, "row", 2)


def typed_table(frame: pl.DataFrame, notes: list[str]) -> ScoreTable:
    """A table whose columns have types of their own."""
    names = frame.columns
    numbered = frame.rename({name: str(nth) for nth, name in enumerate(names)})
    rows = numbered.with_row_index(ROW, offset=1).with_columns(pl.lit(False).alias(CROWDED))
    return ScoreTable(tuple(names), rows, "row", tuple(notes))
