"""The output folder: everything an audit leaves behind, each file whole or not at all."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tiltmeter.report.charts import check_drawing
from tiltmeter.report.folder import Stage, Writer, check_folder, results_in, unheard
from tiltmeter.report.phrases import unique_slugs
from tiltmeter.studies.audit.findings_json import audit_rows, findings_json
from tiltmeter.studies.audit.latex import latex_tables
from tiltmeter.studies.audit.model_card import cards_of
from tiltmeter.studies.audit.page import page, unusable_page
from tiltmeter.studies.audit.results import Audit
from tiltmeter.studies.audit.tables import group_tables, run_tables


def write_folder(
    audit: Audit,
    folder: Path,
    *,
    force: bool = False,
    individual: bool = False,
    figures: bool = False,
    stage: Stage = unheard,
) -> None:
    """Write everything an audit leaves behind.

    A folder that holds something else needs `force`; `individual` adds a page per system, `figures`
    the paper's figures as SVG and PNG; `stage` is told what is being done.
    """
    check_folder(folder, force)
    if figures:
        check_drawing()
    stage("writing the report")
    # The page before the first file, so that a failure leaves the folder as it was.
    report = page(audit, figures=figures)
    with results_in(folder, audit.run, audit.environment) as writer:
        writer.text("report.html", report)
        del report  # tens of megabytes for hundreds of systems
        rows = audit_rows(audit)
        writer.text("findings.json", findings_json(audit, rows))
        # What the tables are of: corpora, editions and samples
        told = {
            "corpus": [one.name for one in audit.compared],
            "edition": [one.edition for one in audit.compared],
            "sample": [one.sample for one in audit.compared if one.sample],
        }
        about = {
            f"tiltmeter.{name}": "; ".join(dict.fromkeys(values))
            for name, values in told.items()
            if values
        }
        writer.parquet("estimates.parquet", audit.estimates, about)
        writer.parquet("scores.parquet", audit.lazy_scores, about)
        writer.parquet("sentences.parquet", audit.lazy_sentences, about)
        writer.parquet("people.parquet", audit.people, about)
        _write_tables(writer, audit)
        for name, text in cards_of(audit, rows):
            writer.text(name, text)
        if figures:
            from tiltmeter.studies.audit.figures import drawn_figures

            for name, data in drawn_figures(audit):
                stage(f"drawing {name}")
                writer.data(f"figures/{name}", data)
        if individual:
            _write_individual(writer, audit, stage)


def _write_tables(writer: Writer, audit: Audit) -> None:
    """Every table for spreadsheets, and those of the paper for papers."""
    for table in group_tables(audit):
        writer.csv(f"tables/{table.name}.csv", table.frame)
    for name, frame in run_tables(audit).items():
        writer.csv(f"tables/{name}.csv", frame)
    for name, text in latex_tables(audit).items():
        writer.text(f"tables/{name}.tex", text)


def _write_individual(writer: Writer, audit: Audit, stage: Stage) -> None:
    """A page for each system, also where no file of it could be used, and which page is whose."""
    every = pl.concat([one.submissions["system"] for one in audit.compared])
    measured = every.unique(maintain_order=True).to_list()
    aside = list[str]()
    if audit.set_aside is not None:
        each = audit.set_aside.unique(["system", "file"], maintain_order=True)
        aside = each["system"].drop_nulls().to_list()
    systems = list(dict.fromkeys([*measured, *aside]))
    files = {system: f"{slug}.html" for system, slug in unique_slugs(systems).items()}
    for nth, (system, file) in enumerate(files.items(), 1):
        stage(f"writing the page of system {nth:,} of {len(files):,}")
        made = page(audit, only=system) if system in measured else unusable_page(audit, system)
        writer.text(f"individual/{file}", made)
    rows = {"system": systems, "file": list(files.values()), "set_aside": map(aside.count, systems)}
    writer.csv(
        "individual/index.csv", pl.DataFrame({name: list(one) for name, one in rows.items()})
    )
