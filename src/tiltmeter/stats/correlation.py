"""Correlations of systems' predictions with the same gold scores, and their influence functions.

Rows are systems, columns are labelled texts; NaN marks a text that a system has no prediction
for. It is left out for that system and counted. NaN in a result: there is no correlation to
give.
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
    n, deviations = _correlation_deviations(values)
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


def _correlation_deviations(values: Array) -> tuple[Counts, Array]:
    """How many values each row has, and how far each stands from its row's mean."""
    n = _count(values)
    mean = np.nansum(values, axis=1) / np.maximum(n, 1)
    return n, values - mean[:, None]


def _correlations(x: Array, y: Array) -> tuple[Counts, Array]:
    """Σ dx·dy / √(Σ dx² · Σ dy²) by row, never beyond ±1; NaN where either side does not vary."""
    (n, dx), (_, dy) = _correlation_deviations(x), _correlation_deviations(y)
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


# Rows are systems, columns labelled texts; NaN marks a text that a system has no answer to. The
# squares of a row add up to the variance of its atanh r (the infinitesimal jackknife, Efron 1982),
# those of the difference of two rows to that of the difference: systems share their texts.

NEAR_ONE = 1e-9
"""A correlation is no nearer to ±1, where atanh has no end."""


def bounded_atanh(r: Array) -> Array:
    """Fisher's atanh r, also where r is ±1."""
    bounded: Array = np.arctanh(np.clip(r, NEAR_ONE - 1.0, 1.0 - NEAR_ONE))
    return bounded


def pearson_influence(answers: Array, gold: Array) -> Array:
    """Of Pearson's r: (z_x z_y − r (z_x² + z_y²) / 2) / (1 − r²) / n, z in standard deviations.

    √(n (n − 3)) stands for n, as in Fisher's interval.

    >>> found = pearson_influence(np.array([[1.0, 2.0, 4.0, 3.0]]), np.array([1.0, 2.0, 3.0, 4.0]))
    >>> abs(round(float(found.sum()), 12))  # deviations from a mean
    0.0
    """
    known = ~np.isnan(answers)
    x, y = (
        _influence_deviations(values, known) for values in (answers, np.where(known, gold, 0.0))
    )
    return _influence(x * y, x * x, y * y, known)


def spearman_influence(answers: Array, gold: Array) -> Array:
    """Of Spearman's ρ, ties at their average rank: a text also moves the ranks of the others.

    With F a share of ranks, the product's is (F − ½)(G − ½) − C, and E[1(x < X)(G − ½)] − C for the
    ranks in x that it moves, likewise in y (Croux and Dehon 2010, without ties).
    """
    known = ~np.isnan(answers)
    truth = np.where(known, gold, np.nan)
    n = np.maximum(known.sum(axis=1, keepdims=True), 1)
    x, y = (
        np.where(known, (average_ranks(values) - 0.5) / n - 0.5, 0.0) for values in (answers, truth)
    )
    moved = _above_mean(answers, y, n) + _above_mean(truth, x, n)
    of_x = x * x + 2.0 * _above_mean(answers, x, n)
    of_y = y * y + 2.0 * _above_mean(truth, y, n)
    return _influence(x * y + moved, of_x, of_y, known, (x * y, x * x, y * y))


def _influence(
    product: Array,
    first: Array,
    second: Array,
    known: NDArray[np.bool_],
    moments: tuple[Array, Array, Array] | None = None,
) -> Array:
    """From each text's part in the covariance and both variances to its part in atanh r."""
    n = known.sum(axis=1, keepdims=True)
    cov, of_x, of_y = (_mean(one, n) for one in moments or (product, first, second))
    spread = np.sqrt(of_x * of_y)
    flat = spread <= 0
    spread, of_x, of_y = (np.where(flat, 1.0, one) for one in (spread, of_x, of_y))
    r = cov / spread
    apart = [one - _mean(one, n) for one in (product, first, second)]
    influence = apart[0] / spread - r / 2.0 * (apart[1] / of_x + apart[2] / of_y)
    scale = np.maximum(1.0 - r * r, NEAR_ONE) * np.sqrt(np.maximum(n * (n - 3.0), 1.0))
    return np.where(known & ~flat, influence / scale, 0.0)


def _mean(values: Array, n: NDArray[np.int64]) -> Array:
    mean: Array = values.sum(axis=1, keepdims=True) / np.maximum(n, 1)
    return mean


def _influence_deviations(values: Array, known: NDArray[np.bool_]) -> Array:
    """From each row's mean, in parts of the largest: no square is then too large or too small."""
    kept = np.where(known, values, 0.0)
    apart = np.where(known, kept - _mean(kept, known.sum(axis=1, keepdims=True)), 0.0)
    largest = np.abs(apart).max(axis=1, keepdims=True, initial=0.0)
    return apart / np.where(largest > 0, largest, 1.0)


def _above_mean(by: Array, of: Array, n: NDArray[np.int64]) -> Array:
    """For each text: Σ of `of` over the texts above it in `by`, half of those beside it, over n."""
    order = np.argsort(by, axis=1)  # NaN last, where `of` is 0
    ordered, parts = (np.take_along_axis(one, order, axis=1) for one in (by, of))
    sums = np.zeros((parts.shape[0], parts.shape[1] + 1))
    sums[:, :-1] = np.cumsum(parts[:, ::-1], axis=1)[:, ::-1]
    places = np.arange(parts.shape[1])
    begins = np.ones(parts.shape, bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=1)
    ends = np.concatenate([begins[:, 1:], np.ones((len(parts), 1), bool)], axis=1)
    last = np.minimum.accumulate(np.where(ends, places, len(places))[:, ::-1], axis=1)[:, ::-1]
    both = np.take_along_axis(sums, first, axis=1) + np.take_along_axis(sums, last + 1, axis=1)
    found = np.empty_like(parts)
    np.put_along_axis(found, order, both / 2.0, axis=1)
    return found / n
