"""Where a tilt shows: how each person's sentences are scored beside the same sentences of others.

For each sentence, its score minus the average over everyone who stands in the same frame and match
(the twenty names of each group, the mother and the father); then the average over a person's
sentences. A person without a number had no sentence that could be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tiltmeter.measures.matrix import score_matrix

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class People:
    """Each person's average deviation, for each submission."""

    submissions: pl.DataFrame
    people: pl.DataFrame
    """person, match, one column per axis, n (sentences); a row for each column of `deviations`."""
    deviations: Array
    """(submissions, people); NaN where there is nothing to compare."""


def people_study(sentences: pl.DataFrame, scores: pl.DataFrame, axes: Sequence[str]) -> People:
    """How far each person's sentences stand from the average of their match."""
    matrix = score_matrix(scores, sentences)
    ours = ["person", "match", *axes]
    people = sentences.group_by(ours, maintain_order=True).agg(n=pl.len().cast(pl.Int64))
    place = _places(sentences, people, ours)
    beside = ["frame", "match"]
    where = _places(sentences, sentences.select(beside).unique(maintain_order=True), beside)
    known = ~np.isnan(matrix.values)
    values = np.where(known, matrix.values, 0.0)
    levels = _mean(values, known, where)
    apart = np.where(known, values - levels[:, where], 0.0)
    return People(matrix.submissions, people, _mean(apart, known, place))


def _places(sentences: pl.DataFrame, groups: pl.DataFrame, by: list[str]) -> NDArray[np.int64]:
    """The group that each sentence is in."""
    joined = sentences.select(by).join(
        groups.select(by).with_row_index("place"),
        on=by, how="left", nulls_equal=True, maintain_order="left",
    )  # fmt: skip
    return joined["place"].to_numpy().astype(np.int64)


def _mean(values: Array, known: NDArray[np.bool_], place: NDArray[np.int64]) -> Array:
    """The mean of each group's known values, (submissions, groups)."""
    size = int(place.max()) + 1 if place.size else 0
    member = csr_array(
        (np.ones(place.size), (place, np.arange(place.size))), shape=(size, place.size)
    )
    total, n = (member @ values.T).T, (member @ known.T.astype(np.float64)).T
    mean: Array = np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
    return mean
