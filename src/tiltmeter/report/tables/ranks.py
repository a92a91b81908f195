"""Skill beside tilt: how many of the most skilled systems show no difference."""

from __future__ import annotations

import polars as pl

from tiltmeter.report.comparison import main_subsets
from tiltmeter.report.material import Material

TOP = (1, 3, 5, 10)
KEYS = ["task", "corpus", "edition", "axis", "contrast", "subset"]


def ranked_by(material: Material) -> str:
    """What systems are ranked by: pearson or spearman."""
    return material.run.gold.rank_by if material.run.gold else "pearson"


def ranked(material: Material) -> pl.DataFrame:
    """Each submission's rank by skill, 1 the best, with the best and worst that the texts allow.

    system, task, rank, rank_best, rank_worst; empty without gold.
    """
    names = ("rank", "rank_best", "rank_worst")
    if material.skill is None:
        schema = dict.fromkeys(("system", "task"), pl.String) | dict.fromkeys(names, pl.Int64)
        return pl.DataFrame(schema=schema)
    known = material.skill.filter(pl.col("rank").is_not_null())
    here = [pl.col(name) if name in known.columns else pl.col("rank").alias(name) for name in names]
    return (
        known.select("system", "task", *here)
        .group_by("system", "task", maintain_order=True)
        .agg(pl.all().min())
    )


def top_systems(material: Material) -> pl.DataFrame:
    """Of the top 1, 3, 5 and 10 of a task by skill, how many show a difference and how many none.

    Ties share a rank, so that more than k systems may stand among the top k. `surely` of them are
    there whatever the luck of the gold texts, and `possibly` so many might be: where the two
    differ, the k-th place is within noise.
    """
    main = material.findings.filter(pl.col("subset").is_in(main_subsets(material)))
    judged = main.join(ranked(material), on=["system", "task"], how="inner")
    significance = pl.col("significance")
    shown = {
        "no_difference": "none", "up": "up", "down": "down", "not_estimable": "not_estimable"
    }  # fmt: skip
    counted = [
        judged.group_by(KEYS, maintain_order=True)
        .agg(
            top=pl.lit(top, pl.Int64),
            systems=(pl.col("rank") <= top).sum().cast(pl.Int64),
            surely=(pl.col("rank_worst") <= top).sum().cast(pl.Int64),
            possibly=(pl.col("rank_best") <= top).sum().cast(pl.Int64),
            **{
                name: ((significance == kind) & (pl.col("rank") <= top)).sum().cast(pl.Int64)
                for name, kind in shown.items()
            },
        )
        .filter(pl.col("systems") > 0)
        for top in TOP
    ]
    return pl.concat(counted).sort(*KEYS, "top")
