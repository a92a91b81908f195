"""The sign-flip test: each pair's difference might as well have pointed the other way.

Under the null, swapping the two people of a pair changes the sign of its Δ and nothing else. The
p-value is the share of sign patterns whose |ΣΔ| is at least the one seen. It assumes symmetry and
independence of the pairs, not normality. Exact with few pairs, else sampled.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EXACT = 14
"""Up to so many pairs every pattern of signs is tried: 2^14 / 2 = 8,192."""
BLOCK = 2_000_000
"""Signs drawn at a time."""
CLOSE = 1e-12
"""Sums that differ by less than this part of Σ|Δ| are ties."""


def sign_flip(deltas: Array, rng: np.random.Generator, flips: int) -> Array:
    """Two-sided p-value for each system; `deltas` is (systems, pairs), NaN for a dropped pair.

    Exact: #{|ΣsΔ| ≥ |ΣΔ|} / 2^n. Sampled: (1 + #) / (1 + flips).

    >>> sign_flip(np.array([[1.0, 2.0, 3.0]]), np.random.default_rng(0), 99)  # 2 of 8 patterns
    array([0.25])
    """
    known = np.nan_to_num(deltas)  # a dropped pair adds 0 under either sign
    pairs = known.shape[1]
    seen = np.abs(known.sum(axis=1)) - CLOSE * np.abs(known).sum(axis=1)
    none = np.isnan(deltas).all(axis=1)
    if pairs <= EXACT:
        share = _as_extreme(known, _every_sign(pairs), seen) / 2.0 ** max(pairs - 1, 0)
    else:
        hits = np.zeros(len(known), np.int64)
        for drawn in _in_blocks(flips, pairs):
            hits += _as_extreme(known, _random_signs(rng, drawn, pairs), seen)
        share = (1.0 + hits) / (1.0 + flips)
    return np.where(none, np.nan, share)


def _as_extreme(deltas: Array, signs: Array, seen: Array) -> NDArray[np.int64]:
    """How many patterns give a sum as far from 0 as the one seen."""
    reached: NDArray[np.bool_] = np.abs(deltas @ signs) >= seen[:, None]
    hits: NDArray[np.int64] = reached.sum(axis=1)
    return hits


def _every_sign(pairs: int) -> Array:
    """All patterns with the first sign held, as (pairs, patterns): the other half mirrors them."""
    patterns = np.arange(2 ** max(pairs - 1, 0))
    bits = (patterns[None, :] >> np.arange(pairs)[:, None]) & 1
    return 1.0 - 2.0 * bits.astype(np.float64)


def _random_signs(rng: np.random.Generator, drawn: int, pairs: int) -> Array:
    bits = np.unpackbits(rng.integers(0, 256, (pairs, -(-drawn // 8)), np.uint8), axis=1)
    return 1.0 - 2.0 * bits[:, :drawn].astype(np.float64)


def _in_blocks(flips: int, pairs: int) -> list[int]:
    size = max(1, BLOCK // max(pairs, 1))
    return [min(size, flips - start) for start in range(0, flips, size)]
