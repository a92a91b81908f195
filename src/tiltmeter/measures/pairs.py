"""The paired study of Kiritchenko & Mohammad (2018), for all systems and subsets at once.

    scores (systems × sentences) · averages (pairs × sentences)ᵀ = both sides of every pair

Δ = first − second, for instance female − male. Per system: a two-sided paired t-test over all
pairs, a sign-flip test beside it, and what describes the differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tiltmeter.errors import TiltmeterError
from tiltmeter.measures.contrasts import Comparisons, Contrast, comparisons, subsets
from tiltmeter.measures.estimates import Block, Columns, estimates_table
from tiltmeter.measures.matrix import NATIVE, ScoreMatrix, Scores, score_matrix
from tiltmeter.measures.stats.paired import (
    Described,
    Paired,
    describe,
    paired_t,
    standardised,
    without_dust,
)
from tiltmeter.measures.stats.signflip import MOST_FLIPS, PATTERNS, sign_flip
from tiltmeter.measures.whole import Whole

Array = NDArray[np.float64]
Places = NDArray[np.int64]

MEAN = "mean_difference"
"""The measure that findings are made of."""
OWN = "own-emotion"
"""The subset of the emotion that a task is about."""
OF_A_RUN = ("corpus", "edition")
UNITS = {"standardised": "sd of differences", "in_sd": "sd of scores"}
"""Of measures that are not in the unit of the scores."""


def subset_names(sentences: pl.DataFrame) -> list[str]:
    """The subsets that sentences may fall into, known before any is scored."""
    emotions = sentences["emotion"].null_count() < sentences.height
    return [*(name for name, _ in subsets(sentences)), *([OWN] if emotions else ())]


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
    whole: Whole | None = None
    """Of a large corpus: what all pairs come to; `pairs` and the arrays hold the largest only."""

    @property
    def counts(self) -> pl.DataFrame:
        """How many pairs each contrast has: axis, contrast, pairs; none of those without any."""
        if self.whole:
            return self.whole.counts.select("axis", "contrast", "pairs")
        found = self.pairs.group_by("axis", "contrast", maintain_order=True).len("pairs")
        return found.with_columns(pl.col("pairs").cast(pl.Int64))


@dataclass(frozen=True, slots=True)
class Part:
    """Some submissions' differences on one subset of one contrast."""

    contrast: Contrast
    subset: str
    rows: Places
    columns: Places


def pair_study(
    sentences: pl.DataFrame,
    scores: Scores,
    contrasts: Sequence[Contrast],
    *,
    mode: str = "corrected",
    flips: int | None = None,
    seed: int = 0,
) -> PairStudy:
    """Compare every system's scores of matched sentences, for every contrast and subset.

    `flips` is how many sign patterns are tried at most; 0 leaves the sign-flip test out.
    """
    flips = PATTERNS if flips is None else flips
    if not 0 <= flips <= MOST_FLIPS:
        raise TiltmeterError(f"the number of sign flips is 0 to {MOST_FLIPS:,}; found {flips}")
    compared, matrix = comparisons(sentences, contrasts), score_matrix(scores, sentences)
    first, second = (sides_of(matrix.values, side) for side in (compared.first, compared.second))
    deltas = without_dust(first - second, matrix.submissions["width"].to_numpy())
    parts = _parts(compared, matrix.submissions, list(dict.fromkeys(contrasts)))
    blocks = [block for part in parts for block in _blocks(part, matrix, deltas, flips, seed)]
    of = {name: str(sentences[name][0]) if sentences.height else "" for name in OF_A_RUN}
    table = estimates_table(blocks, matrix.submissions, {**of, "mode": mode})
    return PairStudy(matrix.submissions, compared.pairs, first, second, deltas, table)


def sides_of(values: Array, averages: csr_array) -> Array:
    """One side of every pair, (submissions, pairs); a missing score makes its pairs NaN."""
    return np.ascontiguousarray((averages @ values.T).T)


def _parts(
    compared: Comparisons, submissions: pl.DataFrame, contrasts: Sequence[Contrast]
) -> Iterator[Part]:
    """Every contrast, subset and set of submissions that is estimated together."""
    everyone, tasks = np.arange(submissions.height), submissions["task"]
    placed = compared.pairs.with_row_index("place")
    for contrast in contrasts:
        mine = placed.filter(
            (pl.col(name) == getattr(contrast, name)) for name in ("axis", "first", "second")
        )
        columns = _columns(mine)
        for name, inside in subsets(mine):
            yield Part(contrast, name, everyone, columns(inside))
        for task in tasks.unique(maintain_order=True):
            own = (mine["emotion"] == task).fill_null(False)
            if own.any():
                rows = everyone[(tasks == task).to_numpy()]
                yield Part(contrast, OWN, rows, columns(own))


def _columns(pairs: pl.DataFrame) -> Callable[[pl.Series], Places]:
    """Where some pairs stand, ordered by name, so that the corpus' order decides nothing."""
    order = pairs.select(pl.arg_sort_by("frame", "match")).to_series().to_numpy()
    places = pairs["place"].to_numpy().astype(np.int64)[order]
    return lambda inside: places[inside.to_numpy()[order]]


def _blocks(
    part: Part, matrix: ScoreMatrix, deltas: Array, flips: int, seed: int
) -> Iterator[Block]:
    """Every measure of one part."""
    taken = deltas[np.ix_(part.rows, part.columns)]
    test = paired_t(taken, matrix.submissions["width"].to_numpy()[part.rows])
    p = sign_flip(taken, np.random.default_rng(seed), flips) if flips else None
    yield from blocks_of(part, matrix.submissions, test, describe(taken), taken.shape[1], p)


def blocks_of(
    part: Part,
    submissions: pl.DataFrame,
    test: Paired,
    shape: Described,
    pairs: int,
    p: Array | None = None,
) -> Iterator[Block]:
    """Every measure of one part of so many pairs, and the sign-flip test's p where there is one."""
    measures = _tested(test) | _described(shape, test)
    if p is not None:
        measures["sign_flip"] = {"value": test.mean, "p": p, "n": test.n}
    dropped = {"n_dropped": pairs - test.n}
    for name, columns in measures.items():
        yield Block(
            part.contrast, part.subset, name, part.rows, {**columns, **dropped}, UNITS.get(name)
        )
    native = (submissions["unit"] == NATIVE).to_numpy()[part.rows]
    if native.any():
        columns = _in_sd(test, submissions["sd"].to_numpy()[part.rows]) | dropped
        mine = {name: column[native] for name, column in columns.items()}
        yield Block(part.contrast, part.subset, "in_sd", part.rows[native], mine, UNITS["in_sd"])


def _tested(test: Paired) -> dict[str, Columns]:
    d, se, low, high = standardised(test)
    return {
        MEAN: {
            "value": test.mean, "se": test.se, "low": test.low, "high": test.high,
            "statistic": test.t, "df": test.df, "p": test.p, "n": test.n,
        },
        "standardised": {"value": d, "se": se, "low": low, "high": high, "n": test.n},
    }  # fmt: skip


def _described(shape: Described, test: Paired) -> dict[str, Columns]:
    return {
        "mean_up": {"value": shape.up, "n": shape.n_up},
        "mean_down": {"value": shape.down, "n": shape.n_down},
        "spread": {"value": shape.spread, "n": test.n},
        "max_abs": {"value": shape.largest, "n": test.n},
        "mean_abs": {"value": shape.size, "n": test.n},
    }


def _in_sd(test: Paired, sd: Array) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]:
    """The mean difference in standard deviations of the system's own scores."""
    unit = np.where(sd > 0, sd, np.nan)
    of = {"value": test.mean, "se": test.se, "low": test.low, "high": test.high}
    return {name: column / unit for name, column in of.items()} | {"n": test.n}
