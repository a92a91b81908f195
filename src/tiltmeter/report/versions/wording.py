"""A change between two versions as one plain sentence; WORDS.md governs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from tiltmeter.report.numbers import POINTS, count, decimals, fixed, interval, p_value, points
from tiltmeter.report.ratings.phrases import called
from tiltmeter.report.verdict_wording import COUPLES, by_whom, margin_told
from tiltmeter.report.versions.material import (
    BETTER,
    NO_SIGNAL,
    NOT_ESTIMABLE,
    SAME,
    UNDECIDED,
    WORSE,
)
from tiltmeter.report.wording import Phrases, Sides, seen_on, sides_of

Row = Mapping[str, Any]

NO_SPREAD = "exact: the same in every sentence"
"""Said of a change that does not vary, in place of an interval without width."""

SPOKEN = {
    SAME: "same within the margin",
    BETTER: "better",
    WORSE: "worse",
    UNDECIDED: "undecided",
    NO_SIGNAL: "no signal",
    NOT_ESTIMABLE: "not estimable",
}


def told_changes(judged: pl.DataFrame, phrases: Phrases) -> pl.DataFrame:
    """The changes, each with its sentence."""
    told = [sentence(row, sides_of(row, phrases)) for row in judged.iter_rows(named=True)]
    return judged.with_columns(sentence=pl.Series(told, dtype=pl.String))


def sentence(row: Row, sides: Sides) -> str:
    """One change in one sentence."""
    if row["verdict"] == NOT_ESTIMABLE:
        who = f"{versions(row)} {by_whom(row)}"
        return f"Not estimable for {who} ({seen_on(row)}): {row['reason']}."
    if row["verdict"] == NO_SIGNAL:
        return f"No signal from {versions(row)} ({seen_on(row)}): {row['reason']}."
    says = {SAME: _same, BETTER: _resized, WORSE: _resized, UNDECIDED: _undecided}
    besides = f" Besides, {row['reason']}." if row["reason"] else ""
    return f"{says[row['verdict']](row, sides)}{besides}"


def versions(row: Row) -> str:
    """The two versions: one name where both have it."""
    if row["old_system"] == row["new_system"]:
        return called(row["new_system"])
    return f"{called(row['old_system'])} → {called(row['new_system'])}"


def tilt(value: float | None, sides: Sides, places: int | None = None) -> str:
    """A tilt in words, with so many decimals: `0.10 points higher about women`.

    >>> sides = Sides("about women", "about men")
    >>> tilt(0.001, sides), tilt(-0.00003, sides, 1), tilt(0.0, sides)
    ('0.10 points higher about women', 'about 0', 'no difference')
    """
    if value is None:
        return "not estimable"
    if not value:
        return "no difference"
    size = points(abs(value)) if places is None else fixed(POINTS * abs(value), places)
    if not any(digit in "123456789" for digit in size):
        return "about 0"
    return f"{size} points {sides.towards(value > 0)}"


def places_of(row: Row) -> int:
    """How many decimals a change and both tilts are told with."""
    half = (row["change_high"] - row["change_low"]) / 2
    size = max(abs(row["change"]), half) or max(abs(row["old"]), abs(row["new"]))
    return decimals(POINTS * size)


def in_points(value: float) -> str:
    """A size with its unit.

    >>> in_points(0.01), in_points(0.0003)
    ('1.0 points', '0.030 points')
    """
    return f"{points(value)} points"


def change_interval(row: Row, value: str = "change", ends: str = "change") -> tuple[str, str]:
    """A change and its interval, in points."""
    told = interval(row[value], row[f"{ends}_low"], row[f"{ends}_high"], POINTS)
    if row[f"{ends}_low"] == row[f"{ends}_high"]:
        return told[0], NO_SPREAD
    return told[0], f"95 % interval {told[1]} to {told[2]}"


def _from_to(row: Row, sides: Sides) -> str:
    old, new = (tilt(row[one], sides, places_of(row)) for one in ("old", "new"))
    return f"from {old} to {new}"


def _people(row: Row) -> str:
    dropped = f", {row['n_dropped']:,} without a score" if row["n_dropped"] else ""
    return f"{count(row['n'], _unit(row))}{dropped}"


def _unit(row: Row) -> str:
    return "couple" if row["subset"] == COUPLES else "name"


def _whose(row: Row) -> str:
    """Which tilt it is: `the gender tilt of vader by names`."""
    return f"the {row['axis']} tilt of {versions(row)} {by_whom(row)}"


def _resized(row: Row, sides: Sides) -> str:
    """Better or worse: the tilt shrank or grew."""
    size, spread = change_interval(row, "size_change", "size")
    moved = "grew" if row["verdict"] == WORSE else "shrank"
    word = "Worse" if row["verdict"] == WORSE else "Better"
    return (
        f"{word}: {_whose(row)} {moved} by {size.removeprefix('−')} points of 100, "
        f"{_from_to(row, sides)} ({seen_on(row)}; {spread}, "
        f"{p_value(row['p_size_adjusted'])} after correction, {_people(row)})."
    )


def _same(row: Row, sides: Sides) -> str:
    start = f"Same within {margin_told(row['margin'])}: {_whose(row)}"
    if not row["change"] and not row["change_se"]:
        now = f", {tilt(row['new'], sides)}" if row["unit"] == "scale" else ""
        return f"{start} is as it was{now} ({seen_on(row)}; {NO_SPREAD}, {_people(row)})."
    size, spread = change_interval(row)
    sure = "" if row["change_low"] <= 0 <= row["change_high"] else ", surely but by less than that"
    return (
        f"{start} changed by {size} points{sure}, {_from_to(row, sides)} ({seen_on(row)}; "
        f"{spread}, {p_value(row['p_same_adjusted'])} after correction, {_people(row)})."
    )


def _undecided(row: Row, sides: Sides) -> str:
    size, spread = change_interval(row)
    return (
        f"Undecided: {_whose(row)} changed by {size} points, {_from_to(row, sides)} "
        f"({seen_on(row)}; {spread}, {_people(row)}). {why_open(row)}"
    )


def why_open(row: Row) -> str:
    """Why a change is undecided, and what would decide it."""
    margin = margin_told(row["margin"])
    why = {
        "may_exceed": f"A change of more than {margin} fits the data too.",
        "moved_may_exceed": f"It surely changed; by more than {margin} or by less is not shown.",
        "may_be_none": f"With other {_unit(row)}s like these there may be no change.",
        "many_looks": "By itself this would be a change; allowing for all "
        f"{row['family']:,} comparisons made, there may be none.",
        "which_larger": f"It surely changed. {_which_larger(row)}",
    }
    return f"{why[row['undecided_because']]} {needed(row)}"


def _which_larger(row: Row) -> str:
    """What is open where a change is certain."""
    turned = row["old"] * row["new"] < 0
    if turned and not row["total"] and not row["total_se"]:
        return "It turned around, and the tilt is as large as it was."
    start = "It turned around, and whether" if turned else "Whether"
    return f"{start} the tilt is now larger or smaller than it was is not shown."


def needed(row: Row) -> str:
    """How many people would decide it, if the change is as seen."""
    unit = f"{_unit(row)}s"
    if row["needed_people"] is None:
        return f"No number of {unit} would decide it."
    many = f"{row['needed_people']:,.0f} {unit} (here {row['n']:,})"
    return f"If it is as seen, about {many} would decide it."


def short_versions(row: Row) -> str:
    """The two versions in a table."""
    same = row["old_system"] == row["new_system"]
    return row["new_system"] if same else f"{row['old_system']} → {row['new_system']}"


def change_numbers(row: Row) -> list[str]:
    """Either tilt, the change and its interval, with the same decimals."""
    if row["change_low"] is None or row["unit"] != "scale":
        return ["–"] * 4
    told = interval(row["change"], row["change_low"], row["change_high"], POINTS)
    before, now = (fixed(POINTS * row[one], places_of(row)) for one in ("old", "new"))
    exact = row["change_low"] == row["change_high"]
    return [before, now, told[0], "exact" if exact else f"{told[1]} to {told[2]}"]
