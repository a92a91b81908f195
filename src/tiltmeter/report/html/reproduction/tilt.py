"""Tilt, a table a corpus and axis, and beside skill."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from tiltmeter.report.html.reproduction.rows import (
    LANGUAGES,
    MARKS,
    Block,
    Cell,
    Row,
    languages_of,
    tasks_of,
)
from tiltmeter.report.numbers import DASH, POINTS, count, fixed, interval, points
from tiltmeter.report.results import Results


def beside_blocks(results: Results) -> Iterator[Block]:
    """Skill beside tilt, a table a language: a system's mean over its tasks and corpora."""
    size = pl.col("value").abs().mean()
    detected = pl.col("significance").is_in(list(MARKS)).sum()
    for code in languages_of(results.tilts):
        tilts = results.tilts.filter(language=code)
        axes = tilts["axis"].unique(maintain_order=True).to_list()
        known = dict(
            results.skill.filter(language=code).group_by("system")
            .agg(pl.col("test_pearson").mean()).iter_rows()
        )  # fmt: skip
        rows = []
        for (system,), own in tilts.group_by("system", maintain_order=True):
            r = known.get(system)
            cells = [Cell(DASH if r is None else fixed(r, 2))]
            cells += [Cell(points(own.filter(axis=axis).select(size).item())) for axis in axes]
            cells.append(Cell(f"{own.select(detected).item()} of {own.height}"))
            rows.append(Row(str(system), tuple(cells)))
        columns = ("mean skill", *(f"{axis}, points" for axis in axes), "detected")
        yield Block(LANGUAGES.get(code, code), columns, tuple(rows))


def tilt_blocks(results: Results) -> Iterator[Block]:
    """A table a corpus and axis: systems down, tasks across, mean difference in points."""
    keys = ("corpus", "title", "axis", "about_first", "about_second", "language")
    for key, rows in results.tilts.group_by(*keys, maintain_order=True):
        _, title, _, first, second, code = key
        tasks = tasks_of(rows)
        found = {(row["system"], row["task"]): row for row in rows.iter_rows(named=True)}
        shown = tuple(
            Row(system, tuple(_difference(found.get((system, task))) for task in tasks))
            for system in rows["system"].unique(maintain_order=True)
        )
        yield Block(
            f"{title}: sentences {first}, compared with the same {second}",
            tuple(tasks), shown, (_count(rows, str(first)),), results.reports.get(str(code), ""),
        )  # fmt: skip


def _difference(row: dict[str, float | str] | None) -> Cell:
    if row is None or row["value"] is None:
        return Cell(DASH)
    kind = str(row["significance"])
    shown = points(float(row["value"]))
    below = ""
    if row["low"] is not None and row["high"] is not None:
        ends = float(row["low"]), float(row["high"])
        below = " to ".join(interval(float(row["value"]), *ends, POINTS)[1:])
    mark = kind if kind in MARKS else ""
    return Cell(f"{MARKS.get(kind, '')} {shown}".strip(), below, mark)


def _count(rows: pl.DataFrame, first: str) -> str:
    up, down = (rows.filter(significance=kind).height for kind in ("up", "down"))
    none = rows.height - up - down
    return (
        f"Of {count(rows.height, 'model')}, {up} score sentences {first} higher and {down} lower; "
        f"for {none} no difference is detected."
    )


def largest_tilts(tilts: pl.DataFrame) -> Iterator[str]:
    """By each axis how often a difference is detected, and the largest, in words."""
    for (axis,), rows in tilts.group_by("axis", maintain_order=True):
        detected = rows.filter(pl.col("significance").is_in(["up", "down"]))
        often = f"By {axis} a difference is detected in {detected.height} of {rows.height}"
        if detected.is_empty():
            yield f"{often} comparisons."
            continue
        top = detected.sort(pl.col("value").abs(), descending=True).row(0, named=True)
        higher, lower = top["about_first"], top["about_second"]
        if top["value"] < 0:
            higher, lower = lower, higher
        yield (
            f"{often} comparisons. The largest: {top['system']} scores {top['task']} "
            f"{points(abs(top['value']))} points of 100 higher in sentences {higher} than in the "
            f"same {lower} ({top['title']})."
        )
