"""How a text file of vectors is laid out, told from its first lines."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors.formats.files import START

BOM = b"\xef\xbb\xbf"
HEADER = re.compile(rb"(\d{1,18}) (\d{1,9})[ \r]*$")
PREFIX = re.compile(rb"/c/[a-z-]{2,}/")
LOOKED_AT = 16
"""Lines at the beginning, most of which must agree on how many values there are."""
EXPECTED = "expected lines of a word and its numbers, as in GloVe, word2vec text or fastText .vec"


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of a file are made."""

    dimension: int
    promised: int | None
    """Words, as the header says; None without a header."""
    separator: bytes
    """What stands after a line's word: a space, or a tab."""
    language: str = ""
    """The one whose words are read, where every word is said to be of one, as in Numberbatch."""

    @property
    def least(self) -> int:
        """Bytes of the shortest line: a letter, and a separator and a digit for each value."""
        return 1 + 2 * self.dimension

    @property
    def prefix(self) -> bytes:
        """What stands before every word that is read."""
        return f"/c/{self.language}/".encode() if self.language else b""

    @property
    def format(self) -> str:
        """What the file is, in plain words."""
        if self.language:
            return "Numberbatch text"
        return "GloVe text" if self.promised is None else "word2vec text"

    @property
    def languages(self) -> tuple[str, ...]:
        """What is known of the language of its words."""
        return (self.language,) if self.language else ()

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


def text_layout(path: Path, start: bytes, language: str | None = None) -> Layout:
    """The layout of a file that begins with these bytes; `language` is for one that holds many."""
    told, rows = header(start), first_rows(start)
    dimension = Counter(map(how_many_numbers, rows)).most_common(1)[0][0] if rows else 0
    if not dimension:
        raise TiltmeterError(f"{path}: holds no vectors as text in its first lines; {EXPECTED}")
    if told and told[1] != dimension:
        what = f"promises {told[1]:,} values a word; the lines after it have {dimension:,}"
        raise TiltmeterError(f"{path}:1: {what}: correct the first line, or fetch the file anew")
    typical = next(row for row in rows if how_many_numbers(row) == dimension)
    word = typical.rsplit(None, dimension)[0]
    separator = b"\t" if typical[len(word) : len(word) + 1] == b"\t" else b" "
    prefixed = sum(bool(PREFIX.match(row)) for row in rows) > len(rows) / 2
    asked = (language or "en") if prefixed else ""
    return Layout(dimension, told[0] if told else None, separator, asked)


def header(start: bytes) -> tuple[int, int] | None:
    """How many words of how many values the first line promises, where it does.

    >>> header(b"2000000 300"), header(b"the 0.1 0.2")
    ((2000000, 300), None)
    """
    told = HEADER.match(start.removeprefix(BOM).split(b"\n", 1)[0])
    return (int(told[1]), int(told[2])) if told else None


def first_rows(start: bytes) -> list[bytes]:
    """The first whole lines that should hold a vector."""
    lines = start.removeprefix(BOM).split(b"\n", LOOKED_AT + 2)
    if len(start) >= START or len(lines) > LOOKED_AT + 2:
        lines.pop()
    return [line for line in lines[1 if header(start) else 0 :] if line.strip()][:LOOKED_AT]


def how_many_numbers(line: bytes) -> int:
    """How many numbers a line ends with, its first piece not counted.

    >>> how_many_numbers(b". . . 0.1 0.2"), how_many_numbers(b"1984 0.1 0.2")
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
