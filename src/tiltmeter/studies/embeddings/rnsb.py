"""RNSB of spaces: how unevenly negative sentiment falls on identity terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.stats.logistic import Fits, sigmoid
from tiltmeter.stats.moments import one_thread
from tiltmeter.stats.multiplicity import corrected_p
from tiltmeter.studies.embeddings.classifier import (
    AS_LISTED,
    BALANCED,
    NEGATIVE,
    Classifier,
    Identities,
    Sentiment,
    Space,
    SpaceLexicon,
    as_published,
    classifier_row,
    cross_validated,
    guesses,
    lexicon_in,
    ridge_rows,
    too_few,
)
from tiltmeter.studies.embeddings.terms import (
    CORRELATIONS,
    GROUPS,
    PLANE,
    TERMS,
    TermOdds,
    correlation_rows,
    drawn_weights,
    group_rows,
    interval,
    plane_of,
    refitted,
    rnsb,
    term_rows,
)

# ---- what ordinary words get: the RNSB of as many everyday words, drawn by chance
# No set of words is perfectly even. Whether words for people are less even than tables and
# windows is what a reader wants to know of an RNSB. The band is of draws from the ordinary words
# alone; p is of draws from terms and ordinary words together, as it would be chance which of them
# are terms: a permutation test. Draws from the ordinary words alone would reject true nulls of
# forty terms in 10 % of cases and not in 5 (benchmarks/simulate_rnsb.py).

Array = NDArray[np.float64]

DRAWS = 10_000
ROOM = 2
"""Ordinary words must be this many times as many as the terms, or draws would be much alike."""


@dataclass(frozen=True, slots=True)
class ByChance:
    """The RNSB of ordinary words; NaN where too few of them are there."""

    low: float
    middle: float
    high: float
    p: float
    """The share of draws from all words at least as uneven as the terms."""


NOT_KNOWN = ByChance(float("nan"), float("nan"), float("nan"), float("nan"))


def by_chance(terms: Array, ordinary: Array, seed: int) -> ByChance:
    """Beside terms with these probabilities, what ordinary words with those get."""
    if len(ordinary) < ROOM * len(terms):
        return NOT_KNOWN
    band = np.quantile(_drawn(ordinary, len(terms), [seed, 3]), [0.025, 0.5, 0.975])
    found = float(rnsb(terms))
    everyone = _drawn(np.concatenate([terms, ordinary]), len(terms), [seed, 8])
    more = int(np.count_nonzero(everyone >= found * (1 - 1e-12)))
    low, middle, high = band.tolist()
    return ByChance(low, middle, high, (1 + more) / (1 + DRAWS))


def _drawn(probabilities: Array, size: int, seed: list[int]) -> Array:
    """RNSB of each draw of so many words, without replacement; their order does not matter."""
    rng = np.random.default_rng([*seed, size])
    ordered = np.sort(probabilities)
    every = np.tile(np.arange(len(ordered), dtype=np.uint16), (DRAWS, 1))  # small: 10,000 times
    places = rng.permuted(every, axis=1, out=every)[:, :size]
    return rnsb(ordered[places].T)


# ---- RNSB of spaces: how unevenly negative sentiment falls on identity terms
# Sweeney & Najafian (2019): a classifier that tells negative from positive words by their vectors
# is asked for the probability that each identity term is negative; the probabilities, normalised,
# are compared with even ones (see `divergence`). Corrected, positive and negative words weigh the
# same.

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
class RnsbConfig:
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
    told: Mapping[str, TermOdds] = field(default_factory=dict)
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
    manner: RnsbConfig | None = None,
    found_as: Mapping[str, str] | None = None,
) -> RnsbStudy:
    """RNSB of every list in a space, with what it rests on.

    A list is refused, with the reason, where too many of its terms lack or where the classifier
    cannot tell positive from negative words.
    """
    with one_thread():
        return _Study(space, sentiment, ordinary, manner or RnsbConfig(), found_as or {}).of(lists)


@dataclass(slots=True)
class _Study:
    """One space, looked at list by list."""

    space: Space
    sentiment: Sentiment
    ordinary: Sequence[str]
    manner: RnsbConfig
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

    def _fitted(self, lexicon: SpaceLexicon) -> Classifier:
        if self.published:
            return as_published(lexicon, self.manner.seed)
        return cross_validated(lexicon, self.manner.seed, self.manner.ridge)

    def _refitted(self, lexicon: SpaceLexicon, classifier: Classifier) -> Fits | None:
        """The classifier of every resample; none in published mode, which has no intervals."""
        if self.published or not self.manner.resamples:
            return None
        sizes = len(self.sentiment.positive), len(self.sentiment.negative)
        weights = drawn_weights(*sizes, self.manner.resamples, self.manner.seed)
        return refitted(lexicon, classifier.ridge, weights)

    def _told(self, one: Identities, fitted: Classifier | None, draws: Fits | None) -> TermOdds:
        """The list's log-odds."""
        held = self.space.held(one.terms)
        if fitted is None:
            unknown = np.full(len(held), np.nan)
            return TermOdds(self.space.name, one, held, unknown, unknown[:, None][:, :0])
        rows, sign = self.space.rows(held), 1.0 if self.manner.polarity == NEGATIVE else -1.0
        odds = sign * fitted.fit.log_odds(rows)[:, 0]
        again = np.empty((len(held), 0)) if draws is None else sign * draws.log_odds(rows)
        return TermOdds(self.space.name, one, held, odds, again)

    def _uncovered(self, one: Identities, told: TermOdds) -> str | None:
        """Why a list is refused for what lacks; None where enough is there."""
        many, held = len(one.terms), len(told.held)
        if held >= 2 and held / many >= self.manner.coverage:
            return None
        missing = [term for term in one.terms if term not in told.held]
        named = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if missing[5:] else "")
        need = f"at least {max(2, int(np.ceil(self.manner.coverage * many)))} are needed"
        return f"{held} of {many} terms are there ({need}); missing: {named}"

    def _row(self, told: TermOdds, reason: str | None, fitted: Classifier | None) -> pl.DataFrame:
        one, held = told.identities, self.space.held(told.identities.terms)
        found = (len(one.terms), len(held), len(held) / len(one.terms))
        names = (self.space.name, one.name, one.title)
        numbers: tuple[object, ...] = (None,) * 8
        ends: tuple[str | None, str | None] = (None, None)
        if reason is None and fitted is not None:
            numbers, order = self._numbers(told, fitted), np.argsort(told.odds, kind="stable")
            ends = told.held[order[-1]], told.held[order[0]]
        return pl.DataFrame([(*names, *numbers, *found, *ends, reason)], RNSB, orient="row")

    def _numbers(self, told: TermOdds, fitted: Classifier) -> tuple[object, ...]:
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

    def _planes(self, lexicon: SpaceLexicon, lists: Sequence[Identities]) -> pl.DataFrame:
        """The map of each list that has terms in the space."""
        maps = [
            plane_of(self.space, lexicon, one.name, held, self.manner.seed)
            for one in lists
            if (held := self.space.held(one.terms)) and len(lexicon.words) + len(held) > 2
        ]
        return _stacked(PLANE, maps)


def _stacked(schema: Mapping[str, Any], frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat([pl.DataFrame(schema=schema), *frames])


# ---- several spaces: two side by side, on the terms that both hold; p-values of all of them


COMPARISONS = {
    "list": pl.String, "first": pl.String, "second": pl.String, "n_terms": pl.Int64,
    **dict.fromkeys(("rnsb_first", "rnsb_second", "difference", "low", "high"), pl.Float64),
}  # fmt: skip


def compared_spaces(studies: Mapping[str, RnsbStudy]) -> pl.DataFrame:
    """Each two spaces on each list, on the terms that both hold, over the same resamples."""
    rows = []
    for (first, one), (second, other) in combinations(studies.items(), 2):
        for name in one.told.keys() & other.told.keys():
            if len(set(one.told[name].held) & set(other.told[name].held)) >= 2:
                rows.append((name, first, second, *_beside(one.told[name], other.told[name])))
    return pl.DataFrame(sorted(rows), COMPARISONS, orient="row")


def with_corrected_p(found: pl.DataFrame) -> pl.DataFrame:
    """The rows of a family of tests with p_adjusted beside p: after Holm (1979).

    >>> with_corrected_p(pl.DataFrame({"p": [0.01, None, 0.04], "n": [1, 2, 3]})).rows()
    [(0.01, 0.02, 1), (None, None, 2), (0.04, 0.04, 3)]
    """
    at = found.columns.index("p") + 1
    known = found["p"].drop_nulls().to_numpy()
    corrected = iter(corrected_p(known[None], "holm")[0].tolist() if len(known) else [])
    told = [None if p is None else next(corrected) for p in found["p"]]
    return found.insert_column(at, pl.Series("p_adjusted", told, dtype=pl.Float64))


def _beside(one: TermOdds, other: TermOdds) -> tuple[object, ...]:
    both = [term for term in one.held if term in other.held]
    sides = [_only(told, both) for told in (one, other)]
    values = [rnsb(sigmoid(odds)) for odds, _ in sides]
    difference = values[0] - values[1]
    ends: tuple[float | None, float | None] = (None, None)
    if one.draws.shape[1]:
        draws = [rnsb(sigmoid(again)) for _, again in sides]
        low, high = interval(difference, draws[0] - draws[1])
        ends = float(low), float(high)
    return (len(both), *map(float, values), float(difference), *ends)


def _only(told: TermOdds, terms: list[str]) -> tuple[Array, Array]:
    rows = [told.held.index(term) for term in terms]
    return told.odds[rows], told.draws[rows]
