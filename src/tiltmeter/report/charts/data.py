"""What a figure draws, as plain rows: systems in order, boxes, points, intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.report.all_pairs import boxes_of
from tiltmeter.report.comparison import Comparison
from tiltmeter.report.material import Material
from tiltmeter.report.numbers import POINTS
from tiltmeter.report.tables.group_names import printed
from tiltmeter.report.tables.ranks import ranked, ranked_by
from tiltmeter.report.tables.where import LARGEST

Array = NDArray[np.float64]

BOX = ("lower", "first_quartile", "median", "third_quartile", "upper")
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

    @property
    def by_rank(self) -> bool:
        """Whether systems are ordered by rank; by name otherwise."""
        return self.systems["rank"].count() > 0

    @property
    def deltas(self) -> Array:
        """(systems, pairs) in points of 100."""
        comparison = self.comparison
        rows = self.systems["row"].to_numpy()
        taken: Array = comparison.compared.deltas[np.ix_(rows, comparison.columns)] * POINTS
        return taken

    @property
    def boxes(self) -> Array:
        """(systems, 5) in points of 100."""
        comparison = self.comparison
        found = boxes_of(comparison.compared, comparison.axis, comparison.contrast)
        taken: Array = found[self.systems["row"].to_numpy()] * POINTS
        return taken


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
    comparison = shown.comparison
    whole = comparison.compared.whole
    every = whole.points[comparison.axis, comparison.contrast] if whole else ()
    mine = [every[row] * POINTS for row in shown.systems["row"]]
    values = np.concatenate([np.zeros(0), *mine])
    step = float(np.ptp(values)) / pixels if values.size else 1.0
    rows = np.repeat(np.arange(len(mine)), [one.size for one in mine])
    cells = np.unique(np.stack([rows, np.rint(values / (step or 1.0))]), axis=1)
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
