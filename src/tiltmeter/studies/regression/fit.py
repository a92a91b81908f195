"""The regressions of one part of a study: what prevents a fit, and how each went."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import expit

from tiltmeter.stats.beta import STEPS, BetaFit, fit_beta
from tiltmeter.stats.clustered import LeastSquares, fit_least_squares
from tiltmeter.stats.moments import members
from tiltmeter.studies.regression.design import (
    ALL,
    AtomReduction,
    RegressionDesign,
    ScoreMoments,
    Summed,
    independent,
)

# ---- what stands in the way of a fit, found before it is tried: a reason rather than a wild
# number


Array = NDArray[np.float64]
Reasons = list[str | None]
"""By submission; None where nothing stands in the way."""

SAME = 1e-6
"""Part of the scale below which scores are the same."""
FEWEST = 2
"""Names of a group without which nothing can be said beyond them."""
NO_SCALE = "its scale is not known; give it with --scale LOW:HIGH"
SEPARATED = "within each group all scores are the same (perfect separation)"
EXPLAINED = "groups and controls explain every score to the last digit (perfect separation)"


@dataclass(frozen=True, slots=True)
class Seen:
    """All that is known of a part before it is fitted."""

    atoms: AtomReduction
    cells: AtomReduction
    design: RegressionDesign
    precision: Array
    """(cells, q): the design of log φ."""
    least_squares: LeastSquares
    """Of the scores that are fitted: clipped for a Beta regression, as they are for least squares.
    """
    on_scale: NDArray[np.bool_]
    """(submissions,): whose scores lie on a known scale."""
    subset: str
    """What its sentences are."""


def obstacles(seen: Seen) -> Reasons:
    """The first reason against a Beta regression, for each submission."""
    separated = partial(_separated, of=seen.cells.inside)
    return _first(seen, (_nobody, _no_scale, _too_few_people, _constant, _all_clipped, separated))


def least_obstacles(seen: Seen) -> Reasons:
    """The first reason against least squares, which needs no score within the scale."""
    separated = partial(_separated, of=seen.cells.raw)
    return _first(seen, (_nobody, _no_scale, _too_few_people, _constant, separated))


def _first(seen: Seen, checks: Sequence[Callable[[Seen], Reasons]]) -> Reasons:
    found: Reasons = [None] * len(seen.on_scale)
    for check in checks if len(seen.design.mean) else (_nobody,):
        found = [one or other for one, other in zip(found, check(seen), strict=True)]
    return found


def _no_scale(seen: Seen) -> Reasons:
    return [None if known else NO_SCALE for known in seen.on_scale]


def _nobody(seen: Seen) -> Reasons:
    """Whole groups without a sentence, or columns that no sentence tells apart."""
    design, n = seen.design, seen.cells.sums.n
    if not n.shape[1]:
        what = f"no sentence of the subset {seen.subset}"
        return [f"there is {what} about a person with a group on every axis"] * len(n)
    found: Reasons = [None] * len(n)
    patterns, of = np.unique(n > 0, axis=0, return_inverse=True)
    for at, there in enumerate(patterns):
        why = None
        if not there.any():
            why = "no sentence has a score"
        elif len(independent(design.mean[there])) < design.mean.shape[1]:
            why = f"no sentence with a score tells {_empty(design, there)} apart from the others"
        for one in np.flatnonzero(of.reshape(-1) == at) if why else ():
            found[one] = why
    return found


def _empty(design: RegressionDesign, there: NDArray[np.bool_]) -> str:
    """The groups that no sentence is of."""
    full = set(design.group_of_cell[there])
    empty = [_named(design, one) for one in range(design.groups.height) if one not in full]
    return "; ".join(empty) or "some level of a control"


def _named(design: RegressionDesign, group: int) -> str:
    return ", ".join(map(str, design.groups.row(group)))


def _too_few_people(seen: Seen) -> Reasons:
    """Groups of fewer than two names."""
    design, n = seen.design, seen.atoms.sums.n
    group = design.group
    there = n @ members(design.person, design.people.height) > 0
    many = np.stack([there[:, group == one].sum(axis=1) for one in np.unique(group)], axis=1)
    found: Reasons = [None] * len(n)
    few = (many > 0) & (many < FEWEST)
    for at in np.flatnonzero(few.any(axis=1)):
        one = int(np.argmax(few[at]))
        has = f"{_named(design, int(np.unique(group)[one]))} has {int(many[at, one])} name"
        found[at] = f"{has} with a score; each group needs {FEWEST} or more"
    return found


def _constant(seen: Seen) -> Reasons:
    """Submissions that answer every sentence alike."""
    atoms = seen.atoms
    return [
        f"all {n:,} scores are the same ({low:.4g})" if high - low < SAME else None
        for n, low, high in zip(atoms.n, atoms.low, atoms.high, strict=True)
    ]


def _all_clipped(seen: Seen) -> Reasons:
    """Submissions all of whose scores lie beyond one end of the scale, where they may differ."""
    found: Reasons = []
    for n, low, high in zip(seen.atoms.n, seen.atoms.low, seen.atoms.high, strict=True):
        inside = np.clip([low, high], 0.0, 1.0)
        end = "below" if high <= SAME else "above"
        read = f"a Beta regression would read them all as {inside[0]:.4g}"
        told = f"all {n:,} scores lie {end} the scale, where they differ, and {read}"
        alike = inside[1] - inside[0] < SAME
        found.append(f"{told}; least squares takes them as they are" if alike else None)
    return found


def _separated(seen: Seen, of: ScoreMoments) -> Reasons:
    """Submissions whose scores the groups explain to the last digit: no spread is left to go by."""
    parts = np.unique(seen.precision, axis=0, return_inverse=True)[1].reshape(-1)
    n, spread = seen.cells.sums.n, _spread(seen, of)
    found: Reasons = [None] * len(n)
    alike = SEPARATED if n.shape[1] <= seen.design.groups.height else EXPLAINED
    for one in np.unique(parts):
        size = n[:, parts == one].sum(axis=1)
        with np.errstate(all="ignore"):
            sd = np.sqrt(spread[:, parts == one].sum(axis=1) / size)
        for at in np.flatnonzero((size > 0) & (sd < SAME)):
            found[at] = alike if parts.max() == 0 else _even(seen.design, parts == one)
    return found


def _even(design: RegressionDesign, cells: NDArray[np.bool_]) -> str:
    """Groups without a spread, in a model that gives each its own."""
    named = "; ".join(_named(design, int(one)) for one in np.unique(design.group_of_cell[cells]))
    return f"no spread is left within {named}, and the precision depends on the group"


def _spread(seen: Seen, of: ScoreMoments) -> Array:
    """Σ (y − ŷ)² of each cell about the least-squares fit, (submissions, cells)."""
    n = seen.cells.sums.n
    fitted = seen.least_squares.parameters @ seen.design.mean.T
    with np.errstate(all="ignore"):
        mean = np.where(n > 0, of.total / n, 0.0)
        inside = np.maximum(np.where(n > 0, of.squares - of.total * mean, 0.0), 0.0)
        return inside + np.nan_to_num(n * (mean - fitted) ** 2)


# ---- the regressions of one part of a study: submissions that are fitted on the same sentences


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
    cells: AtomReduction
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
    atoms: AtomReduction,
    design: RegressionDesign,
    precision: Array,
    on_scale: NDArray[np.bool_],
    subset: str = ALL,
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


def _start(cells: AtomReduction, mean: Array, precision: Array) -> Array:
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


def _first_precision(cells: AtomReduction, fitted: Array) -> Array:
    """φ from the variance of a Beta distribution, μ(1 − μ)/(1 + φ)."""
    n = cells.sums.n
    with np.errstate(all="ignore"):
        squares = cells.inside.squares - 2 * fitted * cells.inside.total + n * fitted**2
        level = np.sum(n * fitted * (1 - fitted), axis=1)
        phi = level / squares.sum(axis=1) - 1.0
    found: Array = np.clip(np.nan_to_num(phi, nan=1.0, posinf=1e9), 0.05, 1e9)
    return found


# ---- how each fit went: a row a submission, with the reason where there is none


FITS = {
    "system": pl.String, "task": pl.String, "subset": pl.String, "n": pl.Int64,
    "n_dropped": pl.Int64, "people": pl.Int64, "templates": pl.Int64, "clipped": pl.Int64,
    "edge": pl.Int64, "precision": pl.Float64, "log_likelihood": pl.Float64,
    "iterations": pl.Int64, "converged": pl.Boolean, "reason": pl.String,
    "least_squares_reason": pl.String,
}  # fmt: skip


def fits_table(submissions: pl.DataFrame, part: Summed, fitted: Fitted) -> pl.DataFrame:
    """How the fit of each submission went."""
    design, atoms = part.design, part.atoms
    beta, size = fitted.beta, design.mean.shape[1]
    common = fitted.precision.shape[1] == 1
    phi = np.exp(beta.parameters[:, size]) if common else np.full(len(beta.parameters), np.nan)
    many = submissions.height
    return pl.DataFrame(
        {
            "system": submissions["system"],
            "task": submissions["task"],
            "subset": [part.subset] * many,
            "n": atoms.n,
            "n_dropped": part.size - atoms.n,
            "people": _seen(atoms, design.person, design.people.height),
            "templates": _seen(atoms, design.template, len(design.templates)),
            "clipped": atoms.clipped,
            "edge": atoms.edge,
            "precision": pl.Series(phi).fill_nan(None),
            "log_likelihood": pl.Series(beta.log_likelihood).fill_nan(None),
            "iterations": beta.iterations,
            "converged": beta.converged,
            "reason": list(fitted.reasons),
            "least_squares_reason": list(fitted.least_reasons),
        },
        FITS,
    )


def _seen(atoms: AtomReduction, of: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """How many names, or templates, have a score of each submission."""
    found: NDArray[np.int64] = np.count_nonzero(atoms.sums.n @ members(of, size) > 0, axis=1)
    return found
