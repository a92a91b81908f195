"""Which label is in which file: a name that is safe, and no longer than it must be."""

from __future__ import annotations

import polars as pl

from tiltmeter.report.ratings.material import DISCRETISED, RatingMaterial
from tiltmeter.report.slugs import numbered, unique_slugs

APART = "\x1f"
"""Between a system and its task, in a name that no file bears."""


def label_files(material: RatingMaterial) -> pl.DataFrame:
    """system, task, variant, file: a row for each label.

    A task stands in the name where a system has several; discretised scores are marked.
    """
    rows = material.overall.select("system", "task", "variant")
    tasks = rows.group_by("system").agg(pl.col("task").n_unique())
    many = set(tasks.filter(pl.col("task") > 1)["system"])
    plain = [
        f"{system}{APART}{task}" if system in many else system for system, task, _ in rows.rows()
    ]
    slugs = unique_slugs(plain)
    marks = ["-discretised" if one == DISCRETISED else "" for one in rows["variant"]]
    names = numbered([f"{slugs[name]}{mark}" for name, mark in zip(plain, marks, strict=True)])
    return rows.with_columns(file=pl.Series([f"{name}.svg" for name in names], dtype=pl.String))
