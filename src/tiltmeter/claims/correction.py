"""Corrections for how many comparisons were made."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.multiplicity import benjamini_hochberg, bonferroni, holm

Array = NDArray[np.float64]


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


CORRECTIONS = {
    "bonferroni": bonferroni,
    "holm": holm,
    "bh": benjamini_hochberg,
}
"""What a rule may correct by; it always corrects."""
SPOKEN = {"bonferroni": "Bonferroni", "holm": "Holm", "bh": "Benjamini–Hochberg"}
