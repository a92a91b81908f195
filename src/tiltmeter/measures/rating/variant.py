"""The ratings of one variant of all systems, laid out as rows of the study's tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tiltmeter.measures.rating import frames
from tiltmeter.measures.rating.frames import Row, Submission, number
from tiltmeter.measures.rating.grading import NONE, overall_ratings, ratings_against, ratings_of
from tiltmeter.measures.rating.raw_scores import RawScores
from tiltmeter.measures.rating.spread import orders_of, shares_of, spread_of
from tiltmeter.measures.stats.class_sums import Array, Index

OVERALL = "overall"
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
                    "reason": frames.why_none(one, row),
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
            yield from frames.test_rows(one, self.whose, tail)

    def layer(self, rows: frames.Layer) -> Iterator[Row]:
        """Rows of every column with adjusted means."""
        for one in self.found:
            yield from rows(one, self.whose)

    def frequencies(self) -> Iterator[Row]:
        """How often repeats give each rating."""
        named = [(one.column.name, self.ratings[:, 1:, at]) for at, one in enumerate(self.found)]
        for column, ratings in (*named, (OVERALL, self.overalls[:, 1:])):
            for row, who in enumerate(self.whose):
                for rating, share in shares_of(ratings[row], self.levels):
                    yield {**who, "column": column, "rating": rating, "share": share}

    def orders(self) -> Iterator[Row]:
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
