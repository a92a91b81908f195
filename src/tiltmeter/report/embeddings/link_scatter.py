"""The link: what a name's vector already says, against what the system makes of the name."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.report.embeddings.axis import Axis, axis_around
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.picture import Picture, line, text
from tiltmeter.report.embeddings.placing import labelled, placed
from tiltmeter.report.embeddings.rows import Row, parts_of
from tiltmeter.report.embeddings.shapes import SHAPES, SIGNS, mark

WIDE, TALL, LEFT, FOOT, TOP = 460.0, 330.0, 44.0, 40.0, 22.0
LABELLED = 24
"""With more names than this only the outermost are labelled."""
OUTER = 14

Key = tuple[str, str, str]


def link_pictures(material: EmbeddingMaterial) -> dict[Key, Picture]:
    """A scatter for each embedding, system and task."""
    found = {}
    for key, rows in parts_of(material.link_names, "embedding", "system", "task"):
        known = [row for row in rows if row["log_odds"] is not None
                 and row["deviation"] is not None]  # fmt: skip
        if len(known) >= 2:
            named = (str(key[0]), str(key[1]), str(key[2]))
            polarity = str(material.run.get("polarity", "negative"))
            found[named] = _scatter(named, known, polarity, in_points(material, named[1]))
    return found


def in_points(material: EmbeddingMaterial, system: str) -> bool:
    """Whether a system's scale is known, so that its differences are points of 100."""
    return all(one.scale for one in material.run.get("systems") or () if one.system == system)


def shapes_of(rows: Sequence[Row]) -> dict[str, tuple[str, int]]:
    """A shape and a colour for each group."""
    groups = dict.fromkeys(str(row["group"] or "") for row in rows)
    return {group: (SHAPES[n % len(SHAPES)], n % 6) for n, group in enumerate(groups)}


def link_key(rows: Sequence[Row]) -> str:
    """Which mark stands for which group."""
    return ", ".join(
        f"{SIGNS[shape]} {group or 'no group'} "
        f"({sum(str(row['group'] or '') == group for row in rows)} names)"
        for group, (shape, _) in shapes_of(rows).items()
    )


def _scatter(key: Key, rows: Sequence[Row], polarity: str, points_of_100: bool) -> Picture:
    times = 100 if points_of_100 else 1
    across = axis_around((row["log_odds"] for row in rows), LEFT, WIDE - 8, air=0.08)
    down = axis_around((times * row["deviation"] for row in rows), TALL - FOOT, TOP, air=0.08)
    shapes = shapes_of(rows)
    points = [(across.at(row["log_odds"]), down.at(times * row["deviation"])) for row in rows]
    marks = "".join(
        mark(shape, *point, 4.6, f"g{nth}")
        for point, row in zip(points, rows, strict=True)
        for shape, nth in [shapes[str(row["group"] or "")]]
    )
    body = (
        _frame(across, down, polarity, "points" if points_of_100 else "own units")
        + marks
        + _labels(points, rows)
    )
    title = f"Names: {polarity} sentiment of the vector and scores of {key[1]}, {key[0]}"
    return Picture("", title, f"{link_key(rows)}.", WIDE, TALL, body)


def _frame(across: Axis, down: Axis, polarity: str, unit: str) -> str:
    other = {"negative": "positive", "positive": "negative"}.get(polarity, "other")
    lines = "".join(
        line(x, TOP, x, TALL - FOOT, "zero" if words == "0" else "tick")
        + text(x, TALL - FOOT + 14, words, "soft mid")
        for x, words in across.ticks(5)
    )
    lines += "".join(
        line(LEFT, y, WIDE - 8, y, "zero" if words == "0" else "tick")
        + text(LEFT - 6, y + 4, words, "soft end")
        for y, words in down.ticks(5)
    )
    return (
        f"{lines}{text(LEFT, TALL - 6, f'◂ vector closer to {other} words', 'soft')}"
        f"{text(WIDE - 8, TALL - 6, f'closer to {polarity} words ▸', 'soft end')}"
        f"{text(0, 12, f'▴ scored higher by the system than other names, {unit}', 'soft')}"
    )


def _labels(points: Sequence[tuple[float, float]], rows: Sequence[Row]) -> str:
    """Names beside their points; of many, those farthest from the middle."""
    named = [(x, y, str(row["person"])) for (x, y), row in zip(points, rows, strict=True)]
    if len(named) > LABELLED:
        middle = [sum(part) / len(points) for part in zip(*points, strict=True)]
        named.sort(key=lambda one: -((one[0] - middle[0]) ** 2 + (one[1] - middle[1]) ** 2))
        named = named[:OUTER]
    return labelled(placed(named, WIDE, TALL - FOOT, points))
