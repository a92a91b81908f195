"""What ordinary words get: the RNSB of as many everyday words, drawn by chance.

No set of words is perfectly even. Whether words for people are less even than tables and windows
is what a reader wants to know of an RNSB.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.vectors.divergence import rnsb

Array = NDArray[np.float64]

DRAWS = 10_000
ROOM = 2
"""Ordinary words must be this many times as many as the terms, or draws would be much alike."""


@dataclass(frozen=True, slots=True)
class ByChance:
    """The RNSB of ordinary words; NaN where too few of them are there."""

    low: float
    middle: float
    high: float
    p: float
    """The share of draws at least as uneven as the terms."""


NOT_KNOWN = ByChance(float("nan"), float("nan"), float("nan"), float("nan"))


def by_chance(found: float, terms: int, probabilities: Array, seed: int) -> ByChance:
    """Beside an RNSB of so many terms, what ordinary words with these probabilities get."""
    if len(probabilities) < ROOM * terms:
        return NOT_KNOWN
    rng = np.random.default_rng([seed, 3, terms])
    drawn = rng.permuted(np.tile(np.arange(len(probabilities)), (DRAWS, 1)), axis=1)[:, :terms]
    values = rnsb(probabilities[drawn].T)
    low, middle, high = np.quantile(values, [0.025, 0.5, 0.975])
    more = int(np.count_nonzero(values >= found * (1 - 1e-12)))
    return ByChance(float(low), float(middle), float(high), (1 + more) / (1 + DRAWS))
