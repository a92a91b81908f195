"""Numbers as they are ranked: two that differ by rounding alone are alike, and a key decides.

The same sum in another order, in other blocks or on another processor differs by 1e-16 or so of
its size. Whatever is sorted or picked by size is therefore sorted by `coarsen(size)`, then by a
name, an id or a place in the corpus.

    sorted(rows, key=lambda row: (-coarsen(row["value"]), row["system"]))
    frame.sort(coarsen_column(pl.col("value").abs()), "system", descending=[True, False])
    np.argsort(-coarsen(sizes, width), kind="stable")
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

Array = NDArray[np.float64]

STEP = math.pi * 1e-10
"""How far apart two numbers are ranked apart: far above rounding, far below any real difference.

Rounding only moves the place where two numbers that are alike fall apart. No decimal or binary
fraction, such as a mean of scores, lies on a border of steps of π.
"""


@overload
def coarsen(values: float, scale: float = 1.0) -> float: ...
@overload
def coarsen(values: Array, scale: Array | float = 1.0) -> Array: ...
def coarsen(values: Array | float, scale: Array | float = 1.0) -> Any:
    """Numbers in steps to rank them by: of `scale`, or of themselves where they are larger.

    `scale` is what counts as 1: the width of a system's scale, where it is not 1; a width of 0 is
    that of a system without answers. The order is kept, apart from numbers nearer than a step; 0
    stays 0, NaN and infinity stay too. The result is for ranking only.

    >>> bool(coarsen(0.1 + 0.2) == coarsen(0.3)), bool(coarsen(0.3 + 1e-8) > coarsen(0.3))
    (True, True)
    >>> bool(coarsen(1e12 + 1e-4) == coarsen(1e12)), bool(coarsen(1e-12) == coarsen(0.0))
    (True, True)
    """
    units = np.where(np.asarray(scale) > 0, scale, 1.0)
    return np.rint(np.arcsinh(values / units) / STEP) + 0.0


def coarsen_column(values: pl.Expr) -> pl.Expr:
    """A column in the steps of `coarsen`; null stays null.

    >>> import polars as pl
    >>> pl.DataFrame({"size": [0.3, 0.1 + 0.2]}).select(coarsen_column(pl.col("size"))).n_unique()
    1
    """
    return (values.arcsinh() / STEP).round() + 0.0
