"""Words of one embedding and their vectors as arrays, and the direction of an identity in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.corpora import Direction

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


FEWEST_PAIRS = 3
FEWEST_WORDS = 5
"""Of each side, where there are no pairs."""


@dataclass(frozen=True, eq=False)
class IdentityDirection:
    """A unit vector that points to the first side, or why there is none."""

    words: Direction
    vector: Array | None = field(default=None, repr=False)
    """(dimension,)"""
    made_from: str = "pairs"
    """pairs: a principal component of their differences; lists: the difference of two means."""
    n: int = 0
    """Pairs or words that it was made from."""
    share: float | None = None
    """Of the pairs' variance; None without pairs."""
    missing: tuple[str, ...] = ()
    """Pairs, as she/he, or words that the space lacks."""
    reason: str | None = None


def direction_of(space: Space, words: Direction) -> IdentityDirection:
    """The direction from the definitional pairs, or from the two lists where no pair is named.

    Vectors are brought to length 1 first, so that frequent words do not decide alone.

    >>> pairs = (("she", "he"), ("her", "his"), ("woman", "man"))
    >>> names = tuple(word for pair in pairs for word in pair)
    >>> rows = np.array([[1, 2], [-1, 2], [1, 1], [-1, 1], [1, 0], [-1, 0]])
    >>> words = Direction("g", "", "f", "m", pairs, (), (), (), None)
    >>> found = direction_of(Space("e", names, rows), words)
    >>> found.vector, found.share
    (array([1., 0.]), 1.0)
    """
    return _from_pairs(space, words) if words.pairs else _from_lists(space, words)


def _from_pairs(space: Space, words: Direction) -> IdentityDirection:
    """The first principal component of pairs, each centred on its mean (Bolukbasi et al. 2016)."""
    held = [pair for pair in words.pairs if len(space.held(pair)) == 2]
    missing = tuple("/".join(pair) for pair in words.pairs if pair not in held)
    if len(held) < FEWEST_PAIRS:
        many = f"{len(held)} of {len(words.pairs)} definitional pairs are in the embedding"
        return IdentityDirection(
            words, missing=missing, n=len(held), reason=f"{many}; expected at least {FEWEST_PAIRS}"
        )
    first, second = (unit(space.rows([pair[side] for pair in held])) for side in (0, 1))
    halves = (first - second) / 2  # a pair about its mean is ± this, which has the same axes
    _, sizes, axes = np.linalg.svd(halves, full_matrices=False)
    if sizes[0] <= DUST:
        reason = f"the two words of each of the {len(held)} definitional pairs have the same vector"
        return IdentityDirection(words, missing=missing, n=len(held), reason=reason)
    share = float(sizes[0] ** 2 / (sizes**2).sum())
    axis = axes[0] if (halves @ axes[0]).sum() >= 0 else -axes[0]
    return IdentityDirection(words, axis + 0.0, "pairs", len(held), share, missing)


def _from_lists(space: Space, words: Direction) -> IdentityDirection:
    """The difference of the means of the two sides' words."""
    sides = space.held(words.first), space.held(words.second)
    missing = tuple(w for w in (*words.first, *words.second) if w not in space.places)
    n, few = sum(map(len, sides)), min(map(len, sides))
    if few < FEWEST_WORDS:
        many = f"{len(sides[0])} and {len(sides[1])} words of the two sides are in the embedding"
        reason = f"{many}; expected at least {FEWEST_WORDS} of each"
        return IdentityDirection(words, None, "lists", n, missing=missing, reason=reason)
    first, second = (unit(space.rows(side)).mean(axis=0) for side in sides)
    between = first - second
    if np.linalg.norm(between) <= DUST:
        reason = "the means of the two sides' words are the same vector"
        return IdentityDirection(words, None, "lists", n, missing=missing, reason=reason)
    return IdentityDirection(words, unit(between), "lists", n, missing=missing)


def sides_of(words: Direction) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All words of the first side and of the second, those of the pairs too."""
    first, second = (tuple(pair[side] for pair in words.pairs) for side in (0, 1))
    return words.first + first, words.second + second


def leaning(space: Space, words: Sequence[str], direction: Array) -> Array:
    """How far each word leans to the first side: the cosine of its vector and the direction."""
    lean: Array = unit(space.rows(words)) @ direction
    return lean


def not_to_lean(
    space: Space, words: Direction, others: Sequence[str] | None = None
) -> tuple[str, ...]:
    """The words in hand that should not lean: neutral ones and others, none of a side's own.

    Where no others are named, all words in hand are.
    """
    asked = space.words if others is None else space.held(dict.fromkeys([*words.neutral, *others]))
    definitional = {word for side in sides_of(words) for word in side}
    return tuple(word for word in asked if word not in definitional)
