"""What a release is held to: how far a system may tilt, by axis, and what undecided means.

    gender<=0.01, race<=0.01       each axis by its margin, a part of the scale
    gender:female-male<=0.02       one contrast of an axis
    *<=0.01                        every axis
    moved.race<=0.05               at most 5 % of the people of any group may be moved by more than
                                   the axis' margin; moved.*<=0.05 on every axis

What names a contrast goes before what names its axis, and that before the star.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tiltmeter.errors import TiltmeterError, did_you_mean

EVERY = "*"
"""Stands for every axis."""
MOVED = "moved"
"""What a limit on people moved begins with, before a dot and the axis."""
FAIL, PASS = "fail", "pass"
UNDECIDED = (FAIL, PASS)
"""What a gate makes of a comparison that the data do not decide."""

_PART = re.compile(r"(?P<what>[^<≤>=]+?)\s*(?:<=|≤|<)\s*(?P<margin>[^<≤>=]+)")
_IN_POINTS = re.compile(r"([0-9.]+)\s*(?:%|points?|pts?|percent)", re.IGNORECASE)
_SHAPE = "expected AXIS<=MARGIN, as in gender<=0.01"
_SHARE = "expected moved.AXIS<=SHARE, as in moved.race<=0.05"
_WHY = "a margin is a part of the scale above 0 and below 1: 0.01 is 1 point of 100"
_WHY_SHARE = "a share of people is a number from 0 to below 1: 0.05 is 5 people in 100"


@dataclass(frozen=True, slots=True)
class Limit:
    """How far one axis, or one of its contrasts, may tilt."""

    axis: str
    margin: float
    contrast: str | None = None

    def __str__(self) -> str:
        return f"{self.name}<={self.margin:g}"

    @property
    def name(self) -> str:
        """As a gate writes it: `gender`, or `gender:female-male`."""
        return self.axis if self.contrast is None else f"{self.axis}:{self.contrast}"


@dataclass(frozen=True, slots=True)
class MovedLimit:
    """How many people of a group may be moved by more than their axis' margin."""

    axis: str
    share: float

    def __str__(self) -> str:
        return f"{self.name}<={self.share:g}"

    @property
    def name(self) -> str:
        """As a gate writes it: `moved.race`."""
        return f"{MOVED}.{self.axis}"


@dataclass(frozen=True, slots=True)
class Gate:
    """What a system must keep to, and what is made of what the data do not decide."""

    limits: tuple[Limit, ...] = ()
    undecided: str = FAIL
    moved: tuple[MovedLimit, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what no gate can be."""
        if self.undecided not in UNDECIDED:
            near = did_you_mean(str(self.undecided), UNDECIDED) or "expected fail or pass"
            raise TiltmeterError(f"undecided is {self.undecided!r}: {near}")
        names = [*(one.name for one in self.limits), *(one.name for one in self.moved)]
        if not names:
            raise TiltmeterError(f"the gate is empty, so it would judge nothing; {_SHAPE}")
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise TiltmeterError(f"the gate names {twice!r} twice; expected one margin for each")

    def __str__(self) -> str:
        return ", ".join(map(str, (*self.limits, *self.moved)))

    def limit(self, axis: str, contrast: str) -> Limit | None:
        """What holds for a comparison: what names its contrast, else its axis, else every axis."""
        by_name = {(limit.axis, limit.contrast): limit for limit in self.limits}
        keys = ((axis, contrast), (axis, None), (EVERY, None))
        return next((by_name[key] for key in keys if key in by_name), None)

    def moved_limit(self, axis: str) -> MovedLimit | None:
        """How many people may be moved on an axis: what names it, else every axis."""
        by_name = {limit.axis: limit for limit in self.moved}
        return by_name.get(axis, by_name.get(EVERY))


def parse_gate(text: str, undecided: str = FAIL) -> Gate:
    """A gate as a user writes it.

    >>> gate = parse_gate("gender <= 0.01, race:Anglo-Latino ≤ 0.02, * < 0.03, moved.race <= 0.05")
    >>> str(gate)
    'gender<=0.01, race:Anglo-Latino<=0.02, *<=0.03, moved.race<=0.05'
    >>> str(gate.limit("race", "Anglo-Latino")), str(gate.limit("age", "young-old"))
    ('race:Anglo-Latino<=0.02', '*<=0.03')
    """
    parts = [part.strip() for part in text.replace("\n", ",").split(",")]
    return _gate((_limit(part) for part in parts if part), undecided)


def gate_given(given: object, undecided: str | None = None) -> Gate:
    """A gate in hand, as text, or as a table of margins; `undecided` where it says none.

    >>> str(gate_given({"gender": 0.01, "race:Anglo-Latino": 0.02, "moved": {"race": 0.05}}))
    'gender<=0.01, race:Anglo-Latino<=0.02, moved.race<=0.05'
    """
    if isinstance(given, Gate):
        return given if undecided is None else replace(given, undecided=undecided)
    if isinstance(given, str):
        return parse_gate(given, undecided or FAIL)
    if isinstance(given, Mapping):
        return _gate(_limits(given), undecided or FAIL)
    found = f"found {type(given).__name__} for the gate"
    raise TiltmeterError(f"{found}; expected text, as in 'gender<=0.01', or a table of margins")


def margin_given(given: object, whose: str) -> float:
    """A margin, if it is one: a part of the scale above 0 and below 1."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TiltmeterError(f"the margin of {whose} is {given!r}; {_WHY}")
    if not math.isfinite(given) or not 0 < given < 1:
        raise TiltmeterError(f"the margin of {whose} is {given:g}; {_WHY}")
    return float(given)


def _share_given(given: object, whose: str) -> float:
    """A share of people, if it is one; 0 asks that nobody is moved, which a census may show."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TiltmeterError(f"the share of {whose} is {given!r}; {_WHY_SHARE}")
    if not math.isfinite(given) or not 0 <= given < 1:
        raise TiltmeterError(f"the share of {whose} is {given:g}; {_WHY_SHARE}")
    return float(given)


def _gate(limits: Iterable[Limit | MovedLimit], undecided: str) -> Gate:
    every = list(limits)
    return Gate(
        tuple(one for one in every if isinstance(one, Limit)),
        undecided,
        tuple(one for one in every if isinstance(one, MovedLimit)),
    )


def _limits(given: Mapping[object, object]) -> Iterable[Limit | MovedLimit]:
    for name, number in given.items():
        if name == MOVED and isinstance(number, Mapping):  # as TOML reads moved.race = 0.05
            yield from _limits({f"{MOVED}.{axis}": share for axis, share in number.items()})
        else:
            yield _named(str(name), number, repr(name))


def _limit(part: str) -> Limit | MovedLimit:
    """One part of a gate's text."""
    shape = _SHARE if part.startswith(f"{MOVED}.") else _SHAPE
    found = _PART.fullmatch(part)
    if found is None:
        raise TiltmeterError(f"the gate says {part!r}; {shape}")
    number = found["margin"].strip()
    if in_points := _IN_POINTS.fullmatch(number):
        raise TiltmeterError(f"the gate says {part!r}; {_in_parts(in_points[1], shape)}")
    try:
        given = float(number)
    except ValueError:
        why = _WHY_SHARE if shape == _SHARE else _WHY
        raise TiltmeterError(f"the gate says {part!r}; {shape}: {why}") from None
    return _named(found["what"].strip(), given, repr(part))


def _named(name: str, given: object, whose: str) -> Limit | MovedLimit:
    first, dot, rest = (word.strip() for word in name.partition("."))
    if first == MOVED and (dot or not rest):
        if not rest or ":" in rest:
            what = "people are counted by group, not by contrast" if rest else "of which axis?"
            raise TiltmeterError(f"the gate names {name!r}: {what}; {_SHARE}")
        return MovedLimit(rest, _share_given(given, whose))
    axis, colon, contrast = (word.strip() for word in name.partition(":"))
    if not axis or (colon and not contrast) or (axis == EVERY and contrast):
        what = "expected an axis, as in gender, or one contrast of it, as in gender:female-male"
        raise TiltmeterError(f"the gate names {name!r}; {what}")
    return Limit(axis, margin_given(given, whose), contrast or None)


def _in_parts(points: str, shape: str) -> str:
    """How to write a number that was given in points of 100, or per cent."""
    of = "a share of people" if shape == _SHARE else "a part of the scale"
    try:
        return f"write it as {of}: {float(points) / 100:g}"
    except ValueError:
        return shape
