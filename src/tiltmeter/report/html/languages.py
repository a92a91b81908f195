"""One system in two languages: its effects side by side, and whether they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.html.effects import Effect, Regression
from tiltmeter.report.html.regression import Line, line_of, titles
from tiltmeter.report.html.scale import Scale, scale_for
from tiltmeter.report.material import Material
from tiltmeter.report.numbers import POINTS, count, p_value
from tiltmeter.report.regression_names import LEAST_SQUARES, MARGINAL, language_name
from tiltmeter.report.wording import told_from_above

MOST = 40
"""Rows of the figure; the others are only counted."""


@dataclass(frozen=True, slots=True)
class End:
    """An effect in one language, in per cent of the width and in words."""

    x: float
    line: Line
    side: str
    number: str
    spread: str
    means: str


@dataclass(frozen=True, slots=True)
class Beside:
    """An effect in two languages, and the test of whether they differ."""

    first: End
    second: End
    difference: str
    spread: str
    p: str


@dataclass(frozen=True, slots=True)
class Row:
    """One system's effects for one task."""

    system: str
    task: str
    cells: tuple[Beside | None, ...]


@dataclass(frozen=True, slots=True)
class Languages:
    """One figure: systems that answer corpora of two languages."""

    first: str
    second: str
    corpora: tuple[str, str]
    effects: tuple[Effect, ...]
    titles: tuple[str, ...]
    scale: Scale
    rows: tuple[Row, ...]
    left_out: int
    summary: str


def languages(material: Material, found: Sequence[Regression]) -> tuple[Languages, ...]:
    """A figure for every two corpora that match."""
    if material.languages is None or not found:
        return ()
    measure = LEAST_SQUARES if found[0].main == LEAST_SQUARES else MARGINAL
    rows = material.languages.filter(measure=measure)
    by_name = {one.compared.name: one for one in found}
    return tuple(
        _figure(part.rows(named=True), by_name[str(first)], by_name[str(second)])
        for (first, second), part in rows.partition_by(
            ["corpus_first", "corpus_second"], as_dict=True
        ).items()
        if first in by_name and second in by_name
    )


def _figure(rows: Sequence[Mapping[str, Any]], one: Regression, other: Regression) -> Languages:
    ends = [row[f"{end}_{side}"] for row in rows for side in SIDES for end in ("low", "high")]
    values = [row[f"value_{side}"] for row in rows for side in SIDES]
    scale = scale_for((POINTS * v for v in values), (POINTS * end for end in ends))
    found: dict[tuple[str, str], dict[tuple[str, str], Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["system"], row["task"]), {})[row["axis"], row["contrast"]] = row
    ordered = sorted(found.items(), key=lambda pair: -max(map(_apart, pair[1].values())))
    shown = sorted(ordered[:MOST], key=lambda pair: pair[0][1])
    drawn = (
        Row(system, task, tuple(_beside(cells.get(effect.key), effect, scale)
                                for effect in one.effects))
        for (system, task), cells in shown
    )  # fmt: skip
    names = [language_name(which.compared.language) for which in (one, other)]
    return Languages(
        names[0], names[1], (one.compared.title, other.compared.title), one.effects,
        titles(one.effects), scale, tuple(drawn), max(0, len(ordered) - MOST),
        _summary(rows) + _merged({system for system, _ in found}, one),
    )  # fmt: skip


SIDES = ("first", "second")


def _apart(row: Mapping[str, Any]) -> float:
    return abs(float(row["difference"]))


def _summary(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many differ, and how many would by chance."""
    differ = sum(row["p"] is not None and row["p"] <= 0.05 for row in rows)
    return (
        f"Of {count(len(rows), 'effect')} in both languages, {differ:,} "
        f"{'differs' if differ == 1 else 'differ'} with p ≤ 0.05 before correction; about "
        f"{len(rows) / 20:.2g} would by chance alone."
    )


def _merged(systems: set[str], one: Regression) -> str:
    """What must be said where a system is one for each language."""
    if systems <= {fit.system for fit in one.fits}:
        return ""
    return " A system trained for each language counts as one; its name is without the language."


def _beside(row: Mapping[str, Any] | None, effect: Effect, scale: Scale) -> Beside | None:
    if row is None:
        return None
    apart = told_from_above(row["difference"], row["low"], row["high"], "scale")
    first, second = (_end(row, side, effect, scale) for side in SIDES)
    return Beside(first, second, apart[0], f"{apart[1]} to {apart[2]}", p_value(row["p"]))


def _end(row: Mapping[str, Any], side: str, effect: Effect, scale: Scale) -> End:
    value, low, high = (row[f"{name}_{side}"] for name in ("value", "low", "high"))
    size, start, end = told_from_above(value, low, high, "scale")
    towards = "up" if value > 0 else "down" if value < 0 else ""
    line = line_of(low, high, scale)
    x = scale.at(POINTS * value)
    return End(x, line, towards, size, f"{start} to {end}", effect.side(value))
