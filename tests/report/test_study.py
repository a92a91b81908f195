"""Any study is written into a folder by one writer; its JSON has a line for each record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from markupsafe import Markup

from tiltmeter.errors import OutputError
from tiltmeter.files import file_digest
from tiltmeter.report.json_files import json_document
from tiltmeter.report.page import Page, Section
from tiltmeter.report.study import Study, StudyFile, write
from tiltmeter.report.table import Table


@dataclass(frozen=True, eq=False)
class Small(Study):
    """A study of next to nothing."""

    run: Mapping[str, Any] = field(default_factory=lambda: {"seed": 1})
    environment: Mapping[str, Any] = field(default_factory=dict)
    labels: Sequence[StudyFile] = ()
    names: tuple[str, ...] = ("a",)

    def page(self) -> Page:
        """A page without sections."""
        return Page("compare.html", "Why?", Section("answer", "", body=Markup("<p>So.</p>")))

    def document(self) -> tuple[str, str]:
        """A document of one list."""
        return "compare.json", json_document({"run": self.run}, {"rows": [{"a": 1 / 3}]})

    def tables(self) -> Sequence[Table]:
        """Tables in every form."""
        frame = pl.DataFrame({"system": ["=x"], "value": [0.5]})
        return [Table(name, frame, files=("csv", "tex", "parquet")) for name in self.names]

    def data(self) -> Mapping[str, pl.DataFrame | pl.LazyFrame]:
        """A table in memory and one that need not be."""
        return {"scores": pl.DataFrame({"x": [1]}), "sentences": pl.LazyFrame({"x": [2]})}

    def about(self) -> Mapping[str, str]:
        """What they are of."""
        return {"tiltmeter.corpus": "eec"}

    def files(self) -> Iterable[StudyFile]:
        """What a test asks for."""
        return self.labels


def test_everything_is_written_and_listed(tmp_path: Path) -> None:
    said: list[str] = []
    labels = (
        StudyFile("labels/a.svg", "<svg/>"),
        StudyFile("figures/a.png", lambda: b"png", "drawing a"),
        StudyFile("labels/index.csv", pl.DataFrame({"file": ["a.svg"]})),
    )
    path = write(Small(labels=labels), tmp_path / "out", stage=said.append)
    assert path == tmp_path / "out" / "compare.html"
    told = json.loads((tmp_path / "out" / "run.json").read_text())
    assert told["complete"]
    assert told["run"] == {"seed": 1}
    assert [one["file"] for one in told["files"]] == [
        "compare.html", "compare.json", "figures/a.png", "labels/a.svg", "labels/index.csv",
        "scores.parquet", "sentences.parquet", "tables/a.csv", "tables/a.parquet", "tables/a.tex",
    ]  # fmt: skip
    assert all(file_digest(path.parent / one["file"]) == one["sha256"] for one in told["files"])
    assert said == ["writing the page", "writing the tables", "drawing a"]
    assert (path.parent / "tables" / "a.csv").read_text() == "system,value\n'=x,0.5\n"
    assert pl.read_parquet_metadata(path.parent / "sentences.parquet")["tiltmeter.corpus"] == "eec"


def test_what_an_earlier_run_wrote_goes(tmp_path: Path) -> None:
    write(Small(names=("a", "b")), tmp_path)
    (tmp_path / "mine.txt").write_text("theirs")
    write(Small(), tmp_path)
    assert not (tmp_path / "tables" / "b.csv").exists()
    assert (tmp_path / "tables" / "a.csv").exists()
    assert (tmp_path / "mine.txt").exists()


def test_a_folder_that_is_not_ours_needs_force(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("theirs")
    with pytest.raises(OutputError, match="force=True"):
        write(Small(), tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["mine.txt"]
    write(Small(), tmp_path, force=True)


def test_a_page_that_fails_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    class Broken(Small):
        def page(self) -> Page:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write(Broken(), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_run_that_stops_says_so(tmp_path: Path) -> None:
    def stopped() -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(Small(labels=(StudyFile("labels/a.svg", stopped),)), tmp_path)
    assert not json.loads((tmp_path / "run.json").read_text())["complete"]


def test_records_over_several_lines() -> None:
    record = {"name": "glove", "size": float("nan"), "lists": [{"a": 1}, {"a": 2}], "links": []}
    made = json_document({"n": 1}, {"embeddings": [record], "lines": ['{"b": 1}']}, {"embeddings"})
    assert made == (
        '{\n  "n": 1,\n  "embeddings": [\n    {\n      "name": "glove",\n      "size": null,\n'
        '      "lists": [\n        {"a": 1},\n        {"a": 2}\n      ],\n      "links": []\n'
        '    }\n  ],\n  "lines": [\n    {"b": 1}\n  ]\n}\n'
    )
    assert json.loads(made)["embeddings"][0]["size"] is None
