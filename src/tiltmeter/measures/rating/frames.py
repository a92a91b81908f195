"""A rating study laid out as tables: ratings, tests, means, effects, and how sure each is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.measures.rating.columns import WRS, Column
from tiltmeter.measures.rating.group import POLARITIES, RatingDataset
from tiltmeter.measures.rating.raw_scores import RawScores
from tiltmeter.measures.rating.told import Adjusted, Compared
from tiltmeter.measures.stats.class_sums import Array
from tiltmeter.measures.stats.rejections import critical_values, rejections

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
OVERALL = {
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


def column_rows(columns: Sequence[Column]) -> Iterator[Row]:
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


def _words(column: Column, dataset: RatingDataset) -> str:
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


def _critical(one: Compared, row: int, pair: int, tail: Array) -> float | None:
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


def _place(column: Column, dataset: str, words: str) -> Row:
    return {"column": column.name, "dataset": dataset, "words": words}


def _mean(total: float, n: float) -> float | None:
    return float(total / n) if n else None


def number(value: float) -> float | None:
    """A finite number, or None."""
    return float(value) if np.isfinite(value) else None


Layer = Callable[[RawScores, Sequence[Row]], Iterator[Row]]
