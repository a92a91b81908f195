"""The rating study: raw scores of every system, variant and group; ratings; how sure they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.stats.causal import TINY, Array, Index, critical_values, rejections
from tiltmeter.stats.moments import one_thread
from tiltmeter.studies.rating.config import (
    CONFIDENCE,
    DISCRETISED,
    WRS,
    RatingColumn,
    RatingConfig,
    check_levels,
    columns_of,
)
from tiltmeter.studies.rating.groups import POLARITIES, RatingDataset, RatingGroup
from tiltmeter.studies.rating.psi import (
    NONE,
    Adjusted,
    ComparedClasses,
    RawScores,
    orders_of,
    overall_ratings,
    ratings_against,
    ratings_of,
    raw_scores,
    shares_of,
    spread_of,
)
from tiltmeter.studies.rating.resample import draws_of
from tiltmeter.studies.rating.stored_rows import StoredGroup, StoredSums, stored_raw_scores

# ---- a rating study laid out as tables: ratings, tests, means, effects, and how sure each is


Submission = tuple[str, str]
Row = dict[str, Any]

WHOSE = {"system": pl.String, "task": pl.String, "variant": pl.String}
PLACE = {"column": pl.String, "dataset": pl.String, "words": pl.String}
SPREAD = {"low": pl.Int64, "high": pl.Int64, "steady": pl.Float64}
RAW = {
    **WHOSE, "column": pl.String, "group": pl.String, "attribute": pl.String,
    "measure": pl.String, "psi": pl.Float64, "x": pl.Boolean, "rating": pl.Int64,
    "reason": pl.String, **SPREAD, "by_chance": pl.Float64, "p": pl.Float64,
    "rests_on": pl.String, "without": pl.Float64,
}  # fmt: skip
FRAMES_OVERALL = {
    **WHOSE, "mean": pl.Float64, "overall": pl.Int64, **SPREAD, "dominates": pl.String,
}  # fmt: skip
TESTS = {
    **WHOSE, **PLACE, "first": pl.String, "second": pl.String, "mean_first": pl.Float64,
    "mean_second": pl.Float64, "n_first": pl.Int64, "n_second": pl.Int64, "t": pl.Float64,
    "df": pl.Float64, "critical": pl.Float64, "p": pl.Float64, "rejected": pl.Int64,
}  # fmt: skip
EFFECTS = {
    **WHOSE, **PLACE, "polarity": pl.String, "observed": pl.Float64, "interventional": pl.Float64,
    "die": pl.Float64, "x": pl.Boolean, "empty": pl.String, "n": pl.Int64,
}  # fmt: skip
ATES = {
    **WHOSE, **PLACE, "naive": pl.Float64, "adjusted": pl.Float64, "matched": pl.Float64,
    "unmatched": pl.Int64, "change": pl.Float64, "x": pl.Boolean,
}  # fmt: skip
FREQUENCIES = {**WHOSE, "column": pl.String, "rating": pl.Int64, "share": pl.Float64}
ORDER = {
    "variant": pl.String, "task": pl.String, "column": pl.String, "first": pl.String,
    "second": pl.String, "lower": pl.Float64, "equal": pl.Float64, "higher": pl.Float64,
    "certain": pl.Boolean,
}  # fmt: skip
COLUMNS = {
    "column": pl.String, "group": pl.String, "attribute": pl.String, "measure": pl.String,
    "adjustment": pl.String, "identifiable": pl.Boolean, "sentence": pl.String,
    "edges": pl.List(pl.String), "unobserved": pl.List(pl.String), "sentences": pl.Int64,
    "datasets": pl.List(pl.String), "sets": pl.List(pl.String), "about_na": pl.String,
}  # fmt: skip


def framed(rows: Iterable[Row], schema: dict[str, Any]) -> pl.DataFrame:
    """Rows as a table; what is not a number is null, and infinity stays out of columns of means."""
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def column_rows(columns: Sequence[RatingColumn]) -> Iterator[Row]:
    """What each column is of."""
    for one in columns:
        datasets = one.group.datasets
        yield {
            "column": one.name,
            "group": one.group.name,
            "attribute": one.attribute,
            "measure": one.measure,
            "adjustment": ", ".join(one.adjustment.strata),
            "identifiable": one.adjustment.identifiable,
            "sentence": one.sentence,
            "edges": one.edges,
            "unobserved": list(one.group.diagram.unobserved),
            "sentences": sum(map(one.size_of, datasets)),
            "datasets": [dataset.name for dataset in datasets],
            "sets": [f"{dataset.words}: {_words(one, dataset)}" for dataset in datasets],
            "about_na": one.about_na,
        }


def _words(column: RatingColumn, dataset: RatingDataset) -> str:
    """The emotion words of a dataset, as often as it is drawn."""
    drawn = np.zeros(column.group.sentences.height, dtype=bool)
    drawn[dataset.rows] = True
    said = column.group.sentences["emotion_word"].filter(pl.Series(drawn))
    return ", ".join(said.unique().sort())


def test_rows(found: RawScores, whose: Sequence[Row], tail: Array) -> Iterator[Row]:
    """Every t-test of a column on the datasets at hand; of strata, the classes' plain means."""
    for one in found.told.compared:
        n, total = one.sums.n[:, 0].sum(axis=-1), one.sums.total[:, 0].sum(axis=-1)
        rejected = rejections(one.p[:, 0], tail)
        for row, who in enumerate(whose):
            for pair, (first, second) in enumerate(one.pairs):
                t = number(one.tests.t[row, 0, pair])
                yield {
                    **who,
                    **_place(found.column, one.dataset.name, one.dataset.words),
                    "first": one.classes[first],
                    "second": one.classes[second],
                    "mean_first": _mean(total[row, first], n[row, first]),
                    "mean_second": _mean(total[row, second], n[row, second]),
                    "n_first": int(n[row, first]),
                    "n_second": int(n[row, second]),
                    "t": t,
                    "df": None if t is None else number(one.tests.df[row, 0, pair]),
                    "critical": None if t is None else _critical(one, row, pair, tail),
                    "p": number(one.p[row, 0, pair]),
                    "rejected": None if t is None else int(rejected[row, pair]),
                }


def _critical(one: ComparedClasses, row: int, pair: int, tail: Array) -> float | None:
    """The |t| that the strictest level asks for, before any correction for several tests."""
    return number(float(critical_values(tail.min(), one.tests.df[row, 0, pair])))


def effect_rows(found: RawScores, whose: Sequence[Row]) -> Iterator[Row]:
    """Every mean of a column before and after adjustment."""
    for one in found.told.adjusted:
        percent, n = one.impact[:, 0], one.sums.n[:, 0]
        for row, who in enumerate(whose):
            for polarity, name in enumerate(POLARITIES):
                yield {
                    **who,
                    **_place(found.column, one.dataset.name, one.dataset.words),
                    "polarity": name,
                    "observed": number(one.means.observed[row, 0, polarity]),
                    "interventional": number(one.means.interventional[row, 0, polarity]),
                    "die": number(percent[row, polarity]),
                    "x": bool(np.isinf(percent[row, polarity])),
                    "empty": _empty(one, row, polarity),
                    "n": int(n[row, :, polarity].sum()),
                }


def _empty(one: Adjusted, row: int, polarity: int) -> str:
    """The classes without a sentence of that polarity."""
    n = one.sums.n[row, 0]
    lacking = (n[:, polarity] == 0) & (n.sum(axis=-1) > 0)
    return ", ".join(name for name, none in zip(one.classes, lacking, strict=True) if none)


def ate_rows(found: RawScores, whose: Sequence[Row]) -> Iterator[Row]:
    """The effect of words in every dataset of a column, told three ways."""
    for one in found.told.adjusted:
        told = one.effects
        change = told.change.percent[:, 0]
        for row, who in enumerate(whose):
            yield {
                **who,
                **_place(found.column, one.dataset.name, one.dataset.words),
                "naive": number(told.naive[row, 0]),
                "adjusted": number(told.adjusted[row, 0]),
                "matched": number(told.matched[row, 0]),
                "unmatched": int(told.unmatched[row, 0]),
                "change": number(change[row]),
                "x": bool(np.isinf(change[row])),
            }


def why_none(found: RawScores, row: int) -> str | None:
    """Why a system has no raw score, in words; None where it has one."""
    column = found.column
    if not column.adjustment.identifiable:
        return column.adjustment.reason
    if not np.isnan(found.psi[row]):
        return None
    if not column.group.answered(row):
        return "it answered none of the sentences"
    if len(column.classes[0]) < 2:
        return f"everybody is of the class {column.classes[0][0]}; comparing needs two"
    if column.measure == WRS:
        return _too_few(found, row)
    return _one_polarity(found, row)


def _too_few(found: RawScores, row: int) -> str:
    """Which class has too few answers, and with what held fixed, if anything is."""
    held = found.column.adjustment.strata
    strata, _ = found.column.group.classes(held)
    for one in found.told.compared:
        n = one.sums.n[row, 0]
        if (n < 2).any():
            few, stratum = np.unravel_index(int(n.argmin()), n.shape)
            many = f"{int(n.min())} answer{'s' * (int(n.min()) != 1)}"
            fixed = f" with {' × '.join(held)} {strata[stratum]}" if held else ""
            where = f"{one.classes[few]}{fixed} in {one.dataset.name}"
            return f"{many} for {where}; a test needs two"
    return "a test could not be made"


def _one_polarity(found: RawScores, row: int) -> str:
    for one in found.told.adjusted:
        n = one.sums.n[row, 0].sum(axis=0)
        if (n == 0).any():
            lacking = " or ".join(
                name for name, many in zip(POLARITIES, n, strict=True) if not many
            )
            return f"no answer to a {lacking} word in {one.dataset.name}; adjusting needs both"
    return "no class has answers to words of both polarities; adjusting needs one that does"


def _place(column: RatingColumn, dataset: str, words: str) -> Row:
    return {"column": column.name, "dataset": dataset, "words": words}


def _mean(total: float, n: float) -> float | None:
    return float(total / n) if n else None


def number(value: float) -> float | None:
    """A finite number, or None."""
    return float(value) if np.isfinite(value) else None


Layer = Callable[[RawScores, Sequence[Row]], Iterator[Row]]


# ---- the ratings of one variant of all systems, laid out as rows of the study's tables


VARIANT_OVERALL = "overall"
RatingPanel = Mapping[tuple[str, str, str], Array]
"""Raw scores of a stored panel by task, variant and column; infinite for X."""


def _draws(found: RawScores) -> Array:
    """(systems, 1 + repeats): ψ on the datasets at hand, then on those drawn anew."""
    return np.concatenate([found.told.psi, found.repeated], axis=1)


class Variant:
    """The ratings of one variant: (systems, draws, columns), draw 0 the datasets at hand."""

    def __init__(
        self,
        name: str,
        found: list[RawScores],
        submissions: Sequence[Submission],
        levels: int,
        panel: RatingPanel | None,
        *,
        published: bool = False,
    ) -> None:
        self.name, self.found, self.levels = name, found, levels
        self.submissions, self.published = submissions, published
        self.psi = np.stack([_draws(one) for one in found], axis=-1)
        self.tasks = {
            task: [row for row, (_, its) in enumerate(submissions) if its == task]
            for task in dict.fromkeys(task for _, task in submissions)
        }
        self.ratings = self._rate(panel)
        self.means, self.overalls = overall_ratings(self.ratings)
        self.whose: list[Row] = [
            {"system": system, "task": task, "variant": name} for system, task in submissions
        ]

    def _rate(self, panel: RatingPanel | None) -> Index:
        ratings = np.zeros(self.psi.shape, np.int64)
        for task, rows in self.tasks.items():
            for place, one in enumerate(self.found):
                stored = panel.get((task, self.name, one.column.name)) if panel else None
                for draw in range(self.psi.shape[1]):
                    psi = self.psi[rows, draw, place]
                    ratings[rows, draw, place] = (
                        ratings_of(psi, self.levels)
                        if stored is None
                        else ratings_against(psi, stored, self.levels)
                    )
        return ratings

    def raw(self) -> Iterator[Row]:
        """The raw score, the rating and its spread of every system and column."""
        for place, one in enumerate(self.found):
            column = one.column
            for row, who in enumerate(self.whose):
                rating, psi = int(self.ratings[row, 0, place]), self.psi[row, 0, place]
                spread = spread_of(rating, self.ratings[row, 1:, place])
                rests_on, without = one.rests_on(row)
                yield {
                    **who,
                    "column": column.name,
                    "group": column.group.name,
                    "attribute": column.attribute,
                    "measure": column.measure,
                    "psi": number(psi),
                    "x": bool(np.isinf(psi)),
                    "rating": rating or None,
                    "reason": why_none(one, row),
                    "low": spread.low,
                    "high": spread.high,
                    "steady": spread.steady,
                    "by_chance": one.by_chance(row),
                    "p": None if np.isnan(psi) else number(one.p[row]),
                    "rests_on": rests_on,
                    "without": without,
                }

    def overall(self) -> Iterator[Row]:
        """The overall rating of every system, its spread, and what dominates."""
        for row, who in enumerate(self.whose):
            rating = int(self.overalls[row, 0])
            spread = spread_of(rating, self.overalls[row, 1:])
            yield {
                **who,
                "mean": number(self.means[row, 0]),
                "overall": rating or None,
                "low": spread.low,
                "high": spread.high,
                "steady": spread.steady,
                "dominates": self._dominates(row),
            }

    def _dominates(self, row: int) -> str | None:
        """Gender, where columns about it are rated worse than those about race; or the other way.

        As published, where groups with gender alone are rated worse than those with race too
        (paper, §4.2), whose columns are about gender as well. None unless both are there and rated.
        """
        columns = [found.column for found in self.found]
        one = [at for at, column in enumerate(columns) if column.axes == ("gender",)]
        two = [at for at, column in enumerate(columns) if column.axes == ("race",)]
        if self.published:
            one = [at for at, column in enumerate(columns) if column.group.axes == ("gender",)]
            two = [at for at, column in enumerate(columns) if "race" in column.group.axes]
        ratings = self.ratings[row, 0]
        if not one or not two or (ratings[one + two] == NONE).any():
            return None
        alone, both = ratings[one].mean(), ratings[two].mean()
        return "gender" if alone > both else "race" if both > alone else "neither"

    def tests(self, tail: Array) -> Iterator[Row]:
        """Every t-test."""
        for one in self.found:
            yield from test_rows(one, self.whose, tail)

    def layer(self, rows: Layer) -> Iterator[Row]:
        """Rows of every column with adjusted means."""
        for one in self.found:
            yield from rows(one, self.whose)

    def frequencies(self) -> Iterator[Row]:
        """How often repeats give each rating."""
        named = [(one.column.name, self.ratings[:, 1:, at]) for at, one in enumerate(self.found)]
        for column, ratings in (*named, (VARIANT_OVERALL, self.overalls[:, 1:])):
            for row, who in enumerate(self.whose):
                for rating, share in shares_of(ratings[row], self.levels):
                    yield {**who, "column": column, "rating": rating, "share": share}

    def orders(self) -> Iterator[Row]:
        """Every two systems of a task, and how often repeats show their order."""
        named = [(one.column.name, self.psi[:, :, at]) for at, one in enumerate(self.found)]
        for column, values in (*named, (VARIANT_OVERALL, self.means)):
            for task, rows in self.tasks.items():
                for one in orders_of(values[:, 0], values[:, 1:], rows):
                    yield {
                        "variant": self.name,
                        "task": task,
                        "column": column,
                        "first": self.submissions[one.first][0],
                        "second": self.submissions[one.second][0],
                        "lower": one.lower,
                        "equal": one.equal,
                        "higher": one.higher,
                        "certain": one.certain,
                    }


# ---- the rating study: raw scores of every system, variant and group; ratings; how sure they are


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
    manner: RatingConfig
    confidence: tuple[float, ...] = CONFIDENCE


def rating_study(
    groups: Sequence[RatingGroup],
    submissions: Sequence[Submission],
    levels: int,
    manner: RatingConfig,
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
        table(RAW, Variant.raw),
        table(FRAMES_OVERALL, Variant.overall),
        table(TESTS, lambda one: one.tests(manner.tail)),
        table(EFFECTS, lambda one: one.layer(effect_rows)),
        table(ATES, lambda one: one.layer(ate_rows)),
        table(FREQUENCIES, Variant.frequencies),
        table(ORDER, Variant.orders),
        framed(column_rows(columns), COLUMNS),
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
        if name == VARIANT_OVERALL or names.count(name) > 1:
            what = f"two columns of the rating table would be called {name!r}"
            raise TiltmeterError(f"{what}; give your own group another name")


def _raw(
    groups: Sequence[RatingGroup],
    columns: Sequence[RatingColumn],
    manner: RatingConfig,
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
