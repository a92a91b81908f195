"""A user's table as a corpus: its columns chosen, its rows checked, what is absent made up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.columns import (
    AXES,
    SENTENCE_ALIASES,
    SentenceColumns,
    is_published_eec,
    sentence_columns,
)
from tiltmeter.corpora.corpus import AxesOf, Corpus, axes_said
from tiltmeter.corpora.design import PHRASES, Axis, is_language, known_groups
from tiltmeter.corpora.expand import FRAME
from tiltmeter.corpora.published import published_copy
from tiltmeter.corpora.schema import DEFAULT_EDITION
from tiltmeter.errors import CorpusError, Problem, TiltmeterError, cap_problems
from tiltmeter.table_files import TableFile, read_table

Groups = tuple[str, ...]

UNDETERMINED, SEVERAL = "und", "mul"
"""The language codes for 'not known' and 'more than one'."""
POOLED = "all"
"""The match of everyone in a frame when the file has none."""
FULL = ("id", "text", "language", "template", "person", "frame", "match")
"""Columns that may be absent but, where present, have a value in every row."""
LINE = "*line"
"""A column of our own beside the user's, under a name no file would use."""
MOST_GROUPS = 100_000
"""Groups of an axis; what has more is no axis."""
SORTED = (
    "the sentences of a frame do not all stand together in the file; they are brought together, "
    "frames in the order in which they begin"
)


def table_corpus(
    path: Path,
    *,
    columns: Mapping[str, str] = {},
    axes: Mapping[str, Groups] = {},
    language: str | None = None,
    encoding: str | None = None,
    published: Callable[[], Sequence[Corpus]] | None = None,
    axes_of: AxesOf = lambda _: {},
) -> Corpus:
    """A corpus from a user's table, or from their copy of a published EEC, which is recognised.

    `published` gives the generated corpora that a copy may be of, K&M's first; columns or axes
    given by the user say that the file is to be read as a table of their own. `axes_of` gives the
    groups of a corpus known by name in their order, for tables that were exported from one.
    """
    if language is not None and not is_language(language):
        raise TiltmeterError(f"a language is a code such as en, es or ar; found {language!r}")
    table = read_table(path, encoding)
    if published is not None and not columns and not axes and is_published_eec(table.frame.columns):
        copy = published_copy(table, published())
        if copy is not None:
            return copy
    choice = sentence_columns(table.frame.columns, columns, axes)
    validator = TableValidator(table, choice, axes)
    if problems := list(validator.problems()):
        raise CorpusError(f"{path.name} cannot be used as a corpus", problems)
    return _corpus(validator, axes, language, axes_of)


# ---------------------------------------------------------------- what must hold


class TableValidator:
    """A table's rows under our names, and everything wrong with them."""

    def __init__(
        self, table: TableFile, choice: SentenceColumns, asked: Mapping[str, Groups]
    ) -> None:
        """`asked` are the axes that were asked for, perhaps with their groups."""
        self.table, self.choice, self._asked = table, choice, asked
        self.not_text = {
            ours: table.frame[theirs].dtype
            for ours, theirs in choice.ours.items()
            if table.frame[theirs].dtype != pl.String
        }
        nothing = pl.repeat(None, table.frame.height, dtype=pl.String, eager=True)
        columns = [
            (nothing if ours in self.not_text else table.frame[theirs]).alias(ours)
            for ours, theirs in choice.ours.items()
        ]
        rows = pl.DataFrame([*columns, table.lines.alias(LINE)])
        if "frame" in rows.columns and "template" not in rows.columns:
            rows = rows.with_columns(template="frame")
        elif "frame" not in rows.columns and "template" in rows.columns:
            parts = [
                part for part in ("template", "emotion", "emotion_word") if part in rows.columns
            ]
            joined = pl.concat_str(parts, separator=FRAME, ignore_nulls=True)
            rows = rows.with_columns(frame=pl.when(pl.col("template").is_not_null()).then(joined))
        self.rows = rows
        """The chosen columns with their lines, and the frame each row belongs to."""
        self._axes = [axis for axis in choice.axes if axis not in self.not_text]
        self.groups = {
            axis: tuple(rows[axis].drop_nulls().unique(maintain_order=True)) for axis in self._axes
        }
        """The groups found on each axis, as they come in the file."""

    @cached_property
    def compared(self) -> list[Axis]:
        """The axes with two groups or more."""
        found = (Axis(name, self._asked.get(name, ()) or self._sorted(name)) for name in self._axes)
        return [axis for axis in found if len(axis.groups) > 1]

    def problems(self) -> Iterator[Problem]:
        """Everything wrong, each kind named a few times, then counted."""
        table = self.table
        yield from (Problem(table.at(), what) for what in self.choice.problems)
        for ours, theirs in self.choice.ours.items():
            if ours in self.not_text:
                what = f"the column {theirs!r} ({ours}) holds {self.not_text[ours]}; expected text"
                yield Problem(table.at(), what)
            elif (lines := self._lines(pl.col(ours).str.contains("\0", literal=True))).len():
                what = f"{ours} holds a NUL character in {table.among(lines)}"
                advice = "expected text (a broken \\u escape?)"
                yield Problem(table.at(lines[0]), f"{what}; {advice}")
        for axis in self._axes:
            yield from self._bad_groups(axis)
        if not self.compared and self.choice.given <= SENTENCE_ALIASES.keys():
            found = [
                f"{axis} has only {', '.join(groups) or 'empty cells'}"
                for axis, groups in self.groups.items()
            ]
            seen = "; ".join(found) or f"there are {', '.join(table.frame.columns)}"
            what = f"no column says who belongs to which group; {seen}"
            expected = "expected one such as gender or race with two groups or more"
            own = "or name your own column: --axis COLUMN"
            yield Problem(table.at(), f"{what}; {expected}, {own}")
        for name in filter(self._has, FULL):
            blank = pl.col(name).str.strip_chars().fill_null("") == ""
            yield from table.empty(self._lines(blank), name)
        if self._has("id"):
            several = "IDs that stand more than once"
            yield from table.repeated(self.rows["id"], "ID", "each ID once", several)
        if self._has("person"):
            yield from self._on_both_sides()
        # A corpus that we wrote may have such: where words are drawn, not everybody has every word.
        if self.compared and "frame" in self.rows.columns and not self.choice.is_export:
            yield from self._unbalanced()

    def _has(self, name: str) -> bool:
        return name in self.choice.ours and name not in self.not_text

    def _sorted(self, axis: str) -> Groups:
        return tuple(sorted(self.groups[axis], key=lambda group: (group.casefold(), group)))

    def _lines(self, where: pl.Expr) -> pl.Series:
        return self.rows.filter(where)[LINE]

    def _bad_groups(self, axis: str) -> Iterator[Problem]:
        """Groups that are misspelt, not listed, listed for nobody, too many, or alone."""
        table, found, given = self.table, self._sorted(axis), self._asked.get(axis, ())
        if len(found) > MOST_GROUPS:
            what = f"{axis} has more than {MOST_GROUPS:,} groups; expected few, with many rows"
            yield Problem(table.at(), f"{what}; say which column holds them: --column")
            return
        alike: dict[str, list[str]] = {}
        for group in found:
            alike.setdefault(" ".join(group.split()).casefold(), []).append(group)
            if given and group not in given:
                lines = self._lines(pl.col(axis) == group)
                what = f"{axis} is {group!r} in {table.among(lines)}"
                yield Problem(table.at(lines[0]), f"{what}; expected one of {', '.join(given)}")
        for same in alike.values():
            if len(same) > 1:
                line = self._lines(pl.col(axis) == same[1])[0]
                listed = " and ".join(map(repr, same))
                what = f"the groups {listed} of {axis} differ only in case or spaces"
                yield Problem(table.at(line), f"{what}; write them alike")
        for group in dict.fromkeys(given):
            if group not in found:
                what = f"the group {group!r} was given for {axis}, but no row holds it"
                yield Problem(table.at(), f"{what}; found {', '.join(found) or 'no value at all'}")
        if len(set(given)) < len(given):
            what = f"a group stands twice in those given for {axis}; name each once"
            yield Problem(table.at(), what)
        if axis in self.choice.given and len(given or found) < 2:
            listed = ", ".join(given or found) or "no value at all"
            yield Problem(table.at(), f"{axis} has the groups: {listed}; expected two or more")

    def _on_both_sides(self) -> list[Problem]:
        """Nobody may be in two groups of one axis: they would be compared with themselves."""
        found = list[Problem]()
        key = pl.col("person").str.to_lowercase()  # whatever the case of the letters
        for axis in (axis.name for axis in self.compared):
            sides = (
                self.rows.drop_nulls(["person", axis])
                .group_by(key.alias("*key"), axis, maintain_order=True)
                .agg(pl.col("person", LINE).first())
                .group_by("*key", maintain_order=True)
                .agg("person", axis, LINE)
            )
            for names, groups, lines in (
                sides.filter(pl.col(LINE).list.len() > 1).drop("*key").iter_rows()
            ):
                listed = " and ".join(
                    f"{group} ({self.table.among([line])})"
                    for group, line in zip(groups, lines, strict=True)
                )
                what = f"{names[0]!r} stands on both sides of {axis}: {listed}"
                what += "; expected every person in one group"
                found.append(Problem(self.table.at(lines[1]), what))
        return cap_problems(found, "persons on both sides of an axis")

    def _unbalanced(self) -> list[Problem]:
        """Every frame and match needs people of two groups of some axis, or it compares nobody."""
        names = [axis.name for axis in self.compared]
        keys = ["frame", *(["match"] if self._has("match") else [])]
        groups = (pl.col(name).drop_nulls().unique(maintain_order=True) for name in names)
        cells = self.rows.drop_nulls(keys).group_by(keys, maintain_order=True)
        found = cells.agg(pl.col(LINE).min(), *groups)
        alone = found.filter(pl.max_horizontal(pl.col(names).list.len()) == 1).sort(LINE)

        def problem(cell: Mapping[str, Any]) -> Problem:
            which = ", ".join(f"{key} {cell[key]!r}" for key in keys)
            who = ", ".join(f"{name} {cell[name][0]}" for name in names if cell[name])
            what = f"unbalanced: {which} holds only {who}; expected somebody of another group too"
            return Problem(self.table.at(cell[LINE]), what)

        named = map(problem, alone.iter_rows(named=True))
        return cap_problems(named, "matches with nobody of another group")


# ---------------------------------------------------------------- the corpus


def _corpus(
    validator: TableValidator, asked: Mapping[str, Groups], language: str | None, axes_of: AxesOf
) -> Corpus:
    """The corpus of a table that is sound, with every choice made in its notes."""
    table, choice, rows = validator.table, validator.choice, validator.rows

    def only(name: str) -> str | None:
        """The one value of a column, or None where it is absent or holds several."""
        if name not in rows.columns:
            return None
        column = rows[name].drop_nulls() if name == AXES else rows[name]
        found = column.unique()
        return str(found[0]) if found.len() == 1 and found[0] is not None else None

    known = {**axes_of(only("corpus") or ""), **axes_said(only(AXES))}
    axes = [
        _axis(name, asked.get(name, ()), known.get(name), found, first_come=choice.is_export)
        for name, found in validator.groups.items()
    ]
    spoken = language or UNDETERMINED
    corpus = Corpus(
        name=only("corpus") or table.path.stem,
        title=table.path.name,
        edition=only("edition") or DEFAULT_EDITION,
        language=only("language") or SEVERAL if "language" in choice.ours else spoken,
        axes=tuple(axis for axis in axes if len(axis.groups) > 1),
        size=rows.height,
        write=lambda _: iter(()),
    )
    if "id" not in rows.columns:
        number = (pl.int_range(pl.len()) + 1).cast(pl.String).str.zfill(5)
        rows = rows.with_columns(id=pl.format("row-{}", number))
    notes, frame = [*table.notes], rows["frame"]
    if corpus.large and frame.rle_id().n_unique() != frame.n_unique():
        first = pl.col(LINE).min().over("frame")
        rows = rows.sort(first, "frame", LINE)
        notes.append(SORTED)
    notes += _choices(validator, axes, language)
    nobody = pl.all_horizontal(pl.col([axis.name for axis in validator.compared]).is_null())
    if count := rows.select(nobody.sum()).item():
        notes.append(f"sentences without a group, in no comparison: {count:,}")
    notes += [
        f"{axis.name}: the order of its groups is a guess, as they come in the file; what the "
        f"export said of it is gone; say it: --axis {axis.name}=G1,G2"
        for axis in axes
        if choice.is_export
        and axis.name not in asked
        and not _holds(known.get(axis.name), axis.groups)
    ]
    # What the file does not say
    compared = [axis.name for axis in corpus.axes]
    labels = pl.concat_str(compared, separator=", ", ignore_nulls=True)
    defaults = {
        "language": pl.lit(spoken),
        "person": labels.replace("", "(no group)"),
        "emotion": pl.lit(None, pl.String),
        "emotion_word": pl.lit(None, pl.String),
        "match": pl.lit(POOLED),
    }
    absent = {name: value for name, value in defaults.items() if name not in rows.columns}
    own = {"corpus": pl.lit(corpus.name), "edition": pl.lit(corpus.edition)}
    sentences = rows.with_columns(**absent, **own).select(corpus.columns)
    return replace(corpus, write=sentences.iter_slices, notes=tuple(notes))


def _choices(
    validator: TableValidator, axes: Sequence[Axis], language: str | None
) -> Iterator[str]:
    """Every choice made and every value made up, as lines for people."""
    choice, texts = validator.choice, validator.rows["text"]
    groups = {axis.name: axis.groups for axis in axes}
    for name in choice.ours:
        if name == AXES:
            continue
        listed = f": {', '.join(groups[name])}" if groups.get(name) else ""
        alone = name in groups and len(groups[name]) < 2
        few = ", fewer than two groups, so not compared" if alone else ""
        yield choice.note(name) + listed + few
    for axis in axes:
        yield from _group_notes(axis)
    if choice.left_out:
        yield f"left out, since not understood: {', '.join(choice.left_out)}"
    spoken = f"{language}, as given" if language else f"not known ({UNDETERMINED}); say --language"
    stand_ins = {
        "id": "rows are numbered row-00001, row-00002, …",
        "language": spoken,
        "template": "the frame stands for it",
        "person": "the group labels stand for it",
        "frame": "made of template, emotion and emotion word",
        "match": f"{POOLED!r}: everyone in a frame is pooled",
    }
    for name, instead in stand_ins.items():
        if name not in choice.ours:
            yield f"{name}: none in the file; {instead}"
    if "language" in choice.ours and language:
        yield f"the language given ({language}) is not used: the file has a column for it"
    if odd := int((texts != texts.str.normalize("NFC")).sum()):
        yield f"texts not in Unicode NFC, kept as they are: {odd:,}"


def _axis(name: str, given: Groups, known: Axis | None, found: Groups, *, first_come: bool) -> Axis:
    """An axis with its groups in the order given, else as the known corpus has them.

    Groups that nobody put in order stand by alphabet, or in a file of ours as they come. Women
    come before men, whatever they are called, as in every corpus of ours.
    """
    if not first_come:
        ordered = sorted(found, key=lambda group: (group.casefold(), group))
        named = {meant: group for group, meant in known_groups(name, found).items()}
        if named.keys() == {"female", "male"}:
            at = sorted(ordered.index(group) for group in named.values())
            ordered[at[0]], ordered[at[1]] = named["female"], named["male"]
        found = tuple(ordered)
    if known is None or not _holds(known, given or found):
        return Axis(name, given or found)
    groups = given or tuple(group for group in known.groups if group in found)
    return Axis(name, groups, tuple(map(known.phrase, groups)) if known.phrases else ())


def _holds(known: Axis | None, groups: Sequence[str]) -> bool:
    """Whether an axis has all these groups, so that it says their order: a part of them is left."""
    return known is not None and set(groups) <= set(known.groups)


def _group_notes(axis: Axis) -> Iterator[str]:
    """What groups were taken for, and which may mean the same people and are kept apart."""
    known = known_groups(axis.name, axis.groups)
    usual = [
        f"{group!r} for {PHRASES[meant].removeprefix('about ')}"
        for group, meant in known.items()
        if group != meant and axis.phrase(group) == PHRASES[meant]
    ]
    if usual:
        yield f"{axis.name}: {' and '.join(usual)}, as recognised; the groups keep their names"
    one_each = {group: known_groups(axis.name, [group]).get(group) for group in axis.groups}
    for meant in PHRASES:
        alike = [group for group, its in one_each.items() if its == meant]
        if len(alike) > 1:
            both = " and ".join(map(repr, alike))
            yield f"{axis.name}: {both} are kept apart; write them alike if they mean the same"
