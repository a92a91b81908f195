"""What each text adds to a correlation: its influence function, for every system at once.

Rows are systems, columns labelled texts; NaN marks a text that a system has no answer to. The
squares of a row add up to the variance of its atanh r (the infinitesimal jackknife, Efron 1982),
those of the difference of two rows to that of the difference: systems share their texts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.stats.correlation import average_ranks

Array = NDArray[np.float64]

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
    x, y = (_deviations(values, known) for values in (answers, np.where(known, gold, 0.0)))
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


def _deviations(values: Array, known: NDArray[np.bool_]) -> Array:
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
