"""From raw scores to ratings 1..L: the partial order, split into consecutive parts.

Lakkaraju et al. (2023), Algorithms 3 and 4. 1 is the least tilt of the panel, L the most.
"""

from __future__ import annotations

import numpy as np

from tiltmeter.measures.stats.class_sums import Array, Index

NONE = 0
"""In an array of ratings: no rating, because there is no raw score."""
DIGITS = 9
"""Significant digits by which raw scores are compared: 0.7 + 0.6 and 1.3 are a tie."""


def ratings_of(psi: Array, levels: int) -> Index:
    """Rate systems by their raw scores, relative to each other.

    The sorted scores are split into `levels` consecutive parts as `np.array_split` does; a system
    takes the first part that holds its score, so that ties share the better part. An infinite score
    (X) is left out of the split and takes the worst rating; NaN takes none. A system that has the
    only score is rated absolutely: 1 where it is 0, else `levels`.

    >>> ratings_of(np.array([23.0, 0.6, 0.0, 0.0, 2.6]), 3)  # the paper's Table 2, Group 1
    array([3, 2, 1, 1, 2])
    """
    return ratings_against(psi, psi, levels)


def ratings_against(psi: Array, panel: Array, levels: int) -> Index:
    """Rate systems by where their scores would stand in a panel's order; beyond it, the worst.

    Against a panel with a single score, which was rated absolutely, so are they.

    >>> ratings_against(np.array([0.5, 99.0]), np.array([0.0, 1.0, 2.0]), 3)
    array([2, 3])
    """
    if np.count_nonzero(~np.isnan(panel)) == 1:
        return _absolute(psi, levels)
    ordered = np.sort(rounded(panel[np.isfinite(panel)]))
    parts = np.array_split(np.arange(ordered.size), levels)
    part = np.repeat(np.arange(1, levels + 1), [one.size for one in parts])
    place = np.searchsorted(ordered, rounded(psi), side="left")
    rated = np.append(part, levels if ordered.size else 1)[place]  # any score is below an X
    return np.where(np.isnan(psi), NONE, np.where(np.isinf(psi), levels, rated))


def _absolute(psi: Array, levels: int) -> Index:
    worst = np.where(rounded(psi) == 0, 1, levels)
    return np.where(np.isnan(psi), NONE, worst).astype(np.int64)


def rounded(values: Array) -> Array:
    """The values at nine significant digits; what is not finite stays as it is."""
    finite = np.isfinite(values) & (np.abs(values) > np.finfo(np.float64).tiny * 10**DIGITS)
    size = np.floor(np.log10(np.abs(values), out=np.zeros_like(values), where=finite))
    unit = 10.0 ** (size - DIGITS + 1)
    return np.where(finite, np.round(values / unit, 0) * unit, values)


def overall_ratings(ratings: Index) -> tuple[Array, Index]:
    """The mean of the group ratings over the last axis, and the overall rating: rounded half up.

    NaN and none where a group has no rating.

    >>> means, overall = overall_ratings(np.array([[2, 3, 2, 2, 1, 3], [1, 2, 1, 1, 1, 2]]))
    >>> means.round(2), overall
    (array([2.17, 1.33]), array([2, 1]))
    """
    lacking = (ratings == NONE).any(axis=-1)
    means = np.where(lacking, np.nan, ratings.mean(axis=-1))
    rated = np.where(lacking, NONE, np.floor(np.nan_to_num(means) + 0.5)).astype(np.int64)
    return means, rated
