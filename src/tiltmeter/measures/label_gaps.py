"""The worst-case group gap: the two groups whose sentences are labelled most unlike.

The groups of an axis are compared two by two, and so are the cells of all axes together, such as
women with African American names. The largest of many differences is large by chance alone, so its
interval allows for how many there are, and beside it stands what chance gives: people's groups
dealt anew within their match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtrit

from tiltmeter.measures.contrasts import Contrast, comparisons, contrasts_of
from tiltmeter.measures.dealt_groups import dealt_largest
from tiltmeter.measures.estimates import Block, Columns
from tiltmeter.measures.flips import SHARE
from tiltmeter.measures.pairs import sides_of
from tiltmeter.measures.stats.paired import LEVEL
from tiltmeter.measures.ties import taken
from tiltmeter.measures.tilt import Crossed, crossed_tilt

Array = NDArray[np.float64]
Places = NDArray[np.int64]

GAP, GAP_BY_CHANCE, LABEL_SHARE = "label_gap", "label_gap_chance", "label_share"
TIMES = " × "
"""Between axes and between groups, where several are taken together."""
MOST = 30
"""Cells of all axes together that are compared two by two; of more, none are."""


@dataclass(frozen=True, slots=True)
class OneGroup:
    """One group beside another, as `estimates` names what a number is of."""

    axis: str
    name: str
    second: str


@dataclass(frozen=True, slots=True)
class _Shares:
    """Two groups' shares of positive labels over their pairs, arrays of shape (submissions,)."""

    contrast: Contrast
    first: Array
    second: Array

    @property
    def gap(self) -> Array:
        return self.first - self.second


def label_gap_blocks(
    sentences: pl.DataFrame,
    labels: Array,
    rows: Places,
    axes: Mapping[str, Sequence[str]],
    tilts: Mapping[Contrast, Crossed],
    seed: int = 0,
) -> Iterator[Block]:
    """The largest gap of every axis and of all together; `labels` is (submissions, sentences).

    `tilts` are the label tilts that are known already.
    """
    for axis, groups in axes.items():
        others = [name for name in axes if name != axis]
        study = _Study(sentences, labels, rows, list(axes), others, tilts, seed)
        yield from _largest(study, contrasts_of(axis, groups, all_pairs=True))
    if len(axes) > 1:
        whole = TIMES.join(axes)
        cells = with_cells(sentences, list(axes), whole)
        named = cells[whole].drop_nulls().unique(maintain_order=True).to_list()
        study = _Study(cells, labels, rows, [whole], [], {}, seed)
        compared = contrasts_of(whole, named, all_pairs=True) if len(named) <= MOST else []
        yield from _largest(study, compared)


def with_cells(sentences: pl.DataFrame, axes: Sequence[str], name: str) -> pl.DataFrame:
    """The sentences with a column for the groups of all axes together; null where one is."""
    return sentences.with_columns(pl.concat_str(axes, separator=TIMES).alias(name))


@dataclass(frozen=True, slots=True)
class _Study:
    """What the gaps of one axis are found in."""

    sentences: pl.DataFrame
    labels: Array
    rows: Places
    axes: Sequence[str]
    others: Sequence[str]
    """Axes that are held while groups are dealt anew."""
    tilts: Mapping[Contrast, Crossed]
    seed: int

    def crossed(self, contrast: Contrast, mine: NDArray[np.bool_]) -> Crossed:
        """The label tilt of some submissions."""
        if contrast in self.tilts:
            return taken(self.tilts[contrast], np.flatnonzero(mine))
        return crossed_tilt(self.sentences, self.labels[mine], contrast, self.axes)


def _largest(study: _Study, contrasts: Sequence[Contrast]) -> Iterator[Block]:
    """The largest gap of one axis: its rows, and what chance gives."""
    every = _shares(study.sentences, study.labels, contrasts)
    shares = [one for one in every if not np.isnan(one.gap).all()]
    if not shares or not study.rows.size:
        return
    gaps = np.stack([one.gap for one in shares], axis=1)
    worst = np.argmax(np.abs(np.nan_to_num(gaps)), axis=1)
    rng = np.random.default_rng(study.seed)
    chance = dealt_largest(
        study.sentences, study.labels, [one.contrast for one in shares], study.others, rng
    )
    for at in np.unique(worst):
        mine = worst == at
        found = study.crossed(shares[at].contrast, mine)
        tested = {"p": chance.p[mine]}
        by_chance = {"value": chance.mean[mine], "high": chance.high[mine]}
        yield from _told(shares[at], mine, study.rows, found, len(shares), tested, by_chance)


def _shares(
    sentences: pl.DataFrame, labels: Array, contrasts: Sequence[Contrast]
) -> Iterator[_Shares]:
    found = comparisons(sentences, contrasts)
    first, second = (sides_of(labels, side) for side in (found.first, found.second))
    for contrast in contrasts:
        at = (found.pairs["first"] == contrast.first) & (found.pairs["second"] == contrast.second)
        sides = [side[:, at.to_numpy()] for side in (first, second)]
        known = ~np.isnan(sides[0] - sides[1])
        n = np.where(known.any(axis=1), known.sum(axis=1), np.nan)
        yield _Shares(contrast, *(np.where(known, one, 0.0).sum(axis=1) / n for one in sides))


def _told(
    shares: _Shares,
    mine: NDArray[np.bool_],
    rows: Places,
    found: Crossed,
    many: int,
    tested: Columns,
    by_chance: Columns,
) -> Iterator[Block]:
    """One contrast's rows, its higher group first."""
    low, high = _interval(found, many)
    turned = np.where(found.value < 0, -1, 1)
    sides = np.stack([shares.first[mine], shares.second[mine]])
    for sign in (1, -1):
        at = turned == sign
        ends = (low, high) if sign > 0 else (-high, -low)
        gap = {"value": sign * found.value, "low": ends[0], "high": ends[1], **tested}
        gap |= {"se": found.se, "df": found.df}
        counted = {"n": found.n, "n_dropped": found.n_dropped}
        for what, name, columns in _rows(shares.contrast, sign, gap, by_chance, sides):
            kept = {key: column[at] for key, column in {**columns, **counted}.items()}
            yield Block(what, "all", name, rows[mine][at], kept, SHARE)


def _rows(
    contrast: Contrast, sign: int, gap: Columns, by_chance: Columns, sides: Array
) -> Iterator[tuple[Contrast | OneGroup, str, Columns]]:
    """What is told of one direction: the gap, what chance gives, and both groups' shares."""
    axis, names = contrast.axis, (contrast.first, contrast.second)[::sign]
    first, second = names
    higher, lower = sides[::sign]
    yield Contrast(axis, first, second), GAP, gap
    yield Contrast(axis, first, second), GAP_BY_CHANCE, by_chance
    yield OneGroup(axis, first, second), LABEL_SHARE, {"value": higher}
    yield OneGroup(axis, second, first), LABEL_SHARE, {"value": lower}


def _interval(found: Crossed, many: int) -> tuple[Array, Array]:
    """The value ± t se, at 5 % over how many differences there are: it holds for any of them."""
    t = stdtrit(np.maximum(found.df, 1e-9), 1.0 - (1.0 - LEVEL) / (2.0 * many))
    reach = np.where(found.se > 0, found.se * t, found.se)
    return np.maximum(found.value - reach, -1.0), np.minimum(found.value + reach, 1.0)
