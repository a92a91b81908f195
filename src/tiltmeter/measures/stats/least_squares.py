"""Ordinary least squares for many submissions at once, from sums over the cells of the design.

Câmara et al. (2022) print least-squares coefficients under the name of Beta coefficients; so does
the published mode.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LeastSquares:
    """Fits of every submission; NaN where there is none."""

    parameters: Array
    """(submissions, p)"""
    covariance: Array
    """(submissions, p, p), as if sentences were independent and spread alike."""
    df: Array
    """(submissions,): scores minus parameters."""


def fit_least_squares(n: Array, total: Array, squares: Array, design: Array) -> LeastSquares:
    """Fit from n, Σ y and Σ y² of each cell, (submissions, cells); `design` is (cells, p)."""
    size = design.shape[1]
    normal = np.einsum("sc,cj,ck->sjk", n, design, design, optimize=True)
    parameters = np.full((len(n), size), np.nan)
    covariance = np.full((len(n), size, size), np.nan)
    df = n.sum(axis=1) - size
    fine = (np.linalg.matrix_rank(normal, hermitian=True) == size) & (df > 0)
    if fine.any():
        inverse = np.linalg.inv(normal[fine])
        found = np.einsum("sjk,sc,ck->sj", inverse, total[fine], design, optimize=True)
        residual = _residual(n[fine], total[fine], squares[fine], found @ design.T)
        parameters[fine] = found
        covariance[fine] = inverse * (residual / df[fine])[:, None, None]
    return LeastSquares(parameters, covariance, np.where(fine, df, np.nan))


def _residual(n: Array, total: Array, squares: Array, fitted: Array) -> Array:
    """Σ (y − ŷ)², within cells and between them, so that no digits are lost."""
    with np.errstate(all="ignore"):
        mean = np.where(n > 0, total / n, 0.0)
        within = np.where(n > 0, squares - total * mean, 0.0)
    found: Array = np.sum(np.maximum(within, 0.0) + n * (mean - fitted) ** 2, axis=1)
    return found
