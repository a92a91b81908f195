"""What is asked of a space: identity terms, a sentiment lexicon, ordinary words."""

from __future__ import annotations

from dataclasses import dataclass

NEGATIVE, POSITIVE = "negative", "positive"
POLARITIES = (NEGATIVE, POSITIVE)


@dataclass(frozen=True, slots=True)
class Identities:
    """A list of words for people that are compared with each other."""

    name: str
    title: str
    terms: tuple[str, ...]
    groups: tuple[str | None, ...] = ()
    """The group of each term; empty: the list has none."""
    beside_ordinary: bool = True
    """Whether the ordinary words are of its language."""


@dataclass(frozen=True, slots=True)
class Sentiment:
    """Words that are positive, and words that are negative."""

    name: str
    positive: tuple[str, ...]
    negative: tuple[str, ...]
