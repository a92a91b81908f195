"""Where a tilt shows: how each person's sentences are scored beside the same sentences of others.

For each sentence, its score minus the average over everyone who stands in the same frame and match
(the twenty names of each group, the mother and the father); then the average over a person's
sentences. A person without a number had no sentence to compare: nobody else there had a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import NTH
from tiltmeter.measures.matrix import Scores, score_matrix
from tiltmeter.measures.stats.members import members
from tiltmeter.measures.stats.paired import without_dust

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class People:
    """Each person's average deviation, for each submission."""

    submissions: pl.DataFrame
    people: pl.DataFrame
    """person, match, one column per axis, n (sentences); a row for each column of `deviations`."""
    deviations: Array
    """(submissions, people); NaN where there is nothing to compare."""


def people_study(sentences: pl.DataFrame, scores: Scores, axes: Sequence[str]) -> People:
    """How far each person's sentences stand from the average of their match."""
    matrix = score_matrix(scores, sentences)
    ours = ["person", "match", *axes]
    people = sentences.select(ours).unique(maintain_order=True)
    place = _places(sentences, people, ours)
    deviations = _mean(deviations_of(matrix.values, sentences), place, people.height)
    clean = without_dust(deviations, matrix.submissions["width"].to_numpy())
    counted = people.with_columns(n=np.bincount(place, minlength=people.height).astype(np.int64))
    return People(matrix.submissions, counted, clean)


def deviations_of(values: Array, sentences: pl.DataFrame) -> Array:
    """Each score minus the average of its frame and match; NaN where nobody else is in it."""
    levels, several = _levels(values, sentences)
    found: Array = np.where(several, values - levels, np.nan)
    return found


def _levels(values: Array, sentences: pl.DataFrame) -> tuple[Array, NDArray[np.bool_]]:
    """For each sentence the average of its frame and match, and whether another person is in it."""
    beside = ["frame", "match"]
    cells = sentences.group_by(beside, maintain_order=True).agg(pl.col("person").n_unique())
    where = _places(sentences, cells, beside)
    scored = _sum((~np.isnan(values)).astype(np.float64), where, cells.height)
    several = (cells["person"].to_numpy() > 1) & (scored > 1)
    return _mean(values, where, cells.height)[:, where], several[:, where]


def _places(sentences: pl.DataFrame, groups: pl.DataFrame, by: list[str]) -> NDArray[np.int64]:
    """The group that each sentence is in."""
    joined = sentences.select(by).join(
        groups.select(by).with_row_index(NTH),
        on=by, how="left", nulls_equal=True, maintain_order="left",
    )  # fmt: skip
    return joined[NTH].to_numpy().astype(np.int64)


def _mean(values: Array, place: NDArray[np.int64], size: int) -> Array:
    """The mean of each group's known values, (submissions, groups); NaN where there is none."""
    known = ~np.isnan(values)
    total = _sum(np.where(known, values, 0.0), place, size)
    n = _sum(known.astype(np.float64), place, size)
    mean: Array = np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
    return mean


def _sum(values: Array, place: NDArray[np.int64], size: int) -> Array:
    total: Array = values @ members(place, size)
    return total
