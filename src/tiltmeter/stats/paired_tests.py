"""Tests of paired differences: t, sign flips, McNemar, for every system at once.

Rows are systems, columns are pairs; NaN marks a pair that a system cannot be compared on. Kept
out of the test, it is counted. K&M 2018, §4; the degenerate cases are METHODS §2's.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincinv, ndtri, stdtr, stdtrit

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

DUST = 1e-6
"""Below this part of the scale a difference or a standard deviation counts as 0."""
LEVEL = 0.95
"""Of the intervals."""


@dataclass(frozen=True, slots=True)
class PairedTest:
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


def paired_t(deltas: Array, width: Array) -> PairedTest:
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


def paired_t_of(n: Counts, mean: Array, sd: Array, width: Array) -> PairedTest:
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
    return PairedTest(
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


def standardised(found: PairedTest) -> tuple[Array, Array, Array, Array]:
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


# Under the null, swapping the two people of a pair changes the sign of its Δ and nothing else. The
# p-value is the share of sign patterns whose |ΣΔ| is at least the one seen. It assumes symmetry and
# independence of the pairs, not normality.
# Up to 14 differences that are not 0, every pattern is tried. Beyond, a random group of 8,192 is: a
# pair has a code b, a pattern has a number g, and the pair's sign is −1 to the number of ones in
# g & b. Patterns multiplied give patterns again, so the test keeps its level exactly, and the sums
# under all of them are one Walsh–Hadamard transform of the Δ laid out by code.

Codes = NDArray[np.int64]

PATTERNS = 2**13
"""How many patterns are tried, each with its mirror image."""
MOST_FLIPS = 2**20
"""How many may be asked for: more would only take memory."""
CLOSE = 1e-9
"""Sums that differ by less than this part of Σ|Δ| are ties, since scores are rounded."""
ROWS = 32
"""Systems at a time, so that their sums stay in the processor's cache."""


def sign_flip(deltas: Array, rng: np.random.Generator, patterns: int = PATTERNS) -> Array:
    """Two-sided p-value for each system; `deltas` is (systems, pairs), NaN for a dropped pair.

    p = #{g: |Σ s(g) Δ| ≥ |ΣΔ|} / #g. `patterns` is rounded down to a power of two.

    >>> sign_flip(np.array([[1.0, 2.0, 3.0]]), np.random.default_rng(0))  # 2 of 8 patterns
    array([0.25])
    """
    known = np.nan_to_num(deltas)  # a dropped pair adds 0 under either sign, as a Δ of 0 does
    bits = max(patterns, 1).bit_length() - 1
    moved = np.count_nonzero(known, axis=1)
    exact = moved <= bits + 1
    most = int(moved[exact].max(initial=1))
    share = np.empty(len(known))
    share[exact] = _share(_nonzero_first(known[exact], most), _unit_codes(most), most - 1)
    share[~exact] = _share(known[~exact], _random_codes(rng, known.shape[1], bits), bits)
    return np.where(np.isnan(deltas).all(axis=1), np.nan, share)


def _nonzero_first(deltas: Array, most: int) -> Array:
    """Each row's differences that are not 0, then zeros: `most` of them, or all there are."""
    order = np.argsort(deltas == 0, axis=1, kind="stable")[:, :most]
    return np.take_along_axis(deltas, order, axis=1)


def _unit_codes(pairs: int) -> Codes:
    """0, 1, 2, 4, …: the first sign is held, its mirror images being no news; the rest is free."""
    return np.concatenate([[0], 2 ** np.arange(pairs - 1)])


def _random_codes(rng: np.random.Generator, pairs: int, bits: int) -> Codes:
    """Codes in random order, each once before any twice: no two pairs always flip together."""
    rounds = [rng.permutation(2**bits) for _ in range(-(-pairs // 2**bits))]
    return np.concatenate([np.zeros(0, np.int64), *rounds])[:pairs]


def _share(deltas: Array, codes: Codes, bits: int) -> Array:
    """The share of patterns whose sum is as far from 0 as the one seen."""
    seen = np.abs(deltas.sum(axis=1)) - CLOSE * np.abs(deltas).sum(axis=1)

    def hits(some: slice) -> NDArray[np.int64]:
        sums = _sums(deltas[some], codes, bits)
        as_far = np.abs(sums, out=sums) >= seen[some]
        count: NDArray[np.int64] = as_far.sum(axis=0)
        return count

    slices = [slice(at, at + ROWS) for at in range(0, len(deltas), ROWS)]
    if len(slices) < 2:
        return np.concatenate([np.zeros(0), *map(hits, slices)]) / 2.0**bits
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # NumPy lets others run while it adds
        return np.concatenate(list(pool.map(hits, slices))) / 2.0**bits


def _sums(deltas: Array, codes: Codes, bits: int) -> Array:
    """ΣsΔ under every pattern, (2^bits patterns, systems): a Walsh–Hadamard transform by code.

    Plain sums and differences: a product of matrices would be no quicker, and would wait for other
    users of a busy machine.
    """
    size, systems = 2**bits, len(deltas)
    sums, spare = np.zeros((size, systems)), np.empty((size, systems))
    for start in range(0, deltas.shape[1], size):  # within which no code stands twice
        some = slice(start, start + size)
        sums[codes[some]] += deltas[:, some].T
    for bit in range(bits):
        halves, made = (array.reshape(-1, 2, 2**bit * systems) for array in (sums, spare))
        np.add(halves[:, 0], halves[:, 1], out=made[:, 0])
        np.subtract(halves[:, 0], halves[:, 1], out=made[:, 1])
        sums, spare = spare, sums
    return sums


# Of n pairs, b have the higher label on the first side and c on the second; the others have the
# same on both. Arrays hold counts for each system; nothing here knows that pairs may share
# people.

HALVINGS = 60
"""Of the range −1 to 1, which leaves an end known to the last digit."""


def exact_interval(hits: Counts, n: Counts) -> tuple[Array, Array]:
    """Clopper and Pearson's (1934) 95 % interval of a share hits / n; NaN for n = 0.

    low is the p at which P(X ≥ hits) = 2.5 %, high the one at which P(X ≤ hits) = 2.5 %.

    >>> low, high = exact_interval(np.array([0]), np.array([10]))
    >>> float(low[0]), round(float(high[0]), 4)  # (1 − p)^10 = 0.025, p = 1 − 0.025^0.1
    (0.0, 0.3085)
    """
    tail = (1.0 - LEVEL) / 2.0
    x, size = np.asarray(hits, float), np.asarray(n, float)
    rest = size - x
    low = np.where(x > 0, betaincinv(np.maximum(x, 1.0), rest + 1.0, tail), 0.0)
    high = np.where(rest > 0, betaincinv(x + 1.0, np.maximum(rest, 1.0), 1.0 - tail), 1.0)
    known = size > 0
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def mcnemar_p(b: Counts, c: Counts) -> Array:
    """The exact two-sided p of McNemar's (1947) test: whether b and c are a fair coin's.

    p = min(1, 2 · P(X ≤ min(b, c))), X binomial of b + c trials at ½; 1 where nothing changed.

    >>> mcnemar_p(np.array([1, 0]), np.array([7, 0]))  # 2 · (1 + 8) / 2^8 = 18 / 256
    array([0.0703125, 1.       ])
    """
    fewer, tosses = np.minimum(b, c), np.asarray(b) + c
    p: Array = np.minimum(1.0, 2.0 * bdtr(fewer, tosses, 0.5))
    return np.where(tosses > 0, p, 1.0)


def balance_interval(b: Counts, c: Counts, n: Counts) -> tuple[Array, Array]:
    """Tango's (1998) score interval of (b − c) / n, 95 %; NaN for n = 0.

    All δ that a score test does not reject: |b − c − nδ| ≤ z √(n (2q + δ (1 − δ))), with q the
    likeliest share of c at that δ, the larger root of 2n q² + Bq − cδ(1 − δ) = 0, where
    B = (2n − b + c) δ − b − c. It holds its level where few pairs change, and where none do.

    >>> low, high = balance_interval(np.array([0]), np.array([0]), np.array([100]))
    >>> round(float(high[0]), 5)  # nδ² = z² δ (1 − δ), so δ = z² / (n + z²) = 3.8415 / 103.8415
    0.03699
    """
    up, down, size = (np.asarray(one, np.float64) for one in (b, c, n))
    value = (up - down) / np.where(size > 0, size, np.nan)
    return _end(up, down, size, value, -1.0), _end(up, down, size, value, 1.0)


def _end(b: Array, c: Array, n: Array, value: Array, outer: float) -> Array:
    """Where the score test begins to reject, between the value seen and δ = `outer`."""
    far, near = np.full_like(value, outer), value.copy()
    for _ in range(HALVINGS):
        middle = (far + near) / 2.0
        rejected = _rejected(b, c, n, middle)
        far, near = np.where(rejected, middle, far), np.where(rejected, near, middle)
    return np.where(np.isnan(value), np.nan, near)


def _rejected(b: Array, c: Array, n: Array, delta: Array) -> NDArray[np.bool_]:
    """Whether b − c lies more than z standard errors from nδ."""
    linear = (2.0 * n - b + c) * delta - b - c
    root = np.sqrt(np.maximum(linear**2 + 8.0 * n * c * delta * (1.0 - delta), 0.0))
    q = (root - linear) / (4.0 * np.maximum(n, 1.0))
    variance = np.maximum(n * (2.0 * q + delta * (1.0 - delta)), 0.0)
    z = float(ndtri((1.0 + LEVEL) / 2.0))
    beyond: NDArray[np.bool_] = (b - c - n * delta) ** 2 > z**2 * variance
    return beyond
