"""Ranks with ties: leaderboards that say which places the data allow, never a bare rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import Contrast
from tiltmeter.measures.matrix import SCALE, score_matrix
from tiltmeter.measures.pairs import OF_A_RUN
from tiltmeter.measures.stats.correlation import pearson, spearman
from tiltmeter.measures.stats.influence import (
    bounded_atanh,
    pearson_influence,
    spearman_influence,
)
from tiltmeter.measures.stats.paired import DUST
from tiltmeter.measures.stats.rank_ranges import (
    LEVEL,
    Ranges,
    above_p,
    among_known,
    difference_variances,
    larger_p,
    rank_ranges,
    surely_above,
)
from tiltmeter.measures.tilt import Crossed, crossed_tilt

Array = NDArray[np.float64]

ALIKE = 1e-11
"""Correlations nearer than this share a rank."""

RANKS = pl.Schema(
    dict.fromkeys(("system", "task", "corpus", "edition", "axis", "contrast"), pl.String())
    | dict.fromkeys(("tilt", "low", "high"), pl.Float64())
    | dict.fromkeys(("rank", "rank_best", "rank_worst", "tied", "of"), pl.Int64())
)
"""A leaderboard of sizes of tilts: 1 is the largest of its task, corpus and contrast."""
NUMBERS = {"tilt": "value", "low": "low", "high": "high"}


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


def tilt_ranges(found: Crossed, level: float = LEVEL) -> Ranges:
    """Ranks by size of tilt, whatever its sign, 1 the largest, and which the data allow.

    Systems answer the same sentences, so what people, templates and words do to the difference of
    two tilts is the difference of what they do to each.
    """
    known = ~np.isnan(found.value) & ~np.isnan(found.se)
    value = found.value[known]
    sources = [
        (getattr(found, f"over_{name}")[known], getattr(found, f"df_{name}")[known])
        for name in ("people", "templates", "words")
    ]
    each = [difference_variances(rows) for rows, _ in sources]
    minus, plus = (np.sum([one[at] for one in each], axis=0) for at in (0, 1))
    df = _satterthwaite(each, [df for _, df in sources])
    above = surely_above(larger_p(value, minus, plus, df, DUST), level)
    return among_known(known, rank_ranges(np.abs(value), above, DUST))


def _satterthwaite(each: Sequence[tuple[Array, Array]], dfs: Sequence[Array]) -> Array:
    """Degrees of freedom of every two systems' difference: V² / Σ (V_s² / df_s)."""
    variances = [minus for minus, _ in each]
    spent = [
        one**2 / np.maximum(np.minimum(df[:, None], df), 1.0)
        for one, df in zip(variances, dfs, strict=True)
    ]
    whole, lost = np.sum(variances, axis=0), np.sum(spent, axis=0)
    df: Array = np.divide(whole**2, lost, out=np.full(whole.shape, 1e6), where=lost > 0)
    return df


def tilt_ranks(
    sentences: pl.DataFrame,
    scores: pl.DataFrame,
    contrasts: Sequence[Contrast],
    axes: Sequence[str],
) -> pl.DataFrame:
    """A leaderboard for every task and contrast: see RANKS. Without a scale there is no place."""
    matrix = score_matrix(scores, sentences)
    width = matrix.submissions["width"].to_numpy()
    found = {
        one: crossed_tilt(sentences, matrix.values, one, axes, width)
        for one in dict.fromkeys(contrasts)
    }
    of = {name: str(sentences[name][0]) if sentences.height else "" for name in OF_A_RUN}
    return ranks_from(matrix.submissions, found, of)


def ranks_from(
    submissions: pl.DataFrame, crossed: Mapping[Contrast, Crossed], of: Mapping[str, str]
) -> pl.DataFrame:
    """The same from tilts that are known, a row for each submission; `of`: corpus and edition."""
    parts = [
        _leaderboard(submissions, task, found, {**of, "axis": one.axis, "contrast": one.name})
        for one, found in crossed.items()
        for task in submissions["task"].unique(maintain_order=True)
    ]
    return pl.concat([RANKS.to_frame(), *parts])


def _leaderboard(
    submissions: pl.DataFrame, task: str, found: Crossed, about: Mapping[str, str]
) -> pl.DataFrame:
    mine = (submissions["task"] == task) & (submissions["unit"] == SCALE)
    some = taken(found, mine.arg_true().to_numpy().astype(np.int64))
    told = submissions.filter(mine).with_columns(
        **{name: pl.lit(value) for name, value in about.items()},
        **{name: pl.Series(getattr(some, of)).fill_nan(None) for name, of in NUMBERS.items()},
        **range_columns(tilt_ranges(some)),
    )
    known = told.drop_nulls("rank").sort("rank", maintain_order=True)
    return known.select(pl.col(name).cast(kind) for name, kind in RANKS.items())


def taken(found: Crossed, rows: NDArray[np.int64]) -> Crossed:
    """Some rows of what was found of many."""
    arrays: dict[str, Any] = {
        field.name: one[rows]
        for field in fields(found)
        if isinstance(one := getattr(found, field.name), np.ndarray)
    }
    return replace(found, **arrays)


def range_columns(ranges: Ranges) -> dict[str, pl.Series]:
    """rank, rank_best, rank_worst, tied and of as columns; null where a system has no number."""
    named = {"rank": "rank", "rank_best": "best", "rank_worst": "worst", "tied": "group"}
    columns = {name: pl.Series(getattr(ranges, of), dtype=pl.Int64) for name, of in named.items()}
    columns["of"] = pl.Series(np.where(ranges.rank > 0, ranges.of, 0), dtype=pl.Int64)
    return {name: column.replace(0, None) for name, column in columns.items()}
