"""The tables of two versions and of drift, and the JSON that programs read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from tiltmeter.report.json_files import json_document
from tiltmeter.report.numbers import DASH, fixed
from tiltmeter.report.table import Cell, Column, Row, Table
from tiltmeter.studies.versions.wording import COMPARISON, change_numbers, short_versions

SCHEMA_VERSION = 3
"""3: a change is by names or by couples, as `subset` says. 2: a verdict may be `no_signal`."""
CHANGES = (
    *COMPARISON, "reference", "verdict", "margin", "old", "old_low", "old_high", "old_verdict",
    "new", "new_low", "new_high", "new_verdict", "change", "change_se", "change_df", "change_low",
    "change_high", "size_change", "size_low", "size_high", "p_change", "p_change_adjusted",
    "p_same", "p_same_adjusted", "p_size", "p_size_adjusted", "undecided_because", "family", "n",
    "n_dropped", "templates", "words", "change_se_people", "change_se_floor", "change_se_words",
    "change_se_noise", "needed_people", "unit", "reason", "rule", "sentence",
)  # fmt: skip
"""What is told of a change, in order."""
LONGEST = 22
"""Letters of a name on the terminal."""


def changes_table(changes: pl.DataFrame, *, named: bool = True) -> Table:
    """A row for each pair of versions, corpus, contrast and kind of people.

    The terminal has it for each contrast; `named` where it has several versions.
    """
    tasks = changes["task"].n_unique() > 1

    def number(nth: int) -> Callable[[Row], str]:
        return lambda row: change_numbers(row)[nth]

    numbers = ("before", "now", "change", "95 % interval")
    return Table(
        "changes",
        changes.select(CHANGES),
        (
            *([Column("new_system", "system", cell=short_name)] if named else ()),
            *([Column("task")] if tasks else ()),
            *(Column(name, cell=number(nth), align="right") for nth, name in enumerate(numbers)),
            Column("verdict", format=lambda verdict: verdict.replace("_", " ")),
        ),
    )


def skill_table(skill: pl.DataFrame) -> Table:
    """Either version's correlation with gold scores, and the difference."""

    def r(value: str, low: str, high: str) -> Callable[[Row], Cell]:
        def cell(row: Row) -> Cell:
            if row[value] is None:
                return Cell(row["note"] if value == "difference" else DASH)
            known = row[low] is not None
            ends = f"({fixed(row[low], 3)} to {fixed(row[high], 3)})" if known else ""
            return Cell(fixed(row[value], 3), ends)

        return cell

    return Table(
        "skill",
        skill,
        (
            Column("versions", "Versions", cell=short_versions),
            Column("task", "Task"),
            Column("gold", "Gold"),
            Column("old", "Before", cell=r("old", "old_low", "old_high"), align="right"),
            Column("new", "Now", cell=r("new", "new_low", "new_high"), align="right"),
            Column("difference", "Difference", cell=r("difference", "low", "high"), align="right"),
        ),
        caption="Pearson’s r with the gold scores",
    )


def skill_lines(skill: pl.DataFrame) -> Table:
    """The same for the terminal, where a difference is known."""

    def ends(row: Row) -> str:
        return "" if row["low"] is None else f"{fixed(row['low'], 3)} to {fixed(row['high'], 3)}"

    return Table(
        "skill",
        skill.filter(pl.col("difference").is_not_null()),
        (
            Column("new_system", "system", cell=short_name),
            Column("task"),
            Column("old", "before", lambda value: fixed(value, 3)),
            Column("new", "now", lambda value: fixed(value, 3)),
            Column("difference", format=lambda value: f"{value:+.3f}".replace("-", "−")),
            Column("low", "95 % at most", cell=ends),
        ),
    )


def short_name(row: Row) -> str:
    """Two versions in as many letters as the terminal has for them."""
    name = short_versions(row)
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def with_rows(tables: Sequence[Table]) -> list[Table]:
    """The tables that are not empty."""
    return [table for table in tables if table.frame.height]


def document(
    head: Mapping[str, Any],
    run: Mapping[str, Any],
    environment: Mapping[str, Any],
    **parts: pl.DataFrame,
) -> str:
    """compare.json or drift.json: the same bytes for the same answers, apart from `environment`."""
    start = {"schema_version": SCHEMA_VERSION, "environment": environment, "run": run, **head}
    return json_document(start, {name: frame.to_dicts() for name, frame in parts.items()})
