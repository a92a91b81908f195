"""How many comparisons a corpus offers, from `frame` and `match` alone.

Within a frame, the people of one match stand against each other: one comparison for each match in
which both groups are present. Pooled names give one comparison, the difference of their averages.
From five groups on each stands against the average of all, where all of them are present.
"""

from __future__ import annotations

import polars as pl

from tiltmeter.corpora.design import Axis
from tiltmeter.schemas import AVERAGE


def pair_counts(sentences: pl.DataFrame | pl.LazyFrame, axis: Axis) -> dict[tuple[str, str], int]:
    """Comparisons by contrast of an axis; of many groups, of each with the average of all.

    >>> from tiltmeter.corpora import load_corpus
    >>> eec = load_corpus("eec")
    >>> [pair_counts(eec.sentences(), axis) for axis in eec.axes]
    [{('female', 'male'): 1584}, {('African American', 'European American'): 144}]
    """
    present = _present(sentences, axis)
    if axis.many:
        whole = int((present.list.len() == len(axis.groups)).sum())
        return {(group, AVERAGE): whole for group in axis.groups}
    return {
        (first, second): int((present.list.contains(first) & present.list.contains(second)).sum())
        for first, second in axis.contrasts
    }


def groups_lacking(sentences: pl.DataFrame, axis: Axis) -> tuple[int, dict[str, int]]:
    """In how many matches of frames some group is not, and in how many each is not."""
    present = _present(sentences, axis)
    short = present.filter(present.list.len() < len(axis.groups))
    lacking = {group: int((~short.list.contains(group)).sum()) for group in axis.groups}
    return short.len(), {group: many for group, many in lacking.items() if many}


def unpaired_sentences(sentences: pl.DataFrame, axis: Axis) -> pl.DataFrame:
    """The sentences about a group of an axis that are compared with nobody's of another group."""
    groups = pl.col(axis.name).drop_nulls().n_unique().over("frame", "match")
    return sentences.filter(pl.col(axis.name).is_not_null() & (groups < 2))


def unpaired_note(axis: str, many: int, among: int, *, dealt: bool = False) -> str:
    """What is said of sentences without a pair, and what to do about them.

    `dealt` says that frames are dealt to the people of a population.
    """
    none = f"{many:,} of {among:,} sentences are" if many > 1 else f"1 of {among:,} sentences is"
    found = f"{axis}: {none} in no pair: nobody of another group is in the same frame and match."
    if dealt:
        return f"{found} More --people or --frames give every frame people of every group"
    return (
        f"{found} Where words are inflected, give their lemma in a column emotion_word, or what "
        "belongs together in a column frame"
    )


def _present(sentences: pl.DataFrame | pl.LazyFrame, axis: Axis) -> pl.Series:
    """The groups of each frame and match."""
    return (
        sentences.lazy()
        .filter(pl.col(axis.name).is_not_null())
        .group_by("frame", "match")
        .agg(pl.col(axis.name).unique().alias("groups"))
        .collect(engine="streaming")["groups"]
    )
