"""Words as a file or package gives them, sorted into the two sides of a lexicon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tiltmeter.corpora.design import Provenance
from tiltmeter.corpora.words.part import composed
from tiltmeter.corpora.words.records import NEGATIVE, POSITIVE, Lexicon
from tiltmeter.errors import CorpusError, Problem

FEWEST = 10
"""Words that each side must have."""
NAMED = 5


@dataclass(frozen=True, slots=True)
class Origin:
    """What a lexicon is called and where it comes from."""

    name: str
    title: str
    provenance: Provenance
    language: str = "en"


def make_lexicon(
    origin: Origin,
    positive: Iterable[str],
    negative: Iterable[str],
    notes: Sequence[str] = (),
    where: str = "",
) -> Lexicon:
    """The lexicon without what stands twice or on both sides; what was left out is in its notes.

    >>> words = [f"good{n}" for n in range(10)], [f"bad{n}" for n in range(10)]
    >>> lexicon = make_lexicon(Origin("my", "My own", Provenance()), *words)
    >>> len(lexicon.positive), lexicon.notes
    (10, ())
    """
    good, bad = list(map(composed, positive)), list(map(composed, negative))
    both = set(good) & set(bad)
    kept = [tuple(dict.fromkeys(w for w in side if w not in both)) for side in (good, bad)]
    for side, words in zip((POSITIVE, NEGATIVE), kept, strict=True):
        if len(words) < FEWEST:
            raise _too_few(origin, side, len(words), where)
    said = [*notes, *_left_out(good, bad, both), *_odd_words((*kept[0], *kept[1]))]
    return Lexicon(
        origin.name, origin.title, origin.language, kept[0], kept[1], origin.provenance, tuple(said)
    )


def _too_few(origin: Origin, side: str, found: int, where: str) -> CorpusError:
    words = f"{found or 'no'} {side} word{'' if found == 1 else 's'}"
    what = f"found {words}; expected at least {FEWEST} positive and {FEWEST} negative ones"
    return CorpusError("the lexicon cannot be used", [Problem(where or origin.name, what)])


def _left_out(good: list[str], bad: list[str], both: set[str]) -> list[str]:
    notes = []
    if both:
        notes.append(f"words on both sides, left out: {len(both):,} ({listed(both)})")
    twice = {w for side in (good, bad) for w in _repeated(side)} - both
    if twice:
        notes.append(
            f"words that stand more than once, kept once: {len(twice):,} ({listed(twice)})"
        )
    return notes


def _repeated(words: list[str]) -> set[str]:
    return {word for word, times in Counter(words).items() if times > 1}


def _odd_words(words: Sequence[str]) -> list[str]:
    notes = []
    if upper := [word for word in words if word != word.lower()]:
        notes.append(f"words with capital letters, kept as they are: {counted(upper)}")
    if phrases := [word for word in words if " " in word]:
        notes.append(f"phrases, which word vectors seldom hold: {counted(phrases)}")
    return notes


def counted(words: Sequence[str]) -> str:
    """How many words, and the first of them by name."""
    return f"{len(words):,} ({listed(words)})"


def listed(words: Iterable[str]) -> str:
    """The first words in alphabetical order, as a sentence names them.

    >>> listed(["b", "a"]), listed("gfedcba")
    ('a, b', 'a, b, c, d, e …')
    """
    ordered = sorted(words)
    return ", ".join(ordered[:NAMED]) + (" …" if len(ordered) > NAMED else "")
