"""The one pass over sentences that a mixed model needs: fixed effects taken out, levels summed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

DUST = 1e-6
"""A residual below this part of the spread that the fixed effects leave counts as 0."""
SAME = 1e-8
"""Factors whose patterns differ by less than this cannot be told apart."""


@dataclass(frozen=True, slots=True)
class Reduced:
    """Sentences as REML sees them: the design once, the values of s submissions."""

    free: int
    """ν = n − p."""
    inner: Array
    """A = Z'MZ, (q, q)."""
    owner: Array
    """1 where a random column belongs to a factor, (q, K)."""
    toward: Array
    """b = Z'My, (s, q)."""
    rest: Array
    """c = y'My, (s,)."""
    levels: Array
    """a = A⁻b: the factors' levels fitted as fixed effects, (s, q)."""
    least: Array
    """r, the squares these leave, (s,)."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """The fixed effects' side: estimates by least squares, and what random effects change."""

    coefficients: Array
    inverse: Array
    """(X'X)⁻¹."""
    lean: Array
    """Z'X(X'X)⁻¹, (q, p)."""
    size: float
    """log|X'X|."""


def reduce_sentences(
    y: Array, x: Array, factors: Sequence[Codes]
) -> tuple[list[int], Fixed, Reduced]:
    """The one pass over sentences: which factors stay, the fixed side, and the random one."""
    basis, root = np.linalg.qr(x)
    blocks = [np.equal.outer(codes, np.unique(codes)).astype(float) for codes in factors]
    free = x.shape[0] - x.shape[1]
    kept = _told_apart([z - basis @ (basis.T @ z) for z in blocks], free)
    z = np.concatenate([np.empty((x.shape[0], 0)), *(blocks[k] for k in kept)], axis=1)
    owner = np.repeat(np.eye(len(kept)), [blocks[k].shape[1] for k in kept], axis=0)
    left = y - (y @ basis) @ basis.T
    cross = z.T @ basis
    invert = np.linalg.inv(root)
    fixed = Fixed(
        coefficients=y @ basis @ invert.T,
        inverse=invert @ invert.T,
        lean=cross @ invert.T,
        size=2.0 * float(np.sum(np.log(np.abs(np.diagonal(root))))),
    )
    inner, moved = z.T @ z - cross @ cross.T, z - basis @ cross.T
    toward, rest = left @ moved, np.sum(left**2, axis=1)
    levels = toward @ np.linalg.pinv(inner, rcond=SAME, hermitian=True)
    least = np.sum((left - levels @ moved.T) ** 2, axis=1)
    return kept, fixed, Reduced(free, inner, owner, toward, rest, levels, least)


def _told_apart(blocks: Sequence[Array], free: int) -> list[int]:
    """The factors whose MZ_kZ_k'M is no combination of M and of those of the factors before."""
    kept: list[int] = []
    for k, block in enumerate(blocks):
        tried = [*(blocks[j] for j in kept), block]
        owner = np.repeat(np.eye(len(tried)), [z.shape[1] for z in tried], axis=0)
        joined = np.concatenate(tried, axis=1)
        products = moments(joined.T @ joined, owner, free)
        size = np.sqrt(np.diagonal(products))
        if size[-2] > SAME * size[-1]:
            unit = products / (size[:, None] * size[None, :])
            kept += [k] if np.linalg.eigvalsh(unit)[0] > SAME else []
    return kept


def leaves_something(y: Array, of: Reduced) -> Codes:
    """Submissions whose values vary, and not only from level to level of the factors."""
    saturated = np.linalg.matrix_rank(of.inner, tol=SAME, hermitian=True) >= of.free
    spare = saturated | (of.least > DUST**2 * of.rest)
    able: Codes = np.flatnonzero(spare & (of.rest > DUST**4 * np.sum(y**2, axis=1)))
    return able


def some(of: Reduced, rows: NDArray[np.int64] | slice) -> Reduced:
    """The same design with the values of some submissions."""
    kept = (part[rows] for part in (of.toward, of.rest, of.levels, of.least))
    return Reduced(of.free, of.inner, of.owner, *kept)


def moments(inner: Array, owner: Array, free: int) -> Array:
    """The products tr(V_i M V_j M) of the parts of the variance, the residual last."""
    traces = np.diagonal(inner) @ owner
    return np.block(
        [[owner.T @ inner**2 @ owner, traces[:, None]], [traces[None, :], np.full((1, 1), free)]]
    )
