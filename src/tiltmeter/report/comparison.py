"""What one table or figure compares: two groups of an axis, on one corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.report.all_pairs import columns_of
from tiltmeter.report.material import Compared, Material
from tiltmeter.report.tables.group_names import abbreviated
from tiltmeter.report.wording import on_subset

MEAN = "mean_difference"
OF_ONE = ("corpus", "edition", "axis", "contrast")


EACH_GROUP = "each group"
"""What stands for the first group where all groups of an axis are shown together."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two groups of an axis, on one corpus."""

    compared: Compared
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
        groups = next((axis.groups for axis in self.compared.axes if axis.name == self.axis), ())
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


def comparisons(material: Material) -> list[Comparison]:
    """Every comparison of a run, in the corpora's order."""
    paired = material.estimates.filter(pl.col("measure") == MEAN)
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


def _corpus(compared: Compared, material: Material) -> tuple[str, ...]:
    """The corpus' name where there are several; its edition too where that alone tells."""
    names = [one.name for one in material.compared]
    if len(names) == 1:
        return ()
    alike = names.count(compared.name) > 1
    return (compared.name, compared.edition) if alike else (compared.name,)


def main_subsets(material: Material) -> list[str]:
    """The subsets that summaries show: all, neutral, and the one the user put first."""
    return list(dict.fromkeys(("all", "neutral", material.subset)))


def subset_words(subset: str) -> str:
    """A subset in words.

    >>> subset_words("all"), subset_words("own-emotion")
    ('all sentences', 'sentences with words of the task’s own emotion')
    """
    words = on_subset(subset, "the task’s own emotion")
    return words.removeprefix("on ").removesuffix(", ") or "all sentences"


def task_title(task: str) -> str:
    """A task as the paper heads its block.

    >>> task_title("anger"), task_title("valence"), task_title("toxicity")
    ('Anger intensity prediction', 'Valence prediction', 'toxicity')
    """
    if task in ("anger", "fear", "joy", "sadness"):
        return f"{task.capitalize()} intensity prediction"
    return "Valence prediction" if task == "valence" else task
