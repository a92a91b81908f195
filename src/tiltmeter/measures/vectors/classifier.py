"""The classifier between a space and its RNSB: negative words told from positive ones.

The ridge is chosen by cross-validation, and the accuracy told is that on words held out. Folds are
by word and stratified, and depend on the seed and the lexicon alone.

Both polarities weigh the same, in every fit and in the log-loss. Else the intercept takes up how
many negative words the lexicon lists for a positive one, every probability moves with it, and RNSB,
which compares them with each other, falls as the share of negative words rises. The published mode
keeps the words' own weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.stats.logistic import (
    Fits,
    balanced_weights,
    fit_ridge,
    fit_weightings,
)
from tiltmeter.measures.vectors.held_out import HeldOut, held_out_by, log_losses
from tiltmeter.measures.vectors.space import Space
from tiltmeter.measures.vectors.words_given import Sentiment

Array = NDArray[np.float64]

FOLDS = 10
STRENGTHS = 10.0 ** np.arange(2.0, -3.5, -0.5)
"""Ridges tried, strong to weak, as multiples of the mean variance of a dimension times √n."""
WORSE = 2
"""Ridges in a row that do worse before the search ends."""
FEWEST = 50
"""Words of each polarity below which no classifier is fitted."""
FLOOR = 0.6
"""Balanced accuracy on held-out words below which an RNSB would be of noise."""
CLEARLY = 3.0
"""Standard errors that it must stand above guessing, as the ridge was chosen to do well."""
PUBLISHED_RIDGE, PUBLISHED_SPLIT = 1.0, 0.9
"""scikit-learn's defaults and the share of words fitted on, in the authors' notebook."""


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """The words of a lexicon that a space holds."""

    words: tuple[str, ...]
    x: Array
    """(words, dimension)"""
    negative: NDArray[np.bool_]
    places: NDArray[np.int64]
    """Where each word stands among all words of the lexicon."""
    size: int
    """Words of the lexicon, held or not."""

    @property
    def counts(self) -> tuple[int, int]:
        """Positive and negative words."""
        many = int(np.count_nonzero(self.negative))
        return len(self.words) - many, many


@dataclass(frozen=True, slots=True, eq=False)
class Classifier:
    """A fit, how its ridge was chosen, and what it is worth."""

    fit: Fits
    ridge: float
    held_out: HeldOut
    tried: Array
    """(ridges, 4): ridge, log-loss, its standard error over folds, balanced accuracy."""
    folds: int


def lexicon_in(space: Space, sentiment: Sentiment, without: frozenset[str]) -> Lexicon:
    """The words of a lexicon that have a vector; terms among them, in any case, are left out."""
    told = [(word, False) for word in sentiment.positive]
    told += [(word, True) for word in sentiment.negative]
    terms = {term.casefold() for term in without}
    kept = [
        (place, word, negative)
        for place, (word, negative) in enumerate(told)
        if word in space.places and word.casefold() not in terms
    ]
    words = tuple(word for _, word, _ in kept)
    return Lexicon(
        words,
        space.rows(words),
        np.array([negative for _, _, negative in kept], dtype=np.bool_),
        np.array([place for place, _, _ in kept], dtype=np.int64),
        len(told),
    )


def too_few(lexicon: Lexicon) -> str | None:
    """Why no classifier can be fitted; None where one can."""
    positive, negative = lexicon.counts
    if min(positive, negative) >= FEWEST:
        alike = not np.ptp(lexicon.x, axis=0).any()
        return "all words of the lexicon have the same vector" if alike else None
    found = f"it holds {positive:,} positive and {negative:,} negative words of the lexicon"
    return f"{found}; at least {FEWEST} of each are needed to tell them apart"


def guesses(held_out: HeldOut) -> str | None:
    """Why a classifier is refused; None where it can tell good from bad."""
    if held_out.balanced >= FLOOR and held_out.balanced - CLEARLY * held_out.se > 0.5:
        return None
    right, floor = f"{100 * held_out.balanced:.0f} %", f"{100 * FLOOR:.0f} %"
    found = f"on words held out it tells negative from positive in {right} of cases"
    return f"{found} (50 % is guessing); an RNSB needs {floor}, clearly above guessing"


def cross_validated(lexicon: Lexicon, seed: int, ridge: float | None = None) -> Classifier:
    """Fit with the ridge whose log-loss on held-out words is lowest, or with the one given."""
    fold = _folds(lexicon, seed)
    path = _path(lexicon, fold, ridges_tried(lexicon.x) if ridge is None else [ridge])
    path |= _path(lexicon, fold, [_lowest(path, lexicon.negative)])
    tried = sorted(path, reverse=True)
    rows = np.array([_told(one, path[one], lexicon.negative, fold) for one in tried])
    best, weights = tried[int(np.argmin(rows[:, 1]))], balanced_weights(lexicon.negative)
    fit = fit_ridge(lexicon.x, lexicon.negative, best, weights)
    return Classifier(fit, best, held_out_by(path[best], lexicon.negative, weights), rows, FOLDS)


def _balanced_loss(odds: Array, negative: NDArray[np.bool_]) -> float:
    """The log-loss, both polarities of the same weight."""
    return float(np.average(log_losses(odds, negative), weights=balanced_weights(negative)))


def _told(
    ridge: float, odds: Array, negative: NDArray[np.bool_], fold: NDArray[np.int64]
) -> tuple[float, float, float, float]:
    """A ridge, its log-loss, the standard error of that over folds, and the balanced accuracy."""
    folds = (fold == one for one in range(FOLDS))
    by_fold = np.array([_balanced_loss(odds[one], negative[one]) for one in folds])
    spread = float(by_fold.std(ddof=1) / np.sqrt(FOLDS))
    return ridge, _balanced_loss(odds, negative), spread, held_out_by(odds, negative).balanced


def _lowest(path: Mapping[float, Array], negative: NDArray[np.bool_]) -> float:
    """The ridge at the bottom of a parabola through the lowest loss and its neighbours.

    Two ridges of the grid may do equally well and give another RNSB; between them nothing jumps.
    """
    tried = sorted(path, reverse=True)
    losses = [_balanced_loss(path[one], negative) for one in tried]
    at = int(np.argmin(losses))
    if not 0 < at < len(tried) - 1:
        return tried[at]
    before, here, after = losses[at - 1 : at + 2]
    moved = (before - after) / (2 * (before - 2 * here + after)) if before + after > 2 * here else 0
    step = np.log(tried[at + 1] / tried[at])
    return float(tried[at] * np.exp(moved * step))


def _path(lexicon: Lexicon, fold: NDArray[np.int64], ridges: Iterable[float]) -> dict[float, Array]:
    """Log-odds of each word by the fit that did not see it, for ridges from strong to weak.

    Each ridge starts where the last one ended, and none weaker is tried once two have done worse.
    """
    weights = (fold[:, None] != np.arange(FOLDS)).astype(np.float64)
    odds: dict[float, Array] = {}
    losses: list[float] = []
    fits = None
    for ridge in map(float, ridges):
        fits = fit_weightings(lexicon.x, lexicon.negative, ridge, weights, fits, balanced=True)
        odds[ridge] = np.take_along_axis(fits.log_odds(lexicon.x), fold[:, None], axis=1)[:, 0]
        losses.append(_balanced_loss(odds[ridge], lexicon.negative))
        if len(losses) > WORSE and min(losses[-WORSE:]) > min(losses[:-WORSE]):
            break
    return odds


def as_published(lexicon: Lexicon, seed: int) -> Classifier:
    """The authors' notebook: C = 1, fitted on 90 % of the words, a seeded split."""
    order = np.random.RandomState(seed).permutation(len(lexicon.words))  # scikit-learn's split
    held = int(np.ceil(len(order) * (1 - PUBLISHED_SPLIT)))
    fitted = order[held:]
    fit = fit_ridge(lexicon.x[fitted], lexicon.negative[fitted], PUBLISHED_RIDGE)
    odds = fit.log_odds(lexicon.x[order[:held]])[:, 0]
    told = held_out_by(odds, lexicon.negative[order[:held]])
    tried = np.array([[PUBLISHED_RIDGE, told.log_loss, np.nan, told.balanced]])
    return Classifier(fit, PUBLISHED_RIDGE, told, tried, 1)


def ridges_tried(x: Array) -> Array:
    """Ridges from strong to weak for vectors of this size and number."""
    tried: Array = STRENGTHS * np.sqrt(len(x)) * float(x.var(axis=0).mean())
    return tried


def _folds(lexicon: Lexicon, seed: int) -> NDArray[np.int64]:
    """The fold of each word; each polarity is dealt out evenly."""
    rng = np.random.default_rng([seed, 1])
    fold = np.empty(len(lexicon.words), np.int64)
    for side in (False, True):
        members = np.flatnonzero(lexicon.negative == side)
        fold[rng.permutation(members)] = np.arange(len(members)) % FOLDS
    return fold
