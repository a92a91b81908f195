"""What must hold of the rows of a user's table before they can serve as a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from tiltmeter.corpora.columns import Choice, Groups
from tiltmeter.corpora.design import Axis
from tiltmeter.corpora.table_file import NAMED, TableFile, capped_at
from tiltmeter.corpora.table_look import FULL, LINE, Lines, Look
from tiltmeter.corpora.table_suspects import LINES, MANY, Parts, on_both_sides, repeated_ids
from tiltmeter.corpora.whole_frames import whole_frames
from tiltmeter.errors import Problem


def broken_rules(
    table: TableFile, look: Look, axes: Sequence[Axis], parts: Parts
) -> Iterator[Problem]:
    """What is wrong with single rows and between them, each kind named a few times, then counted.

    `parts` gives the rows in the order of the file.
    """
    yield from _empty_cells(table, look)
    if look.has("id"):
        yield from _repeated_ids(table, look, parts)
    if look.has("person"):
        yield from _both_sides(table, look, axes, parts)


def unbalanced(
    table: TableFile, look: Look, axes: Sequence[Axis], parts: Parts, rows: int
) -> list[Problem]:
    """Every frame and match needs people of two groups of some axis, or it compares nobody.

    Frames stand together in `parts`, or there are no more than `rows` in all.
    """
    names = [axis.name for axis in axes]
    keys = ["frame", *(["match"] if look.has("match") else [])]
    if not names or look.frames.rows().is_empty():
        return []
    cells = (_cells(part, keys, names) for part in parts([*keys, *names, LINE]))
    first, many = pl.DataFrame(), 0
    for block in whole_frames(cells, rows):
        alone = _alone(block, keys, names)
        many += alone.height
        first = pl.concat([first, alone], how="diagonal").sort(LINE).head(NAMED)
    found = [_unbalanced(table, cell, keys, names) for cell in first.iter_rows(named=True)]
    return capped_at(found, many, "matches with nobody of another group")


def _cells(rows: pl.DataFrame, keys: list[str], names: list[str]) -> pl.DataFrame:
    """Who stands in each frame and match, whatever the number of sentences."""
    cells = rows.drop_nulls(keys).group_by([*keys, *names], maintain_order=True)
    return cells.agg(pl.col(LINE).min())


def _alone(cells: pl.DataFrame, keys: list[str], names: list[str]) -> pl.DataFrame:
    """The frames and matches with one group on every axis that has any."""
    groups = (pl.col(name).drop_nulls().unique(maintain_order=True) for name in names)
    found = cells.group_by(keys, maintain_order=True).agg(pl.col(LINE).min(), *groups)
    return found.filter(pl.max_horizontal(pl.col(names).list.len()) == 1)


def _unbalanced(
    table: TableFile, cell: Mapping[str, Any], keys: list[str], names: list[str]
) -> Problem:
    which = ", ".join(f"{key} {cell[key]!r}" for key in keys)
    who = ", ".join(f"{name} {cell[name][0]}" for name in names if cell[name])
    what = f"unbalanced: {which} holds only {who}; expected somebody of another group too"
    return Problem(table.at(cell[LINE]), what)


def _empty_cells(table: TableFile, look: Look) -> Iterator[Problem]:
    for name in FULL:
        if look.has(name) and (lines := look.empty[name]).many:
            what = f"{name} is empty in {table.among(lines.first, lines.many)}; expected a value"
            yield Problem(table.at(lines.first[0]), what)


def _repeated_ids(table: TableFile, look: Look, parts: Parts) -> list[Problem]:
    repeated, many = repeated_ids(look, parts)
    found = [
        Problem(
            table.at(row[LINES][1]),
            f"the ID {row['id']!r} stands in {table.among(row[LINES], row[MANY])}; "
            "expected each ID once",
        )
        for row in repeated.iter_rows(named=True)
    ]
    return capped_at(found, many, "IDs that stand more than once")


def _both_sides(
    table: TableFile, look: Look, axes: Sequence[Axis], parts: Parts
) -> Iterator[Problem]:
    """Nobody may be in two groups of one axis: they would be compared with themselves."""
    found, every = list[Problem](), 0
    for axis in axes:
        people, many = on_both_sides(look, axis.name, parts)
        every += many
        for _, names, groups, lines in people.rows():
            listed = " and ".join(
                f"{group} ({table.among([line])})"
                for group, line in zip(groups, lines, strict=True)
            )
            what = f"{names[0]!r} stands on both sides of {axis.name}: {listed}"
            found.append(Problem(table.at(lines[1]), f"{what}; expected every person in one group"))
    yield from capped_at(found[:NAMED], every, "persons on both sides of an axis")


def bad_groups(
    table: TableFile, axis: str, values: Mapping[str, Lines], given: Groups, asked: bool
) -> Iterator[Problem]:
    """Groups that are misspelt, not listed, listed for nobody, or alone."""
    alike: dict[str, list[str]] = {}
    for group, lines in values.items():
        alike.setdefault(" ".join(group.split()).casefold(), []).append(group)
        if given and group not in given:
            what = f"{axis} is {group!r} in {table.among(lines.first, lines.many)}"
            yield Problem(table.at(lines.first[0]), f"{what}; expected one of {', '.join(given)}")
    for same in alike.values():
        if len(same) > 1:
            line = values[same[1]].first[0]
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


def unreadable(table: TableFile, choice: Choice, look: Look) -> Iterator[Problem]:
    """Chosen columns that hold no plain text: lists, structures, raw bytes, NUL characters."""
    for ours, theirs in choice.ours.items():
        if ours in look.strange:
            what = f"the column {theirs!r} ({ours}) holds {look.strange[ours]}; expected text"
            yield Problem(table.at(), what)
        elif (lines := look.nul[ours]).many:
            what = f"{ours} holds a NUL character in {table.among(lines.first, lines.many)}"
            yield Problem(table.at(lines.first[0]), f"{what}; expected text (a broken \\u escape?)")


def no_axis(table: TableFile, axes: Iterable[Axis]) -> str:
    """What to say of a table in which nothing can be compared."""
    found = [f"{axis.name} has only {', '.join(axis.groups) or 'empty cells'}" for axis in axes]
    seen = "; ".join(found) or f"there are {', '.join(table.frame.columns)}"
    return (
        f"no column says who belongs to which group; {seen}; expected one such as gender or race "
        "with two groups or more, or name your own column: --axis COLUMN"
    )
