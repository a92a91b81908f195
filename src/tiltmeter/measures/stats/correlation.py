"""Correlations of every system's predictions with the same gold scores, with 95 % intervals.

Rows are systems, columns are labelled texts; NaN marks a text that a system has no prediction for.
It is left out for that system and counted. NaN in a result: there is no correlation to give.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

FEWEST = 3
"""Two points always lie on a line, so fewer than three give no correlation."""
DUST = 1e-6
"""A standard deviation below this part of the scale counts as 0."""
REACH = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation for each system, arrays of shape (systems,); NaN where there is none."""

    n: Counts
    """Texts that have both a prediction and a gold score."""
    value: Array
    low: Array
    """NaN for n < 4, where no interval can be given."""
    high: Array


def pearson(predictions: Array, gold: Array) -> Correlation:
    """Pearson's r, with the interval tanh(atanh r ± 1.96 / √(n − 3)) of Fisher.

    >>> found = pearson(np.array([[1.0, 2.0, 4.0, 3.0]]), np.array([1.0, 2.0, 3.0, 4.0]))
    >>> round(float(found.value[0]), 4)  # Σ dx·dy / √(Σ dx² · Σ dy²) = 4 / √(5 · 5)
    0.8
    """
    wanted = _moving(predictions)
    n, r = _correlations(wanted, _shared(wanted, gold))
    return Correlation(_count(predictions), r, *_interval(r, n, np.ones_like(r)))


def spearman(predictions: Array, gold: Array) -> Correlation:
    """Spearman's ρ: Pearson's r of the ranks, ties given their average rank.

    The interval is tanh(atanh ρ ± 1.96 √((1 + ρ²/2) / (n − 3))), after Bonett and Wright (2000).

    >>> found = spearman(np.array([[1.0, 2.0, 9.0, 3.0]]), np.array([1.0, 2.0, 3.0, 4.0]))
    >>> round(float(found.value[0]), 4)
    0.8
    """
    wanted = _moving(predictions)
    n, r = _correlations(average_ranks(wanted), average_ranks(_shared(wanted, gold)))
    return Correlation(_count(predictions), r, *_interval(r, n, 1.0 + r * r / 2.0))


def average_ranks(values: Array) -> Array:
    """The ranks of each row's values, 1 for the smallest; equal ones share their average rank.

    >>> average_ranks(np.array([[3.0, 1.0, 3.0, np.nan]]))
    array([[2.5, 1. , 2.5, nan]])
    """
    order = np.argsort(values, axis=1)
    ascending = np.take_along_axis(values, order, axis=1)
    places = np.arange(values.shape[1])
    begins = np.ones(values.shape, bool)
    begins[:, 1:] = ascending[:, 1:] != ascending[:, :-1]
    ends = np.ones(values.shape, bool)
    ends[:, :-1] = begins[:, 1:]
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=1)
    last = np.where(ends, places, values.shape[1])[:, ::-1]
    last = np.minimum.accumulate(last, axis=1)[:, ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2.0 + 1.0, axis=1)
    return np.where(np.isnan(values), np.nan, ranks)


def is_constant(values: Array) -> NDArray[np.bool_]:
    """Which rows do not vary: a standard deviation within floating-point dust of the scale.

    Scores within −1..1 are on a scale as wide as 1; beyond it the largest answer says how wide.
    """
    n, deviations = _deviations(values)
    spread = _length(deviations) / np.sqrt(np.maximum(n, 1))
    known = ~np.isnan(values)
    largest = np.max(np.abs(values), axis=1, initial=0.0, where=known)
    smallest = np.min(values, axis=1, initial=np.inf, where=known)
    span = np.max(values, axis=1, initial=-np.inf, where=known) - smallest
    width = np.where(largest <= 1.0, 1.0, np.where(n > 0, span, 0.0))
    still: NDArray[np.bool_] = (n > 0) & (spread <= np.maximum(DUST * width, 1e-12 * largest))
    return still


def _moving(predictions: Array) -> Array:
    """The predictions, all NaN for a system whose answers do not vary."""
    return np.where(is_constant(predictions)[:, None], np.nan, predictions)


def _shared(predictions: Array, gold: Array) -> Array:
    """The gold scores once for each system, NaN where it has no prediction."""
    return np.where(np.isnan(predictions), np.nan, gold[None, :])


def _count(predictions: Array) -> Counts:
    n: Counts = np.count_nonzero(~np.isnan(predictions), axis=1)
    return n


def _deviations(values: Array) -> tuple[Counts, Array]:
    """How many values each row has, and how far each stands from its row's mean."""
    n = _count(values)
    mean = np.nansum(values, axis=1) / np.maximum(n, 1)
    return n, values - mean[:, None]


def _correlations(x: Array, y: Array) -> tuple[Counts, Array]:
    """Σ dx·dy / √(Σ dx² · Σ dy²) by row, never beyond ±1; NaN where either side does not vary."""
    (n, dx), (_, dy) = _deviations(x), _deviations(y)
    of_x, of_y = _length(dx), _length(dy)
    varies = (n >= FEWEST) & (of_x > 0) & (of_y > 0) & ~is_constant(y)
    x_unit, y_unit = (
        d / np.where(varies, length, np.nan)[:, None] for d, length in ((dx, of_x), (dy, of_y))
    )
    r = np.where(varies, np.nansum(x_unit * y_unit, axis=1), np.nan)
    return n, np.clip(r, -1.0, 1.0)


def _length(deviations: Array) -> Array:
    """√Σd² by row; by way of the largest, so that no square is too large or too small."""
    known = ~np.isnan(deviations)
    largest = np.max(np.abs(deviations), axis=1, initial=0.0, where=known)
    parts = deviations / np.where(largest > 0, largest, 1.0)[:, None]
    length: Array = largest * np.sqrt(np.nansum(parts * parts, axis=1))
    return length


def _interval(r: Array, n: Counts, variance: Array) -> tuple[Array, Array]:
    """tanh(atanh r ± 1.96 √(variance / (n − 3)))."""
    free = np.where(n > FEWEST, n - FEWEST, np.nan)
    reach = REACH * np.sqrt(variance / free)
    with np.errstate(divide="ignore"):  # r = ±1 is infinitely far out, and stays ±1
        z = np.arctanh(r)
    return np.tanh(z - reach), np.tanh(z + reach)
