"""Soft projection: words that should not lean do so less, and all words keep their likeness.

Bolukbasi et al. (2016, §6) look for the linear map T with the least

    ‖(T W)ᵀ(T W) − WᵀW‖² + λ ‖(T N)ᵀ(T b)‖²

W has all words in hand as columns, N those that should not lean, b is the direction; all have
length 1. Both terms depend on X = TᵀT alone and are quadratic in it, so nothing needs to be
searched. With S = WWᵀ and y = X b, the gradient is 0 where

    X = I − λ/2 (g cᵀ + c gᵀ),   c = S⁻¹b,   g = S⁻¹NNᵀy

and that, times b, is a linear system in y. λ means little by itself: the paper's 0.2 moves next to
nothing among thousands of words. It is chosen so that a stated part of the leaning is left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.vectors.mending.directions import DUST

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
