"""ratings.json: the ratings for other programs, and the panel that later systems are rated against.

The same bytes for the same input, apart from `environment`; a line for each system and variant.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from tiltmeter.report.json_text import indented, json_line
from tiltmeter.report.ratings.material import RatingMaterial

SCHEMA_VERSION = 2
"""In 1 raw scores of race also compared races with NA: no new system may be put among them."""
FILE = "ratings.json"
KEYS = ("system", "task", "variant")
OF_A_SYSTEM = (*KEYS, "overall", "mean", "low", "high", "steady", "dominates")
OF_A_COLUMN = (
    "psi", "x", "rating", "low", "high", "steady", "by_chance", "p", "rests_on", "without",
    "reason",
)  # fmt: skip


def ratings_json(material: RatingMaterial) -> str:
    """The ratings, what each system has in each column, and how they came about."""
    head = {
        "schema_version": SCHEMA_VERSION,
        "environment": material.environment,
        "run": material.run,
        "levels": material.levels,
        "confidence": material.confidence,
        "weights": material.weights,
        "repeats": material.repeats,
    }
    columns = _lines(material.columns.to_dicts())
    systems = _lines(_systems(material))
    return f'{indented(head)[:-2]},\n  "columns": {columns},\n  "systems": {systems}\n}}\n'


def _lines(records: Iterable[dict[str, Any]]) -> str:
    """A list with a line for each record."""
    lines = [f"    {json_line(record)}" for record in records]
    return "[\n" + ",\n".join(lines) + "\n  ]" if lines else "[]"


def _systems(material: RatingMaterial) -> list[dict[str, Any]]:
    groups = _groups(material.raw)
    rows = material.overall.select(OF_A_SYSTEM).to_dicts()
    return [row | {"groups": groups.get(tuple(row[key] for key in KEYS), {})} for row in rows]


def _groups(raw: pl.DataFrame) -> dict[tuple[str, ...], dict[str, Any]]:
    """What each system and variant has in each column."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in raw.to_dicts():
        own = found.setdefault(tuple(row[key] for key in KEYS), {})
        own[row["column"]] = {name: row[name] for name in OF_A_COLUMN}
    return found
