"""Can a linear classifier tell two sides apart? Asked of words that it was not fitted on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.logistic import balanced_weights, fit_ridge, fit_weightings
from tiltmeter.studies.embeddings.space import Array

Sides = NDArray[np.bool_]
FOLDS = 5
RIDGE = 0.1
"""Of vectors of length 1."""
OVERLAP = 1 + FOLDS / (FOLDS - 1)
"""Folds are fitted on much the same words, so their accuracy varies so many times as much as that
of independent ones (Nadeau & Bengio 2003); in simulations of noise, 1.5 to 1.9 times."""
REACH = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Proportion:
    """A share of n, with its 95 % interval."""

    value: float
    low: float
    high: float
    n: int


def wilson(value: float, n: float) -> tuple[float, float]:
    """The 95 % interval of a proportion seen in n cases (Wilson 1927).

    >>> tuple(round(end, 4) for end in wilson(0.8, 10))
    (0.4902, 0.9433)
    """
    middle = (value + REACH**2 / (2 * n)) / (1 + REACH**2 / n)
    half = REACH / (1 + REACH**2 / n) * np.sqrt(value * (1 - value) / n + (REACH / (2 * n)) ** 2)
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def probe(rows: Array, side: Sides, rng: np.random.Generator) -> Proportion:
    """How often a ridge logistic tells the side of held-out rows, by 5 stratified folds.

    The mean of the two sides' rates: 0.5 is guessing, however large each side is.
    """
    fold = folds_of(side, rng)
    kept = balanced_weights(side)[:, None] * (fold[:, None] != np.arange(FOLDS))
    odds = fit_weightings(rows, side, RIDGE, kept).log_odds(rows)
    value = balanced_accuracy(np.take_along_axis(odds, fold[:, None], axis=1)[:, 0] > 0, side)
    return Proportion(value, *wilson(value, len(side) / OVERLAP), len(side))


def separating(rows: Array, side: Sides) -> tuple[Array, float]:
    """Slopes and intercept of the classifier, both sides of equal weight."""
    fit = fit_ridge(rows, side, RIDGE, balanced_weights(side))
    return fit.slopes[:, 0], float(fit.intercepts[0])


def folds_of(side: Sides, rng: np.random.Generator) -> NDArray[np.int64]:
    """A fold for each row; each side is dealt out evenly."""
    fold = np.empty(len(side), np.int64)
    for members in (np.flatnonzero(side), np.flatnonzero(~side)):
        fold[rng.permutation(members)] = np.arange(len(members)) % FOLDS
    return fold


def balanced_accuracy(found: Sides, side: Sides) -> float:
    """The mean of the two sides' shares told right.

    >>> balanced_accuracy(np.array([True, True, True, False]), np.array([True, True, False, False]))
    0.75
    """
    return float((found[side].mean() + (~found[~side]).mean()) / 2)
