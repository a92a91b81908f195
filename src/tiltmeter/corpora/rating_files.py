"""The files of stored outputs: what their names say, which column is what, and their rows read."""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from tiltmeter.columns import columns_called, fold_name, may_be_axis, there_are, unclear
from tiltmeter.corpora.catalogue import load_corpus
from tiltmeter.errors import PROBLEMS_NAMED, Problem, ScoreFileError, cap_problems, did_you_mean
from tiltmeter.files import is_there
from tiltmeter.table_files import BY_ROW, TABLE_FILES, TableFile

SUBJECT = "the stored outputs cannot be rated"
JOINERS = "\u200c\u200d"
"""Letters that show nothing themselves and yet belong in Persian and Hindi names."""
LISTED = 5
"""How many names a note lists before the rest is only counted."""


GAP = r"[\W_]*"
BEGINS, ENDS = r"(?<![^\W_])", r"(?![^\W_])"
"""No letter or digit stands before, or after."""
NUMBER = r"([0-9]{1,2})"
SET = rf"(?:e|set){GAP}{NUMBER}{ENDS}"
BOTH = re.compile(rf"{BEGINS}(?:rating|group|g){GAP}{NUMBER}{GAP}{SET}", re.IGNORECASE)
BARE = re.compile(rf"(?:^|(?<=/)){NUMBER}[\W_]+{SET}", re.IGNORECASE)
"""`1-e1` where a name begins with it: in `gpt-4-e1` the 4 may be the system's."""
GROUP = re.compile(rf"{BEGINS}(?:rating|group){GAP}{NUMBER}{ENDS}", re.IGNORECASE)
SHORT_GROUP = re.compile(rf"{BEGINS}(?:rating|group|g){GAP}{NUMBER}{ENDS}", re.IGNORECASE)
ANY_SET = re.compile(rf"{BEGINS}{SET}", re.IGNORECASE)
OWN_SET = re.compile(rf"(?:rating[\W_]+)?(.+?)[\W_]+e{NUMBER}", re.IGNORECASE)

CUT = "\0"
"""Stands where a dataset's name was cut out of a path."""
BARELY_NAMED = frozenset(
    ("all", "data", "output", "outputs", "predictions", "result", "results", "score", "scores")
)
"""File names that say nothing of a system."""


@dataclass(frozen=True, slots=True)
class NameFacts:
    """What a path says: None where it does not."""

    system: str
    group: str | None = None
    words: str | None = None
    by_folder: bool = False
    """The system is called after a folder."""


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One file, and what its name says of the outputs in it."""

    path: Path
    named: NameFacts


def result_files(path: Path) -> tuple[list[ResultFile], list[str]]:
    """The file itself, or every table in the folder and below it, and notes on what is not read."""
    if not is_there(path):
        raise _refused(path, "found no such file or folder; check the path")
    tables, others, root = [path], list[str](), path.parent
    if path.is_dir():
        root = path

        def refuse(error: OSError) -> None:
            what = f"{error.strerror}; expected a folder that can be read"
            raise _refused(Path(error.filename), what)

        inside = list[Path]()  # what is not hidden; links to folders are not followed
        for folder, below, files in os.walk(root, onerror=refuse):
            below[:] = [name for name in below if not name.startswith(".")]
            inside += (Path(folder, name) for name in files if not name.startswith("."))
        tables = [  # none that a link takes from outside the folder
            path
            for path in sorted(inside)
            if path.suffix.lower() in TABLE_FILES
            and path.is_file()
            and path.resolve().is_relative_to(root.resolve())
        ]
        left = sorted(set(inside) - set(tables))
        others = [repr(str(path.relative_to(root))) for path in left]
        if not tables:
            found = listed(others) or "nothing"
            raise _refused(root, f"found {found} in the folder; expected {', '.join(TABLE_FILES)}")
    elif not path.is_file():
        raise _refused(path, f"found no regular file; expected one of {', '.join(TABLE_FILES)}")
    if hidden := [path for path in tables if not shows(str(path.relative_to(root)))]:
        what = "the name holds control characters or is no UTF-8; rename the file"
        raise ScoreFileError(SUBJECT, [Problem(repr(str(path)), what) for path in hidden])
    within = [path.relative_to(root).with_suffix("").as_posix() for path in tables]
    names = read_names(within, root.resolve().name or "unnamed")
    notes = [f"not read, since no table: {listed(others)}"] if others else []
    return [ResultFile(*one) for one in zip(tables, names, strict=True)], notes


def shows(name: str) -> bool:
    r"""True for a name without control characters and halves of letters.

    >>> shows("Torrance 🙂"), shows("a\x1b[31m")
    (True, False)
    """
    return all(each.isprintable() or each in JOINERS for each in name)


def listed(names: Sequence[str], most: int = LISTED) -> str:
    """The first names, and how many more there are: `a, b and 3 more`."""
    rest = len(names) - most
    return f"{', '.join(names[:most])} and {rest:,} more" if rest > 0 else ", ".join(names)


def _refused(path: Path, what: str) -> ScoreFileError:
    where = str(path) if shows(str(path)) else repr(str(path))
    return ScoreFileError(SUBJECT, [Problem(where, what)])


# ---------------------------------------------------------------- what names say


def read_names(paths: Sequence[str], root: str) -> list[NameFacts]:
    """What each path within the folder `root` says, its ending left out.

    A set of words alone (`textblob-e3`) counts where the name is nothing else, or where another
    path differs only in the set: encoders are called E5, too.

    >>> read_names(["textblob/group1_e1", "G3_E4_vader"], "results")[1]
    NameFacts(system='vader', group='3', words='e4', by_folder=False)
    """
    alone = list[tuple[str, str | None]]()  # the path without its file's set of words, and the set
    for path in paths:
        folder, slash, file = path.rpartition("/")
        found_set = ANY_SET.search(file)
        if found_set:
            rest = f"{folder}{slash}{_without(file, found_set)}"
            alone.append((rest, f"e{_plain(found_set[1])}"))
        else:
            alone.append((path, None))
    beside = Counter(rest for rest, words in set(alone) if words)
    within = BOTH.search(root)
    facts = []
    for path, (rest, words) in zip(paths, alone, strict=True):
        found = _cut(path)
        if found == (path, None, None) and within:
            found = path, _plain(within[1]), f"e{_plain(within[2])}"
        elif found == (path, None, None) and (beside[rest] > 1 or (rest.rpartition("/")[2] == CUT)):
            found = rest, None, words
        rest, group, words = found
        *folders, file = (
            "-".join(filter(None, (piece.strip(" ._-") for piece in part.split(CUT))))
            for part in rest.split("/")
        )
        above = [name for name in folders if name and name.lower() not in BARELY_NAMED]
        by_folder = not file or bool(file.lower() in BARELY_NAMED and above)
        system = file if not by_folder else above[-1] if above else root
        facts.append(NameFacts(system, group, words, by_folder))
    return facts


def dataset_named(text: str) -> tuple[str, str | None]:
    """The group and the set of words (None: it names none) of a dataset as a cell names it.

    >>> dataset_named("rating-1-e3"), dataset_named("G1E3"), dataset_named("office")
    (('1', 'e3'), ('1', 'e3'), ('office', None))
    """
    found = BOTH.fullmatch(text) or BARE.fullmatch(text)
    if found:
        return _plain(found[1]), f"e{_plain(found[2])}"
    if found := OWN_SET.fullmatch(text):
        return group_named(found[1]), f"e{_plain(found[2])}"
    return group_named(text), None


def group_named(text: str) -> str:
    """The group as a cell names it: "Group 1", "g1", "1.0" and "1" are group 1."""
    found = SHORT_GROUP.fullmatch(text) or re.fullmatch(rf"{NUMBER}(?:\.0)?", text)
    return _plain(found[1]) if found else text


def set_named(text: str) -> str:
    """The set of words as a cell names it: "E1", "set 1" and "1" are e1."""
    found = ANY_SET.fullmatch(text) or re.fullmatch(rf"{NUMBER}(?:\.0)?", text)
    return f"e{_plain(found[1])}" if found else text


def _plain(number: str) -> str:
    return str(int(number))


def _cut(path: str) -> tuple[str, str | None, str | None]:
    """The path without its dataset, and the dataset's group and set of words."""
    if found := BOTH.search(path) or BARE.search(path):
        return _without(path, found), _plain(found[1]), f"e{_plain(found[2])}"
    group, words = SHORT_GROUP.search(path), ANY_SET.search(path)
    if group and words:
        first, second = sorted((group, words), key=re.Match.start, reverse=True)
        rest = _without(_without(path, first), second)
        return rest, _plain(group[1]), f"e{_plain(words[1])}"
    if group := GROUP.search(path):
        return _without(path, group), _plain(group[1]), None
    return path, None, None


def _without(path: str, found: re.Match[str]) -> str:
    """The path with what was found cut out; a folder's end in it stays one."""
    return path[: found.start()] + ("/" if "/" in found[0] else CUT) + path[found.end() :]


ALIASES = {
    "sentiment": ("sentiment", "sentiment score", "score"),
    "emotion": ("emotion",),
    "word": ("emotion word", "word"),
    "text": ("sentence", "text"),
    "id": ("id", "sentence id"),
    "system": ("system",),
    "dataset": ("dataset",),
    "group": ("group",),
    "words": ("words", "set"),
    "template": ("template",),
    "person": ("person",),
}
"""What our columns are called in a file, the best name first."""
OPTIONAL = "race"
"""The one axis that may be absent from every file."""
BESIDE_AXES = ("group", "words", "polarity", "raw", "file", "line")
"""Columns that stand beside the axes, and that other tables do not have."""
NEAR = 0.8
"""How alike a column's name must be to an absent axis to be taken for a slip of it."""

POSITIVE, NEGATIVE = "positive", "negative"
EMOTIONS = {"joy": POSITIVE, "anger": NEGATIVE, "fear": NEGATIVE, "sadness": NEGATIVE}
"""The emotions of the Equity Evaluation Corpus."""
POLARITIES = {
    **dict.fromkeys((POSITIVE, "pos", "1", "1.0", "+"), POSITIVE),
    **dict.fromkeys((NEGATIVE, "neg", "0", "0.0", "-", "−"), NEGATIVE),
}
"""What may stand for a polarity where no word is given."""


NOT_SAID = "not said"
"""Stands for the emotion words of a file that has no column for them."""

NOBODY = ("na", "n/a", "none", "unknown", "-", "nan", "null")
"""What stands for a person without a value on an axis, besides an empty cell."""
UNANSWERED = ("nan", "none", "null", "na", "n/a")
"""What stands for a score that is missing, besides an empty cell."""
CELLS = ("system", "dataset", "group", "words", "word", "emotion", "sentiment", "id", "text")
LABEL = r"(?i)^(pos|neg|neu|positive|negative|neutral|mixed|label[ _]?\d+)$"
DECIMAL_COMMA = r"^[+-]?\d*,\d+$"
SHOWN, WORDS_SHOWN = 40, 12


# ---------------------------------------------------------------- columns


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """The file's column for each of ours that it has, for each axis, and what was not read."""

    ours: Mapping[str, str]
    axes: Mapping[str, str]
    unread: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = field(default=(), compare=False)


def columns_of(
    table: TableFile, axes: Sequence[str], given: Mapping[str, str] | None = None
) -> RatingColumns:
    """Which column is what, with everything that is absent, unclear or no text.

    `given` has the file's name of some of our columns and axes.
    """
    names, wrong, given = table.frame.columns, list[str](), given or {}
    called = {**ALIASES, **{axis: (axis,) for axis in axes}}
    called |= {ours: (theirs,) for ours, theirs in given.items()}
    for one, theirs in given.items():
        if not columns_called(names, [theirs]):
            wrong.append(f"no column {theirs!r}, given for {one!r}; {_hint(theirs, names, names)}")
    kept = {fold_name(theirs) for theirs in given.values()}
    free = [name for name in names if fold_name(name) not in kept]
    found = dict[str, str]()
    for one, words in called.items():
        there = names if one in given else free
        alike = next(filter(None, (columns_called(there, [word]) for word in words)), [])
        if len(alike) > 1:
            wrong.append(unclear(alike, one, "leave only one of them"))
        elif alike:
            found[one] = alike[0]
    ours = {one: theirs for one, theirs in found.items() if one not in axes}
    groups = {one: theirs for one, theirs in found.items() if one in axes}
    taken = {*ours.values(), *groups.values()}
    unread = tuple(name for name in names if name not in taken)
    if "sentiment" not in ours and not columns_called(names, ALIASES["sentiment"]):
        near = _hint("Sentiment", names, names)
        wrong.append(f"no column 'Sentiment' with the system's scores; {near}")
    wordless = not {"emotion", "word"} & ours.keys() and not columns_called(
        names, ALIASES["emotion"]
    )
    # Without it classes can still be compared; a slip of the pen is no reason to.
    if wordless and did_you_mean("emotion", {name.lower(): name for name in names}):
        near = _hint("Emotion", names, names)
        wrong.append(f"no column 'Emotion' with the emotion words; {near}")
    plain_names = {fold_name(name): name for name in unread}
    for axis in axes:
        close = difflib.get_close_matches(fold_name(axis), plain_names, n=1, cutoff=NEAR)
        if axis not in groups and close and close[0] != fold_name(axis):
            meant = plain_names[close[0]]
            wrong.append(f"no column for {axis!r}; did you mean {meant!r}? Rename it")
    for name, kind in table.frame.schema.items():
        if name in taken and kind != pl.String:
            wrong.append(f"the column {name!r} holds {kind}; expected text or numbers")
    problems = tuple(Problem(table.at(), what) for what in wrong)
    return RatingColumns(ours, groups, unread, problems)


def axis_problems(axes: Sequence[str]) -> Iterator[Problem]:
    """What is wrong with the axes that were asked for, whatever the files hold."""
    if not axes:
        yield Problem("", "no axis was asked for; expected one or more, such as --axis gender")
    for axis in axes:
        if not may_be_axis(axis) or axis in (*BESIDE_AXES, *ALIASES):
            what = f"an axis cannot be called {axis!r}, which means something else here"
            yield Problem("", f"{what}; rename the column, and say --axis with its new name")


def unknown_columns(given: Mapping[str, str], axes: Sequence[str]) -> Iterator[Problem]:
    """Columns that the user gave and that are none of ours."""
    known = (*ALIASES, *axes)
    for ours, theirs in given.items():
        if ours not in known:
            near = did_you_mean(ours, known) or f"known are {', '.join(known)}"
            what = f"{ours!r} (given for the column {theirs!r}) is not one of our columns"
            yield Problem("", f"{what}: {near}")


def absent_axes(
    axes: Sequence[str], read: Sequence[tuple[TableFile, RatingColumns]]
) -> Iterator[Problem]:
    """Axes that no file has a column for; only race may be absent."""
    for axis in axes:
        if axis != OPTIONAL and not any(axis in columns.axes for _, columns in read):
            table, columns = read[0]
            near = _hint(axis, columns.unread, table.frame.columns)
            what = f"no column for the axis {axis!r}; {near}"
            yield Problem(table.at(), f"{what}; rename a column, or say which to use: --axis NAME")


def _hint(wanted: str, near: Sequence[str], names: Sequence[str]) -> str:
    plain = {name.lower(): name for name in near}
    alike = did_you_mean(wanted.lower(), plain)
    for lower, name in plain.items():
        alike = alike.replace(repr(lower), repr(name))
    return f"{alike} {there_are(names)}" if alike else there_are(names)


# ---------------------------------------------------------------- words


def plain(word: str) -> str:
    """A word as it is compared: without case and outer blanks."""
    return " ".join(word.split()).casefold()


def polarity_of_words(positive: Iterable[str], negative: Iterable[str]) -> dict[str, str]:
    """The polarity by plain word: the EEC's words and emotions, then what the user says."""
    design = load_corpus("eec").design
    known = {
        plain(form): EMOTIONS[word.emotion]
        for words in (design.words.values() if design else ())
        for word in words
        for form in (word.lemma, *word.forms.values())
    }
    own = {**dict.fromkeys(map(plain, positive), POSITIVE)}
    own |= dict.fromkeys(map(plain, negative), NEGATIVE)
    return {**known, **EMOTIONS, **POLARITIES, **own}


def against_custom(positive: Iterable[str], negative: Iterable[str]) -> list[str]:
    """Notes on what the user gives another polarity than it usually stands for."""
    given = {plain(word): POSITIVE for word in positive}
    given |= {plain(word): NEGATIVE for word in negative}
    return [
        f"{word!r} counts as {kind}, as --{kind} says; without it, it would be {POLARITIES[word]}"
        for word, kind in given.items()
        if POLARITIES.get(word, kind) != kind
    ]


def both_ways(positive: Sequence[str], negative: Sequence[str]) -> list[Problem]:
    """Words that were given as positive and as negative."""
    twice = sorted(set(map(plain, positive)) & set(map(plain, negative)))
    what = "was given as positive and as negative; give it once, with --positive or --negative"
    return [Problem("", f"the word {word!r} {what}") for word in twice]


# ---------------------------------------------------------------- rows


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A file, or some of its rows, whose columns are known."""

    file: ResultFile
    table: TableFile
    columns: RatingColumns


def places_of(rows: pl.DataFrame) -> pl.Series:
    """Where rows stand, for a message: `file.csv:12`, or `file.parquet:row 12`."""
    by_row = pl.any_horizontal(
        pl.col("file").str.to_lowercase().str.ends_with(end) for end in BY_ROW
    )
    unit = pl.when(by_row).then(pl.lit("row ")).otherwise(pl.lit(""))
    return rows.select(pl.format("{}:{}{}", "file", unit, "line").alias("place")).to_series()


def read_rows(
    opened: ResultTable, axes: Sequence[str], polarity: Mapping[str, str]
) -> pl.DataFrame:
    """The rows of a file that have an emotion word, read.

    system, group and words (null: not said), an axis each, emotion_word, polarity (null: not known,
    or not said), raw, sentiment (as written), text, key (the text or ID, null without either), own
    (the file names the system), file and line.
    """
    table, columns, named = opened.table, opened.columns, opened.file.named

    def text(value: str | None) -> pl.Expr:
        return pl.lit(value, pl.String)

    def cell(column: str | None) -> pl.Expr:
        """What stands in a column, empty cells null; null where the file has no such column."""
        return text(None) if column is None else pl.col(column).str.strip_chars().replace("", None)

    said = table.frame.select(
        *(cell(columns.ours.get(ours)).alias(ours) for ours in CELLS),
        *(cell(theirs).alias(axis) for axis, theirs in columns.axes.items()),
        own=pl.lit("system" in columns.ours),
        file=pl.lit(str(table.path)),
        line=table.lines,
    )

    def kind(column: str) -> pl.Expr:
        return _each(said, column, lambda text: polarity.get(plain(text)))

    def word(column: str) -> pl.Expr:
        """The plain word; of 1, pos and the like the polarity that it stands for."""
        as_polarity = {word: polarity[word] for word in POLARITIES}
        return _each(said, column, lambda text: as_polarity.get(plain(text), plain(text)))

    def group_text(text: str) -> str | None:
        return None if plain(text) in NOBODY else " ".join(text.split())

    # The group and set of words: from the dataset's column, their own, else the file's name.
    group = _each(said, "dataset", lambda text: dataset_named(text)[0])
    words = _each(said, "dataset", lambda text: dataset_named(text)[1])
    wordless = None if {"emotion", "word"} & columns.ours.keys() else NOT_SAID
    unanswered = pl.col("sentiment").str.to_lowercase().is_in(UNANSWERED)
    numbers = pl.col("sentiment").cast(pl.Float64, strict=False).fill_nan(None)
    rows = said.with_columns(
        pl.when("own").then("system").otherwise(pl.lit(named.system)).alias("system"),
        pl.coalesce(group, _each(said, "group", group_named), pl.lit(named.group, pl.String)).alias(
            "group"
        ),
        pl.coalesce(words, _each(said, "words", set_named), pl.lit(named.words, pl.String)).alias(
            "words"
        ),
        *(_each(said, axis, group_text).alias(axis) for axis in axes),
        pl.coalesce(word("word"), word("emotion"), pl.lit(wordless, pl.String)).alias(
            "emotion_word"
        ),
        pl.coalesce(kind("word"), kind("emotion")).alias("polarity"),
        pl.when(unanswered).then(None).otherwise("sentiment").alias("sentiment"),
        pl.coalesce("text", pl.format("ID {}", "id")).alias("key"),
    ).with_columns(numbers.alias("raw"))
    return rows.filter(pl.col("emotion_word").is_not_null())


def _each(rows: pl.DataFrame, column: str, reading: Callable[[str], str | None]) -> pl.Expr:
    """Each distinct text of a column turned into another one, once."""
    known = {text: reading(text) for text in rows[column].unique().drop_nulls()}
    return pl.col(column).replace_strict(
        list(known), list(known.values()), default=None, return_dtype=pl.String
    )


# ---------------------------------------------------------------- cells


class CellFaults:
    """Systems without a name, scores that are no numbers, words of unknown polarity."""

    def __init__(self) -> None:
        self._nameless: dict[str, tuple[TableFile, pl.Series]] = {}
        self._scores: list[Problem] = []
        self._no_numbers = 0
        self._words: dict[str, str] = {}

    def see(self, rows: pl.DataFrame, table: TableFile) -> None:
        """Look at some rows of a table."""
        nameless = rows.filter(pl.col("system").is_null())["line"]
        if nameless.len():
            self._nameless[str(table.path)] = table, nameless
        finite = pl.col("raw").is_finite().fill_null(value=False)
        bad = rows.filter(pl.col("sentiment").is_not_null() & ~finite)
        first = bad.head(PROBLEMS_NAMED - len(self._scores))
        for place, text in zip(places_of(first), first["sentiment"], strict=True):
            shown = text if len(text) <= SHOWN else text[:SHOWN] + "…"
            expected = "a number, or an empty cell where the system gave no answer"
            if re.search(DECIMAL_COMMA, text):
                expected = f"a number, with a point: {text.replace(',', '.')}"
            elif re.search(LABEL, text):
                expected = (
                    "a number: give a label's probability, with a minus for the negative one, "
                    "or 1 for positive and -1 for negative"
                )
            elif text.strip("+-").lower() in ("inf", "infinity"):
                expected = "a finite number, or an empty cell where the system gave no answer"
            what = f"found {shown!r} for the sentiment; expected {expected}"
            self._scores.append(Problem(place, what))
        self._no_numbers += bad.height
        unsaid = pl.col("polarity").is_null() & (pl.col("emotion_word") != NOT_SAID)
        unknown = rows.filter(unsaid).unique("emotion_word", maintain_order=True)
        for word, place in zip(unknown["emotion_word"], places_of(unknown), strict=True):
            if len(self._words) < WORDS_SHOWN:
                self._words.setdefault(word, place)

    def __iter__(self) -> Iterator[Problem]:
        for table, lines in self._nameless.values():
            what = f"the system is empty in {table.among(lines)}; expected a name in every row"
            yield Problem(table.at(lines[0]), what)
        yield from cap_problems(self._scores, "scores that are no numbers", self._no_numbers)
        if self._words:
            words = ", ".join(f"{word!r} ({where})" for word, where in self._words.items())
            first = next(iter(self._words))
            what = f"found emotion words that may be positive or negative: {words}; expected a word"
            what = f"{what} or emotion of the Equity Evaluation Corpus, positive or negative"
            yield Problem("", f"{what}; say which: --positive {first!r} or --negative {first!r}")
