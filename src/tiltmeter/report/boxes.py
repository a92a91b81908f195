"""Boxes of differences as in K&M 2018, Figures 1 and 2: quartiles, whiskers at 1.5 IQR."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

REACH = 1.5
"""How many interquartile ranges a whisker may reach beyond its box."""


def boxes(deltas: Array) -> Array:
    """Lower whisker, first quartile, median, third quartile, upper whisker, (submissions, 5).

    A whisker ends at the farthest difference within 1.5 IQR of the box; a row without any
    difference is NaN.

    >>> boxes(np.array([[0.0, 1.0, 2.0, 3.0, 4.0, 100.0]])).tolist()  # Q3 + 1.5·IQR = 7.5
    [[0.0, 1.25, 2.5, 3.75, 4.0]]
    """
    found = np.full((deltas.shape[0], 5), np.nan)
    some = ~np.isnan(deltas).all(axis=1) if deltas.size else np.zeros(deltas.shape[0], bool)
    if not some.any():
        return found
    taken = deltas[some]
    first, median, third = np.nanquantile(taken, (0.25, 0.5, 0.75), axis=1)
    reach = REACH * (third - first)
    inside = (taken >= (first - reach)[:, None]) & (taken <= (third + reach)[:, None])
    low = np.min(taken, axis=1, initial=np.inf, where=inside)
    high = np.max(taken, axis=1, initial=-np.inf, where=inside)
    found[some] = np.column_stack([low, first, median, third, high])
    return found
