"""The rating study: raw scores of every system, variant and group; ratings; how sure they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.measures.rating import frames
from tiltmeter.measures.rating.columns import Column, columns_of
from tiltmeter.measures.rating.frames import Row, Submission, framed
from tiltmeter.measures.rating.group import RatingGroup
from tiltmeter.measures.rating.manner import CONFIDENCE, DISCRETISED, Manner, check_levels
from tiltmeter.measures.rating.raw_scores import RawScores, raw_scores
from tiltmeter.measures.rating.redrawn import draws_of
from tiltmeter.measures.rating.stored_rows import StoredGroup, StoredSums, stored_raw_scores
from tiltmeter.measures.rating.variant import OVERALL, RatingPanel, Variant
from tiltmeter.measures.stats.class_sums import Array
from tiltmeter.measures.stats.rejections import TINY
from tiltmeter.measures.stats.threads import one_thread


@dataclass(frozen=True, eq=False, slots=True)
class RatingStudy:
    """What a rating found, as tables; `frames.py` has their columns."""

    raw: pl.DataFrame
    overall: pl.DataFrame
    tests: pl.DataFrame
    effects: pl.DataFrame
    ates: pl.DataFrame
    frequencies: pl.DataFrame
    order: pl.DataFrame
    columns: pl.DataFrame
    levels: int
    manner: Manner
    confidence: tuple[float, ...] = CONFIDENCE


def rating_study(
    groups: Sequence[RatingGroup],
    submissions: Sequence[Submission],
    levels: int,
    manner: Manner,
    panel: RatingPanel | None = None,
) -> RatingStudy:
    """Rate submissions, the rows of every group's scores, from 1 to `levels`.

    Systems of one task are rated relative to each other, or to a stored `panel`.
    """
    _check(groups, submissions, levels)
    columns = [
        column
        for group in groups
        for column in columns_of(group, manner.raw, published=manner.published)
    ]
    _check_columns([column.name for column in columns])
    keep = _two_valued(groups) if manner.published else np.zeros(len(submissions), dtype=bool)
    with one_thread():
        found = _raw(groups, columns, manner, keep)
        variants = [
            Variant(
                name,
                found[name],
                submissions,
                levels,
                panel,
                published=manner.published,
            )
            for name in manner.variants
        ]

    def table(schema: dict[str, Any], rows: Callable[[Variant], Iterator[Row]]) -> pl.DataFrame:
        return framed(chain.from_iterable(map(rows, variants)), schema)

    return RatingStudy(
        table(frames.RAW, Variant.raw),
        table(frames.OVERALL, Variant.overall),
        table(frames.TESTS, lambda one: one.tests(manner.tail)),
        table(frames.EFFECTS, lambda one: one.layer(frames.effect_rows)),
        table(frames.ATES, lambda one: one.layer(frames.ate_rows)),
        table(frames.FREQUENCIES, Variant.frequencies),
        table(frames.ORDER, Variant.orders),
        framed(frames.column_rows(columns), frames.COLUMNS),
        levels,
        manner,
    )


def _check(groups: Sequence[RatingGroup], submissions: Sequence[Submission], levels: int) -> None:
    if not groups or not submissions:
        raise TiltmeterError("there is nothing to rate: expected a group and a system")
    check_levels(levels)


def _check_columns(names: list[str]) -> None:
    """Refuse two columns of one name: G1 of group 1, and of a user's group called G1."""
    for name in names:
        if name == OVERALL or names.count(name) > 1:
            what = f"two columns of the rating table would be called {name!r}"
            raise TiltmeterError(f"{what}; give your own group another name")


def _raw(
    groups: Sequence[RatingGroup],
    columns: Sequence[Column],
    manner: Manner,
    keep: NDArray[np.bool_],
) -> dict[str, list[RawScores]]:
    """The raw scores of every column, by variant."""
    found: dict[str, list[RawScores]] = {variant: [] for variant in manner.variants}
    for group in groups:
        mine = [column for column in columns if column.group is group]
        scores = {variant: _scores(group, variant, keep) for variant in manner.variants}
        if isinstance(group, StoredGroup):
            sums = StoredSums(group, scores, manner.repeats, manner.seed)
            for variant in manner.variants:
                found[variant] += [
                    stored_raw_scores(column, sums, variant, manner) for column in mine
                ]
            continue
        weights = {
            dataset.name: draws_of(group, dataset, manner.repeats, manner.seed)
            for dataset in group.datasets
        }
        for variant in manner.variants:
            found[variant] += [
                raw_scores(column, scores[variant], weights, manner) for column in mine
            ]
    return found


def _scores(group: RatingGroup, variant: str, keep: NDArray[np.bool_]) -> Array:
    if variant != DISCRETISED:
        return group.scores
    return discretised(group.scores, group.of_scores(keep), group.own_scores(group.scores))


def discretised(
    scores: Array, keep: NDArray[np.bool_] | None = None, own: Array | None = None
) -> Array:
    """1 where a score is 0 or more, rounding aside, else 0; NaN stays.

    As published, systems to `keep` have their `own` answers, as Biased-Female has −1 and 1.

    >>> scores = np.array([[0.0, -0.2, np.nan], [1.0, -1.0, 1.0]])
    >>> discretised(scores, np.array([[False], [True]]), scores)
    array([[ 1.,  0., nan],
           [ 1., -1.,  1.]])
    """
    told = np.where(np.isnan(scores), np.nan, (scores > -TINY).astype(np.float64))
    return told if keep is None or own is None else np.where(keep, np.round(own), told)


def _two_valued(groups: Sequence[RatingGroup]) -> NDArray[np.bool_]:
    """Which submissions answer nothing but 0 and 1, or nothing but −1 and 1, on their own scale.

    They are discrete already. Mapped to −1..1 first, answers of 0 and 1 would be −1 and 1, and a
    change of means in per cent another one.
    """
    zero_one, signs = (
        np.all([_answers_only(group, values) for group in groups], axis=0)
        for values in ((0.0, 1.0), (-1.0, 1.0))
    )
    return np.asarray(zero_one | signs)


def _answers_only(group: RatingGroup, values: tuple[float, float]) -> NDArray[np.bool_]:
    """Which submissions answer a group with nothing but two values."""
    own = group.own_scores(group.scores)
    near = np.isnan(own) | (np.abs(own[..., None] - values) < TINY).any(axis=-1)
    return group.every(near)
