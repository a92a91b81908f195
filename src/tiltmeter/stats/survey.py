"""Means and shares of a finite population, from people drawn by lot with known probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

Array = NDArray[np.float64]

PLENTY = 1e9
"""Degrees of freedom where nothing was estimated from few people."""


@dataclass(frozen=True, slots=True)
class CellMean:
    """A mean over the people of one cell; arrays of shape (rows,)."""

    value: Array
    people: Array
    """Its variance over people, with the floor: of draws, and of frames within people."""
    floor: Array
    """What of that is the floor."""
    third: Array
    """Σ of the third powers of what single people add: its third cumulant."""
    noise: Array
    """Σ h² s²/K: what one person in one sentence adds, whoever was drawn."""
    df: Array
    """Degrees of freedom of the part that was seen among people."""
    n: NDArray[np.int64]
    """People with an effect."""
    census: bool
    """Whether everybody of the population came."""
    share: Array
    """(rows, people): h."""
    apart: Array
    """(rows, people): what each adds; their squares add up to what was seen among people. Linear in
    the effects, so that the difference of two rows is that of their difference."""

    @property
    def seen(self) -> Array:
        """The variance without its floor."""
        return self.people - self.floor


def hajek(
    effects: Array,
    weight: Array,
    probability: Array,
    noise: Array,
    left: Array,
    moves: Array,
) -> CellMean:
    """The mean of a cell's people, (rows, people) each; NaN effects are left out.

    `weight` and `probability` are (people,), `noise` is s²/K and `left` the share of frames that a
    person did not meet, 1 − K/F. `moves` (rows,) is how far a name may move a score, see `floor`.

    Four people alike of eight, effects 1, 3, 5, 7 on all frames: s² = 20/3, V = (1 − 1/2) s²/4.

    >>> one = np.array([[1.0, 3.0, 5.0, 7.0]])
    >>> alike, none = np.ones(4), np.zeros((1, 4))
    >>> found = hajek(one, alike, alike / 2, none, none, np.zeros(1))
    >>> found.value, found.people.round(6), found.df
    (array([4.]), array([0.833333]), array([3.]))
    """
    known = ~np.isnan(effects)
    t = np.where(known, effects, 0.0)
    raw = np.where(known, weight / np.where(probability > 0, probability, 1.0), 0.0)
    total = raw.sum(axis=1, keepdims=True)
    h = np.divide(raw, total, out=np.zeros(raw.shape), where=total > 0)
    value = (h * t).sum(axis=1)
    drawn = (1.0 - probability) * h**2
    rest = np.maximum(1.0 - h, 1e-12)
    apart = np.where(h < 1.0, np.sqrt(drawn / rest) * (t - value[:, None]), 0.0)
    seen = (apart**2).sum(axis=1)
    third = (apart**3).sum(axis=1)
    chance, squares = drawn.sum(axis=1), (drawn**2).sum(axis=1)
    df = np.where(squares > 0, over(chance**2, squares) - 1.0, PLENTY)
    unsure = np.where(probability < 1.0, h, 0.0)
    effective = over(unsure.sum(axis=1) ** 2, (unsure**2).sum(axis=1))
    ground = chance * floor(effective, moves)
    alone = np.where(known, noise, 0.0) * h**2
    within = (probability * left * alone).sum(axis=1)
    n = known.sum(axis=1)
    return CellMean(
        np.where(n > 0, value, np.nan), seen + ground + within, ground, third, alone.sum(axis=1),
        df, n, bool((probability >= 1.0).all()), h, apart,
    )  # fmt: skip


def floor(people: ArrayLike, moves: ArrayLike) -> Array:
    """What each draw's variance is at least taken for: p₀ (1 − p₀) w², p₀ = 0.5 / (n + 1).

    A lexicon may know one name in a thousand. A list of n names without it shows no spread at all,
    and says only that such names are rarer than about 1/n: so half a name more than was seen is
    taken to move a score by w, as far as the system's own emotion words do (METHODS §7.1).

    >>> float(floor(9, 0.2).round(6))  # p₀ = 0.05
    0.0019
    """
    p = 0.5 / (np.asarray(people, np.float64) + 1.0)
    return np.asarray(p * (1.0 - p) * np.asarray(moves, np.float64) ** 2)


SKEWED = 2.0
MOST_SKEWED = 0.25
"""Of the squared skewness of a mean, beyond which a variance is raised no further."""


def for_skew(variance: ArrayLike, third: ArrayLike) -> Array:
    """A variance raised by 1 + 2γ², γ the skewness of the estimate; at most by a half.

    A list of a skewed population mostly lacks its far end: its mean is too small and its variance
    with it, so that an interval misses on one side. Hall (1988) gives the error of coverage, about
    γ² (t⁴ + 2t² − 3)/18 of the half-width; 1 + 2γ² does as much at 95 %.

    >>> for_skew([4.0, 4.0], [0.0, 2.0])  # γ² = 4/64
    array([4. , 4.5])
    """
    size = np.asarray(variance, np.float64)
    skew = over(np.asarray(third, np.float64) ** 2, size**3)
    return np.asarray(size * (1.0 + SKEWED * np.minimum(skew, MOST_SKEWED)))


@dataclass(frozen=True, slots=True)
class PopulationShare:
    """The share of a population that has a mark, with an interval; numbers."""

    value: float
    low: float
    high: float
    marked: int
    """Of the people seen."""
    n: int


Marks = NDArray[np.bool_]


def share(
    marked: Marks,
    weight: Array,
    probability: Array,
    sure: Marks | None = None,
    possible: Marks | None = None,
    level: float = 0.95,
) -> PopulationShare:
    """The share of a population's weight that is marked, and its interval at a level.

    Everybody alike from a population without end: Clopper & Pearson (1934). Everybody alike, n of N
    without replacement (π = n/N): hypergeometric, exact. Drawn by weight: who was certain to come
    is known, and of the rest Clopper and Pearson's interval for as many people as their weights
    are worth, (Σw)²/Σw² (Korn & Graubard 1998). None seen: the upper end is one-sided.
    Where marks themselves are in doubt, the lower end is of those that are `sure`, the upper end of
    those that are `possible`.

    >>> found = share(np.zeros(40, bool), np.ones(40), np.zeros(40))
    >>> found.value, found.low, round(found.high, 3)  # 1 − 0.05^(1/40)
    (0.0, 0.0, 0.072)
    """
    raw = weight / np.where(probability > 0, probability, 1.0)
    total, n = float(raw.sum()), int(marked.size)
    if not n or total <= 0:
        return PopulationShare(float("nan"), 0.0, 1.0, 0, 0)
    value = float(raw[marked].sum()) / total
    low = _ends(marked if sure is None else sure, raw, probability, level)[0]
    high = _ends(marked if possible is None else possible, raw, probability, level)[1]
    return PopulationShare(value, min(low, value), max(high, value), int(marked.sum()), n)


def _ends(marked: Marks, raw: Array, probability: Array, level: float) -> tuple[float, float]:
    """Both ends of the interval of a share."""
    total, unsure = float(raw.sum()), probability < 1.0
    value = float(raw[marked].sum()) / total
    if not unsure.any():
        return value, value
    if np.ptp(raw) == 0 and np.ptp(probability) == 0 and probability[0] > 0:
        whole = round(marked.size / float(probability[0]))
        return hypergeometric(int(marked.sum()), marked.size, whole, level)
    rest, certain = raw[unsure], float(raw[~unsure & marked].sum()) / total
    part = float(rest.sum()) / total
    effective = float(rest.sum() ** 2 / (rest**2).sum())
    of_rest = float(rest[marked[unsure]].sum() / rest.sum())
    low, high = clopper_pearson(of_rest * effective, effective, level)
    return certain + part * low, certain + part * high


def clopper_pearson(marked: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """The exact interval of a share; one-sided where none or all are marked.

    >>> tuple(round(end, 4) for end in clopper_pearson(1, 40))
    (0.0006, 0.1316)
    """
    tail = 1.0 - level
    if marked <= 0:
        return 0.0, float(1.0 - tail ** (1.0 / n))
    if marked >= n:
        return float(tail ** (1.0 / n)), 1.0
    low = betaincinv(marked, n - marked + 1.0, tail / 2.0)
    return float(low), float(betaincinv(marked + 1.0, n - marked, 1.0 - tail / 2.0))


def hypergeometric(
    marked: int, n: int, population: int, level: float = 0.95
) -> tuple[float, float]:
    """The exact interval of a share of N, from n drawn without replacement.

    Of the numbers M that N may hold, those that a draw as extreme as this one does not refuse.

    >>> hypergeometric(2, 4, 4), hypergeometric(0, 5, 10)  # 4 of 10 give none with 6 of 252
    ((0.5, 0.5), (0.0, 0.3))
    """
    from scipy.stats import hypergeom

    if n >= population:
        return marked / population, marked / population
    one_sided = marked in (0, n)
    tail = (1.0 - level) / (1.0 if one_sided else 2.0)
    every = np.arange(marked, population - (n - marked) + 1)
    at_most = hypergeom.cdf(marked, population, every, n)
    at_least = hypergeom.sf(marked - 1, population, every, n)
    kept = every[(at_most > tail) & (at_least > tail)]
    return float(kept.min()) / population, float(kept.max()) / population


def mean_bounds(
    values: Array, most: float, rng: np.random.Generator, level: float = 0.9, draws: int = 2000
) -> tuple[float, float]:
    """An interval for the mean of numbers between 0 and `most`, whatever their distribution.

    With x sorted and U sorted uniforms, the mean is above Σ (1 − U_i)(x_i − x_{i−1}) and below
    most − Σ U_i (x_{i+1} − x_i) where the U are those of the sample; their quantiles bound it
    (Learned-Miller & Thomas 2020). Normal theory's χ² would not do: a lexicon moves one name in a
    thousand, and a list without it has no spread at all.

    Forty zeros: U_40 is below 0.05^(1/40) one time in twenty, and most · 0.072 is the upper end.

    >>> low, high = mean_bounds(np.zeros(40), 1.0, np.random.default_rng(0), draws=20_000)
    >>> low, round(high, 2)
    (0.0, 0.07)
    """
    x, tail = np.sort(values), (1.0 - level) / 2.0
    top = max(most, float(x[-1]))
    luck = np.sort(rng.random((draws, x.size)), axis=1)
    above = (1.0 - luck) @ np.diff(x, prepend=0.0)
    below = top - luck @ np.diff(x, append=top)
    return float(np.quantile(above, tail)), float(np.quantile(below, 1.0 - tail))


def over(top: Array, bottom: Array) -> Array:
    """The quotient, 0 where there is nothing to divide by."""
    top, bottom = np.broadcast_arrays(top, bottom)
    found: Array = np.divide(top, bottom, out=np.zeros(top.shape), where=bottom > 0)
    return found
