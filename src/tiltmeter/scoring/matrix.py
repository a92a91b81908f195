"""The scores table as a matrix: a row a submission, a column a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError

Array = NDArray[np.float64]
Reader = Callable[[str], Array]
"""A column of the scores table as a matrix, `score` or `raw`."""

SCALE, NATIVE = "scale", "native"
"""Units: parts of a known scale from 0 to 1, or the system's own where none is known."""
SUBMISSION = ("system", "task")
PRECISION = 1e-6
"""An unknown scale is at least so wide beside its largest answer: narrower is rounding."""


@dataclass(frozen=True, slots=True)
class ScoreMatrix:
    """Every submission's scores of one corpus; a submission is a system's answers for a task."""

    submissions: pl.DataFrame
    """system, task, unit, width, sd, n_missing; a row for each row of `values`."""
    values: Array
    """(submissions, sentences); NaN where there is no score. Repeats are averaged."""


Scores = pl.DataFrame | ScoreMatrix
"""The scores table, or the matrix that was made of it."""


def score_matrix(scores: Scores, sentences: pl.DataFrame) -> ScoreMatrix:
    """The scores of a corpus' sentences, in the sentences' order, whatever the scores' own.

    Scores of other corpora are left aside. A score that is not finite counts as missing. What is
    such a matrix already stays as it is: who takes several measures makes it once.
    """
    if isinstance(scores, ScoreMatrix):
        return scores
    own = _of_corpus(scores, sentences)
    keys, read = _reshape_tiles(own, sentences) or _join_by_id(own, sentences)
    values = read("score")
    known = np.isfinite(values)
    on_scale: NDArray[np.bool_] = np.any(known, axis=1)
    if not on_scale.all():
        values = np.where(on_scale[:, None], values, read("raw"))
        known = np.isfinite(values)
    if not known.all():
        values = np.where(known, values, np.nan)
    # What an unknown scale must hold at least: the largest answer minus the smallest
    top = np.fmax.reduce(values, axis=1, initial=-np.inf)
    bottom = np.fmin.reduce(values, axis=1, initial=np.inf)
    some = top >= bottom
    largest = np.maximum(np.abs(top), np.abs(bottom))
    # The standard deviation of each submission's scores over the sentences; 0 without any
    n = np.count_nonzero(known, axis=1)
    mean = np.nansum(values, axis=1) / np.maximum(n, 1)
    squares = np.nansum((values - mean[:, None]) ** 2, axis=1)
    spread: Array = np.sqrt(squares / np.maximum(n - 1, 1))
    submissions = keys.with_columns(
        unit=pl.Series(np.where(on_scale, SCALE, NATIVE), dtype=pl.String),
        width=pl.Series(
            np.where(
                on_scale, 1.0, np.where(some, np.maximum(top - bottom, PRECISION * largest), 0.0)
            ),
            dtype=pl.Float64,
        ),
        sd=pl.Series(spread, dtype=pl.Float64),
        n_missing=pl.Series(np.count_nonzero(~known, axis=1), dtype=pl.Int64),
    )
    return ScoreMatrix(submissions, values)


def stack_matrices(parts: Sequence[ScoreMatrix]) -> ScoreMatrix:
    """Several systems' scores of the same sentences as one matrix."""
    if len(parts) == 1:
        return parts[0]
    submissions = pl.concat([part.submissions for part in parts])
    return ScoreMatrix(submissions, np.concatenate([part.values for part in parts]))


def _of_corpus(scores: pl.DataFrame, sentences: pl.DataFrame) -> pl.DataFrame:
    """The scores of the sentences' corpus: an ID is unique only there."""
    of = sentences.select("corpus", "edition").unique(maintain_order=True).rows()
    if len(of) > 1:
        listed = ", ".join(f"{corpus} ({edition})" for corpus, edition in of)
        raise TiltmeterError(f"the sentences are of several corpora: {listed}; give one at a time")
    mine = scores["corpus"] == of[0][0] if of else pl.Series([], dtype=pl.Boolean)
    if mine.all():
        return scores
    if not mine.any():
        found = ", ".join(scores["corpus"].unique(maintain_order=True))
        raise TiltmeterError(
            f"there is no score of the corpus {of[0][0]!r}; found scores of {found}"
        )
    return scores.filter(mine)


def _reshape_tiles(
    scores: pl.DataFrame, sentences: pl.DataFrame
) -> tuple[pl.DataFrame, Reader] | None:
    """The matrix without a join, where every block of rows is the sentences in order."""
    size = sentences.height
    if not size or not scores.height or scores.height % size or scores["repeat"].max():
        return None
    keys = scores.select(SUBMISSION).gather_every(size)
    if keys.is_duplicated().any() or not _in_blocks(scores, sentences["id"]):
        return None
    return keys, lambda name: _numbers(scores[name]).reshape(-1, size)


def _in_blocks(scores: pl.DataFrame, ids: pl.Series) -> bool:
    """Whether each block has the sentences' IDs in order and one submission throughout."""
    size, rest = ids.len(), scores.height - ids.len()
    id_ = scores["id"]
    if not (id_.head(size) == ids).all() or not (id_.tail(rest) == id_.head(rest)).all():
        return False
    for column in (scores[name] for name in SUBMISSION):
        later, earlier = column.tail(column.len() - 1), column.head(column.len() - 1)
        changes = (later != earlier).arg_true().to_numpy().astype(np.int64) + 1
        if not (changes % size == 0).all():
            return False
    return True


def _join_by_id(scores: pl.DataFrame, sentences: pl.DataFrame) -> tuple[pl.DataFrame, Reader]:
    """The matrix by joining IDs; several answers to a sentence are averaged, if there are any."""
    keys = scores.select(SUBMISSION).unique(maintain_order=True)
    placed = (
        scores.join(sentences.select("id").with_row_index("column"), on="id", how="inner")
        .join(keys.with_row_index("row"), on=SUBMISSION, how="inner")
        .with_columns(_finite("score"), _finite("raw"))
        .group_by("row", "column")
        .agg(pl.col("score").mean(), pl.col("raw").mean())
    )
    at = placed["row"].to_numpy(), placed["column"].to_numpy()

    def read(name: str) -> Array:
        matrix = np.full((keys.height, sentences.height), np.nan)
        matrix[at] = _numbers(placed[name])
        return matrix

    return keys, read


def _finite(name: str) -> pl.Expr:
    number = pl.col(name).cast(pl.Float64)
    return pl.when(number.is_finite()).then(number).alias(name)


def _numbers(series: pl.Series) -> Array:
    return series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
