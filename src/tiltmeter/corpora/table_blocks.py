"""A table of any size some rows at a time: small files whole, large ones in blocks.

The same rows, lines, notes and messages as when it is read whole.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import polars as pl
from polars.exceptions import PanicException, PolarsError

from tiltmeter.corpora.delimited_blocks import Block, delimited_blocks
from tiltmeter.corpora.files import SEPARATORS, UNLIKE_JSON, bad_json, json_lines, read_table
from tiltmeter.corpora.table_file import PARQUET, TableFile, blank_rows, capped, no_rows, text_rows
from tiltmeter.corpora.text_blocks import BLOCK, LARGEST, LargeText, large_text
from tiltmeter.errors import CorpusError, Problem
from tiltmeter.files import check_plain, is_file
from tiltmeter.workbook import WORKBOOK

ROW = 64
"""Bytes that a row of a Parquet file is taken to have."""
MOST_ROWS = 2_000_000_000
"""Rows of a Parquet file that is read in blocks: a few bytes can stand for any number."""


@dataclass(slots=True)
class TableBlocks:
    """A table to be gone through, all blocks with the same columns."""

    path: Path
    encoding: str | None = None
    size: int = BLOCK
    """Bytes up to which a file is read whole, and that are else taken at a time."""
    notes: list[str] = field(default_factory=list)
    """What is worth knowing of it; whole once it has been gone through."""

    def __iter__(self) -> Iterator[TableFile]:
        self.notes.clear()
        blocks = self._blocks()
        if blocks is None:
            table = read_table(self.path, self.encoding)
            self.notes += table.notes
            yield table
            return
        some, blank = False, 0
        for frame, lines in blocks:
            rows, numbers = text_rows(frame, lines)
            blank += frame.height - rows.height
            if rows.height:
                some = True
                yield TableFile(self.path, rows, numbers)
        if not some:
            raise no_rows(self.path)
        self.notes += blank_rows(blank)

    def _blocks(self) -> Iterator[Block] | None:
        """The blocks of a large file; None where it is small, or no file."""
        suffix = self.path.suffix.lower()
        if suffix == PARQUET:
            many, some = parquet_rows(self.path), max(1, self.size // ROW)
            return _parquet(self.path, many, some) if many > some else None
        if suffix == WORKBOOK or not is_file(self.path) or self.path.stat().st_size <= self.size:
            return None
        text = large_text(self.path, self.encoding)
        self.notes += text.notes
        if suffix in SEPARATORS:
            return delimited_blocks(text, SEPARATORS[suffix], self.size, self.notes)
        return _json(text, self.size)


def _json(text: LargeText, size: int) -> Iterator[Block]:
    """Objects may differ in what they hold, so all are looked at before the first is given."""
    names = dict.fromkeys(name for frame, _ in _objects(text, size) for name in frame.columns)
    for frame, lines in _objects(text, size):
        absent = [pl.lit(None, pl.String).alias(name) for name in names if name not in frame]
        yield frame.with_columns(absent).select(*names), lines


def _objects(text: LargeText, size: int) -> Iterator[Block]:
    """Lines of JSON; an error counts the bad lines to the end of the file."""
    before, blocks = 0, text.blocks(size)
    for data in blocks:
        try:
            yield json_lines(text.path, data, before)
        except CorpusError as error:
            rest = (line for part in chain([data], blocks) for line in io.BytesIO(part))
            problems = capped(bad_json(text.path, rest, before), UNLIKE_JSON)
            raise CorpusError("the table cannot be read", problems) from error
        before += data.count(b"\n")


def parquet_rows(path: Path) -> int:
    """How many rows a Parquet file tells that it has; 0 where it is damaged."""
    try:
        check_plain(path, LARGEST)
        return int(pl.scan_parquet(path).select(pl.len()).collect().item())
    except (OSError, PolarsError, PanicException):
        return 0


def _parquet(path: Path, rows: int, some: int) -> Iterator[Block]:
    """Some rows of a Parquet file at a time."""
    if rows > MOST_ROWS:
        what = f"found {rows:,} rows; at most {MOST_ROWS:,} are read; part the file"
        raise CorpusError("the table cannot be read", [Problem(str(path), what)])
    try:
        for start in range(0, rows, some):
            frame = pl.scan_parquet(path).slice(start, some).collect()
            yield frame, range(start + 1, start + frame.height + 1)
    except (PolarsError, PanicException) as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        what = f"the file is damaged or not Parquet ({said}); write it anew"
        raise CorpusError("the table cannot be read", [Problem(str(path), what)]) from error
