"""Test–retest: what a system's own noise does, where it was asked more than once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tiltmeter.claims.estimates import EstimateBlock
from tiltmeter.scoring.matrix import SUBMISSION, score_matrix
from tiltmeter.studies.paired.contrasts import Contrast, comparisons
from tiltmeter.studies.paired.labels import SHARE, Thresholds, labels_of, on_scale
from tiltmeter.studies.paired.pairs import sides_of

Array = NDArray[np.float64]
Places = NDArray[np.int64]

RETEST, RETEST_SD = "retest", "retest_sd"
RETEST_FLIPS, FLIPS_ONCE = "retest_flips", "flips_once"
ROUNDING = 1e-9
"""Answers that differ by less are the same."""


@dataclass(frozen=True, slots=True)
class Retest:
    """What noise adds to some mean differences, arrays of shape (submissions,); NaN: one answer."""

    se: Array
    """The standard error of the mean difference that comes from noise alone."""
    df: Array
    sd: Array
    """Between answers to the same sentence, pooled over sentences."""


def repeated_scores(
    scores: pl.DataFrame, sentences: pl.DataFrame, submissions: pl.DataFrame
) -> Array:
    """(repeats, submissions, sentences); NaN where there is no answer."""
    many = int(scores["repeat"].to_numpy().max(initial=0)) + 1
    found = np.full((many, submissions.height, sentences.height), np.nan)
    for nth in range(many):
        mine = scores.filter(pl.col("repeat") == nth).with_columns(repeat=pl.lit(0, pl.Int64))
        if mine.height:
            matrix = score_matrix(mine, sentences)
            placed = matrix.submissions.select(SUBMISSION).join(
                submissions.select(SUBMISSION).with_row_index("row"),
                on=SUBMISSION, how="left", maintain_order="left",
            )  # fmt: skip
            found[nth, placed["row"].to_numpy()] = matrix.values
    return found


def retest(values: Array, first: csr_array, second: csr_array) -> Retest:
    """What noise adds to the mean over pairs of first minus second.

    With weights w of the sentences in the mean, σ² between a sentence's R answers: Σ w² σ² / R.

    `values` is (repeats, submissions, sentences).

    >>> one = np.array([[[0.2, 0.4]], [[0.4, 0.4]]])  # asked twice; the first sentence wavers
    >>> found = retest(one, csr_array([[1.0, 0.0]]), csr_array([[0.0, 1.0]]))
    >>> round(float(found.se[0]), 4), round(float(found.sd[0]), 4)  # √(0.02 / 2), √(0.02 / 2)
    (0.1, 0.1)
    """
    answers = np.count_nonzero(~np.isnan(values), axis=0)
    total = np.where(np.isnan(values), 0.0, values).sum(axis=0)
    mean = np.divide(total, answers, out=np.full(total.shape, np.nan), where=answers > 0)
    apart = np.nan_to_num(values - mean)
    apart = np.where(
        np.abs(apart) < ROUNDING * np.maximum(np.abs(np.nan_to_num(mean)), 1.0), 0, apart
    )
    squares = (apart**2).sum(axis=0)
    again = answers > 1
    variance = np.where(again, squares / np.maximum(answers - 1, 1), 0.0)
    parts = _weights(mean, first, second) ** 2 * variance / np.maximum(answers, 1)
    spent = (parts**2 / np.maximum(answers - 1, 1)).sum(axis=1)
    whole, asked = parts.sum(axis=1), again.any(axis=1)
    df = np.divide(whole**2, spent, out=np.full(whole.shape, np.nan), where=spent > 0)
    pooled = variance.sum(axis=1) / np.maximum(again.sum(axis=1), 1)
    se, sd = (np.where(asked, np.sqrt(one), np.nan) for one in (whole, pooled))
    return Retest(se, np.where(asked, df, np.nan), sd)


def _weights(mean: Array, first: csr_array, second: csr_array) -> Array:
    """(submissions, sentences): each score's weight in the mean difference over complete pairs."""
    apart = sides_of(mean, first) - sides_of(mean, second)
    known = (~np.isnan(apart)).astype(np.float64)
    share = known / np.maximum(known.sum(axis=1, keepdims=True), 1.0)
    weights: Array = share @ (first - second)
    return weights


def flips_between(first: Array, second: Array) -> tuple[Array, Array]:
    """How often the two sides differ within a repeat, and how often a side between two repeats.

    Labels are (repeats, submissions, pairs). Without any tilt or other difference between the
    sentences the two are alike.

    >>> first = np.array([[[1.0, 0.0]], [[1.0, 0.0]]])  # never changes
    >>> second = np.array([[[1.0, 0.0]], [[1.0, 1.0]]])  # its second label does: 1 of 4 sides
    >>> flips_between(first, second)
    (array([0.25]), array([0.25]))
    """
    within = _share([(one, two) for one, two in zip(first, second, strict=True)])
    rounds = range(len(first))
    between = _share(
        [(side[r], side[q]) for side in (first, second) for r in rounds for q in rounds[r + 1 :]]
    )
    return within, between


def _share(couples: Sequence[tuple[Array, Array]]) -> Array:
    """The share of known couples that differ, (submissions,); NaN where there is none."""
    size = len(couples[0][0]) if couples else 0
    differ, known = np.zeros(size), np.zeros(size)
    share: Array = np.full(size, np.nan)
    for one, two in couples:
        apart = one - two
        known += np.count_nonzero(~np.isnan(apart), axis=1)
        differ += np.count_nonzero(np.nan_to_num(apart), axis=1)
    return np.divide(differ, known, out=share, where=known > 0)


def retest_blocks(
    sentences: pl.DataFrame,
    scores: pl.DataFrame,
    submissions: pl.DataFrame,
    contrasts: Sequence[Contrast],
    thresholds: Thresholds,
) -> Iterator[EstimateBlock]:
    """The rows on noise, for every contrast; nothing where each sentence was asked once."""
    if not scores.height or not scores["repeat"].max():
        return
    values = repeated_scores(scores, sentences, submissions)
    rounds = np.count_nonzero(~np.isnan(values).all(axis=2), axis=0)
    for contrast in dict.fromkeys(contrasts):
        pairs = comparisons(sentences, [contrast])
        if pairs.pairs.is_empty():
            continue
        found, rows = retest(values, pairs.first, pairs.second), np.arange(submissions.height)
        some = rows[~np.isnan(found.se)]
        counted = {"n": rounds[some], "n_dropped": np.zeros(some.size, np.int64)}
        noise = {"value": found.se[some], "df": found.df[some], **counted}
        yield EstimateBlock(contrast, "all", RETEST, some, noise)
        yield EstimateBlock(contrast, "all", RETEST_SD, some, {"value": found.sd[some], **counted})
        told = np.intersect1d(some, on_scale(submissions))
        sides = (
            np.stack([labels_of(sides_of(one[told], side), thresholds) for one in values])
            for side in (pairs.first, pairs.second)
        )
        shares = dict(zip((FLIPS_ONCE, RETEST_FLIPS), flips_between(*sides), strict=True))
        counted = {name: column[np.isin(some, told)] for name, column in counted.items()}
        for name, share in shares.items():
            yield EstimateBlock(contrast, "all", name, told, {"value": share, **counted}, SHARE)
