"""A row for a text from the vectors of its tokens."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiltmeter.vectors.encoder import Rows


def mean_pooled(hidden: Rows, mask: NDArray[np.int64]) -> Rows:
    """Σ mask · h / Σ mask (Reimers & Gurevych 2019); (texts, tokens, d) → (texts, d).

    >>> mean_pooled(np.array([[[1.0], [3.0], [9.0]]], np.float32), np.array([[1, 1, 0]])).tolist()
    [[2.0]]
    """
    weights = mask.astype(np.float32)
    total = np.einsum("ntd,nt->nd", hidden, weights)
    return np.asarray(total / weights.sum(axis=1, keepdims=True), np.float32)


def first_pooled(hidden: Rows, mask: NDArray[np.int64]) -> Rows:
    """The vector of the first token, [CLS] or <s> (Câmara et al. 2022, §4.1).

    >>> first_pooled(np.array([[[0.0], [3.0], [9.0]]], np.float32), np.array([[0, 1, 1]])).tolist()
    [[3.0]]
    """
    return np.asarray(hidden[np.arange(len(hidden)), mask.argmax(axis=1)], np.float32)


POOLINGS = {"mean": mean_pooled, "first": first_pooled}
