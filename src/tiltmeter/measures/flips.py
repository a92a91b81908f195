"""Label flips: pairs whose two sides get different labels, for every system, contrast and subset.

A side's label is that of its average score; of one sentence, the sentence's own. Of n pairs, b have
the higher label for the first group and c for the second.

    flips = (b + c) / n,   flip_balance = (b − c) / n

Both take the pairs as they are. `label_tilt` is the difference between the groups' shares of
positive sentences, with people, templates and words as crossed samples: what other names would do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import Contrast, subsets
from tiltmeter.measures.estimates import Block, Columns
from tiltmeter.measures.labels import Thresholds, labels_of
from tiltmeter.measures.matrix import SCALE
from tiltmeter.measures.pairs import OWN, PairStudy
from tiltmeter.measures.stats.mcnemar import balance_interval, exact_interval, mcnemar_p
from tiltmeter.measures.tilt import Crossed, crossed_tilt

Array = NDArray[np.float64]
Places = NDArray[np.int64]

FLIPS, BALANCE, LABEL_TILT = "flips", "flip_balance", "label_tilt"
SHARE = "share"
"""The unit of everything here: a part of all pairs, or of all sentences."""


def on_scale(submissions: pl.DataFrame) -> Places:
    """Which submissions have a known scale: only theirs has a middle."""
    return (submissions["unit"] == SCALE).arg_true().to_numpy().astype(np.int64)


@dataclass(frozen=True, slots=True)
class Counted:
    """One subset's pairs, counted for some submissions, arrays of shape (submissions,)."""

    contrast: Contrast
    subset: str
    rows: Places
    b: Places
    c: Places
    n: Places
    pairs: int


def flip_blocks(
    study: PairStudy, contrasts: Sequence[Contrast], thresholds: Thresholds
) -> Iterator[Block]:
    """How many pairs change label, on every subset of every contrast that has pairs."""
    parts = list(_counts(study, contrasts, thresholds))
    if not parts:
        return
    b, c, n = (np.concatenate([getattr(part, name) for part in parts]) for name in "bcn")
    ends = np.cumsum([part.rows.size for part in parts])[:-1]
    for measure, columns in _measures(b, c, n).items():
        split = {name: np.split(column, ends) for name, column in columns.items()}
        for nth, part in enumerate(parts):
            mine = {name: columns[nth] for name, columns in split.items()}
            mine |= {"n": part.n, "n_dropped": part.pairs - part.n}
            yield Block(part.contrast, part.subset, measure, part.rows, mine, SHARE)


def _counts(
    study: PairStudy, contrasts: Sequence[Contrast], thresholds: Thresholds
) -> Iterator[Counted]:
    rows, tasks = on_scale(study.submissions), study.submissions["task"]
    turned = _turned(study, rows, thresholds)
    placed = study.pairs.with_row_index("place")
    for contrast in dict.fromkeys(contrasts) if rows.size else ():
        mine = placed.filter(axis=contrast.axis, first=contrast.first, second=contrast.second)
        if mine.is_empty():
            continue
        for name, inside in subsets(mine):
            yield _counted(contrast, name, rows, turned[:, _places(mine, inside)])
        for task in tasks.unique(maintain_order=True):
            own = (mine["emotion"] == task).fill_null(False)
            of_task = (tasks == task).to_numpy()[rows]
            if own.any() and of_task.any():
                taken = turned[np.ix_(of_task, _places(mine, own))]
                yield _counted(contrast, OWN, rows[of_task], taken)


def _turned(study: PairStudy, rows: Places, thresholds: Thresholds) -> Array:
    """(submissions on a scale, pairs): 1 the first side's label is higher, −1 the second's."""
    first, second = (labels_of(side[rows], thresholds) for side in (study.first, study.second))
    return np.sign(first - second)


def _places(pairs: pl.DataFrame, inside: pl.Series) -> Places:
    return pairs["place"].filter(inside).to_numpy().astype(np.int64)


def _counted(contrast: Contrast, subset: str, rows: Places, turned: Array) -> Counted:
    b, c = (np.count_nonzero(turned == side, axis=1) for side in (1.0, -1.0))
    n = np.count_nonzero(~np.isnan(turned), axis=1)
    return Counted(contrast, subset, rows, b, c, n, turned.shape[1])


def _measures(b: Places, c: Places, n: Places) -> dict[str, Columns]:
    """Both measures from counts of pairs."""
    size = np.where(n > 0, n, np.nan)
    some, balance = exact_interval(b + c, n), balance_interval(b, c, n)
    p = np.where(n > 0, mcnemar_p(b, c), np.nan)
    return {
        FLIPS: {"value": (b + c) / size, "low": some[0], "high": some[1]},
        BALANCE: {"value": (b - c) / size, "low": balance[0], "high": balance[1], "p": p},
    }


def label_tilts(
    sentences: pl.DataFrame, labels: Array, contrasts: Sequence[Contrast], axes: Sequence[str]
) -> dict[Contrast, Crossed]:
    """The difference between two groups' shares of positive labels, past these people and words.

    `labels` is (submissions on a scale, sentences).
    """
    wanted = dict.fromkeys(contrasts) if len(labels) else ()
    found = {one: crossed_tilt(sentences, labels, one, axes) for one in wanted}
    return {one: tilt for one, tilt in found.items() if tilt.n.any()}


def label_tilt_blocks(tilts: Mapping[Contrast, Crossed], rows: Places) -> Iterator[Block]:
    """The same as rows of the `estimates` table."""
    names = ("value", "se", "low", "high", "statistic", "df", "p", "n", "n_dropped")
    for contrast, found in tilts.items():
        columns = {name: getattr(found, name) for name in names}
        yield Block(contrast, "all", LABEL_TILT, rows, columns, SHARE)
