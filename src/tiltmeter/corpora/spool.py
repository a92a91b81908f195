"""A large table laid out in parts, so that it can be gone through again without being held.

A spool is a folder in the cache: numbered Parquet files, and `table.json` with the facts. It is
written aside and renamed once it is whole, so half of one is never taken for all of it.
"""

from __future__ import annotations

import json
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from polars.exceptions import PanicException, PolarsError

from tiltmeter.corpora.table_facts import TableFacts
from tiltmeter.errors import OutputError, TiltmeterError
from tiltmeter.files import cache_folder, os_error_text, write_frame, write_text

FACTS = "table.json"
ADVICE = (
    "a large table is first laid out there in parts; make room, or name another place with "
    "TILTMETER_CACHE=FOLDER"
)
FORGOTTEN = 24 * 3600
"""Seconds after which what a killed process left behind is removed."""


@dataclass(slots=True)
class Spool:
    """A folder of parts."""

    folder: Path
    parts: int = 0

    @property
    def name(self) -> str:
        """Where it lies within the cache."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    def add(self, rows: pl.DataFrame) -> None:
        """Write one more part."""
        write_frame(rows, self._part(self.parts))
        self.parts += 1

    def __call__(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """The parts in order, all columns or these."""
        for number in range(self.parts):
            path = self._part(number)
            try:
                yield pl.read_parquet(path, columns=None if columns is None else list(columns))
            except (OSError, PolarsError, PanicException) as error:
                what = (
                    f"{path}: a part of a large table is gone or damaged ({os_error_text(error)})"
                )
                raise TiltmeterError(f"{what}; run it again, and it is laid out anew") from error

    def inside(self, name: str) -> Spool:
        """An empty spool within this one."""
        folder = self.folder / name
        folder.mkdir()
        return Spool(folder)

    def take(self, other: Spool) -> None:
        """Hold the parts of a spool within this one instead of its own."""
        for number in range(self.parts):
            self._part(number).unlink()
        self.parts = other.parts
        for number in range(other.parts):
            other._part(number).replace(self._part(number))
        shutil.rmtree(other.folder)

    def keep(self, facts: TableFacts, key: str) -> Spool:
        """Give the spool its place, now that it is whole."""
        sizes = [self._part(number).stat().st_size for number in range(self.parts)]
        kept = {"parts": sizes, "facts": json.loads(facts.to_json())}
        write_text(json.dumps(kept, ensure_ascii=False), self.folder / FACTS)
        place = folder_of(key)
        if kept_spool(key) is None:
            damaged = self.folder / "damaged"
            with suppress(FileNotFoundError):
                place.rename(damaged)
                shutil.rmtree(damaged)
            try:
                self.folder.rename(place)
            except OSError:
                if kept_spool(key) is None:  # else another process was quicker, which is as well
                    raise
        return Spool(place, self.parts)

    def _part(self, number: int) -> Path:
        return self.folder / f"part-{number:05}.parquet"


def folder_of(key: str) -> Path:
    """Where a table with this key is laid out."""
    return cache_folder() / "tables" / key


def kept_spool(key: str) -> tuple[Spool, TableFacts] | None:
    """A table that was laid out before; None where there is none, or not all of it."""
    folder = folder_of(key)
    try:
        kept = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        spool = Spool(folder, len(kept["parts"]))
        facts = TableFacts.from_json(kept["facts"])
        sizes = [spool._part(number).stat().st_size for number in range(spool.parts)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return (spool, facts) if sizes == kept["parts"] else None


@contextmanager
def laying_out(key: str) -> Iterator[Spool]:
    """A spool to be filled beside its place; what is not kept is removed."""
    tables = folder_of(key).parent
    aside = tables / f".{key}.{secrets.token_hex(4)}"
    try:
        tables.mkdir(parents=True, exist_ok=True)
        aside.mkdir()
    except OSError as error:
        raise OutputError(
            f"{tables}: cannot be written: {os_error_text(error)}; {ADVICE}"
        ) from error
    _tidy(tables)
    try:
        yield Spool(aside)
    except OutputError as error:
        raise OutputError(f"{error}; {ADVICE}") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _tidy(tables: Path) -> None:
    """Remove what processes that were killed left a day ago."""
    for left in tables.glob(".*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > FORGOTTEN:
                shutil.rmtree(left)
