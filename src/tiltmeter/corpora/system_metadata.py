"""What an organiser knows of the systems: a table of team, algorithm, features and the like."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tiltmeter.columns import columns_called
from tiltmeter.errors import CorpusError, Problem
from tiltmeter.files import file_digest
from tiltmeter.table_files import read_table, table_in_hand

ALIASES = ("system", "team", "name")
"""What the column with the systems' names may be called, the best one first."""
SUBJECT = "the table about the systems cannot be used"
IN_HAND = "meta"


@dataclass(frozen=True, slots=True)
class SystemMetadata:
    """A row for each system."""

    name: str
    frame: pl.DataFrame
    """system first, then the columns as they stand in the table, all as text."""
    sha256: str
    notes: tuple[str, ...] = ()


def read_system_metadata(given: Path | str | pl.DataFrame) -> SystemMetadata:
    """Read what is known of systems from a CSV, TSV, JSONL or Parquet file, or a table."""
    if isinstance(given, pl.DataFrame):
        table = table_in_hand(given, IN_HAND)
        digest = hashlib.sha256(repr(table.frame.rows()).encode()).hexdigest()
    else:
        path = Path(given)
        table = read_table(path, subject=SUBJECT)
        digest = file_digest(path)
    columns = table.frame.columns
    found = [
        name
        for alias in ALIASES
        for name in sorted(columns_called(columns, [alias]), key=alias.__ne__)[:1]
        if table.frame[name].dtype == pl.String
    ]
    if not found:
        what = f"no column names the systems; expected system (or {', '.join(ALIASES[1:])})"
        raise CorpusError(SUBJECT, [Problem(table.at(), f"{what}; there are {', '.join(columns)}")])
    column = found[0]
    if nested := [one.name for one in table.frame if one.dtype != pl.String]:
        what = f"the column {nested[0]!r} holds {table.frame[nested[0]].dtype}; expected text"
        raise CorpusError(SUBJECT, [Problem(table.at(), f"{what}, several words parted by ;")])
    names = table.frame[column].str.strip_chars().replace("", None)
    rest = [name for name in table.frame.columns if name not in (column, "system")]
    frame = pl.DataFrame([names.alias("system"), *table.frame.select(rest)])
    problems = list[Problem]()
    if not rest:
        what = "found only the systems' names; expected what is known of them, such as algorithm"
        problems.append(Problem(table.at(), what))
    problems += table.empty(table.lines.filter(names.is_null()), "the system", "a name")
    problems += table.repeated(names, "system", "one row for each", "systems")
    if problems:
        raise CorpusError(SUBJECT, problems)
    guessed = () if column == "system" else (f"{table.path.name}: system ← {column}",)
    return SystemMetadata(table.path.name, frame, digest, (*guessed, *table.notes))
