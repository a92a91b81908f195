"""Which column of a file of scores is what, guessed from its name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from tiltmeter.errors import did_you_mean
from tiltmeter.systems.predictions.table import Unusable
from tiltmeter.systems.protocol import TASKS

CALLED = {
    "id": ("id", "sentence id", "tweet id"),
    "text": ("text", "sentence", "tweet"),
    "system": ("system", "model"),
    "task": ("affect dimension", "task", "dimension"),
}
"""What each column may be called. Not `emotion`: in the EEC that is what a sentence speaks of."""

SCORES = (
    *("intensity score", "intensity", "score", "raw", "prediction", "predicted", "pred"),
    *("sentiment", "sentiment score", "polarity", "compound", "value", "rating", "output"),
)
"""What the column of scores may be called; one called after a task holds that task's scores."""

OURS = ("system", "task", "corpus", "id", "repeat", "raw", "score", "reason")
"""The columns of the scores we write ourselves."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The positions of the columns that matter."""

    scores: Mapping[str | None, int]
    """By task where the columns are called after tasks, else the one column under None."""
    id: int | None = None
    text: int | None = None
    system: int | None = None
    task: int | None = None
    corpus: int | None = None
    """Read, like the next two, only in a file we wrote ourselves."""
    repeat: int | None = None
    reason: int | None = None
    systems: Mapping[str, int] = field(default_factory=dict)
    """By the system's name, where each has a column of its own; then `scores` has none."""


def choose(names: Sequence[str], systems_in: Sequence[str] = ()) -> Columns:
    """The columns of a file, or Unusable when one is missing or two could be the same.

    `systems_in` names the columns that hold a system each, where there are such.
    """
    plain = [folded(name) for name in names]
    if systems_in:
        return _wide(names, plain, systems_in)
    if all(plain.count(name) == 1 for name in OURS):
        return _ours(plain)
    found = {ours: _one(names, plain, ours, called) for ours, called in CALLED.items()}
    _must_name_sentences(found, names)
    return Columns(
        _scores(names, plain), found["id"], found["text"], found["system"], found["task"]
    )


def _must_name_sentences(found: Mapping[str, int | None], names: Sequence[str]) -> None:
    if found["id"] is None and found["text"] is None:
        what = "no column says which sentence a score is for; expected ID, or Sentence or Tweet"
        raise Unusable(f"{what}; {_there_are(names)}")


def _wide(names: Sequence[str], plain: list[str], systems_in: Sequence[str]) -> Columns:
    """The columns of a table with one for each system."""
    systems: dict[str, int] = {}
    for wanted in systems_in:
        for nth in _named(names, plain, wanted):
            systems.setdefault(names[nth], nth)
    rest = [name if nth not in systems.values() else "" for nth, name in enumerate(plain)]
    found = {ours: _one(names, rest, ours, called) for ours, called in CALLED.items()}
    _must_name_sentences(found, names)
    if found["system"] is not None:
        what = f"the column {names[found['system']]!r} says the system of a row"
        raise Unusable(
            f"{what}, and --systems-in names columns for it; rename one, or leave it out"
        )
    return Columns({}, found["id"], found["text"], task=found["task"], systems=systems)


def _named(names: Sequence[str], plain: list[str], wanted: str) -> list[int]:
    """Where a column of that name stands, or those that a pattern is true of."""
    exact = [nth for nth, name in enumerate(names) if name.strip() == wanted]
    exact = exact or [nth for nth, name in enumerate(plain) if name == folded(wanted)]
    if len(exact) > 1:
        raise Unusable(f"{len(exact)} columns are called {wanted!r}; rename all but one")
    if exact:
        return exact
    if any(letter in wanted for letter in "*?["):
        others = {folded(name) for called in CALLED.values() for name in called}
        found = [
            nth
            for nth, name in enumerate(names)
            if fnmatchcase(name.strip().casefold(), wanted.casefold()) and plain[nth] not in others
        ]
        if found:
            return found
    near = did_you_mean(wanted, names) or _there_are(names)
    raise Unusable(f"no column is called {wanted!r}: {near}")


def folded(name: str) -> str:
    """A column name as it is compared, whatever its case, spaces, underscores and hyphens.

    >>> folded("Intensity_Score ")
    'intensityscore'
    """
    return re.sub(r"[\s_-]+", "", name).casefold()


def _ours(plain: list[str]) -> Columns:
    """The columns of the scores we write; what a system answered is `raw`."""
    at = plain.index
    return Columns(
        {None: at("raw")}, at("id"), system=at("system"), task=at("task"), corpus=at("corpus"),
        repeat=at("repeat"), reason=at("reason"),
    )  # fmt: skip


def _one(names: Sequence[str], plain: list[str], ours: str, called: Sequence[str]) -> int | None:
    found = _called(plain, called)
    if len(found) > 1:
        raise Unusable(_unclear(names, found, ours))
    return found[0] if found else None


def _called(plain: list[str], called: Sequence[str]) -> list[int]:
    wanted = {folded(name) for name in called}
    return [nth for nth, name in enumerate(plain) if name in wanted]


def _scores(names: Sequence[str], plain: list[str]) -> dict[str | None, int]:
    """The one column of scores, or one for each task."""
    general, by_task = _called(plain, SCORES), _called(plain, TASKS)
    tasks = [plain[nth] for nth in by_task]
    if not general and not by_task:
        listed = "Intensity Score, score, prediction, sentiment, value"
        what = f"no column of scores; expected one called {listed} or after a task"
        wide = "or name those that hold a system each with --systems-in"
        raise Unusable(
            f"{what} ({', '.join(TASKS)}) in the first line, {wide}; {_there_are(names)}"
        )
    if len(general) > 1 or (general and by_task) or len(set(tasks)) < len(tasks):
        raise Unusable(_unclear(names, [*general, *by_task], "score"))
    return {None: general[0]} if general else dict(zip(tasks, by_task, strict=True))


def _unclear(names: Sequence[str], found: Sequence[int], ours: str) -> str:
    listed = " and ".join(repr(names[nth]) for nth in found)
    return f"the columns {listed} could each be the {ours}; leave only one or rename the others"


def _there_are(names: Sequence[str]) -> str:
    listed = ", ".join(repr(name[:40]) for name in names[:12])
    return f"there are {listed}{', …' if len(names) > 12 else ''}"
