"""Label flips, gaps and repeats as plain tables."""

from __future__ import annotations

import polars as pl

from tiltmeter.report.material import Material

KEYS = ["system", "task", "corpus", "edition", "axis", "contrast", "reference", "subset"]
OF_A_GAP = ["system", "task", "corpus", "edition", "axis"]
REPEATS = {
    "flips_once": "flips_once", "retest_flips": "retest_flips",
    "retest": "retest_se", "retest_sd": "retest_sd",
}  # fmt: skip
"""Measures of repeats, and their columns."""


def label_flips(material: Material) -> pl.DataFrame:
    """How many pairs change label, and which way: a row a submission, contrast and subset."""
    labels = _labels(material)
    flips, balance, tilt = (
        labels.filter(pl.col("measure") == name) for name in ("flips", "flip_balance", "label_tilt")
    )
    changed, more = pl.col("flips") * pl.col("n"), pl.col("balance") * pl.col("n")
    found = flips.select(
        *KEYS, "n", "n_dropped", flips="value", flips_low="low", flips_high="high"
    ).join(
        balance.select(
            *KEYS, balance="value", balance_low="low", balance_high="high", p_mcnemar="p"
        ),
        on=KEYS, how="left", maintain_order="left",
    )  # fmt: skip
    found = found.with_columns(
        first_higher=((changed + more) / 2).round().cast(pl.Int64),
        second_higher=((changed - more) / 2).round().cast(pl.Int64),
    )
    columns = {"label_tilt": "value", "label_tilt_low": "low", "label_tilt_high": "high"}
    past = tilt.select(*KEYS, **columns, label_tilt_p="p")
    found = found.join(past, on=KEYS, how="left", maintain_order="left")
    return _with_repeats(found, labels)


def _with_repeats(found: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """The columns on repeats, where systems were asked more than once."""
    there = set(labels["measure"])
    for measure, column in REPEATS.items():
        if measure in there:
            mine = labels.filter(pl.col("measure") == measure)
            told = mine.select(*KEYS, pl.col("value").alias(column))
            found = found.join(told, on=KEYS, how="left", maintain_order="left")
    return found


def label_gaps(material: Material) -> pl.DataFrame:
    """The two groups labelled most unlike, of each axis and of all axes together."""
    labels = _labels(material)
    gap, chance, share = (
        labels.filter(pl.col("measure") == name)
        for name in ("label_gap", "label_gap_chance", "label_share")
    )
    second = pl.col("reference")
    first = pl.col("contrast").str.strip_suffix(pl.concat_str(pl.lit("-"), second))
    of_first, of_second = (
        share.select(
            *OF_A_GAP, pl.col("contrast").alias(name), pl.col("value").alias(f"share_{name}")
        )
        for name in ("first", "second")
    )
    by_chance = chance.select(*OF_A_GAP, by_chance="value", by_chance_high="high")
    return (
        gap.select(
            *OF_A_GAP, first=first, second=second, gap="value", low="low", high="high", p="p", n="n"
        )
        .join(by_chance, on=OF_A_GAP, how="left", maintain_order="left")
        .join(of_first, on=[*OF_A_GAP, "first"], how="left", maintain_order="left")
        .join(of_second, on=[*OF_A_GAP, "second"], how="left", maintain_order="left")
    )  # fmt: skip


def label_tables(material: Material) -> dict[str, pl.DataFrame]:
    """The tables of a run's labels and ranks that there are, by name."""
    tables = {}
    if material.labels is not None and material.labels.height:
        tables = {"flips": label_flips(material), "label-gaps": label_gaps(material)}
    if material.ranks is not None and material.ranks.height:
        tables["tilt-ranks"] = material.ranks
    return tables


def _labels(material: Material) -> pl.DataFrame:
    return material.estimates.clear() if material.labels is None else material.labels
