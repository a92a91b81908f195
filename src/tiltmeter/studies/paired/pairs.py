"""The paired study of Kiritchenko & Mohammad (2018), for all systems and subsets at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tiltmeter.claims.estimates import Columns, EstimateBlock, estimates_table
from tiltmeter.errors import TiltmeterError
from tiltmeter.scoring.matrix import NATIVE, ScoreMatrix, Scores, score_matrix
from tiltmeter.stats.moments import ERROR, Moments, QuantileGrid, members
from tiltmeter.stats.paired_tests import (
    MOST_FLIPS,
    PATTERNS,
    Described,
    PairedTest,
    describe,
    paired_t,
    sign_flip,
    standardised,
    without_dust,
)
from tiltmeter.studies.paired.contrasts import (
    NTH,
    Comparisons,
    Contrast,
    comparisons,
    subsets,
    with_texts,
)

# Where a tilt shows: how each person's sentences are scored beside the same sentences of
# others. For each sentence, its score minus the average over everyone who stands in the same frame
# and match (the twenty names of each group, the mother and the father); then the average over a
# person's sentences. A person without a number had no sentence to compare: nobody else there had
# a score.

Array = NDArray[np.float64]
Places = NDArray[np.int64]


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


@dataclass(frozen=True, eq=False, slots=True)
class PairTotals:
    """Sums over all pairs."""

    counts: pl.DataFrame
    """axis, contrast, first, second, pairs."""
    grids: tuple[QuantileGrid, ...]
    """How each contrast's differences are spread, in the order of `counts`."""
    words: pl.DataFrame
    """axis, contrast, template, emotion, emotion_word: a row for each column of `word_sums`."""
    word_sums: Moments
    matches: pl.DataFrame
    """axis, contrast, first, second, match: a row for each column of `match_sums`."""
    match_sums: Moments
    left_out: tuple[str, ...] = ()
    """What would not fit, in words."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What differs from a study that holds every pair."""
        error = f"{100 * ERROR:.3f}".rstrip("0")
        return (
            "the corpus is too large to be held, so its sentences were gone through in parts: "
            "means, intervals and tests are of all pairs, the sign-flip test is left out, "
            f"quartiles are right within {error} points of 100, and of single pairs each system's "
            "largest are shown; label flips, the largest gap between groups, and places by size of "
            "tilt are left out",
            *self.left_out,
        )

    def grid(self, axis: str, contrast: str) -> QuantileGrid:
        """How one contrast's differences are spread."""
        return self.grids[self.counts.select("axis", "contrast").rows().index((axis, contrast))]

    def of_submissions(self, rows: Places) -> PairTotals:
        """Some submissions only."""
        return replace(
            self,
            grids=tuple(QuantileGrid(one.width[rows], one.counts[rows]) for one in self.grids),
            word_sums=self.word_sums.rows(rows),
            match_sums=self.match_sums.rows(rows),
        )


# The paired study of Kiritchenko & Mohammad (2018), for all systems and subsets at once
#     scores (systems × sentences) · averages (pairs × sentences)ᵀ = both sides of every pair
# Δ = first − second, for instance female − male. Per system: a two-sided paired t-test over all
# pairs, a sign-flip test beside it, and what describes the differences.

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
    """A row for each column of the arrays: axis, contrast, first, second, frame, match, template,
    emotion, emotion_word, n_first, n_second, and text_first, text_second: a sentence of each."""
    first: Array
    """(submissions, pairs): the first group's average score; NaN where one is missing."""
    second: Array
    deltas: Array
    """first − second without floating-point dust."""
    estimates: pl.DataFrame
    """As the `estimates` table."""
    totals: PairTotals | None = None
    """Of a large corpus: what all pairs come to; `pairs` and the arrays hold the largest only."""

    @property
    def counts(self) -> pl.DataFrame:
        """How many pairs each contrast has: axis, contrast, pairs; none of those without any."""
        if self.totals:
            return self.totals.counts.select("axis", "contrast", "pairs")
        found = self.pairs.group_by("axis", "contrast", maintain_order=True).len("pairs")
        return found.with_columns(pl.col("pairs").cast(pl.Int64))

    def of_submissions(self, rows: Places) -> PairStudy:
        """Some submissions only; the estimates stay those of all."""
        return replace(
            self,
            submissions=self.submissions[rows],
            first=self.first[rows],
            second=self.second[rows],
            deltas=self.deltas[rows],
            totals=None if self.totals is None else self.totals.of_submissions(rows),
        )


@dataclass(frozen=True, slots=True)
class SubsetDifferences:
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
    return PairStudy(
        matrix.submissions, with_texts(compared.pairs, sentences), first, second, deltas, table
    )


def sides_of(values: Array, averages: csr_array) -> Array:
    """One side of every pair, (submissions, pairs); a missing score makes its pairs NaN."""
    return np.ascontiguousarray((averages @ values.T).T)


def _parts(
    compared: Comparisons, submissions: pl.DataFrame, contrasts: Sequence[Contrast]
) -> Iterator[SubsetDifferences]:
    """Every contrast, subset and set of submissions that is estimated together."""
    everyone, tasks = np.arange(submissions.height), submissions["task"]
    placed = compared.pairs.with_row_index("place")
    for contrast in contrasts:
        mine = placed.filter(
            (pl.col(name) == getattr(contrast, name)) for name in ("axis", "first", "second")
        )
        columns = _columns(mine)
        for name, inside in subsets(mine):
            yield SubsetDifferences(contrast, name, everyone, columns(inside))
        for task in tasks.unique(maintain_order=True):
            own = (mine["emotion"] == task).fill_null(False)
            if own.any():
                rows = everyone[(tasks == task).to_numpy()]
                yield SubsetDifferences(contrast, OWN, rows, columns(own))


def _columns(pairs: pl.DataFrame) -> Callable[[pl.Series], Places]:
    """Where some pairs stand, ordered by name, so that the corpus' order decides nothing."""
    order = pairs.select(pl.arg_sort_by("frame", "match")).to_series().to_numpy()
    places = pairs["place"].to_numpy().astype(np.int64)[order]
    return lambda inside: places[inside.to_numpy()[order]]


def _blocks(
    part: SubsetDifferences, matrix: ScoreMatrix, deltas: Array, flips: int, seed: int
) -> Iterator[EstimateBlock]:
    """Every measure of one part."""
    taken = deltas[np.ix_(part.rows, part.columns)]
    test = paired_t(taken, matrix.submissions["width"].to_numpy()[part.rows])
    p = sign_flip(taken, np.random.default_rng(seed), flips) if flips else None
    yield from blocks_of(part, matrix.submissions, test, describe(taken), taken.shape[1], p)


def blocks_of(
    part: SubsetDifferences,
    submissions: pl.DataFrame,
    test: PairedTest,
    shape: Described,
    pairs: int,
    p: Array | None = None,
) -> Iterator[EstimateBlock]:
    """Every measure of one part of so many pairs, and the sign-flip test's p where there is one."""
    measures = _tested(test) | _described(shape, test)
    if p is not None:
        measures["sign_flip"] = {"value": test.mean, "p": p, "n": test.n}
    dropped = {"n_dropped": pairs - test.n}
    for name, columns in measures.items():
        yield EstimateBlock(
            part.contrast, part.subset, name, part.rows, {**columns, **dropped}, UNITS.get(name)
        )
    native = (submissions["unit"] == NATIVE).to_numpy()[part.rows]
    if native.any():
        columns = _in_sd(test, submissions["sd"].to_numpy()[part.rows]) | dropped
        mine = {name: column[native] for name, column in columns.items()}
        yield EstimateBlock(
            part.contrast, part.subset, "in_sd", part.rows[native], mine, UNITS["in_sd"]
        )


def _tested(test: PairedTest) -> dict[str, Columns]:
    d, se, low, high = standardised(test)
    return {
        MEAN: {
            "value": test.mean, "se": test.se, "low": test.low, "high": test.high,
            "statistic": test.t, "df": test.df, "p": test.p, "n": test.n,
        },
        "standardised": {"value": d, "se": se, "low": low, "high": high, "n": test.n},
    }  # fmt: skip


def _described(shape: Described, test: PairedTest) -> dict[str, Columns]:
    return {
        "mean_up": {"value": shape.up, "n": shape.n_up},
        "mean_down": {"value": shape.down, "n": shape.n_down},
        "spread": {"value": shape.spread, "n": test.n},
        "max_abs": {"value": shape.largest, "n": test.n},
        "mean_abs": {"value": shape.size, "n": test.n},
    }


def _in_sd(test: PairedTest, sd: Array) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]:
    """The mean difference in standard deviations of the system's own scores."""
    unit = np.where(sd > 0, sd, np.nan)
    of = {"value": test.mean, "se": test.se, "low": test.low, "high": test.high}
    return {name: column / unit for name, column in of.items()} | {"n": test.n}
