"""From probabilities of terms to one number: how unevenly they fall (Sweeney & Najafian 2019)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def shares(probabilities: Array) -> Array:
    """Each term's part of the sum over terms, the first axis: f(k) / Σ f(k)."""
    total = probabilities.sum(axis=0, keepdims=True)
    parts: Array = probabilities / np.where(total > 0, total, 1.0)
    return parts


def rnsb(probabilities: Array) -> Array:
    """Relative negative sentiment bias: Σ P log(P · n), P the shares of n terms, natural log.

    The Kullback–Leibler divergence of the shares from even ones; 0 is even, log n all on one term.
    Terms are the first axis.

    >>> float(rnsb(np.array([0.2, 0.2, 0.2]))), float(rnsb(np.array([0.3, 0.1])).round(6))
    (0.0, 0.130812)
    """
    parts = shares(probabilities)
    safe = np.where(parts > 0, parts, 1.0)
    found: Array = np.sum(parts * np.log(safe * len(parts)), axis=0)
    return np.maximum(found, 0.0) + 0.0  # rounding may leave −1e-17
