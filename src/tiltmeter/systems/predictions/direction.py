"""Does a system's score rise when the others' fall? Then it is probably upside down."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FEWEST = 3
"""How many systems it takes before one can be told from the rest."""

BEYOND_CHANCE = 3.0
"""How many standard errors (1/√n) below zero a correlation must lie."""
PLAIN = 0.2
"""How far below zero at least: over thousands of sentences chance alone is excluded too easily, and
a system that hardly agrees with the others is not upside down."""

Matrix = NDArray[np.float64]


def against_the_others(scores: Matrix) -> Matrix:
    """Each system's correlation with the median of the others; NaN where there is none.

    `scores` is systems × sentences, NaN where missing. Every system is standardised first, so that
    scales do not matter. Constant systems take no part.
    """
    found = np.full(len(scores), np.nan)
    with np.errstate(over="ignore", invalid="ignore"):  # 1e308 cannot be squared
        standard = _standardised(scores)
    moving = np.flatnonzero(np.isfinite(standard).any(axis=1))
    if len(moving) >= FEWEST:
        medians = _medians_of_the_others(standard[moving].T).T
        for nth, own, others in zip(moving, standard[moving], medians, strict=True):
            found[nth] = _correlation(own, others)
    return found


def upside_down(correlation: float, shared: int) -> bool:
    """True for a correlation plainly below zero, and further than chance explains: r < −3/√n.

    >>> upside_down(-0.4, 8640), upside_down(-0.035, 8640), upside_down(-0.4, 20)
    (True, False, False)
    """
    return bool(correlation < -PLAIN and correlation * np.sqrt(shared) < -BEYOND_CHANCE)


def _standardised(scores: Matrix) -> Matrix:
    """(x − mean) / sd by row; all NaN for a row that does not vary, or too far to be squared."""
    there = np.isfinite(scores)
    count = np.maximum(there.sum(axis=1, keepdims=True), 1)
    centred = scores - np.where(there, scores, 0.0).sum(axis=1, keepdims=True) / count
    spread = np.sqrt(np.square(np.where(there, centred, 0.0)).sum(axis=1, keepdims=True) / count)
    still = spread <= 1e-6 * np.maximum(
        1.0, np.abs(np.where(there, scores, 0.0)).max(axis=1, keepdims=True)
    )
    return np.where(still, np.nan, centred / np.where(still, 1.0, spread))


def _medians_of_the_others(values: Matrix) -> Matrix:
    """For each sentence and system (sentences × systems) the median of the other systems.

    One sort does for all: without the value of rank r, the k-th smallest of the others is the
    k-th of all for k < r, else the next.
    """
    order = np.argsort(values, axis=1)
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(values.shape[1])[None, :], axis=1)
    ascending = np.take_along_axis(values, order, axis=1)
    others = np.isfinite(values).sum(axis=1, keepdims=True) - 1
    low, high = (np.maximum(others - 1, 0) // 2, np.maximum(others, 0) // 2)
    middle = [np.take_along_axis(ascending, _past(place, rank), axis=1) for place in (low, high)]
    enough = np.isfinite(values) & (others >= FEWEST - 1)
    return np.where(enough, (middle[0] + middle[1]) / 2, np.nan)


def _past(place: NDArray[np.intp], rank: NDArray[np.intp]) -> NDArray[np.intp]:
    """Where the others' value of that place stands among all."""
    among: NDArray[np.intp] = np.minimum(place + (place >= rank), rank.shape[1] - 1)
    return among


def _correlation(own: Matrix, others: Matrix) -> float:
    both = np.isfinite(own) & np.isfinite(others)
    if both.sum() < FEWEST or not own[both].std() or not others[both].std():
        return float("nan")
    return float(np.corrcoef(own[both], others[both])[0, 1])
