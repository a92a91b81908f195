"""Further measures of the word tests: ECT, RND, RIPA and MAC.

Each was made for one set of attributes, a test here has two. ECT and MAC take both; RND and RIPA
are told as the difference between good and bad, so that what draws the targets to any word at all
cancels out. None of them has a p-value: they describe, beside WEAT. Vectors are rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.measures.stats.correlation import spearman
from tiltmeter.measures.stats.cosines import Array, cosines, unit_rows
from tiltmeter.measures.vectors.word_tests import SIDES, Held

OTHERS = {
    **dict.fromkeys(("embedding", "test", "measure"), pl.String),
    "value": pl.Float64,
    "reason": pl.String,
}


def coherence(first: Array, second: Array, good: Array, bad: Array) -> float:
    """ECT, the embedding coherence test: ρ(cos(m₁, w), cos(m₂, w)) over the attribute words w.

    m₁ and m₂ are the mean vectors of the two sets of targets, ρ is Spearman's correlation (Dev &
    Phillips 2019). 1: both sets of targets put the attributes, good and bad together, in one order.
    NaN below 3 attributes, or where a mean has no direction.

    >>> axes = np.eye(3)
    >>> round(coherence(axes[:1], axes[:1] * 2, axes[:2], np.array([[1.0, 1.0, 0.0]])), 6)
    1.0
    """
    means = np.stack([first.mean(axis=0), second.mean(axis=0)])
    similar = cosines(means, np.concatenate([good, bad]))
    return float(spearman(similar[:1], similar[1]).value[0])


def relative_norm_distance(first: Array, second: Array, good: Array, bad: Array) -> float:
    """RND, the relative norm distance: mean of ‖w − m₁‖ − ‖w − m₂‖, over good less over bad words.

    All vectors are of length 1, m₁ and m₂ are the means of the targets' (Garg, Schiebinger,
    Jurafsky & Zou 2018, who sum over one set of words; the mean does not grow with it). Below 0:
    the first targets stand closer to the good words, a distance being small where WEAT is large.

    >>> right, up = np.array([[1.0, 0.0]]), np.array([[0.0, 2.0]])
    >>> round(relative_norm_distance(right, up, right, up), 6)  # (0 − √2) − (√2 − 0)
    -2.828427
    """
    ends = [unit_rows(side).mean(axis=0) for side in (first, second)]
    further = [
        np.linalg.norm(unit_rows(words) - ends[0], axis=1).mean()
        - np.linalg.norm(unit_rows(words) - ends[1], axis=1).mean()
        for words in (good, bad)
    ]
    return float(further[0] - further[1])


def inner_product(first: Array, second: Array, good: Array, bad: Array) -> float:
    """RIPA, the relational inner product association: mean ⟨w, b⟩, over good less over bad words.

    b = (x − y)/‖x − y‖ for a pair of words (Ethayarajh, Duvenaud & Hirst 2019). Sets of words have
    no pairs, so b is the mean over every first x with every second y; WEFE pairs words by their
    place, which is the same for one word a side. Above 0: the first targets are closer to good.
    Lengths of vectors count, as the authors mean them to, so that embeddings do not compare by it.
    NaN where a first and a second target have the same vector.

    >>> right, up = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> round(inner_product(right, up, right, up), 6)  # 1/√2 − (−1/√2)
    1.414214
    """
    relation = unit_rows((first[:, None, :] - second[None, :, :]).reshape(-1, first.shape[1]))
    return float((good.mean(axis=0) - bad.mean(axis=0)) @ relation.mean(axis=0))


def mean_average_cosine(first: Array, second: Array, good: Array, bad: Array) -> float:
    """MAC, the mean average cosine distance: mean of 1 − cos(t, a), within good and bad, then both.

    Over all targets t (Manzini, Lim, Tsvetkov & Black 2019). It has no direction: 1 is no
    association, and a test's targets may have a strong one each way at 1.

    >>> right, up = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> mean_average_cosine(right, right, right, up)  # (0 + 1) / 2
    0.5
    """
    targets = np.concatenate([first, second])
    return float(np.mean([1 - cosines(targets, words).mean() for words in (good, bad)]))


MEASURES: Mapping[str, tuple[Callable[[Array, Array, Array, Array], float], str]] = {
    "ect": (
        coherence,
        "the mean of a set of targets is close to no attribute word, or to all alike",
    ),
    "rnd": (relative_norm_distance, "the distances are no numbers"),
    "ripa": (inner_product, "a first and a second target word have the same vector"),
    "mac": (mean_average_cosine, "the cosines are no numbers"),
}
"""By name: what it is, and why it may be undefined."""


def other_rows(embedding: str, held: Held) -> list[dict[str, Any]]:
    """A row for each measure of a test; null and a reason where there is none."""
    return [
        {"embedding": embedding, "test": held.test.name, "measure": name, **_told(name, held)}
        for name in MEASURES
    ]


def _told(name: str, held: Held) -> dict[str, Any]:
    if held.reason:
        return {"value": None, "reason": held.reason}
    measure, undefined = MEASURES[name]
    value = measure(*(held.vectors[side] for side in SIDES))
    return {"value": value} if np.isfinite(value) else {"value": None, "reason": undefined}
