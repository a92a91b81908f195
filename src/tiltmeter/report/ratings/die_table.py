"""Deconfounding impact estimates laid out as in the paper's Table 5: both polarities in a row."""

from __future__ import annotations

import polars as pl

POLARITIES = ("negative", "positive")
TOLD = ("observed", "interventional", "die", "x", "empty", "n")
ROW = ["system", "task", "variant", "column", "dataset", "words"]


def die_table(effects: pl.DataFrame) -> pl.DataFrame:
    """A row for each dataset: means before and after, DIE % of both polarities, the largest.

    `largest` is null where there is none; `x` says that a denominator is 0. `worst` marks the
    largest of a system's datasets.
    """
    if effects.is_empty():
        return effects
    cells = [
        pl.col(what).filter(pl.col("polarity") == polarity).first().alias(f"{what}_{polarity}")
        for what in TOLD
        for polarity in POLARITIES
    ]
    rows = effects.group_by(ROW, maintain_order=True).agg(cells)
    return rows.with_columns(
        largest=pl.max_horizontal("die_negative", "die_positive"),
        x=pl.any_horizontal("x_negative", "x_positive").fill_null(False),
    ).with_columns(worst=_worst())


def _worst() -> pl.Expr:
    """An X, or the largest of those above 0 where no dataset has one."""
    own = ["system", "task", "variant", "column"]
    top = (pl.col("largest") == pl.col("largest").max().over(own)) & (pl.col("largest") > 0)
    decided = pl.when(pl.col("x").any().over(own)).then(pl.col("x")).otherwise(top)
    return decided.fill_null(False)
