"""A large corpus gone through once, a batch at a time: what an audit must know before it asks."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from tiltmeter.corpora.corpus import Corpus

LARGE = 250_000
"""Sentences beyond which a corpus is gone through in batches and never held as a whole."""
PARTS = ("template", "emotion")
IN_ORDER = "in-order-"
"""Before the checksum of a corpus too large to be sorted."""


@dataclass(frozen=True, eq=False, slots=True)
class Survey:
    """What stands in a corpus, without its sentences."""

    parts: pl.DataFrame
    """template and emotion, as they come: what subsets are made of."""
    witnesses: pl.DataFrame
    """A sentence of every group of every axis."""
    checksum: str
    """Of the texts in their order."""
    several_axes: bool
    """Whether some person has a group on every axis, and there are two."""
    together: bool
    """Whether the sentences of every frame stand together."""


def surveyed(corpus: Corpus) -> Survey:
    """Go through a corpus once."""
    axes = [axis.name for axis in corpus.axes]
    schema = corpus.schema
    parts, witnesses = (pl.DataFrame(schema=schema) for _ in range(2))
    digest, frames, last, complete = hashlib.sha256(), list[pl.Series](), None, False
    for batch in corpus.batches():
        digest.update("".join(f"{text}\n" for text in batch["text"]).encode())
        parts = _one_of_each(parts, batch, PARTS)
        witnesses = _one_of_each(witnesses, batch, axes)
        complete = complete or batch.drop_nulls(axes).height > 0
        frame = batch["frame"]
        frames.append(frame.filter(frame.ne_missing(frame.shift(1, fill_value=last))).hash())
        last = frame[-1]
    return Survey(
        parts=parts.select(PARTS),
        witnesses=witnesses,
        checksum=IN_ORDER + digest.hexdigest(),
        several_axes=len(axes) > 1 and complete,
        together=_each_once(frames),
    )


def _one_of_each(known: pl.DataFrame, batch: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The first sentence with each combination of values."""
    return pl.concat([known, batch]).unique(by, keep="first", maintain_order=True)


def _each_once(frames: list[pl.Series]) -> bool:
    """Whether no frame began twice, told by its hash."""
    every = np.concatenate([part.to_numpy() for part in frames]) if frames else np.zeros(0)
    return np.unique(every).size == every.size
