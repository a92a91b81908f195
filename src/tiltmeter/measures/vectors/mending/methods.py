"""The methods by name: how each moves a space, or why it cannot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.measures.vectors.mending.directions import (
    FEWEST_WORDS,
    Array,
    IdentityDirection,
    unit,
)
from tiltmeter.measures.vectors.mending.inlp import ROUNDS, null_spaced
from tiltmeter.measures.vectors.mending.projections import hard_map
from tiltmeter.measures.vectors.mending.rows import per_cent
from tiltmeter.measures.vectors.mending.soft import soft_map
from tiltmeter.measures.vectors.space import Space

BEFORE = "none"
"""The vectors as they are."""


@dataclass(frozen=True, eq=False)
class Mended:
    """A space that was moved, and how, or why it was not."""

    method: str
    space: Space | None = field(default=None, repr=False)
    map: Array | None = field(default=None, repr=False)
    """(dimension, dimension): a later word's vector v is moved to v @ map."""
    note: str = ""
    """What was done, in a sentence."""
    accuracies: tuple[float, ...] = ()
    """Of INLP: how well words held out were told apart before each round, and after the last."""
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """What every method starts from."""

    space: Space
    direction: IdentityDirection
    neutral: tuple[str, ...]
    """Words in hand that should not lean."""
    seed: int
    rounds: int = ROUNDS


def mend(task: Task, method: str) -> Mended:
    """Move a space by one of the methods hard, soft and inlp."""
    if method not in METHODS:
        near = did_you_mean(method, METHODS) or f"there are {', '.join(METHODS)}"
        raise TiltmeterError(f"there is no method of mitigation {method!r}: {near}")
    return METHODS[method](task)


def _hard(task: Task) -> Mended:
    direction = task.direction.vector
    if direction is None:
        return Mended("hard", reason=task.direction.reason)
    return _moved(task, "hard", hard_map(direction), "one direction is removed from every word")


def _soft(task: Task) -> Mended:
    direction, neutral = task.direction.vector, task.neutral
    if direction is None:
        return Mended("soft", reason=task.direction.reason)
    if len(neutral) < FEWEST_WORDS:
        many = f"{len(neutral)} words that should not lean are in the embedding"
        return Mended("soft", reason=f"{many}; expected at least {FEWEST_WORDS}")
    found = soft_map(unit(task.space.vectors), unit(task.space.rows(neutral)), direction)
    note = f"{per_cent(found.left)} of the leaning of {len(neutral):,} words is left (λ = "
    return _moved(task, "soft", found.map, f"{note}{found.strength:.3g})")


def _inlp(task: Task) -> Mended:
    first_words, second_words = task.direction.words.sides
    sides = _own(task.space, first_words, second_words), _own(task.space, second_words, first_words)
    if min(map(len, sides)) < FEWEST_WORDS:
        many = f"{len(sides[0])} and {len(sides[1])} words of the two sides are in the embedding"
        return Mended("inlp", reason=f"{many}; expected at least {FEWEST_WORDS} of each")
    first, second = (task.space.rows(side) for side in sides)
    found = null_spaced(first, second, np.random.default_rng([task.seed, 1]), task.rounds)
    return _moved(task, "inlp", found.map, _told(found.accuracies), found.accuracies)


def _own(space: Space, side: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """The words of one side that are in hand and not of both sides."""
    return tuple(word for word in space.held(dict.fromkeys(side)) if word not in other)


def _told(accuracies: Sequence[float]) -> str:
    """How many directions INLP removed, and what they did."""
    many, first, last = len(accuracies) - 1, per_cent(accuracies[0]), per_cent(accuracies[-1])
    if not many:
        return f"nothing is removed, held-out words were told apart in {first} of cases"
    went = f"{first} of cases before and {last} after"
    removed = "one direction is" if many == 1 else f"{many} directions are"
    return f"{removed} removed; held-out words were told apart in {went} (50 % is guessing)"


def _moved(
    task: Task, method: str, linear_map: Array, note: str, accuracies: tuple[float, ...] = ()
) -> Mended:
    moved = task.space.moved(task.space.vectors @ linear_map)
    return Mended(method, moved, linear_map, note, accuracies)


METHODS: Mapping[str, Callable[[Task], Mended]] = {"hard": _hard, "soft": _soft, "inlp": _inlp}
