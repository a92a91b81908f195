"""Where a tilt shows: the pairs that move most, and averages by person, word and match."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.studies.paired.comparison import Comparison, comparisons, match_means, word_means
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons

Array = NDArray[np.float64]
Places = NDArray[np.int64]

LARGEST = 20
"""Pairs shown of each submission and contrast."""
OF_A_PAIR = (
    "axis", "contrast", "first", "second", "template", "emotion", "emotion_word", "match",
    "n_first", "n_second", "text_first", "text_second",
)  # fmt: skip
"""What is shown of a pair; the texts are examples where a side has several sentences."""


def largest_pairs(material: AuditResults) -> pl.DataFrame:
    """The 20 largest differences of each submission and contrast, with sentences and scores.

    Pairs without a difference are left out; equal sizes stay in the corpus' order.
    """
    return _stacked([_largest(one) for one in comparisons(material)])


def people(material: AuditResults) -> pl.DataFrame:
    """How far each person's sentences stand from the average of those they are compared with."""
    return _stacked([_people(one) for one in material.compared])


def templates_words(material: AuditResults) -> pl.DataFrame:
    """Mean Δ of each template and emotion word, for each submission and contrast."""
    return _stacked([_means(one, word_means) for one in comparisons(material)])


def matches(material: AuditResults) -> pl.DataFrame:
    """Mean Δ of each match ("my mother/my father", names), for each submission and contrast."""
    return _stacked([_means(one, match_means) for one in comparisons(material)])


def largest_places(deltas: Array, many: int = LARGEST) -> tuple[Places, Places]:
    """Row and column of each row's largest |Δ|, largest first; neither 0 nor missing ones.

    >>> largest_places(np.array([[0.1, -0.3, 0.0, np.nan]]))
    (array([0, 0]), array([1, 0]))
    """
    size = np.nan_to_num(np.abs(deltas))
    order = np.argsort(-size, axis=1, kind="stable")[:, :many]
    shown = np.take_along_axis(size, order, axis=1) > 0
    return np.nonzero(shown)[0], order[shown]


def _largest(comparison: Comparison) -> pl.DataFrame:
    compared, columns = comparison.compared, comparison.columns
    rows, at = largest_places(compared.study.deltas[:, columns])
    places = columns[at]
    place = pl.Series(_nth(rows), dtype=pl.Int64)
    return pl.concat(
        [
            _submissions(compared, rows),
            pl.DataFrame({"place": place}),
            compared.study.pairs[places].select(*OF_A_PAIR),
            pl.DataFrame(
                {
                    "score_first": compared.study.first[rows, places],
                    "score_second": compared.study.second[rows, places],
                    "difference": compared.study.deltas[rows, places],
                }
            ),
        ],
        how="horizontal",
    )


def _nth(rows: Places) -> Places:
    """Which of its row's entries each is, counted from 1; rows stand together."""
    starts = np.searchsorted(rows, rows)
    place: Places = np.arange(rows.size) - starts + 1
    return place


def _people(compared: CorpusComparisons) -> pl.DataFrame:
    many, persons = compared.by_person.deviations.shape
    rows, columns = np.repeat(np.arange(many), persons), np.tile(np.arange(persons), many)
    value = pl.Series("deviation", compared.by_person.deviations.ravel()).fill_nan(None)
    return pl.concat(
        [_submissions(compared, rows), compared.by_person.people[columns], value.to_frame()],
        how="horizontal",
    )


def _means(
    comparison: Comparison, means: Callable[[CorpusComparisons], tuple[pl.DataFrame, Array, Array]]
) -> pl.DataFrame:
    """Mean Δ over the known pairs of each group of pairs, for each submission."""
    compared = comparison.compared
    keys, mean, n = means(compared)
    mine = (keys["axis"] == comparison.axis) & (keys["contrast"] == comparison.contrast)
    groups, at = keys.filter(mine), mine.to_numpy()
    rows = np.repeat(np.arange(mean.shape[0]), groups.height)
    cells = np.tile(np.arange(groups.height), mean.shape[0])
    numbers = {
        "mean_difference": mean[:, at].ravel(), "n": n[:, at].ravel().astype(np.int64)
    }  # fmt: skip
    return pl.concat(
        [_submissions(compared, rows), groups[cells], pl.DataFrame(numbers).fill_nan(None)],
        how="horizontal",
    )


def _submissions(compared: CorpusComparisons, rows: Places) -> pl.DataFrame:
    named = compared.submissions.select(
        "system", "task", "unit", corpus=pl.lit(compared.name), edition=pl.lit(compared.edition)
    )
    return named.select("system", "task", "corpus", "edition", "unit")[rows]


def _stacked(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """All under each other; an axis that a corpus lacks is null there."""
    return pl.concat(frames, how="diagonal") if frames else pl.DataFrame()
