r"""Cells of the tables for papers: numbers with intervals, refusals with a note, names that fit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tiltmeter.report.numbers import interval, p_value
from tiltmeter.report.ratings.latex_layout import BROAD, NAMES, in_lines, printed
from tiltmeter.report.tables.latex_text import escaped, number

DASH = "---"
"""Stands where there is no number."""
MARKS = "abcdefghij"
"""Notes that a caption holds; of more, the table in the folder tells."""
HEAD = 18
"""Characters of a column's head beyond which it is set in lines."""
LINES = r"p{0.19\linewidth}"
PUBLISHED = 4
"""Decimals of a number without an interval, as the paper prints them."""
Row = Mapping[str, Any]


@dataclass(slots=True)
class Notes:
    """Why numbers are missing: a letter for each reason, told once under the table."""

    file: str
    """The table in the folder that has every reason."""
    reasons: dict[str, str] = field(default_factory=dict)

    def mark(self, reason: str | None) -> str:
        r"""A dash, and the letter of its reason.

        >>> notes = Notes("rnsb")
        >>> print(notes.mark("too few terms"), notes.mark("too few terms"), notes.mark(None))
        ---$^{a}$ ---$^{a}$ ---
        """
        if not reason:
            return DASH
        if reason not in self.reasons:
            nth = len(self.reasons)
            self.reasons[reason] = MARKS[nth] if nth < len(MARKS) else "*"
        return f"{DASH}$^{{{self.reasons[reason]}}}$"

    def told(self) -> str:
        """Every letter with its reason."""
        said = [f"$^{{{mark}}}$~{_ended(one)}" for one, mark in self.reasons.items() if mark != "*"]
        further = (
            [f"$^{{*}}$~See {escaped(self.file)}.csv."] if "*" in self.reasons.values() else []
        )
        return " ".join([*said, *further])


def _ended(reason: str) -> str:
    text = printed(reason)
    return text if text.endswith(".") else f"{text}."


def estimate(value: float | None, low: float | None, high: float | None) -> str:
    r"""A number and its interval; without an interval, as many decimals as the paper has.

    >>> print(estimate(0.3621, 0.31, 0.42), estimate(0.6225, None, None), estimate(-1.2, -2, 0.1))
    0.36 {[}0.31, 0.42{]} 0.6225 $-$1.2 {[}$-$2.0, 0.1{]}
    """
    if not known(value):
        return DASH
    if not (known(low) and known(high)):
        return number(value, PUBLISHED)
    shown = interval(float(value or 0), float(low or 0), float(high or 0))
    return escaped("{} [{}, {}]".format(*shown))


def known(value: float | None) -> bool:
    """Whether there is a finite number."""
    return value is not None and math.isfinite(value)


def chance(p: float | None) -> str:
    r"""A p-value for a column that says so.

    >>> print(chance(0.0317), chance(1e-9), chance(None))
    0.032 \textless{} 0.001 ---
    """
    return escaped(p_value(p).removeprefix("p ").removeprefix("= ")) if known(p) else DASH


def whole(value: int | None) -> str:
    """A number of things."""
    return DASH if value is None else f"{value:,}"


def head_layout(heads: Iterable[str]) -> str:
    """The columns under these heads: as wide as they are, or each a part of the page."""
    listed = list(heads)
    broad = max(map(len, listed), default=0) > HEAD
    return (LINES if broad else "r") * len(listed)


def head_cells(heads: Iterable[str]) -> list[str]:
    """Heads of columns; long ones are set in lines."""
    listed = list(heads)
    return [
        in_lines(printed(one)) if LINES in head_layout(listed) else printed(one) for one in listed
    ]


def name_layout(names: Iterable[str]) -> str:
    """The column that names stand in: as wide as they are, or a part of the page."""
    return "l" if max(map(len, names), default=0) <= BROAD else NAMES


def name_cell(name: str, layout: str) -> str:
    """A name in its column."""
    return printed(name) if layout == "l" else in_lines(printed(name))
