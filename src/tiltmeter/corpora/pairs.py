"""How many comparisons a corpus offers, from `frame` and `match` alone.

Within a frame, the people of one match stand against each other: one comparison for each match in
which both groups are present. Pooled names give one comparison, the difference of their averages.
"""

from __future__ import annotations

import polars as pl

from tiltmeter.corpora.design import Axis


def pair_counts(sentences: pl.DataFrame | pl.LazyFrame, axis: Axis) -> dict[tuple[str, str], int]:
    """Comparisons by contrast of an axis.

    >>> from tiltmeter.corpora import load_corpus
    >>> eec = load_corpus("eec")
    >>> [pair_counts(eec.sentences(), axis) for axis in eec.axes]
    [{('female', 'male'): 1584}, {('African American', 'European American'): 144}]
    """
    present = (
        sentences.lazy()
        .filter(pl.col(axis.name).is_not_null())
        .group_by("frame", "match")
        .agg(pl.col(axis.name).unique().alias("groups"))
        .collect(engine="streaming")["groups"]
    )
    return {
        (first, second): int((present.list.contains(first) & present.list.contains(second)).sum())
        for first, second in axis.contrasts
    }
