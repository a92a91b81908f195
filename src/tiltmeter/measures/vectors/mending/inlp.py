"""Iterative null-space projection: what tells the sides apart is removed until nothing does.

Ravfogel et al. (2020): fit a linear classifier, project onto the null space of its weights, and do
so again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.vectors.mending.directions import DUST, unit
from tiltmeter.measures.vectors.mending.probing import (
    FOLDS,
    Sides,
    balanced,
    folds_of,
    separating,
)
from tiltmeter.measures.vectors.mending.projections import null_space_map

Array = NDArray[np.float64]

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
