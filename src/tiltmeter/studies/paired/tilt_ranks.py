"""Systems ranked by size of tilt, with ties: which places the data allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.scoring.matrix import SCALE, Scores, score_matrix
from tiltmeter.stats.correlation import (
    bounded_atanh,
    pearson,
    pearson_influence,
    spearman,
    spearman_influence,
)
from tiltmeter.stats.multiplicity import (
    LEVEL,
    Ranges,
    above_p,
    among_known,
    difference_variances,
    larger_p,
    rank_ranges,
    surely_above,
)
from tiltmeter.stats.paired_tests import DUST
from tiltmeter.studies.paired.claims import Claim
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.pairs import OF_A_RUN
from tiltmeter.studies.paired.tilt import TiltStudy, tilt_study

Array = NDArray[np.float64]
Places = NDArray[np.int64]

ALIKE = 1e-11
"""Correlations nearer than this share a rank."""

FEWEST = 2
"""Submissions that can be ranked."""

RANKS = pl.Schema(
    dict.fromkeys(("system", "task", "corpus", "edition", "axis", "contrast", "kind"), pl.String())
    | {"tilt": pl.Float64()}
    | dict.fromkeys(("rank", "rank_best", "rank_worst", "tied", "of"), pl.Int64())
)
"""A leaderboard of sizes of tilts, by names or by couples: 1 is the largest of its task, corpus,
contrast and kind."""


def skill_ranges(answers: Array, gold: Array, by: str = "pearson", level: float = LEVEL) -> Ranges:
    """Ranks by correlation with gold scores, 1 the best, and which the texts allow.

    `answers` is (systems, texts). Differences of atanh r are tested with the variance of each
    text's influence, so that systems that answer the same texts alike are told apart sooner.
    """
    correlation = {"pearson": pearson, "spearman": spearman}[by](answers, gold)
    known = ~np.isnan(correlation.value)
    influence = {"pearson": pearson_influence, "spearman": spearman_influence}[by]
    value = bounded_atanh(correlation.value[known])
    n = correlation.n[known].astype(np.float64)
    variance, _ = difference_variances(influence(answers[known], gold))
    df = np.minimum(n[:, None], n) - 2.0
    above = surely_above(above_p(value, variance, df, ALIKE), level)
    return among_known(known, rank_ranges(value, above, ALIKE))


def tilt_ranges(claim: Claim, rows: Places | None = None, level: float = LEVEL) -> Ranges:
    """Ranks by size of tilt, whatever its sign, 1 the largest, and which the data allow.

    Systems answer the same sentences, so what a person or a word adds to the difference of two
    tilts is the difference of what they add to each. What is beyond that in each claim's variance,
    such as its floor, is of people whom nobody saw, and is added for both. `rows` are those to rank
    among each other; by default all.
    """
    some = np.arange(claim.value.size) if rows is None else rows
    known = ~np.isnan(claim.value[some]) & ~np.isnan(claim.se[some])
    mine = some[known]
    value = claim.value[mine]
    people, words = (
        difference_variances(over[mine]) for over in (claim.over_people, claim.over_words)
    )
    unseen = np.maximum(
        claim.se_people[mine] ** 2 - (claim.over_people[mine] ** 2).sum(axis=1), 0.0
    )
    added = unseen[:, None] + unseen
    minus, plus = (people[at] + words[at] + added for at in (0, 1))
    df = _satterthwaite(minus, (people[0], words[0]), (claim.df_people[mine], claim.df_words[mine]))
    above = surely_above(larger_p(value, minus, plus, df, DUST), level)
    return among_known(known, rank_ranges(np.abs(value), above, DUST))


def _satterthwaite(whole: Array, parts: Sequence[Array], dfs: Sequence[Array]) -> Array:
    """Degrees of freedom of every two systems' difference: V² / Σ (V_s² / df_s)."""
    lost = np.zeros(whole.shape)
    for one, free in zip(parts, dfs, strict=True):
        lost += one**2 / np.maximum(np.minimum(free[:, None], free), 1.0)
    df: Array = np.divide(whole**2, lost, out=np.full(whole.shape, 1e6), where=lost > 0)
    return df


def tilt_ranks(
    sentences: pl.DataFrame,
    scores: Scores,
    contrasts: Sequence[Contrast],
    axes: Sequence[str],
    people: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """A leaderboard for every task, contrast and kind: see RANKS. Without a scale no place.

    A single submission has nobody to be ranked with.
    """
    matrix = score_matrix(scores, sentences)
    if matrix.submissions.height < FEWEST:
        return RANKS.to_frame()
    width = matrix.submissions["width"].to_numpy()
    study = tilt_study(sentences, matrix.values, contrasts, axes, width, people)
    of = {name: str(sentences[name][0]) if sentences.height else "" for name in OF_A_RUN}
    return ranks_from(matrix.submissions, study, of)


def ranks_from(submissions: pl.DataFrame, study: TiltStudy, of: Mapping[str, str]) -> pl.DataFrame:
    """The same from a study, a row for each submission; `of`: corpus and edition."""
    parts = [
        _leaderboard(
            submissions, task, claim,
            {**of, "axis": contrast.axis, "contrast": contrast.name, "kind": claim.kind},
        )
        for contrast in study.couples
        for claim in study.claims(contrast)
        for task in submissions["task"].unique(maintain_order=True)
    ]  # fmt: skip
    return pl.concat([RANKS.to_frame(), *parts])


def _leaderboard(
    submissions: pl.DataFrame, task: str, claim: Claim, about: Mapping[str, str]
) -> pl.DataFrame:
    mine = (submissions["task"] == task) & (submissions["unit"] == SCALE)
    rows = mine.arg_true().to_numpy().astype(np.int64)
    told = submissions.filter(mine).with_columns(
        **{name: pl.lit(value) for name, value in about.items()},
        tilt=pl.Series(claim.value[rows]).fill_nan(None),
        **range_columns(tilt_ranges(claim, rows)),
    )
    known = told.drop_nulls("rank").sort("rank", maintain_order=True)
    return known.select(pl.col(name).cast(kind) for name, kind in RANKS.items())


def range_columns(ranges: Ranges) -> dict[str, pl.Series]:
    """rank, rank_best, rank_worst, tied and of as columns; null where a system has no number."""
    named = {"rank": "rank", "rank_best": "best", "rank_worst": "worst", "tied": "group"}
    columns = {name: pl.Series(getattr(ranges, of), dtype=pl.Int64) for name, of in named.items()}
    columns["of"] = pl.Series(np.where(ranges.rank > 0, ranges.of, 0), dtype=pl.Int64)
    return {name: column.replace(0, None) for name, column in columns.items()}
