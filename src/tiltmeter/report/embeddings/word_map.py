"""The paper's Figure 1: sentiment words and identity terms on the plane where they spread most."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.report.embeddings.axis import Axis, axis_around
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.picture import Picture, line, text
from tiltmeter.report.embeddings.placing import labelled, placed
from tiltmeter.report.embeddings.rows import Row, lists_of, parts_of
from tiltmeter.report.embeddings.shapes import mark
from tiltmeter.report.embeddings.units import per_cent

WIDE, TALL, FOOT, EDGE = 330.0, 300.0, 20.0, 8.0
CROWD, LARGER = 20, 1.5
"""With more terms than this a map is so much larger."""
NAMED = 60
"""Terms that are named on a map, the first of their list; placing more takes long and hides all."""
MOST = 400
"""Sentiment words of each kind that are drawn."""


def map_pictures(material: EmbeddingMaterial, of: str) -> list[Picture]:
    """A map for each embedding of a list."""
    title = lists_of(material).get(of, of)
    return [
        _map(str(name), title, rows)
        for (name, listed), rows in parts_of(material.plane, "embedding", "list")
        if listed == of and any(row["kind"] == "term" for row in rows)
    ]


def thinned(rows: Sequence[Row]) -> list[Row]:
    """At most so many rows, spread evenly over all."""
    every = max(1.0, len(rows) / MOST)
    return [rows[int(nth * every)] for nth in range(min(len(rows), MOST))]


def _map(name: str, title: str, rows: Sequence[Row]) -> Picture:
    known = [row for row in rows if row["x"] is not None and row["y"] is not None]
    kinds = {
        kind: [row for row in known if row["kind"] == kind]
        for kind in ("positive", "negative", "term")
    }
    good, bad, terms = thinned(kinds["positive"]), thinned(kinds["negative"]), kinds["term"]
    every = [*good, *bad, *terms]
    times = LARGER if len(terms) > CROWD else 1.0
    wide, tall = times * WIDE, times * TALL
    across = axis_around((row["x"] for row in every), EDGE, wide - EDGE)
    down = axis_around((row["y"] for row in every), tall - FOOT - EDGE, EDGE)
    points = [(across.at(row["x"]), down.at(row["y"]), str(row["text"])) for row in terms]
    body = _words(good, bad, across, down) + _terms(points, wide, tall) + _foot(rows[0], wide, tall)
    named = [str(row["text"]) for row in terms[:NAMED]]
    told = (
        f"{len(good):,} positive words as dots, {len(bad):,} negative words as crosses, "
        f"{len(terms):,} terms, {len(named):,} of them labelled: {', '.join(named)}."
    )
    return Picture(name, f"Map of words: {title}, {name}", told, wide, tall, body)


def _words(good: Sequence[Row], bad: Sequence[Row], across: Axis, down: Axis) -> str:
    dots = "".join(f"M{across.at(r['x']):.1f} {down.at(r['y']):.1f}h0" for r in good)
    marks = "".join(
        f"M{across.at(r['x']) - 2:.1f} {down.at(r['y']) - 2:.1f}l4 4m0-4l-4 4" for r in bad
    )
    return f'<path class="good" d="{dots}"/><path class="bad" d="{marks}"/>'


def _terms(points: Sequence[tuple[float, float, str]], wide: float, tall: float) -> str:
    marks = "".join(mark("square", x, y, 3.6, "term") for x, y, _ in points)
    return marks + labelled(placed(points[:NAMED], wide, tall - FOOT))


def _foot(row: Row, wide: float, tall: float) -> str:
    """How much of all differences the plane shows; a square is a term."""
    rule = line(0, tall - FOOT, wide, tall - FOOT, "tick")
    if row["x_share"] is None or row["y_share"] is None:
        return rule
    told = f"Across {per_cent(row['x_share'])} of the variance, down {per_cent(row['y_share'])}"
    return rule + text(0, tall - 5, told, "soft")
