"""The output folder of a drift check: page, drift.json, the new answers and every table."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tiltmeter.report.json_text import indented
from tiltmeter.report.ownership import check_folder
from tiltmeter.report.versions.drift_material import DriftMaterial
from tiltmeter.report.versions.drift_page import drift_page
from tiltmeter.report.versions.tables import drift_tables
from tiltmeter.report.versions.versions_json import SCHEMA_VERSION, lines
from tiltmeter.report.writer import results_in

PAGE, FILE = "drift.html", "drift.json"


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
        writer.text(PAGE, page)
        writer.text(FILE, drift_json(material))
        writer.parquet("scores.parquet", scores, {})
        writer.parquet("sentences.parquet", sentences, {})
        for name, frame in drift_tables(material).items():
            writer.csv(f"tables/{name}.csv", frame)
    return folder / PAGE


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
