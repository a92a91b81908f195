"""What ordinary words get: the RNSB of as many everyday words, drawn by chance.

No set of words is perfectly even. Whether words for people are less even than tables and windows
is what a reader wants to know of an RNSB. The band is of draws from the ordinary words alone; p is
of draws from terms and ordinary words together, as it would be chance which of them are terms: a
permutation test. Draws from the ordinary words alone would reject true nulls of forty terms in 10 %
of cases and not in 5 (benchmarks/simulate_rnsb.py).
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
    """The share of draws from all words at least as uneven as the terms."""


NOT_KNOWN = ByChance(float("nan"), float("nan"), float("nan"), float("nan"))


def by_chance(terms: Array, ordinary: Array, seed: int) -> ByChance:
    """Beside terms with these probabilities, what ordinary words with those get."""
    if len(ordinary) < ROOM * len(terms):
        return NOT_KNOWN
    band = np.quantile(_drawn(ordinary, len(terms), [seed, 3]), [0.025, 0.5, 0.975])
    found = float(rnsb(terms))
    everyone = _drawn(np.concatenate([terms, ordinary]), len(terms), [seed, 8])
    more = int(np.count_nonzero(everyone >= found * (1 - 1e-12)))
    low, middle, high = band.tolist()
    return ByChance(low, middle, high, (1 + more) / (1 + DRAWS))


def _drawn(probabilities: Array, size: int, seed: list[int]) -> Array:
    """RNSB of each draw of so many words, without replacement; their order does not matter."""
    rng = np.random.default_rng([*seed, size])
    ordered = np.sort(probabilities)
    every = np.tile(np.arange(len(ordered), dtype=np.uint16), (DRAWS, 1))  # small: 10,000 times
    places = rng.permuted(every, axis=1, out=every)[:, :size]
    return rnsb(ordered[places].T)
