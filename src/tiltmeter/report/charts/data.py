"""What a figure draws, as plain rows: systems in order, boxes, points, intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.report.all_pairs import boxes_of
from tiltmeter.report.comparison import EACH_GROUP, Comparison
from tiltmeter.report.material import Material
from tiltmeter.report.numbers import POINTS
from tiltmeter.report.tables.group_names import BESIDE_AVERAGE, printed
from tiltmeter.report.tables.ranks import ranked, ranked_by
from tiltmeter.report.tables.where import LARGEST

Array = NDArray[np.float64]

BOX = ("lower", "first_quartile", "median", "third_quartile", "upper")
MOST_ROWS = 60
"""Groups that one figure shows beside their average; of more, those that differ most."""
MEANS = {"mean": "value", "low": "low", "high": "high"}


@dataclass(frozen=True, slots=True)
class Panel:
    """One comparison of one task's submissions: what a figure shows."""

    comparison: Comparison
    task: str
    systems: pl.DataFrame
    """In the figure's order: row (of the arrays), system, rank, significance, group (as printed),
    mean, low, high (points of 100), and skill where known."""
    left_out: int
    """Submissions without a known scale, which have no place on a common one."""
    metric: str
    """What systems are ranked by: pearson or spearman."""
    each: tuple[Comparison, ...] = ()
    """Of each row, where rows are of several comparisons; else all are of the one above."""
    of: int = 0
    """Where only the largest are shown: of how many."""

    @property
    def by_rank(self) -> bool:
        """Whether systems are ordered by rank; by name otherwise."""
        return self.systems["rank"].count() > 0

    @property
    def deltas(self) -> Array:
        """(systems, pairs) in points of 100."""
        comparison = self.comparison
        rows, columns = self.systems["row"].to_numpy(), comparison.columns
        if self.each:  # the average needs all groups, so each of them has the same pairs
            known = {one.contrast: one.columns for one in self.each}
            columns = np.stack([known[one.contrast] for one in self.each])
        taken: Array = comparison.compared.deltas[rows[:, None], columns] * POINTS
        return taken

    @property
    def boxes(self) -> Array:
        """(systems, 5) in points of 100."""
        comparison = self.comparison
        each = {one.contrast: one for one in self.each or (comparison,)}
        found = {name: boxes_of(one.compared, one.axis, one.contrast) for name, one in each.items()}
        rows = self.systems["row"].to_list()
        every = [one.contrast for one in self.each] or [comparison.contrast] * len(rows)
        taken = [found[name][row] for name, row in zip(every, rows, strict=True)]
        return np.reshape(taken, (len(rows), len(BOX))) * POINTS


def panel(material: Material, comparison: Comparison, task: str) -> Panel:
    """What a figure of one comparison and task shows; systems by rank, else by name."""
    ours = comparison.of(material.findings).filter(pl.col("subset") == "all")
    names = printed(*comparison.short)
    submissions = comparison.compared.submissions.with_row_index("row")
    joined = (
        submissions.filter(pl.col("task") == task)
        .join(ours, on=["system", "task"], how="inner")
        .join(ranked(material), on=["system", "task"], how="left")
        .with_columns(
            group=pl.col("significance").replace_strict(names),
            **{new: pl.col(old) * POINTS for new, old in MEANS.items()},
        )
    )
    shown = joined.filter(pl.col("unit") == "scale").sort("rank", "system", nulls_last=True)
    kept = shown.select("row", "system", "rank", "significance", "group", *MEANS)
    left_out, metric = joined.height - kept.height, ranked_by(material)
    return Panel(comparison, task, _with_skill(kept, task, metric, material), left_out, metric)


def groups_panel(material: Material, every: Sequence[Comparison], task: str) -> Panel:
    """The groups of an axis beside their average, a row for each and system, largest first."""
    several = every[0].compared.submissions.filter(task=task)["system"].n_unique() > 1
    shown = [panel(material, one, task) for one in every]
    named = [
        part.systems.with_columns(
            system=pl.concat_str(pl.lit(one.first), pl.lit(": "), "system") if several
            else pl.lit(one.first),
            nth=pl.lit(nth),
            group=pl.col("significance").replace_strict(BESIDE_AVERAGE),
            rank=pl.lit(None, pl.Int64),
        )
        for nth, (one, part) in enumerate(zip(every, shown, strict=True))
    ]  # fmt: skip
    rows = pl.concat(named).filter(pl.col("mean").is_not_null())
    rows = rows.sort(pl.col("mean").abs(), "system", descending=[True, False])
    kept = rows.head(MOST_ROWS).sort("mean", "system", descending=[True, False])
    whole = replace(every[0], contrast="", first=EACH_GROUP, apart=every[0].apart[1:])
    each = tuple(every[nth] for nth in kept["nth"])
    left_out = max(part.left_out for part in shown)
    return Panel(whole, task, kept.drop("nth"), left_out, shown[0].metric, each, rows.height)


def _with_skill(systems: pl.DataFrame, task: str, metric: str, material: Material) -> pl.DataFrame:
    """With each system's correlation with the gold scores, null where unknown."""
    if material.skill is None:
        return systems.with_columns(skill=pl.lit(None, pl.Float64))
    of_task = material.skill.filter(pl.col("task") == task).unique("system", keep="first")
    skill = of_task.select("system", skill=metric)
    return systems.join(skill, on="system", how="left", maintain_order="left")


def box_rows(shown: Panel) -> pl.DataFrame:
    """A row a system: its box in points of 100, beside what `systems` says."""
    found = shown.boxes
    columns = {name: pl.Series(found[:, at]).fill_nan(None) for at, name in enumerate(BOX)}
    return shown.systems.with_columns(**columns).filter(pl.col("median").is_not_null())


def point_rows(shown: Panel, pixels: int) -> pl.DataFrame:
    """Every difference, each drawn once for each pixel of the figure's height."""
    if shown.comparison.compared.whole:
        return _grid_points(shown, pixels)
    deltas = shown.deltas
    if not np.isfinite(deltas).any():
        return _points(shown, np.zeros(0, np.int64), np.zeros(0))
    step = float(np.nanmax(deltas) - np.nanmin(deltas)) / pixels or 1.0
    rows, columns = np.nonzero(np.isfinite(deltas))
    cells = np.unique(np.stack([rows, np.rint(deltas[rows, columns] / step)]), axis=1)
    return _points(shown, cells[0].astype(np.int64), cells[1] * step)


def _grid_points(shown: Panel, pixels: int) -> pl.DataFrame:
    """The same where differences are known by their places on a grid."""
    whole, rows = shown.comparison.compared.whole, shown.systems["row"].to_list()
    each = shown.each or (shown.comparison,) * len(rows)
    mine = [
        whole.points[one.axis, one.contrast][row] * POINTS
        for one, row in zip(each, rows, strict=True)
        if whole
    ]
    values = np.concatenate([np.zeros(0), *mine])
    step = float(np.ptp(values)) / pixels if values.size else 1.0
    places = np.repeat(np.arange(len(mine)), [one.size for one in mine])
    cells = np.unique(np.stack([places, np.rint(values / (step or 1.0))]), axis=1)
    return _points(shown, cells[0].astype(np.int64), cells[1] * (step or 1.0))


def outlier_rows(shown: Panel, many: int = LARGEST) -> pl.DataFrame:
    """The differences beyond each system's whiskers, the largest few of each."""
    deltas, found = shown.deltas, shown.boxes
    with np.errstate(invalid="ignore"):
        beyond = (deltas < found[:, :1]) | (deltas > found[:, -1:])
    size = np.where(beyond, np.abs(deltas - found[:, 2:3]), 0.0)
    order = np.argsort(-size, axis=1, kind="stable")[:, :many]
    taken = np.take_along_axis(size, order, axis=1) > 0
    rows = np.nonzero(taken)[0]
    return _points(shown, rows, deltas[rows, order[taken]])


def _points(shown: Panel, rows: NDArray[np.int64], values: Array) -> pl.DataFrame:
    return shown.systems.select("system", "group")[rows].with_columns(
        difference=pl.Series(values, dtype=pl.Float64)
    )
