"""Vectors as text, a word a line: GloVe without a header, word2vec and fastText with one.

    the 0.418 0.24968 …          GloVe
    2000000 300                  word2vec and fastText: how many words, how many values
    /c/en/she 0.0153 …           Numberbatch: words of many languages

A word may hold spaces (GloVe 840B has `. . .`), so a line is split from its right end. Words are
compared as bytes: of a line that nobody asked for only the word and the length are looked at.
Polars parses the values of the others, many lines at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors.formats.source import (
    BROKEN,
    REPEATED,
    START,
    FoundVectors,
    VectorSource,
    file_errors,
    open_bytes,
    too_many,
)

BOM = b"\xef\xbb\xbf"
HEADER = re.compile(rb"(\d{1,18}) (\d{1,9})[ \r]*$")
PREFIX = re.compile(rb"/c/[a-z-]{2,}/")
LAYOUT_LINES = 16
"""Lines at the beginning, most of which must agree on how many values there are."""
LONGEST_LINE = 1 << 20
"""Bytes: a longer line is no vector, and only counted."""
PARSED_AT_ONCE = 1 << 21
"""Bytes of values that are gathered before they are parsed."""
EXPECTED = "expected lines of a word and its numbers, as in GloVe, word2vec text or fastText .vec"


@dataclass(frozen=True, slots=True)
class TextLayout:
    """How the lines of a file are made, as its first lines show."""

    dimension: int
    promised: int | None
    """Words, as the header says; None without a header."""
    separator: bytes
    """What stands after a line's word: a space, or a tab."""
    language: str = ""
    """The one whose words are read, where every word is said to be of one, as in Numberbatch."""

    @property
    def format(self) -> str:
        """What the file is, in plain words."""
        if self.language:
            return "Numberbatch text"
        return "GloVe text" if self.promised is None else "word2vec text"

    def notes(self, lines: int) -> tuple[str, ...]:
        """What a reader should know of a file with so many lines of words."""
        notes = []
        if self.language:
            notes.append(f"its words are said to be of languages; those of {self.language!r} count")
        if self.promised not in (None, lines):
            only = "only " if lines < (self.promised or 0) else ""
            promised = f"its first line promises {self.promised:,} words"
            notes.append(f"{promised}, but {only}{lines:,} lines follow")
        return tuple(notes)


def text_vectors(path: Path, start: bytes, language: str | None = None) -> VectorSource:
    """The vectors of a text file, read line by line; `language` picks one where it holds many."""
    layout = text_layout(path, start, language)
    find = partial(_find, path, layout)
    languages = (layout.language,) if layout.language else ()
    return VectorSource(path.name, (path,), layout.dimension, find, layout.format, languages)


def text_layout(path: Path, start: bytes, language: str | None = None) -> TextLayout:
    """The layout of a file that begins with these bytes; `language` is for one that holds many."""
    promise, rows = header(start), first_rows(start)
    dimension = Counter(map(count_numbers, rows)).most_common(1)[0][0] if rows else 0
    if not dimension:
        raise TiltmeterError(f"{path}: holds no vectors as text in its first lines; {EXPECTED}")
    if promise and promise[1] != dimension:
        what = f"promises {promise[1]:,} values a word; the lines after it have {dimension:,}"
        raise TiltmeterError(f"{path}:1: {what}: correct the first line, or fetch the file anew")
    typical = next(row for row in rows if count_numbers(row) == dimension)
    word = typical.rsplit(None, dimension)[0]
    separator = b"\t" if typical[len(word) : len(word) + 1] == b"\t" else b" "
    prefixed = sum(bool(PREFIX.match(row)) for row in rows) > len(rows) / 2
    read_in = (language or "en") if prefixed else ""
    return TextLayout(dimension, promise[0] if promise else None, separator, read_in)


def header(start: bytes) -> tuple[int, int] | None:
    """How many words of how many values the first line promises, where it does.

    >>> header(b"2000000 300"), header(b"the 0.1 0.2")
    ((2000000, 300), None)
    """
    promise = HEADER.match(start.removeprefix(BOM).split(b"\n", 1)[0])
    return (int(promise[1]), int(promise[2])) if promise else None


def first_rows(start: bytes) -> list[bytes]:
    """The first whole lines that should hold a vector."""
    lines = start.removeprefix(BOM).split(b"\n", LAYOUT_LINES + 2)
    if len(start) >= START or len(lines) > LAYOUT_LINES + 2:
        lines.pop()
    return [line for line in lines[1 if header(start) else 0 :] if line.strip()][:LAYOUT_LINES]


def count_numbers(line: bytes) -> int:
    """How many numbers a line ends with, its first piece not counted.

    >>> count_numbers(b". . . 0.1 0.2"), count_numbers(b"1984 0.1 0.2")
    (2, 2)
    """
    count = 0
    for piece in reversed(line.split()[1:]):
        if not is_number(piece):
            break
        count += 1
    return count


def is_number(piece: bytes) -> bool:
    """Whether a piece is a number, NaN and infinity among them; Python's 1_000 is none."""
    try:
        float(piece)
    except ValueError:
        return False
    return b"_" not in piece


# ---------------------------------------------------------------- one pass over the file


def _find(path: Path, layout: TextLayout, words: Sequence[str]) -> FoundVectors:
    """Go through the file once; only lines that begin like a word asked for are parsed."""
    wanted, faults = _WantedLines(layout, words), LineFaults(path)
    begins, separator = wanted.begins, layout.separator
    shortest = 1 + 2 * layout.dimension  # a letter, and a separator and a digit for each value
    headed = 0 if layout.promised is None else 1
    number, cut_short = 0, False
    for number, (line, ended) in enumerate(_lines(path), 1):
        if number <= headed:
            continue
        cut_short = not ended and count_numbers(line) < layout.dimension
        cut = line.find(separator)
        word = line[:cut] if cut > 0 else b""
        if word in begins:
            wanted.add(number, word, line[cut + 1 :])
        if not word or len(line) < shortest:
            faults.add(NO_VECTOR if line.strip() else BLANK, number, number - headed)
            if not word:
                wanted.add(number, line.strip(), b"")
        if b"\0" in word:
            faults.add(NUL, number, number - headed)
        elif not word.isascii() and not _is_utf8(word):
            faults.add(NO_UTF8, number, number - headed)
    lines = number - headed
    faults.check(lines)
    if cut_short:
        what = f"is cut short: it ends in the middle of line {number:,}"
        raise TiltmeterError(f"{path}: {what}: fetch it anew, or delete that line if it is whole")
    return wanted.found((*layout.notes(lines), *faults.notes()))


def _lines(path: Path) -> Iterator[tuple[bytes, bool]]:
    """Each line without its newline, and whether it had one; a NUL for a line that is too long."""
    with file_errors(path), open_bytes(path) as file:
        line = file.readline(LONGEST_LINE).removeprefix(BOM)
        while line:
            if line.endswith(b"\n"):
                yield line[:-1], True
            elif len(line) < LONGEST_LINE:
                yield line, False
            else:
                yield b"\0", True
                while line and not line.endswith(b"\n"):
                    line = file.readline(LONGEST_LINE)
            line = file.readline(LONGEST_LINE)


def _is_utf8(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return True


# ---------------------------------------------------------------- lines of nobody's words

MANY = 100_000
"""Odd lines that a file may have, whatever share of it they are."""
NAMED = 5
"""Lines that a remark names before it only counts the rest."""
BLANK = "without anything"
NO_VECTOR = "without a word and its values"
NO_UTF8 = "with a word that is not UTF-8"
NUL = "with a NUL byte in the word"


class LineFaults:
    """What is wrong with lines of a file, counted, with the numbers of the first ones."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._counts = Counter[str]()
        self._first: dict[str, list[int]] = {}

    def add(self, kind: str, number: int, lines: int) -> None:
        """Count a faulty line; raise already now where hardly one of many lines is whole."""
        self._counts[kind] += 1
        if self._counts[kind] <= NAMED:
            self._first.setdefault(kind, []).append(number)
        if self._counts.total() > MANY:
            self.check(lines, so_far=True)

    def check(self, lines: int, *, so_far: bool = False) -> None:
        """Raise where so many lines hold no vector that the file cannot be trusted."""
        mostly_odd = self._counts.total() > max(MANY, lines / 2)
        broken = self._counts[NO_VECTOR] + self._counts[NUL]
        if mostly_odd or (not so_far and too_many(broken, lines)):
            what = f"is damaged: it has {lines:,} lines, but {'; '.join(self.notes())}"
            raise TiltmeterError(f"{self._path}: {what}: fetch the file anew")

    def notes(self) -> tuple[str, ...]:
        """A remark for each kind of fault."""
        notes = []
        for kind in sorted(self._first, key=(NO_UTF8, NUL).__contains__):  # words after lines
            count = self._counts[kind]
            places = ", ".join(f"{at:,}" for at in self._first[kind])
            more = f" and {count - NAMED:,} more" if count > NAMED else ""
            notes.append(f"{count:,} line{'' if count == 1 else 's'} {kind}: {places}{more}")
        return tuple(notes)


# ---------------------------------------------------------------- lines of words asked for


class _WantedLines:
    """Lines that begin like a word asked for; plain ones wait until many are parsed at once."""

    def __init__(self, layout: TextLayout, words: Iterable[str]) -> None:
        prefix = f"/c/{layout.language}/".encode() if layout.language else b""
        self._dimension, self._separator = layout.dimension, layout.separator
        self._words = {prefix + word.encode(): word for word in words}
        self.begins = {word.split(layout.separator, 1)[0] for word in self._words}
        self._found = FoundVectors()
        self._seen: set[str] = set()
        self._too_long: dict[str, int] = {}
        self._waiting: list[tuple[str, int, bytes]] = []
        """Words, the numbers of their lines, and their values as text."""
        self._size = 0

    def add(self, number: int, begin: bytes, rest: bytes) -> None:
        """Take a line, cut at its first separator, if it is the line of a word asked for."""
        values = rest.rstrip()
        plain = values.count(self._separator) == self._dimension - 1
        if not (plain and begin in self._words):
            self._add_odd(number, begin + self._separator + rest)
        elif self._is_first(self._words[begin], number):
            self._waiting.append((self._words[begin], number, values))
            self._size += len(values)
            if self._size > PARSED_AT_ONCE:
                self._parse()

    def found(self, notes: tuple[str, ...]) -> FoundVectors:
        """Everything found, with what is said of the file itself."""
        self._parse()
        for word, number in self._too_long.items():
            if word not in self._found.vectors:
                expected = f"more than the {self._dimension:,} values expected"
                self._found.remark(BROKEN, word, f"line {number:,}: found {expected}")
        return FoundVectors(self._found.vectors, self._found.remarks, notes)

    def _add_odd(self, number: int, line: bytes) -> None:
        """Look closely at a line whose word may hold separators, or which is broken."""
        word, *values = line.rsplit(None, self._dimension) or [b""]
        begin, *rest = [word] if word in self._words else word.split() or [word]
        if begin not in self._words:
            return
        asked = self._words[begin]
        if not rest:
            if self._is_first(asked, number):
                self._keep(asked, number, values)
        elif all(map(is_number, rest)):
            # A word that holds a space, or a value too many: known once the file is through.
            self._too_long.setdefault(asked, number)

    def _is_first(self, word: str, number: int) -> bool:
        if word in self._seen:
            self._found.remark(REPEATED, word, f"again in line {number:,}")
            return False
        self._seen.add(word)
        return True

    def _parse(self) -> None:
        """Parse the lines that wait; those with anything but finite numbers one by one."""
        if not self._waiting:
            return
        lines, self._waiting, self._size = self._waiting, [], 0
        rows = plain_rows([values for _, _, values in lines], self._dimension, self._separator)
        rows.setflags(write=False)
        finite = np.asarray(np.isfinite(rows).all(axis=1))
        for (word, number, values), row, whole in zip(lines, rows, finite, strict=True):
            if whole:
                self._found.vectors[word] = row
            else:
                self._keep(word, number, values.split())

    def _keep(self, word: str, number: int, values: list[bytes]) -> None:
        """Parse a line's values one by one, and say what is wrong with them."""
        where = f"line {number:,}"
        if wrong := wrong_values(values, self._dimension):
            self._found.remark(BROKEN, word, f"{where}: {wrong}")
        else:
            self._found.keep(word, [float(value) for value in values], where)


def plain_rows(lines: Sequence[bytes], dimension: int, separator: bytes) -> NDArray[np.float32]:
    """Lines of values as rows; one with anything but finite numbers has a value that is not.

    Every line must have one separator less than it has values.

    >>> plain_rows([b"1 2", b"3 four"], 2, b" ")
    array([[ 1.,  2.],
           [ 3., nan]], dtype=float32)
    """
    import polars as pl

    # Polars reads floats several times sooner than NumPy, and is no more lenient than Python.
    schema = {str(column): pl.Float32 for column in range(dimension)}
    read = partial(pl.read_csv, has_header=False, quote_char=None, ignore_errors=True)
    try:
        frame = read(b"\n".join(lines), separator=separator.decode(), schema=schema)
        rows = frame.to_numpy(order="c")
    except pl.exceptions.PolarsError:
        rows = np.empty((0, 0), np.float32)
    if rows.shape != (len(lines), dimension):
        return np.full((len(lines), dimension), np.nan, np.float32)
    return rows


def wrong_values(values: Sequence[bytes], dimension: int) -> str:
    """What is wrong with the values of a line; nothing where they are so many numbers.

    >>> wrong_values([b"1", b"two"], 2)
    "found 'two' among the values; expected numbers"
    """
    if len(values) != dimension:
        return f"found {len(values):,} values; expected {dimension:,}"
    wrong = [value[:40].decode(errors="replace") for value in values if not is_number(value)]
    return f"found {wrong[0]!r} among the values; expected numbers" if wrong else ""
