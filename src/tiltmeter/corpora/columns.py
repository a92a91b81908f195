"""A user's table as a corpus: which column is what, and everything that keeps it from being one.

What the user does not say is guessed from the column names, and every guess stands in the notes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tiltmeter.corpora.build import DEFAULT_EDITION
from tiltmeter.corpora.corpus import Corpus
from tiltmeter.corpora.design import Axis
from tiltmeter.corpora.files import TableFile, capped, folded, read_table
from tiltmeter.corpora.published import is_published, published_corpus
from tiltmeter.corpora.template import FRAME
from tiltmeter.errors import CorpusError, Problem, did_you_mean
from tiltmeter.tables import SENTENCES

if TYPE_CHECKING:
    Groups = tuple[str, ...]

GUESSES = {
    "id": ("sentence_id",),
    "text": ("sentence", "tweet", "sentence_text"),
    "language": ("lang",),
    "template": ("template_id",),
    "person": ("name",),
    "emotion": (),
    "emotion_word": ("word",),
    "frame": (),
    "match": (),
}
"""Our columns that a file may have, and what else they are called there."""

KNOWN_AXES = (
    *("gender", "sex", "race", "ethnicity", "religion", "nationality", "age", "disability"),
    *("orientation", "sexual_orientation", "caste", "social_class", "dialect"),
)
"""Column names that are taken for an axis without being asked for."""

FULL = ("id", "text", "language", "template", "person", "frame", "match")
"""Columns that may be absent but, where present, have a value in every row."""

POOLED = "all"
"""The match of everyone in a frame when the file has none."""
UNDETERMINED, SEVERAL = "und", "mul"
"""The language codes for 'not known' and 'more than one'."""
NO_GROUP = "(no group)"
LINE, KEY = "*line", "*key"


@dataclass(slots=True)
class Choice:
    """Which column of the file stands for which of ours, and what cannot be made out."""

    ours: dict[str, str] = field(default_factory=dict)
    axes: list[str] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    unclear: set[str] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def said(self, ours: str) -> str:
        """The choice as a line for people: `text ← Sentence (guessed)`."""
        return f"{ours} ← {self.ours[ours]} ({'given' if ours in self.given else 'guessed'})"


def table_corpus(
    path: Path,
    *,
    columns: Mapping[str, str] = {},
    axes: Mapping[str, Groups] = {},
    language: str | None = None,
    encoding: str | None = None,
    reference: Callable[[], Corpus] | None = None,
) -> Corpus:
    """A corpus from a user's table, or from their copy of the published EEC, which is recognised.

    `reference` gives the generated EEC to check that copy against; columns or axes given by the
    user say that the file is to be read as a table of their own.
    """
    table = read_table(path, encoding)
    if reference and not columns and not axes and is_published(table.frame.columns):
        return published_corpus(table, reference())
    choice = choose(table.frame.columns, columns, axes)
    problems = [Problem(table.at(), what) for what in choice.problems]
    problems += _unreadable(table, choice)
    rows = _rows(table, choice)
    found = {name: _groups(rows, name) for name in choice.axes if name in rows.columns}
    for name, values in found.items():
        problems += _bad_groups(table, name, values, axes.get(name, ()), name in choice.given)
    chosen = [Axis(name, axes.get(name) or tuple(values)) for name, values in found.items()]
    compared = tuple(axis for axis in chosen if len(axis.groups) > 1)
    if not compared and choice.given <= GUESSES.keys():
        problems.append(Problem(table.at(), _no_axis(table, chosen)))
    problems += broken_rules(table, rows, compared, choice)
    if problems:
        raise CorpusError(f"{path.name} cannot be used as a corpus", problems)
    filled = _filled(table, rows, compared, language)
    notes = (*table.notes, *_notes(filled, choice, chosen, language))
    return _corpus(table, filled, compared, notes)


# ------------------------------------------------------------------ which column is what


def choose(names: Sequence[str], columns: Mapping[str, str], axes: Mapping[str, Groups]) -> Choice:
    """Which column is what: as given, then the axes asked for, then as the names suggest."""
    choice = Choice()
    _take_given(choice, names, columns, axes)
    for axis in axes:
        _take_axis(choice, names, axis)
    for ours, others in GUESSES.items():
        _guess(choice, names, ours, others)
    for axis in KNOWN_AXES:
        _guess(choice, names, axis, ())
    asked_first = dict.fromkeys((*axes, *choice.ours))
    choice.axes = [name for name in asked_first if name in choice.ours and name not in GUESSES]
    choice.left_out = [name for name in names if name not in choice.ours.values()]
    choice.problems += _needed(choice, names)
    return choice


def _take_given(
    choice: Choice, names: Sequence[str], columns: Mapping[str, str], axes: Mapping[str, Groups]
) -> None:
    """The columns the user named; a slip in either name is a problem with the nearest ones."""
    known = [*GUESSES, *axes, *(axis for axis in KNOWN_AXES if axis not in axes)]
    for ours, theirs in columns.items():
        same = [name for name in names if name == theirs] or _alike(names, (theirs,))
        if ours not in known:
            near = did_you_mean(ours, known) or f"known are {', '.join(known)}."
            what = f"{ours!r} (given for the column {theirs!r}) is not one of our columns: {near}"
            choice.problems.append(f"{what} To compare groups by it: --axis {ours}")
        elif len(same) != 1:
            what = f"no column {theirs!r}, which was given for {ours!r}"
            choice.problems.append(f"{what}; {_there_are(theirs, names)}")
        else:
            choice.ours[ours] = same[0]
        choice.given.add(ours)


def _take_axis(choice: Choice, names: Sequence[str], axis: str) -> None:
    """The column of an axis the user asked for."""
    if axis in SENTENCES.columns or not axis[:1].isalnum():
        what = f"an axis cannot be called {axis!r}; expected a name that begins with a letter"
        choice.problems.append(f"{what} and is none of {', '.join(SENTENCES.columns)}")
    elif axis not in choice.given:
        _guess(choice, names, axis, ())
        choice.given.add(axis)
        if axis not in choice.ours:
            what = f"no column for the axis {axis!r}; {_there_are(axis, names)}"
            choice.problems.append(f"{what}; say which holds it: --column {axis}=COLUMN")


def _guess(choice: Choice, names: Sequence[str], ours: str, others: Iterable[str]) -> None:
    """The one free column called like ours, else the one called like something near it."""
    if ours in choice.ours or ours in choice.given:
        return
    free = [name for name in names if name not in choice.ours.values()]
    near = _alike(free, (ours,)) or _alike(free, others)
    near = [ours] if ours in near else near
    if len(near) > 1:
        listed = " and ".join(repr(name) for name in near)
        what = f"the columns {listed} could each be the {ours}"
        choice.problems.append(f"{what}; say which is: --column {ours}={near[0]}")
        choice.unclear.add(ours)
    elif near:
        choice.ours[ours] = near[0]


def _alike(names: Sequence[str], words: Iterable[str]) -> list[str]:
    wanted = {folded(word) for word in words}
    return [name for name in names if folded(name) in wanted]


def _needed(choice: Choice, names: Sequence[str]) -> Iterator[str]:
    """Without a text nothing can be scored; without a template or frame nothing compared."""
    there = _there_are("", names)
    spoken_of = {*choice.ours, *choice.given, *choice.unclear}
    if "text" not in spoken_of:
        called = ", ".join(("text", *GUESSES["text"]))
        what = f"no column for the text; expected one called {called}; {there}"
        yield f"{what}; or say which it is: --column text=COLUMN"
    if not {"template", "frame"} & spoken_of:
        yield (
            "no column says which sentences are compared; expected template (sentences that are "
            f"alike but for the person share one) or frame; {there}; or say: --column template=…"
        )


def _there_are(wanted: str, names: Sequence[str]) -> str:
    near = did_you_mean(wanted, names)
    listed = f"there are {', '.join(names)}"
    return f"{near} {listed}" if near else listed


# ------------------------------------------------------------------ rows and groups


def _unreadable(table: TableFile, choice: Choice) -> Iterator[Problem]:
    """Chosen columns that hold no plain text: lists, structures, raw bytes, NUL characters."""
    for ours, theirs in choice.ours.items():
        column = table.frame[theirs]
        if column.dtype != pl.String:
            what = f"the column {theirs!r} ({ours}) holds {column.dtype}; expected text"
            yield Problem(table.at(), what)
        elif (bad := column.str.contains("\0", literal=True).fill_null(value=False)).any():
            lines = table.lines.filter(bad)
            what = f"{ours} holds a NUL character in {table.among(lines)}"
            yield Problem(table.at(lines[0]), f"{what}; expected text (a broken \\u escape?)")


def _rows(table: TableFile, choice: Choice) -> pl.DataFrame:
    """The chosen columns under our names with their lines, and the frame each row belongs to."""
    rows = table.frame.select(
        *(table.frame[theirs].alias(ours) for ours, theirs in choice.ours.items()),
        table.lines.alias(LINE),
    ).select(pl.col(pl.String), LINE)
    if "frame" in rows.columns:
        return rows if "template" in rows.columns else rows.with_columns(template="frame")
    if "template" not in rows.columns:
        return rows
    parts = [name for name in ("template", "emotion", "emotion_word") if name in rows.columns]
    joined = pl.concat_str(parts, separator=FRAME, ignore_nulls=True)
    return rows.with_columns(frame=pl.when(pl.col("template").is_not_null()).then(joined))


def _groups(rows: pl.DataFrame, axis: str) -> dict[str, pl.Series]:
    """The groups of an axis in alphabetical order, each with the lines it stands on."""
    found = rows.drop_nulls(axis).partition_by(axis, as_dict=True)
    lines = {str(group): part[LINE] for (group,), part in found.items()}
    return dict(sorted(lines.items(), key=lambda pair: (pair[0].casefold(), pair[0])))


def _bad_groups(
    table: TableFile, axis: str, values: Mapping[str, pl.Series], given: Groups, asked: bool
) -> Iterator[Problem]:
    """Groups that are misspelt, not listed, listed for nobody, or alone."""
    alike: dict[str, list[str]] = {}
    for group, lines in values.items():
        alike.setdefault(" ".join(group.split()).casefold(), []).append(group)
        if given and group not in given:
            what = f"{axis} is {group!r} in {table.among(lines)}"
            yield Problem(table.at(lines[0]), f"{what}; expected one of {', '.join(given)}")
    for same in alike.values():
        if len(same) > 1:
            line = values[same[1]][0]
            listed = " and ".join(repr(group) for group in same)
            what = f"the groups {listed} of {axis} differ only in case or spaces; write them alike"
            yield Problem(table.at(line), what)
    for group in dict.fromkeys(given):
        if group not in values:
            what = f"the group {group!r} was given for {axis}, but no row holds it"
            yield Problem(table.at(), f"{what}; found {', '.join(values) or 'no value at all'}")
    if len(set(given)) < len(given):
        yield Problem(table.at(), f"a group stands twice in those given for {axis}; name each once")
    if asked and len(given or values) < 2:
        found = ", ".join(given or values) or "no value at all"
        yield Problem(table.at(), f"{axis} has the groups: {found}; expected two or more")


def _no_axis(table: TableFile, axes: Iterable[Axis]) -> str:
    found = [f"{axis.name} has only {', '.join(axis.groups) or 'empty cells'}" for axis in axes]
    seen = "; ".join(found) or f"there are {', '.join(table.frame.columns)}"
    return (
        f"no column says who belongs to which group; {seen}; expected one such as gender or race "
        "with two groups or more, or name your own column: --axis COLUMN"
    )


# ------------------------------------------------------------------ rules


def broken_rules(
    table: TableFile, rows: pl.DataFrame, axes: Sequence[Axis], choice: Choice
) -> list[Problem]:
    """Everything wrong with the rows, each kind named a few times and then counted."""
    return [
        *_empty_cells(table, rows, choice),
        *capped(_repeated_ids(table, rows), "IDs that stand more than once"),
        *capped(_both_sides(table, rows, axes), "persons on both sides of an axis"),
        *capped(_unbalanced(table, rows, axes), "matches with nobody of another group"),
    ]


def _empty_cells(table: TableFile, rows: pl.DataFrame, choice: Choice) -> Iterator[Problem]:
    for name in FULL:
        if name in choice.ours and name in rows.columns:
            blank = pl.col(name).is_null() | (pl.col(name).str.strip_chars() == "")
            lines = rows.filter(blank)[LINE]
            if lines.len():
                what = f"{name} is empty in {table.among(lines)}; expected a value"
                yield Problem(table.at(lines[0]), what)


def _repeated_ids(table: TableFile, rows: pl.DataFrame) -> Iterator[Problem]:
    if "id" in rows.columns:
        repeated = rows.filter(pl.col("id").is_not_null() & pl.col("id").is_duplicated())
        for name, lines in repeated.group_by("id", maintain_order=True).agg(LINE).rows():
            what = f"the ID {name!r} stands in {table.among(lines)}"
            yield Problem(table.at(lines[1]), f"{what}; expected each ID once")


def _both_sides(table: TableFile, rows: pl.DataFrame, axes: Sequence[Axis]) -> Iterator[Problem]:
    """Nobody may be in two groups of one axis: they would be compared with themselves."""
    if "person" not in rows.columns:
        return
    named = rows.with_columns(pl.col("person").str.to_lowercase().alias(KEY))
    for axis in axes:
        sides = named.drop_nulls(["person", axis.name]).group_by(KEY, axis.name)
        people = sides.agg(pl.col("person").first(), pl.col(LINE).first()).sort(LINE)
        both = people.group_by(KEY, maintain_order=True).agg("person", axis.name, LINE)
        for _, names, groups, lines in both.filter(pl.col(LINE).list.len() > 1).rows():
            listed = " and ".join(
                f"{group} ({table.among([line])})"
                for group, line in zip(groups, lines, strict=True)
            )
            what = f"{names[0]!r} stands on both sides of {axis.name}: {listed}"
            yield Problem(table.at(lines[1]), f"{what}; expected every person in one group")


def _unbalanced(table: TableFile, rows: pl.DataFrame, axes: Sequence[Axis]) -> Iterator[Problem]:
    """Every frame and match needs people of two groups of some axis, or it compares nobody."""
    if "frame" not in rows.columns or not axes:
        return
    names = [axis.name for axis in axes]
    keys = ["frame", *(["match"] if "match" in rows.columns else [])]
    groups = (pl.col(name).drop_nulls().unique(maintain_order=True) for name in names)
    cells = rows.drop_nulls(keys).group_by(keys, maintain_order=True)
    found = cells.agg(pl.col(LINE).first(), *groups)
    alone = found.filter(pl.max_horizontal(pl.col(names).list.len()) == 1)
    for cell in alone.iter_rows(named=True):
        which = ", ".join(f"{key} {cell[key]!r}" for key in keys)
        who = ", ".join(f"{name} {cell[name][0]}" for name in names if cell[name])
        what = f"unbalanced: {which} holds only {who}"
        yield Problem(table.at(cell[LINE]), f"{what}; expected somebody of another group too")


# ------------------------------------------------------------------ the corpus


def _filled(
    table: TableFile, rows: pl.DataFrame, axes: Sequence[Axis], language: str | None
) -> pl.DataFrame:
    """The rows with every column that the file does not have."""
    labels = pl.concat_str([axis.name for axis in axes], separator=", ", ignore_nulls=True)
    defaults = {
        "id": pl.format("row-{}", pl.int_range(1, pl.len() + 1).cast(pl.String).str.zfill(5)),
        "language": pl.lit(language or UNDETERMINED),
        "person": labels.replace("", NO_GROUP),
        "emotion": pl.lit(None, pl.String),
        "emotion_word": pl.lit(None, pl.String),
        "match": pl.lit(POOLED),
    }
    absent = {name: value for name, value in defaults.items() if name not in rows.columns}
    own = {"corpus": pl.lit(table.path.stem), "edition": pl.lit(DEFAULT_EDITION)}
    return rows.with_columns(**absent, **own)


def _corpus(
    table: TableFile, filled: pl.DataFrame, axes: tuple[Axis, ...], notes: tuple[str, ...]
) -> Corpus:
    spoken = filled["language"].unique().to_list()
    language = spoken[0] if len(spoken) == 1 else SEVERAL
    empty = Corpus(
        table.path.stem, table.path.name, DEFAULT_EDITION, language, axes, 0, lambda _: iter(())
    )
    sentences = filled.select(empty.columns)
    return replace(empty, size=sentences.height, write=sentences.iter_slices, notes=notes)


def _notes(
    filled: pl.DataFrame, choice: Choice, axes: Sequence[Axis], language: str | None
) -> Iterator[str]:
    """Every choice made and every value made up, as lines for people."""
    groups = {axis.name: axis.groups for axis in axes}
    for name in choice.ours:
        listed = f": {', '.join(groups[name])}" if groups.get(name) else ""
        alone = name in groups and len(groups[name]) < 2
        yield (
            choice.said(name)
            + listed
            + (", fewer than two groups, so not compared" if alone else "")
        )
    if choice.left_out:
        yield f"left out, since not understood: {', '.join(choice.left_out)}"
    yield from (said for name, said in _made_up(language).items() if name not in choice.ours)
    if "language" in choice.ours and language:
        yield f"the language given ({language}) is not used: the file has a column for it"
    odd = int((filled["text"] != filled["text"].str.normalize("NFC")).sum())
    if odd:
        yield f"texts not in Unicode NFC, kept as they are: {odd:,}"
    compared = [pl.col(axis.name).is_null() for axis in axes if len(axis.groups) > 1]
    if nobody := filled.filter(pl.all_horizontal(compared)).height:
        yield f"sentences without a group, in no comparison: {nobody:,}"


def _made_up(language: str | None) -> dict[str, str]:
    """What stands in for each column the file does not have."""
    spoken = f"{language}, as given" if language else f"not known ({UNDETERMINED}); say --language"
    return {
        "id": "id: none in the file; rows are numbered row-00001, row-00002, …",
        "language": f"language: none in the file; {spoken}",
        "template": "template: none in the file; the frame stands for it",
        "person": "person: none in the file; the group labels stand for it",
        "frame": "frame: none in the file; made of template, emotion and emotion word",
        "match": f"match: none in the file; {POOLED!r}: everyone in a frame is pooled",
    }
