"""The output folder of a rating: page, labels, ratings.json and every table."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tiltmeter.report.ownership import check_folder
from tiltmeter.report.ratings.label import label_svg
from tiltmeter.report.ratings.label_files import label_files
from tiltmeter.report.ratings.latex import rating_latex
from tiltmeter.report.ratings.material import RatingMaterial, run_facts
from tiltmeter.report.ratings.page import rating_page
from tiltmeter.report.ratings.ratings_json import FILE, ratings_json
from tiltmeter.report.ratings.tables import rating_tables
from tiltmeter.report.writer import Stage, Writer, results_in, unheard

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
