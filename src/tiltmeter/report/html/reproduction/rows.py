"""Tables of the page of a reproduction: rows, cells, and the words they share."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tiltmeter.report.regression_names import LANGUAGES as LANGUAGES

TASKS = ("anger", "fear", "joy", "sadness", "valence")
MARKS = {"up": "▲", "down": "▼"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a table: what is shown, what stands below it, and how it is marked."""

    text: str
    below: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table."""

    name: str
    cells: tuple[Cell, ...]
    published: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A table with a title and what it comes to, in words."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    says: tuple[str, ...] = ()
    link: str = ""


def languages_of(frame: pl.DataFrame) -> list[str]:
    """The languages of a table, in its order."""
    return frame["language"].unique(maintain_order=True).to_list()


def tasks_of(frame: pl.DataFrame) -> list[str]:
    """The tasks of a table, in the papers' order."""
    there = set(frame["task"])
    return [task for task in TASKS if task in there]
