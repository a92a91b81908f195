"""How an identity's direction is found and removed: hard, soft, INLP."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.studies.embeddings.classifier import Space
from tiltmeter.studies.embeddings.directions import (
    DUST,
    FEWEST_WORDS,
    FOLDS,
    IdentityDirection,
    Sides,
    balanced,
    folds_of,
    hard_map,
    null_space_map,
    per_cent,
    separating,
    unit,
)
from tiltmeter.studies.embeddings.directions import Array as directions_Array

# ---- soft projection: words that should not lean do so less, and all words keep their likeness
# Bolukbasi et al. (2016, §6) look for the linear map T with the least
#     ‖(T W)ᵀ(T W) − WᵀW‖² + λ ‖(T N)ᵀ(T b)‖²
# W has all words in hand as columns, N those that should not lean, b is the direction; all have
# length 1. Both terms depend on X = TᵀT alone and are quadratic in it, so nothing needs to be
# searched. With S = WWᵀ and y = X b, the gradient is 0 where
#     X = I − λ/2 (g cᵀ + c gᵀ),   c = S⁻¹b,   g = S⁻¹NNᵀy
# and that, times b, is a linear system in y. λ means little by itself: the paper's 0.2 moves next
# to nothing among thousands of words. It is chosen so that a stated part of the leaning is left.

Array = NDArray[np.float64]

LEFT = 0.5
"""How much of the neutral words' leaning is left: midway between untouched and hard."""
FAINT = 1e-6
"""A dimension with less than this part of the mean variance counts as having so much: where the
words say nothing, the map is to change nothing."""
FURTHEST = 60
"""Doublings of λ before the leaning is taken not to fall further."""


@dataclass(frozen=True, slots=True, eq=False)
class Softened:
    """A map, the λ behind it, and the part of the leaning that it leaves."""

    map: Array
    strength: float
    left: float


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """What the solution is made of; the formulas' symbols."""

    b: Array
    c: Array
    g_of: Array
    """S⁻¹NNᵀ"""
    m: Array
    """NNᵀ"""
    root: Array
    """S to the power of ½"""

    def towards(self, strength: float) -> Array:
        """The y = X b of a λ."""
        b, c, g_of = self.b, self.c, self.g_of
        system = np.eye(len(b)) + strength / 2 * ((c @ b) * g_of + np.outer(c, b @ g_of))
        y: Array = np.linalg.solve(system, b).astype(np.float64)
        return y

    def left(self, y: Array) -> float:
        """‖Nᵀ X b‖ / ‖Nᵀ b‖."""
        return float(np.sqrt(max(float(y @ self.m @ y), 0.0) / float(self.b @ self.m @ self.b)))


def soft_map(words: Array, neutral: Array, direction: Array, left: float = LEFT) -> Softened:
    """The map of Bolukbasi's soft projection that leaves `left` of the neutral words' leaning.

    words is (words, dimension) and neutral (neutral words, dimension), both of length 1. The map is
    the symmetric one: any other with the same X only turns the space, and no cosine sees that.

    >>> plane = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.6, -0.8]])
    >>> found = soft_map(plane, plane[2:], np.array([1.0, 0.0]))
    >>> (plane[2:] @ found.map @ found.map[0]).round(6).tolist()  # leanings were 0.6 and 0.6
    [0.3, 0.3]
    """
    problem = _problem(words, neutral, direction)
    if direction @ problem.m @ direction <= DUST:
        return Softened(np.eye(len(direction)), 0.0, 1.0)
    strength = _strength(problem, left)
    product = _without_negatives(_product(problem, strength), problem.root)
    return Softened(_root(product), strength, problem.left(product @ direction))


def _problem(words: Array, neutral: Array, b: Array) -> _Problem:
    sizes, axes = np.linalg.eigh(words.T @ words)
    sizes = np.maximum(sizes, FAINT * sizes.mean())
    inverse, m = (axes / sizes) @ axes.T, neutral.T @ neutral
    return _Problem(b, inverse @ b, inverse @ m, m, (axes * np.sqrt(sizes)) @ axes.T)


def _strength(problem: _Problem, left: float) -> float:
    """The λ that leaves so much; the leaning falls as λ grows."""
    from scipy.optimize import brentq

    def above(power: float) -> float:
        return problem.left(problem.towards(2.0**power)) - left

    start = -np.log2(
        max(float(problem.c @ problem.b) * np.trace(problem.g_of) / len(problem.b), DUST)
    )
    low, high = start, start
    while above(high) > 0 and high < start + FURTHEST:
        high += 2.0
    while above(low) < 0 and low > start - FURTHEST:
        low -= 2.0
    if above(high) > 0 or above(low) < 0:
        return float(2.0 ** (high if above(high) > 0 else low))
    return float(2.0 ** brentq(above, low, high, xtol=1e-9)) if high > low else float(2.0**low)


def _product(problem: _Problem, strength: float) -> Array:
    """X = I − λ/2 (g cᵀ + c gᵀ)."""
    g, c = problem.g_of @ problem.towards(strength), problem.c
    product: Array = np.eye(len(c)) - strength / 2 * (np.outer(g, c) + np.outer(c, g))
    return product


def _without_negatives(product: Array, root: Array) -> Array:
    """The nearest X that is a TᵀT, near in the sense of the words' inner products.

    S½ X S½ loses its negative eigenvalues. The objective is then not quite the least: within 4
    parts in 10⁶ of what a search over T itself finds on GloVe, and 1 % on the most lopsided toys.
    """
    sizes, axes = np.linalg.eigh(root @ product @ root)
    if sizes[0] >= 0:
        return product
    back = np.linalg.solve(root, axes * np.sqrt(np.maximum(sizes, 0.0)))
    kept: Array = back @ back.T
    return kept


def _root(product: Array) -> Array:
    sizes, axes = np.linalg.eigh(product)
    root: Array = (axes * np.sqrt(np.maximum(sizes, 0.0))) @ axes.T
    return root


# ---- iterative null-space projection: what tells the sides apart is removed until nothing does
# Ravfogel et al. (2020): fit a linear classifier, project onto the null space of its weights, and
# do so again.

ROUNDS = 10
"""At most; the paper takes 35 for vectors of 300 values and thousands of words of each side."""


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
    span = _span(rows)  # fits need no more dimensions than there are words
    plain = 0.5 + 0.25 * float(np.sqrt(1 / len(first) + 1 / len(second)))
    accuracies = _held_out(rows @ span, side, rng, rounds, plain)
    needed = len(accuracies) - 1
    directions = _removed(rows @ span, side, needed) @ span.T
    readable = accuracies[-1] > plain
    return Nulled(_projection(directions, rows.shape[1]), needed, tuple(accuracies), readable)


def _held_out(
    rows: Array, side: Sides, rng: np.random.Generator, rounds: int, plain: float
) -> list[float]:
    """The accuracy on held-out words before each round and after the last, until it is plain."""
    fold = folds_of(side, rng)
    left = [rows.copy() for _ in range(FOLDS)]
    accuracies: list[float] = []
    for _ in range(rounds + 1):
        told = np.zeros(len(rows), np.bool_)
        for one in range(FOLDS):
            out = fold == one
            slopes, intercept = separating(left[one][~out], side[~out])
            told[out] = left[one][out] @ slopes + intercept > 0
            left[one] = _without(left[one], slopes)
        accuracies.append(balanced(told, side))
        if accuracies[-1] <= plain:
            break
    return accuracies


def _removed(rows: Array, side: Sides, rounds: int) -> Array:
    """The slopes of each round's classifier, (rounds, dimension), each orthogonal to the others."""
    directions = np.zeros((rounds, rows.shape[1]))
    for nth in range(rounds):
        directions[nth], _ = separating(rows, side)
        rows = _without(rows, directions[nth])
    return directions


def _without(rows: Array, slopes: Array) -> Array:
    """What of each row is orthogonal to the slopes."""
    along = unit(slopes)
    left: Array = rows - np.outer(rows @ along, along)
    return left


def _span(rows: Array) -> Array:
    """Orthonormal columns that hold every row, (dimension, at most as many as rows)."""
    basis, _ = np.linalg.qr(rows.T)
    return basis


def _projection(directions: Array, dimension: int) -> Array:
    lengths = np.linalg.norm(directions, axis=1)
    kept = directions[lengths > DUST]
    return null_space_map(unit(kept)) if len(kept) else np.eye(dimension)


# ---- the methods by name: how each moves a space, or why it cannot


BEFORE = "none"
"""The vectors as they are."""


@dataclass(frozen=True, eq=False)
class MovedSpace:
    """A space that was moved, and how, or why it was not."""

    method: str
    space: Space | None = field(default=None, repr=False)
    map: directions_Array | None = field(default=None, repr=False)
    """(dimension, dimension): a later word's vector v is moved to v @ map."""
    note: str = ""
    """What was done, in a sentence."""
    accuracies: tuple[float, ...] = ()
    """Of INLP: how well words held out were told apart before each round, and after the last."""
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """What every method starts from."""

    space: Space
    direction: IdentityDirection
    neutral: tuple[str, ...]
    """Words in hand that should not lean."""
    seed: int
    rounds: int = ROUNDS


def mend(task: Task, method: str) -> MovedSpace:
    """Move a space by one of the methods hard, soft and inlp."""
    if method not in METHODS:
        near = did_you_mean(method, METHODS) or f"there are {', '.join(METHODS)}"
        raise TiltmeterError(f"there is no method of mitigation {method!r}: {near}")
    return METHODS[method](task)


def _hard(task: Task) -> MovedSpace:
    direction = task.direction.vector
    if direction is None:
        return MovedSpace("hard", reason=task.direction.reason)
    return _moved(task, "hard", hard_map(direction), "one direction is removed from every word")


def _soft(task: Task) -> MovedSpace:
    direction, neutral = task.direction.vector, task.neutral
    if direction is None:
        return MovedSpace("soft", reason=task.direction.reason)
    if len(neutral) < FEWEST_WORDS:
        many = f"{len(neutral)} words that should not lean are in the embedding"
        return MovedSpace("soft", reason=f"{many}; expected at least {FEWEST_WORDS}")
    found = soft_map(unit(task.space.vectors), unit(task.space.rows(neutral)), direction)
    note = f"{per_cent(found.left)} of the leaning of {len(neutral):,} words is left (λ = "
    return _moved(task, "soft", found.map, f"{note}{found.strength:.3g})")


def _inlp(task: Task) -> MovedSpace:
    first_words, second_words = task.direction.words.sides
    sides = _own(task.space, first_words, second_words), _own(task.space, second_words, first_words)
    if min(map(len, sides)) < FEWEST_WORDS:
        many = f"{len(sides[0])} and {len(sides[1])} words of the two sides are in the embedding"
        return MovedSpace("inlp", reason=f"{many}; expected at least {FEWEST_WORDS} of each")
    first, second = (task.space.rows(side) for side in sides)
    found = null_spaced(first, second, np.random.default_rng([task.seed, 1]), task.rounds)
    return _moved(task, "inlp", found.map, _told(found.accuracies), found.accuracies)


def _own(space: Space, side: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """The words of one side that are in hand and not of both sides."""
    return tuple(word for word in space.held(dict.fromkeys(side)) if word not in other)


def _told(accuracies: Sequence[float]) -> str:
    """How many directions INLP removed, and what they did."""
    many, first, last = len(accuracies) - 1, per_cent(accuracies[0]), per_cent(accuracies[-1])
    if not many:
        return f"nothing is removed, held-out words were told apart in {first} of cases"
    went = f"{first} of cases before and {last} after"
    removed = "one direction is" if many == 1 else f"{many} directions are"
    return f"{removed} removed; held-out words were told apart in {went} (50 % is guessing)"


def _moved(
    task: Task,
    method: str,
    linear_map: directions_Array,
    note: str,
    accuracies: tuple[float, ...] = (),
) -> MovedSpace:
    moved = task.space.moved(task.space.vectors @ linear_map)
    return MovedSpace(method, moved, linear_map, note, accuracies)


METHODS: Mapping[str, Callable[[Task], MovedSpace]] = {"hard": _hard, "soft": _soft, "inlp": _inlp}
