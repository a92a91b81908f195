"""Which pairs are embedded: all of them, or each submission's largest where all are too many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tiltmeter.report.material import Compared

Array = NDArray[np.float64]
Places = NDArray[np.int64]

CELLS = 480_000
"""Pairs of all submissions that may be embedded in full, 8 bytes each."""
TEXTS = 1_400_000
"""Characters of sentences that may be embedded."""
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
    many = max(FEWEST, budget // 2 // max(len(rows) * len(contrasts), 1))
    weight = letters.to_numpy()
    while True:
        chosen = [_largest(compared.deltas[row], contrasts, many) for row in rows]
        union = np.unique(np.concatenate(chosen)) if chosen else np.zeros(0, np.int64)
        if many == FEWEST or int(weight[union].sum()) <= TEXTS:
            return chosen
        many = max(FEWEST, many // 2)


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
