"""Whom a difference rests on: what it would be without the one person it depends on most.

Ten names are not a group. If the mean difference falls to nothing without one of them, it says
something about that name. Of a pair both are left out, and named, since their difference does not
tell whose score moved: `my sister/my brother`. From a pool of names, one is left out of their
group's average:

    mean'_A − mean_A = (ā − d_p) / (n_A − 1)

with d_p the person's deviation and ā the average deviation of their group (see `people`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.pairs import PairStudy
from tiltmeter.measures.people import People

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Left:
    """A person or a pair left out, and each submission's mean difference without them."""

    person: str
    without: Array


def pivots(study: PairStudy, people: People) -> pl.DataFrame:
    """For each submission and contrast, the person whose absence moves the difference most.

    system, task, axis, contrast, person, value, without; no row where nobody can be left out.
    """
    contrasts = study.pairs.select("axis", "contrast", "first", "second").unique(
        maintain_order=True
    )
    found = [_of_contrast(study, people, *contrast) for contrast in contrasts.iter_rows()]
    empty = pl.DataFrame(
        schema=dict.fromkeys(("system", "task", "axis", "contrast", "person"), pl.String)
        | dict.fromkeys(("value", "without"), pl.Float64)
    )
    return pl.concat([empty, *found])


def _of_contrast(
    study: PairStudy, people: People, axis: str, contrast: str, first: str, second: str
) -> pl.DataFrame:
    mine = ((study.pairs["axis"] == axis) & (study.pairs["contrast"] == contrast)).to_numpy()
    deltas, matches = study.deltas[:, mine], study.pairs["match"].to_numpy()[mine]
    value = _mean(deltas)
    left = [
        one
        for match in dict.fromkeys(matches)
        for one in _of_match(deltas, matches == match, people, str(match), axis, (first, second))
    ]
    without = np.column_stack([one.without for one in left])
    moved = np.abs(without - value[:, None])
    known = ~np.isnan(moved).all(axis=1)
    best = np.argmax(np.nan_to_num(moved, nan=-1.0), axis=1)
    rows = np.flatnonzero(known)
    return study.submissions.select("system", "task")[rows].with_columns(
        axis=pl.lit(axis),
        contrast=pl.lit(contrast),
        person=pl.Series([left[at].person for at in best[rows]], dtype=pl.String),
        value=pl.Series(value[rows]),
        without=pl.Series(without[rows, best[rows]]),
    )


def _of_match(
    deltas: Array,
    inside: NDArray[np.bool_],
    people: People,
    match: str,
    axis: str,
    groups: tuple[str, str],
) -> Iterator[Left]:
    """Everyone of a match left out in turn."""
    there = (people.people["match"] == match).to_numpy()
    sides = [
        np.flatnonzero(there & (people.people[axis] == group).fill_null(False).to_numpy())
        for group in groups
    ]
    share = _count(deltas[:, inside]) / np.maximum(_count(deltas), 1)
    whole, rest = _mean(deltas), _mean(deltas[:, ~inside])
    if all(side.size == 1 for side in sides):
        yield Left("/".join(people.people["person"].gather(np.concatenate(sides))), rest)
        return
    for side, sign in zip(sides, (1.0, -1.0), strict=True):
        apart = people.deviations[:, side]
        average = _mean(apart)
        for at, person in enumerate(people.people["person"].gather(side)):
            if side.size == 1:
                yield Left(person, rest)
                continue
            shift = sign * (average - apart[:, at]) / (side.size - 1)
            yield Left(person, whole + share * shift)


def _count(values: Array) -> Array:
    known: Array = (~np.isnan(values)).sum(axis=1).astype(np.float64)
    return known


def _mean(values: Array) -> Array:
    """Each row's mean, NaN where it has no number."""
    n = _count(values)
    mean: Array = np.full(n.shape, np.nan)
    np.divide(np.nansum(values, axis=1), n, out=mean, where=n > 0)
    return mean
