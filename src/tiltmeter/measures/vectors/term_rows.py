"""The tables of one list in one space: its terms, its groups, its correlations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.stats.logistic import sigmoid
from tiltmeter.measures.stats.permutations import two_sample_p
from tiltmeter.measures.vectors.divergence import shares
from tiltmeter.measures.vectors.resampled import interval
from tiltmeter.measures.vectors.words_given import Identities

Array = NDArray[np.float64]

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


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """A list's terms that a space holds, and their log-odds of the polarity assessed.

    Log-odds are NaN where the classifier is refused.
    """

    embedding: str
    identities: Identities
    held: tuple[str, ...]
    odds: Array
    """(terms held,)"""
    draws: Array
    """(terms held, resamples); no resamples: nothing is known of how much they vary."""

    @property
    def probabilities(self) -> Array:
        """Of each term."""
        return sigmoid(self.odds)


def term_rows(told: Told, found_as: Mapping[str, str]) -> pl.DataFrame:
    """Every term of the list; those that are not there have no numbers."""
    low, high = _interval(told.odds, told.draws)
    parts = shares(told.probabilities)
    part_low, part_high = _interval(
        np.log(np.maximum(parts, 1e-300)),
        np.log(np.maximum(shares(sigmoid(told.draws)), 1e-300)),
    )
    numbers = np.column_stack(
        [
            told.probabilities, sigmoid(low), sigmoid(high),
            parts, np.exp(part_low), np.exp(part_high), told.odds,
        ]
    )  # fmt: skip
    known = {term: list(map(_known, row)) for term, row in zip(told.held, numbers, strict=True)}
    names, listed = (told.embedding, told.identities.name), told.identities
    rows = [
        (*names, term, group, found_as.get(term, term) if term in known else None,
         *known.get(term, [None] * 7))
        for term, group in zip(listed.terms, _groups(listed), strict=True)
    ]  # fmt: skip
    return pl.DataFrame(rows, TERMS, orient="row")


def group_rows(told: Told, seed: int) -> pl.DataFrame:
    """Each two groups of a list: how far their terms' mean probabilities stand apart.

    The interval is over resamples of the lexicon and, within groups, of the terms; p is of a
    permutation test that deals the terms out to the groups anew.
    """
    where = dict(zip(told.identities.terms, _groups(told.identities), strict=True))
    groups = [group for group in dict.fromkeys(where.values()) if group is not None]
    rows = []
    for first, second in combinations(groups, 2):
        sides = [
            np.array([nth for nth, term in enumerate(told.held) if where[term] == group], np.int64)
            for group in (first, second)
        ]
        if min(map(len, sides)) >= 2:
            rows.append(
                (told.embedding, told.identities.name, first, second, *_apart(told, sides, seed))
            )
    return pl.DataFrame(rows, GROUPS, orient="row")


def _apart(told: Told, sides: list[NDArray[np.int64]], seed: int) -> tuple[object, ...]:
    p = told.probabilities
    means = [float(p[side].mean()) for side in sides]
    difference = means[0] - means[1]
    low, high = _interval(np.array(difference), _redrawn(told, sides, seed))
    chance, exact = two_sample_p(p[sides[0]], p[sides[1]], seed=seed, key=told.identities.name)
    sizes = tuple(map(len, sides))
    return (*sizes, *means, difference, _known(low), _known(high), chance, exact)


def _redrawn(told: Told, sides: list[NDArray[np.int64]], seed: int) -> Array:
    """The difference in each resample, its terms drawn again too."""
    rng, resamples = np.random.default_rng([seed, 5]), told.draws.shape[1]
    p = sigmoid(told.draws)
    means = []
    for side in sides:
        drawn = side[rng.integers(0, len(side), (resamples, len(side)))]
        means.append(p[drawn, np.arange(resamples)[:, None]].mean(axis=1))
    redrawn: Array = means[0] - means[1]
    return redrawn


def correlation_rows(told: Told, *, published: bool) -> pl.DataFrame:
    """How two terms' probabilities go together over resamples of the lexicon.

    Published: the product of the two probabilities of one fit, as in the authors' notebook. A long
    list has none.
    """
    if len(told.held) > MOST_CORRELATED:
        return pl.DataFrame(schema=CORRELATIONS)
    if published:
        matrix = np.outer(told.probabilities, told.probabilities)
    else:
        matrix = _correlations(sigmoid(told.draws))
    rows = [
        (told.embedding, told.identities.name, told.held[i], told.held[j], _known(matrix[i, j]))
        for i, j in product(range(len(told.held)), repeat=2)
    ]
    return pl.DataFrame(rows, CORRELATIONS, orient="row")


def _correlations(draws: Array) -> Array:
    """Pearson's r between rows; NaN where a row does not vary."""
    if draws.shape[1] < 3:
        return np.full((len(draws), len(draws)), np.nan)
    centred = draws - draws.mean(axis=1, keepdims=True)
    size = np.sqrt((centred**2).sum(axis=1))
    unit = centred / np.where(size > 1e-12, size, np.nan)[:, None]
    matrix: Array = np.clip(unit @ unit.T, -1.0, 1.0)
    return matrix


def _groups(listed: Identities) -> tuple[str | None, ...]:
    return listed.groups or (None,) * len(listed.terms)


def _interval(value: Array, draws: Array) -> tuple[Array, Array]:
    if not draws.shape[-1]:
        none = np.full(value.shape, np.nan)
        return none, none
    return interval(value, draws)


def _known(number: float | Array) -> float | None:
    """NaN as null."""
    return None if np.isnan(number) else float(number)
