"""Embeddings read: the vectors of the words of a study, each file gone through once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import numpy as np

from tiltmeter.flow.embedding_words import Vocabulary
from tiltmeter.measures import Space, space_of, words_of
from tiltmeter.vectors import WordReading, read_words, reads_texts

Stage = Callable[[str], object]


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
