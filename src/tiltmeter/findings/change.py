"""What may be claimed of a change between two versions: same, better, worse, or undecided.

With d = θ_new − θ_old and s = θ_new + θ_old, the new tilt is the smaller one exactly where d and s
have opposite signs, since θ_new² − θ_old² = d · s. So *better* and *worse* need both d and s told
from 0, each two-sided at the level. Where both tilts are equal in size, d or s is 0, and so either
verdict is false at most as often as the level allows: also near zero, where |·| has a corner and
the delta method would not hold. *Same* is two one-sided tests of |d| < margin. Where a version
gives no signal, only *worse* is said: a tilt that shrank with the signal is no better.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

Array = NDArray[np.float64]

SAME, BETTER, WORSE, UNDECIDED, NOT_ESTIMABLE = (
    "same",
    "better",
    "worse",
    "undecided",
    "not_estimable",
)
MAY_EXCEED, MOVED_MAY_EXCEED, MAY_BE_NONE, MANY_LOOKS, WHICH_LARGER = (
    "may_exceed",
    "moved_may_exceed",
    "may_be_none",
    "many_looks",
    "which_larger",
)
"""Why a change is undecided: it may be larger than the margin; it is there, and may be; there may
be none; it is there unless many comparisons are allowed for; it is there, and which of the two
tilts is larger is not shown."""
COVERED = 0.95
"""Of the interval of a change in size."""
CORNER = 1.5
"""An interval of the size fails where that of d does on either side, or that of s on one."""


def p_apart(value: Array, se: Array, df: Array) -> Array:
    """Two-sided p of a t-test of 0; without a spread 1 where the value is 0, else 0.

    >>> p_apart(np.array([0.2, 0.0, 0.1]), np.array([0.1, 0.0, 0.0]), np.full(3, 2.0)).round(4)
    array([0.1835, 1.    , 0.    ])
    """
    statistic = np.divide(value, se, out=np.zeros(np.shape(value)), where=se > 0)
    still = np.where(value == 0, 1.0, 0.0)
    found: Array = np.where(se > 0, 2.0 * stdtr(df, -np.abs(statistic)), still)
    return np.where(np.isnan(value) | np.isnan(se), np.nan, found)


def p_resized(change: tuple[Array, Array, Array], total: tuple[Array, Array, Array]) -> Array:
    """P of a tilt of the same size: the larger of those of no change and no total.

    Each is given as value, se, df.

    >>> one = lambda value: tuple(np.array([number]) for number in (value, 0.1, 1e9))
    >>> p_resized(one(-0.3), one(0.5)).round(4), p_resized(one(-0.3), one(0.05)).round(2)
    (array([0.0027]), array([0.62]))
    """
    return np.maximum(p_apart(*change), p_apart(*total))


def resized(old: Array, new: Array) -> Array:
    """How much larger the tilt is than before: |new| − |old|."""
    return np.abs(new) - np.abs(old)


def resized_within(
    change: tuple[Array, Array, Array], total: tuple[Array, Array, Array]
) -> tuple[Array, Array]:
    """An interval of |θ_new| − |θ_old| that covers it at least 95 times in 100.

    |θ_new| − |θ_old| = sign(d s) · min(|d|, |s|); the interval is every value this takes while d
    and s lie in intervals of their own, of 1 − 0.05 / 1.5 = 96.7 % each.

    >>> one = lambda value: tuple(np.array([number]) for number in (value, 0.01, 1e9))
    >>> [end.round(3) for end in resized_within(one(-0.1), one(0.3))]  # s decides nothing here
    [array([-0.121]), array([-0.079])]
    """
    level = (1.0 - COVERED) / CORNER
    (d_low, d_high), (s_low, s_high) = (_span(*one, level) for one in (change, total))
    corners = [_size(d, s) for d in (d_low, d_high) for s in (s_low, s_high)]
    # Within a box the extremes lie at its corners, or are 0 where one of d and s may be 0.
    crossing = (d_low <= 0) & (d_high >= 0) | (s_low <= 0) & (s_high >= 0)
    zero = np.where(crossing, 0.0, corners[0])
    every = np.stack([*corners, zero])
    return every.min(axis=0), every.max(axis=0)


def _span(value: Array, se: Array, df: Array, level: float) -> tuple[Array, Array]:
    reach = np.where(se > 0, se * stdtrit(df, 1.0 - level / 2.0), 0.0)
    reach = np.where(np.isnan(se), np.nan, reach)
    return value - reach, value + reach


def _size(d: Array, s: Array) -> Array:
    found: Array = np.sign(d * s) * np.minimum(np.abs(d), np.abs(s))
    return found


def change_verdicts(p_same: Array, p_size: Array, larger: Array, level: float) -> list[str]:
    """The verdict of each comparison, from p-values after correction and |θ_new| − |θ_old|.

    >>> nan = float("nan")
    >>> p_same = np.array([0.01, 0.9, 0.9, 0.9, nan])
    >>> p_size = np.array([0.01, 0.01, 0.01, 0.2, nan])
    >>> change_verdicts(p_same, p_size, np.array([0.1, 0.1, -0.1, 0.1, nan]), 0.05)
    ['same', 'worse', 'better', 'undecided', 'not_estimable']
    """
    unknown = np.isnan(p_same) | np.isnan(p_size)
    shown = p_size < level
    names = np.select(
        [unknown, p_same < level, shown & (larger > 0), shown & (larger < 0)],
        [NOT_ESTIMABLE, SAME, WORSE, BETTER],
        UNDECIDED,
    )
    return [str(name) for name in names]


def why_undecided(
    change: Array, margin: Array, alone: Array, corrected: Array, level: float
) -> list[str]:
    """Why each change would be undecided, from p of no change, by itself and after correction.

    Whether the tilt moved and whether that matters are two questions: a change of 4 points without
    any spread is certain, also where it is open which of the two tilts is the larger.

    >>> p = np.array([0.3, 0.001, 0.3, 0.03, 0.0])
    >>> change = np.array([0.005, 0.005, 0.04, 0.04, 0.04])
    >>> why_undecided(change, np.full(5, 0.01), p, np.minimum(1, 2 * p), 0.05)
    ['may_exceed', 'moved_may_exceed', 'may_be_none', 'many_looks', 'which_larger']
    """
    small, moved = np.abs(change) < margin, corrected < level
    names = np.select(
        [small & moved, small, moved, alone < level],
        [MOVED_MAY_EXCEED, MAY_EXCEED, WHICH_LARGER, MANY_LOOKS],
        MAY_BE_NONE,
    )
    return [str(name) for name in names]
