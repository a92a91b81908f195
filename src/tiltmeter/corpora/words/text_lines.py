"""Text files that people keep words in: UTF-8, else Latin-1, which is said; cut into cells."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import CorpusError, Problem
from tiltmeter.records import read_bytes

COMMENT = ";"
SEPARATORS = "\t,;|"
LOOKED_AT = 20
"""Lines that the separator is guessed from."""
NumberedRow = tuple[int, list[str]]


@dataclass(frozen=True, slots=True)
class TextLines:
    """The lines of a file that say something, with their numbers, and how it was read."""

    path: Path
    lines: tuple[tuple[int, str], ...]
    notes: tuple[str, ...] = ()

    def at(self, line: int) -> str:
        """The place of a line for a message."""
        return f"{self.path}:{line}"

    def rows(self, subject: str, expected: str, spaces: int) -> list[NumberedRow]:
        """The number and cells of every line, cut at the separator that all have in common.

        Where there is none, `spaces` is how many spaces cut a line from the right: 1 leaves
        `so good 2.5` as two cells.
        """
        lines = [line for _, line in self.lines[:LOOKED_AT]]
        separator = next((mark for mark in SEPARATORS if all(mark in line for line in lines)), None)
        if separator is None:
            cut = [(n, line.rsplit(maxsplit=spaces)) for n, line in self.lines]
            if any(len(cells) <= spaces for _, cells in cut[:LOOKED_AT]):
                number, line = self.lines[0]
                what = f"found one column, as in {line[:40]!r}; expected {expected}"
                raise CorpusError(subject, [Problem(self.at(number), what)])
            return cut
        cells = csv.reader((line for _, line in self.lines), delimiter=separator, strict=True)
        rows: list[NumberedRow] = []
        try:
            rows += zip((n for n, _ in self.lines), cells, strict=True)
        except (csv.Error, ValueError) as error:
            place = self.lines[min(len(rows), len(self.lines) - 1)][0]
            what = f"a quote does not close as it should from here on; expected {expected}"
            raise CorpusError(subject, [Problem(self.at(place), what)]) from error
        return [(n, [cell.strip() for cell in row]) for n, row in rows]


def read_lines(path: Path, expected: str, comment: str = COMMENT) -> TextLines:
    """The lines that are neither blank nor comments, without the spaces around them."""
    data = read_bytes(path, expected)
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        what = f"found a NUL byte, so this is no text in UTF-8 or Latin-1; expected {expected}"
        raise CorpusError("the file is not a text file", [Problem(f"{path}:{line}", what)])
    notes: tuple[str, ...] = ()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        notes = (f"{path.name} is not UTF-8 (first on line {line:,}), so it was read as Latin-1",)
        text = data.decode("latin-1")
    every = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    numbered = ((n, line.strip(" \t\r")) for n, line in enumerate(every, start=1))
    lines = tuple((n, line) for n, line in numbered if line and not line.startswith(comment))
    if not lines:
        what = f"found nothing but comments in it; expected {expected}"
        raise CorpusError("the file is empty", [Problem(str(path), what)])
    return TextLines(path, lines, notes)


def number_in(cell: str) -> float | None:
    """The number a cell holds, with a hyphen or a real minus sign; None where it holds none.

    >>> number_in("−2.5"), number_in("good")
    (-2.5, None)
    """
    try:
        value = float(cell.strip().replace("\u2212", "-"))
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None
