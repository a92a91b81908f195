"""Analogies: a is to b as c is to what? Answered by vectors alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.vectors.mending.directions import Array, unit
from tiltmeter.measures.vectors.mending.probing import wilson
from tiltmeter.measures.vectors.mending.rows import Row, refused, row
from tiltmeter.measures.vectors.space import Space

Question = tuple[str, tuple[str, str, str, str]]
"""A section and a, b, c, d: a is to b as c is to d."""
Places = NDArray[np.intp]

OVERALL = "overall"
CELLS = 2**22
"""Cosines held at a time."""


def analogy_rows(space: Space, questions: Sequence[Question]) -> list[Row]:
    """The share of questions answered right, by section and overall.

    The answer is the word in hand with the highest cosine to b − a + c, other than a, b and c
    (3CosAdd, Mikolov et al. 2013), vectors at length 1. Only words that were read are candidates,
    so shares are higher than among a whole vocabulary: compare them before and after, not with
    other people's. Questions with a word that is not in hand are left out.
    """
    if not questions:
        return []
    held = [question for question in questions if len(space.held(question[1])) == 4]
    asked = np.array([[space.places[word] for word in words] for _, words in held], np.intp)
    asked = asked.reshape(-1, 4)
    right = answers(unit(space.vectors), asked[:, :3]) == asked[:, 3]
    sections = np.array([section for section, _ in held], dtype=object)
    named = dict.fromkeys(section for section, _ in questions)
    rows = [_told(name, asked[sections == name], right[sections == name]) for name in named]
    return [*rows, _told(OVERALL, asked, right)] if len(named) > 1 else rows


def answers(rows: Array, asked: Places) -> Places:
    """The row nearest to b − a + c for each question (a, b, c); rows have length 1."""
    light = rows.astype(np.float32)
    at_once = max(1, CELLS // max(1, len(rows)))
    found = np.empty(len(asked), np.intp)
    for begun in range(0, len(asked), at_once):
        part = asked[begun : begun + at_once]
        a, b, c = part.T
        cosines = (light[b] - light[a] + light[c]) @ light.T
        np.put_along_axis(cosines, part, -np.inf, axis=1)
        found[begun : begun + at_once] = cosines.argmax(axis=1)
    return found


def _told(section: str, asked: Places, right: NDArray[np.bool_]) -> Row:
    if not len(right):
        return refused("analogies", section, "no question has all four words in the embedding", 0)
    value = float(right.mean())
    return row("analogies", section, value, *wilson(value, worth(asked, right)), len(right))


def worth(asked: Places, right: NDArray[np.bool_]) -> float:
    """How many independent questions these are worth: p(1 − p) over the variance of p.

    Twenty pairs make 380 questions, each of two pairs. The variance allows for questions that share
    a pair (dyadic clusters, Fafchamps & Gubert 2007): (Σ S² over pairs − Σ S² over twos of pairs) /
    n², S the sum of what answers are above p. Where all or no answers are right, pairs are counted.
    """
    _, pairs = np.unique(asked.reshape(-1, 2), axis=0, return_inverse=True)
    twos = np.sort(pairs.reshape(-1, 2), axis=1)
    _, two = np.unique(twos, axis=0, return_inverse=True)
    n, many, p = len(right), int(twos.max()) + 1, float(right.mean())
    above = right - p
    by_two, own = np.bincount(two.ravel(), above), twos[:, 0] == twos[:, 1]
    by_pair = np.bincount(twos[:, 0], above, many)
    by_pair += np.bincount(twos[:, 1], np.where(own, 0.0, above), many)
    shared = float((by_pair**2).sum() - (by_two**2).sum()) * many / max(many - 1, 1)
    return min(float(n), p * (1 - p) * n**2 / shared) if shared > 0 else float(min(many, n))
