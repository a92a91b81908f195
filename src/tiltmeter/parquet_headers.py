"""What a Parquet file unpacks to, from its headers, before any of it is unpacked.

A few bytes can stand for many rows, by repeats, and for long pages, by compression. The footer
says how many rows there are, and where the pages; each page says before its data how many values
it holds and how long it is unpacked. Readers take the pages' word, so the pages are asked, not the
footer's sums. Both are in Thrift's compact protocol (github.com/apache/parquet-format).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import mmap

MAGIC = b"PAR1"
MAX_FOOTER = 8 * 2**20
"""Bytes of a footer: some thousand columns in some hundred groups of rows."""
MAX_PAGES = 200_000
"""Pages of a file; of 2 GB most writers make 20,000."""
MAX_DEPTH = 16
"""Records within records; Parquet's own lie six deep."""
TEXT, FIXED = 6, 7
WIDTHS = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8, TEXT: 16}
"""Bytes of a value in memory by its physical type; of a text, those that say where it is."""
SHARED_PREFIXES = 7
"""The encoding in which a text holds only what differs from the one before: a page of some
kilobytes may stand for terabytes, and no header says so."""

Fields = dict[int, Any]
"""A record's values by the number of their field."""


class DamagedParquet(ValueError):  # noqa: N818 - it becomes the reason of an OSError
    """Bytes that are no Parquet file, or not all of one."""


@dataclass(frozen=True, slots=True)
class UnpackedSize:
    """What a file comes to."""

    rows: int
    columns: int
    memory: int
    """Bytes that its pages unpack to and its values take; texts that repeat count once."""


def unpacked_size(data: bytes | mmap.mmap) -> UnpackedSize:
    """Read how much a Parquet file stands for; DamagedParquet where its headers are not whole."""
    if len(data) < 12 or data[:4] != MAGIC or data[-4:] != MAGIC:
        raise DamagedParquet("it does not begin and end as Parquet does")
    length = int.from_bytes(data[-8:-4], "little")
    if length > min(len(data) - 12, MAX_FOOTER):
        raise DamagedParquet(f"its footer would have {length:,} bytes")
    try:
        footer = ThriftRecords(data, len(data) - 8 - length, len(data) - 8).record()
        return _measure(data, footer)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise DamagedParquet("its headers are not whole") from error


def _measure(data: bytes | mmap.mmap, footer: Fields) -> UnpackedSize:
    leaves = [field for field in footer[2] if 1 in field]
    groups = footer.get(4, [])
    memory = pages = 0
    for group in groups:
        if len(group[1]) != len(leaves):
            raise DamagedParquet("its columns are not those of its schema")
        for chunk, leaf in zip(group[1], leaves, strict=True):
            width = leaf.get(2, 0) if leaf[1] == FIXED else WIDTHS[leaf[1]]
            values = 0
            for header in page_headers(data, chunk[3]):
                pages += 1
                if pages > MAX_PAGES:
                    raise DamagedParquet(f"it has more than {MAX_PAGES:,} pages")
                page = header.get(5) or header.get(8) or header.get(7) or {}
                if SHARED_PREFIXES in (header.get(5, {}).get(2), header.get(8, {}).get(4)):
                    raise DamagedParquet("its texts are in the encoding DELTA_BYTE_ARRAY")
                memory += header[2]
                values += page.get(1, 0)
            memory += max(values, chunk[3][5], group[3]) * width
    rows = max(footer[3], sum(group[3] for group in groups))
    return UnpackedSize(rows, len(leaves), memory)


def page_headers(data: bytes | mmap.mmap, column: Fields) -> Iterator[Fields]:
    """The header of each page of a column's chunk."""
    begin = column[9]
    if 0 < column.get(11, 0) < begin:
        begin = column[11]
    end = begin + column[7]
    if not 0 <= begin <= end <= len(data):
        raise DamagedParquet("it is cut short")
    while begin < end:
        records = ThriftRecords(data, begin, end)
        header = records.record()
        if header[2] < 0 or header[3] < 0:
            raise DamagedParquet("a page of it has less than no bytes")
        yield header
        begin = records.at + header[3]


class ThriftRecords:
    """Reads records in Thrift's compact protocol, as bare values by the number of their field."""

    def __init__(self, data: bytes | mmap.mmap, begin: int, end: int) -> None:
        """Read what stands from one place to another."""
        self._data, self.at, self._end = data, begin, end

    def record(self, depth: int = 0) -> Fields:
        """A record, and all records within it."""
        if depth > MAX_DEPTH:
            raise DamagedParquet("its headers lie too deep within each other")
        fields, number = Fields(), 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> object:
        """A value of a kind: 1 and 2 are true and false themselves."""
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._integer()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._varint())
        if kind in (9, 10):
            return self._list(depth)
        if kind == 12:
            return self.record(depth + 1)
        raise DamagedParquet(f"its headers hold a value of the unknown kind {kind}")

    def _list(self, depth: int) -> list[object]:
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._varint()
        if size > self._end - self.at:  # each takes a byte at least
            raise DamagedParquet("it is cut short")
        kind = head & 15
        if kind in (1, 2):
            return [self._byte() == 1 for _ in range(size)]
        return [self._value(kind, depth + 1) for _ in range(size)]

    def _byte(self) -> int:
        if self.at >= self._end:
            raise DamagedParquet("it is cut short")
        self.at += 1
        return self._data[self.at - 1]

    def _bytes(self, count: int) -> bytes:
        if count > self._end - self.at:
            raise DamagedParquet("it is cut short")
        self.at += count
        return self._data[self.at - count : self.at]

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise DamagedParquet("its headers hold a number of more than 64 bits")
        return value | byte << shift

    def _integer(self) -> int:
        coded = self._varint()
        return coded >> 1 ^ -(coded & 1)
