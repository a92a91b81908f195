"""The paired t-test and what describes a set of differences, for every system at once.

Rows are systems, columns are pairs; NaN marks a pair that a system cannot be compared on. Kept out
of the test, it is counted. K&M 2018, §4; the degenerate cases are METHODS §2's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

DUST = 1e-6
"""Below this part of the scale a difference or a standard deviation counts as 0."""
LEVEL = 0.95
"""Of the intervals."""


@dataclass(frozen=True, slots=True)
class Paired:
    """A paired t-test for each system, arrays of shape (systems,); NaN where there is none."""

    n: Counts
    mean: Array
    sd: Array
    se: Array
    t: Array
    """NaN where sd is 0: all differences are equal, and the test needs no statistic."""
    df: Array
    p: Array
    low: Array
    high: Array


@dataclass(frozen=True, slots=True)
class Described:
    """What a system's differences look like, arrays of shape (systems,)."""

    up: Array
    """Mean of the differences above 0; NaN where there is none."""
    n_up: Counts
    down: Array
    n_down: Counts
    spread: Array
    """Largest minus smallest difference: K&M's Δ-spread."""
    largest: Array
    """Largest difference, whatever its sign."""
    size: Array
    """Mean difference, whatever the signs."""


def without_dust(numbers: Array, width: Array) -> Array:
    """Numbers with floating-point dust set to 0; `width` is each system's scale, (systems,)."""
    return np.where(np.abs(numbers) < DUST * width[:, None], 0.0, numbers)


def paired_t(deltas: Array, width: Array) -> Paired:
    """Two-sided paired t-test of mean Δ = 0: t = mean / (sd / √n), n − 1 degrees of freedom.

    All Δ = 0 gives p = 1; all Δ equal and not 0 gives p = 0; fewer than two pairs give none. A
    standard deviation that is dust is 0, and beside it a mean that is dust is 0 too.

    >>> found = paired_t(np.array([[0.1, 0.3, 0.2]]), np.ones(1))
    >>> round(found.t[0], 4), round(found.p[0], 4)  # 0.2 / (0.1 / √3)
    (np.float64(3.4641), np.float64(0.0742))
    """
    known = ~np.isnan(deltas)
    n = np.count_nonzero(known, axis=1)
    mean = _divided(np.where(known, deltas, 0.0).sum(axis=1), n)
    sd = _standard_deviation(np.where(known, deltas - mean[:, None], 0.0), n)
    return paired_t_of(n, mean, sd, width)


def paired_t_of(n: Counts, mean: Array, sd: Array, width: Array) -> Paired:
    """The same test from how many differences there are, their mean and standard deviation."""
    alike = sd < DUST * width
    sd = np.where(alike, 0.0, sd)
    mean = np.where(alike & (np.abs(mean) < DUST * width), 0.0, mean)
    se = _divided(sd, np.sqrt(n))
    df = np.where(n > 1, n - 1.0, np.nan)
    t = _divided(mean, se)
    p = np.where(sd > 0, 2.0 * stdtr(df, -np.abs(t)), np.where(mean == 0, 1.0, 0.0))
    reach = se * stdtrit(df, (1.0 + LEVEL) / 2.0)
    tested = n > 1
    return Paired(
        n, mean, sd, se, t, df, np.where(tested, p, np.nan), mean - reach, mean + reach
    )  # fmt: skip


def describe(deltas: Array) -> Described:
    """Means up and down, spread and sizes of the differences (K&M 2018, §5).

    >>> found = describe(np.array([[0.1, 0.3, -0.2, 0.0]]))
    >>> float(found.up[0]), float(found.down[0]), float(found.spread[0])
    (0.2, -0.2, 0.5)
    """
    n = np.count_nonzero(~np.isnan(deltas), axis=1)
    top = np.fmax.reduce(deltas, axis=1, initial=-np.inf)
    bottom = np.fmin.reduce(deltas, axis=1, initial=np.inf)
    above, below = np.fmax(deltas, 0.0), np.fmin(deltas, 0.0)  # 0 where NaN
    n_up, n_down = np.count_nonzero(above, axis=1), np.count_nonzero(below, axis=1)
    return described_by(n, above.sum(axis=1), n_up, below.sum(axis=1), n_down, top, bottom)


def described_by(
    n: Counts, up: Array, n_up: Counts, down: Array, n_down: Counts, top: Array, bottom: Array
) -> Described:
    """The same from the differences' sums above and below 0, and their largest and smallest."""
    some = n > 0
    with np.errstate(invalid="ignore"):  # ends of no difference are infinite
        spread, largest = top - bottom, np.maximum(top, -bottom) + 0.0
    return Described(
        up=_divided(up, n_up),
        n_up=n_up,
        down=_divided(down, n_down),
        n_down=n_down,
        spread=np.where(some, spread, np.nan),
        largest=np.where(some, largest, np.nan),
        size=_divided(up - down, n),
    )


def standardised(found: Paired) -> tuple[Array, Array, Array, Array]:
    """Cohen's d for pairs, mean / sd, with se = √(1/n + d²/2n) and its 95 % interval.

    NaN where sd is 0: equal differences have no spread to be measured in.
    """
    d = _divided(found.mean, found.sd)
    se = np.sqrt(_divided(1.0 + d * d / 2.0, found.n))
    reach = se * stdtrit(found.df, (1.0 + LEVEL) / 2.0)
    return d, se, d - reach, d + reach


def _standard_deviation(deviations: Array, n: Counts) -> Array:
    """With n − 1, from deviations, so that a large mean costs no digits."""
    squares = (deviations * deviations).sum(axis=1)
    sd: Array = np.sqrt(np.where(n > 1, squares / np.maximum(n - 1, 1), np.nan))
    return sd


def _divided(top: Array, bottom: Array | Counts) -> Array:
    """The quotient, NaN where there is nothing to divide by."""
    quotient: Array = np.full(np.shape(top), np.nan)
    np.divide(top, bottom, out=quotient, where=np.asarray(bottom) > 0)
    return quotient
