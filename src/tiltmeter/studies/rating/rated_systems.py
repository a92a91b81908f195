"""One system's ratings at a time: its grades, what is behind them, and what may be chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tiltmeter.studies.rating.wording import CHANCE, attributes_beyond

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.studies.rating.study import Ratings

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SystemRatings:
    """One system's ratings in one variant."""

    variant: str
    overall: Row
    columns: Mapping[str, Row]
    tests: Mapping[str, Sequence[Row]]
    """The t-tests of each column that has some."""
    repeats: int = 0

    @property
    def grade(self) -> int | None:
        """The overall rating."""
        rating: int | None = self.overall["overall"]
        return rating

    @property
    def reasons(self) -> dict[str, list[str]]:
        """Why columns are not rated: each reason with its columns."""
        found: dict[str, list[str]] = {}
        for name, row in self.columns.items():
            if row["rating"] is None:
                found.setdefault(str(row["reason"] or "no reason given"), []).append(name)
        return found

    @property
    def beyond(self) -> dict[str, bool | None]:
        """By attribute, whether it goes beyond chance."""
        return attributes_beyond(self.columns.values(), self.repeats)

    @property
    def may_be_chance(self) -> bool:
        """Whether nothing behind a grade above 1 goes beyond chance."""
        known = [sure for sure in self.beyond.values() if sure is not None]
        return (self.grade or 1) > 1 and bool(known) and not any(known)

    @property
    def span(self) -> str:
        """The grades that repeats span, where they are several: 1 to 3."""
        low, high = self.overall["low"], self.overall["high"]
        return "" if low is None or low == high else f"{low} to {high}"

    @property
    def detected_in(self) -> tuple[int, int | None, int]:
        """In how many columns anything shows, in how many beyond chance, and of how many."""
        rows = [row for row in self.columns.values() if row["rating"] is not None]
        found = [row for row in rows if row["x"] or row["psi"]]
        known = [row["p"] for row in found if row.get("p") is not None]
        beyond = sum(p <= CHANCE for p in known) if known else None
        return len(found), beyond, len(rows)


@dataclass(frozen=True, slots=True, eq=False)
class RatedSystem:
    """One system's ratings for one task, in every variant."""

    system: str
    task: str
    variants: Mapping[str, SystemRatings]

    @property
    def first(self) -> SystemRatings:
        """The variant that comes first."""
        return next(iter(self.variants.values()))


def rated_systems(study: Ratings) -> list[RatedSystem]:
    """Every system, least tilt first; those without a rating last.

    What may be chance comes before what is beyond it; then by overall rating and the mean behind
    it.
    """

    def by_key(frame: pl.DataFrame) -> dict[tuple[str, ...], list[Row]]:
        found: dict[tuple[str, ...], list[Row]] = {}
        for row in frame.iter_rows(named=True):
            found.setdefault((row["system"], row["task"], row["variant"]), []).append(row)
        return found

    raw, tests = by_key(study.raw), by_key(study.tests)
    systems: dict[tuple[str, str], dict[str, SystemRatings]] = {}
    for key, (overall,) in by_key(study.overall).items():
        by_column: dict[str, list[Row]] = {}
        for row in tests.get(key, ()):
            by_column.setdefault(row["column"], []).append(row)
        columns = {str(row["column"]): row for row in raw.get(key, ())}
        system, task, variant = key
        systems.setdefault((system, task), {})[variant] = SystemRatings(
            variant, overall, columns, by_column, study.repeats
        )

    def standing(one: RatedSystem) -> list[tuple[bool, bool, float, float]]:
        far = float("inf")
        return [
            (
                rated.grade is None,
                any(rated.beyond.values()),
                far if rated.grade is None else rated.grade,
                far if rated.overall["mean"] is None else rated.overall["mean"],
            )
            for rated in one.variants.values()
        ]

    found = [
        RatedSystem(*key, {name: own[name] for name in study.variants if name in own})
        for key, own in systems.items()
    ]
    return sorted(found, key=standing)
