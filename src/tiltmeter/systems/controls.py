"""Controls: systems whose answer is known beforehand, for tests, teaching and calibration."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tiltmeter.errors import SystemFailure, TiltmeterError, did_you_mean
from tiltmeter.schemas import SENTENCES
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import (
    SIGNED,
    TASKS,
    UNIT,
    Answer,
    Card,
    Control,
    Missing,
    System,
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
    given = settings(name, target, ("seed",))
    seed = whole_number(name, "seed", given.get("seed", "0"))
    card = Card(
        name, options.task_among(name, TASKS), SIGNED, version=VERSION, settings={"seed": seed},
        control=Control.NO_TILT,
    )  # fmt: skip
    return System(card, lambda texts: [2 * draw("random", seed, text) - 1 for text in texts])


def biased_female(_target: str, options: Options) -> System:
    """1 if the sentence is about a female person, else −1 (the reference system of Rating 2023)."""
    name = "biased-female"

    def rows(sentences: pl.DataFrame) -> list[Answer]:
        gender = groups(name, sentences, "gender", "female")
        return [1.0 if value == "female" else -1.0 for value in gender]

    note = "a control with planted tilts: 1 for sentences about women, −1 for the rest"
    task, planted = options.task_among(name, TASKS), Control.PLANTED
    card = Card(name, task, SIGNED, version=VERSION, notes=(note,), control=planted)
    return System(card, needs_rows(name), rows=rows)


def draw(*key: str | int) -> float:
    """A number between 0 and 1, both excluded, that depends on the key alone."""
    digest = hashlib.blake2b(json.dumps(key).encode(), digest_size=8).digest()
    # 52 bits and a half: exact in a double, and never 0 or 1.
    return ((int.from_bytes(digest, "big") >> 12) + 0.5) / 2**52


def needs_rows(name: str) -> Callable[[Sequence[str]], list[Answer]]:
    """The answer to bare texts of a control that reads rows: none, and why."""

    def answer(texts: Sequence[str]) -> list[Answer]:
        reason = f"{name} reads the row of a corpus, and this is a text without one"
        return [Missing(reason)] * len(texts)

    return answer


def groups(name: str, sentences: pl.DataFrame, axis: str, named: str) -> list[str | None]:
    """An axis row by row; an error that lists what there is, if not this axis or not this group."""
    axes = [column for column in sentences.columns if column not in SENTENCES.columns]
    if axis not in axes:
        raise _absent(name, "axis", axis, axes)
    values: list[str | None] = sentences[axis].to_list()
    if named not in values:
        raise _absent(
            name,
            f"group of {axis}",
            named,
            sorted({value for value in values if value is not None}),
        )
    return values


def _absent(name: str, kind: str, wanted: str, there: list[str]) -> SystemFailure:
    near = did_you_mean(wanted, there)
    listed = f"it has {', '.join(there)}" if there else "it has none"
    what = f"reads the {kind} {wanted!r}, which these sentences have not: {near or listed}"
    return SystemFailure(name, what)


def settings(name: str, target: str, known: tuple[str, ...] | None = None) -> dict[str, str]:
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


def whole_number(name: str, key: str, text: str) -> int:
    """A setting that must be a whole number."""
    try:
        return int(text)
    except ValueError:
        what = f"in the system {name!r}, {key} must be a whole number; found {text!r}"
        raise TiltmeterError(what) from None
