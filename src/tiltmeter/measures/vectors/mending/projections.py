"""Hard projection: what lies along an identity's direction is taken out of every word."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.vectors.mending.directions import DUST, unit
from tiltmeter.measures.vectors.space import Space

Array = NDArray[np.float64]


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
