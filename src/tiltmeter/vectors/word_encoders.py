"""Encoders of texts that are made of words: the mean of their vectors, or what lexicons say."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import MissingExtraError, TiltmeterError
from tiltmeter.lexicons import SENTICNET_POLARITY, nrc_affects, senticnet_concepts, vader_analyser
from tiltmeter.vectors.encoder import Encoder, Rows, WordVectors
from tiltmeter.vectors.formats.source import SourceVectors

# Letters, digits and underscores, and the accents and Arabic vowel signs that stand on them.
_WORD = re.compile(r"[\w\u0300-\u036f\u064b-\u065f\u0670]+")
MEAN_POOLING = "mean of the words' vectors; a word as spelled, else in lower case; none: zeros"
LEXICONS_SPEC = "lexicons"
LEXICON_POOLING = (
    "mean, lowest and highest value of the words found, and the share found; none: zeros"
)
AFFECTS = (
    *("anger", "anticipation", "disgust", "fear", "joy", "negative", "positive", "sadness"),
    *("surprise", "trust"),
)
Values = Mapping[str, NDArray[np.float32]]


def words_in(text: str, *, lower: bool = True) -> list[str]:
    """A text's words without punctuation, in lower case unless told otherwise.

    >>> words_in("The conversation with Ebony wasn't GREAT!")
    ['the', 'conversation', 'with', 'ebony', 'wasn', 't', 'great']
    """
    whole = unicodedata.normalize("NFC", text)
    return _WORD.findall(whole.lower() if lower else whole)


def mean_encoder(vectors: WordVectors, spec: str) -> Encoder:
    """The mean of a text's words' vectors (Câmara et al. 2022, §4.1).

    A word is looked for as it is spelled and then in lower case, since some vectors know only
    *Ebony* and others only *ebony*. A text without a known word is all zeros.
    """

    def encode(texts: Sequence[str]) -> Rows:
        cut = [words_in(text, lower=False) for text in texts]
        spelled = {word for words in cut for word in words}
        asked = spelled | {word.lower() for word in spelled}
        known = vectors.lookup(asked)
        if isinstance(vectors, SourceVectors):
            vectors.check_whole(asked)  # rows carry no remarks, so nothing may be left out
        rows = np.zeros((len(texts), vectors.dimension), np.float32)
        for row, words in zip(rows, cut, strict=True):
            found = [known.get(word, known.get(word.lower())) for word in words]
            held = [vector for vector in found if vector is not None]
            if held:
                row[:] = np.mean(held, axis=0)
        return rows

    return Encoder(
        vectors.name,
        vectors.dimension,
        hashlib.sha256(f"{vectors.digest}\n{MEAN_POOLING}".encode()).hexdigest(),
        encode,
        vectors.languages,
        vectors.licence,
        vectors.notes,
        {"spec": spec, "pooling": "mean of words"},
        kept=False,
    )


# ---------------------------------------------------------------- lexicons


@dataclass(frozen=True, slots=True)
class LexiconValues:
    """One lexicon: where it comes from, and how many values it has for a word."""

    distribution: str
    module: str
    width: int
    load: Callable[[], Values]


def lexicon_encoder(language: str | None) -> Encoder:
    """The lexicons there are for a language, side by side.

    Most of the 219 submissions that K&M 2018 audited drew on such lexicons (§4). Each gives a word
    one or several values; a text has, for each of them, the mean, the lowest and the highest over
    the words found, and the share of its words that were found.
    """
    if language not in LEXICONS:
        found = f"there are no lexicons for the language {language!r}"
        raise TiltmeterError(f"{found}; expected one of {', '.join(LEXICONS)}")
    used = LEXICONS[language]
    if any(find_spec(lexicon.module) is None for lexicon in used):
        raise MissingExtraError("a sentiment lexicon that these features need", "systems")
    named = ", ".join(f"{one.distribution} {version(one.distribution)}" for one in used)

    def encode(texts: Sequence[str]) -> Rows:
        cut = [words_in(text) for text in texts]
        return np.hstack([_lexicon_columns(lexicon, cut) for lexicon in used])

    return Encoder(
        f"{LEXICONS_SPEC} ({named})",
        sum(3 * lexicon.width + 1 for lexicon in used),
        hashlib.sha256(f"{language}\n{named}\n{LEXICON_POOLING}".encode()).hexdigest(),
        encode,
        (language,),
        settings={"spec": LEXICONS_SPEC, "pooling": LEXICON_POOLING},
        kept=False,
    )


def _lexicon_columns(lexicon: LexiconValues, cut: Sequence[Sequence[str]]) -> Rows:
    """One lexicon's numbers for every text, (texts, 3 · width + 1)."""
    known, width = lexicon.load(), lexicon.width
    rows = np.zeros((len(cut), 3 * width + 1), np.float32)
    for row, words in zip(rows, cut, strict=True):
        found = np.array([known[word] for word in words if word in known])
        if len(found):
            row[:width] = found.mean(axis=0)
            row[width : 2 * width] = found.min(axis=0)
            row[2 * width : 3 * width] = found.max(axis=0)
            row[-1] = len(found) / len(words)
    return rows


@cache
def _vader() -> Values:
    """VADER's mean ratings, −4 to 4."""
    ratings = vader_analyser().lexicon
    return {word: np.array([rating], np.float32) for word, rating in ratings.items()}


@cache
def _nrc() -> Values:
    """The NRC Emotion Lexicon: 1 for each of ten affects that a word goes with."""
    return {
        word: np.array([affect in affects for affect in AFFECTS], np.float32)
        for word, affects in nrc_affects().items()
    }


@cache
def _senticnet(language: str) -> Values:
    """SenticNet: four dimensions of affect, and polarity, −1 to 1; of single words."""
    polarity = SENTICNET_POLARITY[language]
    return {
        word: np.array([*values[:4], values[polarity]], np.float32)
        for word, values in senticnet_concepts(language).items()
        if "_" not in word
    }


_SENTICNETS = {
    language: LexiconValues("senticnet", "senticnet", 5, partial(_senticnet, language))
    for language in ("en", "es", "ar")
}
LEXICONS: dict[str, tuple[LexiconValues, ...]] = {
    "en": (
        LexiconValues("vaderSentiment", "vaderSentiment", 1, _vader),
        LexiconValues("NRCLex", "nrclex", len(AFFECTS), _nrc),
        _SENTICNETS["en"],
    ),
    "es": (_SENTICNETS["es"],),
    "ar": (_SENTICNETS["ar"],),
}
