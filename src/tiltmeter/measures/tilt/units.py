"""Who a difference is taken over: people as units, in the strata they were drawn from.

Within a frame and match a pair is either of one person on a side, such as my mother and my father,
and then that match is one unit; or of several on both sides, as with names, and then every person
is a unit of their own, drawn from the names of their group. Names are drawn by cell, such as women
with African American names, as the corpus chose them; a cell of one person in a frame is joined
with the others of its side.

Beside the average of all groups a group's own people stand on both sides, and count once: for
(1 − 1/G)/n each, those of another group for −1/(G n). The people of every group are drawn from
among themselves; where a group has one person only, those of all other groups are drawn together,
so that what groups differ by widens the interval rather than be left out of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tiltmeter.measures.contrasts import NTH, Comparisons, Contrast, comparisons
from tiltmeter.measures.pairs import sides_of
from tiltmeter.measures.stats.members import members
from tiltmeter.measures.stats.paired import without_dust

Array = NDArray[np.float64]
Places = NDArray[np.int64]

FIRST, SECOND = "first", "second"
OF_NO_WORD = "frame "
"""What a frame without an emotion word has in its place begins with."""
OF_A_PART = ("template", "emotion")


@dataclass(frozen=True, slots=True)
class Units:
    """One contrast's pairs in some sentences, and the people behind those of several a side."""

    pairs: pl.DataFrame
    """As in `Comparisons`, with `single`: one person or none to choose from on a side."""
    deltas: Array
    """(rows, pairs), without dust; NaN where a score is missing."""
    pooled: pl.DataFrame
    """A row a sentence of a pair of several a side: nth, pair, side, weight, person, match, group,
    cell, stratum, template, emotion."""
    apart: Array
    """(rows, pooled): what a sentence adds to its pair's difference beside the others of its
    stratum; NaN where the pair is dropped."""
    dealt: Array
    """(rows, pooled): its score minus the average of the pair's two sides together."""


def units_of(
    sentences: pl.DataFrame,
    values: Array,
    contrast: Contrast,
    axes: Sequence[str],
    width: Array,
) -> Units:
    """The units of one contrast; `values` is (rows, sentences), NaN where there is none."""
    found = comparisons(sentences, [contrast])
    first, second = (sides_of(values, side) for side in (found.first, found.second))
    deltas = without_dust(first - second, width)
    pairs = found.pairs.with_columns(
        single=(pl.col("n_first") < 2) | (pl.col("n_second") < 2),
        word=pl.coalesce("emotion_word", pl.concat_str(pl.lit(OF_NO_WORD), "frame")),
    )
    pooled = _pooled(found, pairs, sentences, contrast, axes)
    at, pair = (pooled[name].to_numpy() for name in (NTH, "pair"))
    chosen = np.where(np.isnan(deltas[:, pair]), np.nan, values[:, at])
    beside = chosen - _means(chosen, pooled["stratum_at"].to_numpy())
    apart = without_dust(beside, width) * pooled["weight"].to_numpy()
    dealt = without_dust(chosen - _means(chosen, pair), width)
    return Units(pairs, deltas, pooled, apart, dealt)


def _pooled(
    found: Comparisons,
    pairs: pl.DataFrame,
    sentences: pl.DataFrame,
    contrast: Contrast,
    axes: Sequence[str],
) -> pl.DataFrame:
    """The sentences of pairs with several people on both sides."""
    several = pairs.with_row_index("pair").filter(~pl.col("single"))
    net = found.first - found.second  # whoever is in the average of all too counts once
    sides = [_side(net.maximum(0), several, FIRST), _side((-net).maximum(0), several, SECOND)]
    others = [axis for axis in axes if axis != contrast.axis]
    about = ["person", *others]
    rows = pl.concat(sides).join(
        sentences.select(*about, pl.col(contrast.axis).alias("group")).with_row_index(NTH),
        on=NTH, how="left", maintain_order="left",
    )  # fmt: skip
    cell = (
        pl.concat_str([pl.col(one).fill_null("") for one in others], separator="\x1f")
        if others
        else pl.lit("")
    )
    rows = rows.with_columns(cell=cell)
    people, side = pl.col("person").n_unique(), ("pair", "side")
    few = people.over(*side, "group", "cell").min() < 2
    alone = few.over("pair" if contrast.groups else side)
    rows = rows.with_columns(cell=pl.when(alone).then(pl.lit("")).otherwise("cell"))
    joined = pl.when((people.over(*side, "group").min() < 2).over(side)).then(pl.lit(""))
    rows = rows.with_columns(drawn_from=joined.otherwise("group"))
    return rows.with_columns(
        stratum=pl.concat_str("match", "side", "drawn_from", "cell", separator="\x1e"),
        stratum_at=pl.struct("pair", "side", "drawn_from", "cell").rank("dense").cast(pl.Int64) - 1,
    ).drop(*others, "drawn_from")


def _side(averages: csr_array, several: pl.DataFrame, name: str) -> pl.DataFrame:
    """One side's sentences, a row each, with the share that each has in its pair."""
    rows = averages[several["pair"].to_numpy()].tocoo()
    sign = 1.0 if name == FIRST else -1.0
    return pl.DataFrame(
        {
            NTH: pl.Series(rows.col, dtype=pl.UInt32),
            "pair": several["pair"].gather(rows.row).cast(pl.Int64),
            "side": pl.Series([name]).new_from_index(0, rows.nnz),
            "weight": pl.Series(sign * rows.data, dtype=pl.Float64),
        }
    ).hstack(several.select("match", *OF_A_PART)[rows.row])


def _means(values: Array, group: Places) -> Array:
    """For each number the mean of its group."""
    if not group.size:
        return values
    size = int(group.max()) + 1
    add = members(group.astype(np.int64), size)
    counted = np.maximum(np.bincount(group, minlength=size), 1)
    means: Array = (np.asarray(values @ add) / counted)[:, group]
    return means
