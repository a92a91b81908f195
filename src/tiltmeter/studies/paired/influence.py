"""Whom a difference depends on: what it would be without that one person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.ranking import coarsen
from tiltmeter.schemas import AVERAGE
from tiltmeter.studies.paired.pairs import OF_A_CONTRAST, PairStudy, People

Array = NDArray[np.float64]
Sides = Sequence[NDArray[np.int64]]
"""Where among the people those of each group stand, the first group's first."""


@dataclass(frozen=True, slots=True)
class Matches:
    """One contrast's differences, summed by match."""

    n: Array
    """(submissions, matches): pairs with a difference."""
    total: Array
    sides: Sequence[Sides]
    """Of each match."""
    weights: Sequence[float]
    """What each group's mean counts for in a difference, the first group's first."""


def pivots(study: PairStudy, people: People) -> pl.DataFrame:
    """For each submission and contrast, the person whose absence moves the difference most.

    system, task, axis, contrast, kind, person, value, without; no row where nobody can be left out.
    In `kind` stands of what: nothing for all matches together, `names` or `couples` for those.
    """
    texts = ("system", "task", "axis", "contrast", "kind", "person")
    empty = pl.DataFrame(
        schema=dict.fromkeys(texts, pl.String) | dict.fromkeys(("value", "without"), pl.Float64)
    )
    found, known = [empty], people.people
    keys, sums = study.by_match
    for (axis, contrast, first, second), mine in keys.with_row_index("place").group_by(
        OF_A_CONTRAST, maintain_order=True
    ):
        groups = known[axis].drop_nulls().unique(maintain_order=True).to_list()
        weights = {first: 1.0, second: -1.0}
        if second == AVERAGE and second not in groups:
            part = 1.0 / len(groups)
            weights = {first: 1.0 - part} | {group: -part for group in groups if group != first}
        sides: list[Sides] = []
        for match in mine["match"]:
            there = (known["match"] == match).to_numpy()
            of_groups = [(known[axis] == group).fill_null(False).to_numpy() for group in weights]
            sides.append([np.flatnonzero(there & group) for group in of_groups])
        own = sums.columns(mine["place"].to_numpy().astype(np.int64))
        couples = np.array([all(side.size == 1 for side in each) for each in sides], bool)
        for kind, some in (("", np.ones_like(couples)), ("names", ~couples), ("couples", couples)):
            if some.any():
                total = own.n[:, some] * own.mean[:, some]
                those = [sides[at] for at in np.flatnonzero(some)]
                part_of = Matches(own.n[:, some], total, those, list(weights.values()))
                named = {"axis": axis, "contrast": contrast, "kind": kind}
                found.append(
                    _pivots_among(part_of, people)
                    .with_columns(**{name: pl.lit(value) for name, value in named.items()})
                    .select(empty.columns)
                )
    return pl.concat(found)


def _pivots_among(mine: Matches, people: People) -> pl.DataFrame:
    """Each submission's mean difference, and without whom it moves most: everyone in turn."""
    whole, names = mine.n.sum(axis=1), people.people["person"]
    value = _quotient(mine.total.sum(axis=1), whole)
    persons, absent = list[str](), list[Array]()
    for at, sides in enumerate(mine.sides):
        others = np.arange(len(mine.sides)) != at
        rest = _quotient(mine.total[:, others].sum(axis=1), mine.n[:, others].sum(axis=1))
        if all(side.size == 1 for side in sides):
            compared = sides if len(sides) == 2 else sides[:1]  # of many groups, the one compared
            persons.append("/".join(names.gather(np.concatenate(compared))))
            absent.append(rest)
            continue
        share = mine.n[:, at] / np.maximum(whole, 1)
        for side, weight in zip(sides, mine.weights, strict=True):
            apart = people.deviations[:, side]
            n = (~np.isnan(apart)).sum(axis=1).astype(float)
            average = _quotient(np.nansum(apart, axis=1), n)
            persons += names.gather(side).to_list()
            for nth in range(side.size):
                shift = weight * (average - apart[:, nth]) / max(side.size - 1, 1)
                absent.append(value + share * shift if side.size > 1 else rest)
    without = np.column_stack(absent)
    moved = np.abs(without - value[:, None])
    size = np.nan_to_num(moved, nan=-1.0)
    # Of two couples either moves it alike: the first, whatever rounding says.
    width = people.submissions["width"].to_numpy()
    best = np.argmax(coarsen(size, width[:, None]), axis=1)
    rows = np.flatnonzero(~np.isnan(moved).all(axis=1))
    return people.submissions.select("system", "task")[rows].with_columns(
        person=pl.Series([persons[at] for at in best[rows]], dtype=pl.String),
        value=pl.Series(value[rows]),
        without=pl.Series(without[rows, best[rows]]),
    )


def _quotient(total: Array, n: Array) -> Array:
    """NaN where there is nothing to divide by."""
    mean: Array = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
    return mean
