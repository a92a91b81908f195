"""RNSB of spaces: how unevenly negative sentiment falls on identity terms.

Sweeney & Najafian (2019): a classifier that tells negative from positive words by their vectors is
asked for the probability that each identity term is negative; the probabilities, normalised, are
compared with even ones (`terms.rnsb`). Corrected, positive and negative words weigh the same.

No set of words is perfectly even. Whether words for people are less even than tables and windows is
what a reader wants to know of an RNSB. So beside it stands what as many ordinary words get. The
band is of draws from the ordinary words alone; p is of draws from terms and ordinary words
together, as it would be chance which of them are terms: a permutation test. Draws from the ordinary
words alone would reject true nulls of forty terms in 10 % of cases and not in 5
(benchmarks/simulate_rnsb.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.corpora import Lexicon, TermList
from tiltmeter.stats.logistic import Fits, sigmoid
from tiltmeter.stats.moments import one_thread
from tiltmeter.stats.multiplicity import corrected_p
from tiltmeter.studies.embeddings.classifier import (
    AS_LISTED,
    BALANCED,
    NEGATIVE,
    as_published,
    classifier_row,
    cross_validated,
    guesses,
    lexicon_in,
    ridge_rows,
    too_few,
)
from tiltmeter.studies.embeddings.space import Array, Space
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

PUBLISHED, CORRECTED = "published", "corrected"
COVERAGE, RESAMPLES = 0.7, 500
ENGLISH = "en"
"""The language of the ordinary words: terms of another are not held against them."""
DRAWS = 10_000
ROOM = 2
"""Ordinary words must be this many times as many as the terms, or draws would be much alike."""
RNSB = {
    "embedding": pl.String, "list": pl.String, "title": pl.String,
    **dict.fromkeys(
        ("rnsb", "low", "high", "bias", "even_low", "even_high", "by_chance", "p"), pl.Float64
    ),
    "n_terms": pl.Int64, "n_found": pl.Int64, "coverage": pl.Float64,
    "most": pl.String, "least": pl.String, "reason": pl.String,
}  # fmt: skip
COMPARISONS = {
    "list": pl.String, "first": pl.String, "second": pl.String, "n_terms": pl.Int64,
    **dict.fromkeys(("rnsb_first", "rnsb_second", "difference", "low", "high"), pl.Float64),
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
    """What one space says of its lists."""

    classifiers: pl.DataFrame
    ridges: pl.DataFrame
    rnsb: pl.DataFrame
    terms: pl.DataFrame
    groups: pl.DataFrame
    correlations: pl.DataFrame
    plane: pl.DataFrame
    fit: Fits | None = None
    """The classifier; None where there is none, or none that can tell good from bad."""
    odds: Mapping[str, TermOdds] = field(default_factory=dict)
    """Of the lists that have a number."""

    def log_odds(self, vectors: Array) -> Array:
        """Of being negative, by the classifier."""
        if self.fit is None:
            return np.full(len(vectors), np.nan)
        return self.fit.log_odds(vectors)[:, 0]


def rnsb_study(
    space: Space,
    lists: Sequence[TermList],
    lexicon: Lexicon,
    ordinary: Sequence[str] = (),
    config: RnsbConfig | None = None,
    found_as: Mapping[str, str] | None = None,
) -> RnsbStudy:
    """RNSB of every list in a space, with what it rests on.

    A list is refused, with the reason, where too many of its terms lack or where the classifier
    cannot tell positive from negative words.
    """
    config, found_as = config or RnsbConfig(), found_as or {}
    published, sign = config.mode == PUBLISHED, 1.0 if config.polarity == NEGATIVE else -1.0
    with one_thread():
        named = [text for one in lists for text in one.texts]
        own = frozenset([*named, *(found_as.get(text, text) for text in named)])
        words = lexicon_in(space, lexicon, frozenset() if published else own)
        refused, fitted, draws = too_few(words), None, None
        if refused is None:
            fitted = (
                as_published(words, config.seed)
                if published
                else cross_validated(words, config.seed, config.ridge)
            )
            refused = guesses(fitted.held_out)
        fit = fitted.fit if fitted is not None and refused is None else None
        if fitted is not None and fit is not None and not published and config.resamples:
            sizes = len(lexicon.positive), len(lexicon.negative)
            weights = drawn_weights(*sizes, config.resamples, config.seed)
            draws = refitted(words, fitted.ridge, weights)
        everyday = () if published or fit is None else space.held(ordinary)
        beside = np.empty(0)
        if fit is not None and everyday:
            beside = sigmoid(sign * fit.log_odds(space.rows(everyday))[:, 0])
        odds, rows = {}, []
        for one in lists:
            held = space.held(one.texts)
            told = np.full(len(held), np.nan), np.empty((len(held), 0))
            if fit is not None:
                vectors = space.rows(held)
                again = told[1] if draws is None else sign * draws.log_odds(vectors)
                told = sign * fit.log_odds(vectors)[:, 0], again
            odds[one.name] = TermOdds(space.name, one, held, *told)
            reason = refused or _uncovered(one, held, config.coverage)
            even = beside if one.language == ENGLISH else np.empty(0)
            rows.append(_rnsb_row(odds[one.name], reason, even, config.seed))
        known = [odds[one.name] for one, row in zip(lists, rows, strict=True) if row[-1] is None]
        chosen_by = "cross-validation" if config.ridge is None else "given"
        return RnsbStudy(
            classifier_row(
                space.name, lexicon.name, words, fitted,
                "the paper's" if published else chosen_by, AS_LISTED if published else BALANCED,
                refused,
            ),
            ridge_rows(space.name, fitted),
            pl.DataFrame(rows, RNSB, orient="row"),
            _stacked(TERMS, (term_rows(one, found_as) for one in odds.values())),
            _stacked(GROUPS, (group_rows(one, config.seed) for one in known)),
            _stacked(CORRELATIONS, (correlation_rows(o, published=published) for o in known)),
            _stacked(PLANE, (
                plane_of(space, words, name, one.held, config.seed) for name, one in odds.items()
                if one.held and len(words.words) + len(one.held) > 2
            )),
            fit,
            {one.listed.name: one for one in known},
        )  # fmt: skip


def _stacked(schema: Mapping[str, Any], frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat([pl.DataFrame(schema=schema), *frames])


def _uncovered(one: TermList, held: Sequence[str], coverage: float) -> str | None:
    """Why a list is refused for what lacks; None where enough is there."""
    many = len(one.terms)
    if len(held) >= 2 and len(held) / many >= coverage:
        return None
    missing = [text for text in one.texts if text not in held]
    named = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if missing[5:] else "")
    need = f"at least {max(2, int(np.ceil(coverage * many)))} are needed"
    return f"{len(held)} of {many} terms are there ({need}); missing: {named}"


def _rnsb_row(of: TermOdds, reason: str | None, ordinary: Array, seed: int) -> tuple[object, ...]:
    one, held = of.listed, of.held
    numbers: list[float | None] = [None] * 8
    most = least = None
    if reason is None:
        value = rnsb(of.probabilities)
        chance = by_chance(of.probabilities, ordinary, seed)
        low = high = bias = np.nan
        if of.draws.shape[1]:
            draws = rnsb(sigmoid(of.draws))
            ends = interval(value, draws)
            low, high, bias = max(0.0, float(ends[0])), float(ends[1]), float(draws.mean() - value)
        found = (value, low, high, bias, chance.low, chance.high, chance.middle, chance.p)
        numbers = [None if np.isnan(number) else float(number) for number in found]
        order = np.argsort(of.odds, kind="stable")
        most, least = held[order[-1]], held[order[0]]
    coverage = len(held) / len(one.terms)
    return (of.embedding, one.name, one.title, *numbers, len(one.terms), len(held), coverage, most,
            least, reason)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ByChance:
    """The RNSB of ordinary words; NaN where too few of them are there."""

    low: float = np.nan
    middle: float = np.nan
    high: float = np.nan
    p: float = np.nan
    """The share of draws from all words at least as uneven as the terms."""


def by_chance(terms: Array, ordinary: Array, seed: int) -> ByChance:
    """Beside terms with these probabilities, what ordinary words with those get."""
    if len(ordinary) < ROOM * len(terms):
        return ByChance()
    band = np.quantile(_drawn(ordinary, len(terms), [seed, 3]), [0.025, 0.5, 0.975])
    everyone = _drawn(np.concatenate([terms, ordinary]), len(terms), [seed, 8])
    more = int(np.count_nonzero(everyone >= float(rnsb(terms)) * (1 - 1e-12)))
    low, middle, high = band.tolist()
    return ByChance(low, middle, high, (1 + more) / (1 + DRAWS))


def _drawn(probabilities: Array, size: int, seed: list[int]) -> Array:
    """RNSB of each draw of so many words, without replacement; their order does not matter."""
    rng = np.random.default_rng([*seed, size])
    ordered = np.sort(probabilities)
    every = np.tile(np.arange(len(ordered), dtype=np.uint16), (DRAWS, 1))  # small: 10,000 times
    places = rng.permuted(every, axis=1, out=every)[:, :size]
    return rnsb(ordered[places].T)


def compared_spaces(studies: Mapping[str, RnsbStudy]) -> pl.DataFrame:
    """Each two spaces on each list, on the terms that both hold, over the same resamples."""
    rows = []
    for (first, one), (second, other) in combinations(studies.items(), 2):
        for name in one.odds.keys() & other.odds.keys():
            sides = one.odds[name], other.odds[name]
            both = [term for term in sides[0].held if term in sides[1].held]
            if len(both) < 2:
                continue
            places = [[side.held.index(term) for term in both] for side in sides]
            pairs = list(zip(sides, places, strict=True))
            values = [rnsb(side.probabilities[own]) for side, own in pairs]
            difference = values[0] - values[1]
            ends: tuple[float | None, float | None] = (None, None)
            if sides[0].draws.shape[1]:
                draws = [rnsb(sigmoid(side.draws[own])) for side, own in pairs]
                low, high = interval(difference, draws[0] - draws[1])
                ends = float(low), float(high)
            rows.append((name, first, second, len(both), *map(float, (*values, difference)), *ends))
    return pl.DataFrame(sorted(rows), COMPARISONS, orient="row")


def with_corrected_p(found: pl.DataFrame) -> pl.DataFrame:
    """The rows of a family of tests with p_adjusted beside p: after Holm (1979).

    >>> with_corrected_p(pl.DataFrame({"p": [0.01, None, 0.04], "n": [1, 2, 3]})).rows()
    [(0.01, 0.02, 1), (None, None, 2), (0.04, 0.04, 3)]
    """
    known = found["p"].drop_nulls().to_numpy()
    corrected = iter(corrected_p(known[None], "holm")[0].tolist() if len(known) else [])
    adjusted = [None if p is None else next(corrected) for p in found["p"]]
    column = pl.Series("p_adjusted", adjusted, dtype=pl.Float64)
    return found.insert_column(found.columns.index("p") + 1, column)
