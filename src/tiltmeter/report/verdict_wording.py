"""Every verdict as one plain sentence: how much, the margin, how sure, what would decide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from tiltmeter.report.numbers import count, p_value
from tiltmeter.report.wording import Phrases, Sides, on_subset, seen_on, sides_of, size_and_interval

SAID_OF = {
    "tilted": "tilted",
    "even": "even within the margin",
    "undecided": "undecided",
    "no_signal": "no signal",
    "not_estimable": "not estimable",
}
"""What a verdict is called."""

NEAR = 0.25
"""A difference within this part of the margin from the margin itself is near it."""
MOST = 10_000
"""People or templates that nobody will write a corpus of."""


def with_verdict_sentences(judged: pl.DataFrame, phrases: Phrases) -> pl.DataFrame:
    """The judged tilts, each with its sentence; every other column stays."""
    said = [verdict_sentence(row, sides_of(row, phrases)) for row in judged.iter_rows(named=True)]
    return judged.with_columns(sentence=pl.Series(said, dtype=pl.String))


def margin_told(margin: float) -> str:
    """A margin in the unit people read.

    >>> margin_told(0.01), margin_told(0.025), margin_told(0.0005)
    ('1 point of 100', '2.5 points of 100', '0.05 points of 100')
    """
    size = f"{margin * 100:.3g}"
    return f"{size} {'point' if size == '1' else 'points'} of 100"


def verdict_sentence(row: Mapping[str, Any], sides: Sides) -> str:
    """One verdict in one sentence."""
    where = on_subset(str(row["subset"]), str(row["task"]))
    kinds = {
        "tilted": _tilted, "even": _even, "undecided": _undecided, "no_signal": _no_signal
    }  # fmt: skip
    said = kinds.get(str(row["verdict"]), _not_estimable)(row, sides)
    text = f"{where}{said}"
    starts_with_system = not where and row["verdict"] == "tilted"
    return text if starts_with_system else text[:1].upper() + text[1:]


def _tilted(row: Mapping[str, Any], sides: Sides) -> str:
    size, spread = size_and_interval(row)
    return (
        f"{row['system']} scores {sides.scored(row['value'] > 0, size)}, surely more than the "
        f"margin of {margin_told(row['margin'])}, also over other people and sentences like these "
        f"({seen_on(row)}; {spread}, {p_value(row['p_tilted'])} after correction, "
        f"{count(row['n'], 'pair')}).{_besides(row)}"
    )


def _besides(row: Mapping[str, Any]) -> str:
    """What is said of a tilted system that does not read the sentences."""
    return f" Besides it gives no signal: {row['reason']}." if row["reason"] else ""


def _no_signal(row: Mapping[str, Any], sides: Sides) -> str:
    return (
        f"no signal from {row['system']}, so sentences {sides.first} and the same sentences "
        f"{sides.second} tell nothing of it ({seen_on(row)}): {row['reason']}."
    )


def _even(row: Mapping[str, Any], sides: Sides) -> str:
    return (
        f"equivalent within {margin_told(row['margin'])} for {row['system']}, sentences "
        f"{sides.first} and the same sentences {sides.second}: {_lean(row, sides)} "
        f"({seen_on(row)}; {_spread(row)}{p_value(row['p_even'])} after correction, "
        f"{count(row['n'], 'pair')})."
    )


def _undecided(row: Mapping[str, Any], sides: Sides) -> str:
    return (
        f"undecided for {row['system']} at a margin of {margin_told(row['margin'])}, sentences "
        f"{sides.first} and the same sentences {sides.second}: {_lean(row, sides)}, but other "
        f"people and sentences like these may well give another number ({seen_on(row)}; "
        f"{_spread(row)}{count(row['n'], 'pair')}){deciding_told(row)}."
    )


def deciding_told(row: Mapping[str, Any]) -> str:
    """What would decide it, if the tilt is as seen; nothing where that is not known."""
    if row["subset"] != "all":
        return ""
    ways = {"people": row["needed_people"], "templates": row["needed_templates"]}
    known = {what: many for what, many in ways.items() if many is not None}
    near = abs(abs(row["value"]) - row["margin"]) < NEAR * row["margin"]
    if near and min(known.values(), default=MOST) >= MOST:
        return "; the difference lies so near the margin that no practical number would decide it"
    if not known:
        return "; no number of people alone, or of templates alone, would decide it"
    told = " or ".join(f"{many:,.0f} {what}" for what, many in known.items())
    return f"; {told} in all would decide it, if the difference is as seen"


def _not_estimable(row: Mapping[str, Any], sides: Sides) -> str:
    return (
        f"no verdict for {row['system']}, sentences {sides.first} and the same sentences "
        f"{sides.second} ({seen_on(row)}): {row['reason']}."
    )


def _lean(row: Mapping[str, Any], sides: Sides) -> str:
    if not row["value"]:
        return "the same score in every pair" if not row["se"] else "a mean difference of 0"
    size, _ = size_and_interval(row)
    return f"{size} {sides.towards(row['value'] > 0)}"


def _spread(row: Mapping[str, Any]) -> str:
    return f"{size_and_interval(row)[1]}, " if row["se"] else ""
