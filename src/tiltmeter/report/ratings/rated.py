"""One system's ratings at a time, looked up once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.report.ratings.beyond import CHANCE, attributes_beyond, nothing_beyond
from tiltmeter.report.ratings.material import RatingMaterial

Row = Mapping[str, Any]
Key = tuple[str, str]
"""A system and a task."""
MANY = 12
"""Systems above which a page shows rows instead of cards and draws one diagram for all."""


@dataclass(frozen=True, slots=True)
class Rated:
    """One system's ratings in one variant."""

    variant: str
    overall: Row
    columns: Mapping[str, Row]
    repeats: int = 0

    @property
    def grade(self) -> int | None:
        """The overall rating."""
        rating: int | None = self.overall["overall"]
        return rating

    @property
    def reasons(self) -> dict[str, list[str]]:
        """Why columns are not rated: each reason with its columns."""
        told: dict[str, list[str]] = {}
        for name, row in self.columns.items():
            if row["rating"] is None:
                told.setdefault(str(row["reason"] or "no reason given"), []).append(name)
        return told

    @property
    def beyond(self) -> dict[str, bool | None]:
        """By attribute, whether it goes beyond chance."""
        return attributes_beyond(self.columns.values(), self.repeats)

    @property
    def may_be_chance(self) -> bool:
        """Whether nothing behind a grade above 1 goes beyond chance."""
        return (self.grade or 1) > 1 and nothing_beyond(self.beyond)

    @property
    def shown_in(self) -> tuple[int, int | None, int]:
        """In how many columns anything shows, in how many beyond chance, and of how many."""
        rows = [row for row in self.columns.values() if row["rating"] is not None]
        found = [row for row in rows if row["x"] or row["psi"]]
        known = [row["p"] for row in found if row.get("p") is not None]
        beyond = sum(p <= CHANCE for p in known) if known else None
        return len(found), beyond, len(rows)


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """One system's ratings for one task, in every variant."""

    nth: int
    system: str
    task: str
    variants: Mapping[str, Rated]

    @property
    def key(self) -> Key:
        """What tells it from the others."""
        return self.system, self.task

    @property
    def first(self) -> Rated:
        """The variant that comes first."""
        return next(iter(self.variants.values()))


def subjects(material: RatingMaterial) -> list[Subject]:
    """Every system, least tilt first; those without a rating last."""
    keys = list(dict.fromkeys(material.overall.select("system", "task").rows()))
    columns = by_key(material.raw, "variant")
    overall = by_key(material.overall, "variant")
    made = [
        (
            key,
            {
                v: rated_of(v, overall[*key, v][0], columns.get((*key, v), []), material.repeats)
                for v in of_key
            },
        )
        for key in keys
        if (of_key := [v for v in material.variants if (*key, v) in overall])
    ]
    made.sort(key=lambda one: _standing(one[1]))
    return [Subject(nth, key[0], key[1], variants) for nth, (key, variants) in enumerate(made)]


def rated_of(variant: str, overall: Row, rows: Sequence[Row], repeats: int) -> Rated:
    """One system's ratings in one variant, from its rows."""
    return Rated(variant, overall, {str(row["column"]): row for row in rows}, repeats)


def _standing(variants: Mapping[str, Rated]) -> list[tuple[bool, bool, float, float]]:
    """What may be chance before what is beyond it; by overall rating, then the mean behind it."""
    far = float("inf")
    return [
        (
            row["overall"] is None,
            any(one.beyond.values()),
            far if row["overall"] is None else row["overall"],
            far if row["mean"] is None else row["mean"],
        )
        for one in variants.values()
        for row in (one.overall,)
    ]


def by_key(frame: pl.DataFrame, *more: str) -> dict[tuple[str, ...], list[Row]]:
    """Rows by system, task and further columns, in order."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in frame.iter_rows(named=True):
        found.setdefault(tuple(row[name] for name in ("system", "task", *more)), []).append(row)
    return found


def many_tasks(of: list[Subject]) -> bool:
    """Whether a system's name alone does not tell a row from another."""
    return len({one.task for one in of}) > 1
