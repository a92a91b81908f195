"""Which sentences a submission is fitted on, as METHODS §3 gives them to each task."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import NTH, subsets
from tiltmeter.measures.regression.design import Design
from tiltmeter.measures.regression.reduction import Reduced

Places = NDArray[np.int64]

OWN, NEUTRAL, ALL = "own-emotion", "neutral", "all"
OTHER = "other-emotion"
"""No subset of its own: the rest of a corpus, whose sentences all have an emotion."""


@dataclass(frozen=True, slots=True)
class Part:
    """Submissions that are fitted on the same sentences."""

    subset: str
    rows: Places
    columns: Places


@dataclass(frozen=True, slots=True)
class Summed:
    """The sentences of a part as sums over the atoms of their design: all that its fits need."""

    subset: str
    rows: Places
    """Which submissions."""
    size: int
    """Its sentences, with a score or without."""
    design: Design
    atoms: Reduced


def parts_of(
    sentences: pl.DataFrame,
    tasks: pl.Series,
    axes: Sequence[str],
    subset: str | None,
    whole: pl.DataFrame,
) -> list[Part]:
    """Which submissions are fitted on which sentences; `whole` is what these were drawn from."""
    placed = sentences.with_row_index(NTH).drop_nulls(list(axes))
    emotions = whole.drop_nulls(list(axes))["emotion"]
    found = list[Part]()
    for task in tasks.unique(maintain_order=True):
        rows = np.flatnonzero((tasks == task).to_numpy())
        name = subset_of(emotions, str(task), subset)
        mine = sentences_of(placed, str(task), name)
        found.append(Part(name, rows, mine[NTH].to_numpy().astype(np.int64)))
    return found


def subset_of(emotions: pl.Series, task: str, subset: str | None = None) -> str:
    """The subset that a task is fitted on, by the emotions of the whole corpus' sentences.

    The one named, or where none is, that of METHODS §3.

    >>> said = pl.Series(["joy", None])
    >>> subset_of(said, "joy"), subset_of(said, "valence"), subset_of(said[1:], "joy")
    ('own-emotion', 'neutral', 'all')
    """
    if subset is not None:
        return subset
    if (emotions == task).any():
        return OWN
    return NEUTRAL if 0 < emotions.null_count() < emotions.len() else ALL


def kinds_of(task: str, subset: str | None, seen: Collection[str | None]) -> tuple[str, ...]:
    """What a task may still be fitted on, by the emotions seen so far: in the end, one of these.

    >>> kinds_of("joy", None, [None])
    ('own-emotion', 'neutral', 'other-emotion')
    >>> kinds_of("joy", None, [None, "fear"]), kinds_of("joy", None, ["joy"])
    (('own-emotion', 'neutral'), ('own-emotion',))
    """
    if subset is not None:
        return (subset,)
    if task in seen:
        return (OWN,)
    return (OWN, NEUTRAL) if None in seen and len(seen) > 1 else (OWN, NEUTRAL, OTHER)


def kind_of(task: str, subset: str | None, seen: Collection[str | None]) -> tuple[str, str]:
    """The subset that a task is fitted on, and of which kind its sentences are.

    >>> kind_of("valence", None, ["joy"]), kind_of("valence", None, ["joy", None])
    (('all', 'other-emotion'), ('neutral', 'neutral'))
    """
    if subset is not None:
        return subset, subset
    name = subset_of(pl.Series(list(seen), dtype=pl.String), task)
    without = NEUTRAL if None in seen else OTHER
    return name, without if name == ALL else name


def sentences_of(placed: pl.DataFrame, task: str, subset: str) -> pl.DataFrame:
    """The sentences of a subset, or of a kind."""
    if subset == OWN:
        return placed.filter(pl.col("emotion") == task)
    if subset == OTHER:
        return placed.filter(pl.col("emotion") != task)
    if subset == NEUTRAL:
        return placed.filter(pl.col("emotion").is_null())
    known = dict(subsets(placed))
    return placed.filter(known[subset]) if subset in known else placed.head(0)
