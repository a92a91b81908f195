"""The paper's figures for a run: box plots, the tilt strip, skill against tilt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.report.charts import (
    GREY,
    HEIGHT,
    INK,
    LETTER,
    LOOKS,
    NARROWEST,
    QUIET,
    Spec,
    finished,
    layer,
    names,
    number,
)
from tiltmeter.report.numbers import POINTS, count
from tiltmeter.report.phrases import task_title
from tiltmeter.schemas import Significance
from tiltmeter.studies.paired.comparison import (
    BESIDE_AVERAGE,
    EACH_GROUP,
    Comparison,
    boxes_of,
    printed,
)
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.submissions import ranked_by
from tiltmeter.studies.paired.tables import LARGEST, ranked

Array = NDArray[np.float64]

BOX = ("lower", "first_quartile", "median", "third_quartile", "upper")
MOST_ROWS = 60
"""Groups that one figure shows beside their average; of more, those that differ most."""
MEANS = {"mean": "value", "low": "low", "high": "high"}


@dataclass(frozen=True, slots=True)
class FigurePanel:
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
        taken: Array = comparison.compared.study.deltas[rows[:, None], columns] * POINTS
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


def panel(material: AuditResults, comparison: Comparison, task: str) -> FigurePanel:
    """What a figure of one comparison and task shows; systems by rank, else by name."""
    ours = comparison.of(material.paired_findings).filter(pl.col("subset") == "all")
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
    return FigurePanel(
        comparison, task, _with_skill(kept, task, metric, material), left_out, metric
    )


def groups_panel(material: AuditResults, every: Sequence[Comparison], task: str) -> FigurePanel:
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
    return FigurePanel(whole, task, kept.drop("nth"), left_out, shown[0].metric, each, rows.height)


def _with_skill(
    systems: pl.DataFrame, task: str, metric: str, material: AuditResults
) -> pl.DataFrame:
    """With each system's correlation with the gold scores, null where unknown."""
    if material.skill is None:
        return systems.with_columns(skill=pl.lit(None, pl.Float64))
    of_task = material.skill.filter(pl.col("task") == task).unique("system", keep="first")
    skill = of_task.select("system", skill=metric)
    return systems.join(skill, on="system", how="left", maintain_order="left")


def box_rows(shown: FigurePanel) -> pl.DataFrame:
    """A row a system: its box in points of 100, beside what `systems` says."""
    found = shown.boxes
    columns = {name: pl.Series(found[:, at]).fill_nan(None) for at, name in enumerate(BOX)}
    return shown.systems.with_columns(**columns).filter(pl.col("median").is_not_null())


def point_rows(shown: FigurePanel, pixels: int) -> pl.DataFrame:
    """Every difference, each drawn once for each pixel of the figure's height."""
    if shown.comparison.compared.study.totals:
        return _grid_points(shown, pixels)
    deltas = shown.deltas
    if not np.isfinite(deltas).any():
        return _points(shown, np.zeros(0, np.int64), np.zeros(0))
    step = float(np.nanmax(deltas) - np.nanmin(deltas)) / pixels or 1.0
    rows, columns = np.nonzero(np.isfinite(deltas))
    cells = np.unique(np.stack([rows, np.rint(deltas[rows, columns] / step)]), axis=1)
    return _points(shown, cells[0].astype(np.int64), cells[1] * step)


def _grid_points(shown: FigurePanel, pixels: int) -> pl.DataFrame:
    """The same where differences are known by their places on a grid."""
    totals, rows = shown.comparison.compared.study.totals, shown.systems["row"].to_list()
    each = shown.each or (shown.comparison,) * len(rows)
    mine = [
        totals.grid(one.axis, one.contrast).points(row) * POINTS
        for one, row in zip(each, rows, strict=True)
        if totals
    ]
    values = np.concatenate([np.zeros(0), *mine])
    step = float(np.ptp(values)) / pixels if values.size else 1.0
    places = np.repeat(np.arange(len(mine)), [one.size for one in mine])
    cells = np.unique(np.stack([places, np.rint(values / (step or 1.0))]), axis=1)
    return _points(shown, cells[0].astype(np.int64), cells[1] * (step or 1.0))


def outlier_rows(shown: FigurePanel, many: int = LARGEST) -> pl.DataFrame:
    """The differences beyond each system's whiskers, the largest few of each."""
    deltas, found = shown.deltas, shown.boxes
    with np.errstate(invalid="ignore"):
        beyond = (deltas < found[:, :1]) | (deltas > found[:, -1:])
    size = np.where(beyond, np.abs(deltas - found[:, 2:3]), 0.0)
    order = np.argsort(-size, axis=1, kind="stable")[:, :many]
    taken = np.take_along_axis(size, order, axis=1) > 0
    rows = np.nonzero(taken)[0]
    return _points(shown, rows, deltas[rows, order[taken]])


def _points(shown: FigurePanel, rows: NDArray[np.int64], values: Array) -> pl.DataFrame:
    return shown.systems.select("system", "group")[rows].with_columns(
        difference=pl.Series(values, dtype=pl.Float64)
    )


# Figures as Vega-Lite charts: the paper's box plots, the tilt strip, skill against tilt
# Direction is orange and blue (Okabe-Ito), and a shape too, never colour alone. Both ends of an
# axis are named in words.

ROW, WIDEST_BOX = 18, 28
"""Pixels of a row of the strip, and of a box from left to right at most."""
FEW, NAMED = 12, 3
"""Up to so many systems a scatter names all, else so many of each kind."""
POINTS_OF_100 = "Δ in points of 100"
EVERY = "Every pair is a point; those less than two pixels apart are drawn as one."
OUTLIERS = "Points: at most 20 pairs of each system beyond the whiskers."
BOXES = (
    "Boxes: quartiles and median; whiskers: to the last pair within 1.5 interquartile ranges; "
    "large symbols: means."
)
INTERVALS = "Lines: 95\u00a0% intervals."
LINE = {"color": INK, "strokeWidth": 1}


def step(shown: FigurePanel) -> float:
    """Pixels between systems: fewer where there are many."""
    many = max(shown.systems.height, 1)
    close = 20 if many <= 100 else 14 if many <= 400 else 7
    return max(close, min(80, NARROWEST / many))


def colour(shown: FigurePanel) -> Spec:
    """A group's colour; the legend names the groups as the paper does."""
    names, looks = _groups(shown)
    return _group({"domain": names, "range": [look for look, _ in looks]})


def shape(shown: FigurePanel) -> Spec:
    """A group's shape."""
    names, looks = _groups(shown)
    return _group({"domain": names, "range": [look for _, look in looks]})


def _group(scale: Spec) -> Spec:
    return {"field": "group", "type": "nominal", "scale": scale}


def _groups(shown: FigurePanel) -> tuple[list[str], list[tuple[str, str]]]:
    """The groups to explain: the paper's three, and what is not estimable where there is any."""
    found = set(shown.systems["significance"])
    kinds = [kind for kind in LOOKS if kind != Significance.NOT_ESTIMABLE or kind in found]
    names = BESIDE_AVERAGE if shown.each else printed(*shown.comparison.short)
    return [names[kind] for kind in kinds], [LOOKS[kind] for kind in kinds]


def higher(shown: FigurePanel) -> tuple[str, str]:
    """What lies below 0 and above it, in words."""
    if shown.each:
        return "lower than the average of all groups", "higher than the average of all groups"
    first, second = shown.comparison.phrases
    return f"higher for sentences {second}", f"higher for sentences {first}"


def upright_words(shown: FigurePanel) -> list[Spec]:
    """Both ends of an upright axis in words, within the plot."""
    below, above = higher(shown)
    plain = {"align": "left", "color": QUIET, "fontSize": 11, "limit": NARROWEST}
    top = {"text": f"↑ {above}", "baseline": "top"}
    bottom = {"text": f"↓ {below}", "baseline": "bottom"}
    return [
        layer("zero", "text", plain | top, x={"value": 6}, y={"value": 4}),
        layer("zero", "text", plain | bottom, x={"value": 6}, y={"value": HEIGHT - 4}),
    ]


def heading(shown: FigurePanel, title: str, width: float, *sentences: str) -> Spec:
    """The figure's title, and what must be said of it under it."""
    about = shown.comparison
    what = ", ".join((task_title(shown.task), about.axis, *about.apart))
    compared = f"Δ = {about.first} − {about.second}, on the {about.compared.title}."
    none = "no scores on a known scale and"
    hidden = count(shown.left_out, f"system has {none} is", f"systems have {none} are")
    left_out = f"{hidden} not shown."
    few = f"The {shown.systems.height:,} rows that differ most, of {shown.of:,}."
    told = [few] if shown.of > shown.systems.height else []
    said = " ".join((compared, *sentences, *told, *([left_out] if shown.left_out else [])))
    return {"text": f"{title}: {what}", "subtitle": wrap(said, int(max(width, NARROWEST) / LETTER))}


def box_chart(shown: FigurePanel, figure: int | None, points: bool) -> Spec:
    """Figures 1 and 2 of K&M 2018: a box of Δ per system, with every point or only outliers."""
    wide = min(0.62 * step(shown), WIDEST_BOX)
    x = names(shown.systems["system"].to_list(), labelAngle=-60)
    marked = {"x": x, "color": colour(shown), "shape": shape(shown)}
    cap, median = ({"color": INK, "thickness": t, "size": w} for t, w in ((1, wide / 2), (2, wide)))
    bar = {"color": GREY, "size": wide, "stroke": INK, "strokeWidth": 0.8, "opacity": 0.8}
    mean = _dot(50) | {"stroke": "white", "strokeWidth": 0.8}
    box, upper = number("first_quartile"), {"field": "third_quartile"}
    layers = [
        layer("zero", "rule", LINE, y=number("zero", POINTS_OF_100, padding=18)),
        layer("points", "point", _dot(12, 0.6), y=number("difference"), **marked),
        layer("boxes", "rule", {"color": INK}, x=x, y=number("lower"), y2={"field": "upper"}),
        layer("boxes", "tick", cap, x=x, y=number("lower")),
        layer("boxes", "tick", cap, x=x, y=number("upper")),
        layer("boxes", "bar", bar, x=x, y=box, y2=upper),
        layer("boxes", "tick", median, x=x, y=number("median")),
        layer("boxes", "point", mean, y=number("mean"), **marked),
        *upright_words(shown),
    ]
    width = step(shown) * shown.systems.height
    what = f"Figure {figure}. Score differences" if figure else "Score differences"
    title = heading(shown, what, width, EVERY if points else OUTLIERS, BOXES, ordered(shown))
    rows = point_rows(shown, HEIGHT // 2) if points else outlier_rows(shown)
    return finished(layers, (width, HEIGHT), title, boxes=box_rows(shown), points=rows)


def strip_chart(shown: FigurePanel) -> Spec:
    """The tilt strip: a dot and its 95 % interval per system, largest first."""
    rows = shown.systems.filter(pl.col("mean").is_not_null())
    rows = rows.sort(pl.col("mean").abs(), "system", descending=[True, False])
    y, (below, above) = names(rows["system"].to_list(), domain=False), higher(shown)
    ends = [POINTS_OF_100, f"← {below}", f"{above} →"]
    group, high = {"y": y, "color": colour(shown)}, {"field": "high"}
    layers = [
        layer("zero", "rule", LINE, x=number("zero", ends)),
        layer("intervals", "rule", {"strokeWidth": 2}, x=number("low"), x2=high, **group),
        layer("means", "point", _dot(70), x=number("mean"), shape=shape(shown), **group),
    ]
    title = heading(shown, "Mean score difference", NARROWEST, INTERVALS, "Largest first.")
    known = rows.drop_nulls(["low", "high"])
    return finished(layers, (NARROWEST, ROW * rows.height), title, means=rows, intervals=known)


def skill_chart(shown: FigurePanel) -> Spec:
    """Skill against tilt: an even system that knows nothing is not a good one."""
    rows = shown.systems.filter(pl.col("mean").is_not_null(), pl.col("skill").is_not_null())
    skill = f"skill: {shown.metric.capitalize()} correlation with the gold scores"
    x = number("skill", skill, zero=False, padding=20)
    group, high = {"x": x, "color": colour(shown)}, {"field": "high"}
    text = {"align": "left", "dx": 6, "dy": -6, "fontSize": 10, "color": INK, "limit": 110}
    layers = [
        layer("zero", "rule", LINE, y=number("zero", POINTS_OF_100, padding=18)),
        layer("intervals", "rule", {"opacity": 0.5}, y=number("low"), y2=high, **group),
        layer("means", "point", _dot(60), y=number("mean"), shape=shape(shown), **group),
        layer("named", "text", text, x=x, y=number("mean"), text={"field": "system"}),
        *upright_words(shown),
    ]
    title = heading(shown, "Skill against mean score difference", NARROWEST, INTERVALS, _told(rows))
    known = rows.drop_nulls(["low", "high"])
    return finished(
        layers, (NARROWEST, HEIGHT), title, means=rows, intervals=known, named=_named(rows)
    )


def ordered(shown: FigurePanel) -> str:
    """In what order the systems stand."""
    if shown.each:
        return "By their mean difference."
    if not shown.by_rank:
        return "Systems by name."
    unranked = ", then those without one" if shown.systems["rank"].null_count() else ""
    return f"Systems by rank on the gold scores ({shown.metric.capitalize()}){unranked}."


def _dot(size: float, opacity: float = 1.0) -> Spec:
    return {"filled": True, "size": size, "opacity": opacity}


def _named(rows: pl.DataFrame) -> pl.DataFrame:
    """The systems named in the scatter: all where few, else the most skilled and most tilted."""
    if rows.height <= FEW:
        return rows
    most = [rows.top_k(NAMED, by="skill"), rows.top_k(NAMED, by=pl.col("mean").abs())]
    return pl.concat(most).unique("system", maintain_order=True)


def _told(rows: pl.DataFrame) -> str:
    told = f"Named: the {NAMED} with the highest skill, the {NAMED} with the largest difference."
    return told if rows.height > FEW else ""
