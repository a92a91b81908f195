"""Skill beside tilt: how many of the most skilled systems show no difference."""

from __future__ import annotations

import polars as pl

from tiltmeter.report.comparison import main_subsets
from tiltmeter.report.material import Material

TOP = (1, 3, 5, 10)
KEYS = ["task", "corpus", "edition", "axis", "contrast", "subset"]


def ranked_by(material: Material) -> str:
    """What systems are ranked by: pearson or spearman."""
    return str(material.run.get("gold", {}).get("rank_by", "pearson"))


def ranked(material: Material) -> pl.DataFrame:
    """Each submission's rank by skill, 1 the best: system, task, rank; empty without gold."""
    if material.skill is None:
        schema = {"system": pl.String, "task": pl.String, "rank": pl.Int64}
        return pl.DataFrame(schema=schema)
    known = material.skill.filter(pl.col("rank").is_not_null())
    return known.group_by("system", "task", maintain_order=True).agg(pl.col("rank").min())


def top_systems(material: Material) -> pl.DataFrame:
    """Of the top 1, 3, 5 and 10 of a task by skill, how many show a difference and how many none.

    Ties share a rank, so that more than k systems may stand among the top k.
    """
    main = material.findings.filter(pl.col("subset").is_in(main_subsets(material)))
    judged = main.join(ranked(material), on=["system", "task"], how="inner")
    significance = pl.col("significance")
    shown = {
        "no_difference": "none", "up": "up", "down": "down", "not_estimable": "not_estimable"
    }  # fmt: skip
    counted = [
        judged.filter(pl.col("rank") <= top)
        .group_by(KEYS, maintain_order=True)
        .agg(
            top=pl.lit(top, pl.Int64),
            systems=pl.len().cast(pl.Int64),
            **{name: (significance == kind).sum().cast(pl.Int64) for name, kind in shown.items()},
        )
        for top in TOP
    ]
    return pl.concat(counted).sort(*KEYS, "top")
