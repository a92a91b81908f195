"""`sentiment-spanish`: the naive Bayes classifier of the package sentiment-analysis-spanish."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any

from tiltmeter.systems.installed import old_code_unremarked, require, versions
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import UNIT, Card, Pace, System

NAME = "sentiment-spanish"


def sentiment_spanish(_target: str, options: Options) -> System:
    """The probability that a Spanish review is a positive one."""
    listing = require(NAME)
    card = Card(
        NAME,
        options.task_among(NAME, listing.tasks),
        UNIT,
        listing.languages,
        versions("sentiment-analysis-spanish"),
        listing.licence,
        {"scikit-learn": versions("scikit-learn")},
    )
    # Reading the model takes seconds and scoring a corpus less than one: not worth more processes.
    return System(card, _answer, Pace(batch=1024))


def _answer(texts: Sequence[str]) -> list[float]:
    """The package's own `sentiment`, for many texts in one call."""
    if not texts:
        return []
    counts = _model().vectorizer.transform(list(texts))
    positive: list[float] = _model().classifier.predict_proba(counts)[:, 1].tolist()
    return positive


@cache
def _model() -> Any:  # noqa: ANN401 - the package has no types
    with old_code_unremarked(), warnings.catch_warnings():
        from sklearn.exceptions import InconsistentVersionWarning

        # The package unpickles the two scikit-learn 0.23 models it ships: its own files, as much
        # its code as its modules are, and never a user's. Its answers under the scikit-learn that
        # is installed are held by a test, so the warning tells a user nothing.
        warnings.simplefilter("ignore", InconsistentVersionWarning)
        from sentiment_analysis_spanish.sentiment_analysis import SentimentAnalysisSpanish

        return SentimentAnalysisSpanish()
