"""The paired study of Kiritchenko & Mohammad (2018), for all systems and subsets at once.

    scores (systems × sentences) · averages (pairs × sentences)ᵀ = both sides of every pair

Δ = first − second, for instance female − male. Per system: a two-sided paired t-test over all
pairs, a sign-flip test beside it, and what describes the differences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import Comparisons, Contrast, comparisons, subsets
from tiltmeter.measures.matrix import NATIVE, ScoreMatrix, score_matrix
from tiltmeter.measures.stats.paired import (
    Paired,
    describe,
    paired_t,
    standardised,
    without_dust,
)
from tiltmeter.measures.stats.signflip import sign_flip
from tiltmeter.tables import ESTIMATES

Array = NDArray[np.float64]
Columns = dict[str, NDArray[Any]]

MEAN = "mean_difference"
"""The measure that findings are made of."""
OWN = "own-emotion"
"""The subset of the emotion that a task is about."""
OF_A_RUN = ("corpus", "edition")
FLIPS = 9_999
MANY, FEWER = 5_000_000, 999
"""Past so many systems × pairs, so many sign flips."""


@dataclass(frozen=True, slots=True)
class PairStudy:
    """One corpus' paired study: both sides of every pair, and what was estimated from them."""

    submissions: pl.DataFrame
    """system, task, unit, width, sd, n_missing; a row for each row of the arrays."""
    pairs: pl.DataFrame
    """A row for each column of the arrays; see `Comparisons`."""
    first: Array
    """(submissions, pairs): the first group's average score; NaN where one is missing."""
    second: Array
    deltas: Array
    """first − second without floating-point dust."""
    estimates: pl.DataFrame
    """As the `estimates` table."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some submissions' differences on one subset of one contrast."""

    contrast: Contrast
    subset: str
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]


def pair_study(
    sentences: pl.DataFrame,
    scores: pl.DataFrame,
    contrasts: Sequence[Contrast],
    *,
    mode: str = "corrected",
    flips: int | None = None,
    seed: int = 0,
) -> PairStudy:
    """Compare every system's scores of matched sentences, for every contrast and subset.

    `flips` is how many sign patterns are drawn; 0 leaves the sign-flip test out.
    """
    compared, matrix = comparisons(sentences, contrasts), score_matrix(scores, sentences)
    first, second = (_sides(matrix.values, side) for side in (compared.first, compared.second))
    width = matrix.submissions["width"].to_numpy()
    deltas = without_dust(first - second, width)
    if flips is None:
        flips = FLIPS if deltas.size <= MANY else FEWER
    parts = list(_parts(compared, matrix.submissions, contrasts))
    found = [_estimates(part, matrix, deltas, flips, seed) for part in parts]
    of = {name: str(sentences[name][0]) if sentences.height else "" for name in OF_A_RUN}
    table = _table(parts, found, matrix.submissions, {**of, "mode": mode})
    return PairStudy(matrix.submissions, compared.pairs, first, second, deltas, table)


def _sides(values: Array, averages: object) -> Array:
    """One side of every pair, (submissions, pairs); a missing score makes its pairs NaN."""
    return np.ascontiguousarray((averages @ values.T).T)  # type: ignore[operator]


def _parts(
    compared: Comparisons, submissions: pl.DataFrame, contrasts: Sequence[Contrast]
) -> Iterator[Part]:
    """Every contrast, subset and set of submissions that is estimated together."""
    everyone = np.arange(submissions.height)
    place = compared.pairs.with_row_index("place")
    tasks = submissions["task"]
    for contrast in contrasts:
        mine = place.filter(
            (pl.col("axis") == contrast.axis) & (pl.col("contrast") == contrast.name)
        )
        columns = mine["place"].to_numpy().astype(np.int64)
        for name, inside in subsets(mine):
            yield Part(contrast, name, everyone, columns[inside.to_numpy()])
        for task in tasks.unique(maintain_order=True):
            own = (mine["emotion"] == task).fill_null(False).to_numpy()
            if own.any():
                yield Part(contrast, OWN, everyone[(tasks == task).to_numpy()], columns[own])


def _estimates(
    part: Part, matrix: ScoreMatrix, deltas: Array, flips: int, seed: int
) -> dict[str, Columns]:
    """Every measure of one part, by name, its columns of shape (submissions,)."""
    taken = deltas[np.ix_(part.rows, part.columns)] if part.rows.size else deltas[:0]
    width, sd = (matrix.submissions[name].to_numpy()[part.rows] for name in ("width", "sd"))
    test, shape = paired_t(taken, width), describe(taken)
    d, d_se, d_low, d_high = standardised(test)
    measures: dict[str, Columns] = {
        MEAN: _tested(test),
        "standardised": {"value": d, "se": d_se, "low": d_low, "high": d_high, "n": test.n},
        "mean_up": {"value": shape.up, "n": shape.n_up},
        "mean_down": {"value": shape.down, "n": shape.n_down},
        "spread": {"value": shape.spread, "n": test.n},
        "max_abs": {"value": shape.largest, "n": test.n},
        "mean_abs": {"value": shape.size, "n": test.n},
    }
    if flips:
        p = sign_flip(taken, np.random.default_rng(seed), flips)
        measures["sign_flip"] = {"value": test.mean, "p": p, "n": test.n}
    if (matrix.submissions["unit"] == NATIVE).any():
        measures["in_sd"] = _in_sd(test, sd)
    for columns in measures.values():
        columns["n_dropped"] = taken.shape[1] - test.n
    return measures


def _tested(test: Paired) -> Columns:
    return {
        "value": test.mean, "se": test.se, "low": test.low, "high": test.high,
        "statistic": test.t, "df": test.df, "p": test.p, "n": test.n,
    }  # fmt: skip


def _in_sd(test: Paired, sd: Array) -> Columns:
    """The mean difference in standard deviations of the system's own scores."""
    unit = np.where(sd > 0, sd, np.nan)
    of = {"value": test.mean, "se": test.se, "low": test.low, "high": test.high}
    scaled: Columns = {name: column / unit for name, column in of.items()}
    return scaled | {"n": test.n}


UNITLESS = {"standardised": "sd of differences", "in_sd": "sd of scores"}
NUMBERS = ("value", "se", "low", "high", "statistic", "df", "p")


def _table(
    parts: Sequence[Part],
    found: Sequence[dict[str, Columns]],
    submissions: pl.DataFrame,
    run: dict[str, str],
) -> pl.DataFrame:
    """All measures of all parts under each other, as the `estimates` table."""
    blocks = [
        (part, measure, columns)
        for part, measures in zip(parts, found, strict=True)
        for measure, columns in measures.items()
    ]
    sizes = np.array([part.rows.size for part, _, _ in blocks], np.int64)
    rows = np.concatenate([part.rows for part, _, _ in blocks]) if blocks else np.zeros(0, np.int64)
    labels = pl.DataFrame(
        {
            "axis": [part.contrast.axis for part, _, _ in blocks],
            "contrast": [part.contrast.name for part, _, _ in blocks],
            "reference": [part.contrast.second for part, _, _ in blocks],
            "subset": [part.subset for part, _, _ in blocks],
            "measure": [measure for _, measure, _ in blocks],
        },
        schema=dict.fromkeys(("axis", "contrast", "reference", "subset", "measure"), pl.String),
    )[np.repeat(np.arange(len(blocks)), sizes)]
    numbers = {name: _column(blocks, name) for name in (*NUMBERS, "n", "n_dropped")}
    unit = (
        pl.when(pl.col("measure").is_in(list(UNITLESS)))
        .then(pl.col("measure").replace_strict(UNITLESS, default=None))
        .otherwise(pl.col("unit"))
    )
    frame = submissions.select("system", "task", "unit")[rows].hstack(labels)
    return (
        frame.with_columns(
            **{name: pl.lit(value) for name, value in run.items()},
            **{name: pl.Series(numbers[name]).fill_nan(None) for name in NUMBERS},
            **{name: pl.Series(numbers[name]).cast(pl.Int64) for name in ("n", "n_dropped")},
            unit=unit,
        )
        .filter((pl.col("measure") != "in_sd") | pl.col("value").is_not_null())
        .select(*ESTIMATES.columns)
    )


def _column(blocks: Sequence[tuple[Part, str, Columns]], name: str) -> NDArray[Any]:
    if not blocks:
        return np.zeros(0)
    return np.concatenate(
        [columns.get(name, np.full(part.rows.size, np.nan)) for part, _, columns in blocks]
    )
