"""What the largest of many differences between groups comes to by chance alone.

If a system labels all groups alike, it is chance which people are in which. So groups are dealt
anew among the people of a match (and of a cell of the other axes), a person keeping all their
sentences, and the largest difference is taken again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import Contrast
from tiltmeter.measures.people import deviations_of
from tiltmeter.measures.stats.members import members

Array = NDArray[np.float64]
Places = NDArray[np.int64]

DEALS = 999
"""Deals beside the one seen; the least p-value is 1/1,000."""
CLOSE = 1e-9
AT_ONCE = 2**22
"""Numbers held at a time."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """The largest difference over deals, arrays of shape (submissions,)."""

    mean: Array
    high: Array
    """What one deal in twenty exceeds."""
    p: Array
    """(1 + deals as large as the one seen) / (1 + deals)."""


def dealt_largest(
    sentences: pl.DataFrame,
    values: Array,
    contrasts: Sequence[Contrast],
    others: Sequence[str],
    rng: np.random.Generator,
    deals: int = DEALS,
) -> Dealt:
    """The largest |difference| between groups of an axis, over groups dealt anew."""
    axis = contrasts[0].axis
    people, means = _people(sentences, values, [axis, *others])
    weights = _weights(people, sentences, contrasts)
    order = _deals(_blocks(people, others), rng, deals)
    seen = _sizes(means, weights, np.arange(people.height)[:, None])
    step = max(1, AT_ONCE // max(1, weights.size, len(means) * len(contrasts)))
    parts = [_sizes(means, weights, order[:, at : at + step]) for at in range(0, deals, step)]
    found = np.concatenate(parts, axis=1)
    hits = np.count_nonzero(found >= seen - CLOSE, axis=1)
    return Dealt(found.mean(axis=1), np.quantile(found, 0.95, axis=1), (1 + hits) / (1 + deals))


def _people(
    sentences: pl.DataFrame, values: Array, axes: Sequence[str]
) -> tuple[pl.DataFrame, Array]:
    """Everyone of a group, and how far their sentences stand from others in the same frame."""
    by = ["person", "match", *axes]
    people = sentences.select(by).unique(maintain_order=True).with_row_index("nth")
    joined = sentences.select(by).join(people, on=by, nulls_equal=True, maintain_order="left")
    add = members(joined["nth"].to_numpy().astype(np.int64), people.height)
    apart = deviations_of(values, sentences)
    known = ~np.isnan(apart)
    n = known.astype(np.float64) @ add
    means = np.divide(np.where(known, apart, 0.0) @ add, n, out=np.zeros(n.shape), where=n > 0)
    of_group = people[axes[0]].is_not_null()
    return people.filter(of_group), means[:, of_group.to_numpy()]


def _weights(people: pl.DataFrame, sentences: pl.DataFrame, contrasts: Sequence[Contrast]) -> Array:
    """(people, contrasts): with these, people's means add up to every difference."""
    axis = contrasts[0].axis
    frames = dict(sentences.group_by("match").agg(pl.col("frame").n_unique()).iter_rows())
    match, group = people["match"], people[axis]
    weights = np.zeros((people.height, len(contrasts)))
    for nth, one in enumerate(contrasts):
        parts = []
        for name in match.unique(maintain_order=True):
            sides = [
                ((match == name) & (group == side)).to_numpy() for side in (one.first, one.second)
            ]
            if sides[0].any() and sides[1].any():
                parts.append((frames[name], sides))
        total = sum(many for many, _ in parts)
        for many, (first, second) in parts:
            weights[first, nth] += many / total / first.sum()
            weights[second, nth] -= many / total / second.sum()
    return weights


def _blocks(people: pl.DataFrame, others: Sequence[str]) -> list[Places]:
    """Who may change places: the people of a match and of a cell of the other axes."""
    placed = people.with_row_index("place")
    return [
        some["place"].to_numpy().astype(np.int64)
        for _, some in placed.group_by("match", *others, maintain_order=True)
    ]


def _deals(blocks: Sequence[Places], rng: np.random.Generator, deals: int) -> Places:
    """(people, deals): whose group each person is given."""
    order = np.empty((sum(block.size for block in blocks), deals), np.int64)
    for block in blocks:
        order[block] = block[np.argsort(rng.random((block.size, deals)), axis=0)]
    return order


def _sizes(means: Array, weights: Array, order: Places) -> Array:
    """The largest difference of each deal, whatever its sign, (submissions, deals)."""
    dealt = np.tensordot(means, weights[order], axes=1)
    largest: Array = np.abs(dealt).max(axis=2)
    return largest
