"""The regressions of submissions that are fitted on the same sentences, and how each went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import expit

from tiltmeter.stats.beta import STEPS, BetaFit, fit_beta
from tiltmeter.stats.clustered import LeastSquares, fit_least_squares
from tiltmeter.stats.moments import members
from tiltmeter.studies.regression.design import RegressionDesign, independent
from tiltmeter.studies.regression.sums import ALL, AtomReduction, ScoreMoments

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

SAME = 1e-6
"""Part of the scale below which scores are the same."""
FEWEST = 2
"""Names of a group without which nothing can be said beyond them."""
TINY = 1e-12
"""Added to a matrix, in parts of its size, so that an empty design can be solved at all."""
FARTHEST = 30.0
"""The largest logit to begin at."""
NO_SCALE = "its scale is not known; give it with --scale LOW:HIGH"
SEPARATED = "within each group all scores are the same (perfect separation)"
EXPLAINED = "groups and controls explain every score to the last digit (perfect separation)"
UNSETTLED = f"the fit did not converge within {STEPS} steps"

FITS = {
    "system": pl.String, "task": pl.String, "subset": pl.String, "n": pl.Int64,
    "n_dropped": pl.Int64, "people": pl.Int64, "templates": pl.Int64, "clipped": pl.Int64,
    "edge": pl.Int64, "precision": pl.Float64, "log_likelihood": pl.Float64,
    "iterations": pl.Int64, "converged": pl.Boolean, "reason": pl.String,
    "least_squares_reason": pl.String,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fitted:
    """Fits of submissions on the same sentences; NaN and a reason where there is none."""

    design: RegressionDesign
    atoms: AtomReduction
    cells: AtomReduction
    subset: str
    """What the sentences are."""
    beta: BetaFit
    least_squares: LeastSquares
    reasons: tuple[str | None, ...]
    """By submission: what stands in the way of a Beta regression."""
    least_reasons: tuple[str | None, ...]
    """By submission: what stands in the way of least squares."""

    @property
    def fine(self) -> NDArray[np.bool_]:
        """Which submissions have a Beta regression."""
        return np.array([reason is None for reason in self.reasons], bool)

    def table(self, submissions: pl.DataFrame, size: int) -> pl.DataFrame:
        """How the fit of each submission to `size` sentences went, and why there is none."""
        design, atoms, beta, many = self.design, self.atoms, self.beta, submissions.height
        phi = np.full(many, np.nan)
        if design.precision.shape[1] == 1:
            phi = np.exp(beta.parameters[:, design.mean.shape[1]])
        people, templates = (
            np.count_nonzero(atoms.sums.n @ members(of, whole) > 0, axis=1)
            for of, whole in (
                (design.person, design.people.height),
                (design.template, len(design.templates)),
            )
        )
        return pl.DataFrame(
            {
                "system": submissions["system"],
                "task": submissions["task"],
                "subset": [self.subset] * many,
                "n": atoms.n,
                "n_dropped": size - atoms.n,
                "people": people,
                "templates": templates,
                "clipped": atoms.clipped,
                "edge": atoms.edge,
                "precision": pl.Series(phi).fill_nan(None),
                "log_likelihood": pl.Series(beta.log_likelihood).fill_nan(None),
                "iterations": beta.iterations,
                "converged": beta.converged,
                "reason": list(self.reasons),
                "least_squares_reason": list(self.least_reasons),
            },
            FITS,
        )


def fit_submissions(
    atoms: AtomReduction, design: RegressionDesign, on_scale: NDArray[np.bool_], subset: str = ALL
) -> Fitted:
    """Fit every submission that can be; `on_scale` says whose scores lie on a known scale."""
    cells = atoms.of_cells(design.cell, len(design.mean))
    n, mean = cells.sums.n, design.mean
    squares = fit_least_squares(n, *cells.raw, mean)
    inside = fit_least_squares(n, *cells.inside, mean)
    # What stands in the way is found before a fit is tried: a reason rather than a wild number.
    common = _common_obstacles(atoms, n, design, on_scale, subset)
    least, reasons = list(common), list(common)
    if len(mean):
        least = _first(common, _separated(cells.raw, n, design, squares))
        clipped = _all_clipped(atoms)
        reasons = _first(common, clipped, _separated(cells.inside, n, design, inside))
    left = np.array([reason is None for reason in reasons], bool)
    start = np.where(left[:, None], _start(cells, design), np.nan)
    beta = fit_beta(cells.sums, mean, design.precision, start)
    for at in np.flatnonzero(left & ~beta.converged):
        reasons[at] = UNSETTLED
    return Fitted(design, atoms, cells, subset, beta, squares, tuple(reasons), tuple(least))


Reasons = Sequence[str | None]
"""By submission; None where nothing stands in the way."""


def _first(*several: Reasons) -> list[str | None]:
    return [next(filter(None, found), None) for found in zip(*several, strict=True)]


def _common_obstacles(
    atoms: AtomReduction,
    n: Array,
    design: RegressionDesign,
    on_scale: NDArray[np.bool_],
    subset: str,
) -> Reasons:
    """What stands in the way of any fit; `n` is of the cells, (submissions, cells)."""
    many = len(n)
    if not n.shape[1]:
        what = f"no sentence of the subset {subset}"
        return [f"there is {what} about a person with a group on every axis"] * many
    alike: list[str | None] = [None] * many  # columns that no sentence tells apart
    patterns, of = np.unique(n > 0, axis=0, return_inverse=True)
    for at, there in enumerate(patterns):
        why = None
        if not there.any():
            why = "no sentence has a score"
        elif len(independent(design.mean[there])) < design.mean.shape[1]:
            full = set(design.group_of_cell[there])
            empty = [one for one in range(design.groups.height) if one not in full]
            which = _groups(design, empty) or "some level of a control"
            why = f"no sentence with a score tells {which} apart from the others"
        for one in np.flatnonzero(of.reshape(-1) == at):
            alike[one] = why
    few: list[str | None] = [None] * many
    there = atoms.sums.n @ members(design.person, design.people.height) > 0
    groups = np.unique(design.group)
    names = np.stack([there[:, design.group == one].sum(axis=1) for one in groups], axis=1)
    for at, one in zip(*np.nonzero((names > 0) & (names < FEWEST)), strict=True):
        has = f"{_groups(design, [groups[one]])} has {names[at, one]} name"
        few[at] = few[at] or f"{has} with a score; each group needs {FEWEST} or more"
    constant = [
        f"all {n:,} scores are the same ({low:.4g})" if high - low < SAME else None
        for n, low, high in zip(atoms.n, atoms.low, atoms.high, strict=True)
    ]
    return _first(alike, [None if known else NO_SCALE for known in on_scale], few, constant)


def _groups(design: RegressionDesign, groups: Sequence[int] | Codes) -> str:
    return "; ".join(", ".join(map(str, design.groups.row(int(one)))) for one in groups)


def _all_clipped(atoms: AtomReduction) -> Reasons:
    """Submissions all of whose scores lie beyond one end of the scale, where they may differ."""
    found: list[str | None] = []
    for n, low, high in zip(atoms.n, atoms.low, atoms.high, strict=True):
        first, last = np.clip([low, high], 0.0, 1.0)
        end = "below" if high <= SAME else "above"
        read = f"a Beta regression would read them all as {first:.4g}"
        what = f"all {n:,} scores lie {end} the scale, where they differ, and {read}"
        found.append(
            f"{what}; least squares takes them as they are" if last - first < SAME else None
        )
    return found


def _separated(
    scores: ScoreMoments, n: Array, design: RegressionDesign, fit: LeastSquares
) -> Reasons:
    """Submissions whose scores the groups explain to the last digit: no spread is left to go by.

    The spread is Σ (y − ŷ)² of each cell about the least-squares fit, (submissions, cells).
    """
    fitted = fit.parameters @ design.mean.T
    with np.errstate(all="ignore"):
        mean = np.where(n > 0, scores.total / n, 0.0)
        inside = np.maximum(np.where(n > 0, scores.squares - scores.total * mean, 0.0), 0.0)
        spread = inside + np.nan_to_num(n * (mean - fitted) ** 2)
    found: list[str | None] = [None] * len(n)
    parts = np.unique(design.precision, axis=0, return_inverse=True)[1].reshape(-1)
    for part in np.unique(parts):
        mine = parts == part
        size = n[:, mine].sum(axis=1)
        with np.errstate(all="ignore"):
            sd = np.sqrt(spread[:, mine].sum(axis=1) / size)
        why = SEPARATED if n.shape[1] <= design.groups.height else EXPLAINED
        if parts.max() > 0:
            named = _groups(design, np.unique(design.group_of_cell[mine]))
            why = f"no spread is left within {named}, and the precision depends on the group"
        for at in np.flatnonzero((size > 0) & (sd < SAME)):
            found[at] = why
    return found


def _start(cells: AtomReduction, design: RegressionDesign) -> Array:
    """Where Newton begins: least squares on the logit, and the spread that goes with it.

    φ comes from the variance of a Beta distribution, μ(1 − μ)/(1 + φ).
    """
    n, mean = cells.sums.n, design.mean
    normal = np.einsum("sc,cj,ck->sjk", n, mean, mean, optimize=True)
    level = np.maximum(np.trace(normal, axis1=1, axis2=2), 1.0)
    tilt = (cells.sums.log_y - cells.sums.log_rest) @ mean
    safe = normal + TINY * level[:, None, None] * np.eye(mean.shape[1])
    slope = np.linalg.solve(safe, tilt[:, :, None])[:, :, 0]
    mu = expit(np.clip(slope @ mean.T, -FARTHEST, FARTHEST))
    with np.errstate(all="ignore"):
        squares = cells.inside.squares - 2 * mu * cells.inside.total + n * mu**2
        phi = np.sum(n * mu * (1 - mu), axis=1) / squares.sum(axis=1) - 1.0
    begin = np.zeros((len(n), design.precision.shape[1]))
    begin[:, 0] = np.log(np.clip(np.nan_to_num(phi, nan=1.0, posinf=1e9), 0.05, 1e9))
    return np.concatenate([slope, begin], axis=1)
