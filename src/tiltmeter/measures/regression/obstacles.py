"""What stands in the way of a fit, found before it is tried: a reason rather than a wild number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.regression.design import Design, independent
from tiltmeter.measures.regression.reduction import Moments, Reduced
from tiltmeter.measures.stats.least_squares import LeastSquares
from tiltmeter.measures.stats.members import members

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

    atoms: Reduced
    cells: Reduced
    design: Design
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


def _empty(design: Design, there: NDArray[np.bool_]) -> str:
    """The groups that no sentence is of."""
    full = set(design.group_of_cell[there])
    empty = [_named(design, one) for one in range(design.groups.height) if one not in full]
    return "; ".join(empty) or "some level of a control"


def _named(design: Design, group: int) -> str:
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


def _separated(seen: Seen, of: Moments) -> Reasons:
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


def _even(design: Design, cells: NDArray[np.bool_]) -> str:
    """Groups without a spread, in a model that gives each its own."""
    named = "; ".join(_named(design, int(one)) for one in np.unique(design.group_of_cell[cells]))
    return f"no spread is left within {named}, and the precision depends on the group"


def _spread(seen: Seen, of: Moments) -> Array:
    """Σ (y − ŷ)² of each cell about the least-squares fit, (submissions, cells)."""
    n = seen.cells.sums.n
    fitted = seen.least_squares.parameters @ seen.design.mean.T
    with np.errstate(all="ignore"):
        mean = np.where(n > 0, of.total / n, 0.0)
        inside = np.maximum(np.where(n > 0, of.squares - of.total * mean, 0.0), 0.0)
        return inside + np.nan_to_num(n * (mean - fitted) ** 2)
