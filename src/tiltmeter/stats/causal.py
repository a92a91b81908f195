"""Causal rating's arithmetic: class means, rejection scores, backdoor adjustment.

A draw of a dataset is a weight for every sentence that it could hold: 0 where it does not hold it,
1 where it does, 2 where resampling took it twice. All draws of all systems are then products of
matrices. Shapes are (systems, draws, cells).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

Array = NDArray[np.float64]
Index = NDArray[np.int64]

ROOM = 8_000_000
"""Weights held at a time, 64 MB: draws of large datasets are taken some at a time."""


class Draws(Protocol):
    """Weights (draws, sentences), an array or made when some draws are asked for."""

    def __len__(self) -> int: ...
    def __getitem__(self, some: slice, /) -> Array: ...


@dataclass(frozen=True, slots=True)
class ClassSums:
    """How many scores each cell has, their sum, and the sum of their squares."""

    n: Array
    total: Array
    squares: Array

    @property
    def mean(self) -> Array:
        """The mean of each cell; NaN where it is empty."""
        return np.divide(self.total, self.n, out=np.full_like(self.n, np.nan), where=self.n > 0)

    @property
    def variance(self) -> Array:
        """s² with n − 1; NaN where there are fewer than two scores."""
        around = np.maximum(self.squares - self.total * self.mean, 0.0)
        return np.divide(around, self.n - 1, out=np.full_like(self.n, np.nan), where=self.n > 1)

    def over(self, *shape: int) -> ClassSums:
        """The same numbers with the cells laid out over several axes."""
        lead = self.n.shape[:2]
        parts = (self.n, self.total, self.squares)
        return ClassSums(*(part.reshape(*lead, *shape) for part in parts))

    def __add__(self, other: ClassSums) -> ClassSums:
        """The sums of two sets of sentences together."""
        return ClassSums(self.n + other.n, self.total + other.total, self.squares + other.squares)

    def __sub__(self, other: ClassSums) -> ClassSums:
        """The sums without some of the sentences."""
        return ClassSums(self.n - other.n, self.total - other.total, self.squares - other.squares)


def joined(parts: Iterable[ClassSums]) -> ClassSums:
    """The draws of several sums, one after the other."""
    every = [(one.n, one.total, one.squares) for one in parts]
    return ClassSums(*(np.concatenate(part, axis=1) for part in zip(*every, strict=True)))


def stacked(parts: Iterable[ClassSums]) -> ClassSums:
    """The classes' sums beside each other, before their kinds."""
    every = list(parts)
    return ClassSums(
        np.stack([one.n for one in every], axis=-2),
        np.stack([one.total for one in every], axis=-2),
        np.stack([one.squares for one in every], axis=-2),
    )


def some_at_a_time(draws: int, sentences: int, first: int = 0) -> Iterator[slice]:
    """Draws from the `first` on, cut so that their weights find room; one empty cut of none.

    >>> [(some.start, some.stop) for some in some_at_a_time(5, ROOM // 2, first=1)]
    [(1, 3), (3, 5)]
    """
    step = max(1, ROOM // max(1, sentences))
    for start in range(first, max(draws, first + 1), step):
        yield slice(start, min(start + step, draws))


def sums_of_draws(
    scores: Array, draws: Draws, cell: Index, cells: int, first: int = 0
) -> ClassSums:
    """The `class_sums` of draws from the `first` on, so many at a time as there is room for."""
    cuts = some_at_a_time(len(draws), scores.shape[1], first)
    return joined(class_sums(scores, draws[some], cell, cells) for some in cuts)


def class_sums(scores: Array, weights: Array, cell: Index, cells: int) -> ClassSums:
    """Sum `scores` (systems, sentences; NaN where there is none) over the cells of each draw.

    `weights` is (draws, sentences); `cell` says which cell each sentence is in.

    >>> scores, weights = np.array([[1.0, 3.0, 5.0]]), np.array([[1.0, 1.0, 2.0]])
    >>> sums = class_sums(scores, weights, np.array([0, 0, 1]), 2)
    >>> sums.n[0, 0], sums.mean[0, 0], sums.variance[0, 0]
    (array([2., 2.]), array([2., 5.]), array([2., 0.]))
    """
    known = ~np.isnan(scores)
    values = np.where(known, scores, 0.0)
    shape = (len(scores), len(weights), cells)
    n, total, squares = np.empty(shape), np.empty(shape), np.empty(shape)
    for one in range(cells):
        here = np.flatnonzero(cell == one)
        drawn, some = weights[:, here].T, values[:, here]
        total[:, :, one] = some @ drawn
        squares[:, :, one] = (some * some) @ drawn
        # How many known scores each draw holds: the same for all systems where none is missing.
        there = known[:, here]
        n[:, :, one] = drawn.sum(axis=0) if there.all() else there.astype(np.float64) @ drawn
    return ClassSums(n, total, squares)


# Lakkaraju et al. (2023), §3.3: t = (m₁ − m₂) / (√(s₁²/n₁ + s₂²/n₂) + ε) for every two classes, and
# ψ = Σ w · [the difference is rejected at that level]. Shapes are (systems, draws, …).

EPSILON = 0.0001
"""Added to the standard error, which is 0 where a system answers a class always alike."""
TINY = 2e-6
"""A difference or a standard deviation below 1e-6 of the scale −1..1 is 0."""


@dataclass(frozen=True, slots=True)
class TTests:
    """t and its degrees of freedom for each two classes; NaN where a class is too small."""

    t: Array
    df: Array

    @property
    def p(self) -> Array:
        """The two-sided p-value."""
        p: Array = 2 * stdtr(self.df, -np.abs(self.t))
        return p


def t_tests(sums: ClassSums, first: Index, second: Index, *, welch: bool) -> TTests:
    """Compare classes by t; `sums` is laid out over (classes, strata).

    In one stratum it is the formula above, df = n₁ + n₂ − 2. In several the differences within
    strata are averaged by P(z), the share of all sentences in the stratum, which is what backdoor
    adjustment asks for, over the strata in which both classes have scores. With `welch` the degrees
    of freedom are Welch and Satterthwaite's, and n₁ + n₂ − 2 where no score varies.

    >>> from tiltmeter.stats.causal import class_sums
    >>> scores = np.array([[1.0] * 4 + [-1.0] * 12])  # 8 of one class, half of them 1; 8 of another
    >>> cell = np.repeat([0, 1], 8)
    >>> sums = class_sums(scores, np.ones((1, 16)), cell, 2).over(2, 1)
    >>> tests = t_tests(sums, np.array([0]), np.array([1]), welch=False)
    >>> round(tests.t.item(), 3), tests.df.item()  # 1 / (√(8/7/8) + 0.0001)
    (2.645, 14.0)
    """
    there = sums.n > 1
    both = there[..., first, :] & there[..., second, :]
    share = np.where(both, sums.n.sum(axis=-2)[..., None, :], 0.0)
    every = share.sum(axis=-1, keepdims=True)
    share /= np.where(every > 0, every, np.nan)
    mean, n = np.where(there, sums.mean, 0.0), np.where(there, sums.n, 2.0)
    variance = np.where(there & (sums.variance >= TINY**2), sums.variance, 0.0)
    difference = (share * (mean[..., first, :] - mean[..., second, :])).sum(axis=-1)
    difference = np.where(np.abs(difference) < TINY, 0.0, difference)
    errors = [share**2 * (variance / n)[..., side, :] for side in (first, second)]
    squared = (errors[0] + errors[1]).sum(axis=-1)
    freedom = np.where(both, (n[..., first, :] + n[..., second, :] - 2), 0.0).sum(axis=-1)
    if welch:
        parts = [
            error**2 / (n[..., side, :] - 1)
            for error, side in zip(errors, (first, second), strict=True)
        ]
        below = (parts[0] + parts[1]).sum(axis=-1)
        freedom = np.divide(squared**2, below, out=freedom, where=below > 0)
    return TTests(difference / (np.sqrt(squared) + EPSILON), freedom)


def tails(confidence: tuple[float, ...], *, halved_twice: bool) -> Array:
    """The two-sided p-value below which each level of confidence rejects.

    The paper's critical value is that of (1 − CI)/4 in each tail: `halved_twice`.

    >>> tails((0.95, 0.7), halved_twice=False).round(3), tails((0.95, 0.7), halved_twice=True)
    (array([0.05, 0.3 ]), array([0.025, 0.15 ]))
    """
    p: Array = (1 - np.asarray(confidence)) / (2 if halved_twice else 1)
    return p


def critical_values(tail: Array, df: Array) -> Array:
    """The |t| that a level asks for: t.ppf(1 − p/2, df).

    >>> critical_values(np.array([0.025]), np.array([14.0])).round(3)
    array([2.51])
    """
    found: Array = stdtrit(df, 1 - tail / 2)
    return found


def rejections(p: Array, tail: Array) -> NDArray[np.int64]:
    """How many levels reject each test; the strictest level is the last to."""
    below: NDArray[np.int64] = (p[..., None] < tail).sum(axis=-1)
    return below


def weighted_rejections(p: Array, tail: Array, weights: Array) -> Array:
    """ψ over the last axis: the weights of every level at which a test rejects.

    NaN where a test could not be made: fewer tests would be fewer rejections.

    >>> weighted_rejections(np.array([[0.01, 0.2, 0.9]]), np.array([0.05, 0.3, 0.4]),
    ...                     np.array([1.0, 0.8, 0.6]))  # 2.4 + 1.4
    array([3.8])
    """
    psi = ((p[..., None] < tail) * weights).sum(axis=(-1, -2))
    return np.where(np.isnan(p).any(axis=-1), np.nan, psi)


# Pearl (2009): E[S | do(e)] = Σ_z E[S | e, z] P(z), where z are the classes that decide which words
# are said. Lakkaraju et al. (2023): DIE % = |E[S | do(e)] − E[S | e]| / |E[S | e]| × 100. All are
# functions of the sums over (classes, polarities); shapes are (systems, draws, …).

NEGATIVE, POSITIVE = 0, 1
"""Polarities, along the last axis."""


@dataclass(frozen=True, slots=True)
class Expectations:
    """E[S | e] and E[S | do(e)] for each polarity; NaN where no sentence has it."""

    observed: Array
    interventional: Array

    @property
    def difference(self) -> Array:
        """E[S | do(e)] − E[S | e]; what rounding leaves of none is 0."""
        return _settled(self.interventional - self.observed)


@dataclass(frozen=True, slots=True)
class RelativeChange:
    """A relative change in per cent; infinite where a change stands over 0: the papers' X."""

    percent: Array

    @property
    def undefined(self) -> NDArray[np.bool_]:
        """Where the denominator is 0 and the numerator is not."""
        return np.isinf(self.percent)


def expectations(sums: ClassSums) -> Expectations:
    """The mean score of each polarity before and after adjustment; `sums` over (classes, 2).

    A class without a sentence of that polarity cannot say what it would have been given: both
    means are then of the other classes, and P(z) is theirs alone.

    >>> from tiltmeter.stats.causal import ClassSums
    >>> n = np.array([[[[1.0, 3.0], [3.0, 1.0]]]])  # class 0: 1 negative, 3 positive; class 1: 3, 1
    >>> mean = np.array([[[[-1.0, 0.0], [0.0, 1.0]]]])
    >>> found = expectations(ClassSums(n, n * mean, n * mean))
    >>> found.observed[0, 0], found.interventional[0, 0]  # ½·(−1) + ½·0 and ½·0 + ½·1
    (array([-0.25,  0.25]), array([-0.5,  0.5]))
    """
    there = sums.n > 0
    share = sums.n.sum(axis=-1, keepdims=True) * there
    observed = _ratio(sums.total.sum(axis=-2), sums.n.sum(axis=-2))
    adjusted = (np.where(there, sums.mean, 0.0) * share).sum(axis=-2)
    return Expectations(observed, _ratio(adjusted, share.sum(axis=-2)))


def impact(found: Expectations) -> RelativeChange:
    """DIE % of each polarity: 0/0 is 0, anything else over 0 is infinite.

    >>> obs, do = np.array([[[0.25, 0.0, 0.0]]]), np.array([[[0.5, 0.0, 0.1]]])
    >>> impact(Expectations(obs, do)).percent[0, 0]
    array([100.,   0.,  inf])
    """
    return _relative(found.difference, found.observed)


@dataclass(frozen=True, slots=True)
class WordEffects:
    """The average effect of a positive word instead of a negative one, told three ways."""

    naive: Array
    """E[S | positive] − E[S | negative], of the classes that have both."""
    adjusted: Array
    """Σ_z P(z) (E[S | positive, z] − E[S | negative, z])."""
    matched: Array
    """Sentences matched by propensity, the share of positive words among their like."""
    unmatched: Array
    """Sentences without a match: their class has words of one polarity only."""

    @property
    def change(self) -> RelativeChange:
        """How far adjustment moves the effect, in per cent of the naive one."""
        return _relative(_settled(self.adjusted - self.naive), self.naive)


def treatment_effects(sums: ClassSums) -> WordEffects:
    """The effect of a word's polarity on scores; `sums` over (classes, 2).

    Matching is by the propensity score e(z) = P(positive | z), nearest neighbours with replacement,
    all that are as near averaged (Abadie & Imbens 2006). Sentences of one class share their score,
    so a match is always in the class itself or in another of the very same propensity: the caliper
    is 0. With nothing but classes to match on this comes to backdoor adjustment itself.
    """
    both: NDArray[np.bool_] = np.all(sums.n > 0, axis=-1)
    n, total = sums.n * both[..., None], sums.total * both[..., None]
    kept = ClassSums(n, total, sums.squares)
    observed = _ratio(total.sum(axis=-2), n.sum(axis=-2))
    within = np.where(both, _gap(np.where(both[..., None], kept.mean, 0.0)), 0.0)
    size = n.sum(axis=-1)
    adjusted = _ratio((within * size).sum(axis=-1), size.sum(axis=-1))
    # Whether two classes have the same share of positive words, (…, classes, classes).
    crossed = n[..., POSITIVE][..., :, None] * n.sum(axis=-1)[..., None, :]
    same: NDArray[np.bool_] = crossed == np.swapaxes(crossed, -1, -2)
    alike = same & both[..., None, :] & both[..., :, None]
    pooled = _ratio(*(np.einsum("...yz,...ze->...ye", alike, part) for part in (total, n)))
    pools = np.where(both, _gap(np.where(both[..., None], pooled, 0.0)), 0.0)
    matched = _ratio((pools * size).sum(axis=-1), size.sum(axis=-1))
    unmatched = (sums.n * ~both[..., None]).sum(axis=(-1, -2))
    return WordEffects(_gap(observed), adjusted, matched, unmatched)


def _gap(means: Array) -> Array:
    gap: Array = means[..., POSITIVE] - means[..., NEGATIVE]
    return gap


def _ratio(above: Array, below: Array) -> Array:
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


def _settled(difference: Array) -> Array:
    return np.where(np.abs(difference) < TINY, 0.0, difference)


def _relative(difference: Array, to: Array) -> RelativeChange:
    above, below = np.abs(difference), np.abs(to)
    found = np.divide(100 * above, below, out=np.full_like(above, np.inf), where=below >= TINY)
    found = np.where((below < TINY) & (above == 0), 0.0, found)
    return RelativeChange(np.where(np.isnan(difference), np.nan, found))
