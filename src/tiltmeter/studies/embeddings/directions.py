"""The direction of an identity in a space, found, projected out and probed for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.stats.logistic import balanced_weights, fit_ridge, fit_weightings
from tiltmeter.studies.embeddings.classifier import Space

# ---- the direction of an identity in a space: from words that differ in it and in little else


Array = NDArray[np.float64]

FEWEST_PAIRS = 3
FEWEST_WORDS = 5
"""Of each side, where there are no pairs."""
DUST = 1e-12
"""A length below this is none."""


@dataclass(frozen=True, slots=True)
class DirectionWords:
    """The words that tell two sides of an identity apart, and some that should not lean."""

    name: str
    title: str
    first_name: str
    second_name: str
    pairs: tuple[tuple[str, str], ...] = ()
    """Definitional, as (she, he): the first side's word first."""
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()
    neutral: tuple[str, ...] = ()

    @property
    def definitional(self) -> frozenset[str]:
        """The words that are about the identity, which may lean."""
        return frozenset(self.sides[0] + self.sides[1])

    @property
    def sides(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """All words of the first side and of the second, those of the pairs too."""
        first, second = (tuple(pair[side] for pair in self.pairs) for side in (0, 1))
        return self.first + first, self.second + second


@dataclass(frozen=True, eq=False)
class IdentityDirection:
    """A unit vector that points to the first side, or why there is none."""

    words: DirectionWords
    vector: Array | None = field(default=None, repr=False)
    """(dimension,)"""
    made_from: str = "pairs"
    """pairs: a principal component of their differences; lists: the difference of two means."""
    n: int = 0
    """Pairs or words that it was made from."""
    share: float | None = None
    """Of the pairs' variance; None without pairs."""
    missing: tuple[str, ...] = ()
    """Pairs, as she/he, or words that the space lacks."""
    reason: str | None = None


def direction_of(space: Space, words: DirectionWords) -> IdentityDirection:
    """The direction from the definitional pairs, or from the two lists where no pair is named.

    Vectors are brought to length 1 first, so that frequent words do not decide alone.

    >>> pairs = (("she", "he"), ("her", "his"), ("woman", "man"))
    >>> names = tuple(word for pair in pairs for word in pair)
    >>> rows = np.array([[1, 2], [-1, 2], [1, 1], [-1, 1], [1, 0], [-1, 0]])
    >>> found = direction_of(Space("e", names, rows), DirectionWords("g", "", "f", "m", pairs))
    >>> found.vector, found.share
    (array([1., 0.]), 1.0)
    """
    return _from_pairs(space, words) if words.pairs else _from_lists(space, words)


def unit(vectors: Array) -> Array:
    """Each row at length 1; a row without length stays as it is.

    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Array = vectors / np.where(lengths > DUST, lengths, 1.0)
    return scaled


def leaning(space: Space, words: Sequence[str], direction: Array) -> Array:
    """How far each word leans to the first side: the cosine of its vector and the direction."""
    lean: Array = unit(space.rows(words)) @ direction
    return lean


def not_to_lean(
    space: Space, words: DirectionWords, others: Sequence[str] | None = None
) -> tuple[str, ...]:
    """The words in hand that should not lean: neutral ones and others, none of a side's own.

    Where no others are named, all words in hand are.
    """
    asked = space.words if others is None else space.held(dict.fromkeys([*words.neutral, *others]))
    return tuple(word for word in asked if word not in words.definitional)


def _from_pairs(space: Space, words: DirectionWords) -> IdentityDirection:
    """The first principal component of pairs, each centred on its mean (Bolukbasi et al. 2016)."""
    held = [pair for pair in words.pairs if len(space.held(pair)) == 2]
    missing = tuple("/".join(pair) for pair in words.pairs if pair not in held)
    if len(held) < FEWEST_PAIRS:
        many = f"{len(held)} of {len(words.pairs)} definitional pairs are in the embedding"
        return IdentityDirection(
            words, missing=missing, n=len(held), reason=f"{many}; expected at least {FEWEST_PAIRS}"
        )
    first, second = (unit(space.rows([pair[side] for pair in held])) for side in (0, 1))
    halves = (first - second) / 2  # a pair about its mean is ± this, which has the same axes
    _, sizes, axes = np.linalg.svd(halves, full_matrices=False)
    if sizes[0] <= DUST:
        reason = f"the two words of each of the {len(held)} definitional pairs have the same vector"
        return IdentityDirection(words, missing=missing, n=len(held), reason=reason)
    share = float(sizes[0] ** 2 / (sizes**2).sum())
    axis = axes[0] if (halves @ axes[0]).sum() >= 0 else -axes[0]
    return IdentityDirection(words, axis + 0.0, "pairs", len(held), share, missing)


def _from_lists(space: Space, words: DirectionWords) -> IdentityDirection:
    """The difference of the means of the two sides' words."""
    sides = space.held(words.first), space.held(words.second)
    missing = tuple(w for w in (*words.first, *words.second) if w not in space.places)
    n, few = sum(map(len, sides)), min(map(len, sides))
    if few < FEWEST_WORDS:
        many = f"{len(sides[0])} and {len(sides[1])} words of the two sides are in the embedding"
        reason = f"{many}; expected at least {FEWEST_WORDS} of each"
        return IdentityDirection(words, None, "lists", n, missing=missing, reason=reason)
    first, second = (unit(space.rows(side)).mean(axis=0) for side in sides)
    between = first - second
    if np.linalg.norm(between) <= DUST:
        reason = "the means of the two sides' words are the same vector"
        return IdentityDirection(words, None, "lists", n, missing=missing, reason=reason)
    return IdentityDirection(words, unit(between), "lists", n, missing=missing)


# ---- can a linear classifier still tell two sides apart? Told by words that it was not fitted on


Sides = NDArray[np.bool_]

FOLDS = 5
RIDGE = 0.1
"""Of vectors of length 1."""
OVERLAP = 1 + FOLDS / (FOLDS - 1)
"""Folds are fitted on much the same words, so their accuracy varies so many times as much as that
of independent ones (Nadeau & Bengio 2003); in simulations of noise, 1.5 to 1.9 times."""
REACH = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Proportion:
    """A share of n, with its 95 % interval."""

    value: float
    low: float
    high: float
    n: int


def wilson(value: float, n: float) -> tuple[float, float]:
    """The 95 % interval of a proportion seen in n cases (Wilson 1927).

    >>> tuple(round(end, 4) for end in wilson(0.8, 10))
    (0.4902, 0.9433)
    """
    middle = (value + REACH**2 / (2 * n)) / (1 + REACH**2 / n)
    half = REACH / (1 + REACH**2 / n) * np.sqrt(value * (1 - value) / n + (REACH / (2 * n)) ** 2)
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def probe(rows: Array, side: Sides, rng: np.random.Generator) -> Proportion:
    """How often a ridge logistic tells the side of held-out rows, by 5 stratified folds.

    The mean of the two sides' rates: 0.5 is guessing, however large each side is.
    """
    fold = folds_of(side, rng)
    kept = balanced_weights(side)[:, None] * (fold[:, None] != np.arange(FOLDS))
    odds = fit_weightings(rows, side, RIDGE, kept).log_odds(rows)
    value = balanced(np.take_along_axis(odds, fold[:, None], axis=1)[:, 0] > 0, side)
    return Proportion(value, *wilson(value, len(side) / OVERLAP), len(side))


def separating(rows: Array, side: Sides) -> tuple[Array, float]:
    """Slopes and intercept of the classifier, both sides of equal weight."""
    fit = fit_ridge(rows, side, RIDGE, balanced_weights(side))
    return fit.slopes[:, 0], float(fit.intercepts[0])


def folds_of(side: Sides, rng: np.random.Generator) -> NDArray[np.int64]:
    """A fold for each row; each side is dealt out evenly."""
    fold = np.empty(len(side), np.int64)
    for members in (np.flatnonzero(side), np.flatnonzero(~side)):
        fold[rng.permutation(members)] = np.arange(len(members)) % FOLDS
    return fold


def balanced(told: Sides, side: Sides) -> float:
    """The mean of the two sides' shares told right.

    >>> balanced(np.array([True, True, True, False]), np.array([True, True, False, False]))
    0.75
    """
    return float((told[side].mean() + (~told[~side]).mean()) / 2)


# ---- the rows that a study of mending is made of


Row = Mapping[str, Any]
"""measure, what, value, low, high, n, reason."""

MITIGATION = pl.Schema(
    {
        "embedding": pl.String,
        "direction": pl.String,
        "method": pl.String,
        "measure": pl.String,
        "what": pl.String,
        "value": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
        "n": pl.Int64,
        "reason": pl.String,
    }
)


def row(
    measure: str, what: str, value: float, low: float | None, high: float | None, n: int
) -> Row:
    """A number and how sure it is."""
    return {
        **{"measure": measure, "what": what, "value": value, "low": low, "high": high, "n": n},
        "reason": None,
    }


def proportion_row(measure: str, what: str, found: Proportion) -> Row:
    """A share and its interval."""
    return row(measure, what, found.value, found.low, found.high, found.n)


def refused(measure: str, what: str, reason: str, n: int | None = None) -> Row:
    """No number, and why."""
    return {
        **{"measure": measure, "what": what, "value": None, "low": None, "high": None, "n": n},
        "reason": reason,
    }


def per_cent(share: float) -> str:
    """A share in words.

    >>> per_cent(0.514)
    '51 %'
    """
    return f"{100 * share:.0f} %"


# ---- hard projection: what lies along an identity's direction is taken out of every word


def hard_map(direction: Array) -> Array:
    """I − b bᵀ, so that v − (v · b) b is left of every vector v; b has length 1.

    All words are projected, the definitional ones too: it is what anyone can do to vectors in
    hand, the map is linear, and later words can be moved alike. Bolukbasi et al. (2016) spare the
    definitional words and make them equally near to all others: `equalised`.

    >>> np.array([3.0, 5.0]) @ hard_map(np.array([1.0, 0.0]))
    array([0., 5.])
    """
    kept: Array = np.eye(len(direction)) - np.outer(direction, direction)
    return kept


def null_space_map(directions: Array) -> Array:
    """The projection onto what is orthogonal to every row of `directions`, (k, dimension)."""
    basis, _ = np.linalg.qr(directions.T)
    kept: Array = np.eye(directions.shape[1]) - basis @ basis.T
    return kept


def equalised(
    space: Space, direction: Array, pairs: Sequence[tuple[str, str]], spared: Collection[str] = ()
) -> Space:
    """Neutralise and equalise as Bolukbasi et al. (2016, §6) do; every vector gets length 1.

    Words that are in no pair and not `spared` lose what lies along b. A pair is moved to ν ± √(1 −
    ‖ν‖²) b, where ν is its mean without what lies along b: then both words are equally near to
    every neutralised word. Not linear: later words cannot be moved alike.
    """
    rows = unit(space.vectors)
    held = [pair for pair in pairs if len(space.held(pair)) == 2]
    kept = {*spared, *(word for pair in held for word in pair)}
    neutral = [row for word, row in space.places.items() if word not in kept]
    rows[neutral] = unit(rows[neutral] @ hard_map(direction))
    for first, second in held:
        places = [space.places[first], space.places[second]]
        rows[places] = _equal_pair(rows[places], direction)
    return space.moved(rows)


def _equal_pair(pair: Array, direction: Array) -> Array:
    """Two vectors of length 1 that differ along the direction alone, each on its side of it."""
    middle = pair.mean(axis=0) @ hard_map(direction)
    sides = (pair - pair.mean(axis=0)) @ direction
    if abs(sides[0]) <= DUST:
        return np.stack([middle, middle])
    reach = np.sqrt(max(0.0, 1.0 - middle @ middle))
    equal: Array = middle + reach * np.sign(sides)[:, None] * direction
    return equal
