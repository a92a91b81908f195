"""Systems' answers to some labelled texts, the numbers of agreement, and how they vary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.stats.bootstrap import mean_draws, pearson_draws, spearman_draws
from tiltmeter.measures.stats.correlation import FEWEST, is_constant, pearson, spearman

Array = NDArray[np.float64]
Numbers = Mapping[str, Array]
"""By measure: arrays with a row for each system."""

CORRELATION, SCALE = "correlation", "scale"
UNITS = {"pearson": CORRELATION, "spearman": CORRELATION, "mae": SCALE, "mean_error": SCALE}
"""The measures and their units. mae: mean |score − gold|; mean_error: mean score − gold."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Labelled texts and what every system answered; NaN where it has no answer."""

    answers: Array
    """(systems, texts), as given."""
    scores: Array
    """(systems, texts), on 0 to 1; NaN throughout where the scale is not known."""
    gold: Array
    """(texts,)."""

    def at(self, texts: NDArray[np.int64]) -> Sample:
        """Some of the texts."""
        return Sample(self.answers[:, texts], self.scores[:, texts], self.gold[texts])

    @property
    def n(self) -> NDArray[np.int64]:
        """How many texts each system has an answer to."""
        found: NDArray[np.int64] = np.count_nonzero(~np.isnan(self.answers), axis=1)
        return found

    @property
    def gold_sd(self) -> Array:
        """The spread of the gold scores of the texts that each system has an answer to."""
        known = ~np.isnan(self.answers)
        mean = (known * self.gold).sum(axis=1) / np.maximum(self.n, 1)
        squares = np.where(known, self.gold - mean[:, None], 0.0) ** 2
        sd: Array = np.sqrt(squares.sum(axis=1) / np.where(self.n > 1, self.n - 1, np.nan))
        return sd

    def numbers(self) -> Numbers:
        """Every measure for every system, (systems,); NaN where there are fewer than three texts.

        >>> sample = Sample(*2 * (np.array([[0.2, 0.4, 0.9]]),), np.array([0.1, 0.5, 0.9]))
        >>> {name: round(float(value[0]), 3) for name, value in sample.numbers().items()}
        {'pearson': 0.971, 'spearman': 1.0, 'mae': 0.067, 'mean_error': 0.0}
        """
        once = np.ones((len(self.gold), 1))
        found = {
            "pearson": pearson(self.answers, self.gold).value,
            "spearman": spearman(self.answers, self.gold).value,
            **{name: draws[:, 0] for name, draws in self._errors(once).items()},
        }
        enough = self.n >= FEWEST
        return {name: np.where(enough, value, np.nan) for name, value in found.items()}

    def draws(self, counts: Array) -> Numbers:
        """Every measure in every resample, (systems, resamples); counts are (texts, resamples)."""
        return {
            "pearson": pearson_draws(self.answers, self.gold, counts),
            "spearman": spearman_draws(self.answers, self.gold, counts),
            **self._errors(counts),
        }

    def _errors(self, counts: Array) -> Numbers:
        off = self.scores - self.gold
        return {"mae": mean_draws(np.abs(off), counts), "mean_error": mean_draws(off, counts)}

    def why_not(self, row: int, measure: str, no_scale: str) -> str:
        """Why a system has no number here; `no_scale` where it has no scores from 0 to 1."""
        n, total = int(self.n[row]), len(self.gold)
        if n < FEWEST:
            have = f"{n:,} of {total:,} texts have a score" if n < total else f"{n:,} texts"
            return f"{have}; at least {FEWEST} are needed"
        if UNITS[measure] == SCALE:
            return no_scale
        if is_constant(self.answers)[row]:
            return "its scores are all the same, so no correlation can be given"
        return "the gold scores are all the same, so no correlation can be given"
