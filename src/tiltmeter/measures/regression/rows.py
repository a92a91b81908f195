"""What a regression found, as rows of the `estimates` table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.estimates import Block
from tiltmeter.measures.regression.effects import Effect
from tiltmeter.measures.regression.uncertainty import Estimated

LOGIT, LOG_PRECISION = "logit", "log precision"

COEFFICIENT = "coefficient"
"""β of the Beta regression, with errors over names and templates."""
NAIVE = "coefficient_naive"
"""The same as if all sentences were independent."""
MIXED = "coefficient_mixed"
"""β of a linear model of the logit with random names and templates."""
MARGINAL = "marginal_effect"
"""What the coefficient comes to on the scale of scores."""
MARGINAL_NAIVE, MARGINAL_MIXED = "marginal_effect_naive", "marginal_effect_mixed"
TOTAL, TOTAL_EFFECT = "total", "total_effect"
"""Of a product: all its groups at once against all their references; on the logit, in scores."""
LEAST_SQUARES = "least_squares"
"""The coefficient of ordinary least squares, which the paper prints."""
PRECISION = "precision"
"""γ: what log φ differs by between groups."""

UNITS = {
    COEFFICIENT: LOGIT, NAIVE: LOGIT, MIXED: LOGIT, TOTAL: LOGIT, PRECISION: LOG_PRECISION
}  # fmt: skip
"""Of measures that are not in the unit of the scores."""


def judged_measure(mode: str, errors: str) -> str:
    """The measure that findings are made of: effects on the scale of scores, with these errors.

    >>> judged_measure("corrected", "crossed"), judged_measure("published", "naive")
    ('marginal_effect', 'least_squares')
    """
    if mode == "published":
        return LEAST_SQUARES
    return {"crossed": MARGINAL, "mixed": MARGINAL_MIXED, "naive": MARGINAL_NAIVE}[errors]


@dataclass(frozen=True, slots=True)
class Table:
    """One measure of several effects, for all submissions of a part."""

    measure: str
    effects: Sequence[Effect]
    numbers: Estimated
    """(submissions, effects)"""


def blocks(
    tables: Sequence[Table],
    subset: str,
    rows: NDArray[np.int64],
    n: NDArray[np.int64],
    dropped: NDArray[np.int64],
) -> Iterator[Block]:
    """Every table's effects, one after the other."""
    for table in tables:
        for at, effect in enumerate(table.effects):
            columns = _columns(table.numbers, at) | {"n": n, "n_dropped": dropped}
            yield Block(effect, subset, table.measure, rows, columns, UNITS.get(table.measure))


def _columns(numbers: Estimated, at: int) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]:
    df = numbers.df[:, at]
    return {
        "value": numbers.value[:, at],
        "se": numbers.se[:, at],
        "low": numbers.low[:, at],
        "high": numbers.high[:, at],
        "statistic": numbers.statistic[:, at],
        "df": np.where(np.isfinite(df), df, np.nan),
        "p": numbers.p[:, at],
    }
