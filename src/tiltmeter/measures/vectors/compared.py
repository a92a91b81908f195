"""Several spaces: two side by side, on the terms that both hold; p-values of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.stats.logistic import sigmoid
from tiltmeter.measures.stats.several_tests import corrected_p
from tiltmeter.measures.vectors.divergence import rnsb
from tiltmeter.measures.vectors.resampled import interval
from tiltmeter.measures.vectors.rnsb import RnsbStudy
from tiltmeter.measures.vectors.term_rows import Told

Array = NDArray[np.float64]

COMPARISONS = {
    "list": pl.String, "first": pl.String, "second": pl.String, "n_terms": pl.Int64,
    **dict.fromkeys(("rnsb_first", "rnsb_second", "difference", "low", "high"), pl.Float64),
}  # fmt: skip


def compared_spaces(studies: Mapping[str, RnsbStudy]) -> pl.DataFrame:
    """Each two spaces on each list, on the terms that both hold, over the same resamples."""
    rows = []
    for (first, one), (second, other) in combinations(studies.items(), 2):
        for name in one.told.keys() & other.told.keys():
            if len(set(one.told[name].held) & set(other.told[name].held)) >= 2:
                rows.append((name, first, second, *_beside(one.told[name], other.told[name])))
    return pl.DataFrame(sorted(rows), COMPARISONS, orient="row")


def with_corrected_p(found: pl.DataFrame) -> pl.DataFrame:
    """The rows of a family of tests with p_adjusted beside p: after Holm (1979).

    >>> with_corrected_p(pl.DataFrame({"p": [0.01, None, 0.04], "n": [1, 2, 3]})).rows()
    [(0.01, 0.02, 1), (None, None, 2), (0.04, 0.04, 3)]
    """
    at = found.columns.index("p") + 1
    known = found["p"].drop_nulls().to_numpy()
    corrected = iter(corrected_p(known[None], "holm")[0].tolist() if len(known) else [])
    told = [None if p is None else next(corrected) for p in found["p"]]
    return found.insert_column(at, pl.Series("p_adjusted", told, dtype=pl.Float64))


def _beside(one: Told, other: Told) -> tuple[object, ...]:
    both = [term for term in one.held if term in other.held]
    sides = [_only(told, both) for told in (one, other)]
    values = [rnsb(sigmoid(odds)) for odds, _ in sides]
    difference = values[0] - values[1]
    ends: tuple[float | None, float | None] = (None, None)
    if one.draws.shape[1]:
        draws = [rnsb(sigmoid(again)) for _, again in sides]
        low, high = interval(difference, draws[0] - draws[1])
        ends = float(low), float(high)
    return (len(both), *map(float, values), float(difference), *ends)


def _only(told: Told, terms: list[str]) -> tuple[Array, Array]:
    rows = [told.held.index(term) for term in terms]
    return told.odds[rows], told.draws[rows]
