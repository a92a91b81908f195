"""Tables for spreadsheets: no cell of text is taken for a formula."""

from __future__ import annotations

import polars as pl

COMPUTED = ("=", "+", "-", "@", "\t", "\r", "\n")
"""How a text begins that a spreadsheet would compute."""
BEGINNING = r"^([=+\-@\t\r\n])"


def without_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with `'` before every text and column name that a spreadsheet would compute.

    >>> without_formulas(pl.DataFrame({"system": ["=1+1", "vader"], "value": [-1.0, 2.0]})).rows()
    [("'=1+1", -1.0), ('vader', 2.0)]
    """
    cells = frame.with_columns(pl.col(pl.String).str.replace(BEGINNING, "'${1}"))
    return cells.rename({name: f"'{name}" for name in frame.columns if name.startswith(COMPUTED)})
