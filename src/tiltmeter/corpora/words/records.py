"""What the words of a study of embeddings are: frozen records, as the files hold them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from tiltmeter.corpora.design import Provenance

NEGATIVE, POSITIVE = "negative", "positive"


@dataclass(frozen=True, slots=True)
class Term:
    """A word that speaks of people, the group it stands for, and its other spellings."""

    text: str
    group: str | None = None
    also: tuple[str, ...] = ()
    """Spellings to look for where an embedding does not have the first one."""


@dataclass(frozen=True, slots=True)
class TermList:
    """Identity terms that are compared with each other."""

    name: str
    title: str
    about: str
    language: str
    terms: tuple[Term, ...]
    provenance: Provenance
    edition: str

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of its terms, in the order they first appear; none where it has none."""
        return tuple(dict.fromkeys(term.group for term in self.terms if term.group is not None))

    @property
    def checksum(self) -> str:
        """SHA-256 of terms, groups and spellings: the same for the same list."""
        return _checksum([[term.text, term.group, *term.also] for term in self.terms])


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Positive and negative words, none of them on both sides."""

    name: str
    title: str
    language: str
    positive: tuple[str, ...] = field(repr=False)
    negative: tuple[str, ...] = field(repr=False)
    provenance: Provenance
    notes: tuple[str, ...] = ()
    """Which lexicon was taken and why, and what was left out of it."""

    @property
    def checksum(self) -> str:
        """SHA-256 of the words of both sides, whatever their order."""
        return _checksum([sorted(self.positive), sorted(self.negative)])


@dataclass(frozen=True, slots=True)
class WordTest:
    """Two sets of target words and two of attributes: Caliskan, Bryson & Narayanan (2017)."""

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
    provenance: Provenance
    published: float | None = None
    """The effect size d that the paper prints for GloVe."""


@dataclass(frozen=True, slots=True)
class Direction:
    """Words that span an identity direction, and words that should not lean along it."""

    name: str
    title: str
    first_name: str
    second_name: str
    pairs: tuple[tuple[str, str], ...]
    """Words that differ in the direction alone; none: it is the difference of the two means."""
    first: tuple[str, ...]
    second: tuple[str, ...]
    neutral: tuple[str, ...]
    provenance: Provenance


def _checksum(words: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(words, ensure_ascii=False).encode()).hexdigest()
