"""Which pairs and people are embedded: all, or each submission's largest where all are many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.report.material import Compared

Array = NDArray[np.float64]
Places = NDArray[np.int64]

CELLS = 480_000
"""Pairs of all submissions that may be embedded in full, 8 bytes each."""
TEXTS = 1_400_000
"""Characters of sentences that may be embedded."""
PEOPLE = 400
"""People of one submission that may be embedded."""
PEOPLE_CELLS = 60_000
"""People of all submissions that may be embedded."""
FEWEST_PEOPLE = 8
"""People each submission and combination of groups keeps in any case."""
FEWEST = 20
"""Pairs each submission and contrast keeps in any case."""


def kept(compared: Compared, rows: Sequence[int], budget: int = CELLS) -> list[Places] | None:
    """The columns each submission keeps; None where all are there and fit."""
    size = compared.pairs.height
    pairs = compared.pairs
    letters = pairs["text_first"].str.len_bytes() + pairs["text_second"].str.len_bytes()
    fits = len(rows) * size <= budget and int(letters.sum() or 0) <= TEXTS
    if fits and compared.whole is None:
        return None
    contrasts = contrast_columns(compared)
    many = max(FEWEST, budget // 3 // max(len(rows) * len(contrasts), 1))
    weight = letters.to_numpy()
    while True:
        chosen = [_largest(compared.deltas[row], contrasts, many) for row in rows]
        union = np.unique(np.concatenate(chosen)) if chosen else np.zeros(0, np.int64)
        if many == FEWEST or int(weight[union].sum()) <= TEXTS:
            return chosen
        many = max(FEWEST, many // 2)


def kept_people(compared: Compared, rows: Sequence[int]) -> list[Places] | None:
    """The people each submission keeps; None where all fit.

    Of every combination of groups those that stand furthest from the average; couples all.
    """
    people = compared.people
    if people.height <= PEOPLE and people.height * len(rows) <= PEOPLE_CELLS:
        return None
    axes = [axis.name for axis in compared.axes if axis.name in people.columns]
    pooled = pooled_people(people).to_numpy()
    cells = [
        part["place"].to_numpy().astype(np.int64)
        for _, part in people.with_row_index("place").filter(pooled).group_by(
            *axes, maintain_order=True
        )
    ]  # fmt: skip
    couples = np.flatnonzero(~pooled)
    room = min(PEOPLE, PEOPLE_CELLS // max(len(rows), 1)) - couples.size
    each = max(FEWEST_PEOPLE, room // max(len(cells), 1))
    return [
        np.sort(np.concatenate([couples, _largest(compared.deviations[row], cells, each)]))
        for row in rows
    ]


def pooled_people(people: pl.DataFrame) -> pl.Series:
    """Whether each is compared with many: a name among names, not one of a couple."""
    return people.select(pl.len().over("match") > 2).to_series()


def contrast_columns(compared: Compared) -> list[Places]:
    """The columns of each contrast's pairs, in the order of the corpus."""
    placed = compared.pairs.with_row_index("place")
    parts = placed.group_by("axis", "contrast", maintain_order=True)
    return [part["place"].to_numpy().astype(np.int64) for _, part in parts]


def _largest(deltas: Array, contrasts: Sequence[Places], many: int) -> Places:
    """The columns of the largest differences of each contrast, in the order of the corpus."""
    found = []
    for columns in contrasts:
        size = np.nan_to_num(np.abs(deltas[columns]), nan=-1.0)
        order = np.argsort(-size, kind="stable")[:many]
        found.append(columns[order[size[order] >= 0]])
    return np.sort(np.concatenate(found)) if found else np.zeros(0, np.int64)
