"""What was read of stored outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from tiltmeter.corpora.rating_results.datasets import Datasets

Ranges = Mapping[str, tuple[float, float]]
"""The lowest and the highest score by system; without those that answered nothing."""
Split = Callable[[Ranges], Mapping[str, float]]
"""From ranges to the score of each system above which one counts as positive."""


def nowhere(_: Ranges) -> Mapping[str, float]:
    """No split: any scores may be taken together."""
    return {}


@dataclass(frozen=True, slots=True)
class RatingResults:
    """What systems answered, sentence by sentence, or counted where there are many."""

    rows: pl.DataFrame
    """system, group, words, an axis each (null: NA), emotion_word, polarity, raw (null: missing);
    and text, file, line. Where sentences are counted, instead of those: n, how many there are, raw
    being their mean; spread, Σ (score − mean)²; like, the same number where rows differ in nothing
    but people's groups."""
    notes: tuple[str, ...]
    """What was guessed, counted and left out, for people."""
    confounded: Datasets
    ranges: Ranges
    axes: tuple[str, ...]
    """Those on which somebody has a value."""

    @property
    def counted(self) -> bool:
        """Whether a row stands for many sentences."""
        return "n" in self.rows.columns

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order of their names."""
        return tuple(sorted(set(self.rows["system"])))

    @property
    def datasets(self) -> tuple[tuple[str, str], ...]:
        """Group and set of words of each dataset, in order."""
        return tuple(sorted(self.confounded))


def ranges_of(tallies: pl.DataFrame) -> Ranges:
    """The lowest and the highest score by system."""
    answered = tallies.drop_nulls("low").group_by("system")
    found = answered.agg(pl.col("low").min(), pl.col("high").max())
    return {system: (low, high) for system, low, high in found.sort("system").rows()}
