"""What all pairs of a large corpus come to, where a study holds only the largest of them."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tiltmeter.measures.people import People
from tiltmeter.measures.stats.grid import Grid
from tiltmeter.measures.stats.moments import Moments


@dataclass(frozen=True, eq=False, slots=True)
class Whole:
    """Sums over all pairs."""

    counts: pl.DataFrame
    """axis, contrast, first, second, pairs."""
    grids: tuple[Grid, ...]
    """How each contrast's differences are spread, in the order of `counts`."""
    words: pl.DataFrame
    """axis, contrast, template, emotion, emotion_word: a row for each column of `word_sums`."""
    word_sums: Moments
    matches: pl.DataFrame
    """axis, contrast, first, second, match: a row for each column of `match_sums`."""
    match_sums: Moments
    people: People
    left_out: tuple[str, ...] = ()
    """What would not fit, in words."""
