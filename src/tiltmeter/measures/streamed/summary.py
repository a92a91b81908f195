"""What is known of every submission's scores once all have been seen: the first pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.matrix import NATIVE, PRECISION, SCALE
from tiltmeter.measures.stats.moments import Moments, moments, nothing, together

Array = NDArray[np.float64]


class ScoreSummary:
    """Sums over all sentences, a row a submission."""

    def __init__(self, many: int) -> None:
        self._moments, self._size = nothing(many, 1), 0

    def add(self, values: Array) -> None:
        """Take a block's answers, (submissions, sentences), as the systems gave them."""
        here = moments(values, np.zeros(values.shape[1], np.int64), 1)
        self._moments = together(self._moments, here)
        self._size += values.shape[1]

    def submissions(self, keys: pl.DataFrame, widths: Sequence[float | None]) -> pl.DataFrame:
        """As `score_matrix` gives them: system, task, unit, width, sd, n_missing.

        `keys` has system and task; `widths` how long each one's scale is, None where none is known.
        A submission without any answer is in units of its own.
        """
        found = self._moments
        n = found.n[:, 0]
        known = np.array([width is not None for width in widths], bool) & (n > 0)
        divisor = np.where(known, np.array([width or 1.0 for width in widths]), 1.0)
        sd = np.sqrt(found.m2[:, 0] / np.maximum(n - 1, 1)) / divisor
        return keys.with_columns(
            unit=pl.Series(np.where(known, SCALE, NATIVE), dtype=pl.String),
            width=pl.Series(np.where(known, 1.0, _width(found)), dtype=pl.Float64),
            sd=pl.Series(sd, dtype=pl.Float64),
            n_missing=pl.Series((self._size - n).astype(np.int64)),
        )


def _width(found: Moments) -> Array:
    """What an unknown scale must hold at least: the largest answer minus the smallest."""
    top, bottom = found.top[:, 0], found.bottom[:, 0]
    largest = np.maximum(np.abs(top), np.abs(bottom))
    with np.errstate(invalid="ignore"):
        return np.where(top >= bottom, np.maximum(top - bottom, PRECISION * largest), 0.0)
