"""Either version's tilt on one scale, the old above the new, and the change in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.report.html.scale import Scale, scale_for
from tiltmeter.report.numbers import POINTS
from tiltmeter.report.verdict_wording import SAID_OF, by_whom
from tiltmeter.report.versions.material import Changed, weight
from tiltmeter.report.versions.wording import (
    SPOKEN,
    change_interval,
    places_of,
    tilt,
    versions,
)
from tiltmeter.report.wording import Sides, seen_on, sides_of

Row = Mapping[str, Any]
MANY = 30
"""Versions that stand in a block before the rest is folded away."""
ABOVE, BELOW = 30, 70
"""Where the old and the new version's marks stand, in per cent of the height."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One version's tilt on the scale, in per cent of the width."""

    at: float
    low: float
    high: float
    lean: str
    """up, down or none: which way it leans, where its interval leaves 0 out."""


@dataclass(frozen=True, slots=True)
class Line:
    """One pair of versions."""

    name: str
    about: str
    old: Mark | None
    new: Mark | None
    margin: tuple[float, float]
    """Where the margin around 0 begins and how wide it is, in per cent."""
    old_words: str
    new_words: str
    verdict: str
    verdict_words: str
    change: str
    spread: str
    said: str


@dataclass(frozen=True, slots=True)
class Block:
    """One contrast on one corpus, by names or by couples."""

    title: str
    ends: tuple[str, str]
    ticks: Sequence[tuple[float, str]]
    lines: tuple[Line, ...]
    rest: tuple[Line, ...] = ()
    """Where there are many: those to be folded away, weightier verdicts first."""


def blocks(material: Changed) -> list[Block]:
    """A block for each corpus, contrast and kind of people."""
    by = ("corpus", "edition", "axis", "contrast", "reference", "subset")
    parts = material.changes.group_by(by, maintain_order=True)
    several = material.changes["corpus"].n_unique() > 1
    return [_block(part, material, several) for _, part in parts]


def _block(part: pl.DataFrame, material: Changed, several: bool) -> Block:
    rows = part.to_dicts()
    sides = sides_of(rows[0], material.phrases)
    scale = _scale(rows)
    where = f" ({rows[0]['corpus']})" if several else ""
    whom = f"{rows[0]['axis']} {by_whom(rows[0])}"
    title = f"{whom}: sentences {sides.first} and the same sentences {sides.second}"
    tasks = len({row["task"] for row in rows}) > 1
    if len(rows) > MANY:
        rows.sort(key=weight)
    lines = tuple(_line(row, sides, scale, tasks) for row in rows)
    return Block(
        f"{title}{where}",
        (sides.towards(False), sides.towards(True)),
        scale.ticks,
        lines[:MANY],
        lines[MANY:],
    )


def _scale(rows: Iterable[Row]) -> Scale:
    known = [row for row in rows if row["old"] is not None and row["unit"] == "scale"]
    values = [POINTS * row[one] for row in known for one in ("old", "new")]
    margins = [2.0 * POINTS * row["margin"] for row in known]
    ends = [
        POINTS * row[f"{one}_{end}"]
        for row in known
        for one in ("old", "new")
        for end in ("low", "high")
        if row[f"{one}_{end}"] is not None
    ]
    return scale_for([*values, *margins], ends)


def _line(row: Row, sides: Sides, scale: Scale, tasks: bool) -> Line:
    known = row["change_low"] is not None and row["unit"] == "scale"
    change, spread = change_interval(row) if known else ("–", "")
    bound = POINTS * row["margin"]
    low, high = scale.at(-bound), scale.at(bound)
    return Line(
        versions(row),
        row["task"] if tasks else "",
        _mark(row, "old", scale) if known else None,
        _mark(row, "new", scale) if known else None,
        (low, round(high - low, 2)),
        _own_words(row, "old", sides),
        _own_words(row, "new", sides),
        row["verdict"],
        SPOKEN[row["verdict"]],
        change,
        spread.removeprefix("95 % interval "),
        f"{seen_on(row)}: {row['sentence']}",
    )


def _mark(row: Row, one: str, scale: Scale) -> Mark:
    sure = row[f"{one}_low"] is not None
    ends = ("", "_low", "_high") if sure else ("", "", "")
    value, low, high = (POINTS * row[f"{one}{end}"] for end in ends)
    lean = "none" if not sure else "up" if low > 0 else "down" if high < 0 else "none"
    return Mark(scale.at(value), scale.at(low), scale.at(high), lean)


def _own_words(row: Row, one: str, sides: Sides) -> str:
    places = None if row["change_low"] is None else places_of(row)
    return f"{tilt(row[one], sides, places)}: {SAID_OF[row[f'{one}_verdict']]}"
