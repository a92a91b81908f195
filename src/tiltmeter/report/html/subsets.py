"""Every subset's numbers, and what else describes a submission's differences, by submission."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.report.material import Compared, Material

Array = NDArray[np.float64]

MEAN = "mean_difference"
OF_A_SUBSET = ("axis", "contrast", "subset")
FINDING = ("value", "low", "high", "p", "p_adjusted")
KINDS = {"none": 0.0, "up": 1.0, "down": -1.0, "not_estimable": float("nan")}
DESCRIBED = (
    "mean_up", "mean_down", "spread", "max_abs", "mean_abs", "standardised", "sign_flip"
)  # fmt: skip
"""Measures that stand beside the mean difference."""
COLUMNS = (*FINDING, "flip", "n", "n_dropped", "kind")
"""Of `subset_numbers`, in order."""


def subset_names(estimates: pl.DataFrame, compared: Compared) -> list[list[str]]:
    """Axis, contrast and name of every subset that some submission has."""
    return [list(row) for row in _subsets(estimates, compared).rows()]


def subset_numbers(material: Material, compared: Compared) -> Array:
    """(submissions, subsets, columns): each subset's finding; NaN where there is none."""
    names = _subsets(material.estimates, compared).with_row_index("subset_nth")
    found = np.full((compared.submissions.height, names.height, len(COLUMNS)), np.nan)
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
        .with_columns(kind=pl.col("significance").replace_strict(KINDS, return_dtype=pl.Float64))
    )
    numbers = table.select(pl.col(name).cast(pl.Float64) for name in COLUMNS).fill_null(np.nan)
    found[table["row"].to_numpy(), table["subset_nth"].to_numpy()] = numbers.to_numpy()
    return found


def descriptions(material: Material, compared: Compared) -> list[list[list[Any]]]:
    """For each submission and contrast: value, low, high, p and n of each measure described."""
    contrasts = compared.pairs.select("axis", "contrast").unique(maintain_order=True).rows()
    place = {key: nth for nth, key in enumerate(contrasts)}
    empty = [None] * 5
    found: list[list[list[Any]]] = [
        [[*([empty] * len(DESCRIBED))] for _ in contrasts]
        for _ in range(compared.submissions.height)
    ]
    table = (
        _mine(material.estimates, compared)
        .filter(pl.col("subset") == material.subset, pl.col("measure").is_in(DESCRIBED))
        .join(_rows(compared), on=["system", "task"])
        .select("row", "axis", "contrast", "measure", "value", "low", "high", "p", "n")
    )
    for row, axis, contrast, measure, *numbers, n in table.rows():
        said = [None if one is None else float(f"{one:.5g}") for one in numbers]
        found[row][place[axis, contrast]][DESCRIBED.index(measure)] = [*said, n]
    return found


def _rows(compared: Compared) -> pl.DataFrame:
    return compared.submissions.select("system", "task").with_row_index("row")


def _mine(frame: pl.DataFrame, compared: Compared) -> pl.DataFrame:
    return frame.filter(pl.col("corpus") == compared.name, pl.col("edition") == compared.edition)


def _subsets(estimates: pl.DataFrame, compared: Compared) -> pl.DataFrame:
    mine = _mine(estimates, compared).filter(pl.col("measure") == MEAN)
    return mine.select(OF_A_SUBSET).unique(maintain_order=True)
