"""The regressions of one part of a study: submissions that are fitted on the same sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tiltmeter.measures.regression.design import Design
from tiltmeter.measures.regression.obstacles import Seen, least_obstacles, obstacles
from tiltmeter.measures.regression.parts import ALL
from tiltmeter.measures.regression.reduction import Reduced
from tiltmeter.measures.stats.beta import STEPS, BetaFit, fit_beta
from tiltmeter.measures.stats.least_squares import LeastSquares, fit_least_squares

Array = NDArray[np.float64]

UNSETTLED = f"the fit did not converge within {STEPS} steps"
TINY = 1e-12
"""Added to a matrix, in parts of its size, so that an empty design can be solved at all."""
FARTHEST = 30.0
"""The largest logit to begin at."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Fits of the submissions of one part; NaN and a reason where there is none."""

    beta: BetaFit
    least_squares: LeastSquares
    cells: Reduced
    precision: Array
    """(cells, q): the design of log φ."""
    reasons: tuple[str | None, ...]
    """By submission: what stands in the way of a Beta regression."""
    least_reasons: tuple[str | None, ...]
    """By submission: what stands in the way of least squares."""

    @property
    def fine(self) -> NDArray[np.bool_]:
        """Which submissions have a Beta regression."""
        return _none(self.reasons)

    @property
    def least_fine(self) -> NDArray[np.bool_]:
        """Which submissions have a fit by least squares."""
        return _none(self.least_reasons)


def _none(reasons: Sequence[str | None]) -> NDArray[np.bool_]:
    return np.array([reason is None for reason in reasons], bool)


def fit_part(
    atoms: Reduced, design: Design, precision: Array, on_scale: NDArray[np.bool_], subset: str = ALL
) -> Fitted:
    """Fit every submission that can be; `on_scale` says whose scores lie on a known scale.

    `subset` says what the sentences are.
    """
    cells = atoms.of_cells(design.cell, len(design.mean))
    squares = fit_least_squares(cells.sums.n, *cells.raw, design.mean)
    inside = fit_least_squares(cells.sums.n, *cells.inside, design.mean)
    seen = Seen(atoms, cells, design, precision, inside, on_scale, subset)
    reasons, least = obstacles(seen), least_obstacles(replace(seen, least_squares=squares))
    left = _none(reasons)
    start = np.where(left[:, None], _start(cells, design.mean, precision), np.nan)
    beta = fit_beta(cells.sums, design.mean, precision, start)
    for at in np.flatnonzero(left & ~beta.converged):
        reasons[at] = UNSETTLED
    return Fitted(beta, squares, cells, precision, tuple(reasons), tuple(least))


def _start(cells: Reduced, mean: Array, precision: Array) -> Array:
    """Where Newton begins: least squares on the logit, and the spread that goes with it."""
    n, size = cells.sums.n, mean.shape[1]
    normal = np.einsum("sc,cj,ck->sjk", n, mean, mean, optimize=True)
    level = np.maximum(np.trace(normal, axis1=1, axis2=2), 1.0)
    tilt = (cells.sums.log_y - cells.sums.log_rest) @ mean
    safe = normal + TINY * level[:, None, None] * np.eye(size)
    slope = np.linalg.solve(safe, tilt[:, :, None])[:, :, 0]
    fitted = expit(np.clip(slope @ mean.T, -FARTHEST, FARTHEST))
    begin = np.zeros((len(n), precision.shape[1]))
    begin[:, 0] = np.log(_first_precision(cells, fitted))
    return np.concatenate([slope, begin], axis=1)


def _first_precision(cells: Reduced, fitted: Array) -> Array:
    """φ from the variance of a Beta distribution, μ(1 − μ)/(1 + φ)."""
    n = cells.sums.n
    with np.errstate(all="ignore"):
        squares = cells.inside.squares - 2 * fitted * cells.inside.total + n * fitted**2
        level = np.sum(n * fitted * (1 - fitted), axis=1)
        phi = level / squares.sum(axis=1) - 1.0
    found: Array = np.clip(np.nan_to_num(phi, nan=1.0, posinf=1e9), 0.05, 1e9)
    return found
