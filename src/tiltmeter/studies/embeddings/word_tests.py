"""A test of associations: its words, what a space holds of them, further measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.errors import TiltmeterError
from tiltmeter.stats.correlation import spearman
from tiltmeter.stats.cosines import Array, cosines, unit_rows
from tiltmeter.studies.embeddings.classifier import Space

# ---- a test of associations: two sets of target words, two of attributes, and what a space holds


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
class TestWords:
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


def held_of(space: Space, test: WordSets, coverage: float) -> TestWords:
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
    return TestWords(test, words, vectors, missing, "; ".join(lacks) or None)


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


# ---- further measures of the word tests: ECT, RND, RIPA and MAC
# Each was made for one set of attributes, a test here has two. ECT and MAC take both; RND and RIPA
# are told as the difference between good and bad, so that what draws the targets to any word at all
# cancels out. None of them has a p-value: they describe, beside WEAT. Vectors are rows.

OTHERS = {
    **dict.fromkeys(("embedding", "test", "measure"), pl.String),
    "value": pl.Float64,
    "reason": pl.String,
}


def coherence(first: Array, second: Array, good: Array, bad: Array) -> float:
    """ECT, the embedding coherence test: ρ(cos(m₁, w), cos(m₂, w)) over the attribute words w.

    m₁ and m₂ are the mean vectors of the two sets of targets, ρ is Spearman's correlation (Dev &
    Phillips 2019). 1: both sets of targets put the attributes, good and bad together, in one order.
    NaN below 3 attributes, or where a mean has no direction.

    >>> axes = np.eye(3)
    >>> round(coherence(axes[:1], axes[:1] * 2, axes[:2], np.array([[1.0, 1.0, 0.0]])), 6)
    1.0
    """
    means = np.stack([first.mean(axis=0), second.mean(axis=0)])
    similar = cosines(means, np.concatenate([good, bad]))
    return float(spearman(similar[:1], similar[1]).value[0])


def relative_norm_distance(first: Array, second: Array, good: Array, bad: Array) -> float:
    """RND, the relative norm distance: mean of ‖w − m₁‖ − ‖w − m₂‖, over good less over bad words.

    All vectors are of length 1, m₁ and m₂ are the means of the targets' (Garg, Schiebinger,
    Jurafsky & Zou 2018, who sum over one set of words; the mean does not grow with it). Below 0:
    the first targets stand closer to the good words, a distance being small where WEAT is large.

    >>> right, up = np.array([[1.0, 0.0]]), np.array([[0.0, 2.0]])
    >>> round(relative_norm_distance(right, up, right, up), 6)  # (0 − √2) − (√2 − 0)
    -2.828427
    """
    ends = [unit_rows(side).mean(axis=0) for side in (first, second)]
    further = [
        np.linalg.norm(unit_rows(words) - ends[0], axis=1).mean()
        - np.linalg.norm(unit_rows(words) - ends[1], axis=1).mean()
        for words in (good, bad)
    ]
    return float(further[0] - further[1])


def inner_product(first: Array, second: Array, good: Array, bad: Array) -> float:
    """RIPA, the relational inner product association: mean ⟨w, b⟩, over good less over bad words.

    b = (x − y)/‖x − y‖ for a pair of words (Ethayarajh, Duvenaud & Hirst 2019). Sets of words have
    no pairs, so b is the mean over every first x with every second y; WEFE pairs words by their
    place, which is the same for one word a side. Above 0: the first targets are closer to good.
    Lengths of vectors count, as the authors mean them to, so that embeddings do not compare by it.
    NaN where a first and a second target have the same vector.

    >>> right, up = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> round(inner_product(right, up, right, up), 6)  # 1/√2 − (−1/√2)
    1.414214
    """
    relation = unit_rows((first[:, None, :] - second[None, :, :]).reshape(-1, first.shape[1]))
    return float((good.mean(axis=0) - bad.mean(axis=0)) @ relation.mean(axis=0))


def mean_average_cosine(first: Array, second: Array, good: Array, bad: Array) -> float:
    """MAC, the mean average cosine distance: mean of 1 − cos(t, a), within good and bad, then both.

    Over all targets t (Manzini, Lim, Tsvetkov & Black 2019). It has no direction: 1 is no
    association, and a test's targets may have a strong one each way at 1.

    >>> right, up = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> mean_average_cosine(right, right, right, up)  # (0 + 1) / 2
    0.5
    """
    targets = np.concatenate([first, second])
    return float(np.mean([1 - cosines(targets, words).mean() for words in (good, bad)]))


MEASURES: Mapping[str, tuple[Callable[[Array, Array, Array, Array], float], str]] = {
    "ect": (
        coherence,
        "the mean of a set of targets is close to no attribute word, or to all alike",
    ),
    "rnd": (relative_norm_distance, "the distances are no numbers"),
    "ripa": (inner_product, "a first and a second target word have the same vector"),
    "mac": (mean_average_cosine, "the cosines are no numbers"),
}
"""By name: what it is, and why it may be undefined."""


def other_rows(embedding: str, held: TestWords) -> list[dict[str, Any]]:
    """A row for each measure of a test; null and a reason where there is none."""
    return [
        {"embedding": embedding, "test": held.test.name, "measure": name, **_told(name, held)}
        for name in MEASURES
    ]


def _told(name: str, held: TestWords) -> dict[str, Any]:
    if held.reason:
        return {"value": None, "reason": held.reason}
    measure, undefined = MEASURES[name]
    value = measure(*(held.vectors[side] for side in SIDES))
    return {"value": value} if np.isfinite(value) else {"value": None, "reason": undefined}
