"""Tilt and skill by family of systems: by algorithm, features, or whatever an organiser knows."""

from __future__ import annotations

import polars as pl

from tiltmeter.report.comparison import main_subsets
from tiltmeter.report.material import Material

NOT_DESCRIBED = "not described"
NAMES = ("system", "team")
"""Columns that name systems rather than describe them."""
SEPARATOR = ";"
KEYS = ["task", "corpus", "edition", "axis", "contrast", "subset"]
COUNTED = {"up": "up", "down": "down", "no_difference": "none", "not_estimable": "not_estimable"}
SKILL = ("pearson", "spearman")


def families(material: Material) -> pl.DataFrame:
    """For each column that describes systems and each of its values: how many tilt, and how far.

    A cell may hold several values, separated by `;`; its system then counts in each. A system
    without a value is `not described`. Sizes are over submissions on a known scale.
    """
    meta = material.meta if material.meta is not None else pl.DataFrame({"system": []})
    judged = _judged(material)
    found = [
        _of_column(judged, _values(meta, column), column)
        for column in meta.columns
        if column not in NAMES
    ]
    return pl.concat(found) if found else _of_column(judged.clear(), _values(meta, "system"), "")


def _judged(material: Material) -> pl.DataFrame:
    """Every finding on the main subsets with its spread and its system's skill, where known."""
    keys = ["system", *KEYS]
    spreads = material.estimates.filter(pl.col("measure") == "spread")
    found = material.findings.filter(pl.col("subset").is_in(main_subsets(material))).join(
        spreads.select(*keys, "unit", spread="value"), on=keys, how="left", maintain_order="left"
    )
    if material.skill is None:
        return found.with_columns(pl.lit(None, pl.Float64).alias(name) for name in SKILL)
    skill = material.skill.unique(["system", "task"], keep="first", maintain_order=True)
    return found.join(skill.select("system", "task", *SKILL), on=["system", "task"], how="left")


def _values(meta: pl.DataFrame, column: str) -> pl.DataFrame:
    """Each system's values in a column, a row a value; nothing for an empty cell.

    >>> _values(pl.DataFrame({"system": ["a"], "features": ["lexicon; glove"]}), "features").rows()
    [('a', 'lexicon'), ('a', 'glove')]
    """
    cell = pl.col(column).cast(pl.String)
    split = meta.select("system", value=cell.str.split(SEPARATOR)).explode("value")
    return (
        split.with_columns(pl.col("system").cast(pl.String), pl.col("value").str.strip_chars())
        .filter(pl.col("value").fill_null("") != "")
        .unique(maintain_order=True)
    )


def _of_column(judged: pl.DataFrame, values: pl.DataFrame, column: str) -> pl.DataFrame:
    """A row for each value of one column, task, contrast and subset."""
    told = judged.join(values, on="system", how="left").with_columns(
        pl.col("value_right").fill_null(NOT_DESCRIBED).alias("family"),
        known=pl.col("value_right").is_not_null(),
    )
    significance, on_scale = pl.col("significance"), pl.col("unit") == "scale"
    return (
        told.group_by("known", "family", *KEYS)
        .agg(
            submissions=pl.len().cast(pl.Int64),
            **{name: (significance == kind).sum().cast(pl.Int64) for name, kind in COUNTED.items()},
            mean_size=pl.col("value").filter(on_scale).abs().mean(),
            mean_spread=pl.col("spread").filter(on_scale).mean(),
            **{f"mean_{name}": pl.col(name).mean() for name in SKILL},
            n_skill=pl.col("pearson").count().cast(pl.Int64),
        )
        .sort(*KEYS, pl.col("known").not_(), "family")
        .select(
            pl.lit(column).alias("column"),
            pl.col("family").alias("value"),
            pl.exclude("known", "family"),
        )
    )
