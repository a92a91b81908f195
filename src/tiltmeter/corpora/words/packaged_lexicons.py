"""Lexicons that installed packages carry, each read from the package itself."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from tiltmeter.corpora.design import Provenance
from tiltmeter.corpora.words.records import Lexicon
from tiltmeter.corpora.words.sides import Origin, make_lexicon
from tiltmeter.errors import MissingExtraError

VADER_FLOOR = 1.0
"""VADER's raters used 1 for slightly positive; below it stand words such as amortize."""
SENTICNET_FLOOR = 0.5

Ratings = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Packaged:
    """A package that carries a lexicon, the extra that installs it, and how it is read."""

    distribution: str
    extra: str
    title: str
    source: str
    licence: str
    read: Callable[[], Ratings]
    floor: float = 0.0
    language: str = "en"


def _quietly(module: str) -> Any:  # noqa: ANN401
    """Import another package without what Python says of its old code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return import_module(module)


def _vader() -> Ratings:
    ratings: Ratings = (
        _quietly("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer().lexicon
    )
    return ratings


def _afinn() -> Ratings:
    ratings: Ratings = _quietly("afinn").Afinn(language="en")._dict
    return ratings


def _nrc() -> Ratings:
    lexicon: Mapping[str, list[str]] = _quietly("nrclex").NRCLex(None).__lexicon__
    return {
        word: float(("positive" in affects) - ("negative" in affects))
        for word, affects in lexicon.items()
        if "positive" in affects or "negative" in affects
    }


def _senticnet() -> Ratings:
    return _polarities(_quietly("senticnet.senticnet").SenticNet())


def _babel(language: str) -> Ratings:
    return _polarities(_quietly("senticnet.babelsenticnet").BabelSenticNet(language))


def _polarities(net: Any) -> Ratings:  # noqa: ANN401
    return {word: float(net.polarity_value(word)) for word in net.data}


_SENTICNET = "Cambria et al., SenticNet"
PACKAGED = {
    "vader": Packaged(
        "vaderSentiment", "", "VADER's lexicon", "Hutto & Gilbert 2014, VADER, ICWSM 2014", "MIT",
        _vader, VADER_FLOOR,
    ),
    "afinn": Packaged(
        "afinn", "afinn", "AFINN", "Nielsen 2011, A new ANEW", "GPL (the package)", _afinn,
    ),
    "nrc": Packaged(
        "NRCLex", "systems", "NRC emotion lexicon", "Mohammad & Turney 2013, EmoLex",
        "free for research; the package is MIT", _nrc,
    ),
    "senticnet": Packaged(
        "senticnet", "systems", "SenticNet", _SENTICNET, "MIT (the package)", _senticnet,
        SENTICNET_FLOOR,
    ),
    "senticnet-es": Packaged(
        "senticnet", "systems", "BabelSenticNet, Spanish", _SENTICNET, "MIT (the package)",
        lambda: _babel("es"), SENTICNET_FLOOR, "es",
    ),
    "senticnet-ar": Packaged(
        "senticnet", "systems", "BabelSenticNet, Arabic", _SENTICNET, "MIT (the package)",
        lambda: _babel("ar"), SENTICNET_FLOOR, "ar",
    ),
}  # fmt: skip


def packaged_lexicon(name: str, notes: tuple[str, ...] = ()) -> Lexicon:
    """The plain words of an installed package's lexicon whose rating is clear.

    >>> lexicon = packaged_lexicon("vader")
    >>> "good" in lexicon.positive, "awful" in lexicon.negative
    (True, True)
    """
    package = PACKAGED[name]
    try:
        release = f"{package.distribution} {version(package.distribution)}"
    except PackageNotFoundError:
        what = f"{package.distribution}, which carries the lexicon {name!r},"
        raise MissingExtraError(what, package.extra) from None
    ratings = package.read()
    plain = {word: rating for word, rating in ratings.items() if _is_plain(word, package.language)}
    clear = {
        word: rating for word, rating in plain.items() if rating and abs(rating) >= package.floor
    }
    provenance = Provenance(package.source, package.licence, "published; read from " + release)
    return make_lexicon(
        Origin(name, package.title, provenance, package.language),
        sorted(word for word, rating in clear.items() if rating > 0),
        sorted(word for word, rating in clear.items() if rating < 0),
        (*notes, *_left_out(package.floor, len(ratings) - len(plain), len(plain) - len(clear))),
    )


def _is_plain(word: str, language: str) -> bool:
    """A single word of letters, in lower case and, in English, without accents."""
    return word.isalpha() and word == word.lower() and (word.isascii() or language != "en")


def _left_out(floor: float, odd: int, unclear: int) -> list[str]:
    rated = f"rated within ±{floor:g}" if floor else "rated on neither side or on both"
    notes = {"emoticons, phrases and words with capitals or signs": odd, f"words {rated}": unclear}
    return [f"{what}, left out: {count:,}" for what, count in notes.items() if count]
