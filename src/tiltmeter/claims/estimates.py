"""Measures of many submissions as rows of the `estimates` table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.schemas import ESTIMATES

Columns = Mapping[str, NDArray[Any]]

NUMBERS = ("value", "se", "low", "high", "statistic", "df", "p")
COUNTS = ("n", "n_dropped")


class Compares(Protocol):
    """What a measure is of: a contrast of two groups, or a term of a model."""

    @property
    def axis(self) -> str:
        """As in `gender`."""

    @property
    def name(self) -> str:
        """As in `female-male`."""

    @property
    def second(self) -> str:
        """What it is held against, as in `male`."""


@dataclass(frozen=True, slots=True)
class EstimateBlock:
    """One measure of some submissions, on one subset of one contrast."""

    contrast: Compares
    subset: str
    measure: str
    rows: NDArray[np.int64]
    """Which submissions."""
    columns: Columns
    """Of shape (rows,), by the names in `NUMBERS` and `COUNTS`; a number left out is null."""
    unit: str | None = None
    """None: the submission's own."""


LABELS: dict[str, Callable[[EstimateBlock], str | None]] = {
    "axis": lambda block: block.contrast.axis,
    "contrast": lambda block: block.contrast.name,
    "reference": lambda block: block.contrast.second,
    "subset": lambda block: block.subset,
    "measure": lambda block: block.measure,
    "block_unit": lambda block: block.unit,
}


def estimates_table(
    blocks: Sequence[EstimateBlock], submissions: pl.DataFrame, run: Mapping[str, str]
) -> pl.DataFrame:
    """All blocks under each other; `run` has what is the same in every row."""
    rows = np.concatenate([np.zeros(0, np.int64), *(block.rows for block in blocks)])
    labels = pl.DataFrame(
        {name: [label(block) for block in blocks] for name, label in LABELS.items()},
        schema=dict.fromkeys(LABELS, pl.String),
    )
    repeated = labels[np.repeat(np.arange(len(blocks)), [block.rows.size for block in blocks])]
    return (
        submissions.select("system", "task", "unit")[rows]
        .hstack(repeated)
        .with_columns(
            **{name: pl.lit(value) for name, value in run.items()},
            **{name: _stacked(blocks, name).fill_nan(None) for name in NUMBERS},
            **{name: _stacked(blocks, name).cast(pl.Int64) for name in COUNTS},
            unit=pl.coalesce("block_unit", "unit"),
        )
        .select(*ESTIMATES.columns)
    )


def _stacked(blocks: Sequence[EstimateBlock], name: str) -> pl.Series:
    """A column of every block, NaN where a block has none."""
    parts = [block.columns.get(name, np.full(block.rows.size, np.nan)) for block in blocks]
    return pl.Series(np.concatenate([np.zeros(0), *parts]), dtype=pl.Float64)
