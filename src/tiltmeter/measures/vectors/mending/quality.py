"""What vectors are good for, before and after: likeness as people judge it, and neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.stats.correlation import spearman
from tiltmeter.measures.vectors.mending.directions import unit
from tiltmeter.measures.vectors.mending.probing import REACH
from tiltmeter.measures.vectors.mending.rows import Row, refused, row
from tiltmeter.measures.vectors.space import Space

Places = NDArray[np.int64]

FEWEST = 10
"""Pairs below which a correlation says nothing."""
NEIGHBOURS, SAMPLE = 10, 500
KEPT = f"{NEIGHBOURS} nearest words"


def similarity(space: Space, what: str, pairs: Sequence[tuple[str, str, float]]) -> Row:
    """Spearman's ρ between the cosines of word pairs and the scores people gave them.

    The interval is Bonett & Wright's (2000); pairs with a word that is not in hand are left out.
    """
    held = [pair for pair in pairs if len(space.held(pair[:2])) == 2]
    if len(held) < FEWEST:
        found = f"{len(held)} of {len(pairs)} scored pairs are in the embedding"
        return refused("similarity", what, f"{found}; expected at least {FEWEST}", len(held))
    first = unit(space.rows([word for word, _, _ in held]))
    second = unit(space.rows([word for _, word, _ in held]))
    scores = np.array([score for _, _, score in held])
    told = spearman((first * second).sum(axis=1)[None, :], scores)
    value, low, high = (float(x[0]) for x in (told.value, told.low, told.high))
    if np.isnan(value):
        return refused("similarity", what, "all cosines or all scores are the same", len(held))
    return row("similarity", what, value, low, high, len(held))


def neighbour_sample(space: Space, rng: np.random.Generator) -> Places:
    """The rows of the words whose neighbours are compared, 500 at most."""
    many = min(SAMPLE, len(space.words))
    return np.sort(rng.choice(len(space.words), many, replace=False))


def nearest(space: Space, places: Places) -> Places:
    """The 10 nearest words to each of some, by cosine, among the words in hand and no others."""
    rows = unit(space.vectors).astype(np.float32)
    cosines = rows[places] @ rows.T
    cosines[np.arange(len(places)), places] = -np.inf
    most = min(NEIGHBOURS, len(rows) - 1)
    near: Places = np.argpartition(-cosines, max(most - 1, 0), axis=1)[:, :most]
    return near


def neighbours(before: Places, after: Places) -> Row:
    """The mean share of the 10 nearest words that stay the same; 1 where nothing moved."""
    if before.shape[1] < NEIGHBOURS:
        reason = f"the embedding holds {len(before)} of the words asked for; expected at least 11"
        return refused("neighbours", KEPT, reason, len(before))
    shared = (before[:, :, None] == after[:, None, :]).any(axis=2).mean(axis=1)
    value, n = float(shared.mean()), len(shared)
    reach = REACH * float(shared.std(ddof=1)) / np.sqrt(n)
    low, high = max(0.0, value - reach), min(1.0, value + reach)
    return row("neighbours", KEPT, value, low, high, n)
