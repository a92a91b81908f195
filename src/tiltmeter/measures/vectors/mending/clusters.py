"""Is a removal cosmetic? Words that leaned are clustered without being told how they leaned.

Gonen & Goldberg (2019): after projection, the words that leaned most to either side still fall into
two clusters that are the two sides. What was taken out of the vectors could be read from the rest.
Clusters may follow something else that is stronger, such as sentiment: sides that no cluster shows
may still be there, so the test stands beside a probe that is told the sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.vectors.mending.directions import Array, leaning, unit
from tiltmeter.measures.vectors.mending.probing import Proportion, Sides, wilson
from tiltmeter.measures.vectors.space import Space

MOST, FEWEST = 500, 10
"""Words of each side: as many as in the paper, and the fewest that tell anything."""
STARTS, STEPS = 10, 100


@dataclass(frozen=True, slots=True, eq=False)
class Leaners:
    """The words that leaned most before anything moved: those to the first side come first."""

    words: tuple[str, ...] = ()
    reason: str | None = None

    @property
    def side(self) -> Sides:
        """True for the words that leaned to the first side."""
        return np.arange(len(self.words)) < len(self.words) // 2


def leaners(space: Space, candidates: Sequence[str], direction: Array) -> Leaners:
    """The candidates in hand that lean most to each side, a quarter of them or 500 at most.

    Sides are relative to the other candidates: where all lean one way, some still lean more.
    """
    held = space.held(dict.fromkeys(candidates))
    many = min(MOST, len(held) // 4)
    if many < FEWEST:
        found = f"{len(held)} words that should not lean are in the embedding"
        return Leaners(reason=f"{found}; expected at least {4 * FEWEST}")
    order = np.argsort(-leaning(space, held, direction), kind="stable")
    return Leaners(tuple(held[place] for place in [*order[:many], *order[-many:]]))


def cluster_alignment(rows: Array, side: Sides, rng: np.random.Generator) -> Proportion:
    """The share of rows whose cluster, of two, is their side: max(a, 1 − a), rows at length 1."""
    agree = float((two_means(unit(rows), rng) == side).mean())
    value = max(agree, 1 - agree)
    return Proportion(value, *wilson(value, len(side)), len(side))


def aligned_by_chance(n: int) -> Proportion:
    """max(a, 1 − a) of n words put into two clusters by a coin: its mean, 2.5 and 97.5 %.

    >>> round(aligned_by_chance(2).value, 9)  # a is 0, ½, ½ or 1
    0.75
    """
    from scipy.stats import binom

    hits = np.arange(n + 1)
    larger, weight = np.maximum(hits, n - hits) / n, binom.pmf(hits, n, 0.5)
    order = np.argsort(larger, kind="stable")
    total = np.cumsum(weight[order])
    low, high = (float(larger[order][np.searchsorted(total, p)]) for p in (0.025, 0.975))
    return Proportion(float(larger @ weight), low, high, n)


def two_means(rows: Array, rng: np.random.Generator, starts: int = STARTS) -> Sides:
    """Which of two clusters each row is in: k-means with k = 2, the best of several starts.

    Centres start as in k-means++ (Arthur & Vassilvitskii 2007).

    >>> two_means(np.array([[0.0], [0.1], [5.0], [5.1]]), np.random.default_rng(1)).tolist()
    [False, False, True, True]
    """
    found = [_settled(rows, _start(rows, rng)) for _ in range(starts)]
    _, best = min(found, key=lambda one: one[0])
    named: Sides = best ^ best[0]
    return named


def _start(rows: Array, rng: np.random.Generator) -> Array:
    """One row by chance, another with a chance that grows with its squared distance."""
    one = rows[rng.integers(len(rows))]
    far = ((rows - one) ** 2).sum(axis=1)
    other = rng.choice(len(rows), p=far / far.sum()) if far.sum() > 0 else 0
    return np.stack([one, rows[other]])


def _settled(rows: Array, centres: Array) -> tuple[float, Sides]:
    """The squared distances left and the clusters, once no row changes sides."""
    member: NDArray[np.bool_] = np.zeros(len(rows), np.bool_)
    for step in range(STEPS):
        second = rows @ (centres[1] - centres[0]) > (centres[1] ** 2 - centres[0] ** 2).sum() / 2
        if step and (second == member).all():
            break
        member = second
        if member.all() or not member.any():  # all rows are alike
            break
        centres = np.stack([rows[~member].mean(axis=0), rows[member].mean(axis=0)])
    return float(((rows - centres[member.astype(np.intp)]) ** 2).sum()), member
