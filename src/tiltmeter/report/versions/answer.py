"""The question of two versions and its answer, to be read in ten seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.report.numbers import count
from tiltmeter.report.ratings.phrases import called, listed
from tiltmeter.report.verdict_wording import by_whom, margin_told
from tiltmeter.report.versions.material import (
    BETTER,
    NO_SIGNAL,
    NOT_ESTIMABLE,
    ORDER,
    SAME,
    WORSE,
    VersionMaterial,
    weight,
)
from tiltmeter.report.versions.wording import SPOKEN

SHOWN = (WORSE, BETTER, NO_SIGNAL, NOT_ESTIMABLE)
"""Of many changes, those that are told."""
FEW = 6
"""Changes that are each told in full at the head of the page."""


@dataclass(frozen=True, slots=True)
class Card:
    """One change at the head of the page."""

    title: str
    verdict: str
    sentence: str


def question(changes: pl.DataFrame) -> str:
    """What the page asks."""
    names = changes.select("old_system", "new_system").unique(maintain_order=True).rows()
    if len(names) == 1:
        old, new = names[0]
        between = "between two audits of " + called(new) if old == new else (
            f"from {called(old)} to {called(new)}"
        )  # fmt: skip
        return f"Did the tilt change {between}?"
    return f"Did the tilt change in these {len(names)} systems?"


def answer(changes: pl.DataFrame) -> str:
    """How many changes have each verdict, the weightiest first."""
    many = changes["verdict"].value_counts().rows()
    counts = {str(verdict): int(number) for verdict, number in many}
    if changes.height == 1:
        return f"{_capital(_spoken(next(iter(counts)), changes))}."
    parts = [f"{counts[one]} {_spoken(one, changes)}" for one in ORDER if one in counts]
    of = f"Of {count(changes.height, 'comparison')}: "
    return f"{of}{', '.join(parts)}."


def _spoken(verdict: str, changes: pl.DataFrame) -> str:
    margins = changes["margin"].unique().to_list()
    if verdict == SAME and len(margins) == 1:
        return f"same within {margin_told(margins[0])}"
    return SPOKEN[verdict]


def cards(changes: pl.DataFrame) -> list[Card]:
    """Every change where there are few; else those that are worse, better or cannot be judged."""
    rows = sorted(changes.to_dicts(), key=weight)
    if len(rows) > FEW:
        rows = [row for row in rows if row["verdict"] in SHOWN][:FEW]
    return [Card(_title(row, rows), row["verdict"], row["sentence"]) for row in rows]


def _title(row: dict[str, Any], rows: Sequence[dict[str, Any]]) -> str:
    """What tells a change from the others: axis, people, contrast, versions, task, corpus."""
    names = ("new_system", "task", "corpus")
    apart = [called(str(row[name])) for name in names if len({one[name] for one in rows}) > 1]
    several = len({one["contrast"] for one in rows if one["axis"] == row["axis"]}) > 1
    whom = f"{row['axis']} {by_whom(row)}"
    return " · ".join([whom, *([row["contrast"]] if several else ()), *apart])


def unpaired_words(material: VersionMaterial) -> Iterator[str]:
    """What has no counterpart in the other audit."""
    for (audit,), part in material.unpaired.group_by("audit", maintain_order=True):
        names = [f"{system} ({task})" for system, task in part.select("system", "task").rows()]
        yield f"Only in the {audit} audit, so not compared: {listed(names, most=6)}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
