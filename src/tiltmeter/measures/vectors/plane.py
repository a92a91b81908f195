"""The map of Sweeney & Najafian's Figure 1: sentiment words and identity terms in two dimensions.

The plane is that of the two principal components of all words shown. Distances on it are rough: it
holds the share of variance that it says.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.vectors.classifier import Lexicon
from tiltmeter.measures.vectors.space import Space

Array = NDArray[np.float64]

SHOWN = 120
"""Sentiment words of each polarity on the map, drawn by chance: all would hide the terms."""
PLANE = {
    **dict.fromkeys(("embedding", "list", "text", "kind"), pl.String),
    **dict.fromkeys(("x", "y", "x_share", "y_share"), pl.Float64),
}


def plane_of(
    space: Space, lexicon: Lexicon, name: str, terms: Sequence[str], seed: int
) -> pl.DataFrame:
    """Terms and a sample of sentiment words on a plane."""
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
