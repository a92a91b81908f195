"""The output folder: everything an audit leaves behind, each file whole or not at all."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tiltmeter.report.charts import check_drawing
from tiltmeter.report.folder import Stage, Writer, check_folder, results_in, unheard
from tiltmeter.report.phrases import unique_slugs
from tiltmeter.studies.audit.findings_json import findings_json, material_rows
from tiltmeter.studies.audit.latex import latex_tables
from tiltmeter.studies.audit.model_card import cards_of
from tiltmeter.studies.audit.page import page, unusable_page
from tiltmeter.studies.audit.tables import group_tables, run_tables
from tiltmeter.studies.paired.material import Material


def write_folder(
    material: Material,
    scores: pl.DataFrame | pl.LazyFrame,
    sentences: pl.DataFrame | pl.LazyFrame,
    folder: Path,
    *,
    people: pl.DataFrame | None = None,
    force: bool = False,
    individual: bool = False,
    figures: bool = False,
    stage: Stage = unheard,
) -> None:
    """Write everything an audit leaves behind.

    `people` is the table of whom the sentences are about. A folder that holds something else needs
    `force`; `individual` adds a page per system, `figures` the paper's figures as SVG and PNG;
    `stage` is told what is being done.
    """
    check_folder(folder, force)
    if figures:
        check_drawing()
    stage("writing the report")
    # The page before the first file, so that a failure leaves the folder as it was.
    report = page(material, figures=figures)
    with results_in(folder, material.run, material.environment) as writer:
        writer.text("report.html", report)
        del report  # tens of megabytes for hundreds of systems
        rows = material_rows(material)
        writer.text("findings.json", findings_json(material, rows))
        _write_data(writer, material, scores.lazy(), sentences.lazy())
        if people is not None:
            writer.parquet("people.parquet", people, _about(material))
        _write_tables(writer, material)
        for name, text in cards_of(material, rows):
            writer.text(name, text)
        if figures:
            _write_figures(writer, material, stage)
        if individual:
            _write_individual(writer, material, stage)


def _write_data(
    writer: Writer, material: Material, scores: pl.LazyFrame, sentences: pl.LazyFrame
) -> None:
    """The tables that other programs read on."""
    about = _about(material)
    writer.parquet("estimates.parquet", material.every_estimate, about)
    writer.parquet("scores.parquet", scores, about)
    writer.parquet("sentences.parquet", sentences, about)


def _about(material: Material) -> dict[str, str]:
    """What the tables are of: corpora, editions and samples."""
    told = {
        "corpus": [one.name for one in material.compared],
        "edition": [one.edition for one in material.compared],
        "sample": [one.sample for one in material.compared if one.sample],
    }
    return {
        f"tiltmeter.{name}": "; ".join(dict.fromkeys(values))
        for name, values in told.items()
        if values
    }


def _write_tables(writer: Writer, material: Material) -> None:
    """Every table for spreadsheets, and those of the paper for papers."""
    for table in group_tables(material):
        writer.csv(f"tables/{table.name}.csv", table.frame)
    for name, frame in run_tables(material).items():
        writer.csv(f"tables/{name}.csv", frame)
    for name, text in latex_tables(material).items():
        writer.text(f"tables/{name}.tex", text)


def _write_figures(writer: Writer, material: Material, stage: Stage) -> None:
    from tiltmeter.studies.audit.figures import drawn_figures

    for name, data in drawn_figures(material):
        stage(f"drawing {name}")
        writer.data(f"figures/{name}", data)


def _write_individual(writer: Writer, material: Material, stage: Stage) -> None:
    """A page for each system, also where no file of it could be used, and which page is whose."""
    every = pl.concat([one.submissions["system"] for one in material.compared])
    measured = every.unique(maintain_order=True).to_list()
    aside = [] if material.set_aside is None else _owners(material.set_aside)
    systems = list(dict.fromkeys([*measured, *aside]))
    files = {system: f"{slug}.html" for system, slug in unique_slugs(systems).items()}
    for nth, (system, file) in enumerate(files.items(), 1):
        stage(f"writing the page of system {nth:,} of {len(files):,}")
        made = (
            page(material, only=system) if system in measured else unusable_page(material, system)
        )
        writer.text(f"individual/{file}", made)
    rows = {"system": systems, "file": list(files.values()), "set_aside": map(aside.count, systems)}
    writer.csv(
        "individual/index.csv", pl.DataFrame({name: list(one) for name, one in rows.items()})
    )


def _owners(set_aside: pl.DataFrame) -> list[str]:
    """Whose each file is that was set aside, as far as anybody's."""
    return (
        set_aside.unique(["system", "file"], maintain_order=True)["system"].drop_nulls().to_list()
    )
