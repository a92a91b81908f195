"""The output folder: everything an audit leaves behind, each file whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from tiltmeter.report.charts.figures import figures, figures_missing
from tiltmeter.report.html.pages import page
from tiltmeter.report.json_text import SCHEMA_VERSION, findings_json, indented
from tiltmeter.report.material import Material
from tiltmeter.report.ownership import MARK, TOOL, check_folder, digest_of, marked, remove_stale
from tiltmeter.report.slugs import unique_slugs
from tiltmeter.report.tables.csv_text import without_formulas
from tiltmeter.report.tables.groups import group_tables, run_tables
from tiltmeter.report.tables.latex import latex_tables
from tiltmeter.writing import write_aside, write_frame, write_text

Stage = Callable[[str], object]
"""Told what is being done, in a few words."""


def _unheard(_: str) -> None:
    """Say nothing."""


@dataclass(slots=True)
class Writer:
    """Writes into one folder and remembers what."""

    folder: Path
    written: list[str] = field(default_factory=list)

    def text(self, name: str, text: str) -> None:
        """Write a text."""
        write_text(text, self._place(name))

    def data(self, name: str, data: bytes) -> None:
        """Write bytes."""
        write_aside(self._place(name), lambda file: file.write(data))

    def csv(self, name: str, frame: pl.DataFrame) -> None:
        """Write a table for spreadsheets."""
        write_frame(without_formulas(frame), self._place(name))

    def parquet(self, name: str, frame: pl.DataFrame, about: Mapping[str, str]) -> None:
        """Write a table with what it is of."""
        write_frame(frame, self._place(name), about)

    def _place(self, name: str) -> Path:
        self.written.append(name)
        return self.folder / name


def write_folder(
    material: Material,
    scores: pl.DataFrame,
    sentences: pl.DataFrame,
    folder: Path,
    *,
    force: bool = False,
    individual: bool = False,
    stage: Stage = _unheard,
) -> None:
    """Write everything an audit leaves behind.

    A folder that holds something else needs `force`; `individual` adds a page per system; `stage`
    is told what is being done.
    """
    check_folder(folder, force)
    missing = figures_missing()
    shown = _saying(material, missing) if missing else material
    stage("writing the report")
    report = page(shown)  # before the first file, so that a failure leaves the folder as it was
    before, writer = marked(folder), Writer(folder)
    earlier = (before or {}).get("files", [])
    _write_mark(writer, material, earlier, complete=False)  # ours from here on, also if we stop
    writer.text("report.html", report)
    writer.text("findings.json", findings_json(material))
    _write_data(writer, material, scores, sentences)
    _write_tables(writer, material)
    for name, data in () if missing else figures(material):
        stage(f"drawing {name}")
        writer.data(f"figures/{name}", data)
    if individual:
        _write_individual(writer, shown, stage)
    remove_stale(folder, before, writer.written)
    _write_mark(writer, material, _digests(writer), complete=True)


def _saying(material: Material, missing: str) -> Material:
    """The material for a page that says what to install for its figures."""
    return replace(material, environment={**material.environment, "charts": missing})


def _write_data(
    writer: Writer, material: Material, scores: pl.DataFrame, sentences: pl.DataFrame
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


def _write_individual(writer: Writer, material: Material, stage: Stage) -> None:
    """A page for each system, and which file is whose."""
    every = pl.concat([one.submissions["system"] for one in material.compared])
    systems = every.unique(maintain_order=True).to_list()
    files = {system: f"{slug}.html" for system, slug in unique_slugs(systems).items()}
    for nth, (system, file) in enumerate(files.items(), 1):
        stage(f"writing the page of system {nth:,} of {len(files):,}")
        writer.text(f"individual/{file}", page(material, only=system))
    index = pl.DataFrame({"system": list(files), "file": list(files.values())})
    writer.csv("individual/index.csv", index)


def _digests(writer: Writer) -> list[dict[str, str]]:
    return [
        {"file": name, "sha256": digest_of(writer.folder / name)} for name in sorted(writer.written)
    ]


def _write_mark(writer: Writer, material: Material, files: object, *, complete: bool) -> None:
    """run.json: how the run came about, and every file with its digest.

    It stands there before the first file, so that a run that was stopped can be repeated into the
    same folder, and says whether the rest is whole.
    """
    told = {
        "schema_version": SCHEMA_VERSION,
        "tool": TOOL,
        "complete": complete,
        "environment": material.environment,
        "run": material.run,
        "files": files,
    }
    write_text(indented(told) + "\n", writer.folder / MARK)
