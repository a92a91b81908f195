"""Reading a user's table: bytes in, a frame of text with the line of every row out."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PanicException, PolarsError

from tiltmeter.corpora.delimited import Delimited, bad_names, column_names, read_delimited
from tiltmeter.corpora.table_file import PARQUET, TableFile, as_table, capped
from tiltmeter.corpora.text_bytes import file_bytes, file_text
from tiltmeter.errors import CorpusError, Problem
from tiltmeter.files import is_folder, parquet_frame, with_formulas
from tiltmeter.schemas import SENTENCES
from tiltmeter.workbook import WORKBOOK, workbook_frame

SEPARATORS = {".csv": ",", ".tsv": "\t"}
JSON_LINES = (".jsonl", ".ndjson")
TABLE_FILES = (*SEPARATORS, *JSON_LINES, PARQUET, WORKBOOK)
"""The endings of the files that hold a table."""

UNLIKE_JSON = "lines like these"
KINDS = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
"""What a line of JSON may hold instead of an object, in words."""


def read_table(path: Path, encoding: str | None = None) -> TableFile:
    """Read a CSV, TSV, JSONL, Parquet or Excel file, or say all that keeps it from being read."""
    suffix = path.suffix.lower()
    if suffix not in TABLE_FILES and not is_folder(path):
        what = f"found the ending {path.suffix!r}; expected one of {', '.join(TABLE_FILES)}"
        raise CorpusError("the file is of an unknown kind", [Problem(str(path), what)])
    if suffix == PARQUET:
        return _parquet(path, file_bytes(path))
    if suffix == WORKBOOK:
        return as_exported(_workbook(path, file_bytes(path)))
    text, notes = file_text(path, encoding)
    if suffix in SEPARATORS:
        return as_exported(read_delimited(Delimited(path, text, SEPARATORS[suffix]), notes))
    return as_table(path, *json_lines(path, text), notes)


def as_exported(table: TableFile) -> TableFile:
    """The table; one that we wrote ourselves without the guard against spreadsheets."""
    ours = set(SENTENCES.columns) <= set(table.frame.columns)
    guarded = ours and table.path.suffix.lower() in (*SEPARATORS, WORKBOOK)
    return replace(table, frame=with_formulas(table.frame)) if guarded else table


def read_tabbed(path: Path) -> TableFile:
    """Read a tab-separated file whatever its ending; quotes are letters like others."""
    text, notes = file_text(path)
    return read_delimited(Delimited(path, text, "\t", quoted=False), notes)


def json_lines(path: Path, data: bytes, before: int = 0) -> tuple[pl.DataFrame, Sequence[int]]:
    """The table in lines of JSON, an object each, and the line of every row.

    `before` lines of the file stand before these.
    """
    try:
        frame = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
    except (PolarsError, PanicException):
        frame = _objects_by_hand(path, data, before)
    lines = [number for number, line in enumerate(io.BytesIO(data), before + 1) if line.strip()]
    exact = len(lines) == frame.height
    return frame, lines if exact else range(before + 1, before + frame.height + 1)


def _objects_by_hand(path: Path, data: bytes, before: int) -> pl.DataFrame:
    """The objects as Python reads them, or an error that names every line that holds none."""
    if problems := capped(bad_json(path, io.BytesIO(data), before), UNLIKE_JSON):
        raise CorpusError("the table cannot be read", problems)
    rows = [_json_object(line) for line in io.BytesIO(data) if line.strip()]
    names = dict.fromkeys(name for row in rows for name in row)
    return pl.DataFrame(
        {name: [_cell(row.get(name)) for row in rows] for name in names},
        dict.fromkeys(names, pl.String),
    )


def bad_json(path: Path, lines: Iterable[bytes], before: int = 0) -> Iterator[Problem]:
    """Every line that holds no JSON object."""
    for number, line in enumerate(lines, before + 1):
        try:
            if line.strip():
                _json_object(line)
        except (ValueError, RecursionError) as error:
            what = f"{error}; expected one whole JSON object on each line"
            yield Problem(f"{path}:{number}", what)


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
        frame = parquet_frame(data)
    except OSError as error:
        what = f"{error.strerror}; write it anew"
        raise CorpusError("the table cannot be read", [Problem(str(path), what)]) from error
    return as_table(path, frame, range(1, frame.height + 1), [])


def _workbook(path: Path, data: bytes) -> TableFile:
    """The first sheet of a workbook; the row of a cell is the one that Excel shows."""
    try:
        cells, notes = workbook_frame(data)
    except OSError as error:
        problem = Problem(str(path), str(error.strerror))
        raise CorpusError("the table cannot be read", [problem]) from error
    names = column_names(cells.row(0))
    source = Delimited(path, b"", ",")
    if problems := list(bad_names(source, names)):
        raise CorpusError("the table cannot be read", problems)
    frame = cells[1:]
    frame.columns = names
    return as_table(path, frame, range(2, frame.height + 2), notes)
