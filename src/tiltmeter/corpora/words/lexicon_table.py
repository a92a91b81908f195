"""A lexicon in one table: a column of words, and one of scores or labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.corpora.design import Provenance
from tiltmeter.corpora.table_file import capped, folded
from tiltmeter.corpora.words.cells import Row, number_in, rows_of
from tiltmeter.corpora.words.plain_text import PlainText, read_plain_text
from tiltmeter.corpora.words.records import Lexicon
from tiltmeter.corpora.words.sides import Origin, make_lexicon
from tiltmeter.errors import CorpusError, Problem

SUBJECT = "the lexicon cannot be used"
EXPECTED = "a table with a column of words and one of scores or of labels (positive, negative)"
WORDS = ("word", "words", "term", "token", "lemma", "text", "entry")
WORTHS = (
    "score", "label", "polarity", "sentiment", "valence", "rating", "value", "class", "mean",
)  # fmt: skip
LABELS = {
    "positive": 1.0, "pos": 1.0, "+": 1.0, "good": 1.0,
    "negative": -1.0, "neg": -1.0, "-": -1.0, "bad": -1.0,
    "neutral": 0.0, "neu": 0.0, "objective": 0.0,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column holds the words and which what they are worth."""

    word: int
    worth: int
    named: bool
    """True where a first line names them."""
    note: str


def lexicon_of_table(path: Path) -> Lexicon:
    """The words of a table whose score is above 0 or below 0, or whose label says the side."""
    text = read_plain_text(path, EXPECTED)
    rows = rows_of(text, SUBJECT, EXPECTED, 1)
    columns = _columns(text, rows)
    body = rows[1:] if columns.named else rows
    if problems := list(capped(_problems(text, columns, body), "rows like these")):
        raise CorpusError(SUBJECT, problems)
    worths = [(row[columns.word].strip(), _worth(row[columns.worth])) for _, row in body]
    if worths and all(worth is not None and worth >= 0 for _, worth in worths):
        what = "found no word with a negative score or label; expected scores below and above 0"
        raise CorpusError(SUBJECT, [Problem(str(path), what)])
    even = sum(worth == 0 for _, worth in worths)
    notes = [*text.notes, columns.note, *([f"neutral words left out: {even:,}"] if even else [])]
    origin = Origin(path.stem, f"{path.name}, the user's own", Provenance(f"{path.name}"))
    good = [word for word, worth in worths if worth is not None and worth > 0]
    bad = [word for word, worth in worths if worth is not None and worth < 0]
    return make_lexicon(origin, good, bad, notes, str(path))


def _columns(text: PlainText, rows: list[Row]) -> Columns:
    """The columns by their names, else the first text and the first score or label."""
    first = [folded(cell) for cell in rows[0][1]]
    word = next((first.index(name) for name in WORDS if name in first), None)
    worth = next((first.index(name) for name in WORTHS if name in first), None)
    if word is not None and worth is not None and word != worth:
        named = [rows[0][1][place].strip() for place in (word, worth)]
        return Columns(
            word, worth, True, f"words from column {named[0]!r}, scores from {named[1]!r}"
        )
    return _guessed(text, rows)


def _guessed(text: PlainText, rows: list[Row]) -> Columns:
    named = not any(_worth(cell) is not None for cell in rows[0][1])
    body = rows[1:21] if named else rows[:20]
    width = min((len(row) for _, row in body), default=0)
    worths = [
        place for place in range(width) if all(_worth(row[place]) is not None for _, row in body)
    ]
    words = [place for place in range(width) if place not in worths]
    if not worths or not words:
        found = f"found the columns {', '.join(map(repr, rows[0][1][:6]))}"
        where = text.at(rows[0][0])
        raise CorpusError(SUBJECT, [Problem(where, f"{found}; expected {EXPECTED}")])
    note = f"guessed: words from column {words[0] + 1}, scores or labels from {worths[0] + 1}"
    return Columns(words[0], worths[0], named, note)


def _problems(text: PlainText, columns: Columns, rows: list[Row]) -> Iterator[Problem]:
    for line, row in rows:
        if len(row) <= max(columns.word, columns.worth):
            yield Problem(text.at(line), f"found {len(row)} cells; expected {EXPECTED}")
        elif not row[columns.word].strip():
            yield Problem(text.at(line), "found no word; expected one in each row")
        elif _worth(row[columns.worth]) is None:
            what = f"found {row[columns.worth]!r}; expected a number, or positive or negative"
            yield Problem(text.at(line), what)


def _worth(cell: str) -> float | None:
    """What a cell says of its word: a score, or 1, −1 or 0 for a label; None where it says nothing.

    >>> _worth("-2.5"), _worth("Positive"), _worth("good idea")
    (-2.5, 1.0, None)
    """
    said = cell.strip().lower()
    return LABELS[said] if said in LABELS else number_in(said)
