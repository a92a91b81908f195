"""What must hold of the rows of a user's table before they can serve as a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from tiltmeter.corpora.columns import Choice, Groups
from tiltmeter.corpora.design import Axis
from tiltmeter.corpora.table_file import TableFile, capped
from tiltmeter.errors import Problem

FULL = ("id", "text", "language", "template", "person", "frame", "match")
"""Columns that may be absent but, where present, have a value in every row."""

LINE, KEY = "*line", "*key"
"""Columns of our own beside the user's, under names no file would use."""


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


def bad_groups(
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


def unreadable(table: TableFile, choice: Choice) -> Iterator[Problem]:
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


def no_axis(table: TableFile, axes: Iterable[Axis]) -> str:
    """What to say of a table in which nothing can be compared."""
    found = [f"{axis.name} has only {', '.join(axis.groups) or 'empty cells'}" for axis in axes]
    seen = "; ".join(found) or f"there are {', '.join(table.frame.columns)}"
    return (
        f"no column says who belongs to which group; {seen}; expected one such as gender or race "
        "with two groups or more, or name your own column: --axis COLUMN"
    )
