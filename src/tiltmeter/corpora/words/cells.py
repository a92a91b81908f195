"""Lines cut into cells at the separator that they have in common."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from tiltmeter.corpora.words.plain_text import PlainText
from tiltmeter.errors import CorpusError, Problem

Row = tuple[int, list[str]]
SEPARATORS = "\t,;|"
LOOKED_AT = 20
"""Lines that the separator is guessed from."""


def rows_of(text: PlainText, subject: str, expected: str, spaces: int) -> list[Row]:
    """The number and cells of every line; cut at spaces from the right where no separator is.

    `spaces` is how many spaces cut a line then: 1 leaves `so good 2.5` as two cells.
    """
    separator = _separator([line for _, line in text.lines[:LOOKED_AT]])
    if separator is None:
        cut = [(n, line.rsplit(maxsplit=spaces)) for n, line in text.lines]
        if any(len(cells) <= spaces for _, cells in cut[:LOOKED_AT]):
            number, line = text.lines[0]
            what = f"found one column, as in {line[:40]!r}; expected {expected}"
            raise CorpusError(subject, [Problem(text.at(number), what)])
        return cut
    cells = csv.reader((line for _, line in text.lines), delimiter=separator, strict=True)
    rows: list[Row] = []
    try:
        rows += zip((n for n, _ in text.lines), cells, strict=True)
    except (csv.Error, ValueError) as error:
        place = text.lines[min(len(rows), len(text.lines) - 1)][0]
        what = f"a quote does not close as it should from here on; expected {expected}"
        raise CorpusError(subject, [Problem(text.at(place), what)]) from error
    return [(n, [cell.strip() for cell in row]) for n, row in rows]


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


def _separator(lines: Sequence[str]) -> str | None:
    return next((mark for mark in SEPARATORS if all(mark in line for line in lines)), None)
