"""The first screen of a reproduction: how close it comes to print, skill beside tilt, what differs.

A published system is reproduced where the one that is built alike comes within 0.05 of the printed
correlation, or above it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl
from markupsafe import Markup

from tiltmeter.ranking import coarsen_column
from tiltmeter.report.first_screen import Chip, ChipShape, FirstScreen, NextCommand
from tiltmeter.report.forest import (
    Forest,
    ForestCell,
    ForestPanel,
    ForestRow,
    ForestScale,
    Mark,
    from_zero,
)
from tiltmeter.report.numbers import DASH, POINTS, count, fixed, points
from tiltmeter.report.page import NOTHING
from tiltmeter.report.phrases import called
from tiltmeter.studies.regression.wording import LANGUAGES

if TYPE_CHECKING:
    from tiltmeter.studies.training.reproduce import Results

NEAR = 0.05
"""How far below a published correlation still counts as the same."""
ROWS = 3
"""Systems that the first screen draws; the sections below have them all."""
WHY = {
    "svm-tfidf": "the paper does not print its settings",
    "embedding-mlp": "ours reads other word vectors",
    "encoder-mlp": "ours is another encoder",
}
"""By recipe: why ours may differ from the published one."""
ENCODERS = ("BERT+", "mBERT", "XLM-RoBERTa")
"""Published systems whose weights do not come with ours."""


def results_screen(results: Results) -> FirstScreen:
    """What the reproduction comes to."""
    beside = beside_paper(results.skill, results.published)
    return FirstScreen(
        lead=_lead(results, beside),
        chips=tuple(_chips(results, beside)),
        figure=_figure(results, beside),
        moved=_disagreement(beside),
        steps=tuple(_next(results)),
        moved_title="What does not agree",
        steps_title="Where to go next",
    )


def beside_paper(ours: pl.DataFrame, theirs: pl.DataFrame) -> pl.DataFrame:
    """Each published correlation with that of the system built alike, and its interval.

    name, ours, language, task, recipe, r, low, high, pearson, gap: r − pearson.
    """
    own = ours.select(
        "language", "task", "recipe", ours="system", r="test_pearson",
        low="test_pearson_low", high="test_pearson_high",
    )  # fmt: skip
    known = theirs.drop_nulls("ours").join(
        own, on=["language", "ours", "task"], maintain_order="left"
    ).drop_nulls("r")  # fmt: skip
    return known.with_columns(gap=pl.col("r") - pl.col("pearson"))


def mean_tilts(tilts: pl.DataFrame) -> dict[str, float]:
    """Of each system the mean size of its differences, over tasks, corpora and axes."""
    sizes = tilts.drop_nulls("value").group_by("system").agg(pl.col("value").abs().mean())
    return dict(sizes.iter_rows())


def _near(rows: pl.DataFrame) -> int:
    return rows.filter(pl.col("gap") > -NEAR).height


def _lead(results: Results, beside: pl.DataFrame) -> str:
    """How many come how close, and how far these tilt."""
    models = count(results.skill.height, "model")
    if beside.is_empty():
        return f"None of the {models} trained here is built like a published system."
    how = f" comes within {NEAR:g} of its published skill, or above,"
    each = [(_near(rows), rows.height, name) for (name,), rows in beside.group_by("name")]
    ranked = sorted(each, key=lambda one: (-one[0] / one[1], one[2]))
    parts = [
        f"{name}{how} in {near} of {count(all_, 'model')}" if nth == 0
        else f"{name} in {near} of {all_:,}"
        for nth, (near, all_, name) in enumerate(ranked)
    ]  # fmt: skip
    known = mean_tilts(results.tilts)
    sizes = [known[name] for name in beside["ours"].unique() if name in known]
    tilt = ""
    if sizes:
        low, high = points(min(sizes)), points(max(sizes))
        tilt = f"; they tilt by {low if low == high else f'{low} to {high}'} points on average"
    return f"{', '.join(parts)}{tilt}."


def _chips(results: Results, beside: pl.DataFrame) -> Iterator[Chip]:
    """A verdict on each published system."""
    names = results.published["name"].unique(maintain_order=True).to_list()
    for name in names:
        rows = beside.filter(name=name)
        near = _near(rows)
        if rows.height and near == rows.height:
            yield Chip(ChipShape.EVEN, name, "reproduced", "#skill")
        elif rows.height:
            word = "partly" if near else "not reproduced"
            yield Chip(ChipShape.UNDECIDED if near else ChipShape.TILTED, name, word, "#skill")
    others = [name for name in names if name not in set(beside["name"])]
    if others:
        yield Chip(ChipShape.NO_SIGNAL, ", ".join(others), "not built here", "#apart")


def _figure(results: Results, beside: pl.DataFrame) -> Markup:
    """Each published system at its farthest below print, then others; their tilt beside it."""
    known = mean_tilts(results.tilts)
    gap = coarsen_column(pl.col("gap"))
    worst = beside.sort(gap, maintain_order=True).unique("ours", keep="first", maintain_order=True)
    of_each = worst.with_columns(nth=pl.int_range(pl.len()).over("name"))
    rows = of_each.sort("nth", gap, maintain_order=True).head(ROWS).to_dicts()
    if not rows:
        return NOTHING
    scale = from_zero([known.get(row["ours"], 0.0) * POINTS for row in rows], least=0.01)
    shown = []
    for row in rows:
        tilt = known.get(row["ours"])
        published = f"published {fixed(row['pearson'], 2)}"
        skill = ForestCell(
            (Mark(row["r"], row["low"], row["high"], filled=True),), fixed(row["r"], 2),
            spread=f"{fixed(row['low'], 2)} to {fixed(row['high'], 2)}", says=(published,),
            references=(row["pearson"],),
        )  # fmt: skip
        beside_it = ForestCell(number=DASH) if tilt is None else ForestCell(
            (Mark(POINTS * tilt, filled=True),), points(tilt)
        )  # fmt: skip
        shown.append(ForestRow(called(row["ours"]), (skill, beside_it), tag=row["task"]))
    panels = (
        ForestPanel("Skill (r), at worst", ForestScale(0.0, 1.0)),
        ForestPanel("Mean tilt, points", scale),
    )
    forest = Forest("close", "Skill beside tilt", panels, tuple(shown), first="", directed=False,
                    kind="close")  # fmt: skip
    key = Markup('<p class="aside key">● ours, with its 95 % interval; line: published</p>')
    return forest.html() + key


def _disagreement(beside: pl.DataFrame) -> str:
    """Which published values lie outside our intervals, the farthest of them, and why."""
    outside = beside.filter(
        (pl.col("pearson") < pl.col("low")) | (pl.col("pearson") > pl.col("high"))
    )
    many = count(beside.height, "published value")
    if beside.is_empty():
        return ""
    if outside.is_empty():
        return f"None of {many} lies outside our 95 % interval."
    size = coarsen_column(pl.col("gap").abs())
    row = outside.sort(size, descending=True, maintain_order=True).row(0, named=True)
    why = WHY.get(row["recipe"])
    return (
        f"{outside.height} of {many} {'lies' if outside.height == 1 else 'lie'} outside our "
        f"interval, by {fixed(abs(row['gap']), 2)} at most{f': {why}' if why else ''}."
    )


def _next(results: Results) -> Iterator[NextCommand]:
    """The audits of each language; what would train the encoders that are missing."""
    if results.reports:
        links = Markup(", ").join(
            Markup('<a href="{}">{}</a>').format(path, LANGUAGES.get(code, code))
            for code, path in results.reports.items()
        )
        yield NextCommand("", Markup("All pairs: {}").format(links))
    if set(ENCODERS) & set(results.published["name"]):
        yield NextCommand("tiltmeter train encoder-mlp --encoder bert+=PATH")
