"""Whom a difference depends on: what it would be without that one person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.schemas import AVERAGE
from tiltmeter.stats.moments import moments
from tiltmeter.studies.paired.pairs import PairStudy, People

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""Of a difference: two that are nearer than this part are alike."""


@dataclass(frozen=True, slots=True)
class Left:
    """A person or a pair left out, and each submission's mean difference without them."""

    person: str
    without: Array


@dataclass(frozen=True, slots=True)
class Matches:
    """One contrast's differences, summed by match."""

    axis: str
    contrast: str
    groups: tuple[str, str]
    names: Sequence[str]
    n: Array
    """(submissions, matches): pairs with a difference."""
    total: Array

    def without(self, at: int) -> Array:
        """Each submission's mean difference over all other matches."""
        others = np.arange(len(self.names)) != at
        return _quotient(self.total[:, others].sum(axis=1), self.n[:, others].sum(axis=1))


def matches_of(study: PairStudy) -> list[Matches]:
    """What every contrast's differences come to in each match."""
    by = ("axis", "contrast", "first", "second", "match")
    if study.totals:
        keys, sums = study.totals.matches, study.totals.match_sums
    else:
        keys = study.pairs.select(by).unique(maintain_order=True)
        placed = study.pairs.select(by).join(
            keys.with_row_index("place"), on=by, how="left", maintain_order="left"
        )
        sums = moments(study.deltas, placed["place"].to_numpy().astype(np.int64), keys.height)
    found = []
    for (axis, contrast, first, second), mine in keys.with_row_index("place").group_by(
        by[:-1], maintain_order=True
    ):
        own = sums.columns(mine["place"].to_numpy().astype(np.int64))
        groups, names = (str(first), str(second)), mine["match"].to_list()
        found.append(Matches(str(axis), str(contrast), groups, names, own.n, own.n * own.mean))
    return found


def pivots(study: PairStudy, people: People) -> pl.DataFrame:
    """For each submission and contrast, the person whose absence moves the difference most.

    system, task, axis, contrast, kind, person, value, without; no row where nobody can be left out.
    In `kind` stands of what: nothing for all matches together, `names` or `couples` for those.
    """
    texts = ("system", "task", "axis", "contrast", "kind", "person")
    empty = pl.DataFrame(
        schema=dict.fromkeys(texts, pl.String) | dict.fromkeys(("value", "without"), pl.Float64)
    )
    found = [
        part.select(empty.columns) for one in matches_of(study) for part in _by_kind(one, people)
    ]
    return pl.concat([empty, *found])


def _by_kind(mine: Matches, people: People) -> Iterator[pl.DataFrame]:
    """Over all matches; then over pools of names and over couples."""
    whole = _of_contrast(mine, people)
    yield whole.with_columns(kind=pl.lit(""))
    couples = np.array([_is_couple(mine, at, people) for at in range(len(mine.names))], bool)
    for kind, some in (("names", ~couples), ("couples", couples)):
        if some.all():
            yield whole.with_columns(kind=pl.lit(kind))
        elif some.any():
            names = [name for name, there in zip(mine.names, some, strict=True) if there]
            part = replace(mine, names=names, n=mine.n[:, some], total=mine.total[:, some])
            yield _of_contrast(part, people).with_columns(kind=pl.lit(kind))


def _is_couple(mine: Matches, at: int, people: People) -> bool:
    """Whether one person a side stands in a match."""
    return all(side.size == 1 for side in _sides(mine, at, people))


def _of_contrast(mine: Matches, people: People) -> pl.DataFrame:
    value = _quotient(mine.total.sum(axis=1), mine.n.sum(axis=1))
    left = [
        one for at in range(len(mine.names)) for one in _of_match(mine, at, value, people)
    ]  # fmt: skip
    without = np.column_stack([one.without for one in left])
    moved = np.abs(without - value[:, None])
    known = ~np.isnan(moved).all(axis=1)
    size = np.nan_to_num(moved, nan=-1.0)
    # Of two couples either moves it alike: the first, whatever rounding says.
    best = np.argmax(size >= size.max(axis=1, keepdims=True) * (1.0 - ROUNDING), axis=1)
    rows = np.flatnonzero(known)
    return people.submissions.select("system", "task")[rows].with_columns(
        axis=pl.lit(mine.axis),
        contrast=pl.lit(mine.contrast),
        person=pl.Series([left[at].person for at in best[rows]], dtype=pl.String),
        value=pl.Series(value[rows]),
        without=pl.Series(without[rows, best[rows]]),
    )


def _of_match(mine: Matches, at: int, whole: Array, people: People) -> Iterator[Left]:
    """Everyone of a match left out in turn."""
    weights, sides = _weights(mine, people), _sides(mine, at, people)
    rest = mine.without(at)
    if all(side.size == 1 for side in sides):
        told = sides if len(sides) == 2 else sides[:1]  # of many groups, the one compared
        yield Left("/".join(people.people["person"].gather(np.concatenate(told))), rest)
        return
    share = mine.n[:, at] / np.maximum(mine.n.sum(axis=1), 1)
    for side, sign in zip(sides, weights.values(), strict=True):
        apart = people.deviations[:, side]
        average = _mean(apart)
        for nth, person in enumerate(people.people["person"].gather(side)):
            if side.size == 1:
                yield Left(person, rest)
                continue
            shift = sign * (average - apart[:, nth]) / (side.size - 1)
            yield Left(person, whole + share * shift)


def _sides(mine: Matches, at: int, people: People) -> list[NDArray[np.int64]]:
    """Where among the people those of each group stand, in one match."""
    there = (people.people["match"] == mine.names[at]).to_numpy()
    return [
        np.flatnonzero(there & (people.people[mine.axis] == group).fill_null(False).to_numpy())
        for group in _weights(mine, people)
    ]


def _weights(mine: Matches, people: People) -> dict[str, float]:
    """What each group's mean counts for in a difference, the first group's first."""
    first, second = mine.groups
    every = people.people[mine.axis].drop_nulls().unique(maintain_order=True).to_list()
    if second != AVERAGE or second in every:
        return {first: 1.0, second: -1.0}
    part = 1.0 / len(every)
    return {first: 1.0 - part} | {group: -part for group in every if group != first}


def _mean(values: Array) -> Array:
    """Each row's mean, NaN where it has no number."""
    return _quotient(np.nansum(values, axis=1), (~np.isnan(values)).sum(axis=1).astype(float))


def _quotient(total: Array, n: Array) -> Array:
    """NaN where there is nothing to divide by."""
    mean: Array = np.full(n.shape, np.nan)
    np.divide(total, n, out=mean, where=n > 0)
    return mean
