"""The crossed bootstrap: people, templates and words drawn again, each with replacement.

Every resample gives a person, a template and a word a weight, how often each was drawn, and a
sentence the product of the three (Owen 2007; Owen & Eckles 2012). People are drawn within their
stratum. What is true of one person in one sentence alone is counted up to seven times by such
products, so the intervals err on the wide side; with ten noun phrases they are also a little
ragged. They stand beside the verdict, which rests on `spread`, as a look without its formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import NTH, Contrast
from tiltmeter.measures.stats.members import members
from tiltmeter.measures.stats.paired import LEVEL, without_dust
from tiltmeter.measures.tilt.units import Units, units_of

Array = NDArray[np.float64]
Places = NDArray[np.int64]

RESAMPLES = 2000
AT_ONCE = 2**24
"""Weights held at a time."""
DENSE = 4
"""Where everyone stands in nearly every frame, people are summed within frames first: at most so
many places for each cell."""


@dataclass(frozen=True, slots=True)
class Resampled:
    """What resamples came to, arrays of shape (rows,)."""

    value: Array
    se: Array
    low: Array
    high: Array
    resamples: int


@dataclass(frozen=True, slots=True)
class _Cells:
    """One person or pair in one frame, a column each."""

    numbers: Array
    """(rows, cells): what the cell adds to the sum of differences."""
    counts: Array
    """(rows, cells): what it adds to their number."""
    unit: Places
    template: Places
    word: Places


def crossed_bootstrap(
    sentences: pl.DataFrame,
    values: Array,
    contrast: Contrast,
    axes: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    rng: np.random.Generator,
    width: Array | None = None,
) -> Resampled:
    """Mean differences over resamples of people, templates and words, for every row of `values`."""
    width = np.ones(len(values)) if width is None else width
    found = units_of(sentences, values, contrast, axes, width)
    both = 2.0 * (1.0 - 1.0 / len(contrast.groups)) if contrast.groups else 2.0
    cells, strata = _cells(found, values, both)
    means = _means(cells, _draws(strata, resamples, rng), _drawn(cells.template, resamples, rng),
                   _drawn(cells.word, resamples, rng))  # fmt: skip
    told = np.full((len(values), 4), np.nan)
    there = cells.counts.sum(axis=1) > 0  # a row whose pairs are all dropped has nothing to tell
    told[there] = _told(cells.numbers[there], cells.counts[there], means[there])
    value, se, low, high = without_dust(told, width).T
    return Resampled(value, se, low, high, resamples)


def _told(numbers: Array, counts: Array, means: Array) -> Array:
    """(rows, 4): mean difference, standard error, and where the middle 95 % begins and ends."""
    if not len(means):
        return np.zeros((0, 4))
    tail = (1.0 - LEVEL) / 2.0
    low, high = np.nanquantile(means, [tail, 1.0 - tail], axis=1)
    value = numbers.sum(axis=1) / counts.sum(axis=1)
    return np.stack([value, np.nanstd(means, axis=1, ddof=1), low, high], axis=1)


def _cells(found: Units, values: Array, both: float) -> tuple[_Cells, list[Places]]:
    """The cells, and which units are drawn from among each other.

    `both` is what the sizes of a pair's weights come to on its two sides together.
    """
    known, single = ~np.isnan(found.deltas), found.pairs["single"].to_numpy()
    pooled, pair = found.pooled, found.pooled["pair"].to_numpy()
    share = pooled["weight"].to_numpy()
    scores = np.where(known[:, pair], values[:, pooled[NTH].to_numpy()], 0.0) * share
    # A pair counts once: half of it on either side, shared out among the side's people.
    halves = np.where(known[:, pair], np.abs(share) / both, 0.0)
    unit, strata = _units(found)
    of = np.concatenate([np.flatnonzero(single), pair])
    cells = _Cells(
        np.concatenate([np.where(known, found.deltas, 0.0)[:, single], scores], axis=1),
        np.concatenate([known[:, single].astype(np.float64), halves], axis=1),
        unit,
        _codes(found.pairs["template"])[of],
        _codes(found.pairs["word"])[of],
    )
    return cells, strata


def _units(found: Units) -> tuple[Places, list[Places]]:
    """The unit of each cell, and the units of each stratum: single matches, then people."""
    match = _codes(found.pairs.filter("single")["match"])
    people = found.pooled.select("stratum", "person")
    person = _codes(people.to_struct("unit"))
    matches = int(match.max(initial=-1)) + 1
    whose = people.with_columns(unit=pl.Series(person + matches)).unique("unit").sort("unit")
    strata = [some["unit"].to_numpy() for _, some in whose.group_by("stratum", maintain_order=True)]
    return np.concatenate([match, matches + person]), [np.arange(matches), *strata]


def _codes(names: pl.Series) -> Places:
    """A number for each name, from 0 up, in the order of the names."""
    return names.rank("dense").cast(pl.Int64).to_numpy() - 1


def _draws(strata: list[Places], resamples: int, rng: np.random.Generator) -> Array:
    """(units, resamples): how often each unit was drawn, within its stratum."""
    many = sum(one.size for one in strata)
    drawn = np.ones((many, resamples))
    for units in strata:
        if units.size > 1:
            shares = np.full(units.size, 1.0 / units.size)
            drawn[units] = rng.multinomial(units.size, shares, resamples).T
    return drawn


def _drawn(codes: Places, resamples: int, rng: np.random.Generator) -> Array:
    many = int(codes.max(initial=-1)) + 1
    return _draws([np.arange(many)], resamples, rng)


def _means(cells: _Cells, units: Array, templates: Array, words: Array) -> Array:
    """(rows, resamples): a product of matrices for some resamples at a time."""
    whole = bool((cells.counts == cells.counts[:1]).all())
    place, frame = np.unique(cells.template * len(words) + cells.word, return_inverse=True)
    if place.size * len(units) <= DENSE * cells.unit.size:
        frames = templates[place // len(words)] * words[place % len(words)]
        at = frame * len(units) + cells.unit
        numbers, counts = (
            _weighted(one, at, frames, units)
            for one in (cells.numbers, cells.counts[:1] if whole else cells.counts)
        )
        drawn: Array = np.full(numbers.shape, np.nan)
        return np.divide(numbers, counts, out=drawn, where=counts > 0)
    resamples, size = units.shape[1], max(1, cells.unit.size)
    means = np.empty((len(cells.numbers), resamples))
    step = max(1, AT_ONCE // size)
    for at in range(0, resamples, step):
        some = slice(at, at + step)
        weights = (
            units[cells.unit, some] * templates[cells.template, some] * words[cells.word, some]
        )
        n = (cells.counts[:1] if whole else cells.counts) @ weights
        means[:, some] = np.divide(
            cells.numbers @ weights, n, out=np.full((len(means), weights.shape[1]), np.nan),
            where=n > 0,
        )  # fmt: skip
    return means


def _weighted(values: Array, at: Places, frames: Array, units: Array) -> Array:
    """Σ values · frame's weight · unit's weight over cells, (rows, resamples).

    `values` is (rows, cells), `at` each cell's place in a grid of frames and units.
    """
    size, (many, resamples) = len(frames) * len(units), (len(frames), units.shape[1])
    grid = (values @ members(at, size)).reshape(-1, len(units))
    found = np.empty((len(values), resamples))
    step = max(1, AT_ONCE // max(1, len(grid)))
    for start in range(0, resamples, step):
        some = slice(start, start + step)
        each = (grid @ units[:, some]).reshape(len(values), many, -1)
        found[:, some] = np.einsum("rfs,fs->rs", each, frames[:, some])
    return found
