"""The output folder of a rating: page, labels, ratings.json and every table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.report.folder import Stage, Writer, check_folder, results_in, unheard
from tiltmeter.report.json_files import indented, json_line
from tiltmeter.studies.rating.label import label_files, label_svg
from tiltmeter.studies.rating.latex import rating_latex
from tiltmeter.studies.rating.material import RatingMaterial, run_facts
from tiltmeter.studies.rating.tables import rating_tables
from tiltmeter.studies.rating.view import rating_page

# ---- ratings.json: the ratings for other programs, and the panel that later systems are rated
# against
# The same bytes for the same input, apart from `environment`; a line for each system and variant.

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


# ---- the output folder of a rating: page, labels, ratings.json and every table


PAGE = "rating.html"
TOLD = ("mode", "edition", "k", "seed")
"""What the tables of scores and sentences say of the run."""


def write_rating_folder(
    material: RatingMaterial,
    scores: pl.DataFrame | None,
    sentences: pl.DataFrame | None,
    folder: Path,
    *,
    force: bool = False,
    stage: Stage = unheard,
) -> Path:
    """Write everything a rating leaves behind; the page's path is given back.

    A folder that holds something else needs `force`. What an earlier audit or rating wrote there
    is replaced. `stage` is told what is being done.
    """
    folder = Path(folder)
    check_folder(folder, force)
    stage("writing the page")
    page = rating_page(material)  # before the first file: a failure leaves the folder as it was
    with results_in(folder, material.run, material.environment) as writer:
        writer.text(PAGE, page)
        writer.text(FILE, ratings_json(material))
        _write_data(writer, material, scores=scores, sentences=sentences)
        stage("writing the tables")
        _write_tables(writer, material)
        stage("drawing the labels")
        _write_labels(writer, material)
    return folder / PAGE


def _write_data(writer: Writer, material: RatingMaterial, **tables: pl.DataFrame | None) -> None:
    """What was scored, where it is at hand."""
    run = run_facts(material)
    about = {f"tiltmeter.{one}": str(run[one]) for one in TOLD if one in run}
    for name, frame in tables.items():
        if frame is not None:
            writer.parquet(f"{name}.parquet", frame, about)


def _write_tables(writer: Writer, material: RatingMaterial) -> None:
    for name, frame in rating_tables(material).items():
        writer.csv(f"tables/{name}.csv", frame)
    for name, text in rating_latex(material).items():
        writer.text(f"tables/{name}.tex", text)


def _write_labels(writer: Writer, material: RatingMaterial) -> None:
    """A label for each system and variant, and which file is whose."""
    files = label_files(material)
    for system, task, variant, file in files.rows():
        writer.text(f"labels/{file}", label_svg(material, system, task, variant))
    writer.csv("labels/index.csv", files)
