"""Rows with a mark on a scale each: drawn in per cent, so that page and files share them."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter.report.embeddings.axis import Axis
from tiltmeter.report.embeddings.picture import line, rect, text

START, END = 2.0, 98.0
"""Per cent of the width that a scale takes; the rest keeps dots whole."""


@dataclass(frozen=True, slots=True)
class Track:
    """One row: what is drawn, and the same in words."""

    name: str
    cell: str
    """Marks in per cent of the width; nothing where there is no number."""
    number: str
    spread: str
    said: str
    ends: tuple[str, str] = ("", "")
    """What either end means, where rows differ in it."""
    about: str = ""
    """Stands under the name."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Rows on one scale."""

    title: str
    axis: Axis | None
    """None where every row has its own."""
    ends: tuple[str, str]
    rows: tuple[Track, ...]
    many: int = 3
    """At most so many steps between round numbers."""

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Where the round numbers stand."""
        return [] if self.axis is None else self.axis.ticks(self.many)


def grid(axis: Axis, many: int = 3) -> str:
    """Lines at round numbers; zero stands out."""
    return "".join(
        line(placed_at(x), "0", placed_at(x), "100%", "zero" if words == "0" else "tick")
        for x, words in axis.ticks(many)
    )


def own_scale(axis: Axis, times: float = 1.0, unit: str = "") -> str:
    """The numbers of a row's own scale, at its foot."""
    return "".join(
        text(placed_at(x), "100%", f"{words}{unit}", "own mid") for x, words in axis.ticks(2, times)
    )


def spanned(axis: Axis, low: float | None, high: float | None, kind: str = "") -> str:
    """An interval."""
    if low is None or high is None:
        return ""
    return line(
        placed_at(axis.at(low)), "50%", placed_at(axis.at(high)), "50%", f"span {kind}".strip()
    )


def dotted(axis: Axis, value: float, kind: str = "", r: float = 5) -> str:
    """A dot."""
    named = f"dot {kind}".strip()
    return f'<circle class="{named}" cx="{placed_at(axis.at(value))}" cy="50%" r="{r:g}"/>'


def banded(axis: Axis, low: float | None, high: float | None, kind: str) -> str:
    """A light band."""
    if low is None or high is None:
        return ""
    start, end = axis.at(low), axis.at(high)
    return rect(placed_at(start), "12%", placed_at(round(end - start, 2)), "76%", kind)


def upright(axis: Axis, value: float | None, kind: str) -> str:
    """A short upright line."""
    return (
        ""
        if value is None
        else line(placed_at(axis.at(value)), "12%", placed_at(axis.at(value)), "88%", kind)
    )


def placed_at(value: float) -> str:
    """A place in per cent."""
    return f"{value:g}%"
