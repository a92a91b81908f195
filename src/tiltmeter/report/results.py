"""What a reproduction of the papers found, as tables; `html/reproduction/` makes the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl


@dataclass(frozen=True, slots=True)
class Results:
    """Reference systems trained anew: their skill, their tilt, and what the papers printed."""

    made: str
    """The day, as in 2026-11-16."""
    skill: pl.DataFrame
    """A row a model: language, task, system, recipe, train_rows, dev_pearson, test_n, test_pearson
    with _low and _high, test_spearman, test_mae."""
    published: pl.DataFrame
    """language, task, name, pearson, ours: the system of ours that is built alike, or null."""
    tilts: pl.DataFrame
    """language, corpus, title, system, task, axis, about_first, about_second, value, low, high,
    significance, spread, n: a row a comparison over all sentences."""
    words: pl.DataFrame | None = None
    """task, word, weight, texts, mean_score: what words that name people are worth to
    svm-unigrams-en."""
    reports: Mapping[str, str] = field(default_factory=dict)
    """By language, where the whole report of its audit stands."""
    left_out: tuple[str, ...] = ()
    """What could not be trained here, and what it would need."""
    failed: tuple[str, ...] = ()
    """Models that were to be trained and could not be, and why."""
    versions: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    effects: pl.DataFrame | None = None
    """table (3, 4 or 5 of the paper), language, corpus, title, system, recipe, task, axis,
    contrast, reference, measure, value, se, low, high, df, p, n, reason: the regressions of the
    systems that the paper has too."""
    published_effects: pl.DataFrame | None = None
    """table, language, corpus, name, recipe (ours that is built alike), task, axis, value, stars:
    what the paper prints of them; null where it cannot be read."""
    languages: pl.DataFrame | None = None
    """As in `Material`: one system's effects in two languages."""
    phrases: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """By axis and group: what follows "sentences", as in "about women"."""
