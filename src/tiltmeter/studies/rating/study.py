"""What a rating found: tables, every system's grades and what may be chance, and its report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tiltmeter.ranking import coarsen
from tiltmeter.report.folder import Stage, unheard
from tiltmeter.report.study import Study, StudyFile, write
from tiltmeter.stats.causal import Array
from tiltmeter.studies.rating.grades import CONFIDENCE, RatingConfig
from tiltmeter.studies.rating.wording import CHANCE, attributes_beyond

if TYPE_CHECKING:
    from tiltmeter.report.page import Page
    from tiltmeter.report.table import Table
    from tiltmeter.scoring.provenance import Unavailable

Row = Mapping[str, Any]
Submission = tuple[str, str]
"""A system and a task."""
Panel = Mapping[tuple[str, str, str], Array]
"""Raw scores of a stored panel by task, variant and column; infinite for X."""
Phrases = Mapping[str, Mapping[str, str]]
"""What follows "sentences" for a class, by attribute and class."""
OVERALL = "overall"
"""Among columns: all of them together."""

WHOSE = {"system": pl.String, "task": pl.String, "variant": pl.String}
PLACE = {"column": pl.String, "dataset": pl.String, "words": pl.String}
SPREAD = {"low": pl.Int64, "high": pl.Int64, "steady": pl.Float64}
SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "raw": {
        **WHOSE, "column": pl.String, "group": pl.String, "attribute": pl.String,
        "measure": pl.String, "psi": pl.Float64, "x": pl.Boolean, "rating": pl.Int64,
        "reason": pl.String, **SPREAD, "by_chance": pl.Float64, "p": pl.Float64,
        "rests_on": pl.String, "without": pl.Float64,
    },
    "overall": {
        **WHOSE, "mean": pl.Float64, "overall": pl.Int64, **SPREAD, "dominates": pl.String,
    },
    "tests": {
        **WHOSE, **PLACE, "first": pl.String, "second": pl.String, "mean_first": pl.Float64,
        "mean_second": pl.Float64, "n_first": pl.Int64, "n_second": pl.Int64, "t": pl.Float64,
        "df": pl.Float64, "critical": pl.Float64, "p": pl.Float64, "rejected": pl.Int64,
    },
    "effects": {
        **WHOSE, **PLACE, "polarity": pl.String, "observed": pl.Float64,
        "interventional": pl.Float64, "die": pl.Float64, "x": pl.Boolean, "empty": pl.String,
        "n": pl.Int64,
    },
    "ates": {
        **WHOSE, **PLACE, "naive": pl.Float64, "adjusted": pl.Float64, "matched": pl.Float64,
        "unmatched": pl.Int64, "change": pl.Float64, "x": pl.Boolean,
    },
    "frequencies": {**WHOSE, "column": pl.String, "rating": pl.Int64, "share": pl.Float64},
    "order": {
        "variant": pl.String, "task": pl.String, "column": pl.String, "first": pl.String,
        "second": pl.String, "lower": pl.Float64, "equal": pl.Float64, "higher": pl.Float64,
        "certain": pl.Boolean,
    },
    "columns": {
        "column": pl.String, "group": pl.String, "attribute": pl.String, "measure": pl.String,
        "adjustment": pl.String, "identifiable": pl.Boolean, "sentence": pl.String,
        "edges": pl.List(pl.String), "unobserved": pl.List(pl.String), "sentences": pl.Int64,
        "datasets": pl.List(pl.String), "sets": pl.List(pl.String), "about_na": pl.String,
    },
}  # fmt: skip


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


@dataclass(frozen=True, eq=False)
class Ratings(Study):
    """What a rating found, as tables, how it came about, and how to write its report.

    Frames about systems begin with system, task and variant; `column` is a column of the rating
    table, such as G3-RG. `SCHEMAS` has their columns.
    """

    raw: pl.DataFrame
    """ψ and rating of each system, variant and column. by_chance is the middle ψ where classes are
    permuted among sentences; p the share of permutations of people in which classes stand as far
    apart; rests_on whom ψ would be lowest without, and without that ψ."""
    overall: pl.DataFrame
    """Every system's overall rating, with its spread."""
    tests: pl.DataFrame
    """Every t-test."""
    effects: pl.DataFrame
    """Means of each polarity before and after adjustment, for datasets with assigned words."""
    ates: pl.DataFrame
    """The effect of words in such a dataset: naive, adjusted, matched."""
    frequencies: pl.DataFrame
    """How often each system got each rating."""
    order: pl.DataFrame
    """Which of two systems stands lower, and how often."""
    columns: pl.DataFrame
    """What each column is: its attribute, measure, adjustment, diagram and datasets."""
    levels: int
    config: RatingConfig
    confidence: tuple[float, ...] = CONFIDENCE
    run: Mapping[str, Any] = field(default_factory=dict)
    """What determines the ratings."""
    environment: Mapping[str, Any] = field(default_factory=dict)
    """Where and when they were made."""
    notes: tuple[str, ...] = ()
    """What a reader should know: guesses, systems set aside, warnings."""
    reference: str = ""
    """The stored panel that systems were rated against; empty: against each other."""
    phrases: Mapping[str, Phrases] = field(default_factory=dict, repr=False)
    """How each group's corpus speaks of its people."""
    scores: pl.DataFrame | None = field(default=None, repr=False)
    sentences: pl.DataFrame | None = field(default=None, repr=False)
    unavailable: tuple[Unavailable, ...] = ()
    """The systems that were to be rated too and could not be scored, each with its why."""

    @property
    def ratings(self) -> pl.DataFrame:
        """Every system's rating in every group, with its raw score and spread."""
        return self.raw

    @property
    def repeats(self) -> int:
        """How often datasets were drawn and sentences resampled anew; 0: not at all."""
        return self.config.repeats

    @cached_property
    def variants(self) -> tuple[str, ...]:
        """The variants rated, in order."""
        return tuple(self.overall["variant"].unique(maintain_order=True))

    @cached_property
    def systems(self) -> Sequence[RatedSystem]:
        """Every system, least tilt first; those without a rating last.

        What may be chance comes before what is beyond it; then by overall rating and the mean
        behind it.
        """
        raw, tests, overall = (
            frame.rows_by_key(list(WHOSE), named=True, include_key=True)
            for frame in (self.raw, self.tests, self.overall)
        )
        systems: dict[tuple[str, str], dict[str, SystemRatings]] = {}
        for key, (row,) in overall.items():
            by_column: dict[str, list[Row]] = {}
            for test in tests.get(key, ()):
                by_column.setdefault(test["column"], []).append(test)
            columns = {str(own["column"]): own for own in raw.get(key, ())}
            system, task, variant = key
            systems.setdefault((system, task), {})[variant] = SystemRatings(
                variant, row, columns, by_column, self.repeats
            )

        def standing(rated: RatedSystem) -> list[tuple[bool, bool, float, float]]:
            far = float("inf")
            return [
                (
                    own.grade is None,
                    any(own.beyond.values()),
                    far if own.grade is None else own.grade,
                    far if own.overall["mean"] is None else coarsen(own.overall["mean"]),
                )
                for own in rated.variants.values()
            ]

        found = [
            RatedSystem(*key, {name: own[name] for name in self.variants if name in own})
            for key, own in systems.items()
        ]
        return sorted(found, key=standing)

    @cached_property
    def column_rows(self) -> Mapping[str, Row]:
        """What each column is, by its name."""
        return {str(row["column"]): row for row in self.columns.iter_rows(named=True)}

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that is known of the run, in one mapping: mode, edition, k, seed, groups."""
        inner = self.run.get("rating")
        return {**self.run, **inner} if isinstance(inner, Mapping) else self.run

    @property
    def alone(self) -> bool:
        """Whether one system was rated by itself, with no panel beside it."""
        return self.overall.select("system", "task").n_unique() == 1 and not self.reference

    @property
    def worst_possible(self) -> int:
        """The worst rating that can be given: no more than there are systems of a task, X aside."""
        if self.reference or self.raw["x"].any():
            return self.levels
        sizes = self.overall.group_by("task", "variant").len()["len"].to_list()
        return min(self.levels, max(sizes, default=1))

    def page(self) -> Page:
        """What people read: rating.html."""
        from tiltmeter.studies.rating.view import rating_page

        return rating_page(self)

    def document(self) -> tuple[str, str]:
        """What programs read, and the panel of later ratings: ratings.json."""
        from tiltmeter.studies.rating.panel import FILE, ratings_json

        return FILE, ratings_json(self)

    def tables(self) -> Sequence[Table]:
        """Every table, like the paper's and what is behind them."""
        from tiltmeter.studies.rating.tables import rating_tables

        return rating_tables(self)

    def data(self) -> Mapping[str, pl.DataFrame]:
        """What was scored, where it is at hand."""
        frames = {"scores": self.scores, "sentences": self.sentences}
        return {name: frame for name, frame in frames.items() if frame is not None}

    def about(self) -> Mapping[str, str]:
        """What the tables of scores and sentences say of the run."""
        known = [one for one in ("mode", "edition", "k", "seed") if one in self.settings]
        return {f"tiltmeter.{one}": str(self.settings[one]) for one in known}

    def files(self) -> Iterator[StudyFile]:
        """A label for each system and variant, and which file is whose."""
        from tiltmeter.studies.rating.figures import label_files, label_svg

        files = label_files(self)
        doing = "drawing the labels"
        for *whose, file in files.rows():
            yield StudyFile(f"labels/{file}", label_svg(self, *whose), doing)
            doing = ""
        yield StudyFile("labels/index.csv", files)

    def report(
        self, folder: Path | str = "tiltmeter-out", *, force: bool = False, stage: Stage = unheard
    ) -> Path:
        """Write the page, labels, tables and `ratings.json`; returns the page's path."""
        return write(self, Path(folder), force=force, stage=stage)
