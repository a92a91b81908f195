"""Which column of a file of stored outputs is what."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from tiltmeter.corpora.columns import may_be_axis
from tiltmeter.corpora.table_file import TableFile, folded
from tiltmeter.errors import Problem, did_you_mean

CALLED = {
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
SHOWN = 12


@dataclass(frozen=True, slots=True)
class Columns:
    """The file's column for each of ours that it has, for each axis, and what was not read."""

    ours: Mapping[str, str]
    axes: Mapping[str, str]
    unread: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = field(default=(), compare=False)


def columns_of(
    table: TableFile, axes: Sequence[str], given: Mapping[str, str] | None = None
) -> Columns:
    """Which column is what, with everything that is absent, unclear or no text.

    `given` has the file's name of some of our columns and axes.
    """
    names, wrong, given = table.frame.columns, list[str](), given or {}
    called = CALLED | {axis: (axis,) for axis in axes} | {ours: (it,) for ours, it in given.items()}
    for one, theirs in given.items():
        if not any(folded(theirs) == folded(name) for name in names):
            wrong.append(f"no column {theirs!r}, given for {one!r}; {_hint(theirs, names, names)}")
    kept = {folded(theirs) for theirs in given.values()}
    free = [name for name in names if folded(name) not in kept]
    found = dict[str, str]()
    for one, words in called.items():
        found |= _found(names if one in given else free, {one: words}, wrong)
    ours = {one: theirs for one, theirs in found.items() if one not in axes}
    groups = {one: theirs for one, theirs in found.items() if one in axes}
    taken = {*ours.values(), *groups.values()}
    unread = tuple(name for name in names if name not in taken)
    wrong += [*_absent(names, ours), *_slips(unread, axes, groups), *_nested(table, taken)]
    problems = tuple(Problem(table.at(), what) for what in wrong)
    return Columns(ours, groups, unread, problems)


def axis_problems(axes: Sequence[str]) -> Iterator[Problem]:
    """What is wrong with the axes that were asked for, whatever the files hold."""
    if not axes:
        yield Problem("", "no axis was asked for; expected one or more, such as --axis gender")
    for axis in axes:
        if not may_be_axis(axis) or axis in (*BESIDE_AXES, *CALLED):
            what = f"an axis cannot be called {axis!r}, which means something else here"
            yield Problem("", f"{what}; rename the column, and say --axis with its new name")


def unknown_columns(given: Mapping[str, str], axes: Sequence[str]) -> Iterator[Problem]:
    """Columns that the user gave and that are none of ours."""
    known = (*CALLED, *axes)
    for ours, theirs in given.items():
        if ours not in known:
            near = did_you_mean(ours, known) or f"known are {', '.join(known)}"
            what = f"{ours!r} (given for the column {theirs!r}) is not one of our columns"
            yield Problem("", f"{what}: {near}")


def absent_axes(
    axes: Sequence[str], read: Sequence[tuple[TableFile, Columns]]
) -> Iterator[Problem]:
    """Axes that no file has a column for; only race may be absent."""
    for axis in axes:
        if axis != OPTIONAL and not any(axis in columns.axes for _, columns in read):
            table, columns = read[0]
            near = _hint(axis, columns.unread, table.frame.columns)
            what = f"no column for the axis {axis!r}; {near}"
            yield Problem(table.at(), f"{what}; rename a column, or say which to use: --axis NAME")


def _found(
    names: Sequence[str], called: Mapping[str, Sequence[str]], wrong: list[str]
) -> Iterator[tuple[str, str]]:
    """Our columns with the file's, and what is unclear about them."""
    for ours, words in called.items():
        alike = ([name for name in names if folded(name) == folded(word)] for word in words)
        found = next(filter(None, alike), [])
        if len(found) > 1:
            both = " and ".join(map(repr, found))
            wrong.append(f"the columns {both} could each be the {ours}; leave only one of them")
        elif found:
            yield ours, found[0]


def _absent(names: Sequence[str], ours: Mapping[str, str]) -> Iterator[str]:
    if "sentiment" not in ours and not _unclear(names, "sentiment"):
        yield f"no column 'Sentiment' with the system's scores; {_hint('Sentiment', names, names)}"
    wordless = not {"emotion", "word"} & ours.keys() and not _unclear(names, "emotion")
    # Without it classes can still be compared; a slip of the pen is no reason to.
    if wordless and did_you_mean("emotion", {name.lower(): name for name in names}):
        yield f"no column 'Emotion' with the emotion words; {_hint('Emotion', names, names)}"


def _unclear(names: Sequence[str], ours: str) -> bool:
    wanted = {folded(word) for word in CALLED[ours]}
    return any(folded(name) in wanted for name in names)


def _slips(unread: Sequence[str], axes: Sequence[str], found: Mapping[str, str]) -> Iterator[str]:
    """Columns that are nearly called like an axis the file has none for."""
    for axis in axes:
        plain = {folded(name): name for name in unread}
        near = difflib.get_close_matches(folded(axis), plain, n=1, cutoff=NEAR)
        if axis not in found and near and near[0] != folded(axis):
            yield f"no column for {axis!r}; did you mean {plain[near[0]]!r}? Rename it"


def _nested(table: TableFile, taken: set[str]) -> Iterator[str]:
    for name in table.frame.columns:
        if name in taken and table.frame[name].dtype != pl.String:
            yield f"the column {name!r} holds {table.frame[name].dtype}; expected text or numbers"


def _hint(wanted: str, near: Sequence[str], names: Sequence[str]) -> str:
    plain = {name.lower(): name for name in near}
    alike = did_you_mean(wanted.lower(), plain)
    for lower, name in plain.items():
        alike = alike.replace(repr(lower), repr(name))
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    there = f"there are {', '.join(map(repr, names[:SHOWN]))}{more}"
    return f"{alike} {there}" if alike else there
