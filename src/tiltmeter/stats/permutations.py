"""The permutation test of two sets of values: they might as well have been divided otherwise."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, islice

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

FEW = 200_000
"""Divisions up to which every one is tried: two sets of ten have 184,756."""
DRAWS = 100_000
"""Divisions drawn where there are more."""
CLOSE = 1e-9
"""Sums that differ by less than this part of the values' spread are ties."""
ROUNDING = 1e-13
"""… and by less than this part of the values themselves: what rounding makes of equal ones."""
CELLS = 2**18
"""Values held at a time: few enough to stay in the processor's cache."""
LEAST = 1024
"""Divisions at a time however large the sets: a step costs the same for one."""


@dataclass(frozen=True, slots=True)
class Permuted:
    """A p-value and what stands behind it."""

    p: float
    """NaN where there is nothing to divide."""
    exact: bool
    """Whether every division was tried."""
    permutations: int
    """How many divisions were tried or drawn."""


def two_sample_p(
    values_first: ArrayLike, values_second: ArrayLike, *, seed: int, key: str
) -> tuple[float, bool]:
    """Two-sided p-value of the difference in means, and whether it is exact.

    >>> two_sample_p([1.0, 2.0, 3.0], [7.0, 8.0, 9.0], seed=0, key="women-men")  # 2 of 20
    (0.1, True)
    """
    found = permuted(values_first, values_second, seed=seed, key=key)
    return found.p, found.exact


def permuted(
    values_first: ArrayLike,
    values_second: ArrayLike,
    *,
    seed: int,
    key: str,
    few: int = FEW,
    draws: int = DRAWS,
) -> Permuted:
    """The two-sided permutation test of mean(first) − mean(second).

    p = #{divisions: |difference| ≥ |difference seen|} / #divisions where all are tried, and
    (1 + hits)/(1 + draws) where they are drawn: the division seen counts as one of them, so that p
    keeps its level and is never 0. Draws depend on the seed, the sizes and the key alone.
    """
    one, other = (np.asarray(side, np.float64).ravel() for side in (values_first, values_second))
    both = np.concatenate([one, other])
    if not (one.size and other.size and np.isfinite(both).all()):
        return Permuted(math.nan, exact=False, permutations=0)
    fewer, more = sorted([one.size, other.size])
    centred = np.sort(both) - both.mean()
    seen = abs(float((one - both.mean()).sum())) - _tolerance(centred, both)
    divisions = math.comb(both.size, fewer)
    if divisions <= few:
        return Permuted(_hits(_all_sums(centred, fewer), seen) / divisions, True, divisions)
    rng = np.random.default_rng([seed, fewer, more, zlib.crc32(key.encode(errors="replace"))])
    hits = _hits(_drawn_sums(centred, fewer, draws, rng), seen)
    return Permuted((1 + hits) / (1 + draws), False, draws)


def _tolerance(centred: Array, values: Array) -> float:
    """How far apart two sums may be that are equal but for rounding."""
    return float(CLOSE * np.abs(centred).sum() + ROUNDING * np.abs(values).sum())


def _hits(blocks: Iterator[Array], seen: float) -> int:
    """Sums as far from 0, where the means are equal, as the one seen."""
    return sum(int(np.count_nonzero(np.abs(sums) >= seen)) for sums in blocks)


def _all_sums(values: Array, size: int) -> Iterator[Array]:
    """The sum of every subset of that size, a block at a time.

    >>> [sums.tolist() for sums in _all_sums(np.array([1.0, 2.0, 4.0]), 2)]
    [[3.0, 5.0, 6.0]]
    """
    subsets = combinations(range(values.size), size)
    step = max(LEAST, CELLS // size)
    while some := list(islice(subsets, step)):
        places = np.fromiter(chain.from_iterable(some), np.intp, len(some) * size)
        yield values[places.reshape(-1, size)].sum(axis=1)


def _drawn_sums(values: Array, size: int, draws: int, rng: np.random.Generator) -> Iterator[Array]:
    """Sums of random subsets of that size, a block at a time: each the start of a shuffle.

    Fisher and Yates' shuffle, for all draws at once: the value at place i is swapped with one from
    place i or later. After `size` places the subset is complete.
    """
    step = max(LEAST, CELLS // values.size)
    for done in range(0, draws, step):
        some = min(step, draws - done)
        dealt = np.repeat(values[:, None], some, axis=1)
        columns, sums = np.arange(some), np.zeros(some)
        for place in range(size):
            taken = rng.integers(place, values.size, some)
            sums += dealt[taken, columns]
            dealt[taken, columns] = dealt[place]
        yield sums
