"""The paper's figures for a run: box plots, the tilt strip, skill against tilt.

Direction is orange and blue (Okabe-Ito), and a shape too, never colour alone. Both ends of an axis
are named in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.ranking import coarsen, coarsen_column
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
from tiltmeter.report.forest import (
    Forest,
    ForestCell,
    ForestPanel,
    ForestRow,
    Mark,
    Side,
    around_zero,
)
from tiltmeter.report.numbers import POINTS, count, points
from tiltmeter.report.phrases import task_title
from tiltmeter.report.svg import fit_words
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
from tiltmeter.studies.paired.wording import SAID, interval_towards_higher

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
    metric, keys = ranked_by(material), ["system", "task"]
    skill = pl.DataFrame(schema={"system": pl.String, "task": pl.String, "skill": pl.Float64})
    if material.skill is not None:
        first = material.skill.unique(keys, keep="first", maintain_order=True)
        skill = first.select(*keys, skill=metric)
    joined = (
        comparison.compared.submissions.with_row_index("row")
        .filter(pl.col("task") == task)
        .join(ours, on=keys, how="inner")
        .join(ranked(material), on=keys, how="left")
        .join(skill, on=keys, how="left")
        .with_columns(
            group=pl.col("significance").replace_strict(printed(*comparison.short)),
            **{new: pl.col(old) * POINTS for new, old in MEANS.items()},
        )
    )
    systems = (
        joined.filter(pl.col("unit") == "scale")
        .sort("rank", "system", nulls_last=True)
        .select("row", "system", "rank", "significance", "group", *MEANS, "skill")
    )
    return FigurePanel(comparison, task, systems, joined.height - systems.height, metric)


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
    size, mean = coarsen_column(pl.col("mean").abs()), coarsen_column(pl.col("mean"))
    rows = rows.sort(size, "system", descending=[True, False], maintain_order=True)
    kept = rows.head(MOST_ROWS).sort(mean, "system", descending=[True, False], maintain_order=True)
    whole = replace(every[0], contrast="", first=EACH_GROUP, apart=every[0].apart[1:])
    each = tuple(every[nth] for nth in kept["nth"])
    left_out = max(part.left_out for part in shown)
    return FigurePanel(whole, task, kept.drop("nth"), left_out, shown[0].metric, each, rows.height)


def box_rows(shown: FigurePanel) -> pl.DataFrame:
    """A row a system: its box in points of 100, beside what `systems` says."""
    found = shown.boxes
    columns = {name: pl.Series(found[:, at]).fill_nan(None) for at, name in enumerate(BOX)}
    return shown.systems.with_columns(**columns).filter(pl.col("median").is_not_null())


def point_rows(shown: FigurePanel, pixels: int) -> pl.DataFrame:
    """Every difference, each drawn once for each pixel of the figure's height."""
    totals = shown.comparison.compared.study.totals
    if totals:  # differences are known by their places on a grid
        rows = shown.systems["row"].to_list()
        each = shown.each or (shown.comparison,) * len(rows)
        points = [
            totals.grid(one.axis, one.contrast).points(row) * POINTS
            for one, row in zip(each, rows, strict=True)
        ]
        places = np.repeat(np.arange(len(points)), [one.size for one in points])
        values = np.concatenate([np.zeros(0), *points])
    else:
        deltas = shown.deltas
        places, columns = np.nonzero(np.isfinite(deltas))
        values = deltas[places, columns]
    if not values.size:
        return _points(shown, np.zeros(0, np.int64), np.zeros(0))
    apart = float(np.ptp(values)) / pixels or 1.0
    cells = np.unique(np.stack([places, np.rint(values / apart)]), axis=1)
    return _points(shown, cells[0].astype(np.int64), cells[1] * apart)


def outlier_rows(shown: FigurePanel, many: int = LARGEST) -> pl.DataFrame:
    """The differences beyond each system's whiskers, the largest few of each."""
    deltas, found = shown.deltas, shown.boxes
    with np.errstate(invalid="ignore"):
        beyond = (deltas < found[:, :1]) | (deltas > found[:, -1:])
    size = np.where(beyond, np.abs(deltas - found[:, 2:3]), 0.0)
    order = np.argsort(-coarsen(size), axis=1, kind="stable")[:, :many]
    taken = np.take_along_axis(size, order, axis=1) > 0
    rows = np.nonzero(taken)[0]
    return _points(shown, rows, deltas[rows, order[taken]])


def _points(shown: FigurePanel, rows: NDArray[np.int64], values: Array) -> pl.DataFrame:
    return shown.systems.select("system", "group")[rows].with_columns(
        difference=pl.Series(values, dtype=pl.Float64)
    )


WIDEST_BOX, NAME_WIDTH = 28, 210.0
"""Pixels of a box from left to right at most, and of a system's name in the strip."""
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
FILLED = "A filled mark: a difference is detected, after correction."
LINE = {"color": INK, "strokeWidth": 1}


def step(shown: FigurePanel) -> float:
    """Pixels between systems: fewer where there are many."""
    many = max(shown.systems.height, 1)
    close = 20 if many <= 100 else 14 if many <= 400 else 7
    return max(close, min(80, NARROWEST / many))


def group_looks(shown: FigurePanel) -> tuple[Spec, Spec]:
    """A group's colour and its shape; the legend names the groups as the paper does.

    The paper's three, and what is not estimable where there is any.
    """
    found = set(shown.systems["significance"])
    kinds = [kind for kind in LOOKS if kind != Significance.NOT_ESTIMABLE or kind in found]
    names = BESIDE_AVERAGE if shown.each else printed(*shown.comparison.short)
    colour, shape = (
        {"field": "group", "type": "nominal", "scale": {
            "domain": [names[kind] for kind in kinds], "range": [LOOKS[kind][at] for kind in kinds],
        }}
        for at in (0, 1)
    )  # fmt: skip
    return colour, shape


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


def box_chart(shown: FigurePanel, figure: int | None, every: bool) -> Spec:
    """Figures 1 and 2 of K&M 2018: a box of Δ per system, with every point or only outliers."""
    wide = min(0.62 * step(shown), WIDEST_BOX)
    x = names(shown.systems["system"].to_list(), labelAngle=-60)
    colour, shape = group_looks(shown)
    marked = {"x": x, "color": colour, "shape": shape}
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
    order = "By their mean difference." if shown.each else "Systems by name."
    if shown.by_rank and not shown.each:
        unranked = ", then those without one" if shown.systems["rank"].null_count() else ""
        order = f"Systems by rank on the gold scores ({shown.metric.capitalize()}){unranked}."
    title = heading(shown, what, width, EVERY if every else OUTLIERS, BOXES, order)
    rows = point_rows(shown, HEIGHT // 2) if every else outlier_rows(shown)
    return finished(layers, (width, HEIGHT), title, boxes=box_rows(shown), points=rows)


def strip_svg(shown: FigurePanel) -> str:
    """The tilt strip as on the page: a dot and its 95 % interval per system, largest first."""
    rows = shown.systems.filter(pl.col("mean").is_not_null())
    by_size = coarsen_column(pl.col("mean").abs())
    rows = rows.sort(by_size, "system", descending=[True, False])
    ends, forest_rows = higher(shown), list[ForestRow]()
    for row in rows.iter_rows(named=True):
        value, low, high = row["mean"], row["low"], row["high"]
        side: Side = "up" if value > 0 else "down" if value < 0 else ""
        detected = row["significance"] in (Significance.UP, Significance.DOWN)
        size, spread = points(abs(value) / POINTS), ""
        if low is not None and high is not None:
            size, *interval = interval_towards_higher(
                value / POINTS, low / POINTS, high / POINTS, "scale"
            )
            spread = " to ".join(interval)
        cell = ForestCell(
            (Mark(value, low, high, side if detected else ""),), size,
            "points" if value else "", ends[value > 0] if value else "", spread,
            (SAID[row["significance"]],), side,
        )  # fmt: skip
        forest_rows.append(ForestRow(fit_words(row["system"], NAME_WIDTH), (cell,)))
    scale = around_zero(rows["mean"], pl.concat([rows["low"], rows["high"]]).drop_nulls())
    title = heading(shown, "Mean score difference", NARROWEST, INTERVALS, "Largest first.")
    panel = ForestPanel(POINTS_OF_100, scale, ends)
    forest = Forest("strip", title["text"], (panel,), tuple(forest_rows))
    return forest.svg(" ".join([*title["subtitle"], FILLED]))


def skill_chart(shown: FigurePanel) -> Spec:
    """Skill against tilt: an even system that knows nothing is not a good one.

    Of many systems the most skilled and the most tilted are named.
    """
    rows = shown.systems.filter(pl.col("mean").is_not_null(), pl.col("skill").is_not_null())
    named, which = rows, ""
    if rows.height > FEW:
        sizes = (coarsen_column(pl.col("skill")), coarsen_column(pl.col("mean").abs()))
        most = [rows.sort(size, "system", descending=[True, False]).head(NAMED) for size in sizes]
        named = pl.concat(most).unique("system", maintain_order=True)
        which = (
            f"Named: the {NAMED} with the highest skill, the {NAMED} with the largest difference."
        )
    skill = f"skill: {shown.metric.capitalize()} correlation with the gold scores"
    x = number("skill", skill, zero=False, padding=20)
    (colour, shape), high = group_looks(shown), {"field": "high"}
    group = {"x": x, "color": colour}
    text = {"align": "left", "dx": 6, "dy": -6, "fontSize": 10, "color": INK, "limit": 110}
    layers = [
        layer("zero", "rule", LINE, y=number("zero", POINTS_OF_100, padding=18)),
        layer("intervals", "rule", {"opacity": 0.5}, y=number("low"), y2=high, **group),
        layer("means", "point", _dot(60), y=number("mean"), shape=shape, **group),
        layer("named", "text", text, x=x, y=number("mean"), text={"field": "system"}),
        *upright_words(shown),
    ]
    title = heading(shown, "Skill against mean score difference", NARROWEST, INTERVALS, which)
    known = rows.drop_nulls(["low", "high"])
    return finished(layers, (NARROWEST, HEIGHT), title, means=rows, intervals=known, named=named)


def _dot(size: float, opacity: float = 1.0) -> Spec:
    return {"filled": True, "size": size, "opacity": opacity}
