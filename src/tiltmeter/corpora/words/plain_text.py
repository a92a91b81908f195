"""Text files that people keep words in: UTF-8, else Latin-1, which is said."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tiltmeter.corpora.words.word_file import bytes_of
from tiltmeter.errors import CorpusError, Problem

COMMENT = ";"


@dataclass(frozen=True, slots=True)
class PlainText:
    """The lines of a file that say something, with their numbers, and how it was read."""

    path: Path
    lines: tuple[tuple[int, str], ...]
    notes: tuple[str, ...] = ()

    def at(self, line: int) -> str:
        """The place of a line for a message."""
        return f"{self.path}:{line}"


def read_plain_text(path: Path, expected: str, comment: str = COMMENT) -> PlainText:
    """The lines that are neither blank nor comments, without the spaces around them."""
    data = bytes_of(path, expected)
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        what = f"found a NUL byte, so this is no text in UTF-8 or Latin-1; expected {expected}"
        raise CorpusError("the file is not a text file", [Problem(f"{path}:{line}", what)])
    text, notes = _decoded(path, data)
    numbered = ((n, line.strip(" \t\r")) for n, line in enumerate(_lines(text), start=1))
    lines = tuple((n, line) for n, line in numbered if line and not line.startswith(comment))
    if not lines:
        what = f"found nothing but comments in it; expected {expected}"
        raise CorpusError("the file is empty", [Problem(str(path), what)])
    return PlainText(path, lines, notes)


def read_word_lines(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a list, one a line, and how it was read."""
    text = read_plain_text(path, "a list of words, one a line")
    return tuple(line for _, line in text.lines), text.notes


def _decoded(path: Path, data: bytes) -> tuple[str, tuple[str, ...]]:
    try:
        return data.decode("utf-8-sig"), ()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        note = f"{path.name} is not UTF-8 (first on line {line:,}), so it was read as Latin-1"
        return data.decode("latin-1"), (note,)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
