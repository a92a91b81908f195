"""A group whose sentences are counted: its sums as it stands, drawn anew, and dealt by chance."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tiltmeter.errors import TiltmeterError
from tiltmeter.measures.rating.cell_sums import (
    Cells,
    CellSums,
    added_up,
    cells_of,
    row_values,
)
from tiltmeter.measures.rating.group import RatingGroup, dealt_within, places, resampled_within
from tiltmeter.measures.rating.tally import Tally
from tiltmeter.measures.stats.class_sums import Array, Index

MOST = 1_000_000_000
"""Sentences that NumPy's hypergeometric draws take."""


@dataclass(frozen=True, eq=False, slots=True)
class Tallied:
    """All sums that a rating asks for; `at_hand` has one draw, the others have `repeats`."""

    tally: Tally
    cells: Cells
    at_hand: CellSums
    redrawn: CellSums
    dealt: CellSums


def tallied(group: RatingGroup, tally: Tally, repeats: int, seed: int) -> Tallied:
    """The sums of a group; the luck of draws depends on the seed and on counts alone."""
    cells = cells_of(group)
    every = np.arange(tally.count.size), tally.count[np.newaxis].astype(np.float64)
    return Tallied(
        tally,
        cells,
        added_up(tally, cells, 1, [every]),
        added_up(tally, cells, repeats, _redrawn(group, tally, repeats, seed)),
        dealt_cells(group, tally, cells, np.arange(tally.count.size), repeats, seed),
    )


def _redrawn(
    group: RatingGroup, tally: Tally, repeats: int, seed: int
) -> Iterator[tuple[Index, Array]]:
    """As many sentences of each stratum as there are, drawn with replacement: multinomial."""
    rng = np.random.default_rng([seed, zlib.crc32(group.name.encode())])
    for _, here in places(resampled_within(group)):
        count = tally.count[here]
        many = int(count.sum())
        yield here, rng.multinomial(many, count / many, repeats).astype(np.float64)


def dealt_cells(
    group: RatingGroup, tally: Tally, cells: Cells, rows: Index, repeats: int, seed: int
) -> CellSums:
    """Classes dealt out anew among sentences with the same word or polarity, of some rows.

    Every class keeps its number of sentences. How many it is dealt of those with like scores is
    hypergeometric.
    """
    _, place = group.classes(group.axes)
    sums = CellSums.none(repeats, len(cells))
    for stratum, those in places(dealt_within(group)[rows]):
        here = rows[those]
        rng = np.random.default_rng([seed, zlib.crc32(group.name.encode()), stratum])
        pools, values = _pooled(tally, here)
        classes = list(places(place[here]))
        sizes = [int(tally.count[here[mine]].sum()) for _, mine in classes]
        _check_sizes(group, sum(sizes), repeats)
        for (_, mine), hand in zip(classes, _hands(pools, sizes, repeats, rng), strict=True):
            sums.add(cells.of_row[here[mine[0]]], hand, values)
    return sums


def _check_sizes(group: RatingGroup, many: int, repeats: int) -> None:
    if many >= MOST and repeats:
        what = f"group {group.name}: {many:,} sentences of one system with like words"
        raise TiltmeterError(f"{what}; fewer than {MOST:,} can be dealt; leave it out: --draws 0")


def _pooled(tally: Tally, here: Index) -> tuple[Index, Array]:
    """Like scores whatever the class: how many there are, and their values as `row_values` has."""
    _, pool = np.unique(tally.like[here], return_inverse=True)
    count = tally.count[here].astype(np.float64)
    sizes = np.bincount(pool, weights=count)
    values = [np.bincount(pool, weights=count * one) / sizes for one in row_values(tally, here)]
    return sizes.astype(np.int64), np.stack(values)


def _hands(
    pools: Index, sizes: list[int], repeats: int, rng: np.random.Generator
) -> Iterator[Array]:
    """How many sentences of each pool, (repeats, pools), are dealt to each class in turn."""
    left = np.tile(pools, (repeats, 1))
    for size in sizes[:-1]:
        hand = np.zeros_like(left)
        wanted, beyond = np.full(repeats, size), left.sum(axis=1)
        for pool in range(pools.size):
            beyond -= left[:, pool]
            hand[:, pool] = rng.hypergeometric(left[:, pool], beyond, wanted)
            wanted -= hand[:, pool]
        left -= hand
        yield hand.astype(np.float64)
    yield left.astype(np.float64)
