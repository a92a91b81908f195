"""SEAT, the sentence encoder association test of May et al. (2019): WEAT on words in sentences.

A word stands in several sentences that say little ("This is a doctor."). Published, every sentence
is a unit, as in the paper. Corrected, the unit is the word: sentences of one word are close to each
other because of the word, so they are no independent witnesses. To divide them at random as if they
were counts every word several times, and makes p too small.

A word's vector is the mean of its sentences' vectors, each brought to length 1 first: a cosine asks
for direction only, and so no sentence has more say in it because its vector is longer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tiltmeter.measures.stats.cosines import unit_rows
from tiltmeter.measures.stats.permutations import DRAWS
from tiltmeter.measures.vectors.space import Space
from tiltmeter.measures.vectors.weat import WeatStudy, study_of
from tiltmeter.measures.vectors.weat_numbers import (
    CORRECTED,
    COVERAGE,
    PUBLISHED,
    RESAMPLES,
    Manner,
)
from tiltmeter.measures.vectors.word_tests import WordSets

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
    manner = Manner(coverage, resamples, seed, permutations, mode)
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
