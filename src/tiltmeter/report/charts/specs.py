"""Figures as Vega-Lite charts: the paper's box plots, the tilt strip, skill against tilt.

Direction is orange and blue (Okabe-Ito), and a shape too, never colour alone. Both ends of an axis
are named in words.
"""

from __future__ import annotations

import polars as pl

from tiltmeter.report.charts.data import Panel, box_rows, outlier_rows, point_rows
from tiltmeter.report.charts.parts import (
    GREY,
    HEIGHT,
    INK,
    NARROWEST,
    Spec,
    colour,
    finished,
    heading,
    higher,
    layer,
    names,
    number,
    shape,
    step,
    upright_words,
)

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


def box_chart(shown: Panel, figure: int | None, points: bool) -> Spec:
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


def strip_chart(shown: Panel) -> Spec:
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


def skill_chart(shown: Panel) -> Spec:
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


def ordered(shown: Panel) -> str:
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
