"""Sentences summed once: what a regression needs of the scores in each atom of the design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tiltmeter.measures.stats.beta_likelihood import Sums
from tiltmeter.measures.stats.members import members

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

AT_ONCE = 4_000_000
"""Scores whose logarithms are held in memory at a time."""


KINDS = 7
"""Kinds of sums: n, Σ log y, Σ log(1 − y), and Σ y and Σ y² as they are and clipped."""


class Moments(NamedTuple):
    """Σ y and Σ y², (submissions, atoms)."""

    total: Array
    squares: Array


@dataclass(frozen=True, slots=True)
class Reduced:
    """Sums over sentences, (submissions, atoms), and what had to be done to the scores."""

    sums: Sums
    """For a Beta regression: clipped to 0..1 and squeezed."""
    raw: Moments
    """For least squares: the scores as they are, beyond 0..1 too."""
    inside: Moments
    """The scores clipped to 0..1, not squeezed."""
    low: Array
    """(submissions,): the lowest score as it is; NaN without any."""
    high: Array
    clipped: Codes
    """(submissions,): scores below 0 or above 1, which a Beta regression reads as 0 or 1."""
    edge: Codes
    """(submissions,): scores of 0 or 1 after that. One is enough to squeeze them all."""

    @property
    def n(self) -> Codes:
        """(submissions,): sentences with a score."""
        found: Codes = self.sums.n.sum(axis=1).astype(np.int64)
        return found

    def of_cells(self, cell: Codes, size: int) -> Reduced:
        """The same, summed over the atoms of each cell."""
        add = members(cell, size)
        return self.stacked_as(np.stack([part @ add for part in self.stacked()]))

    def stacked(self) -> Array:
        """(KINDS, submissions, atoms): every kind of sum."""
        sums = (self.sums.n, self.sums.log_y, self.sums.log_rest)
        return np.stack([*sums, *self.raw, *self.inside])

    def stacked_as(self, sums: Array) -> Reduced:
        """The same submissions with other sums."""
        ends = (self.low, self.high, self.clipped, self.edge)
        return unstacked(sums, *ends)

    def rows(self, which: NDArray[np.bool_] | Codes) -> Reduced:
        """Some submissions only."""
        ends = (self.low[which], self.high[which], self.clipped[which], self.edge[which])
        return unstacked(self.stacked()[:, which], *ends)


def unstacked(sums: Array, low: Array, high: Array, clipped: Codes, edge: Codes) -> Reduced:
    """Sums of every kind, (KINDS, submissions, atoms), by name."""
    n, log_y, log_rest, *moments = sums
    return Reduced(
        Sums(n, log_y, log_rest), Moments(*moments[:2]), Moments(*moments[2:]),
        low, high, clipped, edge,
    )  # fmt: skip


def squeezed(scores: Array, by: Codes | None = None) -> Array:
    """Scores of 0 or 1 moved inside, and all others with them: (y (n − 1) + 0.5) / n.

    Smithson & Verkuilen (2006). Only submissions that have such a score are touched. Where `scores`
    are but some of them, `by` has the n of each submission to squeeze; of one with 0 they stay as
    they are, and those of 0 or 1 are NaN.

    >>> squeezed(np.array([[0.0, 1.0, 0.5, 0.5], [0.1, 0.2, 0.3, 0.4]])).tolist()
    [[0.125, 0.875, 0.5, 0.5], [0.1, 0.2, 0.3, 0.4]]
    >>> squeezed(np.array([[0.0, 0.5], [0.0, 0.5]]), np.array([4, 0])).tolist()
    [[0.125, 0.5], [nan, 0.5]]
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        edge = (scores <= 0.0) | (scores >= 1.0)
        if by is None:
            by = np.where(edge.any(axis=1), np.count_nonzero(~np.isnan(scores), axis=1), 0)
        n = by[:, None]
        inside = np.where(edge, np.nan, scores)
        return np.where(n > 0, (scores * (n - 1) + 0.5) / n, inside)


def reduced(values: Array, atom: Codes, size: int, by: Codes | None = None) -> Reduced:
    """Sum scores, (submissions, sentences), over the sentences of each atom.

    Where they are but some of the scores, `by` says how to squeeze them, as in `squeezed`.
    """
    add = members(atom, size)
    step = max(1, AT_ONCE // max(1, values.shape[1]))
    parts = [
        _reduced(values[rows], add, None if by is None else by[rows])
        for rows in (slice(at, at + step) for at in range(0, max(1, len(values)), step))
    ]
    stacked = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return unstacked(np.stack(stacked[:KINDS]), *stacked[KINDS:])


def _reduced(values: Array, add: csr_array, by: Codes | None) -> tuple[Array | Codes, ...]:
    known = ~np.isnan(values)
    inside = np.clip(values, 0.0, 1.0)
    low = np.fmin.reduce(values, axis=1, initial=np.inf)
    high = np.fmax.reduce(values, axis=1, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        beyond = np.count_nonzero(values != inside, axis=1) - np.count_nonzero(~known, axis=1)
        edge = np.count_nonzero((inside <= 0.0) | (inside >= 1.0), axis=1)
        moved = squeezed(inside, by)
    fine = ~np.isnan(moved)
    log_y, log_rest = (
        np.where(fine, part(np.where(fine, moved, 0.5)), 0.0)
        for part in (np.log, lambda y: np.log1p(-y))
    )
    moments = [np.where(known, part, 0.0) ** power for part in (values, inside) for power in (1, 2)]
    sums = (known.astype(np.float64), log_y, log_rest, *moments)
    none = ~known.any(axis=1)
    ends = (np.where(none, np.nan, low), np.where(none, np.nan, high))
    return (*(part @ add for part in sums), *ends, beyond.astype(np.int64), edge.astype(np.int64))
