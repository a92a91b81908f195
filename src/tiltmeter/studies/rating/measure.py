"""Ratings from the groups' scores: raw scores, ratings 1..L, how sure they are, every table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

import numpy as np
import polars as pl
import polars.selectors as cs
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.stats.causal import TINY, Array, critical_values, rejections
from tiltmeter.stats.moments import one_thread
from tiltmeter.studies.rating.grades import (
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
from tiltmeter.studies.rating.groups import POLARITIES, RatingGroup, columns_of
from tiltmeter.studies.rating.psi import (
    AdjustedMeans,
    ComparedClasses,
    RawScores,
    draws_of,
    raw_scores,
    scored_sums,
)
from tiltmeter.studies.rating.stored_rows import StoredGroup, StoredSums
from tiltmeter.studies.rating.study import OVERALL, SCHEMAS, Panel, Ratings, Row, Submission


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
    found: dict[str, list[RawScores]] = {variant: [] for variant in config.variants}
    with one_thread():
        for group, scores in zip(groups, variant_scores(groups, config), strict=True):
            stored, draws = None, {}
            if isinstance(group, StoredGroup):
                stored = StoredSums(group, scores, config.repeats, config.seed)
            else:
                for dataset in group.datasets:
                    draws[dataset.name] = draws_of(group, dataset, config.repeats, config.seed)
            for variant, raw in found.items():
                for column in (column for column in columns if column.group is group):
                    sums = (
                        stored.column(column, variant)
                        if stored
                        else scored_sums(column, scores[variant], draws, config)
                    )
                    raw.append(raw_scores(column, sums, config))
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
        _frame("columns", (column.row for column in columns)),
        levels,
        config,
    )


def _frame(name: str, rows: Iterable[Row]) -> pl.DataFrame:
    """A table of the study; numbers that are not finite are null in it."""
    frame = pl.DataFrame(list(rows), schema=SCHEMAS[name], orient="row")
    return frame.with_columns(pl.when(cs.float().is_finite()).then(cs.float()))


def variant_scores(
    groups: Sequence[RatingGroup], config: RatingConfig
) -> Iterator[dict[str, Array]]:
    """Each group's scores, by variant.

    As published, systems that answer nothing but 0 and 1, or nothing but −1 and 1, on their own
    scale keep their answers. Mapped to −1..1 first, answers of 0 and 1 would be −1 and 1, and a
    change of means in per cent another one.
    """
    discrete: list[NDArray[np.bool_]] = []
    for values in ((0.0, 1.0), (-1.0, 1.0)) if config.published else ():
        only = []
        for group in groups:
            own = group.own_scores()
            near = (np.abs(own[..., None] - values) < TINY).any(axis=-1)
            only.append(group.all_by_submission(np.isnan(own) | near))
        discrete.append(np.all(only, axis=0))
    for group in groups:
        keep = group.by_score(np.any(discrete, axis=0)) if discrete else None
        yield {
            variant: discretise(group.scores, keep, group.own_scores())
            if variant == DISCRETISED
            else group.scores
            for variant in config.variants
        }


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
                    "psi": psi,
                    "x": bool(np.isinf(psi)),
                    "rating": rating or None,
                    "reason": one.why_not_rated(row),
                    "low": spread.low,
                    "high": spread.high,
                    "steady": spread.steady,
                    "by_chance": one.by_chance(row),
                    "p": None if np.isnan(psi) else one.p[row],
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
                "mean": self.means[row, 0],
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
            for tested in found.at_hand.compared:
                n, total = tested.sums.n[:, 0].sum(axis=-1), tested.sums.total[:, 0].sum(axis=-1)
                mean = np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0)
                p = tested.p[:, 0]
                rejected = rejections(p, tail)
                for row, place in self._places(found, tested):
                    for pair, (first, second) in enumerate(tested.pairs):
                        t, df = tested.tests.t[row, 0, pair], tested.tests.df[row, 0, pair]
                        made = np.isfinite(t)
                        yield {
                            **place,
                            "first": tested.classes[first],
                            "second": tested.classes[second],
                            "mean_first": mean[row, first],
                            "mean_second": mean[row, second],
                            "n_first": int(n[row, first]),
                            "n_second": int(n[row, second]),
                            "t": t,
                            "df": df if made else None,
                            # at the strictest level, before any correction for many tests
                            "critical": critical_values(tail.min(), df) if made else None,
                            "p": p[row, pair],
                            "rejected": int(rejected[row, pair]) if made else None,
                        }

    def effect_rows(self) -> Iterator[Row]:
        """Every mean before and after adjustment, and the classes without such a sentence."""
        for found in self.found:
            for adjusted in found.at_hand.adjusted:
                means, percent = adjusted.means, adjusted.impact[:, 0]
                for row, place in self._places(found, adjusted):
                    n = adjusted.sums.n[row, 0]
                    for polarity, name in enumerate(POLARITIES):
                        empty = (n[:, polarity] == 0) & (n.sum(axis=-1) > 0)
                        yield {
                            **place,
                            "polarity": name,
                            "observed": means.observed[row, 0, polarity],
                            "interventional": means.interventional[row, 0, polarity],
                            "die": percent[row, polarity],
                            "x": bool(np.isinf(percent[row, polarity])),
                            "empty": ", ".join(np.array(adjusted.classes)[empty]),
                            "n": int(n[:, polarity].sum()),
                        }

    def ate_rows(self) -> Iterator[Row]:
        """The effect of words in every dataset with assigned words, estimated three ways."""
        for found in self.found:
            for adjusted in found.at_hand.adjusted:
                effects = adjusted.effects
                change = effects.change.percent[:, 0]
                for row, place in self._places(found, adjusted):
                    yield {
                        **place,
                        "naive": effects.naive[row, 0],
                        "adjusted": effects.adjusted[row, 0],
                        "matched": effects.matched[row, 0],
                        "unmatched": int(effects.unmatched[row, 0]),
                        "change": change[row],
                        "x": bool(np.isinf(change[row])),
                    }

    def _places(
        self, found: RawScores, part: ComparedClasses | AdjustedMeans
    ) -> Iterator[tuple[int, Row]]:
        """Every system's number, and what its rows of a dataset begin with."""
        dataset = {"dataset": part.dataset.name, "words": part.dataset.words}
        for row, who in enumerate(self.whose):
            yield row, {**who, "column": found.column.name, **dataset}

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
