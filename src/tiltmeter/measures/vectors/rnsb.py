"""RNSB of spaces: how unevenly negative sentiment falls on identity terms.

Sweeney & Najafian (2019): a classifier that tells negative from positive words by their vectors is
asked for the probability that each identity term is negative; the probabilities, normalised, are
compared with even ones (see `divergence`). Corrected, positive and negative words weigh the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.stats.logistic import Fits, sigmoid
from tiltmeter.measures.stats.threads import one_thread
from tiltmeter.measures.vectors.classifier import (
    Classifier,
    Lexicon,
    as_published,
    cross_validated,
    guesses,
    lexicon_in,
    too_few,
)
from tiltmeter.measures.vectors.classifier_rows import (
    AS_LISTED,
    BALANCED,
    classifier_row,
    ridge_rows,
)
from tiltmeter.measures.vectors.divergence import rnsb
from tiltmeter.measures.vectors.ordinary import by_chance
from tiltmeter.measures.vectors.plane import PLANE, plane_of
from tiltmeter.measures.vectors.resampled import drawn_weights, interval, refitted
from tiltmeter.measures.vectors.space import Space
from tiltmeter.measures.vectors.term_rows import (
    CORRELATIONS,
    GROUPS,
    TERMS,
    Told,
    correlation_rows,
    group_rows,
    term_rows,
)
from tiltmeter.measures.vectors.words_given import NEGATIVE, Identities, Sentiment

Array = NDArray[np.float64]

PUBLISHED, CORRECTED = "published", "corrected"
COVERAGE, RESAMPLES = 0.7, 500
RNSB = {
    "embedding": pl.String, "list": pl.String, "title": pl.String,
    **dict.fromkeys(
        ("rnsb", "low", "high", "bias", "even_low", "even_high", "by_chance", "p"), pl.Float64
    ),
    "n_terms": pl.Int64, "n_found": pl.Int64, "coverage": pl.Float64,
    "most": pl.String, "least": pl.String, "reason": pl.String,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RnsbManner:
    """How RNSB is made."""

    mode: str = CORRECTED
    polarity: str = NEGATIVE
    coverage: float = COVERAGE
    """The share of a list's terms that must be there."""
    resamples: int = RESAMPLES
    seed: int = 0
    ridge: float | None = None
    """Instead of the one that cross-validation chooses."""


@dataclass(frozen=True, slots=True, eq=False)
class RnsbStudy:
    """What one space tells of its lists."""

    classifiers: pl.DataFrame
    ridges: pl.DataFrame
    rnsb: pl.DataFrame
    terms: pl.DataFrame
    groups: pl.DataFrame
    correlations: pl.DataFrame
    plane: pl.DataFrame
    fit: Fits | None = None
    """The classifier; None where there is none, or none that can tell good from bad."""
    told: Mapping[str, Told] = field(default_factory=dict)
    """The lists that have a number."""

    def log_odds(self, vectors: Array) -> Array:
        """Of being negative, by the classifier."""
        if self.fit is None:
            return np.full(len(vectors), np.nan)
        return self.fit.log_odds(vectors)[:, 0]


def rnsb_study(
    space: Space,
    lists: Sequence[Identities],
    sentiment: Sentiment,
    ordinary: Sequence[str] = (),
    manner: RnsbManner | None = None,
    found_as: Mapping[str, str] | None = None,
) -> RnsbStudy:
    """RNSB of every list in a space, with what it rests on.

    A list is refused, with the reason, where too many of its terms lack or where the classifier
    cannot tell positive from negative words.
    """
    with one_thread():
        return _Study(space, sentiment, ordinary, manner or RnsbManner(), found_as or {}).of(lists)


@dataclass(slots=True)
class _Study:
    """One space, looked at list by list."""

    space: Space
    sentiment: Sentiment
    ordinary: Sequence[str]
    manner: RnsbManner
    found_as: Mapping[str, str]

    @property
    def published(self) -> bool:
        return self.manner.mode == PUBLISHED

    def of(self, lists: Sequence[Identities]) -> RnsbStudy:
        named = [term for one in lists for term in one.terms]
        terms = frozenset([*named, *(self.found_as.get(term, term) for term in named)])
        lexicon = lexicon_in(self.space, self.sentiment, frozenset() if self.published else terms)
        reason = too_few(lexicon)
        fitted = None if reason else self._fitted(lexicon)
        if fitted is not None and reason is None:
            reason = guesses(fitted.held_out)
        usable = fitted if reason is None else None
        draws = None if usable is None else self._refitted(lexicon, usable)
        told = {one.name: self._told(one, usable, draws) for one in lists}
        refused = {one.name: reason or self._uncovered(one, told[one.name]) for one in lists}
        fine = {name: told[name] for name, why in refused.items() if why is None}
        seed, several = self.manner.seed, fine.values()
        return RnsbStudy(
            classifier_row(
                self.space.name,
                self.sentiment.name,
                lexicon,
                fitted,
                self._chosen_by,
                AS_LISTED if self.published else BALANCED,
                reason,
            ),
            ridge_rows(self.space.name, fitted),
            _stacked(RNSB, (self._row(told[one.name], refused[one.name], usable) for one in lists)),
            _stacked(TERMS, (term_rows(one, self.found_as) for one in told.values())),
            _stacked(GROUPS, (group_rows(one, seed) for one in several)),
            _stacked(
                CORRELATIONS,
                (correlation_rows(one, published=self.published) for one in several),
            ),
            self._planes(lexicon, lists),
            None if usable is None else usable.fit,
            fine,
        )

    def _fitted(self, lexicon: Lexicon) -> Classifier:
        if self.published:
            return as_published(lexicon, self.manner.seed)
        return cross_validated(lexicon, self.manner.seed, self.manner.ridge)

    def _refitted(self, lexicon: Lexicon, classifier: Classifier) -> Fits | None:
        """The classifier of every resample; none in published mode, which has no intervals."""
        if self.published or not self.manner.resamples:
            return None
        sizes = len(self.sentiment.positive), len(self.sentiment.negative)
        weights = drawn_weights(*sizes, self.manner.resamples, self.manner.seed)
        return refitted(lexicon, classifier.ridge, weights)

    def _told(self, one: Identities, fitted: Classifier | None, draws: Fits | None) -> Told:
        """The list's log-odds."""
        held = self.space.held(one.terms)
        if fitted is None:
            unknown = np.full(len(held), np.nan)
            return Told(self.space.name, one, held, unknown, unknown[:, None][:, :0])
        rows, sign = self.space.rows(held), 1.0 if self.manner.polarity == NEGATIVE else -1.0
        odds = sign * fitted.fit.log_odds(rows)[:, 0]
        again = np.empty((len(held), 0)) if draws is None else sign * draws.log_odds(rows)
        return Told(self.space.name, one, held, odds, again)

    def _uncovered(self, one: Identities, told: Told) -> str | None:
        """Why a list is refused for what lacks; None where enough is there."""
        many, held = len(one.terms), len(told.held)
        if held >= 2 and held / many >= self.manner.coverage:
            return None
        missing = [term for term in one.terms if term not in told.held]
        named = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if missing[5:] else "")
        need = f"at least {max(2, int(np.ceil(self.manner.coverage * many)))} are needed"
        return f"{held} of {many} terms are there ({need}); missing: {named}"

    def _row(self, told: Told, reason: str | None, fitted: Classifier | None) -> pl.DataFrame:
        one, held = told.identities, self.space.held(told.identities.terms)
        found = (len(one.terms), len(held), len(held) / len(one.terms))
        names = (self.space.name, one.name, one.title)
        numbers: tuple[object, ...] = (None,) * 8
        ends: tuple[str | None, str | None] = (None, None)
        if reason is None and fitted is not None:
            numbers, order = self._numbers(told, fitted), np.argsort(told.odds, kind="stable")
            ends = told.held[order[-1]], told.held[order[0]]
        return pl.DataFrame([(*names, *numbers, *found, *ends, reason)], RNSB, orient="row")

    def _numbers(self, told: Told, fitted: Classifier) -> tuple[object, ...]:
        value = rnsb(told.probabilities)
        beside = self._ordinary(fitted)[: None if told.identities.beside_ordinary else 0]
        chance = by_chance(told.probabilities, beside, self.manner.seed)
        spread: tuple[float, float, float] = (np.nan,) * 3
        if told.draws.shape[1]:
            draws = rnsb(sigmoid(told.draws))
            low, high = interval(value, draws)
            spread = max(0.0, float(low)), float(high), float(draws.mean() - value)
        told_of = (*spread, chance.low, chance.high, chance.middle, chance.p)
        return (float(value), *(None if np.isnan(number) else number for number in told_of))

    def _ordinary(self, fitted: Classifier) -> Array:
        """The probability of each ordinary word; none in published mode."""
        held = () if self.published else self.space.held(self.ordinary)
        odds = fitted.fit.log_odds(self.space.rows(held))[:, 0] if held else np.empty(0)
        return sigmoid(odds if self.manner.polarity == NEGATIVE else -odds)

    @property
    def _chosen_by(self) -> str:
        if self.published:
            return "the paper's"
        return "cross-validation" if self.manner.ridge is None else "given"

    def _planes(self, lexicon: Lexicon, lists: Sequence[Identities]) -> pl.DataFrame:
        """The map of each list that has terms in the space."""
        maps = [
            plane_of(self.space, lexicon, one.name, held, self.manner.seed)
            for one in lists
            if (held := self.space.held(one.terms)) and len(lexicon.words) + len(held) > 2
        ]
        return _stacked(PLANE, maps)


def _stacked(schema: Mapping[str, Any], frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat([pl.DataFrame(schema=schema), *frames])
