"""Scores counted instead of listed: what a rating of millions of sentences is computed from.

A *tally* has one row for all sentences of a submission that are alike in dataset, class and word
and whose scores lie close together: how many there are, the mean of their scores and of their
squares. Means, variances and tests come out as they do sentence by sentence. What is drawn at
random is drawn by row, as if all sentences of a row had its mean: the same distribution where they
do have one score, and off by less than the width of a row where they do not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.stats.class_sums import Array, Index
from tiltmeter.measures.stats.rejections import TINY


@dataclass(frozen=True, eq=False, slots=True)
class Tally:
    """What each row of a group's `sentences` stands for; arrays have a place for each row."""

    submissions: int
    whose: Index
    """The submission by number."""
    count: Index
    """How many sentences."""
    mean: Array
    """NaN for sentences without an answer."""
    square: Array
    """The mean of the squared scores."""
    like: Index
    """The same number where scores of different classes lie close together, for the same word."""

    @property
    def known(self) -> NDArray[np.bool_]:
        """Where there is an answer."""
        return ~np.isnan(self.mean)

    def answered(self, submission: int) -> bool:
        """Whether a submission answered any sentence."""
        return bool(np.any(self.known & (self.whose == submission)))


def positive(scores: Array) -> NDArray[np.bool_]:
    """Where a score on −1..1 is 0 or more, rounding aside."""
    above: NDArray[np.bool_] = scores > -TINY
    return above


def middle_of_scale(low: float, high: float) -> float:
    """The score on another scale above which one is positive on −1..1.

    >>> middle_of_scale(0, 1)
    0.499999
    """
    return low + (high - low) * (1 - TINY) / 2


def tally_discretised(tally: Tally, keep: NDArray[np.bool_], own: Array) -> Tally:
    """The tally with 1 for scores of 0 or more and 0 for others.

    No row has scores on both sides. Submissions to `keep` have their `own` answers, which do not
    vary within a row.
    """
    told = np.where(tally.known, positive(tally.mean).astype(np.float64), np.nan)
    mean = np.where(keep[tally.whose], np.round(own), told)
    return replace(tally, mean=mean, square=mean**2)
