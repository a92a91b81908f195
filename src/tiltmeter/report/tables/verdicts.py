"""Every verdict as one wide table, with what its interval is made of."""

from __future__ import annotations

import polars as pl

from tiltmeter.report.material import Material
from tiltmeter.report.tables.differences import KEYS

SOURCES = ("people", "templates", "words", "noise")


def verdict_table(material: Material) -> pl.DataFrame | None:
    """A row a submission, contrast and subset; None where nothing was held to a margin."""
    if material.tilts is None or material.tilts.is_empty():
        return None
    measure = pl.col("measure")
    behind = (
        material.estimates.filter(measure.str.starts_with("tilt_"))
        .group_by(KEYS)
        .agg(
            **{f"se_{name}": _of(f"tilt_{name}", "value") for name in SOURCES},
            **{name: _of(f"tilt_{name}", "n") for name in SOURCES[:3]},
            p_dealt_anew=_of("tilt_relabelled", "p"),
            low_drawn_anew=_of("tilt_resampled", "low"),
            high_drawn_anew=_of("tilt_resampled", "high"),
        )
    )
    paired = material.estimates.filter(measure == "mean_difference").select(
        *KEYS, low_these=pl.col("low"), high_these=pl.col("high"), p_these=pl.col("p")
    )
    wide = material.tilts.join(paired, on=KEYS, how="left", maintain_order="left")
    return wide.join(behind, on=KEYS, how="left", maintain_order="left").select(
        *KEYS, "verdict", "margin", pl.col("value").alias("difference"), "unit",
        "se", "df", "low", "high", "p", "p_tilted", "p_even", "low_these", "high_these", "p_these",
        *(f"se_{name}" for name in SOURCES), *SOURCES[:3], "p_dealt_anew", "low_drawn_anew",
        "high_drawn_anew", "needed_people", "needed_templates", "n", "n_dropped", "reason",
        exploratory=pl.col("subset") != "all",
    )  # fmt: skip


def _of(measure: str, column: str) -> pl.Expr:
    return pl.col(column).filter(pl.col("measure") == measure).first()
