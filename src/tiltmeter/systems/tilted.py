"""`tilted:gender=0.03`: a control with a tilt of known size, planted on purpose.

    tilted:AXIS=[GROUP:]SIZE[,AXIS=…][,base=SYSTEM][,noise=SD][,seed=N]

Sentences of the raised group score SIZE higher, on 0..1, than those of the axis' other groups:
half above the base, half below it. Sentences without a value on the axis stay where they are.
The group may be left out for gender, where it is `female`; elsewhere nobody could guess it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

from tiltmeter.errors import TiltmeterError
from tiltmeter.systems.catalogue import open_system
from tiltmeter.systems.controls import VERSION, draw, groups, needs_rows, settings, whole_number
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import (
    TASKS,
    UNIT,
    Answer,
    Card,
    Control,
    Missing,
    Scale,
    System,
    ask,
    settled,
)

if TYPE_CHECKING:
    import polars as pl

BASE = Scale(0.2, 0.8)
"""Where the base lies, so that a planted tilt stays within 0..1."""
LARGEST, LARGEST_SUM = 0.2, 0.4
"""The largest tilt of one axis, and of all together: each moves a sentence by half of it."""
UNNAMED = {"gender": "female"}
"""Axes whose raised group need not be named."""


@dataclass(frozen=True, slots=True)
class Tilt:
    """One planted difference: this group stands `size` above the others of its axis."""

    axis: str
    group: str
    size: float

    def shift(self, group: str | None) -> float:
        """How far a sentence of this group is moved.

        >>> Tilt("gender", "female", 0.03).shift("male")
        -0.015
        """
        if group is None:
            return 0.0
        return self.size / 2 if group == self.group else -self.size / 2

    def __str__(self) -> str:
        return f"{self.axis} {self.group} {100 * self.size:+g}".replace("-", "−")


def tilted(target: str, options: Options) -> System:
    """Open a control with planted tilts; it reads the sentences' rows."""
    name = f"tilted:{target}"
    given = settings(name, target)
    base = _base(name, given.pop("base", ""), options)
    noise = _number(name, "noise", given.pop("noise", "0"), low=0.0)
    seed = whole_number(name, "seed", given.pop("seed", "0"))
    tilts = _tilts(name, given)

    def rows(sentences: pl.DataFrame) -> list[Answer]:
        scores = _from_base(base, sentences)
        for tilt in tilts:
            values = groups(name, sentences, tilt.axis, tilt.group)
            scores = _moved(scores, map(tilt.shift, values))
        return _moved(scores, _noise(noise, seed, sentences)) if noise else scores

    system = System(_card(name, tilts, base, noise, seed, options), needs_rows(name), rows=rows)
    return replace(system, close=base.close) if base else system


def _card(
    name: str, tilts: Sequence[Tilt], base: System | None, noise: float, seed: int, options: Options
) -> Card:
    task = base.card.task if base else options.task_among(name, TASKS)
    planted = {
        "tilts": [str(tilt) for tilt in tilts],
        "base": base.card.fingerprint if base else "",
        "noise": noise,
        "seed": seed,
    }
    said = "a control with planted tilts, in points of 100: " + ", ".join(map(str, tilts))
    languages = base.card.languages if base else ()
    return Card(
        name, task, UNIT, languages, VERSION, settings=planted, notes=(said,),
        control=Control.PLANTED,
    )  # fmt: skip


def _tilts(name: str, given: Mapping[str, str]) -> list[Tilt]:
    """The planted tilts, each with its raised group and within what 0..1 can hold."""
    tilts = [_tilt(name, axis, value) for axis, value in given.items()]
    if not tilts:
        raise TiltmeterError(f"the system {name!r} plants no tilt; write tilted:gender=0.03")
    if sum(abs(tilt.size) for tilt in tilts) > LARGEST_SUM + 1e-12:
        what = f"the tilts of {name!r} together exceed {LARGEST_SUM:g}, which 0..1 cannot hold"
        raise TiltmeterError(what)
    return tilts


def _tilt(name: str, axis: str, value: str) -> Tilt:
    named, _, size = value.rpartition(":")
    group = named.strip() or UNNAMED.get(axis, "")
    if not group:
        what = f"in the system {name!r}, name the group of {axis} to raise"
        raise TiltmeterError(f"{what}: {axis}=GROUP:{size.strip()}")
    return Tilt(axis, group, _number(name, axis, size, low=-LARGEST, high=LARGEST))


def _number(name: str, key: str, text: str, low: float, high: float = math.inf) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not low <= number <= high or math.isinf(number):
        wanted = f"from {low:g} to {high:g}" if high < math.inf else f"of at least {low:g}"
        wanted = wanted.replace("-", "−")
        raise TiltmeterError(
            f"in the system {name!r}, {key} must be a number {wanted}; found {text.strip()!r}"
        )
    return number


def _base(name: str, spec: str, options: Options) -> System | None:
    """The system a tilt is planted on; none: each frame has a score of its own."""
    if not spec:
        return None
    base = open_system(spec, options)
    scales = [one.card.scale for one in base.forms or (base,)]
    if base.rows is not None or None in scales:
        fault = "reads rows itself" if base.rows is not None else "has no declared scale"
        what = f"in the system {name!r}, the base {spec!r} {fault}; choose another, such as vader"
        raise TiltmeterError(what)
    return base


def _from_base(base: System | None, sentences: pl.DataFrame) -> list[Answer]:
    """Scores from 0.2 to 0.8 before any tilt; without a base alike for the whole frame."""
    if base is None:
        return [BASE.low + BASE.width * draw("frame", frame) for frame in sentences["frame"]]
    base = settled(base)
    scale = base.card.scale or UNIT
    return [
        given if isinstance(given, Missing) else BASE.low + BASE.width * scale.to_unit(given)
        for given in ask(base, sentences["text"].to_list())
    ]


def _noise(sd: float, seed: int, sentences: pl.DataFrame) -> Iterable[float]:
    """A normal deviate for each sentence, drawn from the seed and its ID alone."""
    normal = NormalDist(0.0, sd)
    return (normal.inv_cdf(draw("noise", seed, key)) for key in sentences["id"])


def _moved(scores: Sequence[Answer], shifts: Iterable[float]) -> list[Answer]:
    return [
        score if isinstance(score, Missing) else score + shift
        for score, shift in zip(scores, shifts, strict=True)
    ]
