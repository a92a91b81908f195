"""Every subset's numbers, and what else describes a submission's differences, by submission."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from tiltmeter.report.material import Compared, Material
from tiltmeter.report.numbers import DASH, SCALE, bare_p, count, fixed, short, size
from tiltmeter.report.wording import told_from_above

MEAN = "mean_difference"
OF_A_SUBSET = ("axis", "contrast", "subset")
DESCRIBED = (
    "mean_up", "mean_down", "spread", "max_abs", "mean_abs", "standardised", "sign_flip"
)  # fmt: skip
"""Measures that stand beside the mean difference."""


def subset_names(estimates: pl.DataFrame, compared: Compared) -> list[list[str]]:
    """Axis, contrast and name of every subset that some submission has."""
    return [list(row) for row in _subsets(estimates, compared).rows()]


def subset_rows(material: Material, compared: Compared) -> list[list[list[Any] | None]]:
    """For each submission and subset: its finding as it is read; None where there is none.

    The way it leans (−1, 0 or 1), size, interval, p after correction, sign-flip p, pairs, pairs
    dropped, and significance.
    """
    names = _subsets(material.estimates, compared).with_row_index("subset_nth")
    found: list[list[list[Any] | None]] = [
        [None] * names.height for _ in range(compared.submissions.height)
    ]
    units = compared.submissions["unit"].to_list()
    keys = ["system", "task", *OF_A_SUBSET]
    estimates = _mine(material.estimates, compared)
    flips = estimates.filter(pl.col("measure") == "sign_flip").select(*keys, flip="p")
    dropped = estimates.filter(pl.col("measure") == MEAN).select(*keys, "n_dropped")
    table = (
        _mine(material.findings, compared)
        .filter(pl.col("measure") == MEAN)
        .join(flips, on=keys, how="left")
        .join(dropped, on=keys, how="left")
        .join(names, on=list(OF_A_SUBSET))
        .join(_rows(compared), on=["system", "task"])
    )
    for row in table.iter_rows(named=True):
        found[row["row"]][row["subset_nth"]] = _subset_row(row, units[row["row"]])
    return found


def _subset_row(row: Mapping[str, Any], unit: str) -> list[Any]:
    value, low, high = row["value"], row["low"], row["high"]
    amount, between = size(None if value is None else abs(value), unit), ""
    if None not in (value, low, high):
        amount, start, end = told_from_above(value, low, high, unit)
        between = f"{start} to {end}"
    return [
        0 if not value else 1 if value > 0 else -1, amount, between, bare_p(row["p_adjusted"]),
        bare_p(row["flip"]), row["n"], row["n_dropped"] or 0, row["significance"],
    ]  # fmt: skip


def descriptions(material: Material, compared: Compared) -> list[list[list[list[str] | None]]]:
    """For each submission and contrast: each measure described, as it is read, and a note."""
    contrasts = compared.pairs.select("axis", "contrast").unique(maintain_order=True).rows()
    place = {key: nth for nth, key in enumerate(contrasts)}
    units = compared.submissions["unit"].to_list()
    found: list[list[list[list[str] | None]]] = [
        [[None] * len(DESCRIBED) for _ in contrasts] for _ in range(compared.submissions.height)
    ]
    table = (
        _mine(material.estimates, compared)
        .filter(pl.col("subset") == material.subset, pl.col("measure").is_in(DESCRIBED))
        .join(_rows(compared), on=["system", "task"])
        .select("row", "axis", "contrast", "measure", "value", "low", "high", "p", "n")
    )
    for row in table.iter_rows(named=True):
        mine = found[row["row"]][place[row["axis"], row["contrast"]]]
        mine[DESCRIBED.index(row["measure"])] = _description(row, units[row["row"]])
    return found


def _description(row: Mapping[str, Any], unit: str) -> list[str] | None:
    """A measure's value with its unit, and what stands beside it."""
    pairs = count(row["n"] or 0, "pair")
    if row["measure"] == "sign_flip":
        return None if row["p"] is None else [bare_p(row["p"]), pairs]
    if row["measure"] == "standardised":
        if row["low"] is None or row["high"] is None:
            return [short(row["value"]), ""]
        between = f"95 % interval {fixed(row['low'], 2)} to {fixed(row['high'], 2)}"
        return [short(row["value"]), between]
    units = "points" if unit == SCALE else "own units"
    told = DASH if row["value"] is None else f"{size(abs(row['value']), unit)} {units}"
    return [told, pairs if row["measure"] in ("mean_up", "mean_down") else ""]


def _rows(compared: Compared) -> pl.DataFrame:
    return compared.submissions.select("system", "task").with_row_index("row")


def _mine(frame: pl.DataFrame, compared: Compared) -> pl.DataFrame:
    return frame.filter(pl.col("corpus") == compared.name, pl.col("edition") == compared.edition)


def _subsets(estimates: pl.DataFrame, compared: Compared) -> pl.DataFrame:
    mine = _mine(estimates, compared).filter(pl.col("measure") == MEAN)
    return mine.select(OF_A_SUBSET).unique(maintain_order=True)
