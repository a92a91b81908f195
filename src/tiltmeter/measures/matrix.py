"""The scores table as a matrix: a row a submission, a column a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

Array = NDArray[np.float64]

SCALE, NATIVE = "scale", "native"
"""Units: parts of a known scale from 0 to 1, or the system's own where none is known."""


@dataclass(frozen=True, slots=True)
class ScoreMatrix:
    """Every submission's scores of one corpus; a submission is a system's answers for a task."""

    submissions: pl.DataFrame
    """system, task, unit, width, sd, n_missing; a row for each row of `values`."""
    values: Array
    """(submissions, sentences); NaN where there is no score. Repeats are averaged."""


def score_matrix(scores: pl.DataFrame, sentences: pl.DataFrame) -> ScoreMatrix:
    """The scores of a corpus' sentences, in the sentences' order, whatever the scores' own."""
    tiled = _tiled(scores, sentences)
    keys, unit, raw = tiled or _joined(scores, sentences)
    on_scale: NDArray[np.bool_] = np.logical_not(np.isnan(unit).all(axis=1))
    values = np.where(on_scale[:, None], unit, raw)
    known = ~np.isnan(values)
    submissions = keys.with_columns(
        unit=pl.Series(np.where(on_scale, SCALE, NATIVE), dtype=pl.String),
        width=pl.Series(np.where(on_scale, 1.0, _range(values, known)), dtype=pl.Float64),
        sd=pl.Series(_spread(values, known), dtype=pl.Float64),
        n_missing=pl.Series(np.count_nonzero(~known, axis=1), dtype=pl.Int64),
    )
    return ScoreMatrix(submissions, values)


def _tiled(
    scores: pl.DataFrame, sentences: pl.DataFrame
) -> tuple[pl.DataFrame, Array, Array] | None:
    """The matrices without a join, where every block of rows is the sentences in order."""
    size = sentences.height
    if not size or not scores.height or scores.height % size or scores["repeat"].max():
        return None
    keys = scores.select("system", "task").gather_every(size)
    blocks = keys.height
    if keys.is_duplicated().any():
        return None
    for name in ("system", "task"):
        repeated = keys[name].gather(np.repeat(np.arange(blocks), size))
        if not (scores[name] == repeated).all():
            return None
    ids = sentences["id"]
    if not all((scores["id"].slice(at * size, size) == ids).all() for at in range(blocks)):
        return None
    unit, raw = (_numbers(scores[name]).reshape(blocks, size) for name in ("score", "raw"))
    return keys, unit, raw


def _joined(scores: pl.DataFrame, sentences: pl.DataFrame) -> tuple[pl.DataFrame, Array, Array]:
    """The matrices by joining IDs; several answers to a sentence are averaged."""
    keys = scores.select("system", "task").unique(maintain_order=True)
    placed = (
        scores.join(sentences.select("id").with_row_index("column"), on="id", how="inner")
        .join(keys.with_row_index("row"), on=["system", "task"], how="inner")
        .group_by("row", "column")
        .agg(pl.col("score").mean(), pl.col("raw").mean())
    )
    at = placed["row"].to_numpy(), placed["column"].to_numpy()
    unit, raw = (np.full((keys.height, sentences.height), np.nan) for _ in range(2))
    unit[at], raw[at] = _numbers(placed["score"]), _numbers(placed["raw"])
    return keys, unit, raw


def _numbers(series: pl.Series) -> Array:
    return series.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _range(values: Array, known: NDArray[np.bool_]) -> Array:
    """What an unknown scale must hold at least: the largest answer minus the smallest."""
    top = np.max(values, axis=1, initial=-np.inf, where=known)
    bottom = np.min(values, axis=1, initial=np.inf, where=known)
    return np.where(known.any(axis=1), np.maximum(top - bottom, 0.0), 0.0)


def _spread(values: Array, known: NDArray[np.bool_]) -> Array:
    """The standard deviation of each submission's scores over the sentences; 0 without any."""
    n = np.count_nonzero(known, axis=1)
    mean = np.sum(values, axis=1, where=known) / np.maximum(n, 1)
    squares = np.sum((values - mean[:, None]) ** 2, axis=1, where=known)
    spread: Array = np.sqrt(squares / np.maximum(n - 1, 1))
    return spread
