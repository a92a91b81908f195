"""Which column of a user's table is what: as given, or guessed from its name.

What the user does not say is guessed, and every guess stands in the corpus' notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tiltmeter.corpora.export import AXES, axis_columns, is_export
from tiltmeter.corpora.table_file import folded
from tiltmeter.errors import did_you_mean
from tiltmeter.schemas import SENTENCES

Groups = tuple[str, ...]

GUESSES = {
    "id": ("sentence_id",),
    "corpus": (),
    "edition": (),
    "text": ("sentence", "tweet", "sentence_text"),
    "language": ("lang",),
    "template": ("template_id",),
    "person": ("name",),
    "emotion": (),
    "emotion_word": ("word",),
    "frame": (),
    "match": (),
    AXES: (),
}
"""Our columns that a file may have, and what else they are called there."""

BESIDE_AXES = (
    "n", "system", "task", "unit", "axis", "contrast", "people", "mean", "fitted", "pull"
)  # fmt: skip
"""Columns that stand beside the axes in some table of an audit."""
RESERVED = (*SENTENCES.columns, *BESIDE_AXES, AXES)
"""What no axis may be called."""
JOINS = "+*:"
"""What joins axes in the formula of a regression, and so is in no axis' name."""
AXIS_NAME = (
    f"a name that begins with a letter, has none of {' '.join(JOINS)} and is none of "
    f"{', '.join(RESERVED)}"
)

KNOWN_AXES = (
    *("gender", "sex", "race", "ethnicity", "religion", "nationality", "age", "disability"),
    *("orientation", "sexual_orientation", "caste", "social_class", "dialect"),
)
"""Column names that are taken for an axis without being asked for."""


@dataclass(slots=True)
class Choice:
    """Which column of the file stands for which of ours, and what cannot be made out."""

    ours: dict[str, str] = field(default_factory=dict)
    axes: list[str] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    unclear: set[str] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    is_export: bool = False
    """Whether the file has the columns that we write, so that the axes are told by their place."""

    def said(self, ours: str) -> str:
        """The choice as a line for people: `text ← Sentence (guessed)`."""
        how = "given" if ours in self.given else "as exported" if self.is_export else "guessed"
        return f"{ours} ← {self.ours[ours]} ({how})"


def choose(names: Sequence[str], columns: Mapping[str, str], axes: Mapping[str, Groups]) -> Choice:
    """Which column is what: as given, then the axes asked for, then as the names suggest."""
    choice = Choice(is_export=is_export(names))
    _take_given(choice, names, columns, axes)
    for axis in axes:
        _take_axis(choice, names, axis)
    for ours, others in GUESSES.items():
        if ours != AXES or choice.is_export:
            _guess(choice, names, ours, others)
    for axis in axis_columns(names):
        if may_be_axis(axis):
            _guess(choice, names, axis, ())
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


def may_be_axis(name: str) -> bool:
    """Whether an axis may be called so.

    >>> may_be_axis("race"), may_be_axis("template"), may_be_axis("race:gender")
    (True, False, False)
    """
    return name not in RESERVED and name[:1].isalnum() and not set(name) & set(JOINS)


def _take_axis(choice: Choice, names: Sequence[str], axis: str) -> None:
    """The column of an axis the user asked for."""
    if not may_be_axis(axis):
        choice.problems.append(f"an axis cannot be called {axis!r}; expected {AXIS_NAME}")
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
