"""How an identity's direction is taken out of a space: hard, soft, INLP; and a probe for it.

Soft projection: Bolukbasi et al. (2016, §6) look for the linear map T with the least

    ‖(T W)ᵀ(T W) − WᵀW‖² + λ ‖(T N)ᵀ(T b)‖²

W has all words in hand as columns, N those that should not lean, b is the direction; all have
length 1. Both terms depend on X = TᵀT alone and are quadratic in it, so nothing needs to be
searched. With S = WWᵀ and y = X b, the gradient is 0 where

    X = I − λ/2 (g cᵀ + c gᵀ),   c = S⁻¹b,   g = S⁻¹NNᵀy

and that, times b, is a linear system in y. λ means little by itself: the paper's 0.2 moves next to
nothing among thousands of words. It is chosen so that a stated part of the leaning is left.

INLP, iterative null-space projection (Ravfogel et al. 2020): fit a linear classifier, project onto
the null space of its weights, and do so again, until nothing tells the sides apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.stats.logistic import balanced_weights, fit_ridge, fit_weightings
from tiltmeter.studies.embeddings.space import (
    DUST,
    FEWEST_WORDS,
    Array,
    IdentityDirection,
    Space,
    sides_of,
    unit,
)

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
    value = balanced_accuracy(np.take_along_axis(odds, fold[:, None], axis=1)[:, 0] > 0, side)
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


def balanced_accuracy(found: Sides, side: Sides) -> float:
    """The mean of the two sides' shares told right.

    >>> balanced_accuracy(np.array([True, True, True, False]), np.array([True, True, False, False]))
    0.75
    """
    return float((found[side].mean() + (~found[~side]).mean()) / 2)


BEFORE = "none"
"""Among the methods: the vectors as they are."""
LEFT = 0.5
"""How much of the neutral words' leaning is left: midway between untouched and hard."""
FAINT = 1e-6
"""A dimension with less than this part of the mean variance counts as having so much: where the
words say nothing, the map is to change nothing."""
FURTHEST = 60
"""Doublings of λ before the leaning is taken not to fall further."""
ROUNDS = 10
"""At most; the paper takes 35 for vectors of 300 values and thousands of words of each side."""


def per_cent(share: float) -> str:
    """A share in words.

    >>> per_cent(0.514)
    '51 %'
    """
    return f"{100 * share:.0f} %"


def hard_map(direction: Array) -> Array:
    """I − b bᵀ, so that v − (v · b) b is left of every vector v; b has length 1.

    All words are projected, the definitional ones too: it is what anyone can do to vectors in
    hand, the map is linear, and later words can be moved alike. Bolukbasi et al. (2016) spare the
    definitional words, and make them equally near to all others.

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


@dataclass(frozen=True, slots=True, eq=False)
class Softened:
    """A map, the λ behind it, and the part of the leaning that it leaves."""

    map: Array
    strength: float
    left: float


def soft_map(words: Array, neutral: Array, direction: Array, left: float = LEFT) -> Softened:
    """The map of Bolukbasi's soft projection that leaves `left` of the neutral words' leaning.

    words is (words, dimension) and neutral (neutral words, dimension), both of length 1. The map is
    the symmetric one: any other with the same X only turns the space, and no cosine sees that.
    Where X is no TᵀT, S½ X S½ loses its negative eigenvalues: the nearest in the sense of the
    words' inner products. The objective is then not quite the least: within 4 parts in 10⁶ of what
    a search over T itself finds on GloVe, and 1 % on the most lopsided toys.

    >>> plane = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.6, -0.8]])
    >>> found = soft_map(plane, plane[2:], np.array([1.0, 0.0]))
    >>> (plane[2:] @ found.map @ found.map[0]).round(6).tolist()  # leanings were 0.6 and 0.6
    [0.3, 0.3]
    """
    from scipy.optimize import brentq

    sizes, axes = np.linalg.eigh(words.T @ words)
    sizes = np.maximum(sizes, FAINT * sizes.mean())
    inverse, root = (axes / sizes) @ axes.T, (axes * np.sqrt(sizes)) @ axes.T
    b, m = direction, neutral.T @ neutral  # the formulas' symbols; m is NNᵀ
    c, g_of = inverse @ b, inverse @ m
    if b @ m @ b <= DUST:
        return Softened(np.eye(len(b)), 0.0, 1.0)

    def towards(strength: float) -> Array:
        """The y = X b of a λ."""
        system = np.eye(len(b)) + strength / 2 * ((c @ b) * g_of + np.outer(c, b @ g_of))
        y: Array = np.linalg.solve(system, b).astype(np.float64)
        return y

    def leaning_left(y: Array) -> float:
        """‖Nᵀ X b‖ / ‖Nᵀ b‖."""
        return float(np.sqrt(max(float(y @ m @ y), 0.0) / float(b @ m @ b)))

    def above(power: float) -> float:
        return leaning_left(towards(2.0**power)) - left

    # The λ that leaves so much: the leaning falls as λ grows.
    low = high = start = -np.log2(max(float(c @ b) * np.trace(g_of) / len(b), DUST))
    while above(high) > 0 and high < start + FURTHEST:
        high += 2.0
    while above(low) < 0 and low > start - FURTHEST:
        low -= 2.0
    if above(high) > 0:
        power = high
    elif above(low) < 0 or high == low:
        power = low
    else:
        power = brentq(above, low, high, xtol=1e-9)
    strength = float(2.0**power)
    g = g_of @ towards(strength)
    product = np.eye(len(b)) - strength / 2 * (np.outer(g, c) + np.outer(c, g))
    sizes, axes = np.linalg.eigh(root @ product @ root)
    if sizes[0] < 0:
        back = np.linalg.solve(root, axes * np.sqrt(np.maximum(sizes, 0.0)))
        product = back @ back.T
    sizes, axes = np.linalg.eigh(product)
    symmetric = (axes * np.sqrt(np.maximum(sizes, 0.0))) @ axes.T
    return Softened(symmetric, strength, leaning_left(product @ b))


@dataclass(frozen=True, slots=True, eq=False)
class Nulled:
    """A projection, and how readable the sides were on the way."""

    map: Array
    rounds: int
    """Directions removed."""
    accuracies: tuple[float, ...]
    """Of words held out, before the first round, after it, after the second …; 0.5 is guessing."""
    readable: bool
    """The sides can still be told apart after the last round."""


def null_spaced(
    first: Array, second: Array, rng: np.random.Generator, rounds: int = ROUNDS
) -> Nulled:
    """Remove as few directions as make the two sides' words unreadable, at most `rounds`.

    first and second are (words, dimension). How many are needed is found by 5-fold
    cross-validation, the whole removal on the other folds: words that a direction was fitted on
    say too little about what it leaves. Unreadable: at most one standard error, that of as many
    independent words, above guessing; sides that differ by chance alone pass it in one case of
    four or five, since a direction too many costs less than one too few.
    """
    rows = unit(np.vstack([first, second]))
    side = np.arange(len(rows)) < len(first)
    span, _ = np.linalg.qr(rows.T)  # fits need no more dimensions than there are words
    plain = 0.5 + 0.25 * float(np.sqrt(1 / len(first) + 1 / len(second)))
    fold = folds_of(side, rng)
    in_fold = [rows @ span for _ in range(FOLDS)]
    accuracies: list[float] = []  # on held-out words, before each round and after the last
    for _ in range(rounds + 1):
        found = np.zeros(len(rows), np.bool_)
        for nth, own in enumerate(in_fold):
            out = fold == nth
            slopes, intercept = separating(own[~out], side[~out])
            found[out] = own[out] @ slopes + intercept > 0
            in_fold[nth] = _without(own, slopes)
        accuracies.append(balanced_accuracy(found, side))
        if accuracies[-1] <= plain:
            break
    needed = len(accuracies) - 1
    left, directions = rows @ span, np.zeros((needed, span.shape[1]))
    for nth in range(needed):  # each round's slopes are orthogonal to those before
        directions[nth], _ = separating(left, side)
        left = _without(left, directions[nth])
    lengths = np.linalg.norm(directions, axis=1)
    kept = (directions @ span.T)[lengths > DUST]
    projection = null_space_map(unit(kept)) if len(kept) else np.eye(rows.shape[1])
    return Nulled(projection, needed, tuple(accuracies), accuracies[-1] > plain)


def _without(rows: Array, slopes: Array) -> Array:
    """What of each row is orthogonal to the slopes."""
    along = unit(slopes)
    left: Array = rows - np.outer(rows @ along, along)
    return left


@dataclass(frozen=True, eq=False)
class MovedSpace:
    """A space that was moved, and how, or why it was not."""

    method: str
    space: Space | None = field(default=None, repr=False)
    map: Array | None = field(default=None, repr=False)
    """(dimension, dimension): a later word's vector v is moved to v @ map."""
    note: str = ""
    """What was done, in a sentence."""
    accuracies: tuple[float, ...] = ()
    """Of INLP: how well words held out were told apart before each round, and after the last."""
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class MitigationTask:
    """What every method starts from."""

    space: Space
    direction: IdentityDirection
    neutral: tuple[str, ...]
    """Words in hand that should not lean."""
    seed: int
    rounds: int = ROUNDS


def mitigate(task: MitigationTask, method: str) -> MovedSpace:
    """Move a space by one of the methods hard, soft and inlp."""
    if method not in METHODS:
        near = did_you_mean(method, METHODS) or f"there are {', '.join(METHODS)}"
        raise TiltmeterError(f"there is no method of mitigation {method!r}: {near}")
    return METHODS[method](task)


def _hard(task: MitigationTask) -> MovedSpace:
    direction = task.direction.vector
    if direction is None:
        return MovedSpace("hard", reason=task.direction.reason)
    return _moved(task, "hard", hard_map(direction), "one direction is removed from every word")


def _soft(task: MitigationTask) -> MovedSpace:
    direction, neutral = task.direction.vector, task.neutral
    if direction is None:
        return MovedSpace("soft", reason=task.direction.reason)
    if len(neutral) < FEWEST_WORDS:
        many = f"{len(neutral)} words that should not lean are in the embedding"
        return MovedSpace("soft", reason=f"{many}; expected at least {FEWEST_WORDS}")
    found = soft_map(unit(task.space.vectors), unit(task.space.rows(neutral)), direction)
    note = f"{per_cent(found.left)} of the leaning of {len(neutral):,} words is left (λ = "
    return _moved(task, "soft", found.map, f"{note}{found.strength:.3g})")


def _inlp(task: MitigationTask) -> MovedSpace:
    every = sides_of(task.direction.words)
    sides = [
        [word for word in task.space.held(dict.fromkeys(own)) if word not in other]
        for own, other in (every, every[::-1])
    ]
    if min(map(len, sides)) < FEWEST_WORDS:
        many = f"{len(sides[0])} and {len(sides[1])} words of the two sides are in the embedding"
        return MovedSpace("inlp", reason=f"{many}; expected at least {FEWEST_WORDS} of each")
    first, second = (task.space.rows(side) for side in sides)
    found = null_spaced(first, second, np.random.default_rng([task.seed, 1]), task.rounds)
    before, after = per_cent(found.accuracies[0]), per_cent(found.accuracies[-1])
    if found.rounds:
        removed = "one direction is" if found.rounds == 1 else f"{found.rounds} directions are"
        went = f"{before} of cases before and {after} after (50 % is guessing)"
        note = f"{removed} removed; held-out words were told apart in {went}"
    else:
        note = f"nothing is removed, held-out words were told apart in {before} of cases"
    return _moved(task, "inlp", found.map, note, found.accuracies)


def _moved(
    task: MitigationTask,
    method: str,
    linear_map: Array,
    note: str,
    accuracies: tuple[float, ...] = (),
) -> MovedSpace:
    moved = task.space.moved(task.space.vectors @ linear_map)
    return MovedSpace(method, moved, linear_map, note, accuracies)


METHODS: Mapping[str, Callable[[MitigationTask], MovedSpace]] = {
    "hard": _hard,
    "soft": _soft,
    "inlp": _inlp,
}
