"""Which sentences a submission is fitted on, as METHODS §3 gives them to each task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import NTH, subsets

Places = NDArray[np.int64]

OWN, NEUTRAL, ALL = "own-emotion", "neutral", "all"


@dataclass(frozen=True, slots=True)
class Part:
    """Submissions that are fitted on the same sentences."""

    subset: str
    rows: Places
    columns: Places


def parts_of(
    sentences: pl.DataFrame, tasks: pl.Series, axes: Sequence[str], subset: str, whole: pl.DataFrame
) -> list[Part]:
    """Which submissions are fitted on which sentences; `whole` is what these were drawn from."""
    placed = sentences.with_row_index(NTH).drop_nulls(list(axes))
    emotions = whole.drop_nulls(list(axes))["emotion"]
    found = list[Part]()
    for task in tasks.unique(maintain_order=True):
        rows = np.flatnonzero((tasks == task).to_numpy())
        name = _subset_of(emotions, str(task)) if subset == ALL else subset
        mine = _sentences_of(placed, str(task), name)
        found.append(Part(name, rows, mine[NTH].to_numpy().astype(np.int64)))
    return found


def _subset_of(emotions: pl.Series, task: str) -> str:
    """The subset that a task is fitted on, by the emotions of the whole corpus' sentences.

    >>> said = pl.Series(["joy", None])
    >>> _subset_of(said, "joy"), _subset_of(said, "valence"), _subset_of(said[1:], "joy")
    ('own-emotion', 'neutral', 'all')
    """
    if (emotions == task).any():
        return OWN
    return NEUTRAL if 0 < emotions.null_count() < emotions.len() else ALL


def _sentences_of(placed: pl.DataFrame, task: str, subset: str) -> pl.DataFrame:
    """The sentences of a subset."""
    if subset == OWN:
        return placed.filter(pl.col("emotion") == task)
    if subset == NEUTRAL:
        return placed.filter(pl.col("emotion").is_null())
    known = dict(subsets(placed))
    return placed.filter(known[subset]) if subset in known else placed.head(0)
