"""Results written into a folder: every file remembered, and run.json first and last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.files import (
    file_digest,
    sync_files,
    write_aside,
    write_frame,
    write_text,
)
from tiltmeter.records import Record
from tiltmeter.report.alone import alone_in
from tiltmeter.report.json_text import SCHEMA_VERSION, indented
from tiltmeter.report.ownership import MARK, TOOL, marked, remove_stale

Stage = Callable[[str], object]
"""Told what is being done, in a few words."""


def unheard(_: str) -> None:
    """Say nothing."""


@dataclass(slots=True)
class Writer:
    """Writes into one folder and remembers what; `digests` then puts all of it on disk."""

    folder: Path
    written: list[str] = field(default_factory=list)

    def text(self, name: str, text: str) -> None:
        """Write a text."""
        write_text(text, self._place(name), durable=False)

    def data(self, name: str, data: bytes) -> None:
        """Write bytes."""
        write_aside(self._place(name), lambda file: file.write(data), durable=False)

    def csv(self, name: str, frame: pl.DataFrame) -> None:
        """Write a table for spreadsheets."""
        write_frame(frame, self._place(name), durable=False)

    def parquet(self, name: str, frame: pl.DataFrame, about: Mapping[str, str]) -> None:
        """Write a table with what it is of."""
        write_frame(frame, self._place(name), about, durable=False)

    def lazy_parquet(self, name: str, frame: pl.LazyFrame, about: Mapping[str, str]) -> None:
        """Write a table that need not fit into memory."""
        write_frame(frame, self._place(name), about, durable=False)

    def digests(self) -> list[dict[str, str]]:
        """Every file written, now on disk, with its digest."""
        sync_files([self.folder / name for name in self.written])
        return [
            {"file": name, "sha256": file_digest(self.folder / name)}
            for name in sorted(self.written)
        ]

    def _place(self, name: str) -> Path:
        self.written.append(name)
        return self.folder / name


@contextmanager
def results_in(
    folder: Path, run: Mapping[str, Any] | Record, environment: Mapping[str, Any]
) -> Iterator[Writer]:
    """Write a run's results in this: what an earlier run left and this one did not is removed.

    run.json stands there before the first file, so that a run that was stopped can be repeated
    into the same folder, and says whether the rest is whole. Two runs write one after the other.
    """
    with alone_in(folder):
        before, writer = marked(folder), Writer(folder)
        told = {
            "schema_version": SCHEMA_VERSION,
            "tool": TOOL,
            "complete": False,
            "environment": environment,
            "run": run,
            "files": (before or {}).get("files", []),
        }
        _mark(folder, told)  # ours from here on, also if we stop
        yield writer
        remove_stale(folder, before, writer.written)
        _mark(folder, {**told, "complete": True, "files": writer.digests()})


def _mark(folder: Path, told: Mapping[str, Any]) -> None:
    """run.json: how the run came about, and every file with its digest."""
    write_text(indented(told) + "\n", folder / MARK)
