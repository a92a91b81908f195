"""Groups of terms against each other: the difference of their mean probabilities."""

from __future__ import annotations

import math

from tiltmeter.report.embeddings.axis import Axis, step_for
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.rows import Row, parts_of
from tiltmeter.report.embeddings.tracks import END, START, Panel, Track, dotted, grid, spanned
from tiltmeter.report.embeddings.units import p_told, per_cent, points_told
from tiltmeter.report.ratings.phrases import called

DETECTED = 0.05


def group_panels(material: EmbeddingMaterial, of: str) -> list[Panel]:
    """A panel for each two groups of a list, a row for each embedding, on one scale in points."""
    parts = [
        (str(first), str(second), rows)
        for (listed, first, second), rows in parts_of(material.groups, "list", "first", "second")
        if listed == of
    ]
    axis = _axis([row for *_, rows in parts for row in rows])
    return [
        Panel(
            f"{called(first, 30)} and {called(second, 30)}", axis,
            (f"higher for “{called(second, 30)}”", f"higher for “{called(first, 30)}”"),
            tuple(_track(row, axis) for row in rows), many=4,
        )
        for first, second, rows in parts
    ]  # fmt: skip


def apart(row: Row) -> bool:
    """Whether a difference between two groups is detected."""
    return row["p_adjusted"] is not None and row["p_adjusted"] <= DETECTED


def _axis(rows: list[Row]) -> Axis:
    ends = [abs(100 * row[name]) for row in rows for name in ("difference", "low", "high")
            if row[name] is not None]  # fmt: skip
    most = max(ends, default=1.0) or 1.0
    step = step_for(most, 2)
    reach = step * math.ceil(most / step - 1e-9)
    return Axis(-reach, reach, START, END)


def _track(row: Row, axis: Axis) -> Track:
    name, about = str(row["embedding"]), f"{row['n_first']} and {row['n_second']} terms"
    if row["difference"] is None:
        return Track(name, grid(axis, 4), "–", "", "not estimable", about=about)
    number, spread = points_told(row["difference"], row["low"], row["high"])
    detected = apart(row)
    kind = ("up" if row["difference"] > 0 else "down") if detected else "open"
    low, high = (None if row[end] is None else 100 * row[end] for end in ("low", "high"))
    cell = grid(axis, 4) + spanned(axis, low, high, "" if kind == "open" else kind)
    cell += dotted(axis, 100 * row["difference"], kind)
    verdict = "difference detected" if detected else "no difference detected"
    means = f"{per_cent(row['mean_first'])} and {per_cent(row['mean_second'])} on average"
    said = (
        f"{means}; {verdict}, {p_told(row['p_adjusted'])}"
        if row["p_adjusted"] is not None
        else means
    )
    return Track(name, cell, f"{number} points", spread, said, about=about)
