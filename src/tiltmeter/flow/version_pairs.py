"""Which system of an earlier audit is which of a later one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.measures import VersionPair

Submission = tuple[str, str]
"""A system and its task."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Versions put together, and what is left over on either side."""

    pairs: tuple[VersionPair, ...]
    only_old: tuple[Submission, ...] = ()
    only_new: tuple[Submission, ...] = ()


def paired_versions(
    old: Sequence[Submission], new: Sequence[Submission], given: Iterable[tuple[str, str]] = ()
) -> Paired:
    """Versions by the names given, then by name and task, then where a task has one on each side.

    >>> paired_versions([("a", "valence")], [("b", "valence")]).pairs
    (VersionPair(old='a', new='b', task='valence'),)
    """
    pairs = list[VersionPair]()
    left, right = list(old), list(new)

    def take(before: Submission, after: Submission) -> None:
        left.remove(before)
        right.remove(after)
        pairs.append(VersionPair(before[0], after[0], after[1]))

    for first, second in given:
        for task in _tasks(first, second, old, new):
            _check_free(first, second, task, left, right)
            take((first, task), (second, task))
    for one in [one for one in left if one in right]:
        take(one, one)
    for task in dict.fromkeys(task for _, task in left):
        before, after = ([one for one in side if one[1] == task] for side in (left, right))
        if len(before) == len(after) == 1:
            take(before[0], after[0])
    order = {one: place for place, one in enumerate(new)}
    pairs.sort(key=lambda pair: order[pair.new, pair.task])
    return Paired(tuple(pairs), tuple(left), tuple(right))


def _tasks(
    first: str, second: str, old: Sequence[Submission], new: Sequence[Submission]
) -> list[str]:
    """The tasks that two systems both have; refused where there is none."""
    for name, side, where in ((first, old, "old"), (second, new, "new")):
        names = list(dict.fromkeys(system for system, _ in side))
        if name not in names:
            near = did_you_mean(name, names) or f"it holds {', '.join(names[:8])}"
            raise TiltmeterError(f"--pair: the {where} audit has no system {name!r}: {near}")
    shared = [task for system, task in old if system == first and (second, task) in new]
    if not shared:
        raise TiltmeterError(f"--pair: {first!r} and {second!r} were audited for different tasks")
    return shared


def _check_free(
    first: str, second: str, task: str, left: Sequence[Submission], right: Sequence[Submission]
) -> None:
    for name, side in ((first, left), (second, right)):
        if (name, task) not in side:
            raise TiltmeterError(f"--pair: {name!r} is paired twice; expected each system once")


def split_pair(text: str, old: Iterable[str], new: Iterable[str]) -> tuple[str, str]:
    """OLD=NEW cut at the sign that leaves a name on either side; names may hold one themselves.

    >>> split_pair("tilted:gender=0.0=tilted:gender=0.03", ["tilted:gender=0.0"], [])
    ('tilted:gender=0.0', 'tilted:gender=0.03')
    """
    cuts = [(text[:at], text[at + 1 :]) for at, letter in enumerate(text) if letter == "="]
    cuts = [(a.strip(), b.strip()) for a, b in cuts if a.strip() and b.strip()]
    if not cuts:
        raise TiltmeterError(f"--pair is {text!r}; expected OLD=NEW, two systems' names")
    before, after = set(old), set(new)
    return max(cuts, key=lambda cut: (cut[0] in before) + (cut[1] in after))
