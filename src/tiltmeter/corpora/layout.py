"""Where each sentence of a template finds its words: index arithmetic over small tables.

Sentence *i* of a template is found by arithmetic, not by looping: its person, its word and every
form that agrees with them are looked up in small tables, a stretch of rows at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tiltmeter.corpora.design import Person, Template

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Index = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rows:
    """A stretch of a template's sentences, as index arrays of shape (rows,)."""

    words: Index
    """Which combination of words stands in the row."""
    others: Index
    """Which combination of the people held fixed."""
    person: Index
    """Which of the people under comparison."""


@dataclass(frozen=True)
class Table:
    """Text by row: a small list of values, and which of them each row takes."""

    values: Sequence[str | None]
    over: str
    """What the values are laid out over; tables over the same thing have the same index."""
    index: Callable[[Rows], Index]

    @cached_property
    def _series(self) -> pl.Series:
        return pl.Series(self.values, dtype=pl.String)

    def rows(self, at: Rows) -> pl.Series:
        """The values of a stretch of rows."""
        return self._series.gather(self.index(at))

    def map(self, change: Callable[[str], str]) -> Table:
        """The same rows with every value changed."""
        return replace(self, values=[None if v is None else change(v) for v in self.values])


Pieces = list[str | Table]


@dataclass(frozen=True, slots=True)
class Cells:
    """The combinations a template runs through.

    `words` has shape (W, word slots) and `others` (O, further person slots): indices into the
    slots' lists. With P people under comparison the template has W × O × P sentences.
    """

    words: Index
    others: Index
    people: tuple[Person, ...]

    @property
    def size(self) -> int:
        """How many sentences the template has."""
        return len(self.words) * len(self.others) * len(self.people)

    def rows(self, start: int, stop: int) -> Rows:
        """What stands in sentences `start` to `stop`, the person changing fastest."""
        row = np.arange(start, stop, dtype=np.int64)
        frame, person = np.divmod(row, len(self.people))
        words, others = np.divmod(frame, len(self.others))
        return Rows(words, others, person)


def cells(template: Template) -> Cells:
    """Lay out a template's combinations; a word never stands twice in one sentence."""
    focus, *others = template.person_slots
    words = _combinations([len(slot.words) for slot in template.word_slots])
    lemmas = [np.array([word.lemma for word in slot.words]) for slot in template.word_slots]
    for first in range(len(lemmas)):
        for second in range(first):
            words = words[lemmas[first][words[:, first]] != lemmas[second][words[:, second]]]
    return Cells(words, _combinations([len(slot.people) for slot in others]), focus.people)


def _combinations(sizes: list[int]) -> Index:
    """Every combination of indices below the sizes, shape (product, len(sizes)), last fastest."""
    return np.indices(sizes, dtype=np.int64).reshape(len(sizes), math.prod(sizes)).T


def fused(pieces: Pieces) -> Pieces:
    """The same text in fewer pieces: literals and tables over the same thing joined beforehand."""
    done: Pieces = []
    for piece in pieces:
        joined = _joined(done[-1], piece) if done else None
        if joined is None:
            done.append(piece)
        else:
            done[-1] = joined
    return done


def _joined(first: str | Table, second: str | Table) -> str | Table | None:
    """Two neighbours as one piece, or None where their rows differ."""
    if isinstance(first, str):
        return first + second if isinstance(second, str) else second.map(lambda v: first + v)
    if isinstance(second, str):
        return first.map(lambda value: value + second)
    if first.over != second.over:
        return None
    return replace(
        first, values=[f"{a}{b}" for a, b in zip(first.values, second.values, strict=True)]
    )


def column(pieces: Pieces, at: Rows) -> pl.Expr:
    """The pieces of a stretch of rows, looked up and joined."""
    parts = [pl.lit(piece if isinstance(piece, str) else piece.rows(at)) for piece in pieces]
    return parts[0] if len(parts) == 1 else pl.concat_str(parts)
