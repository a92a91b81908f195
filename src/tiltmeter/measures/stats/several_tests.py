"""p-values corrected for how many tests were made, for many families at once."""

from __future__ import annotations

import numpy as np

from tiltmeter.measures.stats.class_sums import Array

CORRECTIONS = ("none", "bonferroni", "holm", "bh")


def corrected_p(p: Array, how: str) -> Array:
    """Each family along the last axis corrected: bonferroni, holm, bh, or none; NaN stays alone.

    >>> corrected_p(np.array([[0.01, 0.04, 0.03]]), "bonferroni")[0].round(2)
    array([0.03, 0.12, 0.09])
    >>> corrected_p(np.array([[0.01, 0.04, 0.03]]), "holm")[0].round(2)  # 3×, 1×, 2×, rising
    array([0.03, 0.06, 0.06])
    >>> corrected_p(np.array([[0.01, 0.04, 0.03]]), "bh")[0].round(3)  # 3/1, 3/3, 3/2, falling
    array([0.03, 0.04, 0.04])
    """
    if how == "none":
        return p
    tests = p.shape[-1]
    if how == "bonferroni":
        times: Array = np.minimum(p * tests, 1.0)
        return times
    order = np.argsort(p, axis=-1)
    ordered = np.take_along_axis(p, order, axis=-1)
    rank = np.arange(1, tests + 1)
    if how == "holm":
        told = np.maximum.accumulate(ordered * (tests + 1 - rank), axis=-1)
    else:
        falling = np.flip(ordered * tests / rank, axis=-1)
        told = np.flip(np.fmin.accumulate(falling, axis=-1), axis=-1)
    found = np.empty_like(p)
    np.put_along_axis(found, order, np.minimum(told, 1.0), axis=-1)
    return found
