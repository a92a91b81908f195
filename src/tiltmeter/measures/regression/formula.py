"""A model in one line: `gender * race + template`.

Axes stand alone, joined by `:` (their product alone) or by `*` (each of them and every product).
What describes a sentence besides its person, its template and its emotion word, may be added as a
control.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from tiltmeter.errors import TiltmeterError, did_you_mean

CONTROLS = ("template", "emotion_word", "frame")
"""Columns of the sentences that may be held fixed."""
EXAMPLE = "as in gender * race + template"
FULLY_CROSSED = 2
"""Axes up to which a model that nobody wrote holds every product; beyond, those of two."""


@dataclass(frozen=True, slots=True)
class Formula:
    """What the scores are explained by."""

    terms: tuple[tuple[str, ...], ...]
    """Each an axis, or several whose product it is; fewer axes first."""
    controls: tuple[str, ...] = ()

    @property
    def axes(self) -> tuple[str, ...]:
        """Every axis, in the order they are named."""
        return tuple(dict.fromkeys(axis for term in self.terms for axis in term))

    def __str__(self) -> str:
        return " + ".join([*(":".join(term) for term in self.terms), *self.controls])


def formula_of(text: str | None, axes: Sequence[str]) -> Formula:
    """Read a formula; without one, all axes and the products of every two.

    >>> str(formula_of("gender * race + template", ["gender", "race"]))
    'gender + race + gender:race + template'
    >>> str(formula_of(None, ["gender", "race", "age"]))
    'gender + race + age + gender:race + gender:age + race:age'
    """
    if text is None:
        pairs = combinations(axes, FULLY_CROSSED)
        return Formula((*((axis,) for axis in axes), *pairs))
    named = [part.strip() for part in text.split("+")]
    controls = tuple(dict.fromkeys(part for part in named if part in CONTROLS))
    found = [term for part in named if part not in CONTROLS for term in _terms(part, text, axes)]
    if not found:
        raise TiltmeterError(f"the formula {text!r} names no axis; expected {', '.join(axes)}")
    terms = sorted(dict.fromkeys(found), key=len)
    _check_margins(terms, text)
    return Formula(tuple(terms), controls)


def _terms(part: str, text: str, axes: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """The terms that one part of a sum stands for."""
    crossed = "*" in part
    if crossed and ":" in part:
        what = f"the formula {text!r} mixes * and : in {part!r}"
        raise TiltmeterError(f"{what}; join the two by +, {EXAMPLE}")
    names = [name.strip() for name in part.split("*" if crossed else ":")]
    for name in names:
        _check_axis(name, text, axes)
    if len(set(names)) < len(names):
        raise TiltmeterError(f"the formula {text!r} multiplies an axis by itself in {part!r}")
    ordered = sorted(names, key=list(axes).index)
    sizes = range(1, len(names) + 1) if crossed else (len(names),)
    return [term for size in sizes for term in combinations(ordered, size)]


def _check_axis(name: str, text: str, axes: Sequence[str]) -> None:
    if not name:
        raise TiltmeterError(f"the formula {text!r} has a gap; expected axes joined, {EXAMPLE}")
    if name in CONTROLS:
        what = f"the formula {text!r} multiplies by {name}, which is a control"
        raise TiltmeterError(f"{what}; add it instead, {EXAMPLE}")
    if name not in axes:
        listed = f"there are {', '.join(axes) or 'none'}, and {', '.join(CONTROLS)} as controls"
        near = did_you_mean(name, [*axes, *CONTROLS]) or listed
        raise TiltmeterError(f"the formula {text!r} names {name!r}, which is no axis here: {near}")


def _check_margins(terms: Sequence[tuple[str, ...]], text: str) -> None:
    """A product says something about its axes only beside them."""
    for term in terms:
        for smaller in combinations(term, len(term) - 1):
            if smaller and smaller not in terms:
                lacks, has = ":".join(smaller), ":".join(term)
                what = f"the formula {text!r} has {has} without {lacks}"
                raise TiltmeterError(f"{what}; write {' * '.join(term)}")
