"""The output folders of a comparison and of a drift check."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.report.folder import check_folder, results_in
from tiltmeter.report.json_files import indented, json_line
from tiltmeter.studies.versions.material import (
    CHANGES,
    DriftMaterial,
    VersionMaterial,
    drift_tables,
    version_tables,
)
from tiltmeter.studies.versions.view import compare_page, drift_page

# ---- compare.json: every change with its verdict; the same bytes for the same two audits


SCHEMA_VERSION = 3
"""3: a change is by names or by couples, as `subset` says. 2: a verdict may be `no_signal`."""
VERSIONS_JSON_FILE = "compare.json"


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


# ---- the output folder of two versions compared: page, compare.json and every table


FOLDER_PAGE = "compare.html"


def write_version_folder(material: VersionMaterial, folder: Path, *, force: bool = False) -> Path:
    """Write everything a comparison leaves behind; the page's path is given back.

    A folder that holds something else needs `force`. What an earlier run wrote there is replaced.
    """
    folder = Path(folder)
    check_folder(folder, force)
    page = compare_page(material)  # before the first file: a failure leaves the folder as it was
    with results_in(folder, material.run, material.environment) as writer:
        writer.text(FOLDER_PAGE, page)
        writer.text(VERSIONS_JSON_FILE, versions_json(material))
        for name, frame in version_tables(material).items():
            writer.csv(f"tables/{name}.csv", frame)
    return folder / FOLDER_PAGE


# ---- the output folder of a drift check: page, drift.json, the new answers and every table


DRIFT_FOLDER_PAGE, DRIFT_FOLDER_FILE = "drift.html", "drift.json"


def write_drift_folder(
    material: DriftMaterial,
    scores: pl.DataFrame,
    sentences: pl.DataFrame,
    folder: Path,
    *,
    force: bool = False,
) -> Path:
    """Write everything a drift check leaves behind; the page's path is given back.

    A folder that holds something else needs `force`. What an earlier run wrote there is replaced.
    """
    folder = Path(folder)
    check_folder(folder, force)
    page = drift_page(material)  # before the first file: a failure leaves the folder as it was
    with results_in(folder, material.run, material.environment) as writer:
        writer.text(DRIFT_FOLDER_PAGE, page)
        writer.text(DRIFT_FOLDER_FILE, drift_json(material))
        writer.parquet("scores.parquet", scores, {})
        writer.parquet("sentences.parquet", sentences, {})
        for name, frame in drift_tables(material).items():
            writer.csv(f"tables/{name}.csv", frame)
    return folder / DRIFT_FOLDER_PAGE


def drift_json(material: DriftMaterial) -> str:
    """The verdict, what it rests on, and how it came about."""
    head = {
        "schema_version": SCHEMA_VERSION,
        "environment": material.environment,
        "run": material.run,
        "baseline": material.baseline,
        "verdict": material.verdict,
        "notes": material.notes,
    }
    parts = drift_tables(material, every=True)
    listed = ",\n".join(f'  "{name}": {lines(rows.to_dicts())}' for name, rows in parts.items())
    return f"{indented(head)[:-2]},\n{listed}\n}}\n"
