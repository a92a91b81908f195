"""What the report of a rating is made from; numbers stay numbers here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

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
