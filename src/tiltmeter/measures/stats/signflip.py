"""The sign-flip test: each pair's difference might as well have pointed the other way.

Under the null, swapping the two people of a pair changes the sign of its Δ and nothing else. The
p-value is the share of sign patterns whose |ΣΔ| is at least the one seen. It assumes symmetry and
independence of the pairs, not normality.

Up to 14 differences that are not 0, every pattern is tried. Beyond, a random group of 8,192 is: a
pair has a code b, a pattern has a number g, and the pair's sign is −1 to the number of ones in
g & b. Patterns multiplied give patterns again, so the test keeps its level exactly, and the sums
under all of them are one Walsh–Hadamard transform of the Δ laid out by code.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
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
