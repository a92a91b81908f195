"""What unseen names may do to a mean: the floor that knows its level (METHODS §10.6).

A lexicon may know one name in a thousand. A list without it shows no spread at all, and says only
that such names are rare: with n names drawn, more than a share u of them would have shown itself,
but for a chance of α/2. As a variance times a normal quantile this went wrong at small α, since a
rare name is nothing like normal; so u is taken at the level that is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

Array = NDArray[np.float64]


def unseen_share(
    n: ArrayLike, level: float = 0.95, *, probability: ArrayLike = 0.0, knowable: ArrayLike = 1.0
) -> Array:
    """The largest share of a population that n names drawn may have missed altogether.

        u = 1 − (α/2)^(1/n),  α = 1 − level

    `n` is any shape, and may be an effective number; of no name all may be unseen. Of a population
    that n names are a part `probability` = π of, M names are all missed with (1 − π)^M at most, so
    that u is at most π/n · log(α/2)/log(1 − π): 0 where everybody came. `knowable` is the share of
    the population that the system can know at all, the mean of a mask of its names: no more can be
    words to it. Where none has a vector or stands in its list, u is 0.

    Ten names: (1 − 0.308)¹⁰ = 2.5 %. Ten of twenty: ½^5.3 = 2.5 %, and 5.3 of twenty is 26.6 %.

    >>> unseen_share([10, 300]).round(4)
    array([0.3085, 0.0122])
    >>> unseen_share([10, 20], probability=[0.5, 1.0]).round(3)
    array([0.266, 0.   ])
    >>> unseen_share([10], knowable=0.02), unseen_share([10], knowable=0.0)
    (array([0.02]), array([0.]))
    """
    names = np.maximum(np.asarray(n, np.float64), 1e-300)
    tail, chance = np.log((1.0 - level) / 2.0), np.asarray(probability, np.float64)
    with np.errstate(divide="ignore"):
        missed = np.divide(
            chance, np.log1p(-chance), out=np.full(chance.shape, -1.0), where=chance > 0
        )
    finite = np.where(chance > 0, tail * missed / names, 1.0)
    share = np.minimum(-np.expm1(tail / names), finite)
    return np.asarray(np.minimum(share, np.asarray(knowable, np.float64)))


@dataclass(frozen=True, slots=True)
class EffectiveNames:
    """How many names alike the drawn part of a mean is worth; arrays of shape (rows,)."""

    n: Array
    part: Array
    """The share of the mean that was drawn; the rest came with certainty."""
    probability: float
    """Of being drawn, where all of that part were drawn alike; else 0."""

    def unseen(self, level: float = 0.95, knowable: ArrayLike = 1.0) -> Array:
        """The share of the whole mean that may lie with names nobody saw."""
        share = unseen_share(self.n, level, probability=self.probability, knowable=knowable)
        return np.asarray(self.part * share)


def effective_names(share: Array, probability: Array) -> EffectiveNames:
    """What the names of one group are worth: (Σ h)²/Σ h² over those not certain to come.

    `share` (rows, names) is what each name counts in the group's mean, all cells together;
    `probability` (names,) of being drawn.

    Two cells of ten names alike count as twenty; a name that is certain to come hides nobody.

    >>> names = effective_names(np.array([[0.5, 0.25, 0.25]]), np.array([1.0, 0.1, 0.1]))
    >>> names.n, names.part, names.unseen().round(3)  # 0.5 · (1 − √0.025)
    (array([2.]), array([0.5]), array([0.421]))
    """
    drawn = np.where(probability < 1.0, np.abs(share), 0.0)
    part, squares = drawn.sum(axis=1), (drawn**2).sum(axis=1)
    n = np.divide(part**2, squares, out=np.zeros(part.shape), where=squares > 0)
    unsure = probability[probability < 1.0]
    alike = unsure.size > 0 and float(np.ptp(unsure)) < 1e-12
    return EffectiveNames(n, part, float(unsure[0]) if alike else 0.0)


def reach_with_unseen(
    se: ArrayLike,
    df: ArrayLike,
    unseen: Sequence[ArrayLike],
    moves: ArrayLike,
    level: float = 0.95,
) -> Array:
    """Half the width of a mean's interval, with what unseen names may do.

        reach² = (t · se)² + Σ over groups (u · w)²

    `se` and `df` (rows,) are of what was seen, without a floor; `unseen` has an array (rows,) for
    each group; `moves` (rows,) is w, how far a name that is a word moves a score.

    Twenty names a group that nothing moves, words that move a score by 20 points: u = 16.8 %, and
    the interval reaches √2 · 0.168 · 20 = 4.8 points.

    >>> u = unseen_share(20)
    >>> round(float(reach_with_unseen(0.0, 38.0, [u, u], 0.2)), 4)
    0.0476
    """
    error, free = np.asarray(se, np.float64), np.asarray(df, np.float64)
    quantile = stdtrit(np.where(free > 0, free, np.nan), (1.0 + level) / 2.0)
    seen = np.where(error > 0, quantile * error, error)
    far = np.asarray(moves, np.float64)
    ground = sum(((np.asarray(u, np.float64) * far) ** 2 for u in unseen), np.zeros(far.shape))
    return np.asarray(np.sqrt(seen**2 + ground))
