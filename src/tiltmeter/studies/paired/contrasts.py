"""Comparisons as sparse averages: who is compared with whom, in every frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tiltmeter.errors import TiltmeterError, argument, did_you_mean
from tiltmeter.schemas import AVERAGE, MANY_GROUPS, SENTENCES

OF_A_FRAME = ("template", "emotion", "emotion_word")
NTH = "*nth"
"""A sentence's place in the corpus, under a name that no axis can have."""
SHARE = "*share"
"""What a sentence counts for in its group's average."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two groups of an axis, or a group and the average of all; a difference is first − second."""

    axis: str
    first: str
    second: str
    groups: tuple[str, ...] = ()
    """Where `second` is the average of all: all of them, the first group among them."""

    @property
    def name(self) -> str:
        """As in `female-male`."""
        return f"{self.first}-{self.second}"


@dataclass(frozen=True, slots=True)
class GroupLabel:
    """What a number of no contrast is of, as `estimates` names it: a group, or nobody at all."""

    axis: str = ""
    name: str = ""
    second: str = ""


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Every pair of a corpus, and the two averages each is the difference of."""

    pairs: pl.DataFrame
    """A row a pair: axis, contrast, first, second, frame, match, template, emotion, emotion_word,
    n_first, n_second, and example_first, example_second: the place of a sentence of each side."""
    first: csr_array
    """(pairs, sentences): each row averages the first group's sentences."""
    second: csr_array


def contrasts_of(
    axis: str, groups: Sequence[str], reference: str | None = None, *, all_pairs: bool = False
) -> list[Contrast]:
    """Every two groups, earlier minus later; of five and more, each minus the average of all.

    With a reference, each other group minus it; `all_pairs` has every two, however many there are.

    >>> [contrast.name for contrast in contrasts_of("age", ["young", "middle", "old"])]
    ['young-middle', 'young-old', 'middle-old']
    >>> [contrast.name for contrast in contrasts_of("age", ["young", "middle", "old"], "middle")]
    ['young-middle', 'old-middle']
    >>> [contrast.name for contrast in contrasts_of("decade", ["20s", "30s", "40s", "50s", "60s"])]
    ['20s-average', '30s-average', '40s-average', '50s-average', '60s-average']
    """
    if reference is None and is_beside_average(groups, all_pairs=all_pairs):
        check_average(axis, groups, argument("all_pairs"))
        return [Contrast(axis, group, AVERAGE, tuple(groups)) for group in groups]
    if reference is None:
        return [Contrast(axis, a, b) for at, a in enumerate(groups) for b in groups[at + 1 :]]
    if reference not in groups:
        near = did_you_mean(reference, groups) or f"its groups are {', '.join(groups)}"
        raise TiltmeterError(f"the axis {axis!r} has no group {reference!r}: {near}")
    return [Contrast(axis, group, reference) for group in groups if group != reference]


def is_beside_average(groups: Sequence[str], *, all_pairs: bool = False) -> bool:
    """Whether groups are compared with the average of all, unless one is named for it."""
    return len(groups) >= MANY_GROUPS and not all_pairs


def check_average(axis: str, groups: Sequence[str], *others: str) -> None:
    """Refuse a group that could not be told from the average of all; `others`: ways around it."""
    if AVERAGE in groups:
        what = f"the axis {axis!r} has a group called {AVERAGE!r}"
        told = "which cannot be told from the average of all"
        ways = " or ".join(
            (f"name its reference, as in {argument('reference')} {axis}=GROUP", *others)
        )
        raise TiltmeterError(f"{what}, {told}; {ways}")


def contrast_between(sentences: pl.DataFrame, axis: str, first: str, second: str) -> Contrast:
    """A contrast from the names that tables keep of it, and the sentences it was made on."""
    if second != AVERAGE or axis not in sentences.columns:
        return Contrast(axis, first, second)
    groups = sentences[axis].drop_nulls().unique(maintain_order=True).to_list()
    return Contrast(axis, first, second, () if AVERAGE in groups else tuple(groups))


def comparisons(sentences: pl.DataFrame, contrasts: Sequence[Contrast]) -> Comparisons:
    """The pairs of a corpus for some contrasts, from `frame` and `match` alone."""
    placed = sentences.with_row_index(NTH)
    for axis in dict.fromkeys(contrast.axis for contrast in contrasts):
        if axis not in sentences.columns:
            axes = [name for name in sentences.columns if name not in SENTENCES.columns]
            near = did_you_mean(axis, axes) or f"there are {', '.join(axes) or 'none'}"
            raise TiltmeterError(f"the sentences have no axis {axis!r}: {near}")
    found = [_pairs(placed, contrast) for contrast in dict.fromkeys(contrasts)]
    lists = pl.concat(found) if found else _pairs(placed.clear(), Contrast("match", "", "*"))
    size = sentences.height
    pairs = lists.with_columns(
        n_first=pl.col("in_first").list.len().cast(pl.Int64),
        n_second=pl.col("in_second").list.len().cast(pl.Int64),
        example_first=pl.col("in_first").list.first(),
        example_second=pl.col("example_second"),
    ).drop("in_first", "in_second", "share_first", "share_second")
    first, second = (
        _averages(lists[f"in_{name}"], lists[f"share_{name}"], size) for name in ("first", "second")
    )
    return Comparisons(pairs, first, second)


def places_in(rows: pl.DataFrame, groups: pl.DataFrame, by: Sequence[str]) -> NDArray[np.int64]:
    """Which row of `groups` each row is of, by the values of some columns."""
    numbered = groups.select(by).with_row_index(NTH)
    joined = rows.select(by).join(
        numbered, on=by, how="left", nulls_equal=True, maintain_order="left"
    )
    return joined[NTH].to_numpy().astype(np.int64)


def with_texts(pairs: pl.DataFrame, sentences: pl.DataFrame) -> pl.DataFrame:
    """The pairs with a sentence of either side, in place of where it stands."""
    texts = sentences["text"]
    return pairs.with_columns(
        text_first=texts.gather(pairs["example_first"]),
        text_second=texts.gather(pairs["example_second"]),
    ).drop("example_first", "example_second")


def _pairs(placed: pl.DataFrame, contrast: Contrast) -> pl.DataFrame:
    """One contrast's pairs, in the order of the corpus, with the sentences on either side."""
    group = pl.col(contrast.axis)
    nth = pl.col(NTH).cast(pl.Int64)
    there = list(contrast.groups or (contrast.first, contrast.second))
    ours = group == contrast.first
    theirs = pl.lit(True) if contrast.groups else group == contrast.second
    share = 1.0 / pl.len().over("frame", "match", contrast.axis)
    return (
        placed.lazy()
        .filter(group.is_in(there))
        .with_columns(share.alias(SHARE))
        .group_by("frame", "match", maintain_order=True)
        .agg(
            *(pl.col(name).min() for name in OF_A_FRAME),  # alike in a frame; else in any order
            in_first=nth.filter(ours),
            in_second=nth.filter(theirs),
            share_first=pl.col(SHARE).filter(ours),
            share_second=pl.col(SHARE).filter(theirs) / max(len(contrast.groups), 1),
            example_second=nth.filter(~ours).first(),
            groups=group.n_unique(),
        )
        .filter(pl.col("groups") == len(there))
        .select(
            pl.lit(contrast.axis).alias("axis"),
            pl.lit(contrast.name).alias("contrast"),
            pl.lit(contrast.first).alias("first"),
            pl.lit(contrast.second).alias("second"),
            *("frame", "match", *OF_A_FRAME),
            *("in_first", "in_second", "share_first", "share_second", "example_second"),
        )
        .collect()
    )


def _averages(members: pl.Series, shares: pl.Series, size: int) -> csr_array:
    """Rows that average the sentences at the places listed, by their shares, (rows, size)."""
    lengths = members.list.len().to_numpy().astype(np.int64)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    places, weights = (
        one.explode().to_numpy() if len(lengths) else np.zeros(0, kind)
        for one, kind in ((members, np.int64), (shares, np.float64))
    )
    return csr_array((weights, places, ends), shape=(len(lengths), size))


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
