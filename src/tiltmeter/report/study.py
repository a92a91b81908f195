"""What every study is, and how its results are written: one shape, one writer.

A study ends in one object that holds what it found and can say it in every form. It names `Study`
as its base, which makes what it does not have empty:

    @dataclass(frozen=True, eq=False)
    class Comparison(Study):
        changes: pl.DataFrame
        run: Mapping[str, Any]                       # what determines the findings, for run.json
        environment: Mapping[str, Any]               # what may differ: versions, machine, time

        def page(self) -> Page: ...                     # its file is `page.file`
        def document(self) -> tuple[str, str]:          # the JSON for programs: name and text
            return "compare.json", json_document({"schema_version": 3, …}, {"changes": …})
        def tables(self) -> Sequence[Table]: ...        # tables/NAME.csv, .tex: `Table.files`
        def figures(self) -> Iterable[StudyFile]: ...   # figures/NAME.svg: `forest.svg()`
        def data(self) -> Mapping[str, pl.DataFrame]: ...   # NAME.parquet; lazy frames too
        def files(self) -> Iterable[StudyFile]: ...     # anything else: labels/, model-cards/

    path = write(study, folder, force=force, stage=progress.stage)

`write` checks whose the folder is, makes the page before it touches anything, and then writes each
file whole, in this order: page, document, data, tables, figures, files. run.json is its own. What a
`StudyFile` holds is made when its turn comes: give a function, where it is large or takes long, and
`stage` is told its `doing`. A study does not write; nothing of it knows the folder.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.report.folder import Stage, Writer, check_folder, results_in, unheard

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.records import Record
    from tiltmeter.report.page import Page
    from tiltmeter.report.table import Table


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A file that a study leaves behind."""

    name: str
    """Its place in the folder, as in figures/tilt.svg."""
    content: str | bytes | pl.DataFrame | Callable[[], str | bytes | pl.DataFrame]
    doing: str = ""
    """What is said while it is made."""


class Study(ABC):
    """What was found, and every form in which it is told."""

    run: Mapping[str, Any] | Record
    """What determines the findings: the same for the same scores, to the byte."""
    environment: Mapping[str, Any]
    """What may differ between two runs with the same findings."""

    @abstractmethod
    def page(self) -> Page:
        """What people read."""

    @abstractmethod
    def document(self) -> tuple[str, str]:
        """What programs read: the name of a JSON file, and its text."""

    def tables(self) -> Sequence[Table]:
        """Every table, for spreadsheets and for papers."""
        return ()

    def figures(self) -> Iterable[StudyFile]:
        """Figures as files."""
        return ()

    def data(self) -> Mapping[str, pl.DataFrame | pl.LazyFrame]:
        """Tables that other programs read on, by name without an ending; written as Parquet."""
        return {}

    def about(self) -> Mapping[str, str]:
        """What is written into every Parquet file of `data`: corpora, editions, samples."""
        return {}

    def files(self) -> Iterable[StudyFile]:
        """Whatever else stands in the folder."""
        return ()


def write(study: Study, folder: Path, *, force: bool = False, stage: Stage = unheard) -> Path:
    """Write everything a study leaves behind; the page's path is given back.

    A folder that holds something else needs `force`. What an earlier run wrote there is replaced.
    """
    from tiltmeter.report.page import render

    folder = Path(folder)
    check_folder(folder, force)
    stage("writing the page")
    page = study.page()  # before the first file: a failure leaves the folder as it was
    text = render(page)
    with results_in(folder, study.run, study.environment) as writer:
        writer.text(page.file, text)
        del text  # tens of megabytes for hundreds of systems
        writer.text(*study.document())
        about = study.about()
        for name, frame in study.data().items():
            writer.parquet(f"{name}.parquet", frame, about)
        stage("writing the tables")
        for table in study.tables():
            write_table(table, writer, about)
        for file in study.figures():
            write_file(file, writer, stage)
        for file in study.files():
            write_file(file, writer, stage)
    return folder / page.file


def write_table(table: Table, writer: Writer, about: Mapping[str, str]) -> None:
    """Write a table in each of its forms."""
    for ending in table.files:
        name = f"tables/{table.name}.{ending}"
        if ending == "tex":
            writer.text(name, table.latex())
        elif ending == "csv":
            writer.csv(name, table.frame)
        else:
            writer.parquet(name, table.frame, about)


def write_file(file: StudyFile, writer: Writer, stage: Stage = unheard) -> None:
    """Write any file, which may be made only now."""
    if file.doing:
        stage(file.doing)
    content = file.content() if callable(file.content) else file.content
    if isinstance(content, str):
        writer.text(file.name, content)
    elif isinstance(content, bytes):
        writer.data(file.name, content)
    else:
        writer.csv(file.name, content)
