"""The permutation test over people: their groups might as well have been dealt otherwise.

If a system treats two groups alike, it is chance which names are in which; and of my mother and my
father, which of the two stands first. So names change sides within their match and cell, women with
women's number, and each pair of one person a side turns its sign, whole: a person keeps all their
sentences. The p-value is the share of such deals whose mean difference is at least as large as the
one seen. It assumes nothing of how scores are spread, and speaks of people, not of templates.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.tilt.spread import EVERY
from tiltmeter.measures.tilt.sums import TiltSums
from tiltmeter.measures.tilt.units import FIRST

Array = NDArray[np.float64]

DEALS = 4999
"""Deals drawn beside the one seen; the least p-value is 1/5,000."""
CLOSE = 1e-9
"""Sums that differ by less than this part of the largest are ties."""
ROWS = 64
"""Systems at a time."""


def relabelled_p(sums: TiltSums, rng: np.random.Generator, deals: int = DEALS) -> Array:
    """Two-sided p-value for each row, (1 + hits) / (1 + deals); NaN where there is no pair."""
    pairs = sums.pairs.within(None, EVERY).together("match")
    people = sums.dealt.within(None, EVERY).together("match", "cell", "side", "group", "person")
    labels = np.concatenate(
        [_signs(pairs.keys.height, rng, deals), _deals(people.keys, rng, deals)]
    )
    totals = np.concatenate([pairs.sums, people.sums], axis=1)
    hits = [
        _hits(totals[at : at + ROWS], labels) for at in range(0, sums.rows, ROWS)
    ]  # fmt: skip
    known = sums.parts.moments.n.sum(axis=1) > 0
    return np.where(known, np.concatenate([np.zeros(0), *hits]) / (1 + deals), np.nan)


def _hits(totals: Array, labels: Array) -> Array:
    """How many deals, the one seen among them, are as far from 0 as the first."""
    dealt = np.abs(totals @ labels)
    close = CLOSE * (np.abs(totals) @ np.abs(labels[:, :1]))
    hits: Array = np.count_nonzero(dealt >= dealt[:, :1] - close, axis=1).astype(np.float64)
    return hits


def _signs(pairs: int, rng: np.random.Generator, deals: int) -> Array:
    """(pairs, 1 + deals): as seen, then each pair turned or not."""
    signs = rng.integers(0, 2, (pairs, deals)) * 2.0 - 1.0
    return np.concatenate([np.ones((pairs, 1)), signs], axis=1)


def _deals(units: pl.DataFrame, rng: np.random.Generator, deals: int) -> Array:
    """(people, 1 + deals): 1/n of the first side or −1/n of the second, as seen and then dealt.

    Beside the average of all the second side is the mean of the other groups' means: the
    difference is then G/(G − 1) times as large, in every deal, which changes no p-value.
    """
    first = (units["side"] == FIRST).to_numpy()
    many = pl.len().over("match", "side", "group") * pl.col("group").n_unique().over(
        "match", "side"
    )
    weight = 1.0 / units.select(many=many)["many"].to_numpy()
    seen = np.where(first, weight, -weight)
    labels = np.repeat(seen[:, None], 1 + deals, axis=1)
    placed = units.with_row_index("unit")
    for _, some in placed.group_by("match", "cell", maintain_order=True):
        at = some["unit"].to_numpy().astype(np.int64)
        order = np.argsort(rng.random((at.size, deals)), axis=0)
        labels[at, 1:] = seen[at][order]
    return labels
