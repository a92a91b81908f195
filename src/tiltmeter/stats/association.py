"""How close sets of vectors are by their directions: associations, and the effect size of WEAT."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, islice

import numpy as np
from numpy.typing import ArrayLike, NDArray

# ---- how close sets of vectors are by their directions: associations, and the effect size of
# WEAT


Array = NDArray[np.float64]

DUST = 1e-12
"""A standard deviation of associations, which lie within −2..2, below which they do not vary."""


def unit_rows(vectors: Array) -> Array:
    """Each vector at length 1; NaN where it has no direction.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [nan, nan]]
    """
    largest = np.max(np.abs(vectors), axis=1, keepdims=True, initial=0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = vectors / largest  # so that squares of tiny or huge values stay in range
        rows: Array = scaled / np.sqrt((scaled * scaled).sum(axis=1, keepdims=True))
    return rows


def cosines(these: Array, those: Array) -> Array:
    """The cosine of the angle between every two vectors, (these, those)."""
    found: Array = unit_rows(these) @ unit_rows(those).T
    return found


def associations(targets: Array, good: Array, bad: Array) -> Array:
    """s(w, A, B) = mean cos(w, a) − mean cos(w, b) of each target w (Caliskan et al. 2017).

    >>> right, up, slanted = [[1.0, 0.0]], [[0.0, 1.0]], [[3.0, 4.0]]
    >>> associations(*(np.array(each) for each in (slanted, right, up))).round(6).tolist()
    [-0.2]
    """
    closer: Array = cosines(targets, good).mean(axis=1) - cosines(targets, bad).mean(axis=1)
    return closer


def effect_size(first: Array, second: Array) -> float:
    """The effect size d = (mean of s over X − mean of s over Y) / sd of s over both.

    `first` and `second` are associations; NaN where they do not vary. The sd is the sample's, over
    n − 1: so it is in the code of May et al. (2019), and so Caliskan et al. (2017) must have made
    theirs, whose numbers for word2vec come out to the last digit. WEFE divides by n, which gives a
    d larger by √(n/(n − 1)). With two sets of one size, n words in all, |d| ≤ 2√((n − 1)/n).

    >>> round(effect_size(np.array([0.3, 0.1]), np.array([-0.1, -0.3])), 6)  # 0.4 / √(0.2/3)
    1.549193
    """
    spread = np.std(np.concatenate([first, second]), ddof=1)
    return float((first.mean() - second.mean()) / spread) if spread > DUST else float("nan")


def effect_draws(
    similar: tuple[Array, Array], sizes: tuple[int, int], counts: list[Array]
) -> Array:
    """The effect size in each resample of words; NaN where associations do not vary.

    `similar` holds the cosines of all targets with the good and with the bad words, (targets,
    words); `sizes` says how many targets stand in the first and second set; `counts` says how often
    each word was drawn, (words, resamples), of the first, second, good and bad set.
    """
    first, _, good, bad = counts
    closer = _means(similar[0], good) - _means(similar[1], bad)
    one, other = closer[: sizes[0]], closer[sizes[0] :]
    drawn, n = np.concatenate(counts[:2]), sum(sizes)
    around = closer - (drawn * closer).sum(axis=0) / n
    spread = np.sqrt((drawn * around * around).sum(axis=0) / (n - 1))
    apart = (first * one).sum(axis=0) / sizes[0] - (counts[1] * other).sum(axis=0) / sizes[1]
    draws: Array = apart / np.where(spread > DUST, spread, np.nan)
    return draws


def _means(similar: Array, counts: Array) -> Array:
    """The mean cosine of each target with the words drawn, (targets, resamples)."""
    means: Array = similar @ counts / len(counts)
    return means


# ---- the permutation test of two sets of values: they might as well have been divided otherwise


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
