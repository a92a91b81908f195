"""The pairs of sentences that moved most: both sentences, and what either version gave them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.report.numbers import POINTS, fixed
from tiltmeter.report.verdict_wording import by_whom
from tiltmeter.report.versions.material import COMPARISON, Changed, weight
from tiltmeter.report.versions.wording import in_points, versions

SHOWN = 5
"""Pairs shown in either direction; the table beside the page has more."""
MOST = 30
"""Comparisons whose pairs are shown."""


@dataclass(frozen=True, slots=True)
class Side:
    """One sentence, or one of those that are averaged, and both versions' scores."""

    text: str
    many: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Moved:
    """One pair."""

    first: Side
    second: Side
    old_apart: str
    new_apart: str
    moved: str
    """How much further apart, or closer, in words."""


@dataclass(frozen=True, slots=True)
class Part:
    """The pairs of one comparison."""

    title: str
    apart: tuple[Moved, ...]
    """Those whose scores moved apart most."""
    together: tuple[Moved, ...]
    open: bool


def moved_parts(material: Changed) -> list[Part]:
    """The pairs of each comparison, those of weighty verdicts first."""
    rows = sorted(material.changes.to_dicts(), key=weight)
    parts = [_part(row, material.moved, nth == 0) for nth, row in enumerate(rows[:MOST])]
    return [part for part in parts if part.apart or part.together]


def _part(row: Mapping[str, Any], moved: pl.DataFrame, first: bool) -> Part:
    keys = [name for name in COMPARISON if name in moved.columns]
    own = moved.filter(pl.col(name) == row[name] for name in keys)
    apart = own.filter(pl.col("further") > 0).head(SHOWN).to_dicts()
    together = own.filter(pl.col("further") < 0).head(SHOWN).to_dicts()
    unit = row["unit"] == "scale"
    whom = f"{row['axis']} {by_whom(row)}, {row['contrast']}"
    title = f"{whom}: {versions(row)} ({row['task']}, {row['corpus']})"
    return Part(
        title,
        tuple(_moved(one, unit) for one in apart),
        tuple(_moved(one, unit) for one in together),
        first,
    )


def _moved(pair: Mapping[str, Any], on_scale: bool) -> Moved:
    further = pair["further"]
    way = "further apart" if further > 0 else "closer"
    return Moved(
        _side(pair, "first"),
        _side(pair, "second"),
        _size(pair["old_delta"], on_scale),
        _size(pair["new_delta"], on_scale),
        f"{_size(further, on_scale)} {way}",
    )


def _size(value: float, on_scale: bool) -> str:
    if not value:
        return "0"
    return in_points(abs(value)) if on_scale else f"{abs(value):.3g}"


def _side(pair: Mapping[str, Any], side: str) -> Side:
    many = pair[f"n_{side}"]
    told = f"and {many - 1:,} like it, averaged" if many > 1 else ""
    scores = (fixed(POINTS * pair[f"{one}_{side}"], 1) for one in ("old", "new"))
    return Side(pair[f"text_{side}"], told, *scores)
