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


def label_shares(material: Material) -> pl.DataFrame:
    """How many sentences of either group are positive: a row a submission, contrast and kind.

    `kind` is whom it is about: names or couples.
    """
    labels = _labels(material)
    tilt = labels.filter(pl.col("measure") == "label_tilt")
    first, second = groups_compared()
    found = tilt.select(
        *KEYS[:-1], kind="subset", people="n", label_tilt="value", label_tilt_low="low",
        label_tilt_high="high", label_tilt_p="p", first=first, second=second,
    )  # fmt: skip
    found = _with_shares(found, labels, ["kind"], pl.col("subset"))
    return _with_repeats(found, labels).drop("first", "second")


def label_flips(material: Material) -> pl.DataFrame:
    """How many couples' pairs change label: a row a submission, contrast and subset."""
    labels = _labels(material)
    flips, balance = (
        labels.filter(pl.col("measure") == name) for name in ("flips", "flip_balance")
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
    return found.with_columns(
        first_higher=((changed + more) / 2).round().cast(pl.Int64),
        second_higher=((changed - more) / 2).round().cast(pl.Int64),
    )


def groups_compared() -> tuple[pl.Expr, pl.Expr]:
    """The two groups of a contrast such as `female-male`, whose second is its reference."""
    second = pl.col("reference")
    return pl.col("contrast").str.strip_suffix(pl.concat_str(pl.lit("-"), second)), second


def _with_shares(
    found: pl.DataFrame, labels: pl.DataFrame, more: list[str], kind: pl.Expr
) -> pl.DataFrame:
    """Both groups' shares, `share_first` and `share_second`."""
    shares = labels.filter(pl.col("measure") == "label_share").with_columns(kind=kind)
    for one, other in (("first", "second"), ("second", "first")):
        on = [*OF_A_GAP, *more, "first", "second"]
        told = shares.select(
            *OF_A_GAP, *more, pl.col("contrast").alias(one), pl.col("reference").alias(other),
            pl.col("value").alias(f"share_{one}"),
        )  # fmt: skip
        found = found.join(told, on=on, how="left", maintain_order="left")
    return found


def _with_repeats(found: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """The columns on repeats, where systems were asked more than once."""
    there, keys = set(labels["measure"]), KEYS[:-1]
    for measure, column in REPEATS.items():
        if measure in there:
            mine = labels.filter(pl.col("measure") == measure, pl.col("subset") == "all")
            told = mine.select(*keys, pl.col("value").alias(column))
            found = found.join(told, on=keys, how="left", maintain_order="left")
    return found


def label_gaps(material: Material) -> pl.DataFrame:
    """Of three groups or more, or of all cells, the two labelled most unlike."""
    labels = _labels(material)
    first, second = groups_compared()
    gap = labels.filter(pl.col("measure") == "label_gap").select(
        *OF_A_GAP, kind="subset", first=first, second=second, gap="value", low="low", high="high",
        p="p", people="n",
    )  # fmt: skip
    return _with_shares(gap, labels, ["kind"], pl.col("subset").str.strip_prefix("label_gap:"))


def label_tables(material: Material) -> dict[str, pl.DataFrame]:
    """The tables of a run's labels and ranks that there are, by name."""
    tables = {}
    if material.labels is not None and material.labels.height:
        tables = {
            "label-shares": label_shares(material), "flips": label_flips(material),
            "label-gaps": label_gaps(material),
        }  # fmt: skip
        tables = {name: one for name, one in tables.items() if one.height}
    if material.ranks is not None and material.ranks.height:
        tables["tilt-ranks"] = material.ranks
    return tables


def _labels(material: Material) -> pl.DataFrame:
    return material.estimates.clear() if material.labels is None else material.labels
