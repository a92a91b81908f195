"""The mixed model: names and templates as random draws, linear on the logit.

    logit y = x'β + name + template + template × group + frame + e,  all but β random

The random effects of template × group let a tilt differ from template to template, as the crossed
errors do; without them only names would count (Barr et al. 2013). Fitted by REML. The logit is of
each score, squeezed where some are 0 or 1, so that β is not quite that of a Beta regression, which
is of the mean.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.regression.design import Design
from tiltmeter.measures.regression.fitting import Fitted
from tiltmeter.measures.regression.reduction import squeezed
from tiltmeter.measures.regression.rows import MARGINAL_MIXED, MIXED, Table
from tiltmeter.measures.regression.uncertainty import DUST, STEEPEST, estimated, group_means
from tiltmeter.measures.stats.mixed import fit_mixed

Array = NDArray[np.float64]


def mixed_tables(
    fitted: Fitted, design: Design, values: Array, frame: NDArray[np.int64]
) -> list[Table]:
    """The coefficients of a mixed model and what they come to in scores, for every submission.

    An effect on scores has the degrees of freedom of its coefficient. `frame` numbers the frame of
    each sentence.
    """
    fine = fitted.fine
    logit = np.full(values.shape, np.nan)
    with np.errstate(all="ignore"):
        inside = squeezed(np.clip(values[fine], 0.0, 1.0))
        logit[fine] = np.log(inside) - np.log1p(-inside)
    rows = np.array([effect.coefficient for effect in design.effects])
    fit = fit_mixed(logit, design.mean[design.cell[design.atom]], _factors(design, frame), rows)
    means = group_means(fitted, design, fit.coefficients)
    weights = np.array([effect.groups for effect in design.effects])
    slopes = np.einsum("eg,sgp->sep", weights, means.slope)
    spread = np.einsum("sep,spq,seq->se", slopes, fit.covariance, slopes, optimize=True)
    none = (np.abs(fitted.least_squares.parameters @ rows.T) < DUST).all(axis=1)
    blind = (~fit.converged & none & _blind(logit, frame))[:, None]
    value, variance, effect, spread = (
        np.where(blind, 0.0, part)
        for part in (fit.estimate, fit.se**2, means.value @ weights.T, spread)
    )
    df = np.where(blind, np.inf, fit.df)
    return [
        Table(MIXED, design.effects, estimated(value, variance, df, STEEPEST * DUST)),
        Table(MARGINAL_MIXED, design.effects, estimated(effect, spread, df)),
    ]


def _blind(logit: Array, frame: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which submissions score the sentences of each frame alike, so that no spread is left."""
    same = np.ones(len(logit), np.bool_)
    for one in np.unique(frame):
        mine = logit[:, frame == one]
        low = np.fmin.reduce(mine, axis=1, initial=np.inf)
        high = np.fmax.reduce(mine, axis=1, initial=-np.inf)
        same &= high - low < DUST
    return same & np.isfinite(logit).any(axis=1)


def _factors(design: Design, frame: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """What is random: the name, the template, the template for each group, the frame."""
    person, template = design.person[design.atom], design.template[design.atom]
    group = design.group[person]
    return [person, template, template * design.groups.height + group, frame]
