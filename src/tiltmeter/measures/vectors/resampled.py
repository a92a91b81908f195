"""The lexicon drawn again and again: how much a number depends on its words.

A resample draws as many positive and as many negative words as the lexicon has, with replacement,
before it is asked which of them a space holds. So every space meets the same draws, and two of
them can be compared draw by draw.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.stats.logistic import Fits, fit_weightings
from tiltmeter.measures.vectors.classifier import Lexicon

Array = NDArray[np.float64]
Counts = NDArray[np.uint16]
REACH = 1.959964
"""Standard deviations of a 95 % interval."""


def drawn_weights(positive: int, negative: int, resamples: int, seed: int) -> Counts:
    """How often each word is drawn, (words, resamples), the positive ones first, in two bytes each.

    >>> weights = drawn_weights(3, 2, 4, seed=0)
    >>> weights[:3].sum(axis=0).tolist(), weights[3:].sum(axis=0).tolist()
    ([3, 3, 3, 3], [2, 2, 2, 2])
    """
    rng = np.random.default_rng([seed, 2])
    sides = [
        rng.multinomial(size, np.full(size, 1 / size), resamples).astype(np.uint16)
        for size in (positive, negative)
        if size
    ]
    weights: Counts = np.ascontiguousarray(np.hstack(sides).T)
    return weights


def refitted(lexicon: Lexicon, ridge: float, weights: Counts) -> Fits:
    """The classifier fitted anew to each resample, its ridge kept and its classes balanced."""
    drawn = weights[lexicon.places]
    return fit_weightings(lexicon.x, lexicon.negative, ridge, drawn, balanced=True)


def interval(value: Array, draws: Array) -> tuple[Array, Array]:
    """95 % of a normal spread: value ± 1.96 standard deviations of draws, over the last axis.

    A divergence's draws lie above it, and how far says little of how far it lies above the truth:
    of planted RNSBs their own middle 95 % held 73 to 95 %, turned about the value 85 to 98 %, and
    this 90 to 97 %, 93 % on average (benchmarks/simulate_rnsb.py 100).

    >>> low, high = interval(np.array(1.0), np.array([1.5, 2.0, 2.5]))
    >>> round(float(low), 3), round(float(high), 3)
    (0.02, 1.98)
    """
    reach: Array = REACH * draws.std(axis=-1, ddof=1)
    return value - reach, value + reach
