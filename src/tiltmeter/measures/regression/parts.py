"""Which sentences a submission is fitted on, as METHODS §3 gives them to each task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import subsets

Places = NDArray[np.int64]

OWN, NEUTRAL, ALL = "own-emotion", "neutral", "all"


@dataclass(frozen=True, slots=True)
class Part:
    """Submissions that are fitted on the same sentences."""

    subset: str
    rows: Places
    columns: Places


def parts_of(
    sentences: pl.DataFrame, tasks: pl.Series, axes: Sequence[str], subset: str
) -> list[Part]:
    """Which submissions are fitted on which sentences."""
    placed = sentences.with_row_index("place").drop_nulls(list(axes))
    found = list[Part]()
    for task in tasks.unique(maintain_order=True):
        rows = np.flatnonzero((tasks == task).to_numpy())
        name, mine = _sentences_of(placed, str(task), subset)
        found.append(Part(name, rows, mine["place"].to_numpy().astype(np.int64)))
    return found


def _sentences_of(placed: pl.DataFrame, task: str, subset: str) -> tuple[str, pl.DataFrame]:
    """The subset that a task is fitted on, and its sentences."""
    own = placed.filter(pl.col("emotion") == task)
    neutral = placed.filter(pl.col("emotion").is_null())
    if subset == ALL:
        if own.height:
            return OWN, own
        return (NEUTRAL, neutral) if 0 < neutral.height < placed.height else (ALL, placed)
    if subset == OWN:
        return OWN, own
    known = dict(subsets(placed))
    return subset, placed.filter(known[subset]) if subset in known else placed.head(0)
