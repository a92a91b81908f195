"""What all pairs of a corpus come to, whether each is held or only what they sum to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tiltmeter.report.boxes import boxes
from tiltmeter.report.material import Compared

Array = NDArray[np.float64]
Places = NDArray[np.int64]

OF_A_CONTRAST = ("axis", "contrast")
OF_A_WORD = ("axis", "contrast", "template", "emotion", "emotion_word")
OF_A_MATCH = ("axis", "contrast", "match")


def pair_counts(compared: Compared) -> pl.DataFrame:
    """How many pairs each contrast has: axis, contrast, pairs."""
    if compared.whole:
        return compared.whole.counts
    counts = compared.pairs.group_by(OF_A_CONTRAST, maintain_order=True).len("pairs")
    return counts.with_columns(pl.col("pairs").cast(pl.Int64))


def columns_of(compared: Compared, axis: str, contrast: str) -> Places:
    """Where a contrast's pairs stand in the arrays."""
    pairs = compared.pairs
    mine = (pairs["axis"] == axis) & (pairs["contrast"] == contrast)
    return mine.arg_true().to_numpy().astype(np.int64)


def boxes_of(compared: Compared, axis: str, contrast: str) -> Array:
    """The box of each submission's differences, (submissions, 5)."""
    if compared.whole:
        return compared.whole.boxes[axis, contrast]
    return boxes(compared.deltas[:, columns_of(compared, axis, contrast)])


def word_means(compared: Compared) -> tuple[pl.DataFrame, Array, Array]:
    """Contrasts × templates × words, each one's mean Δ, (submissions, rows), and of how many."""
    if compared.whole:
        return compared.whole.words, compared.whole.word_means, compared.whole.word_n
    return _means(compared, OF_A_WORD)


def match_means(compared: Compared) -> tuple[pl.DataFrame, Array, Array]:
    """Contrasts × matches, each one's mean Δ, (submissions, rows), and of how many pairs."""
    if compared.whole:
        return compared.whole.matches, compared.whole.match_means, compared.whole.match_n
    return _means(compared, OF_A_MATCH)


def _means(compared: Compared, by: Sequence[str]) -> tuple[pl.DataFrame, Array, Array]:
    keys = compared.pairs.select(by).unique(maintain_order=True)
    joined = compared.pairs.select(by).join(
        keys.with_row_index("place"), on=by, how="left", nulls_equal=True, maintain_order="left"
    )
    place = joined["place"].to_numpy().astype(np.int64)
    return keys, *group_means(compared.deltas, place, keys.height)


def group_means(values: Array, place: Places, groups: int) -> tuple[Array, Array]:
    """Each row's mean over the known values of each group of columns, and how many they are.

    >>> mean, n = group_means(np.array([[1.0, 3.0, np.nan]]), np.array([0, 0, 1]), 2)
    >>> mean, n
    (array([[ 2., nan]]), array([[2., 0.]]))
    """
    known = ~np.isnan(values)
    members = csr_array(
        (np.ones(place.size), (place, np.arange(place.size))), shape=(groups, place.size)
    )
    total = (members @ np.where(known, values, 0.0).T).T
    n = (members @ known.T.astype(np.float64)).T
    return np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0), n
