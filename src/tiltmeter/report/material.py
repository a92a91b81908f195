"""What a report is made from: tables, both sides of every pair, and how it was measured.

Numbers stay numbers here; they become text where they are shown. `flow` fills these records; the
report room knows no other room.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AxisWords:
    """An axis, its groups, and how each group's sentences are spoken of."""

    name: str
    groups: tuple[str, ...]
    phrases: Mapping[str, str]
    """By group: what follows "sentences", as in "about women"."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One corpus' comparisons: a row of the arrays is a submission, a column a pair."""

    name: str
    title: str
    edition: str
    language: str
    direction: str
    """ltr or rtl."""
    checksum: str
    size: int
    """Sentences."""
    axes: tuple[AxisWords, ...]
    submissions: pl.DataFrame
    """system, task, unit (scale or native), width, sd, n_missing."""
    pairs: pl.DataFrame
    """axis, contrast, first, second, frame, match, template, emotion, emotion_word, n_first,
    n_second, text_first, text_second: an example sentence of either side."""
    first: Array
    """(submissions, pairs): average score of the first group's sentences, NaN where missing."""
    second: Array
    deltas: Array
    """first − second without floating-point dust."""
    people: pl.DataFrame
    """person, match, one column per axis, n."""
    deviations: Array
    """(submissions, people): how far a person's sentences stand from their match's average."""
    pivots: pl.DataFrame | None = None
    """system, task, axis, contrast, person, value, without: the mean difference over all sentences
    without the person it depends on most."""
    sample: str = ""
    """What was drawn, where only a part of the corpus was scored."""
    notes: tuple[str, ...] = ()

    def phrase(self, axis: str, group: str) -> str:
        """How a group's sentences are spoken of: `about women`."""
        words = next((one.phrases for one in self.axes if one.name == axis), {})
        return words.get(group, f"marked “{group}”")


@dataclass(frozen=True, slots=True)
class Material:
    """Everything a report shows."""

    estimates: pl.DataFrame
    findings: pl.DataFrame
    compared: tuple[Compared, ...]
    run: Mapping[str, Any]
    """What determines the findings, as run.json holds it."""
    environment: Mapping[str, Any] = field(default_factory=dict)
    """Versions, machine, command and time."""
    subset: str = "all"
    """What the page puts first."""
    skill: pl.DataFrame | None = None
    """system, task, gold, n, pearson, pearson_low, pearson_high, spearman, spearman_low,
    spearman_high, rank; None without gold scores."""
    meta: pl.DataFrame | None = None
    """system and what else an organiser knows of it: team, algorithm, features, …"""
    notes: pl.DataFrame | None = None
    """system, task, corpus, note: what is worth knowing of each submission."""
