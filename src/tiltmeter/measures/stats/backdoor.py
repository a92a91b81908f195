"""Adjusting for who is spoken of: expectations before and after, and the effect of a word.

Pearl (2009): E[S | do(e)] = Σ_z E[S | e, z] P(z), where z are the classes that decide which words
are said. Lakkaraju et al. (2023): DIE % = |E[S | do(e)] − E[S | e]| / |E[S | e]| × 100. All are
functions of the sums over (classes, polarities); shapes are (systems, draws, …).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.stats.class_sums import Array, ClassSums
from tiltmeter.measures.stats.rejections import TINY

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
class Change:
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

    >>> from tiltmeter.measures.stats.class_sums import ClassSums
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


def impact(found: Expectations) -> Change:
    """DIE % of each polarity: 0/0 is 0, anything else over 0 is infinite.

    >>> obs, do = np.array([[[0.25, 0.0, 0.0]]]), np.array([[[0.5, 0.0, 0.1]]])
    >>> impact(Expectations(obs, do)).percent[0, 0]
    array([100.,   0.,  inf])
    """
    return _relative(found.difference, found.observed)


@dataclass(frozen=True, slots=True)
class Effects:
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
    def change(self) -> Change:
        """How far adjustment moves the effect, in per cent of the naive one."""
        return _relative(_settled(self.adjusted - self.naive), self.naive)


def treatment_effects(sums: ClassSums) -> Effects:
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
    alike = _same_propensity(n) & both[..., None, :] & both[..., :, None]
    pooled = _ratio(*(np.einsum("...yz,...ze->...ye", alike, part) for part in (total, n)))
    pools = np.where(both, _gap(np.where(both[..., None], pooled, 0.0)), 0.0)
    matched = _ratio((pools * size).sum(axis=-1), size.sum(axis=-1))
    unmatched = (sums.n * ~both[..., None]).sum(axis=(-1, -2))
    return Effects(_gap(observed), adjusted, matched, unmatched)


def _gap(means: Array) -> Array:
    gap: Array = means[..., POSITIVE] - means[..., NEGATIVE]
    return gap


def _same_propensity(n: Array) -> NDArray[np.bool_]:
    """(…, classes, classes): whether two classes have the same share of positive words."""
    positive, size = n[..., POSITIVE], n.sum(axis=-1)
    crossed = positive[..., :, None] * size[..., None, :]
    same: NDArray[np.bool_] = crossed == np.swapaxes(crossed, -1, -2)
    return same


def _ratio(above: Array, below: Array) -> Array:
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


def _settled(difference: Array) -> Array:
    return np.where(np.abs(difference) < TINY, 0.0, difference)


def _relative(difference: Array, to: Array) -> Change:
    above, below = np.abs(difference), np.abs(to)
    found = np.divide(100 * above, below, out=np.full_like(above, np.inf), where=below >= TINY)
    found = np.where((below < TINY) & (above == 0), 0.0, found)
    return Change(np.where(np.isnan(difference), np.nan, found))
