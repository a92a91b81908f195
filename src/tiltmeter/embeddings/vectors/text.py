"""Vectors as text, a word a line: GloVe without a header, word2vec and fastText with one.

    the 0.418 0.24968 …          GloVe
    2000000 300                  word2vec and fastText: how many words, how many values

A word may hold spaces (GloVe 840B has `. . .`), so a line is split from its right end. Words are
compared as bytes: a line that nobody asked for is neither decoded nor parsed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from tiltmeter.embeddings.vectors.files import opened, reading
from tiltmeter.embeddings.vectors.source import REPEATED, Found, Source, vector
from tiltmeter.embeddings.vectors.text_layout import BOM, Layout, is_number, text_layout
from tiltmeter.errors import TiltmeterError

MEND = "correct the line, or fetch the file anew"


def text_vectors(path: Path, start: bytes) -> Source:
    """The vectors of a text file, read line by line."""
    layout = text_layout(path, start)
    return Source(path.name, (path,), layout.dimension, partial(_find, path, layout))


def _find(path: Path, layout: Layout, words: Sequence[str]) -> Found:
    """Go through the file once; only lines that begin like a word asked for are parsed."""
    lines = _Lines(path, layout, words)
    begins, separator = lines.begins, layout.separator
    number = before = 0 if layout.promised is None else 1
    with reading(path), opened(path) as file:
        if file.peek(len(BOM)).startswith(BOM):
            file.read(len(BOM))
        if layout.promised is not None:
            file.readline()
        for number, line in enumerate(file, before + 1):
            if line[: line.find(separator)] in begins:
                lines.take(number, line)
    return lines.found(number - before)


class _Lines:
    """Lines that begin like a word asked for, sorted into vectors and faults."""

    def __init__(self, path: Path, layout: Layout, words: Iterable[str]) -> None:
        self._path, self._layout = path, layout
        self._wanted = {word.encode(): word for word in words}
        self.begins = {word.split(layout.separator, 1)[0] for word in self._wanted}
        self._found = Found()
        self._too_long: dict[str, int] = {}

    def take(self, number: int, line: bytes) -> None:
        """Parse a line, if it is the line of a word asked for."""
        word, *values = line.rsplit(None, self._layout.dimension) or [b""]
        begin, *rest = [word] if word in self._wanted else word.split() or [word]
        if begin not in self._wanted:
            return
        if not rest:
            self._keep(self._wanted[begin], values, number)
        elif all(map(is_number, rest)):
            # A word that holds a space, or a value too many: known once the file is through.
            self._too_long.setdefault(self._wanted[begin], number)

    def found(self, lines: int) -> Found:
        """What was found in so many lines."""
        for word, number in self._too_long.items():
            if word not in self._found.vectors:
                raise self._wrong_count(word, "more", number)
        promised = self._layout.promised or 0
        cut = f"its first line promises {promised:,} words, but only {lines:,} lines follow"
        notes = (cut,) if lines < promised else ()
        return Found(self._found.vectors, self._found.remarks, notes)

    def _keep(self, word: str, values: list[bytes], number: int) -> None:
        if word in self._found.vectors:
            self._found.remark(REPEATED, word, f"again in line {number:,}")
            return
        if len(values) != self._layout.dimension:
            raise self._wrong_count(word, f"{len(values):,}", number)
        where = f"{self._path}:{number}"
        wrong = [value[:40].decode(errors="replace") for value in values if not is_number(value)]
        if wrong:
            what = f"found {wrong[0]!r} among the values of {word!r}; expected numbers"
            raise TiltmeterError(f"{where}: {what}: {MEND}")
        self._found.vectors[word] = vector([float(value) for value in values], where)

    def _wrong_count(self, word: str, count: str, number: int) -> TiltmeterError:
        expected = f"expected {self._layout.dimension:,}, as in the file's first lines"
        what = f"found {count} values for {word!r}; {expected}"
        return TiltmeterError(f"{self._path}:{number}: {what}: {MEND}")
