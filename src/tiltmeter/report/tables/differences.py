"""Every submission's differences as one wide table: a row a submission, contrast and subset."""

from __future__ import annotations

import polars as pl

from tiltmeter.report.material import Material

KEYS = [
    "system", "task", "corpus", "edition", "mode", "axis", "contrast", "reference", "subset"
]  # fmt: skip
FOUND_BY = [*(name for name in KEYS if name != "reference"), "measure"]
FURTHER = {
    "mean_up": "mean_up",
    "mean_down": "mean_down",
    "spread": "spread",
    "max_abs": "max_abs",
    "mean_abs": "mean_abs",
    "standardised": "standardised",
    "in_sd": "in_sd_of_scores",
}
"""Measures of which the value alone is shown, and their columns."""


def differences(material: Material) -> pl.DataFrame:
    """Mean difference, its uncertainty, and what describes the differences, side by side."""
    measure, value = pl.col("measure"), pl.col("value")
    further = material.estimates.group_by(KEYS).agg(
        **{column: value.filter(measure == name).first() for name, column in FURTHER.items()},
        p_sign_flip=pl.col("p").filter(measure == "sign_flip").first(),
    )
    judged = material.findings.select(*FOUND_BY, "p_adjusted", "significance")
    main = material.estimates.filter(measure == "mean_difference")
    return (
        main.join(judged, on=FOUND_BY, how="left", maintain_order="left")
        .join(further, on=KEYS, how="left", maintain_order="left")
        .with_columns(exploratory=pl.col("subset") != "all")
        .select(
            *KEYS, pl.col("value").alias("mean_difference"), "unit", "se", "low", "high",
            pl.col("statistic").alias("t"), "df", "p", "p_adjusted", "significance", "p_sign_flip",
            *FURTHER.values(), "n", "n_dropped", "exploratory",
        )
    )  # fmt: skip
