"""WEAT and SEAT: association tests of words and of sentences."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.errors import TiltmeterError
from tiltmeter.stats.bootstrap import percentile_interval, resample_counts
from tiltmeter.stats.cosines import associations, cosines, effect_draws, effect_size, unit_rows
from tiltmeter.stats.moments import one_thread
from tiltmeter.stats.permutations import DRAWS, permuted
from tiltmeter.studies.embeddings.classifier import Space
from tiltmeter.studies.embeddings.word_tests import (
    OTHERS,
    SIDES,
    TestWords,
    WordSets,
    held_of,
    other_rows,
)

# ---- the numbers of a word test: effect size, interval, p-value; weat.py says what they mean


CORRECTED, PUBLISHED = "corrected", "published"
COVERAGE = 0.7
"""The share of each set's words that an embedding must hold."""
RESAMPLES = 1_000
LEVEL = 0.05
"""Intervals are of 95 %."""
SAME = "all target words are equally close to both sets of attributes"


@dataclass(frozen=True, slots=True)
class WeatConfig:
    """How tests are made."""

    coverage: float = COVERAGE
    resamples: int = RESAMPLES
    """Of the words, for the interval; 0: no interval."""
    seed: int = 0
    permutations: int = DRAWS
    """Divisions drawn where there are too many to try all."""
    mode: str = CORRECTED

    def __post_init__(self) -> None:
        least = {"resamples": 0, "seed": 0, "permutations": 1}
        wrong = [
            f"{name} is {getattr(self, name)!r}; expected a whole number of at least {few}"
            for name, few in least.items()
            if getattr(self, name) < few
        ]
        if not 0 <= self.coverage <= 1:
            wrong.append(f"coverage is {self.coverage!r}; expected a share from 0 to 1")
        if self.mode not in (CORRECTED, PUBLISHED):
            wrong.append(f"mode is {self.mode!r}; expected {CORRECTED} or {PUBLISHED}")
        if wrong:
            raise TiltmeterError(f"word tests cannot be made: {'; '.join(wrong)}")


def numbers_of(held: TestWords, manner: WeatConfig) -> dict[str, Any]:
    """The effect, its interval and its p-value, or why there is none."""
    of = held.vectors
    first, second = (associations(of[side], of["good"], of["bad"]) for side in SIDES[:2])
    effect = effect_size(first, second)
    if np.isnan(effect):
        return {"reason": SAME}
    draws = manner.permutations
    chance = permuted(first, second, seed=manner.seed, key=held.test.name, draws=draws)
    low, high = _interval(held, manner)
    return {
        "effect": effect,
        "low": low,
        "high": high,
        "p": chance.p,
        "exact": chance.exact,
        "permutations": chance.permutations,
    }


def _interval(held: TestWords, manner: WeatConfig) -> tuple[float | None, float | None]:
    """The percentile interval of the effect over resamples of words; None where there is none."""
    of, sizes = held.vectors, [len(held.words[side]) for side in SIDES]
    targets = np.concatenate([of["first"], of["second"]])
    similar = cosines(targets, of["good"]), cosines(targets, of["bad"])
    seed = manner.seed * 2**32 + zlib.crc32(held.test.name.encode(errors="replace"))
    draws = [
        effect_draws(similar, (sizes[0], sizes[1]), counts)
        for counts in resample_counts(sizes, manner.resamples, seed)
    ]
    if not draws:
        return None, None
    ends = percentile_interval(np.concatenate(draws)[None, :], LEVEL)
    low, high = (None if np.isnan(end[0]) else float(end[0]) for end in ends)
    return low, high


# ---- WEAT, the word embedding association test of Caliskan, Bryson & Narayanan (2017)
# Are the first target words closer to the good attributes, and the second to the bad ones? Each
# target has an association s(w, A, B) = mean cos(w, a) − mean cos(w, b); the effect size d is the
# difference between the two sets' mean associations in standard deviations of all of them. p is
# of the permutation test of that difference over all divisions of the targets into sets of the
# sizes found, without replacement. It is two-sided in every mode: the direction is asked for, not
# assumed. The paper's is one-sided; with sets of one size it is half of ours, where the effect
# points the way that was expected. The statistic is the difference of means. It is the paper's
# difference of sums where the sets have one size; where they do not, sums would differ under the
# null as well. The interval is a percentile bootstrap: targets are drawn anew within X and within
# Y, attributes within A and within B. So it covers the choice of words, had as many others been
# taken of the same kinds: in simulations with 8 or 25 words a set it held the mean d of such
# choices in 97 to 99 %. It does not cover the training of the vectors. Nor does it say what d
# more words would give: the fewer the attributes, the more of their noise stands in d's
# denominator, and the smaller it is. The two answer different questions. p takes the attributes
# as they are, the interval does not: where p is small and the interval holds 0, the effect
# depends on which attributes were taken.

WEAT: dict[str, Any] = {
    **dict.fromkeys(("embedding", "test", "title", "kind", *SIDES), pl.String),
    **dict.fromkeys(("effect", "low", "high", "p"), pl.Float64),
    "exact": pl.Boolean,
    **dict.fromkeys(("permutations", *(f"n_{side}" for side in SIDES), "missing"), pl.Int64),
    "published": pl.Float64,
    "reason": pl.String,
    "missing_words": pl.List(pl.String),
}
ASSOCIATIONS = {
    **dict.fromkeys(("embedding", "test", "side", "word"), pl.String),
    "association": pl.Float64,
}


@dataclass(frozen=True, slots=True, eq=False)
class WeatStudy:
    """The tests of one embedding."""

    weat: pl.DataFrame
    """A row for each test; a reason and null numbers where words are too few."""
    associations: pl.DataFrame
    """A row for each target word that the embedding holds."""
    others: pl.DataFrame
    """Further measures of the same tests."""


def weat_study(
    space: Space,
    tests: Sequence[WordSets],
    *,
    coverage: float = COVERAGE,
    resamples: int = RESAMPLES,
    seed: int = 0,
    permutations: int = DRAWS,
    mode: str = CORRECTED,
) -> WeatStudy:
    """Every test on the words of a space; both modes give the same, as nothing was corrected."""
    manner = WeatConfig(coverage, resamples, seed, permutations, mode)
    return study_of([(space, test) for test in tests], "weat", manner)


def study_of(tests: Sequence[tuple[Space, WordSets]], kind: str, manner: WeatConfig) -> WeatStudy:
    """Tests, each on its space, as the frames of a study."""
    held = [(space.name, held_of(space, test, manner.coverage)) for space, test in tests]
    with one_thread():
        rows = [_row(name, kind, each, manner) for name, each in held]
        words = [row for name, each in held for row in _association_rows(name, each)]
        others = [row for name, each in held for row in other_rows(name, each)]
    return WeatStudy(
        pl.DataFrame(rows, schema=WEAT, orient="row"),
        pl.DataFrame(words, schema=ASSOCIATIONS, orient="row"),
        pl.DataFrame(others, schema=OTHERS, orient="row"),
    )


def _row(embedding: str, kind: str, held: TestWords, manner: WeatConfig) -> dict[str, Any]:
    test = held.test
    named = {side: name for side, (name, _) in zip(SIDES, test.sets, strict=True)}
    row = dict.fromkeys(WEAT) | {
        "embedding": embedding,
        "test": test.name,
        "title": test.title,
        "kind": kind,
        **named,
        **held.sizes,
        "missing": len(held.missing),
        "published": test.published,
        "reason": held.reason,
        "missing_words": list(held.missing),
    }
    return row if held.reason else row | numbers_of(held, manner)


def _association_rows(embedding: str, held: TestWords) -> list[dict[str, Any]]:
    """The targets in the order of the test; none where the test is refused."""
    if held.reason:
        return []
    of, test = held.vectors, held.test
    rows = []
    for side, asked in (("first", test.first), ("second", test.second)):
        found = associations(of[side], of["good"], of["bad"])
        by_word = dict(zip(held.words[side], found.tolist(), strict=True))
        rows += [
            {
                "embedding": embedding,
                "test": test.name,
                "side": side,
                "word": word,
                "association": by_word[word],
            }
            for word in asked
            if word in by_word
        ]
    return rows


# ---- SEAT, the sentence encoder association test of May et al. (2019): WEAT on words in
# sentences A word stands in several sentences that say little ("This is a doctor."). Published,
# every sentence is a unit, as in the paper. Corrected, the unit is the word: sentences of one
# word are close to each other because of the word, so they are no independent witnesses. To
# divide them at random as if they were counts every word several times, and makes p too small. A
# word's vector is the mean of its sentences' vectors, each brought to length 1 first: a cosine
# asks for direction only, and so no sentence has more say in it because its vector is longer.

Sentences = Mapping[str, tuple[str, ...]]


def seat_study(
    space: Space,
    tests: Sequence[WordSets],
    sentences: Sentences,
    *,
    coverage: float = COVERAGE,
    resamples: int = RESAMPLES,
    seed: int = 0,
    permutations: int = DRAWS,
    mode: str = CORRECTED,
) -> WeatStudy:
    """Every test on a space of texts; `sentences` has the texts that each word stands in.

    In published mode the words of the frames, and what they count, are sentences.
    """
    manner = WeatConfig(coverage, resamples, seed, permutations, mode)
    if mode == PUBLISHED:
        return study_of([(space, in_sentences(test, sentences)) for test in tests], "seat", manner)
    words = words_of(space, sentences)
    return study_of([(words, test) for test in tests], "seat", manner)


def words_of(space: Space, sentences: Sentences) -> Space:
    """Words by the mean of their sentences' directions.

    A word of which a sentence is missing, or has no direction, is left out: the rest would be other
    sentences than those of the words it is compared with.

    >>> texts = Space("e", ("a cat", "cats"), np.array([[2.0, 0.0], [0.0, 1.0]]))
    >>> words_of(texts, {"cat": ("a cat", "cats"), "dog": ("a dog", "dogs")}).vectors
    array([[0.5, 0.5]])
    """
    whole = {word: texts for word, texts in sentences.items() if texts and _all_in(space, texts)}
    means = [unit_rows(space.rows(texts)).mean(axis=0) for texts in whole.values()]
    kept = [place for place, mean in enumerate(means) if np.isfinite(mean).all()]
    vectors = np.array([means[place] for place in kept]).reshape(-1, space.dimension)
    return Space(space.name, tuple(np.array([*whole], object)[kept]), vectors)


def _all_in(space: Space, texts: tuple[str, ...]) -> bool:
    return len(space.held(texts)) == len(texts)


def in_sentences(test: WordSets, sentences: Sentences) -> WordSets:
    """A test whose words are sentences; a word without any stays, and is missing."""

    def written(words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(text for word in words for text in sentences.get(word) or (word,))

    first, second, good, bad = (written(words) for _, words in test.sets)
    return replace(test, first=first, second=second, good=good, bad=bad)
