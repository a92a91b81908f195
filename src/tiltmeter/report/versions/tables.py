"""The tables of two versions as plain frames, for spreadsheets."""

from __future__ import annotations

import polars as pl

from tiltmeter.report.versions.drift_material import DriftMaterial
from tiltmeter.report.versions.material import COMPARISON, VersionMaterial

CHANGES = (
    *COMPARISON, "reference", "verdict", "margin", "old", "old_low", "old_high", "old_verdict",
    "new", "new_low", "new_high", "new_verdict", "change", "change_se", "change_df", "change_low",
    "change_high", "size_change", "size_low", "size_high", "p_change", "p_change_adjusted",
    "p_same", "p_same_adjusted", "p_size", "p_size_adjusted", "undecided_because", "family", "n",
    "n_dropped", "templates", "words", "change_se_people", "change_se_floor", "change_se_words",
    "change_se_noise", "needed_people", "unit", "reason", "rule", "sentence",
)  # fmt: skip
"""What is told of a change, in order."""


def version_tables(material: VersionMaterial) -> dict[str, pl.DataFrame]:
    """Every table by name; none that would be empty."""
    made = {
        "changes": material.changes.select(CHANGES),
        "pairs": material.moved,
        "skill": material.skill,
        "unpaired": material.unpaired,
    }
    return {name: frame for name, frame in made.items() if frame.height}


def drift_tables(material: DriftMaterial, *, every: bool = False) -> dict[str, pl.DataFrame]:
    """Every table of a drift check by name; none that would be empty, unless `every` is wanted."""
    made = {
        "answers": material.answers,
        "versions": material.versions,
        "changes": material.changes.select(CHANGES),
        "pairs": material.moved,
    }
    return {name: frame for name, frame in made.items() if frame.height or every}
