"""A large text file some megabytes at a time, as UTF-8: gone through once, then given in blocks."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.corpora.text_bytes import (
    file_bytes,
    marked,
    must_begin_a_table,
    not_text,
    undecodable,
    unknown,
)
from tiltmeter.errors import CorpusError, Problem
from tiltmeter.files import GB, MB

BLOCK = 16 * MB
"""Bytes taken at a time."""
LARGEST = 1024 * GB
"""Bytes of a file that is read in blocks."""


@dataclass(frozen=True, slots=True)
class LargeText:
    """A file that can be read: its encoding, and what the whole of it shows."""

    path: Path
    encoding: str
    quotes: bool
    """Whether there is a quote anywhere."""
    bare: bool
    """Lines end with a carriage return alone, as they did on old Macintoshes."""

    @property
    def notes(self) -> list[str]:
        """A note where it is not UTF-8."""
        return [] if self.encoding == "utf-8" else [f"read as {self.encoding}"]

    def pieces(self, size: int = BLOCK) -> Iterator[bytes]:
        """The text as UTF-8, without a byte order mark, in pieces of about so many bytes."""
        decoder = codecs.getincrementaldecoder(self.encoding)()
        with self.path.open("rb") as file:
            first = True
            while data := file.read(size):
                text = decoder.decode(data)
                if text and first:
                    text, first = text.removeprefix("\ufeff"), False
                yield (text.replace("\r", "\n") if self.bare else text).encode()

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """The same, each piece cut where a line ends."""
        rest = b""
        for piece in self.pieces(size):
            whole, end, open_line = (rest + piece).rpartition(b"\n")
            if end:
                yield whole + end
            rest = open_line
        if rest:
            yield rest

    def lines(self) -> Iterator[str]:
        """The text line by line, ends kept as they are."""
        stream = io.BufferedReader(_Stream(self.pieces()), MB)
        return io.TextIOWrapper(stream, encoding="utf-8", newline="")


class _Stream(io.RawIOBase):
    """Pieces of bytes as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest = pieces, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:  # noqa: ANN401 - as RawIOBase has it
        while not self._rest:
            if (piece := next(self._pieces, None)) is None:
                return 0
            self._rest = memoryview(piece)
        size = min(len(into), len(self._rest))
        into[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


def large_text(path: Path, encoding: str | None = None) -> LargeText:
    """Go through a file once; an error where it cannot be decoded, or holds a NUL or nothing."""
    start = file_bytes(path, MB, LARGEST)
    must_begin_a_table(path, start, encoding)
    named = encoding or marked(start) or "utf-8"
    try:
        b"ab".decode(named, "ignore")
    except LookupError as error:  # what is no encoding of letters
        raise unknown(path, named) from error
    quotes, line = False, 1
    for text in _decoded(path, named):
        if "\0" in text:
            problem = not_text(path, line + text.count("\n", 0, text.index("\0")))
            raise CorpusError("the file is not a text file", [problem])
        quotes, line = quotes or '"' in text, line + text.count("\n")
    return LargeText(path, named, quotes, bare=line == 1)


def _decoded(path: Path, encoding: str) -> Iterator[str]:
    """The text of a file piece by piece, or an error at the first byte that is none."""
    decoder = codecs.getincrementaldecoder(encoding)()
    with path.open("rb") as file:
        data = b" "
        while data:
            at = file.tell() - len(decoder.getstate()[0])
            data = file.read(BLOCK)
            try:
                yield decoder.decode(data, final=not data)
            except UnicodeError as error:
                problem = _bad_byte(path, encoding, at + getattr(error, "start", 0))
                raise CorpusError("the file is in another encoding", [problem]) from error


def _bad_byte(path: Path, encoding: str, at: int) -> Problem:
    """The byte at a place that no letter has, told by its line."""
    with path.open("rb") as file:
        before, begin = 0, max(0, at - BLOCK)
        for start in range(0, begin, BLOCK):
            before += file.read(min(BLOCK, begin - start)).count(b"\n")
        return undecodable(path, file.read(at - begin + 1), encoding, at - begin, before)
