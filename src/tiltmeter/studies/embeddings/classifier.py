"""The classifier between a space and its RNSB: negative words told from positive ones.

The ridge is chosen by cross-validation, and the accuracy is that on words held out. Folds are by
word and stratified, and depend on the seed and the lexicon alone. Both polarities weigh the same,
in every fit and in the log-loss. Else the intercept takes up how many negative words the lexicon
lists for a positive one, every probability moves with it, and RNSB, which compares them with each
other, falls as the share of negative words rises. The published mode keeps the words' own weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.corpora import Lexicon
from tiltmeter.ranking import coarsen
from tiltmeter.stats.logistic import Fits, balanced_weights, fit_ridge, fit_weightings
from tiltmeter.studies.embeddings.space import Array, Space

NEGATIVE, POSITIVE = "negative", "positive"
REACH = 1.959964
"""Standard errors of a 95 % interval."""
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
BALANCED, AS_LISTED = "balanced", "as listed"
"""What positive and negative words weigh: the same together, or each word the same."""

CLASSIFIERS = {
    "embedding": pl.String, "lexicon": pl.String,
    **dict.fromkeys(("n_positive", "n_negative", "missing"), pl.Int64),
    "ridge": pl.Float64, "chosen_by": pl.String, "classes": pl.String,
    **dict.fromkeys(
        ("accuracy", "balanced", "balanced_low", "balanced_high", "auc", "log_loss"), pl.Float64
    ),
    "folds": pl.Int64, "reason": pl.String,
}  # fmt: skip
RIDGES = {
    "embedding": pl.String,
    **dict.fromkeys(("ridge", "log_loss", "se", "balanced"), pl.Float64),
    "chosen": pl.Boolean,
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """How well words that were not fitted on are told apart."""

    accuracy: float
    balanced: float
    """The mean of the two polarities' accuracies: 0.5 is guessing, whatever their sizes."""
    se: float
    auc: float
    log_loss: float
    """Both polarities of the weight that the fit gave them."""

    @property
    def interval(self) -> tuple[float, float]:
        """Of the balanced accuracy, 95 %."""
        return self.balanced - REACH * self.se, self.balanced + REACH * self.se


def held_out_by(odds: Array, negative: NDArray[np.bool_], weights: Array | None = None) -> HeldOut:
    """What log-odds of being negative are worth; the weights are the log-loss's.

    AUC is how often a negative word has the higher log-odds than a positive one; ties count half.
    """
    from scipy.stats import rankdata

    right = (odds > 0) == negative
    rates = [float(right[negative == side].mean()) for side in (True, False)]
    sizes = [np.count_nonzero(negative == side) for side in (True, False)]
    balanced = sum(rates) / 2
    above = rankdata(odds)[negative].sum() - sizes[0] * (sizes[0] + 1) / 2
    variance = sum(p * (1 - p) / n for p, n in zip(rates, sizes, strict=True)) / 4
    return HeldOut(
        float(right.mean()),
        balanced,
        float(np.sqrt(variance)),
        float(above / (sizes[0] * sizes[1])),
        float(np.average(log_losses(odds, negative), weights=weights)),
    )


def log_losses(odds: Array, negative: NDArray[np.bool_]) -> Array:
    """−log of the probability given to what each word is."""
    losses: Array = np.logaddexp(0.0, np.where(negative, -odds, odds))
    return losses


@dataclass(frozen=True, slots=True, eq=False)
class SpaceLexicon:
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


def lexicon_in(space: Space, words: Lexicon, without: frozenset[str]) -> SpaceLexicon:
    """The words of a lexicon that have a vector; terms among them, in any case, are left out."""
    every = [
        *((word, False) for word in words.positive),
        *((word, True) for word in words.negative),
    ]
    terms = {term.casefold() for term in without}
    kept = [
        (place, word, negative)
        for place, (word, negative) in enumerate(every)
        if word in space.places and word.casefold() not in terms
    ]
    held = tuple(word for _, word, _ in kept)
    return SpaceLexicon(
        held,
        space.rows(held),
        np.array([negative for *_, negative in kept], dtype=np.bool_),
        np.array([place for place, *_ in kept], dtype=np.int64),
        len(every),
    )


def too_few(lexicon: SpaceLexicon) -> str | None:
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


def cross_validated(lexicon: SpaceLexicon, seed: int, ridge: float | None = None) -> Classifier:
    """Fit with the ridge whose log-loss on held-out words is lowest, or with the one given."""
    negative, fold = lexicon.negative, stratified_folds(lexicon, seed)
    path = _ridge_path(lexicon, fold, ridges_tried(lexicon.x) if ridge is None else [ridge])
    path |= _ridge_path(lexicon, fold, [_lowest(path, negative)])
    tried = sorted(path, reverse=True)
    rows = []
    for one in tried:
        odds = path[one]
        by_fold = [_balanced_loss(odds[fold == nth], negative[fold == nth]) for nth in range(FOLDS)]
        se = float(np.std(by_fold, ddof=1) / np.sqrt(FOLDS))
        rows.append((one, _balanced_loss(odds, negative), se, held_out_by(odds, negative).balanced))
    table = np.array(rows)
    best, weights = tried[int(np.argmin(coarsen(table[:, 1])))], balanced_weights(negative)
    fit = fit_ridge(lexicon.x, negative, best, weights)
    return Classifier(fit, best, held_out_by(path[best], negative, weights), table, FOLDS)


def stratified_folds(lexicon: SpaceLexicon, seed: int) -> NDArray[np.int64]:
    """The fold of each word; each polarity is dealt out evenly."""
    rng = np.random.default_rng([seed, 1])
    fold = np.empty(len(lexicon.words), np.int64)
    for side in (False, True):
        members = np.flatnonzero(lexicon.negative == side)
        fold[rng.permutation(members)] = np.arange(len(members)) % FOLDS
    return fold


def ridges_tried(x: Array) -> Array:
    """Ridges from strong to weak for vectors of this size and number."""
    tried: Array = STRENGTHS * np.sqrt(len(x)) * float(x.var(axis=0).mean())
    return tried


def _balanced_loss(odds: Array, negative: NDArray[np.bool_]) -> float:
    """The log-loss, both polarities of the same weight."""
    return float(np.average(log_losses(odds, negative), weights=balanced_weights(negative)))


def _lowest(path: Mapping[float, Array], negative: NDArray[np.bool_]) -> float:
    """The ridge at the bottom of a parabola through the lowest loss and its neighbours.

    Two ridges of the grid may do equally well and give another RNSB; between them nothing jumps.
    """
    tried = sorted(path, reverse=True)
    losses = [_balanced_loss(path[one], negative) for one in tried]
    at = int(np.argmin(coarsen(np.array(losses))))
    if not 0 < at < len(tried) - 1:
        return tried[at]
    before, here, after = losses[at - 1 : at + 2]
    moved = (before - after) / (2 * (before - 2 * here + after)) if before + after > 2 * here else 0
    step = np.log(tried[at + 1] / tried[at])
    return float(tried[at] * np.exp(moved * step))


def _ridge_path(
    lexicon: SpaceLexicon, fold: NDArray[np.int64], ridges: Iterable[float]
) -> dict[float, Array]:
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


def as_published(lexicon: SpaceLexicon, seed: int) -> Classifier:
    """The authors' notebook: C = 1, fitted on 90 % of the words, a seeded split."""
    order = np.random.RandomState(seed).permutation(len(lexicon.words))  # scikit-learn's split
    held = int(np.ceil(len(order) * (1 - PUBLISHED_SPLIT)))
    fitted = order[held:]
    fit = fit_ridge(lexicon.x[fitted], lexicon.negative[fitted], PUBLISHED_RIDGE)
    odds = fit.log_odds(lexicon.x[order[:held]])[:, 0]
    worth = held_out_by(odds, lexicon.negative[order[:held]])
    tried = np.array([[PUBLISHED_RIDGE, worth.log_loss, np.nan, worth.balanced]])
    return Classifier(fit, PUBLISHED_RIDGE, worth, tried, 1)


def classifier_row(
    embedding: str,
    lexicon_name: str,
    lexicon: SpaceLexicon,
    fitted: Classifier | None,
    chosen_by: str,
    classes: str,
    reason: str | None,
) -> pl.DataFrame:
    """What a classifier learned from and how well it tells words held out apart."""
    missing = lexicon.size - len(lexicon.words)
    head = (embedding, lexicon_name, *lexicon.counts, missing)
    if fitted is None:
        row: tuple[object, ...] = (*head, *(None,) * 10, reason)
    else:
        seen = fitted.held_out
        worth = (seen.accuracy, seen.balanced, *seen.interval, seen.auc, seen.log_loss)
        row = (*head, fitted.ridge, chosen_by, classes, *worth, fitted.folds, reason)
    return pl.DataFrame([row], CLASSIFIERS, orient="row")


def ridge_rows(embedding: str, fitted: Classifier | None) -> pl.DataFrame:
    """Every ridge tried, and which was chosen."""
    rows = [] if fitted is None else [
        (embedding, *(None if np.isnan(one) else float(one) for one in row),
         bool(row[0] == fitted.ridge))
        for row in fitted.tried
    ]  # fmt: skip
    return pl.DataFrame(rows, RIDGES, orient="row")
