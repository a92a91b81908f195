"""Which emotion words are positive and which negative."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tiltmeter.corpora.catalogue import load_corpus
from tiltmeter.errors import Problem

POSITIVE, NEGATIVE = "positive", "negative"
EMOTIONS = {"joy": POSITIVE, "anger": NEGATIVE, "fear": NEGATIVE, "sadness": NEGATIVE}
"""The emotions of the Equity Evaluation Corpus."""
POLARITIES = {
    **dict.fromkeys((POSITIVE, "pos", "1", "1.0", "+"), POSITIVE),
    **dict.fromkeys((NEGATIVE, "neg", "0", "0.0", "-", "−"), NEGATIVE),
}
"""What may stand for a polarity where no word is given."""


NOT_SAID = "not said"
"""Stands for the emotion words of a file that has no column for them."""


def plain(word: str) -> str:
    """A word as it is compared: without case and outer blanks."""
    return " ".join(word.split()).casefold()


def polarity_of_words(positive: Iterable[str], negative: Iterable[str]) -> dict[str, str]:
    """The polarity by plain word: the EEC's words and emotions, then what the user says."""
    design = load_corpus("eec").design
    known = {
        plain(form): EMOTIONS[word.emotion]
        for words in (design.words.values() if design else ())
        for word in words
        for form in (word.lemma, *word.forms.values())
    }
    own = {**dict.fromkeys(map(plain, positive), POSITIVE)}
    own |= dict.fromkeys(map(plain, negative), NEGATIVE)
    return {**known, **EMOTIONS, **POLARITIES, **own}


def word_of(text: str, polarity: Mapping[str, str]) -> str:
    """The plain word; of 1, pos and the like the polarity that it stands for, as the user says.

    >>> word_of("Grim", {}), word_of("1", POLARITIES), word_of("1", {"1": NEGATIVE})
    ('grim', 'positive', 'negative')
    """
    word = plain(text)
    return polarity[word] if word in POLARITIES else word


def against_custom(positive: Iterable[str], negative: Iterable[str]) -> list[str]:
    """Notes on what the user gives another polarity than it usually stands for."""
    given = {plain(word): POSITIVE for word in positive}
    given |= {plain(word): NEGATIVE for word in negative}
    return [
        f"{word!r} counts as {kind}, as --{kind} says; without it, it would be {POLARITIES[word]}"
        for word, kind in given.items()
        if POLARITIES.get(word, kind) != kind
    ]


def both_ways(positive: Sequence[str], negative: Sequence[str]) -> list[Problem]:
    """Words that were given as positive and as negative."""
    twice = sorted(set(map(plain, positive)) & set(map(plain, negative)))
    what = "was given as positive and as negative; give it once, with --positive or --negative"
    return [Problem("", f"the word {word!r} {what}") for word in twice]


def unknown_words(places: Mapping[str, str]) -> list[Problem]:
    """One problem for all words of unknown polarity, given where each stands first."""
    if not places:
        return []
    words = ", ".join(f"{word!r} ({where})" for word, where in places.items())
    first = next(iter(places))
    how = f"--positive {first!r} or --negative {first!r}"
    what = f"found emotion words that may be positive or negative: {words}"
    expected = "expected a word or emotion of the Equity Evaluation Corpus, positive or negative"
    return [Problem("", f"{what}; {expected}; say which: {how}")]
