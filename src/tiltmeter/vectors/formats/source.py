"""What every reader of word vectors gives, and how it becomes `WordVectors`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors.encoder import WordVectors
from tiltmeter.vectors.formats.files import Unchanged, digest_of

Vector = NDArray[np.float32]
"""(dimension,)"""

BROKEN = "cannot be read, and count as missing"
REPEATED = "stand more than once, and the first of each was taken"
BUILT = "are not in the vocabulary and were built from their character n-grams"
TOLERATED, FEW = 0.05, 3
"""Refused is what has a larger share broken than this, and more than so many."""
LONGEST_VECTOR = 1 << 17
"""Values: no embedding has as many, and a file that promises more is damaged or a bomb."""
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

    def keep(self, word: str, values: ArrayLike, where: str) -> None:
        """Keep a word's vector; one with NaN or infinite values is broken."""
        row = vector(values)
        if np.isfinite(row).all():
            self.vectors[word] = row
            return
        at = int(np.argmin(np.isfinite(row)))
        self.remark(BROKEN, word, f"{where}: value {at + 1} of {row.size} is {row[at]}")

    def check(self, path: Path) -> None:
        """Raise where so many of the words found are broken that the file cannot be trusted."""
        broken = self.remarks.get(BROKEN, {}).keys() - self.vectors.keys()
        if too_many(len(broken), len(broken) + len(self.vectors)):
            what = f"is damaged: {said(BROKEN, self.remarks[BROKEN])}"
            raise TiltmeterError(f"{path}: {what}: correct the file, or fetch it anew")


@dataclass(frozen=True, slots=True)
class Source:
    """A place with vectors: how long they are, and a function that looks for words in it."""

    name: str
    files: tuple[Path, ...]
    """Those whose bytes determine the vectors."""
    dimension: int
    find: Callable[[Sequence[str]], Found]
    """Distinct words to what stands there about them, in one pass."""
    format: str
    """What the file is, in plain words."""
    languages: tuple[str, ...] = ()


class SourceVectors(WordVectors):
    """Word vectors that remember: a word is looked for once, the digest is made when asked for."""

    def __init__(
        self,
        source: Source,
        languages: tuple[str, ...] = (),
        licence: str = "",
        notes: tuple[str, ...] = (),
    ) -> None:
        told = {"name": source.name, "dimension": source.dimension, "lookup": self._lookup}
        told |= {
            "languages": languages or source.languages,
            "licence": licence,
            "format": source.format,
        }
        told |= {"_source": source, "_unchanged": Unchanged(source.files), "_lock": Lock()}
        told |= {"_known": {}, "_remarks": {}, "_notes": dict.fromkeys(notes)}
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
        if languages := self._source.languages:
            return hashlib.sha256(f"{digest}\n{languages}".encode()).hexdigest()
        return digest

    @property
    def digest(self) -> str:
        """SHA-256 of the file; of several, of their digests one after the other.

        Where a file holds words of many languages, also of the language they are read in.
        """
        return self._digest

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found odd so far; it grows with the words looked for."""
        return self.notes_on({word for words in self._remarks.values() for word in words})

    def notes_on(self, words: Container[str]) -> tuple[str, ...]:
        """What was found odd about the file, and about some of the words looked for."""
        each = {
            remark: {word: where for word, where in odd.items() if word in words}
            for remark, odd in self._remarks.items()
        }
        return (*self._notes, *(said(remark, odd) for remark, odd in each.items() if odd))

    def must_be_whole(self, words: Container[str]) -> None:
        """Raise where the vector of one of the words looked for is broken."""
        odd = {word: at for word, at in self._remarks.get(BROKEN, {}).items() if word in words}
        if odd:
            what = f"{said(BROKEN, odd)}: correct the file, or fetch it anew"
            raise TiltmeterError(f"{self._source.files[0]}: {what}")

    def built(self) -> Container[str]:
        """The words that are not in the file and were built from parts of words."""
        return self._remarks.get(BUILT, {})

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
        found.check(self._source.files[0])
        for remark, odd in found.remarks.items():
            self._remarks.setdefault(remark, {}).update(odd)
        self._notes.update(dict.fromkeys(found.notes))
        self._known.update(dict.fromkeys(words) | found.vectors)


def vector(values: ArrayLike) -> Vector:
    """Values as a vector nobody can change."""
    with np.errstate(over="ignore"):  # what is too large for 32 bits becomes infinite
        row = np.array(values, dtype=np.float32)
    row.setflags(write=False)
    return row


def too_many(broken: int, of: int) -> bool:
    """Whether more is broken than a file may have and still be used.

    >>> too_many(1, 1), too_many(20, 400), too_many(21, 400)
    (False, False, True)
    """
    return broken > FEW and broken > TOLERATED * of


def _can_be_written(word: str) -> bool:
    """Whether a word can stand in a file at all: a lone surrogate cannot."""
    try:
        return bool(word.encode())
    except UnicodeEncodeError:
        return False


def said(remark: str, words: Mapping[str, str]) -> str:
    """A remark on words, some of which it names.

    >>> said("stand twice", {"she": "again in line 3"})
    "1 of the words asked for stand twice: 'she' (again in line 3)"
    """
    shown = [f"{word!r}{f' ({at})' if at else ''}" for word, at in [*words.items()][:EXAMPLES]]
    more = f" and {len(words) - EXAMPLES:,} more" if len(words) > EXAMPLES else ""
    return f"{len(words):,} of the words asked for {remark}: {', '.join(shown)}{more}"
