"""What chance alone gives, told two ways.

*Sentences dealt*: the classes are dealt out anew among sentences of a template with the same word,
or where words are assigned of the same polarity. The raw score that this gives is what a system
gets whose scores have nothing to do with classes, sentence by sentence.

*People dealt*: everyone takes another's place in the dataset, in the same templates and with the
same words, with all their sentences. Sentences about one person share whatever a system makes of
the name, so this is the chance that a claim about groups must be held against. The raw score is too
coarse for it: rejections treat each sentence as a witness of its own. How far classes stand apart
is not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tiltmeter.measures.rating.columns import ATE, WRS, Column
from tiltmeter.measures.rating.group import RatingDataset
from tiltmeter.measures.stats.backdoor import expectations, treatment_effects
from tiltmeter.measures.stats.class_sums import Array, ClassSums
from tiltmeter.measures.stats.rejections import TINY

Sums = Callable[[RatingDataset, Array], ClassSums]
"""A dataset's sums over (classes, kinds), of some systems' scores."""


def apart(column: Column, sums: Sums, scores: Array) -> Array:
    """(systems, draws): how far a column's classes stand apart, over all its datasets.

    Σ n (m_class − m)² where classes are compared; where words are assigned the largest distance
    between means before and after adjustment, or between the naive and the adjusted effect.
    """
    every = [sums(dataset, scores) for dataset in column.group.datasets]
    if column.measure == WRS:
        total: Array = np.sum([_between(one) for one in every], axis=0)
        return np.where(total < TINY**2, 0.0, total)
    moved = np.stack([_moved(column, one) for one in every], axis=-1)
    return _largest(moved)


def _between(sums: ClassSums) -> Array:
    """The sum of squares between classes, within the strata held fixed."""
    n, total = sums.n.sum(axis=-2, keepdims=True), sums.total.sum(axis=-2, keepdims=True)
    mean = np.divide(total, n, out=np.zeros_like(total), where=n > 0)
    from_it = np.where(sums.n > 0, sums.mean, 0.0) - mean
    between: Array = (sums.n * from_it**2).sum(axis=(-1, -2))
    return between


def _moved(column: Column, sums: ClassSums) -> Array:
    if column.measure == ATE:
        effects = treatment_effects(sums)
        return np.abs(effects.adjusted - effects.naive)
    return _largest(np.abs(expectations(sums).difference))


def _largest(values: Array) -> Array:
    """The largest over the last axis; what cannot be told or is but rounding counts as 0."""
    largest: Array = np.where(values > TINY, values, 0.0).max(axis=-1)
    return largest
