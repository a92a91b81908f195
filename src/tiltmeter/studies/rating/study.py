"""The rating study: raw scores of every system, variant and column; ratings; how sure they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.report.folder import Stage, unheard
from tiltmeter.report.study import Study, StudyFile, write
from tiltmeter.stats.causal import TINY, Array, critical_values, rejections
from tiltmeter.stats.moments import one_thread
from tiltmeter.studies.rating.grades import (
    CONFIDENCE,
    DISCRETISED,
    NONE,
    RatingConfig,
    check_levels,
    orders_of,
    overall_ratings,
    ratings_against,
    ratings_of,
    shares_of,
    spread_of,
)
from tiltmeter.studies.rating.groups import (
    POLARITIES,
    Measure,
    RatingColumn,
    RatingGroup,
    columns_of,
)
from tiltmeter.studies.rating.psi import RawScores, draws_of, raw_scores
from tiltmeter.studies.rating.rated_systems import RatedSystem, Row, rated_systems
from tiltmeter.studies.rating.stored_rows import StoredGroup, StoredSums, stored_raw_scores

if TYPE_CHECKING:
    from tiltmeter.report.page import Page
    from tiltmeter.report.table import Table
    from tiltmeter.scoring.provenance import Unavailable

Submission = tuple[str, str]
"""A system and a task."""
Panel = Mapping[tuple[str, str, str], Array]
"""Raw scores of a stored panel by task, variant and column; infinite for X."""
Phrases = Mapping[str, Mapping[str, str]]
"""What follows "sentences" for a class, by attribute and class."""
OVERALL = "overall"
"""Among columns: all of them together."""

WHOSE = {"system": pl.String, "task": pl.String, "variant": pl.String}
PLACE = {"column": pl.String, "dataset": pl.String, "words": pl.String}
SPREAD = {"low": pl.Int64, "high": pl.Int64, "steady": pl.Float64}
SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "raw": {
        **WHOSE, "column": pl.String, "group": pl.String, "attribute": pl.String,
        "measure": pl.String, "psi": pl.Float64, "x": pl.Boolean, "rating": pl.Int64,
        "reason": pl.String, **SPREAD, "by_chance": pl.Float64, "p": pl.Float64,
        "rests_on": pl.String, "without": pl.Float64,
    },
    "overall": {
        **WHOSE, "mean": pl.Float64, "overall": pl.Int64, **SPREAD, "dominates": pl.String,
    },
    "tests": {
        **WHOSE, **PLACE, "first": pl.String, "second": pl.String, "mean_first": pl.Float64,
        "mean_second": pl.Float64, "n_first": pl.Int64, "n_second": pl.Int64, "t": pl.Float64,
        "df": pl.Float64, "critical": pl.Float64, "p": pl.Float64, "rejected": pl.Int64,
    },
    "effects": {
        **WHOSE, **PLACE, "polarity": pl.String, "observed": pl.Float64,
        "interventional": pl.Float64, "die": pl.Float64, "x": pl.Boolean, "empty": pl.String,
        "n": pl.Int64,
    },
    "ates": {
        **WHOSE, **PLACE, "naive": pl.Float64, "adjusted": pl.Float64, "matched": pl.Float64,
        "unmatched": pl.Int64, "change": pl.Float64, "x": pl.Boolean,
    },
    "frequencies": {**WHOSE, "column": pl.String, "rating": pl.Int64, "share": pl.Float64},
    "order": {
        "variant": pl.String, "task": pl.String, "column": pl.String, "first": pl.String,
        "second": pl.String, "lower": pl.Float64, "equal": pl.Float64, "higher": pl.Float64,
        "certain": pl.Boolean,
    },
    "columns": {
        "column": pl.String, "group": pl.String, "attribute": pl.String, "measure": pl.String,
        "adjustment": pl.String, "identifiable": pl.Boolean, "sentence": pl.String,
        "edges": pl.List(pl.String), "unobserved": pl.List(pl.String), "sentences": pl.Int64,
        "datasets": pl.List(pl.String), "sets": pl.List(pl.String), "about_na": pl.String,
    },
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Ratings(Study):
    """What a rating found, as tables, how it came about, and how to write its report.

    Frames about systems begin with system, task and variant; `column` is a column of the rating
    table, such as G3-RG. `SCHEMAS` has their columns.
    """

    raw: pl.DataFrame
    """ψ and rating of each system, variant and column. by_chance is the middle ψ where classes are
    permuted among sentences; p the share of permutations of people in which classes stand as far
    apart; rests_on whom ψ would be lowest without, and without that ψ."""
    overall: pl.DataFrame
    """Every system's overall rating, with its spread."""
    tests: pl.DataFrame
    """Every t-test."""
    effects: pl.DataFrame
    """Means of each polarity before and after adjustment, for datasets with assigned words."""
    ates: pl.DataFrame
    """The effect of words in such a dataset: naive, adjusted, matched."""
    frequencies: pl.DataFrame
    """How often each system got each rating."""
    order: pl.DataFrame
    """Which of two systems stands lower, and how often."""
    columns: pl.DataFrame
    """What each column is: its attribute, measure, adjustment, diagram and datasets."""
    levels: int
    config: RatingConfig
    confidence: tuple[float, ...] = CONFIDENCE
    run: Mapping[str, Any] = field(default_factory=dict)
    """What determines the ratings."""
    environment: Mapping[str, Any] = field(default_factory=dict)
    """Where and when they were made."""
    notes: tuple[str, ...] = ()
    """What a reader should know: guesses, systems set aside, warnings."""
    reference: str = ""
    """The stored panel that systems were rated against; empty: against each other."""
    phrases: Mapping[str, Phrases] = field(default_factory=dict, repr=False)
    """How each group's corpus speaks of its people."""
    scores: pl.DataFrame | None = field(default=None, repr=False)
    sentences: pl.DataFrame | None = field(default=None, repr=False)
    unavailable: tuple[Unavailable, ...] = ()
    """The systems that were to be rated too and could not be scored, each with its why."""

    @property
    def ratings(self) -> pl.DataFrame:
        """Every system's rating in every group, with its raw score and spread."""
        return self.raw

    @property
    def repeats(self) -> int:
        """How often datasets were drawn and sentences resampled anew; 0: not at all."""
        return self.config.repeats

    @cached_property
    def variants(self) -> tuple[str, ...]:
        """The variants rated, in order."""
        return tuple(self.overall["variant"].unique(maintain_order=True))

    @cached_property
    def systems(self) -> Sequence[RatedSystem]:
        """Every system, least tilt first."""
        return rated_systems(self)

    @cached_property
    def column_rows(self) -> Mapping[str, Row]:
        """What each column is, by its name."""
        return {str(row["column"]): row for row in self.columns.iter_rows(named=True)}

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that is known of the run, in one mapping: mode, edition, k, seed, groups."""
        inner = self.run.get("rating")
        return {**self.run, **inner} if isinstance(inner, Mapping) else self.run

    @property
    def alone(self) -> bool:
        """Whether one system was rated by itself, with no panel beside it."""
        return self.overall.select("system", "task").n_unique() == 1 and not self.reference

    @property
    def worst_possible(self) -> int:
        """The worst rating that can be given: no more than there are systems of a task, X aside."""
        if self.reference or self.raw["x"].any():
            return self.levels
        sizes = self.overall.group_by("task", "variant").len()["len"].to_list()
        return min(self.levels, max(sizes, default=1))

    def page(self) -> Page:
        """What people read: rating.html."""
        from tiltmeter.studies.rating.view import rating_page

        return rating_page(self)

    def document(self) -> tuple[str, str]:
        """What programs read, and the panel of later ratings: ratings.json."""
        from tiltmeter.studies.rating.panel import FILE, ratings_json

        return FILE, ratings_json(self)

    def tables(self) -> Sequence[Table]:
        """Every table, like the paper's and what is behind them."""
        from tiltmeter.studies.rating.tables import rating_tables

        return rating_tables(self)

    def data(self) -> Mapping[str, pl.DataFrame]:
        """What was scored, where it is at hand."""
        frames = {"scores": self.scores, "sentences": self.sentences}
        return {name: frame for name, frame in frames.items() if frame is not None}

    def about(self) -> Mapping[str, str]:
        """What the tables of scores and sentences say of the run."""
        known = [one for one in ("mode", "edition", "k", "seed") if one in self.settings]
        return {f"tiltmeter.{one}": str(self.settings[one]) for one in known}

    def files(self) -> Iterator[StudyFile]:
        """A label for each system and variant, and which file is whose."""
        from tiltmeter.studies.rating.label import label_files, label_svg

        files = label_files(self)
        doing = "drawing the labels"
        for *whose, file in files.rows():
            yield StudyFile(f"labels/{file}", label_svg(self, *whose), doing)
            doing = ""
        yield StudyFile("labels/index.csv", files)

    def report(
        self, folder: Path | str = "tiltmeter-out", *, force: bool = False, stage: Stage = unheard
    ) -> Path:
        """Write the page, labels, tables and `ratings.json`; returns the page's path."""
        return write(self, Path(folder), force=force, stage=stage)


def rating_study(
    groups: Sequence[RatingGroup],
    submissions: Sequence[Submission],
    levels: int,
    config: RatingConfig,
    panel: Panel | None = None,
) -> Ratings:
    """Rate submissions, the rows of every group's scores, from 1 to `levels`.

    Systems of one task are rated relative to each other, or to a stored `panel`.
    """
    if not groups or not submissions:
        raise TiltmeterError("there is nothing to rate: expected a group and a system")
    check_levels(levels)
    columns = [
        column
        for group in groups
        for column in columns_of(group, config.raw, published=config.published)
    ]
    names = [column.name for column in columns]
    for name in names:
        if name == OVERALL or names.count(name) > 1:  # G1 of group 1, and a user's group G1
            what = f"two columns of the rating table would be called {name!r}"
            raise TiltmeterError(f"{what}; give your own group another name")
    with one_thread():
        found = _raw_scores(groups, columns, config, len(submissions))
        variants = [
            _RatedVariant(name, found[name], submissions, levels, config, panel)
            for name in config.variants
        ]

    def table(name: str, rows: Callable[[_RatedVariant], Iterable[Row]]) -> pl.DataFrame:
        return _frame(name, chain.from_iterable(map(rows, variants)))

    return Ratings(
        table("raw", _RatedVariant.raw_rows),
        table("overall", _RatedVariant.overall_rows),
        table("tests", _RatedVariant.test_rows),
        table("effects", _RatedVariant.effect_rows),
        table("ates", _RatedVariant.ate_rows),
        table("frequencies", _RatedVariant.frequency_rows),
        table("order", _RatedVariant.order_rows),
        _frame("columns", map(_column_row, columns)),
        levels,
        config,
    )


def _frame(name: str, rows: Iterable[Row]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=SCHEMAS[name], orient="row")


def _raw_scores(
    groups: Sequence[RatingGroup],
    columns: Sequence[RatingColumn],
    config: RatingConfig,
    submissions: int,
) -> dict[str, list[RawScores]]:
    """The raw scores of every column, by variant."""
    discrete = np.zeros(submissions, dtype=bool)
    if config.published:
        # Those that answer nothing but 0 and 1, or nothing but −1 and 1, on their own scale keep
        # their answers. Mapped to −1..1 first, answers of 0 and 1 would be −1 and 1, and a change
        # of means in per cent another one.
        for values in ((0.0, 1.0), (-1.0, 1.0)):
            only = []
            for group in groups:
                own_scores = group.own_scores()
                near = (np.abs(own_scores[..., None] - values) < TINY).any(axis=-1)
                only.append(group.all_by_submission(np.isnan(own_scores) | near))
            discrete |= np.all(only, axis=0)
    found: dict[str, list[RawScores]] = {variant: [] for variant in config.variants}
    for group in groups:
        own = [column for column in columns if column.group is group]
        scores = {
            variant: discretise(group.scores, group.by_score(discrete), group.own_scores())
            if variant == DISCRETISED
            else group.scores
            for variant in config.variants
        }
        if isinstance(group, StoredGroup):
            sums = StoredSums(group, scores, config.repeats, config.seed)
            for variant in config.variants:
                found[variant] += [stored_raw_scores(one, sums, variant, config) for one in own]
            continue
        draws = {
            dataset.name: draws_of(group, dataset, config.repeats, config.seed)
            for dataset in group.datasets
        }
        for variant in config.variants:
            found[variant] += [raw_scores(one, scores[variant], draws, config) for one in own]
    return found


def discretise(
    scores: Array, keep: NDArray[np.bool_] | None = None, own: Array | None = None
) -> Array:
    """1 where a score is 0 or more, rounding aside, else 0; NaN stays.

    As published, systems to `keep` have their `own` answers, as Biased-Female has −1 and 1.

    >>> scores = np.array([[0.0, -0.2, np.nan], [1.0, -1.0, 1.0]])
    >>> discretise(scores, np.array([[False], [True]]), scores)
    array([[ 1.,  0., nan],
           [ 1., -1.,  1.]])
    """
    split = np.where(np.isnan(scores), np.nan, (scores > -TINY).astype(np.float64))
    return split if keep is None or own is None else np.where(keep, np.round(own), split)


class _RatedVariant:
    """The ratings of one variant: (systems, draws, columns), draw 0 the datasets at hand."""

    def __init__(
        self,
        name: str,
        found: list[RawScores],
        submissions: Sequence[Submission],
        levels: int,
        config: RatingConfig,
        panel: Panel | None,
    ) -> None:
        self.name, self.found, self.levels, self.config = name, found, levels, config
        self.submissions = submissions
        self.whose = [
            {"system": system, "task": task, "variant": name} for system, task in submissions
        ]
        self.tasks = {
            task: [row for row, (_, its) in enumerate(submissions) if its == task]
            for task in dict.fromkeys(task for _, task in submissions)
        }
        self.psi = np.stack(
            [np.concatenate([one.at_hand.psi, one.repeated], axis=1) for one in found], axis=-1
        )
        self.ratings = np.zeros(self.psi.shape, np.int64)
        for task, rows in self.tasks.items():
            for place, one in enumerate(found):
                stored = panel.get((task, name, one.column.name)) if panel else None
                for draw in range(self.psi.shape[1]):
                    psi = self.psi[rows, draw, place]
                    self.ratings[rows, draw, place] = (
                        ratings_of(psi, levels)
                        if stored is None
                        else ratings_against(psi, stored, levels)
                    )
        self.means, self.overalls = overall_ratings(self.ratings)

    def raw_rows(self) -> Iterator[Row]:
        """The raw score, the rating and its spread of every system and column."""
        for place, one in enumerate(self.found):
            for row, who in enumerate(self.whose):
                rating, psi = int(self.ratings[row, 0, place]), self.psi[row, 0, place]
                spread = spread_of(rating, self.ratings[row, 1:, place])
                rests_on, without = one.most_influential(row)
                yield {
                    **who,
                    "column": one.column.name,
                    "group": one.column.group.name,
                    "attribute": one.column.attribute,
                    "measure": one.column.measure,
                    "psi": _finite(psi),
                    "x": bool(np.isinf(psi)),
                    "rating": rating or None,
                    "reason": _why_not_rated(one, row),
                    "low": spread.low,
                    "high": spread.high,
                    "steady": spread.steady,
                    "by_chance": one.by_chance(row),
                    "p": None if np.isnan(psi) else _finite(one.p[row]),
                    "rests_on": rests_on,
                    "without": without,
                }

    def overall_rows(self) -> Iterator[Row]:
        """The overall rating of every system, its spread, and what dominates."""
        for row, who in enumerate(self.whose):
            rating = int(self.overalls[row, 0])
            spread = spread_of(rating, self.overalls[row, 1:])
            yield {
                **who,
                "mean": _finite(self.means[row, 0]),
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
        if self.config.published:
            one = [at for at, column in enumerate(columns) if column.group.axes == ("gender",)]
            two = [at for at, column in enumerate(columns) if "race" in column.group.axes]
        ratings = self.ratings[row, 0]
        if not one or not two or (ratings[one + two] == NONE).any():
            return None
        gender, race = ratings[one].mean(), ratings[two].mean()
        return "gender" if gender > race else "race" if race > gender else "neither"

    def test_rows(self) -> Iterator[Row]:
        """Every t-test on the datasets at hand; of strata, the classes' plain means."""
        tail = self.config.tail
        for found in self.found:
            for one in found.at_hand.compared:
                n, total = one.sums.n[:, 0].sum(axis=-1), one.sums.total[:, 0].sum(axis=-1)
                rejected = rejections(one.p[:, 0], tail)
                place = _place(found.column, one.dataset.name, one.dataset.words)
                for row, who in enumerate(self.whose):
                    mean = np.divide(total[row], n[row], out=np.full_like(total[row], np.nan),
                                     where=n[row] > 0)  # fmt: skip
                    for pair, (first, second) in enumerate(one.pairs):
                        t, df = _finite(one.tests.t[row, 0, pair]), one.tests.df[row, 0, pair]
                        yield {
                            **who,
                            **place,
                            "first": one.classes[first],
                            "second": one.classes[second],
                            "mean_first": _finite(mean[first]),
                            "mean_second": _finite(mean[second]),
                            "n_first": int(n[row, first]),
                            "n_second": int(n[row, second]),
                            "t": t,
                            "df": None if t is None else _finite(df),
                            # at the strictest level, before any correction for many tests
                            "critical": None
                            if t is None
                            else _finite(float(critical_values(tail.min(), df))),
                            "p": _finite(one.p[row, 0, pair]),
                            "rejected": None if t is None else int(rejected[row, pair]),
                        }

    def effect_rows(self) -> Iterator[Row]:
        """Every mean before and after adjustment, and the classes without such a sentence."""
        for found in self.found:
            for one in found.at_hand.adjusted:
                percent = one.impact[:, 0]
                place = _place(found.column, one.dataset.name, one.dataset.words)
                for row, who in enumerate(self.whose):
                    n = one.sums.n[row, 0]
                    for polarity, name in enumerate(POLARITIES):
                        empty = (n[:, polarity] == 0) & (n.sum(axis=-1) > 0)
                        yield {
                            **who,
                            **place,
                            "polarity": name,
                            "observed": _finite(one.means.observed[row, 0, polarity]),
                            "interventional": _finite(one.means.interventional[row, 0, polarity]),
                            "die": _finite(percent[row, polarity]),
                            "x": bool(np.isinf(percent[row, polarity])),
                            "empty": ", ".join(np.array(one.classes)[empty]),
                            "n": int(n[:, polarity].sum()),
                        }

    def ate_rows(self) -> Iterator[Row]:
        """The effect of words in every dataset with assigned words, estimated three ways."""
        for found in self.found:
            for one in found.at_hand.adjusted:
                effects = one.effects
                change = effects.change.percent[:, 0]
                for row, who in enumerate(self.whose):
                    yield {
                        **who,
                        **_place(found.column, one.dataset.name, one.dataset.words),
                        "naive": _finite(effects.naive[row, 0]),
                        "adjusted": _finite(effects.adjusted[row, 0]),
                        "matched": _finite(effects.matched[row, 0]),
                        "unmatched": int(effects.unmatched[row, 0]),
                        "change": _finite(change[row]),
                        "x": bool(np.isinf(change[row])),
                    }

    def frequency_rows(self) -> Iterator[Row]:
        """How often repeats give each rating."""
        named = [(one.column.name, self.ratings[:, 1:, at]) for at, one in enumerate(self.found)]
        for column, ratings in (*named, (OVERALL, self.overalls[:, 1:])):
            for row, who in enumerate(self.whose):
                for rating, share in shares_of(ratings[row], self.levels):
                    yield {**who, "column": column, "rating": rating, "share": share}

    def order_rows(self) -> Iterator[Row]:
        """Every two systems of a task, and how often repeats show their order."""
        named = [(one.column.name, self.psi[:, :, at]) for at, one in enumerate(self.found)]
        for column, values in (*named, (OVERALL, self.means)):
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


def _place(column: RatingColumn, dataset: str, words: str) -> dict[str, str]:
    return {"column": column.name, "dataset": dataset, "words": words}


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _why_not_rated(found: RawScores, row: int) -> str | None:
    """Why a system has no raw score, in words; None where it has one."""
    column = found.column
    if not column.adjustment.identifiable:
        return column.adjustment.reason
    if not np.isnan(found.psi[row]):
        return None
    group, (classes, _) = column.group, column.classes
    if group.all_by_submission(np.isnan(group.scores))[row]:
        return "it answered none of the sentences"
    if len(classes) < 2:
        return f"everybody is of the class {classes[0]}; comparing needs two"
    if column.measure == Measure.WRS:
        held = column.adjustment.strata
        strata, _ = group.classes(held)
        for one in found.at_hand.compared:
            n = one.sums.n[row, 0]
            if (n < 2).any():
                few, stratum = np.unravel_index(int(n.argmin()), n.shape)
                many = f"{int(n.min())} answer{'s' * (int(n.min()) != 1)}"
                fixed = f" with {' × '.join(held)} {strata[stratum]}" if held else ""
                where = f"{one.classes[few]}{fixed} in {one.dataset.name}"
                return f"{many} for {where}; a test needs two"
        return "a test could not be made"
    for means in found.at_hand.adjusted:
        n = means.sums.n[row, 0].sum(axis=0)
        if (n == 0).any():
            lacking = " or ".join(
                name for name, some in zip(POLARITIES, n, strict=True) if not some
            )
            return f"no answer to a {lacking} word in {means.dataset.name}; adjusting needs both"
    return "no class has answers to words of both polarities; adjusting needs one that does"


def _column_row(column: RatingColumn) -> Row:
    """What a column is of."""
    group, sizes, sets = column.group, [], []
    for dataset in group.datasets:
        row = dataset.rows[0]
        sizes.append(group.count_sentences(row[column.compared[row]]))
        drawn = np.zeros(group.sentences.height, dtype=bool)
        drawn[dataset.rows] = True
        words = group.sentences["emotion_word"].filter(pl.Series(drawn)).unique().sort()
        sets.append(f"{dataset.words}: {', '.join(words)}")
    return {
        "column": column.name,
        "group": group.name,
        "attribute": column.attribute,
        "measure": column.measure,
        "adjustment": ", ".join(column.adjustment.strata),
        "identifiable": column.adjustment.identifiable,
        "sentence": column.sentence,
        "edges": [f"{cause} -> {effect}" for cause, effect in group.diagram.edges],
        "unobserved": list(group.diagram.unobserved),
        "sentences": sum(sizes),
        "datasets": [dataset.name for dataset in group.datasets],
        "sets": sets,
        "about_na": column.about_na,
    }
