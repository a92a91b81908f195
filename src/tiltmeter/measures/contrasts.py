"""Comparisons as sparse averages: who stands against whom, in every frame.

A pair is the difference of two averages over sentences: the sentences about one group and those
about the other, within a frame and a match. For "my mother/my father" each average is of one
sentence; for pooled names it is of all of a group's names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.tables import SENTENCES

OF_A_FRAME = ("template", "emotion", "emotion_word")
NTH = "*nth"
"""A sentence's place in the corpus, under a name that no axis can have."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two groups of an axis; a difference is first minus second."""

    axis: str
    first: str
    second: str

    @property
    def name(self) -> str:
        """As in `female-male`."""
        return f"{self.first}-{self.second}"


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Every pair of a corpus, and the two averages each is the difference of."""

    pairs: pl.DataFrame
    """A row a pair: axis, contrast, first, second, frame, match, template, emotion, emotion_word,
    n_first, n_second, and example_first, example_second: the place of a sentence of each side."""
    first: csr_array
    """(pairs, sentences): each row averages the first group's sentences."""
    second: csr_array


def contrasts_of(axis: str, groups: Sequence[str], reference: str | None = None) -> list[Contrast]:
    """Every pair of groups, earlier minus later; with a reference, each other group minus it.

    >>> [contrast.name for contrast in contrasts_of("age", ["young", "middle", "old"])]
    ['young-middle', 'young-old', 'middle-old']
    >>> [contrast.name for contrast in contrasts_of("age", ["young", "middle", "old"], "middle")]
    ['young-middle', 'old-middle']
    """
    if reference is None:
        return [Contrast(axis, a, b) for at, a in enumerate(groups) for b in groups[at + 1 :]]
    if reference not in groups:
        near = did_you_mean(reference, groups) or f"its groups are {', '.join(groups)}"
        raise TiltmeterError(f"the axis {axis!r} has no group {reference!r}: {near}")
    return [Contrast(axis, group, reference) for group in groups if group != reference]


def comparisons(sentences: pl.DataFrame, contrasts: Sequence[Contrast]) -> Comparisons:
    """The pairs of a corpus for some contrasts, from `frame` and `match` alone."""
    placed = sentences.with_row_index(NTH)
    for contrast in contrasts:
        _must_have(placed, contrast.axis)
    found = [_pairs(placed, contrast) for contrast in dict.fromkeys(contrasts)]
    lists = pl.concat(found) if found else _nothing(sentences)
    size = sentences.height
    pairs = lists.with_columns(
        n_first=pl.col("in_first").list.len().cast(pl.Int64),
        n_second=pl.col("in_second").list.len().cast(pl.Int64),
        example_first=pl.col("in_first").list.first(),
        example_second=pl.col("in_second").list.first(),
    ).drop("in_first", "in_second")
    first, second = (_averages(lists[name], size) for name in ("in_first", "in_second"))
    return Comparisons(pairs, first, second)


def _must_have(sentences: pl.DataFrame, axis: str) -> None:
    if axis not in sentences.columns:
        axes = [name for name in sentences.columns if name not in (*SENTENCES.columns, NTH)]
        near = did_you_mean(axis, axes) or f"there are {', '.join(axes) or 'none'}"
        raise TiltmeterError(f"the sentences have no axis {axis!r}: {near}")


def _pairs(placed: pl.DataFrame, contrast: Contrast) -> pl.DataFrame:
    """One contrast's pairs, in the order of the corpus, with the sentences on either side."""
    group = pl.col(contrast.axis)
    nth = pl.col(NTH).cast(pl.Int64)
    return (
        placed.lazy()
        .filter(group.is_in([contrast.first, contrast.second]))
        .group_by("frame", "match", maintain_order=True)
        .agg(
            *(pl.col(name).min() for name in OF_A_FRAME),  # alike in a frame; else in any order
            in_first=nth.filter(group == contrast.first),
            in_second=nth.filter(group == contrast.second),
        )
        .filter(pl.col("in_first").list.len() > 0, pl.col("in_second").list.len() > 0)
        .select(
            axis=pl.lit(contrast.axis),
            contrast=pl.lit(contrast.name),
            first=pl.lit(contrast.first),
            second=pl.lit(contrast.second),
            **{name: pl.col(name) for name in ("frame", "match", *OF_A_FRAME)},
            in_first=pl.col("in_first"),
            in_second=pl.col("in_second"),
        )
        .collect()
    )


def _nothing(sentences: pl.DataFrame) -> pl.DataFrame:
    return _pairs(sentences.head(0).with_row_index(NTH), Contrast("match", "", ""))


def _averages(members: pl.Series, size: int) -> csr_array:
    """Rows that average the sentences at the places listed, (rows, size)."""
    lengths = members.list.len().to_numpy().astype(np.int64)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    places = members.explode().to_numpy() if len(lengths) else np.zeros(0, np.int64)
    return csr_array((np.repeat(1.0 / lengths, lengths), places, ends), shape=(len(lengths), size))


def subsets(pairs: pl.DataFrame) -> Iterator[tuple[str, pl.Series]]:
    """The subsets of METHODS §2 that do not depend on the task, with the pairs in each.

    Where no sentence has an emotion, none is known to be neutral either.
    """
    emotion, template = pairs["emotion"], pairs["template"]
    yield "all", pl.Series(values=[True]).new_from_index(0, pairs.height)
    if emotion.null_count() < pairs.height:
        if emotion.null_count():
            yield "neutral", emotion.is_null()
        yield "emotion", emotion.is_not_null()
    for name in emotion.drop_nulls().unique(maintain_order=True):
        yield f"emotion:{name}", (emotion == name).fill_null(False)
    for name in template.unique(maintain_order=True):
        yield f"template:{name}", template == name
