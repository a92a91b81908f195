"""Reading a user's table: bytes in, a frame of text with the line of every row out."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PanicException, PolarsError

from tiltmeter.corpora.delimited import Delimited, read_delimited
from tiltmeter.corpora.table_file import PARQUET, TableFile, as_table, capped
from tiltmeter.errors import CorpusError, Problem

SEPARATORS = {".csv": ",", ".tsv": "\t"}
JSON_LINES = (".jsonl", ".ndjson")
TABLE_FILES = (*SEPARATORS, *JSON_LINES, PARQUET)
"""The endings of the files that hold a table."""

KINDS = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
"""What a line of JSON may hold instead of an object, in words."""

MARKS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
"""Byte order marks, the longer ones first."""


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
        return read_delimited(Delimited(path, text, SEPARATORS[suffix]), notes)
    return _json_lines(path, text, notes)


def read_tabbed(path: Path) -> TableFile:
    """Read a tab-separated file whatever its ending; quotes are letters like others."""
    text, notes = _utf8(path, _bytes(path), None)
    return read_delimited(Delimited(path, text, "\t", quoted=False), notes)


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
    what = "found nothing in it; expected a table: a line of column names, then its rows"
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


def _json_lines(path: Path, data: bytes, notes: list[str]) -> TableFile:
    """The table in a file with one JSON object a line."""
    try:
        frame = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
    except PolarsError:
        frame = _objects_by_hand(path, data)
    lines = [number for number, line in enumerate(io.BytesIO(data), start=1) if line.strip()]
    exact = len(lines) == frame.height
    return as_table(path, frame, lines if exact else range(1, frame.height + 1), notes)


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
    return as_table(path, frame, range(1, frame.height + 1), [])
