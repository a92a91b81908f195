"""Every word that a study of embeddings needs, and their vectors: each file is read once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from tiltmeter.studies.embeddings.rnsb import ENGLISH
from tiltmeter.studies.embeddings.space import Space, space_of
from tiltmeter.studies.embeddings.weat import mean_of_sentences
from tiltmeter.vectors import WordReading, read_words, reads_texts

NONE = "none"
"""Said instead of lists or tests: none of them."""
WORD = "{word}"
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
    def words(self) -> tuple[str, ...]:
        """All of them, each once."""
        quality = self.quality or Quality(None, ())
        return tuple(dict.fromkeys((
            *(text for one in self.lists for text in one.texts),
            *self.lexicon.positive, *self.lexicon.negative, *self.ordinary, *self.people,
            *self.test_words,
            *(
                word for one in self.directions
                for words in (*one.pairs, one.first, one.second, one.neutral) for word in words
            ),
            *(word for _, four in quality.analogies for word in four),
            *(word for a, b, _ in (quality.similarities or ("", ()))[1] for word in (a, b)),
        )))  # fmt: skip

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
    names = [one.name for one in loaded]
    for name in names:
        if names.count(name) > 1:
            what = f"two lists of terms are called {name!r}; expected names that differ"
            raise TiltmeterError(f"{what}: change `name` in one of the files")
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


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddingVectors:
    """An embedding that was read: its words, and its sentences where it reads texts."""

    reading: WordReading
    space: Space
    """The words, each with one vector."""
    in_sentences: Space | None = None
    """The sentences of the tests' words, for encoders of texts."""
    asked: int = 0


def read_embeddings(
    specs: Sequence[str],
    words: Vocabulary,
    *,
    case: str,
    in_sentences: bool,
    language: str | None,
    stage: Stage,
) -> list[EmbeddingVectors]:
    """Read every embedding, one after the other, each under a name of its own."""
    found: dict[str, EmbeddingVectors] = {}
    for spec in specs:
        stage(f"reading {Path(spec).name}")
        texts = reads_texts(spec)
        if texts:
            placed = words.sentences(words.words if in_sentences else words.test_words)
            several = (text for some in placed.values() for text in some)
            asked = dict.fromkeys([*(() if in_sentences else words.words), *several])

            def tell(done: int, every: int, spec: str = spec) -> None:
                stage(f"embedding texts with {spec}: {done:,} of {every:,}")

            reading = read_words(spec, asked, case="exact", language=language, progress=tell)
        else:
            reading = read_words(
                spec, words.words, also=words.spellings, case=case, language=language
            )
        tried = (reading.name if nth == 1 else f"{reading.name} ({nth})" for nth in count(1))
        name = next(one for one in tried if one not in found)
        space = Space(name, (), np.empty((0, reading.dimension)))
        if reading.vectors.height:
            space = replace(space_of(reading.vectors), name=name)
        whole = space if texts else None
        if texts and in_sentences:
            space = mean_of_sentences(space, placed)
        elif texts:
            held = space.held(words.words)
            space = Space(name, held, space.rows(held))
        found[name] = EmbeddingVectors(reading, space, whole, len(words.words))
    return list(found.values())
