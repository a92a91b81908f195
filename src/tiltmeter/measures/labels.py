"""Scores read as labels: positive from a threshold on, or several classes from several of them."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.measures.stats.paired import DUST

Array = NDArray[np.float64]
Thresholds = tuple[float, ...]

MIDDLE = 0.5
"""Of the scale from 0 to 1."""
MOST = 10
"""Thresholds: more classes than eleven are no labels."""


def thresholds_given(wanted: float | Sequence[float] | None) -> Thresholds:
    """Where labels begin, on the scale from 0 to 1; the middle where nothing is said.

    >>> thresholds_given(None), thresholds_given([0.4, 0.6])
    ((0.5,), (0.4, 0.6))
    >>> thresholds_given(3)
    Traceback (most recent call last):
    tiltmeter.errors.TiltmeterError: --threshold is 3; expected numbers between 0 and 1, each \
larger than the one before: a point T of a scale LOW:HIGH is at (T − LOW) / (HIGH − LOW)
    """
    given = MIDDLE if wanted is None else wanted
    several: Sequence[float] = given if isinstance(given, list | tuple) else (given,)
    if not _rising(several):
        said = ", ".join(f"{one:g}" if isinstance(one, Real) else repr(one) for one in several)
        what = f"--threshold is {said or 'empty'}; expected numbers between 0 and 1"
        where = "a point T of a scale LOW:HIGH is at (T − LOW) / (HIGH − LOW)"
        raise TiltmeterError(f"{what}, each larger than the one before: {where}")
    if len(several) > MOST:
        raise TiltmeterError(f"--threshold has {len(several)} numbers; expected at most {MOST}")
    return tuple(float(one) for one in several)


def _rising(several: Sequence[float]) -> bool:
    numbers = all(isinstance(one, Real) and not isinstance(one, bool) for one in several)
    if not numbers or not len(several):
        return False
    ends = np.array([0.0, *several, 1.0])
    return bool((np.diff(ends) > 0).all())


def labels_of(scores: Array, thresholds: Thresholds) -> Array:
    """How many of the thresholds a score reaches, as a part of all; NaN stays.

    With one threshold: 1 from it on, 0 below. A score within a millionth of it has reached it, so
    that rounding turns no label.

    >>> labels_of(np.array([0.2, 0.5, np.nan]), (0.5,))
    array([ 0.,  1., nan])
    >>> labels_of(np.array([0.2, 0.5, 0.7]), (0.4, 0.6))
    array([0. , 0.5, 1. ])
    """
    reached = np.zeros(scores.shape)
    for one in thresholds:
        reached += np.nan_to_num(scores, nan=-1.0) >= one - DUST
    return np.where(np.isnan(scores), np.nan, reached / len(thresholds))
