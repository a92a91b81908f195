"""The rows that a study of mending is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from tiltmeter.measures.vectors.mending.probing import Proportion

Row = Mapping[str, Any]
"""measure, what, value, low, high, n, reason."""

MITIGATION = pl.Schema(
    {
        "embedding": pl.String,
        "direction": pl.String,
        "method": pl.String,
        "measure": pl.String,
        "what": pl.String,
        "value": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "n": pl.Int64,
        "reason": pl.String,
    }
)


def row(
    measure: str, what: str, value: float, low: float | None, high: float | None, n: int
) -> Row:
    """A number and how sure it is."""
    return {
        **{"measure": measure, "what": what, "value": value, "low": low, "high": high, "n": n},
        "reason": None,
    }


def proportion_row(measure: str, what: str, found: Proportion) -> Row:
    """A share and its interval."""
    return row(measure, what, found.value, found.low, found.high, found.n)


def refused(measure: str, what: str, reason: str, n: int | None = None) -> Row:
    """No number, and why."""
    return {
        **{"measure": measure, "what": what, "value": None, "low": None, "high": None, "n": n},
        "reason": reason,
    }


def per_cent(share: float) -> str:
    """A share in words.

    >>> per_cent(0.514)
    '51 %'
    """
    return f"{100 * share:.0f} %"
