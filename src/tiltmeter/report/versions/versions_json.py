"""compare.json: every change with its verdict; the same bytes for the same two audits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tiltmeter.report.json_text import indented, json_line
from tiltmeter.report.versions.material import VersionMaterial
from tiltmeter.report.versions.tables import CHANGES

SCHEMA_VERSION = 3
"""3: a change is by names or by couples, as `subset` says. 2: a verdict may be `no_signal`."""
FILE = "compare.json"


def versions_json(material: VersionMaterial) -> str:
    """The changes, what stands beside them, and how they came about."""
    head = {
        "schema_version": SCHEMA_VERSION,
        "environment": material.environment,
        "run": material.run,
        "old": material.old,
        "new": material.new,
        "notes": material.notes,
    }
    parts = {
        "changes": material.changes.select(CHANGES).to_dicts(),
        "pairs": material.moved.to_dicts(),
        "skill": material.skill.to_dicts(),
        "unpaired": material.unpaired.to_dicts(),
    }
    listed = ",\n".join(f'  "{name}": {lines(rows)}' for name, rows in parts.items())
    return f"{indented(head)[:-2]},\n{listed}\n}}\n"


def lines(records: Iterable[dict[str, Any]]) -> str:
    """A list with a line for each record."""
    made = [f"    {json_line(record)}" for record in records]
    return "[\n" + ",\n".join(made) + "\n  ]" if made else "[]"
