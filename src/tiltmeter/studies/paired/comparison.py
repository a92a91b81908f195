"""What one table or figure compares: two groups on one corpus, their pairs, boxes, short names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.schemas import Significance
from tiltmeter.studies.paired.pairs import MEAN
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons

LONGEST = 4
"""Letters of each word that an abbreviation takes at most."""


def abbreviated(groups: Sequence[str]) -> dict[str, str]:
    """Each group's initials, with as many letters of each word as tell all groups apart.

    >>> abbreviated(["female", "male"]), abbreviated(["African American", "European American"])
    ({'female': 'F', 'male': 'M'}, {'African American': 'AA', 'European American': 'EA'})
    >>> abbreviated(["Arab", "Anglo"]), abbreviated(["a", "A"])
    ({'Arab': 'Ar', 'Anglo': 'An'}, {'a': 'a', 'A': 'A'})
    """
    for letters in range(1, LONGEST + 1):
        short = {group: _initials(group, letters) for group in groups}
        if all(short.values()) and len(set(short.values())) == len(short):
            return short
    return {group: group for group in groups}


def _initials(group: str, letters: int) -> str:
    words = re.findall(r"\w+", group.replace("_", " "))
    return "".join(word[:1].upper() + word[1:letters] for word in words)


def labels(first: str, second: str) -> tuple[str, str]:
    """Heads of the columns of differences above and below 0.

    >>> labels("F", "M")
    ('F↑–M↓', 'F↓–M↑')
    """
    return f"{first}↑–{second}↓", f"{first}↓–{second}↑"


BESIDE_AVERAGE = {
    Significance.NONE.value: "No difference from the average detected",
    Significance.UP.value: "Higher than the average, significant",
    Significance.DOWN.value: "Lower than the average, significant",
    Significance.NOT_ESTIMABLE.value: "Not estimable",
}
"""What each significance is called in print where groups are compared with the average of all."""


def printed(first: str, second: str) -> dict[str, str]:
    """What each significance is called in print.

    >>> printed("F", "M")["none"]
    'F=M not significant'
    """
    up, down = labels(first, second)
    return {
        Significance.NONE.value: f"{first}={second} not significant",
        Significance.UP.value: f"{up} significant",
        Significance.DOWN.value: f"{down} significant",
        Significance.NOT_ESTIMABLE.value: "Not estimable",
        "all": "All",
    }


Array = NDArray[np.float64]

QUARTILES = np.array([0.25, 0.5, 0.75])
REACH = 1.5
"""How many interquartile ranges a whisker may reach beyond its box."""


def boxes(deltas: Array) -> Array:
    """Lower whisker, first quartile, median, third quartile, upper whisker, (submissions, 5).

    A whisker ends at the farthest difference within 1.5 IQR of the box; a row without any
    difference is NaN.

    >>> boxes(np.array([[0.0, 1.0, 2.0, 3.0, 4.0, 100.0]])).tolist()  # Q3 + 1.5·IQR = 7.5
    [[0.0, 1.25, 2.5, 3.75, 4.0]]
    """
    found = np.full((deltas.shape[0], 5), np.nan)
    some = ~np.isnan(deltas).all(axis=1) if deltas.size else np.zeros(deltas.shape[0], bool)
    if not some.any():
        return found
    taken = deltas[some]
    first, median, third = np.nanquantile(taken, QUARTILES, axis=1)
    reach = REACH * (third - first)
    inside = (taken >= (first - reach)[:, None]) & (taken <= (third + reach)[:, None])
    low = np.min(taken, axis=1, initial=np.inf, where=inside)
    high = np.max(taken, axis=1, initial=-np.inf, where=inside)
    found[some] = np.column_stack([low, first, median, third, high])
    return found


Places = NDArray[np.int64]


def columns_of(compared: CorpusComparisons, axis: str, contrast: str) -> Places:
    """Where a contrast's pairs stand in the arrays."""
    pairs = compared.study.pairs
    mine = (pairs["axis"] == axis) & (pairs["contrast"] == contrast)
    return mine.arg_true().to_numpy().astype(np.int64)


def boxes_of(compared: CorpusComparisons, axis: str, contrast: str) -> Array:
    """The box of each submission's differences, (submissions, 5)."""
    if compared.study.totals is None:
        return boxes(compared.study.deltas[:, columns_of(compared, axis, contrast)])
    grid = compared.study.totals.grid(axis, contrast)
    found = np.full((grid.width.size, 5), np.nan)
    for row in range(grid.width.size):
        points = grid.points(row)
        if points.size:
            first, median, third = grid.quantiles(row, QUARTILES)
            reach = REACH * (third - first)
            inside = points[(points >= first - reach) & (points <= third + reach)]
            found[row] = (inside.min(), first, median, third, inside.max())
    return found


OF_ONE = ("corpus", "edition", "axis", "contrast")


EACH_GROUP = "each group"
"""What stands for the first group where all groups of an axis are shown together."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two groups of an axis, on one corpus."""

    compared: CorpusComparisons
    axis: str
    contrast: str
    first: str
    second: str
    apart: tuple[str, ...] = ()
    """What tells it from others of its axis: the contrast where there are several, the corpus."""

    @property
    def short(self) -> tuple[str, str]:
        """Both groups in short: F and M; beside the average of all, in full."""
        if self.average:
            return self.first, self.second
        groups = next(
            (axis.groups for axis in self.compared.corpus.axes if axis.name == self.axis), ()
        )
        known = abbreviated(list(dict.fromkeys((*groups, self.first, self.second))))
        return known[self.first], known[self.second]

    @property
    def phrases(self) -> tuple[str, str]:
        """How both groups' sentences are spoken of: `about women`, `about men`."""
        phrase = self.compared.phrase
        return phrase(self.axis, self.first), phrase(self.axis, self.second)

    @property
    def average(self) -> bool:
        """Whether the second is no group, but the average of all."""
        return self.compared.is_average(self.axis, self.second)

    @property
    def columns(self) -> NDArray[np.int64]:
        """Its pairs' places in the arrays."""
        return columns_of(self.compared, self.axis, self.contrast)

    def of(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows of estimates or findings that belong to it."""
        mine = (self.compared.name, self.compared.edition, self.axis, self.contrast)
        return frame.filter(pl.col(name) == value for name, value in zip(OF_ONE, mine, strict=True))


def comparisons(material: AuditResults) -> list[Comparison]:
    """Every comparison of a run, in the corpora's order."""
    paired = material.paired_estimates.filter(pl.col("measure") == MEAN)
    listed = paired.select(*OF_ONE, "reference").unique(maintain_order=True).rows()
    many = Counter((corpus, edition, axis) for corpus, edition, axis, *_ in listed)
    return [
        Comparison(
            compared, axis, contrast, contrast.removesuffix(f"-{second}"), second,
            ((contrast,) if many[corpus, edition, axis] > 1 else ()) + _corpus(compared, material),
        )
        for corpus, edition, axis, contrast, second in listed
        for compared in material.compared
        if (compared.name, compared.edition) == (corpus, edition)
    ]  # fmt: skip


def beside_average(found: Sequence[Comparison]) -> list[list[Comparison]]:
    """The comparisons with the average of all, those of one axis and corpus together."""
    axes: dict[tuple[int, str], list[Comparison]] = {}
    for one in found:
        if one.average:
            axes.setdefault((id(one.compared), one.axis), []).append(one)
    return list(axes.values())


def _corpus(compared: CorpusComparisons, material: AuditResults) -> tuple[str, ...]:
    """The corpus' name where there are several; its edition too where that alone tells."""
    names = [one.name for one in material.compared]
    if len(names) == 1:
        return ()
    alike = names.count(compared.name) > 1
    return (compared.name, compared.edition) if alike else (compared.name,)


def main_subsets(material: AuditResults) -> list[str]:
    """The subsets that summaries show: all, neutral, and the one the user put first."""
    return list(dict.fromkeys(("all", "neutral", material.subset)))
