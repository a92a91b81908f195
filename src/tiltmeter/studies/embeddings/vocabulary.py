"""Every word that a study of embeddings needs, and their vectors: each file is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from pathlib import Path

import numpy as np

from tiltmeter.corpora import (
    Direction,
    Lexicon,
    TermList,
    WordTest,
    load_analogies,
    load_direction,
    load_lexicon,
    load_ordinary_words,
    load_sentence_templates,
    load_similarities,
    load_terms,
    load_word_tests,
)
from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.embeddings.classifier import Identities, Sentiment, Space, space_of
from tiltmeter.studies.embeddings.weat import words_of
from tiltmeter.studies.embeddings.word_tests import WordSets
from tiltmeter.vectors import WordReading, read_words, reads_texts

# ---- every word that a study of embeddings needs, gathered first: each file is gone through once


NONE = "none"
"""Said instead of lists or tests: none of them."""
WORD = "{word}"
ENGLISH = "en"
"""The language of the ordinary words: terms of another are not held against them."""
Stage = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Quality:
    """What tells whether vectors are still good for something once they were changed."""

    similarities: tuple[str, tuple[tuple[str, str, float], ...]] | None
    analogies: tuple[tuple[str, tuple[str, str, str, str]], ...]


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Words of a study, by what they are for."""

    lists: tuple[TermList, ...]
    lexicon: Lexicon
    tests: tuple[WordTest, ...] = ()
    ordinary: tuple[str, ...] = ()
    directions: tuple[Direction, ...] = ()
    quality: Quality | None = None
    people: tuple[str, ...] = ()
    """Names that a corpus has sentences about."""
    templates: tuple[str, ...] = ()
    """Sentences to put words in, for encoders of texts."""

    @cached_property
    def identities(self) -> tuple[Identities, ...]:
        """The lists as the measures take them."""
        return tuple(
            Identities(
                one.name, one.title, tuple(term.text for term in one.terms),
                tuple(term.group for term in one.terms) if one.groups else (),
                one.language == ENGLISH,
            )
            for one in self.lists
        )  # fmt: skip

    @cached_property
    def sentiment(self) -> Sentiment:
        """The lexicon as the measures take it."""
        return Sentiment(self.lexicon.name, self.lexicon.positive, self.lexicon.negative)

    @cached_property
    def word_sets(self) -> tuple[WordSets, ...]:
        """The tests as the measures take them."""
        names = ("name", "title", "first_name", "first", "second_name", "second")
        more = ("good_name", "good", "bad_name", "bad", "published")
        return tuple(
            WordSets(*(getattr(test, name) for name in (*names, *more))) for test in self.tests
        )

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys(self._words()))

    @cached_property
    def test_words(self) -> tuple[str, ...]:
        """Those of the tests, each once."""
        every = (test.first + test.second + test.good + test.bad for test in self.tests)
        return tuple(dict.fromkeys(word for words in every for word in words))

    @property
    def spellings(self) -> Mapping[str, Sequence[str]]:
        """Further spellings of terms."""
        return {term.text: term.also for one in self.lists for term in one.terms if term.also}

    def sentences(self, words: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Each word in each template."""
        return {
            word: tuple(template.replace(WORD, word) for template in self.templates)
            for word in words
        }

    def _words(self) -> Iterator[str]:
        yield from (term.text for one in self.lists for term in one.terms)
        yield from self.lexicon.positive
        yield from self.lexicon.negative
        yield from self.ordinary
        yield from self.people
        yield from self.test_words
        for one in self.directions:
            yield from (word for pair in one.pairs for word in pair)
            yield from (*one.first, *one.second, *one.neutral)
        if self.quality is not None:
            yield from (word for _, four in self.quality.analogies for word in four)
            pairs = self.quality.similarities[1] if self.quality.similarities else ()
            yield from (word for pair in pairs for word in pair[:2])


def vocabulary(
    lists: Sequence[str | Path],
    lexicon: Sequence[str | Path],
    tests: Sequence[str | Path],
    mode: str,
    *,
    directions: Sequence[str | Path] = (),
    similarities: Path | str | None = None,
    analogies: Path | str | None = None,
    people: Sequence[str] = (),
    templates: bool = False,
) -> Vocabulary:
    """Load every list, lexicon and test asked for; what is wrong with one is said now."""
    named = [str(one) for one in lists if str(one) != NONE]
    loaded = tuple(load_terms(name, mode) for name in dict.fromkeys(named))
    _told_apart(loaded)
    wanted = [test for spec in tests if str(spec) != NONE for test in load_word_tests(str(spec))]
    quality = None
    if directions:
        quality = Quality(load_similarities(similarities), load_analogies(analogies))
    words = load_lexicon(lexicon)
    return Vocabulary(
        loaded,
        words,
        tuple({test.name: test for test in wanted}.values()),
        tuple(load_ordinary_words()) if words.language == ENGLISH else (),
        tuple(load_direction(str(one)) for one in dict.fromkeys(map(str, directions))),
        quality,
        tuple(people),
        tuple(load_sentence_templates()) if templates else (),
    )


def _told_apart(lists: Sequence[TermList]) -> None:
    names = [one.name for one in lists]
    for name in names:
        if names.count(name) > 1:
            what = f"two lists of terms are called {name!r}; expected names that differ"
            raise TiltmeterError(f"{what}: change `name` in one of the files")


# ---- embeddings read: the vectors of the words of a study, each file gone through once


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """An embedding that was read: its words, and its sentences where it reads texts."""

    reading: WordReading
    space: Space
    """The words, each with one vector."""
    in_sentences: Space | None = None
    """The sentences of the tests' words, for encoders of texts."""
    asked: int = 0


@dataclass(frozen=True, slots=True)
class Looking:
    """How words are looked for."""

    case: str
    in_sentences: bool
    language: str | None
    stage: Stage


def read_embeddings(specs: Sequence[str], words: Vocabulary, how: Looking) -> list[Read]:
    """Read every embedding, one after the other, each under a name of its own."""
    taken: set[str] = set()
    found = []
    for spec in specs:
        how.stage(f"reading {Path(spec).name}")
        one = _read(spec, words, how)
        name = _free_name(one.reading.name, taken)
        taken.add(name)
        found.append(_under(name, one))
    return found


def _read(spec: str, words: Vocabulary, how: Looking) -> Read:
    if not reads_texts(spec):
        reading = read_words(
            spec, words.words, also=words.spellings, case=how.case, language=how.language
        )
        return Read(reading, _space(reading), None, len(words.words))
    alone = () if how.in_sentences else words.words
    placed = words.sentences(words.words if how.in_sentences else words.test_words)
    texts = dict.fromkeys([*alone, *(text for several in placed.values() for text in several)])

    def tell(done: int, every: int) -> None:
        how.stage(f"embedding texts with {spec}: {done:,} of {every:,}")

    reading = read_words(spec, texts, case="exact", language=how.language, progress=tell)
    every = _space(reading)
    space = words_of(every, placed) if how.in_sentences else _only(every, words.words)
    return Read(reading, space, every, len(words.words))


def _space(reading: WordReading) -> Space:
    """The words that were found; none may be."""
    if reading.vectors.height:
        return space_of(reading.vectors)
    return Space(reading.name, (), np.empty((0, reading.dimension)))


def _only(space: Space, words: Sequence[str]) -> Space:
    held = space.held(words)
    return Space(space.name, held, space.rows(held))


def _free_name(name: str, taken: set[str]) -> str:
    """The name, with a number where another embedding bears it."""
    numbered = (name if nth == 1 else f"{name} ({nth})" for nth in count(1))
    return next(one for one in numbered if one not in taken)


def _under(name: str, read: Read) -> Read:
    if name == read.space.name:
        return read
    other = None if read.in_sentences is None else replace(read.in_sentences, name=name)
    return replace(read, space=replace(read.space, name=name), in_sentences=other)
