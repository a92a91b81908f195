"""RNSB of spaces: how unevenly negative sentiment falls on identity terms.

Sweeney & Najafian (2019): a classifier that tells negative from positive words by their vectors is
asked for the probability that each identity term is negative; the probabilities, normalised, are
compared with even ones (`rnsb`). Corrected, positive and negative words weigh the same.

No set of words is perfectly even, so beside an RNSB stands what as many ordinary words get. The
band is of draws from the ordinary words alone; p is of draws from terms and ordinary words
together, as it would be chance which of them are terms: a permutation test. Draws from the ordinary
words alone would reject true nulls of forty terms in 10 % of cases and not in 5
(benchmarks/simulate_rnsb.py).

A resample draws as many positive and as many negative words as the lexicon has, with replacement,
before it is asked which of them a space holds. So every space meets the same draws, and two of them
can be compared draw by draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.corpora import Lexicon, TermList
from tiltmeter.ranking import coarsen
from tiltmeter.stats.association import two_sample_p
from tiltmeter.stats.logistic import Fits, fit_weightings, sigmoid
from tiltmeter.stats.moments import one_thread
from tiltmeter.stats.multiplicity import corrected_p
from tiltmeter.studies.embeddings.classifier import (
    AS_LISTED,
    BALANCED,
    NEGATIVE,
    SpaceLexicon,
    as_published,
    classifier_row,
    cross_validated,
    guesses,
    lexicon_in,
    ridge_rows,
    too_few,
)
from tiltmeter.studies.embeddings.space import Array, Space

Counts = NDArray[np.uint16]
REACH = 1.959964
"""Standard deviations of a 95 % interval."""
SHOWN = 120
"""Sentiment words of each polarity on the map, drawn by chance: all would hide the terms."""
PLANE = {
    **dict.fromkeys(("embedding", "list", "text", "kind"), pl.String),
    **dict.fromkeys(("x", "y", "x_share", "y_share"), pl.Float64),
}
TERMS = {
    "embedding": pl.String, "list": pl.String, "term": pl.String, "group": pl.String,
    "found_as": pl.String,
    **dict.fromkeys(
        ("probability", "low", "high", "share", "share_low", "share_high", "log_odds"), pl.Float64
    ),
}  # fmt: skip
GROUPS = {
    "embedding": pl.String, "list": pl.String, "first": pl.String, "second": pl.String,
    "n_first": pl.Int64, "n_second": pl.Int64,
    **dict.fromkeys(
        ("mean_first", "mean_second", "difference", "low", "high", "p"), pl.Float64
    ),
    "exact": pl.Boolean,
}  # fmt: skip
CORRELATIONS = {
    "embedding": pl.String, "list": pl.String, "first": pl.String, "second": pl.String,
    "r": pl.Float64,
}  # fmt: skip
MOST_CORRELATED = 150
"""Terms above which a list has no correlations: they are as many as the square of the terms."""


def shares(probabilities: Array) -> Array:
    """Each term's part of the sum over terms, the first axis: f(k) / Σ f(k)."""
    total = probabilities.sum(axis=0, keepdims=True)
    parts: Array = probabilities / np.where(total > 0, total, 1.0)
    return parts


def rnsb(probabilities: Array) -> Array:
    """Relative negative sentiment bias: Σ P log(P · n), P the shares of n terms, natural log.

    The Kullback–Leibler divergence of the shares from even ones; 0 is even, log n all on one term.
    Terms are the first axis.

    >>> float(rnsb(np.array([0.2, 0.2, 0.2]))), float(rnsb(np.array([0.3, 0.1])).round(6))
    (0.0, 0.130812)
    """
    parts = shares(probabilities)
    safe = np.where(parts > 0, parts, 1.0)
    found: Array = np.sum(parts * np.log(safe * len(parts)), axis=0)
    return np.maximum(found, 0.0) + 0.0  # rounding may leave −1e-17


def drawn_weights(positive: int, negative: int, resamples: int, seed: int) -> Counts:
    """How often each word is drawn, (words, resamples), the positive ones first, in two bytes each.

    >>> weights = drawn_weights(3, 2, 4, seed=0)
    >>> weights[:3].sum(axis=0).tolist(), weights[3:].sum(axis=0).tolist()
    ([3, 3, 3, 3], [2, 2, 2, 2])
    """
    rng = np.random.default_rng([seed, 2])
    sides = [
        rng.multinomial(size, np.full(size, 1 / size), resamples).astype(np.uint16)
        for size in (positive, negative)
        if size
    ]
    weights: Counts = np.ascontiguousarray(np.hstack(sides).T)
    return weights


def refitted(lexicon: SpaceLexicon, ridge: float, weights: Counts) -> Fits:
    """The classifier fitted anew to each resample, its ridge kept and its classes balanced."""
    drawn = weights[lexicon.places]
    return fit_weightings(lexicon.x, lexicon.negative, ridge, drawn, balanced=True)


def joint_reach(intervals: int) -> float:
    """Standard deviations of an interval of so many that all hold with 95 % (Bonferroni).

    >>> round(joint_reach(1), 3), round(joint_reach(4), 3)
    (1.96, 2.498)
    """
    return NormalDist().inv_cdf(1 - 0.025 / max(1, intervals))


def interval(value: Array, draws: Array) -> tuple[Array, Array]:
    """95 % of a normal spread: value ± 1.96 standard deviations of draws, over the last axis.

    A divergence's draws lie above it, and how far says little of how far it lies above the truth:
    of planted RNSBs their own middle 95 % held 73 to 95 %, turned about the value 85 to 98 %, and
    this 90 to 97 %, 93 % on average (benchmarks/simulate_rnsb.py 100).

    >>> low, high = interval(np.array(1.0), np.array([1.5, 2.0, 2.5]))
    >>> round(float(low), 3), round(float(high), 3)
    (0.02, 1.98)
    """
    reach: Array = REACH * draws.std(axis=-1, ddof=1)
    return value - reach, value + reach


@dataclass(frozen=True, slots=True, eq=False)
class TermOdds:
    """A list's terms that a space holds, and their log-odds of the polarity assessed.

    Log-odds are NaN where the classifier is refused.
    """

    embedding: str
    listed: TermList
    held: tuple[str, ...]
    odds: Array
    """(terms held,)"""
    draws: Array
    """(terms held, resamples); no resamples: nothing is known of how much they vary."""

    @property
    def probabilities(self) -> Array:
        """Of each term."""
        return sigmoid(self.odds)


def term_rows(of: TermOdds, found_as: Mapping[str, str]) -> pl.DataFrame:
    """Every term of the list; those that are not there have no numbers."""
    low, high = _interval(of.odds, of.draws)
    parts = shares(of.probabilities)
    part_low, part_high = _interval(
        np.log(np.maximum(parts, 1e-300)),
        np.log(np.maximum(shares(sigmoid(of.draws)), 1e-300)),
    )
    numbers = np.column_stack(
        [
            of.probabilities, sigmoid(low), sigmoid(high),
            parts, np.exp(part_low), np.exp(part_high), of.odds,
        ]
    )  # fmt: skip
    known = {term: list(map(_known, row)) for term, row in zip(of.held, numbers, strict=True)}
    rows = [
        (of.embedding, of.listed.name, term.text, term.group,
         found_as.get(term.text, term.text) if term.text in known else None,
         *known.get(term.text, [None] * 7))
        for term in of.listed.terms
    ]  # fmt: skip
    return pl.DataFrame(rows, TERMS, orient="row")


def group_rows(of: TermOdds, seed: int) -> pl.DataFrame:
    """Each two groups of a list: how far their terms' mean probabilities stand apart.

    The interval is over resamples of the lexicon and, within groups, of the terms; p is of a
    permutation test that deals the terms out to the groups anew.
    """
    where = {term.text: term.group for term in of.listed.terms}
    p, draws = of.probabilities, sigmoid(of.draws)
    rows = []
    for first, second in combinations(of.listed.groups, 2):
        sides = [
            np.array([nth for nth, term in enumerate(of.held) if where[term] == group], np.int64)
            for group in (first, second)
        ]
        if min(map(len, sides)) < 2:
            continue
        means = [float(p[side].mean()) for side in sides]
        difference = means[0] - means[1]
        # the difference in each resample, its terms drawn again too
        rng, resamples = np.random.default_rng([seed, 5]), of.draws.shape[1]
        redrawn = []
        for side in sides:
            drawn = side[rng.integers(0, len(side), (resamples, len(side)))]
            redrawn.append(draws[drawn, np.arange(resamples)[:, None]].mean(axis=1))
        low, high = _interval(np.array(difference), redrawn[0] - redrawn[1])
        chance, exact = two_sample_p(p[sides[0]], p[sides[1]], seed=seed, key=of.listed.name)
        rows.append(
            (of.embedding, of.listed.name, first, second, *map(len, sides), *means, difference,
             _known(low), _known(high), chance, exact)
        )  # fmt: skip
    return pl.DataFrame(rows, GROUPS, orient="row")


def correlation_rows(of: TermOdds, *, published: bool) -> pl.DataFrame:
    """How two terms' probabilities go together over resamples of the lexicon.

    Published: the product of the two probabilities of one fit, as in the authors' notebook. A long
    list has none.
    """
    if len(of.held) > MOST_CORRELATED:
        return pl.DataFrame(schema=CORRELATIONS)
    if published:
        matrix = np.outer(of.probabilities, of.probabilities)
    elif of.draws.shape[1] < 3:
        matrix = np.full((len(of.held), len(of.held)), np.nan)
    else:  # Pearson's r between rows; NaN where a row does not vary
        draws = sigmoid(of.draws)
        centred = draws - draws.mean(axis=1, keepdims=True)
        size = np.sqrt((centred**2).sum(axis=1))
        unit = centred / np.where(size > 1e-12, size, np.nan)[:, None]
        matrix = np.clip(unit @ unit.T, -1.0, 1.0)
    rows = [
        (of.embedding, of.listed.name, of.held[i], of.held[j], _known(matrix[i, j]))
        for i, j in product(range(len(of.held)), repeat=2)
    ]
    return pl.DataFrame(rows, CORRELATIONS, orient="row")


def _interval(value: Array, draws: Array) -> tuple[Array, Array]:
    if not draws.shape[-1]:
        none = np.full(value.shape, np.nan)
        return none, none
    return interval(value, draws)


def _known(number: float | Array) -> float | None:
    """NaN as null."""
    return None if np.isnan(number) else float(number)


def plane_of(
    space: Space, lexicon: SpaceLexicon, name: str, terms: Sequence[str], seed: int
) -> pl.DataFrame:
    """The map of the paper's Figure 1: terms and a sample of sentiment words on a plane.

    It is that of the two principal components of all words shown. Distances on it are rough: it
    holds the share of variance that it says.
    """
    rng = np.random.default_rng([seed, 4])
    sides = [np.flatnonzero(lexicon.negative == side) for side in (False, True)]
    chosen = [np.sort(rng.choice(side, min(SHOWN, len(side)), replace=False)) for side in sides]
    shown = np.concatenate(chosen)
    kinds = [*["positive"] * len(chosen[0]), *["negative"] * len(chosen[1]), *["term"] * len(terms)]
    at, held = principal_plane(np.vstack([lexicon.x[shown], space.rows(terms)]))
    texts = [*(lexicon.words[one] for one in shown), *terms]
    own = {"text": texts, "kind": kinds, "x": at[:, 0], "y": at[:, 1]}
    facts = {"embedding": space.name, "list": name, "x_share": held[0], "y_share": held[1]}
    return (
        pl.DataFrame(own)
        .with_columns(**{key: pl.lit(one) for key, one in facts.items()})
        .select(*PLANE)
    )


def principal_plane(vectors: Array) -> tuple[Array, tuple[float, float]]:
    """Places on the first two principal components, and the share of variance of each.

    A component points where its largest loading is positive, so that the map is no mirror image
    from one machine to another.

    >>> at, held = principal_plane(np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]))
    >>> at[:, 0].tolist(), held
    ([-2.0, 0.0, 2.0], (1.0, 0.0))
    """
    centred = vectors - vectors.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    axes = np.vstack([axes, np.zeros((2, axes.shape[1]))])[:2]
    turned = np.where(axes[np.arange(2), coarsen(np.abs(axes)).argmax(axis=1)] < 0, -1.0, 1.0)
    total = float((sizes**2).sum()) or 1.0
    first, second = (*sizes**2 / total, 0.0, 0.0)[:2]
    return centred @ (axes * turned[:, None]).T, (float(first), float(second))


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
ENDS = ("low", "high", "joint_low", "joint_high")
COMPARISONS = {
    "list": pl.String, "first": pl.String, "second": pl.String, "n_terms": pl.Int64,
    **dict.fromkeys(("rnsb_first", "rnsb_second", "difference", *ENDS), pl.Float64),
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
            reason, many = refused, len(one.terms)
            if not refused and (len(held) < 2 or len(held) / many < config.coverage):
                missing = [text for text in one.texts if text not in held]
                more = f" and {len(missing) - 5} more" if missing[5:] else ""
                need = f"at least {max(2, int(np.ceil(config.coverage * many)))} are needed"
                reason = f"{len(held)} of {many} terms are there ({need}); missing: "
                reason += f"{', '.join(missing[:5])}{more}"
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
        order = np.argsort(coarsen(of.odds), kind="stable")
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
    """Each two spaces on each list, on the terms that both hold, over the same resamples.

    low and high are of that comparison alone; joint_low and joint_high, which decide, hold together
    with those of all other comparisons.
    """
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
            error = None
            if sides[0].draws.shape[1]:
                draws = [rnsb(sigmoid(side.draws[own])) for side, own in pairs]
                error = float((draws[0] - draws[1]).std(ddof=1))
            rows.append((name, first, second, len(both), *map(float, (*values, difference)), error))
    columns = {
        name: kind for name, kind in COMPARISONS.items() if not name.endswith(("low", "high"))
    }
    found = pl.DataFrame(sorted(rows), {**columns, "error": pl.Float64}, orient="row")
    joint = joint_reach(len(rows))
    return found.with_columns(
        (pl.col("difference") + reach * pl.col("error")).alias(end)
        for end, reach in zip(ENDS, (-REACH, REACH, -joint, joint), strict=True)
    ).select(*COMPARISONS)


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
