"""The bootstrap: how much a measure of agreement varies from one sample of texts to another.

A resample draws as many texts as there are, with replacement (Efron 1979). It is kept as
counts: how often each text was drawn. Every measure is then a weighted one, for all resamples
at once, and all systems share the same draws. Rows of the counts are texts, columns are
resamples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import ArgumentError
from tiltmeter.stats.correlation import FEWEST

Array = NDArray[np.float64]

CELLS = 2**18
"""Counts held at a time: few enough to stay in the processor's cache."""
LEAST = 32
"""Resamples at a time however many texts there are: putting them in order is worth it only so."""
CANCELLED = 1e-12
"""A variance below this part of the mean square is what rounding leaves of none."""
UNDEFINED = 0.05
"""The share of resamples that may lack a number before no interval is given."""


def resample_counts(sizes: list[int], resamples: int, seed: int) -> Iterator[list[Array]]:
    """Draw each part's texts again, its size kept: counts of shape (size, some), a list a part.

    What a part draws depends on the seed, its place and its size, not on the other parts.

    >>> [[counts]] = resample_counts([5], 4, seed=1)
    >>> counts.shape, counts.sum(axis=0).tolist()
    ((5, 4), [5.0, 5.0, 5.0, 5.0])
    """
    rngs = [np.random.default_rng(one) for one in np.random.SeedSequence(seed).spawn(len(sizes))]
    step = max(LEAST, CELLS // max(sum(sizes), 1))
    for done in range(0, resamples, step):
        some = min(step, resamples - done)
        yield [_counts(size, some, rng) for size, rng in zip(sizes, rngs, strict=True)]


def _counts(size: int, some: int, rng: np.random.Generator) -> Array:
    drawn = rng.integers(0, size, (some, size)) if size else np.empty((some, 0), np.int64)
    places = drawn * some + np.arange(some)[:, None]
    return np.bincount(places.ravel(), minlength=size * some).reshape(size, some).astype(np.float64)


def pearson_draws(predictions: Array, gold: Array, counts: Array) -> Array:
    """Pearson's r in each resample, (systems, resamples); NaN where either side does not vary.

    With weights w: (Σw·Σwxy − Σwx·Σwy) / √((Σw·Σwx² − (Σwx)²)(Σw·Σwy² − (Σwy)²)), products of
    matrices all of them. Values are centred first, so that little is lost in the differences.

    >>> counts = np.array([[1.0], [1.0], [2.0], [0.0]])  # x is 1, 2, 4, 4 and y is 1, 2, 3, 3
    >>> pearson_draws(np.array([[1.0, 2.0, 4.0, 3.0]]), np.array([1.0, 2.0, 3.0, 4.0]), counts)
    array([[0.98644005]])
    """
    found = np.full((len(predictions), counts.shape[1]), np.nan)
    for known, rows in _by_gaps(predictions):
        drawn, y = counts[known], _centred(gold[None, known])
        x = _centred(predictions[rows][:, known])
        n, sum_y, sum_x = drawn.sum(axis=0), _weighted(y, drawn), _weighted(x, drawn)
        own_y = _varying(n, sum_y, _weighted(y * y, drawn))
        own_x = _varying(n, sum_x, _weighted(x * x, drawn))
        found[rows] = (n * _weighted(x * y, drawn) - sum_x * sum_y) / np.sqrt(own_x * own_y)
    return np.clip(found, -1.0, 1.0, out=found)


def _by_gaps(predictions: Array) -> Iterator[tuple[NDArray[np.bool_], list[int]]]:
    """Which texts are known, and the systems of which just those are."""
    known = ~np.isnan(predictions)
    rows: dict[bytes, list[int]] = {}
    for row, one in enumerate(known):
        rows.setdefault(one.tobytes(), []).append(row)
    for alike in rows.values():
        yield known[alike[0]], alike


def _weighted(values: Array, counts: Array) -> Array:
    """Σ count · value by resample; a product that waits for no other user of a busy machine."""
    product: Array = np.einsum("st,tr->sr", values, counts)
    return product


def _centred(values: Array) -> Array:
    """Each row about its mean, within −1..1."""
    deviations = values - values.mean(axis=1, keepdims=True) if values.size else values
    largest = np.max(np.abs(deviations), axis=1, keepdims=True, initial=0.0)
    centred: Array = deviations / np.where(largest > 0, largest, 1.0)
    return centred


def _varying(n: Array, total: Array, squares: Array) -> Array:
    """Σw · Σw z² − (Σw z)², NaN where nothing but rounding is left of it."""
    found = n * squares - total * total
    return np.where(found > CANCELLED * n * squares, found, np.nan)


def spearman_draws(predictions: Array, gold: Array, counts: Array) -> Array:
    """Spearman's ρ in each resample, ranked anew in each, ties at their average rank.

    Texts are put in order once. Where a block of equal values is drawn T times, and all blocks up
    to it C times, its average rank is C − (T − 1)/2. The mean of N ranks is (N + 1)/2, so the block
    stands C − T/2 − N/2 from it. ρ is Pearson's r of those numbers.

    >>> counts = np.array([[1.0], [1.0], [2.0], [0.0]])
    >>> spearman_draws(np.array([[1.0, 2.0, 9.0, 3.0]]), np.array([1.0, 2.0, 3.0, 4.0]), counts)
    array([[1.]])
    """
    found = np.full((len(predictions), counts.shape[1]), np.nan)
    for known, rows in _by_gaps(predictions):
        if np.count_nonzero(known) < FEWEST:
            continue
        drawn = counts[known]
        order, ranks, own_y = _ranked(gold[known], drawn)
        y = np.empty_like(drawn)
        y[order] = drawn[order] * ranks
        for row in rows:
            order, ranks, own_x = _ranked(predictions[row, known], drawn)
            both = np.einsum("tr,tr->r", ranks, y[order])
            found[row] = both / np.sqrt(own_x * own_y)
    return np.clip(found, -1.0, 1.0, out=found)


def _ranked(values: Array, drawn: Array) -> tuple[NDArray[np.int64], Array, Array]:
    """The texts in order, how far each then ranks from the mean, and Σ of its squares by resample.

    The sum is NaN where it is 0: every text drawn has the same value.
    """
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    last = np.flatnonzero(np.append(ascending[1:] != ascending[:-1], True))
    reached = np.cumsum(drawn[order], axis=0)[last]
    times = np.diff(reached, axis=0, prepend=0.0)
    ranks = reached - times / 2 - reached[-1] / 2
    own = np.einsum("br,br,br->r", times, ranks, ranks)
    block = np.repeat(np.arange(len(last)), np.diff(last, prepend=-1))
    return order, ranks[block], np.where(own > 0, own, np.nan)


def mean_draws(values: Array, counts: Array) -> Array:
    """The mean of each row in each resample, (rows, resamples); NaN where no known text is drawn.

    >>> mean_draws(np.array([[1.0, 4.0, np.nan]]), np.array([[2.0], [1.0], [0.0]]))
    array([[2.]])
    """
    found = np.full((len(values), counts.shape[1]), np.nan)
    for known, rows in _by_gaps(values):
        drawn = counts[known]
        n = drawn.sum(axis=0)
        found[rows] = _weighted(values[rows][:, known], drawn) / np.where(n > 0, n, np.nan)
    return found


def percentile_interval(draws: Array, level: float) -> tuple[Array, Array]:
    """The interval between the level/2 and 1 − level/2 quantiles of each row's draws.

    Resamples without a number are left out; where they are more than one in twenty there is none.

    >>> low, high = percentile_interval(np.arange(101.0)[None, :], 0.05)
    >>> float(low[0]), float(high[0])
    (2.5, 97.5)
    """
    low, high = np.full((2, len(draws)), np.nan)
    gaps = np.count_nonzero(np.isnan(draws), axis=1)
    ends = [level / 2, 1 - level / 2]
    low[gaps == 0], high[gaps == 0] = np.quantile(draws[gaps == 0], ends, axis=1)
    for row in np.flatnonzero((gaps > 0) & (gaps <= UNDEFINED * draws.shape[1])):
        low[row], high[row] = np.quantile(draws[row][~np.isnan(draws[row])], ends)
    return low, high


BEYOND = 5
"""Resamples that must lie beyond either end of an interval for it to be more than chance."""
MOST = 1_000_000
"""Resamples that do for five thousand differences at once; more would never come back."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How intervals are made."""

    level: float = 0.05
    """0.05 gives 95 % intervals."""
    resamples: int = 2_000
    seed: int = 0
    family: int | None = None
    """How many differences to correct for; None: as many as there are in each measure."""

    def __post_init__(self) -> None:
        if not isinstance(self.level, Real) or not 0 < self.level < 0.5:
            what = f"is {self.level!r}; expected a number above 0 and below 0.5"
            raise ArgumentError("level", f"{what}: 0.05 gives 95 % intervals")
        for name, least in (("resamples", self.resamples_for(1)), ("seed", 0), ("family", 1)):
            given = getattr(self, name)
            whole = isinstance(given, Integral) and not isinstance(given, bool)
            if (name, given) != ("family", None) and not (whole and int(given) >= least):
                what = f"is {given!r}; expected a whole number of at least {least}"
                raise ArgumentError(name, what)
        if self.resamples > MOST:
            what = f"is {self.resamples:,}; expected at most {MOST:,}"
            raise ArgumentError("resamples", f"{what}, which do for five thousand differences")

    @property
    def sure(self) -> str:
        """How sure the intervals are, in words.

        >>> Bootstrap().sure
        '95 %'
        """
        return f"{100 * (1 - self.level):.4g} %"

    def resamples_for(self, family: int) -> int:
        """How many resamples an interval needs that is corrected for so many differences."""
        return int(np.ceil(2 * BEYOND * family / self.level))

    def interval(self, draws: Array) -> tuple[Array, Array]:
        """The interval of each row's draws."""
        return percentile_interval(draws, self.level)

    def adjusted(self, draws: Array, family: int) -> tuple[Array, Array]:
        """Bonferroni's interval, at level / family; NaN where the resamples are too few for it."""
        if family > 1 and self.resamples < self.resamples_for(family):
            nothing = np.full(len(draws), np.nan)
            return nothing, nothing
        return percentile_interval(draws, self.level / family)
