"""Words of one embedding and their vectors, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

Array = NDArray[np.float64]
DUST = 1e-12
"""A length below this is none."""


@dataclass(frozen=True, eq=False)
class Space:
    """Words and their vectors; a word that is not there has none."""

    name: str
    words: tuple[str, ...]
    vectors: Array = field(repr=False)
    """(words, dimension)"""

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The row of each word."""
        return {word: row for row, word in enumerate(self.words)}

    @property
    def dimension(self) -> int:
        """Values of a vector."""
        return int(self.vectors.shape[1])

    def held(self, words: Iterable[str]) -> tuple[str, ...]:
        """Those of the words that have a vector, in the order asked."""
        return tuple(word for word in words if word in self.places)

    def rows(self, words: Iterable[str]) -> Array:
        """The vectors of words, all of which must be there."""
        return self.vectors[[self.places[word] for word in words]]

    def moved(self, vectors: Array) -> Space:
        """The same words elsewhere, as after a projection."""
        return replace(self, vectors=vectors)


def space_of(vectors: pl.DataFrame) -> Space:
    """The space of one encoder, from the `vectors` table.

    >>> table = {"encoder": ["e", "e"], "text": ["he", "she"], "vector": [[1.0, 0.0], [0.0, 1.0]]}
    >>> space_of(pl.DataFrame(table)).rows(["she"])
    array([[0., 1.]])
    """
    rows = vectors["vector"].list.to_array(len(vectors["vector"][0])).to_numpy()
    return Space(vectors["encoder"][0], tuple(vectors["text"]), rows.astype(np.float64))


def unit(vectors: Array) -> Array:
    """Each row at length 1; a row without length stays as it is.

    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Array = vectors / np.where(lengths > DUST, lengths, 1.0)
    return scaled
