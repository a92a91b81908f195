"""Corrections for how many comparisons were made."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def bonferroni(p: Array, family: int) -> Array:
    """P · m, at most 1: no false alarm in the family, with the promised probability.

    >>> bonferroni(np.array([0.01, 0.03, 0.5]), 3)
    array([0.03, 0.09, 1.  ])
    """
    return np.minimum(p * family, 1.0)


def holm(p: Array, family: int) -> Array:
    """Holm (1979): the i-th smallest times m − i + 1, never below an earlier one.

    Promises what Bonferroni does and finds at least as much.

    >>> holm(np.array([0.01, 0.03, 0.04]), 3)
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p, kind="stable")
    times = np.maximum(family - np.arange(p.size), 1)
    return _put_back(np.maximum.accumulate(p[order] * times), order)


def benjamini_hochberg(p: Array, family: int) -> Array:
    """Benjamini & Hochberg (1995): the i-th smallest times m / i, never above a later one.

    Of the differences detected, at most the promised share are false alarms on average.

    >>> benjamini_hochberg(np.array([0.01, 0.03, 0.04]), 3)
    array([0.03, 0.04, 0.04])
    """
    order = np.argsort(p, kind="stable")
    scaled = p[order] * family / np.minimum(np.arange(1, p.size + 1), family)
    return _put_back(np.minimum.accumulate(scaled[::-1])[::-1], order)


def _put_back(ordered: Array, order: NDArray[np.int64]) -> Array:
    adjusted = np.empty_like(ordered)
    adjusted[order] = np.minimum(ordered, 1.0)
    return adjusted


def levels(p: Array, family: int, correction: str, level: float) -> Array:
    """The level of the interval that goes with each decision: it decides as the correction does.

    Bonferroni: level/m. Holm: the i-th smallest that is decided level/(m − i + 1), all others as
    the first that is not. Benjamini & Hochberg: level·R/m for all where R are decided (the false
    coverage rate of Benjamini & Yekutieli 2005).

    >>> levels(np.array([0.001, 0.02, 0.5]), 3, "holm", 0.06)
    array([0.02, 0.03, 0.06])
    """
    known = ~np.isnan(p)
    found = np.full(p.shape, level / family)
    adjusted = CORRECTIONS[correction](p[known], family)
    decided = int((adjusted < level).sum())
    if correction == "bh":
        found[known] = level * min(max(decided, 1), family) / family
    elif correction == "holm":
        place = np.argsort(np.argsort(p[known], kind="stable"), kind="stable")
        found[known] = level / np.maximum(family - np.minimum(place, decided), 1)
    return found


CORRECTIONS: dict[str, Callable[[Array, int], Array]] = {
    "bonferroni": bonferroni,
    "holm": holm,
    "bh": benjamini_hochberg,
}
SPOKEN = {"bonferroni": "Bonferroni", "holm": "Holm", "bh": "Benjamini–Hochberg"}
