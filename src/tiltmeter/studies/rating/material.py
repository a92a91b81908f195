"""What the report of a rating is made from, and one system's ratings at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from tiltmeter.studies.rating.wording import CHANCE, attributes_beyond, nothing_beyond

# ---- what the report of a rating is made from; numbers stay numbers here


CONTINUOUS, DISCRETISED = "continuous", "discretised"
OVERALL = "overall"
"""Among columns: all of them together."""
WRS, DIE, ATE = "wrs", "die", "ate"


Phrases = Mapping[str, Mapping[str, str]]
"""What follows "sentences" for a class, by attribute and class."""


@dataclass(frozen=True, eq=False)
class RatingMaterial:
    """The tables of a rating study, and how it was made.

    Frames that tell of systems begin with system, task and variant; `column` is a column of the
    rating table, such as G3-RG.
    """

    raw: pl.DataFrame
    """A row for each system, variant and column: psi, x, rating, reason, low, high, steady; also
    group, attribute, measure. by_chance is the middle psi where sentences are dealt out to classes
    by chance; p the share of chances, people dealt, in which classes stand as far apart; rests_on
    whom psi would be lowest without, and without that psi."""
    overall: pl.DataFrame
    """A row for each system and variant: mean, overall, low, high, steady, dominates."""
    tests: pl.DataFrame
    """A row for each t-test: column, dataset, words, first, second, mean_first, mean_second,
    n_first, n_second, t, df, p, rejected."""
    effects: pl.DataFrame
    """A row for each dataset with assigned words and polarity: observed, interventional, die, x,
    empty, n."""
    ates: pl.DataFrame
    """A row for each dataset with assigned words: naive, adjusted, matched, unmatched, change."""
    frequencies: pl.DataFrame
    """How often each system got each rating: column, rating, share."""
    order: pl.DataFrame
    """Which of two systems stands lower: variant, column, first, second, lower, equal, higher,
    certain."""
    columns: pl.DataFrame
    """A row for each column: group, attribute, measure, adjustment, identifiable, sentence, edges,
    unobserved, sentences, datasets, sets (as in "E3: grim, happy")."""
    levels: int
    repeats: int
    """How often datasets were drawn and sentences resampled anew; 0: not at all."""
    confidence: tuple[float, ...]
    weights: tuple[float, ...]
    run: Mapping[str, Any]
    """What determines the ratings: mode, edition, k, seed, raw, groups, systems, multiplicity."""
    environment: Mapping[str, Any]
    """Where and when they were made."""
    reference: str = ""
    """The panel that systems were rated against, where one was given."""
    phrases: Mapping[str, Phrases] = field(default_factory=dict)
    """How each group's corpus speaks of its people."""
    notes: tuple[str, ...] = field(default=())
    """What a reader should know: guesses, systems set aside, warnings."""

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants rated, in order."""
        return tuple(self.overall["variant"].unique(maintain_order=True))


def run_facts(material: RatingMaterial) -> Mapping[str, Any]:
    """What is said of the run, wherever it stands."""
    inner = material.run.get("rating")
    return {**material.run, **inner} if isinstance(inner, Mapping) else material.run


# ---- one system's ratings at a time, looked up once


Row = Mapping[str, Any]
Key = tuple[str, str]
"""A system and a task."""
MANY = 12
"""Systems above which a page shows rows instead of cards and draws one diagram for all."""


@dataclass(frozen=True, slots=True)
class SystemRatings:
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
    variants: Mapping[str, SystemRatings]

    @property
    def key(self) -> Key:
        """What tells it from the others."""
        return self.system, self.task

    @property
    def first(self) -> SystemRatings:
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


def rated_of(variant: str, overall: Row, rows: Sequence[Row], repeats: int) -> SystemRatings:
    """One system's ratings in one variant, from its rows."""
    return SystemRatings(variant, overall, {str(row["column"]): row for row in rows}, repeats)


def _standing(variants: Mapping[str, SystemRatings]) -> list[tuple[bool, bool, float, float]]:
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
