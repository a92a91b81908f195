"""Identity terms in a space: how unevenly probabilities fall on them, and the tables of a list.

A resample draws as many positive and as many negative words as the lexicon has, with replacement,
before it is asked which of them a space holds. So every space meets the same draws, and two of them
can be compared draw by draw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.corpora import TermList
from tiltmeter.stats.logistic import Fits, fit_weightings, sigmoid
from tiltmeter.stats.permutations import two_sample_p
from tiltmeter.studies.embeddings.classifier import SpaceLexicon
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
    rows = []
    for first, second in combinations(of.listed.groups, 2):
        sides = [
            np.array([nth for nth, term in enumerate(of.held) if where[term] == group], np.int64)
            for group in (first, second)
        ]
        if min(map(len, sides)) < 2:
            continue
        p = of.probabilities
        means = [float(p[side].mean()) for side in sides]
        difference = means[0] - means[1]
        low, high = _interval(np.array(difference), _redrawn(of, sides, seed))
        chance, exact = two_sample_p(p[sides[0]], p[sides[1]], seed=seed, key=of.listed.name)
        rows.append(
            (of.embedding, of.listed.name, first, second, *map(len, sides), *means, difference,
             _known(low), _known(high), chance, exact)
        )  # fmt: skip
    return pl.DataFrame(rows, GROUPS, orient="row")


def _redrawn(of: TermOdds, sides: list[NDArray[np.int64]], seed: int) -> Array:
    """The difference in each resample, its terms drawn again too."""
    rng, resamples = np.random.default_rng([seed, 5]), of.draws.shape[1]
    p = sigmoid(of.draws)
    means = []
    for side in sides:
        drawn = side[rng.integers(0, len(side), (resamples, len(side)))]
        means.append(p[drawn, np.arange(resamples)[:, None]].mean(axis=1))
    redrawn: Array = means[0] - means[1]
    return redrawn


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
    return pl.DataFrame(
        {
            "embedding": [space.name] * len(kinds),
            "list": [name] * len(kinds),
            "text": [*(lexicon.words[one] for one in shown), *terms],
            "kind": kinds,
            "x": at[:, 0],
            "y": at[:, 1],
            "x_share": [held[0]] * len(kinds),
            "y_share": [held[1]] * len(kinds),
        }
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
    turned = np.where(axes[np.arange(2), np.abs(axes).argmax(axis=1)] < 0, -1.0, 1.0)
    total = float((sizes**2).sum()) or 1.0
    first, second = (*sizes**2 / total, 0.0, 0.0)[:2]
    return centred @ (axes * turned[:, None]).T, (float(first), float(second))
