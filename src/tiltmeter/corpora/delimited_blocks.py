"""A large CSV or TSV file some rows at a time, cut where a record ends."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import polars as pl

from tiltmeter.corpora.delimited import (
    UNQUOTED,
    Delimited,
    Scan,
    across,
    bad_names,
    bad_quote,
    faulty,
    long_cells,
    parse,
    ragged_row,
)
from tiltmeter.corpora.table_file import NAMED, capped_at
from tiltmeter.corpora.text_blocks import LargeText
from tiltmeter.errors import CorpusError, Problem
from tiltmeter.files import MB

LONGEST = 64 * MB
"""Bytes of a cell: a quote that does not close would take in the rest of the file."""
Block = tuple[pl.DataFrame, Sequence[int]]
"""Rows, and the line each begins on."""


def delimited_blocks(
    text: LargeText, separator: str, size: int, notes: list[str]
) -> Iterator[Block]:
    """The rows of a table, about `size` bytes at a time; adds to the notes on it when it ends.

    Every row is looked at before anything wrong is said.
    """
    quoted = not (separator == "\t" and text.quotes and _breaks_rows(text, separator, size))
    notes += [] if quoted else [UNQUOTED]
    faults, lines = _Faults(), list[int]()
    parts = _records if text.quotes and quoted else _lines
    for source, scan in parts(text, separator, size, quoted=quoted):
        parsed = parse(source, scan)
        if not faults.see(source, parsed.names, parsed.scan):
            lines += parsed.scan.across
            yield parsed.frame, parsed.lines
    if problems := list(faults):
        raise CorpusError("the table cannot be read", problems)
    notes += across(lines)


@dataclass(slots=True)
class _Faults:
    """What is wrong in all blocks: the first of a kind, and how many there are."""

    names: list[Problem] = field(default_factory=list)
    broken: list[Problem] = field(default_factory=list)
    ragged: list[Problem] = field(default_factory=list)
    uneven: int = 0

    def see(self, source: Delimited, names: list[str], scan: Scan) -> bool:
        """Add what is wrong in a block; whether there is anything yet."""
        self.names = self.names or list(bad_names(source, names))
        self.broken += scan.broken
        for line, cells in scan.ragged[: NAMED - len(self.ragged)]:
            self.ragged.append(ragged_row(source, line, cells, len(names)))
        self.uneven += len(scan.ragged)
        return bool(self.names or self.broken or self.uneven)

    def __iter__(self) -> Iterator[Problem]:
        yield from (*self.names, *self.broken)
        yield from capped_at(self.ragged, self.uneven, "rows of another length")


def _lines(
    text: LargeText, separator: str, size: int, *, quoted: bool
) -> Iterator[tuple[Delimited, None]]:
    """Parts of a file in which every line is a row."""
    head, line = b"", 1
    for data in text.blocks(size):
        if head:
            yield Delimited(text.path, head + data, separator, quoted, line - 2), None
        elif names := data.lstrip(b"\r\n").split(b"\n", 1)[0]:
            head = names + b"\n"
            yield Delimited(text.path, data, separator, quoted, line - 1), None
        line += data.count(b"\n")


def _records(
    text: LargeText, separator: str, size: int, *, quoted: bool
) -> Iterator[tuple[Delimited, Scan]]:
    """Parts of a file in which quotes enclose cells, with what Python's reader saw of each."""
    reading = _Reading(text, separator, quoted)
    with long_cells(LONGEST):
        while part := reading.part(size):
            yield part


class _Reading:
    """Python's reader going over a file, which knows where records end."""

    def __init__(self, text: LargeText, separator: str, quoted: bool) -> None:
        self._text, self._separator, self._quoted = text, separator, quoted
        self._kept, self._head, self._names = list[str](), "", list[str]()
        self._records = csv.reader(
            self._lines(),
            delimiter=separator,
            quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
            strict=True,
        )
        self._end, self._over = 0, False

    def _lines(self) -> Iterator[str]:
        for line in self._text.lines():
            self._kept.append(line)
            yield line

    def part(self, size: int) -> tuple[Delimited, Scan] | None:
        """The next part of the file, if it is not over."""
        scan, head, first, length = Scan(self._names), self._head, self._end, 0
        while length < size and not self._over:
            seen = len(self._kept)
            try:
                record = next(self._records)
            except StopIteration:
                self._over = True
                break
            except csv.Error as error:
                source = self._source(b"", 0)
                scan.broken.append(bad_quote(source, self._end + 1, error))
                self._over = True
                break
            begin, self._end = self._end + 1, self._records.line_num
            scan.see(record, begin, self._end)
            if not self._names and record:
                self._names, self._head = record, "".join(self._kept[seen:])
            length += sum(map(len, self._kept[seen:]))
        data = (head + "".join(self._kept)).encode()
        self._kept.clear()
        before = first - head.count("\n")
        empty = not (length or faulty(scan))
        return None if empty else (self._source(data, before), scan)

    def _source(self, data: bytes, before: int) -> Delimited:
        return Delimited(self._text.path, data, self._separator, self._quoted, before)


def _breaks_rows(text: LargeText, separator: str, size: int) -> bool:
    """Whether rows that are whole without quotes would be broken by them."""
    enclosed = (scan for _, scan in _records(text, separator, size, quoted=True))
    if not any(faulty(scan) or scan.across for scan in enclosed):
        return False
    bare = (scan for _, scan in _records(text, separator, size, quoted=False))
    return not any(map(faulty, bare))
