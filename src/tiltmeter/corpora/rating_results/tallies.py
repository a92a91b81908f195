"""Rows that are alike counted: all that datasets, rules and notes need to know of them.

A *tally* is a row for all rows alike in system, dataset, groups, word and file: how many there are,
how many of them have no score, how many tell their sentence, the lowest and the highest score, and
where the first stands. A row for itself is a tally of one.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl


def alike(axes: Sequence[str]) -> list[str]:
    """The columns in which rows of a tally are alike."""
    return ["system", "group", "words", *axes, "emotion_word", "polarity", "own", "file"]


def each_for_itself(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with what a tally tells: every row is one."""
    return rows.with_columns(
        pl.lit(1, pl.Int64).alias("n"),
        pl.col("raw").is_null().cast(pl.Int64).alias("missing"),
        pl.col("key").is_not_null().cast(pl.Int64).alias("keyed"),
        pl.col("raw").alias("low"),
        pl.col("raw").alias("high"),
    )


def tallied(rows: pl.DataFrame, axes: Sequence[str]) -> pl.DataFrame:
    """The tallies of some rows, in the order in which they begin."""
    return rows.group_by(alike(axes), maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("n"),
        pl.col("raw").null_count().cast(pl.Int64).alias("missing"),
        pl.col("key").count().cast(pl.Int64).alias("keyed"),
        pl.col("raw").min().alias("low"),
        pl.col("raw").max().alias("high"),
        pl.col("place").first(),
    )


def merged(tallies: Sequence[pl.DataFrame], axes: Sequence[str]) -> pl.DataFrame:
    """Tallies of several parts as one, those alike added up."""
    return (
        pl.concat(tallies)
        .group_by(alike(axes), maintain_order=True)
        .agg(
            pl.col("n", "missing", "keyed").sum(),
            pl.col("low").min(),
            pl.col("high").max(),
            pl.col("place").first(),
        )
    )
