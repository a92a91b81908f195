"""findings.json: the same bytes for the same stored scores, apart from `environment`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.audit_run import AuditRun
from tiltmeter.report.charts import check_drawing, png, svg
from tiltmeter.report.folder import Stage, Writer, check_folder, results_in, unheard
from tiltmeter.report.json_files import encode_rounded, indented, rounded
from tiltmeter.report.phrases import numbered, slug, unique_slugs
from tiltmeter.schemas import FINDINGS
from tiltmeter.studies.audit.model_card import cards_of
from tiltmeter.studies.audit.page import page, unusable_page
from tiltmeter.studies.audit.results import Audit
from tiltmeter.studies.audit.tables import group_tables, latex_tables, run_tables
from tiltmeter.studies.paired.advice import next_step
from tiltmeter.studies.paired.comparison import Comparison, beside_average, comparisons
from tiltmeter.studies.paired.figures import FigurePanel, groups_panel, panel
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.verdict_wording import moved_of, moved_shares
from tiltmeter.studies.regression.forests import regression_figures

# ---- findings.json: the same bytes for the same stored scores, apart from `environment`


FINDINGS_VERSION = 3
"""Of findings.json; 2: a verdict may be `no_signal`, and run names controls and languages; 3: tilts
are by names and by couples, each with `moved`, and undecided ones with `next`."""
TILT = "tilt"


def findings_json(audit: AuditResults, rows: Sequence[Mapping[str, Any]] | None = None) -> str:
    """The findings with how they came about, one finding a line; `rows` are their `audit_rows`.

    They may be given where they are needed for other files too.
    """
    head = {
        "schema_version": FINDINGS_VERSION,
        "environment": audit.environment,
        "run": audit.run,
    }
    lines = [encode_rounded(row) for row in (audit_rows(audit) if rows is None else rows)]
    listed = "[\n" + ",\n".join(f"    {line}" for line in lines) + "\n  ]" if lines else "[]"
    return f'{indented(head)[:-2]},\n  "findings": {listed}\n}}\n'


def audit_rows(audit: AuditResults) -> list[dict[str, Any]]:
    """Every finding of a report as findings.json holds it."""
    return finding_rows(audit.findings, audit.tilts, audit.paired_estimates, audit.run)


def finding_rows(
    findings: pl.DataFrame,
    tilts: pl.DataFrame | None = None,
    estimates: pl.DataFrame | None = None,
    run: AuditRun | None = None,
) -> list[dict[str, Any]]:
    """Every finding as findings.json holds it.

    A tilt has `moved` besides, whom it moves by group, and an undecided one `next`.
    """
    rows: list[dict[str, Any]] = findings.select(*FINDINGS.columns).to_dicts()
    if tilts is None or estimates is None or run is None:
        return [rounded(row) for row in rows]
    shares = moved_shares(estimates)
    claims = {claim["id"]: claim for claim in tilts.iter_rows(named=True)}
    for row in rows:
        claim = claims.get(row["id"]) if row["measure"] == TILT else None
        if claim:
            row["moved"] = [one.facts() for one in moved_of(claim, shares)]
            if step := next_step(claim, run):
                row["next"] = step.facts(str(claim["system"]))
    return [rounded(row) for row in rows]


# ---- the figures of a run as files: SVG and PNG, drawn without a network


PAPER = {"gender": 1, "race": 2}
"""Which of the paper's figures shows an axis."""


def drawn_figures(audit: AuditResults) -> Iterator[tuple[str, bytes]]:
    """Every figure as its file's name and content."""
    from tiltmeter.studies.paired.figures import box_chart, skill_chart, strip_chart

    for shown, name in drawn_panels(audit):
        number = paper_number(shown)
        boxes = svg(box_chart(shown, number, points=False))
        yield f"figure{number or ''}-{name}.svg", boxes.encode()
        yield f"figure{number or ''}-{name}.png", png(svg(box_chart(shown, number, points=True)))
        drawn = {"strip": svg(strip_chart(shown))}
        if shown.systems["skill"].count() and not shown.each:
            drawn["skill"] = svg(skill_chart(shown))
        for kind, text in drawn.items():
            yield f"{kind}-{name}.svg", text.encode()
            yield f"{kind}-{name}.png", png(text)
    for figure in regression_figures(audit):
        yield from figure.files()


def drawn_panels(audit: AuditResults) -> Iterator[tuple[FigurePanel, str]]:
    """Every task of every comparison that has something to draw, and its name in files."""
    found = comparisons(audit)
    shown = [
        panel(audit, comparison, task)
        for comparison in found
        if not comparison.average
        for task in _tasks(comparison)
    ]
    shown += [
        groups_panel(audit, every, task)
        for every in beside_average(found)
        for task in _tasks(every[0])
    ]
    drawn = [one for one in shown if one.systems["mean"].count()]
    names = [
        "-".join(map(slug, (one.comparison.axis, one.task, *one.comparison.apart))) for one in drawn
    ]
    return zip(drawn, numbered(names), strict=True)


def paper_number(shown: FigurePanel) -> int | None:
    """Which of the paper's figures it is like: those are of two groups."""
    return None if shown.each else PAPER.get(shown.comparison.axis)


def _tasks(comparison: Comparison) -> list[str]:
    return sorted(comparison.compared.submissions["task"].unique())


# ---- the output folder: everything an audit leaves behind, each file whole or not at all


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
