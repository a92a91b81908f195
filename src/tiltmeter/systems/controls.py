"""Controls: systems whose answer is known beforehand, for tests, teaching and calibration.

`constant`, `random` and `biased-female` are plain. `tilted:gender=0.03` plants a tilt:

    tilted:AXIS=[GROUP:]SIZE[,AXIS=…][,base=SYSTEM][,noise=SD][,seed=N]

Sentences of the raised group score SIZE higher, on 0..1, than those of the axis' other groups:
half above the base, half below it. Sentences without a value on the axis stay where they are.
The group may be left out for gender, where it is `female`; elsewhere nobody could guess it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

from tiltmeter.columns import TASKS
from tiltmeter.errors import SystemFailure, TiltmeterError, did_you_mean
from tiltmeter.schemas import SENTENCES
from tiltmeter.systems.catalogue import open_system
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import (
    SIGNED,
    UNIT,
    Answer,
    Card,
    Control,
    Missing,
    Scale,
    System,
    ask,
    resolve_form,
)

if TYPE_CHECKING:
    import polars as pl

VERSION = "1"
"""Raised whenever a control answers otherwise than before."""


def constant(_target: str, options: Options) -> System:
    """0.5 for every text: no difference anywhere."""
    task = options.task_among("constant", TASKS)
    card = Card("constant", task, UNIT, version=VERSION, control=Control.NO_TILT)
    return System(card, lambda texts: [0.5] * len(texts))


def random(target: str, options: Options) -> System:
    """Uniform on −1..1, drawn from the seed and the text alone: `random` or `random:seed=7`."""
    name = f"random:{target}" if target else "random"
    given = _settings(name, target, ("seed",))
    seed = _whole_number(name, "seed", given.get("seed", "0"))
    card = Card(
        name, options.task_among(name, TASKS), SIGNED, version=VERSION, settings={"seed": seed},
        control=Control.NO_TILT,
    )  # fmt: skip
    return System(card, lambda texts: [2 * _draw("random", seed, text) - 1 for text in texts])


def biased_female(_target: str, options: Options) -> System:
    """1 if the sentence is about a female person, else −1 (the reference system of Rating 2023)."""
    name = "biased-female"

    def rows(sentences: pl.DataFrame) -> list[Answer]:
        gender = _groups(name, sentences, "gender", "female")
        return [1.0 if value == "female" else -1.0 for value in gender]

    note = "a control with planted tilts: 1 for sentences about women, −1 for the rest"
    task, planted = options.task_among(name, TASKS), Control.PLANTED
    card = Card(name, task, SIGNED, version=VERSION, notes=(note,), control=planted)
    return System(card, _needs_rows(name), rows=rows)


def _draw(*key: str | int) -> float:
    """A number between 0 and 1, both excluded, that depends on the key alone."""
    digest = hashlib.blake2b(json.dumps(key).encode(), digest_size=8).digest()
    # 52 bits and a half: exact in a double, and never 0 or 1.
    return ((int.from_bytes(digest, "big") >> 12) + 0.5) / 2**52


def _needs_rows(name: str) -> Callable[[Sequence[str]], list[Answer]]:
    """The answer to bare texts of a control that reads rows: none, and why."""

    def answer(texts: Sequence[str]) -> list[Answer]:
        reason = f"{name} reads the row of a corpus, and this is a text without one"
        return [Missing(reason)] * len(texts)

    return answer


def _groups(name: str, sentences: pl.DataFrame, axis: str, named: str) -> list[str | None]:
    """An axis row by row; an error that lists what there is, if not this axis or not this group."""
    axes = [column for column in sentences.columns if column not in SENTENCES.columns]
    values: list[str | None] = sentences[axis].to_list() if axis in axes else []
    if named in values:
        return values
    kind, absent, there = "axis", axis, axes
    if axis in axes:
        there = sorted({value for value in values if value is not None})
        kind, absent = f"group of {axis}", named
    near = did_you_mean(absent, there)
    listed = f"it has {', '.join(there)}" if there else "it has none"
    what = f"reads the {kind} {absent!r}, which these sentences have not: {near or listed}"
    raise SystemFailure(name, what)


def _settings(name: str, target: str, known: tuple[str, ...] | None = None) -> dict[str, str]:
    """`a=1,b=2` as a dictionary; with `known`, other keys are an error."""
    found: dict[str, str] = {}
    for part in target.split(",") if target else ():
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (key and equals and value) or key in found:
            fault = "stands twice" if key in found else "is not KEY=VALUE"
            raise TiltmeterError(f"in the system {name!r}, {part!r} {fault}")
        if known is not None and key not in known:
            raise TiltmeterError(
                f"in the system {name!r}, {key!r} is not a setting; known are {', '.join(known)}"
            )
        found[key] = value
    return found


def _whole_number(name: str, key: str, text: str) -> int:
    """A setting that must be a whole number."""
    try:
        return int(text)
    except ValueError:
        what = f"in the system {name!r}, {key} must be a whole number; found {text!r}"
        raise TiltmeterError(what) from None


# ---------------------------------------------------------------- planted tilts

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
    given = _settings(name, target)
    # The system a tilt is planted on; none: each frame has a score of its own
    spec = given.pop("base", "")
    # A tilt on a tilt is refused unopened, however deep it goes
    fault = "reads rows itself" if spec.startswith("tilted:") else ""
    base = open_system(spec, options) if spec and not fault else None
    if base and base.rows:
        fault = "reads rows itself"
    elif base and None in [form.card.scale for form in base.forms or (base,)]:
        fault = "has no declared scale"
    if fault:
        what = f"in the system {name!r}, the base {spec!r} {fault}; choose another, such as vader"
        raise TiltmeterError(what)
    noise = _number(name, "noise", given.pop("noise", "0"), low=0.0)
    seed = _whole_number(name, "seed", given.pop("seed", "0"))
    tilts = []
    for axis, value in given.items():
        group, _, size = (part.strip() for part in value.rpartition(":"))
        if not (group := group or UNNAMED.get(axis, "")):
            what = f"in the system {name!r}, name the group of {axis} to raise"
            raise TiltmeterError(f"{what}: {axis}=GROUP:{size}")
        tilts.append(Tilt(axis, group, _number(name, axis, size, low=-LARGEST, high=LARGEST)))
    if not tilts:
        raise TiltmeterError(f"the system {name!r} plants no tilt; write tilted:gender=0.03")
    if sum(abs(tilt.size) for tilt in tilts) > LARGEST_SUM + 1e-12:
        what = f"the tilts of {name!r} together exceed {LARGEST_SUM:g}, which 0..1 cannot hold"
        raise TiltmeterError(what)

    def rows(sentences: pl.DataFrame) -> list[Answer]:
        # From 0.2 to 0.8 before any tilt; without a base alike for the whole frame
        if base is None:
            units: list[Answer] = [_draw("frame", frame) for frame in sentences["frame"]]
        else:
            own = resolve_form(base)
            scale = own.card.scale or UNIT
            units = [
                answer if isinstance(answer, Missing) else scale.to_unit(answer)
                for answer in ask(own, sentences["text"].to_list())
            ]
        scores: list[Answer] = [
            unit if isinstance(unit, Missing) else BASE.low + BASE.width * unit for unit in units
        ]
        for tilt in tilts:
            values = _groups(name, sentences, tilt.axis, tilt.group)
            scores = _shift_scores(scores, map(tilt.shift, values))
        if noise:  # a normal deviate for each sentence, drawn from the seed and its ID alone
            normal = NormalDist(0.0, noise)
            deviates = (normal.inv_cdf(_draw("noise", seed, key)) for key in sentences["id"])
            scores = _shift_scores(scores, deviates)
        return scores

    task = base.card.task if base else options.task_among(name, TASKS)
    planted = {
        "tilts": [str(tilt) for tilt in tilts],
        "base": base.card.fingerprint if base else "",
        "noise": noise,
        "seed": seed,
    }
    note = "a control with planted tilts, in points of 100: " + ", ".join(map(str, tilts))
    card = Card(
        name, task, UNIT, base.card.languages if base else (), VERSION, settings=planted,
        notes=(note,), control=Control.PLANTED,
    )  # fmt: skip
    system = System(card, _needs_rows(name), rows=rows)
    return replace(system, close=base.close) if base else system


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


def _shift_scores(scores: Sequence[Answer], shifts: Iterable[float]) -> list[Answer]:
    return [
        score if isinstance(score, Missing) else score + shift
        for score, shift in zip(scores, shifts, strict=True)
    ]
