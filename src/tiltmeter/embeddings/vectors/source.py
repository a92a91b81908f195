"""What every reader of word vectors gives, and how it becomes `WordVectors`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiltmeter.embeddings.encoder import WordVectors
from tiltmeter.embeddings.vectors.files import Unchanged, digest_of
from tiltmeter.errors import TiltmeterError

Vector = NDArray[np.float32]
"""(dimension,)"""

REPEATED = "stand more than once, and the first of each was taken"
BUILT = "are not in the vocabulary and were built from their character n-grams"
EXAMPLES = 5
"""How many words a note names before it only counts the rest."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one pass over a file found of the words asked for."""

    vectors: dict[str, Vector] = field(default_factory=dict)
    remarks: dict[str, dict[str, str]] = field(default_factory=dict)
    """What is odd about words: the remark, then each word it holds for and where it was seen."""
    notes: tuple[str, ...] = ()
    """What is odd about the file itself."""

    def remark(self, remark: str, word: str, where: str = "") -> None:
        """Keep what is odd about a word; the first place counts."""
        self.remarks.setdefault(remark, {}).setdefault(word, where)


@dataclass(frozen=True, slots=True)
class Source:
    """A place with vectors: how long they are, and a function that looks for words in it."""

    name: str
    files: tuple[Path, ...]
    """Those whose bytes determine the vectors."""
    dimension: int
    find: Callable[[Sequence[str]], Found]
    """Distinct words to what stands there about them, in one pass."""


class SourceVectors(WordVectors):
    """Word vectors that remember: a word is looked for once, the digest is made when asked for."""

    def __init__(self, source: Source, languages: tuple[str, ...] = (), licence: str = "") -> None:
        told = {"name": source.name, "dimension": source.dimension, "lookup": self._lookup}
        told |= {"languages": languages, "licence": licence}
        told |= {"_source": source, "_unchanged": Unchanged(source.files), "_lock": Lock()}
        told |= {"_known": {}, "_remarks": {}, "_notes": {}}
        self.__dict__.update(told)  # a WordVectors is frozen: its attributes cannot be set

    _source: Source
    _unchanged: Unchanged
    _lock: Lock
    _known: dict[str, Vector | None]
    """Every word looked for; None: not there."""
    _remarks: dict[str, dict[str, str]]
    _notes: dict[str, None]

    @cached_property
    def _digest(self) -> str:
        digest = digest_of(self._source.files)
        self._unchanged.check()
        return digest

    @property
    def digest(self) -> str:
        """SHA-256 of the file; of several, of their digests one after the other."""
        return self._digest

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found odd so far; it grows with the words looked for."""
        odd = (_said(remark, words) for remark, words in self._remarks.items())
        return (*self._notes, *odd)

    def _lookup(self, words: Iterable[str]) -> Mapping[str, Vector]:
        asked = list(dict.fromkeys(words))
        with self._lock:
            if new := [word for word in asked if word not in self._known]:
                self._look_for(new)
        found = ((word, self._known[word]) for word in asked)
        return {word: vector for word, vector in found if vector is not None}

    def _look_for(self, words: list[str]) -> None:
        """Look for words in one pass, and remember also those that are not there."""
        possible = [word for word in words if _can_be_written(word)]
        found = self._source.find(possible) if possible else Found()
        self._unchanged.check()
        for remark, odd in found.remarks.items():
            self._remarks.setdefault(remark, {}).update(odd)
        self._notes.update(dict.fromkeys(found.notes))
        self._known.update(dict.fromkeys(words) | found.vectors)


def vector(values: ArrayLike, where: str) -> Vector:
    """Values as a vector nobody can change; NaN and infinite ones are refused."""
    with np.errstate(over="ignore"):  # what is too large for 32 bits becomes infinite
        row = np.array(values, dtype=np.float32)
    if not np.isfinite(row).all():
        at = int(np.argmin(np.isfinite(row)))
        what = f"value {at + 1} of {row.size} is {row[at]}; expected finite numbers"
        raise TiltmeterError(f"{where}: {what}: take the word out, or fetch the file anew")
    row.setflags(write=False)
    return row


def _can_be_written(word: str) -> bool:
    """Whether a word can stand in a file at all: a lone surrogate cannot."""
    try:
        return bool(word.encode())
    except UnicodeEncodeError:
        return False


def _said(remark: str, words: Mapping[str, str]) -> str:
    shown = [f"{word!r}{f' ({at})' if at else ''}" for word, at in [*words.items()][:EXAMPLES]]
    more = f" and {len(words) - EXAMPLES:,} more" if len(words) > EXAMPLES else ""
    return f"{len(words):,} of the words asked for {remark}: {', '.join(shown)}{more}"
