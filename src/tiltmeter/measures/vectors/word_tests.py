"""A test of associations: two sets of target words, two of attributes, and what a space holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tiltmeter.errors import TiltmeterError
from tiltmeter.measures.stats.cosines import Array
from tiltmeter.measures.vectors.space import Space

FEWEST = 2
"""Words a set needs: one has no spread."""
SIDES = ("first", "second", "good", "bad")
"""The sets of a test: targets, then attributes."""


@dataclass(frozen=True, slots=True)
class WordSets:
    """The words of a test; its effect is above 0 where the first targets are closer to good."""

    name: str
    title: str
    first_name: str
    first: tuple[str, ...]
    second_name: str
    second: tuple[str, ...]
    good_name: str
    good: tuple[str, ...]
    bad_name: str
    bad: tuple[str, ...]
    published: float | None = None
    """The effect size that Caliskan et al. (2017) print for GloVe."""

    def __post_init__(self) -> None:
        twice = [f"{word!r} in {named}" for named, words in self.sets for word in _twice(words)]
        for (one, these), (other, those) in combinations(self.sets, 2):
            twice += [f"{word!r} in {one} and {other}" for word in these if word in set(those)]
        if twice:
            found = f"the word test {self.name!r} has words that stand twice: {', '.join(twice)}"
            raise TiltmeterError(f"{found}; expected each word once: delete it from one place")

    @property
    def sets(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The name and the words of each set, in the order of SIDES."""
        yield from (
            (self.first_name, self.first),
            (self.second_name, self.second),
            (self.good_name, self.good),
            (self.bad_name, self.bad),
        )


def _twice(words: tuple[str, ...]) -> list[str]:
    return [word for word, times in Counter(words).items() if times > 1]


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """What of a test's words a space holds, in alphabetical order: none of it depends on theirs."""

    test: WordSets
    words: Mapping[str, tuple[str, ...]]
    """The words of each side that have a direction."""
    vectors: Mapping[str, Array]
    """Their vectors, (words, dimension)."""
    missing: tuple[str, ...]
    """Words without a vector, or with one of length 0, in the order of the test."""
    reason: str | None
    """Why there is nothing to compute; None where there is."""

    @property
    def sizes(self) -> dict[str, int]:
        """How many words of each side are held, by column."""
        return {f"n_{side}": len(self.words[side]) for side in SIDES}


def held_of(space: Space, test: WordSets, coverage: float) -> Held:
    """The words of a test that a space has a direction for; a reason where they are too few."""
    words = {
        side: tuple(sorted(word for word in asked if _directed(space, word)))
        for side, (_, asked) in zip(SIDES, test.sets, strict=True)
    }
    found = {word for held in words.values() for word in held}
    missing = tuple(word for _, asked in test.sets for word in asked if word not in found)
    lacks = [
        lack
        for (named, asked), held in zip(test.sets, words.values(), strict=True)
        if (lack := _lack(named, len(held), len(asked), coverage))
    ]
    vectors = {side: space.rows(held) for side, held in words.items()}
    return Held(test, words, vectors, missing, "; ".join(lacks) or None)


def _directed(space: Space, word: str) -> bool:
    """Whether a word has a vector, and the vector a direction."""
    if word not in space.places:
        return False
    vector = space.vectors[space.places[word]]
    return bool(np.isfinite(vector).all() and vector.any())


def _lack(named: str, held: int, asked: int, coverage: float) -> str | None:
    """What a set lacks; None where it is large enough."""
    if held < FEWEST:
        return f"{held} of {asked} words of {named!r} are in the embedding (a set needs {FEWEST})"
    if held / asked < coverage:
        floor = f"at least {100 * coverage:.4g} % are needed"
        return f"{held} of {asked} words of {named!r} are in the embedding ({floor})"
    return None
