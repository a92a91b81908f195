"""What counted rows come to: repeats left out, sentences with two scores named, like scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tiltmeter.corpora.rating_results.gathering import TALLY, Gathered
from tiltmeter.corpora.rating_results.like_scores import LikeScores, numbered
from tiltmeter.corpora.rating_results.records import hashes
from tiltmeter.corpora.rating_results.repeats import Apart, once
from tiltmeter.corpora.rating_results.rules import DATASET, SEVERAL, scored_apart
from tiltmeter.corpora.table_file import capped_at
from tiltmeter.errors import Problem

Again = Callable[[], Iterable[pl.DataFrame]]
"""Understood rows, gone through once more."""


@dataclass(frozen=True, eq=False, slots=True)
class Once:
    """Tallies without repeats, the rows of the results, and what is wrong with sentences."""

    tallies: pl.DataFrame
    rows: pl.DataFrame
    problems: list[Problem]


def counted_rows(
    gathered: Gathered,
    tallies: pl.DataFrame,
    axes: Sequence[str],
    split: Mapping[str, float],
    again: Again,
) -> Once:
    """Go through the records of tallies whose datasets and groups are settled."""
    tallies = tallies.sort(TALLY)
    dataset, people = numbered(tallies, DATASET), numbered(tallies, axes)
    like, apart = LikeScores(tallies, axes, split), Apart()
    n, missing = (np.zeros(tallies.height, np.int64) for _ in range(2))
    for part in gathered.records.parts():
        stay, several = once(part, dataset, people)
        like.add(stay)
        apart += several
        n += np.bincount(stay["tally"], minlength=n.size)
        missing += np.bincount(stay["tally"][np.isnan(stay["raw"])], minlength=n.size)
    counted = tallies.with_columns(n=pl.Series(n), missing=pl.Series(missing))
    problems = _named(apart, gathered, tallies, again) if apart.many else []
    return Once(counted.filter(pl.col("n") > 0), like.rows(), problems)


def _named(apart: Apart, gathered: Gathered, tallies: pl.DataFrame, again: Again) -> list[Problem]:
    """The sentences with several scores, in words: their rows are looked up in the files."""
    wanted = np.array([number for _, number in apart.first], dtype=np.uint64)
    settled = tallies.select(TALLY, *DATASET)
    found = []
    for rows in again():
        mine = rows.filter(pl.Series(np.isin(hashes(rows["key"])[0], wanted)))
        which = gathered.which(mine).cast(settled[TALLY].dtype)
        found.append(mine.drop(DATASET).with_columns(which).join(settled, on=TALLY))
    named = list(scored_apart(pl.concat(found, how="diagonal")))
    return capped_at(named[: len(apart.first)], apart.many, SEVERAL)
