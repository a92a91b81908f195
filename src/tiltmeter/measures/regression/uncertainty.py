"""How sure effects are: as if sentences were independent, or allowing for names and templates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, stdtr, stdtrit

from tiltmeter.measures.regression.design import Design
from tiltmeter.measures.regression.fitting import Fitted

Array = NDArray[np.float64]

DUST = 1e-6
"""Part of the scale that counts as 0."""
NO_ERROR = 1e-2
"""Part of the dust below which an error is a rounding error."""
NO_VALUE = 1e-4
"""Part of the dust below which a value is a rounding error, whose sign would say something."""
LEVEL = 0.95
STEEPEST = 4.0
"""A score moves by a quarter of what the logit does, at most: dust on the logit is so much more."""


@dataclass(frozen=True, slots=True)
class Estimated:
    """Numbers with their uncertainty, (submissions, effects)."""

    value: Array
    se: Array
    low: Array
    high: Array
    statistic: Array
    df: Array
    """Infinite: the normal distribution."""
    p: Array


def estimated(value: Array, variance: Array, df: Array, dust: float = DUST) -> Estimated:
    """A t-test of 0 and its 95 % interval.

    A value and an error below `dust` are 0, and so is a value that is but a rounding error; a value
    above it without any error is certain.
    """
    known = np.isfinite(value) & np.isfinite(variance) & (df > 0)
    with np.errstate(all="ignore"):
        se = np.sqrt(np.where(known, np.maximum(variance, 0.0), np.nan))
        none = (np.abs(value) < dust) & (se < dust)
        naught = none | (np.abs(value) < NO_VALUE * dust)
        value, se = np.where(naught, 0.0, value), np.where(none | (se < NO_ERROR * dust), 0.0, se)
        t = np.where(none, 0.0, value / se)
        p = 2.0 * stdtr(df, -np.abs(t))
        half = np.where(se > 0, stdtrit(df, 0.5 + LEVEL / 2.0) * se, 0.0)
    value, df, p = (np.where(known, column, np.nan) for column in (value, df, p))
    finite = np.where(np.isfinite(t) & known, t, np.nan)
    return Estimated(value, se, value - half, value + half, finite, df, p)


@dataclass(frozen=True, slots=True)
class Means:
    """The mean score that the model gives each group, with everything else as it stands."""

    value: Array
    """(submissions, groups)"""
    slope: Array
    """(submissions, groups, p): its derivative in β."""
    rows: Array
    """(submissions, groups, p): the average row of the design."""


def group_means(fitted: Fitted, design: Design, beta: Array) -> Means:
    """Every sentence's mean, had it been of each group; averaged over sentences."""
    n = fitted.cells.sums.n
    with np.errstate(all="ignore"):
        weight = n / n.sum(axis=1, keepdims=True)
        mu = expit(np.einsum("gcp,sp->sgc", design.settings, beta, optimize=True))
    weighed = mu * (1.0 - mu) * weight[:, None, :]
    return Means(
        np.einsum("sgc,sc->sg", mu, weight),
        np.einsum("sgc,gcp->sgp", weighed, design.settings, optimize=True),
        np.einsum("sc,gcp->sgp", weight, design.settings, optimize=True),
    )
