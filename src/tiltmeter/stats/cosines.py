"""How close sets of vectors are by their directions: associations, and the effect size of WEAT."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DUST = 1e-12
"""A standard deviation of associations, which lie within −2..2, below which they do not vary."""


def unit_rows(vectors: Array) -> Array:
    """Each vector at length 1; NaN where it has no direction.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [nan, nan]]
    """
    largest = np.max(np.abs(vectors), axis=1, keepdims=True, initial=0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = vectors / largest  # so that squares of tiny or huge values stay in range
        rows: Array = scaled / np.sqrt((scaled * scaled).sum(axis=1, keepdims=True))
    return rows


def cosines(these: Array, those: Array) -> Array:
    """The cosine of the angle between every two vectors, (these, those)."""
    found: Array = unit_rows(these) @ unit_rows(those).T
    return found


def associations(targets: Array, good: Array, bad: Array) -> Array:
    """s(w, A, B) = mean cos(w, a) − mean cos(w, b) of each target w (Caliskan et al. 2017).

    >>> right, up, slanted = [[1.0, 0.0]], [[0.0, 1.0]], [[3.0, 4.0]]
    >>> associations(*(np.array(each) for each in (slanted, right, up))).round(6).tolist()
    [-0.2]
    """
    closer: Array = cosines(targets, good).mean(axis=1) - cosines(targets, bad).mean(axis=1)
    return closer


def effect_size(first: Array, second: Array) -> float:
    """The effect size d = (mean of s over X − mean of s over Y) / sd of s over both.

    `first` and `second` are associations; NaN where they do not vary. The sd is the sample's, over
    n − 1: so it is in the code of May et al. (2019), and so Caliskan et al. (2017) must have made
    theirs, whose numbers for word2vec come out to the last digit. WEFE divides by n, which gives a
    d larger by √(n/(n − 1)). With two sets of one size, n words in all, |d| ≤ 2√((n − 1)/n).

    >>> round(effect_size(np.array([0.3, 0.1]), np.array([-0.1, -0.3])), 6)  # 0.4 / √(0.2/3)
    1.549193
    """
    spread = np.std(np.concatenate([first, second]), ddof=1)
    return float((first.mean() - second.mean()) / spread) if spread > DUST else float("nan")


def effect_draws(
    similar: tuple[Array, Array], sizes: tuple[int, int], counts: list[Array]
) -> Array:
    """The effect size in each resample of words; NaN where associations do not vary.

    `similar` holds the cosines of all targets with the good and with the bad words, (targets,
    words); `sizes` says how many targets stand in the first and second set; `counts` says how often
    each word was drawn, (words, resamples), of the first, second, good and bad set.
    """
    first, _, good, bad = counts
    closer = _means(similar[0], good) - _means(similar[1], bad)
    one, other = closer[: sizes[0]], closer[sizes[0] :]
    drawn, n = np.concatenate(counts[:2]), sum(sizes)
    around = closer - (drawn * closer).sum(axis=0) / n
    spread = np.sqrt((drawn * around * around).sum(axis=0) / (n - 1))
    apart = (first * one).sum(axis=0) / sizes[0] - (counts[1] * other).sum(axis=0) / sizes[1]
    draws: Array = apart / np.where(spread > DUST, spread, np.nan)
    return draws


def _means(similar: Array, counts: Array) -> Array:
    """The mean cosine of each target with the words drawn, (targets, resamples)."""
    means: Array = similar @ counts / len(counts)
    return means
