"""How the ridge was chosen: held-out log-loss of each that was tried."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tiltmeter.report.embeddings.axis import axis_around
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.picture import Picture, line, text
from tiltmeter.report.embeddings.rows import Row, parts_of
from tiltmeter.report.embeddings.shapes import mark
from tiltmeter.report.numbers import fixed, short

WIDE, TALL, LEFT, FOOT = 250.0, 130.0, 40.0, 22.0


def ridge_pictures(material: EmbeddingMaterial) -> dict[str, Picture]:
    """A small curve for each embedding."""
    found = {}
    for (name,), rows in parts_of(material.ridges, "embedding"):
        known = [r for r in rows if r["log_loss"] is not None and r["ridge"] and r["ridge"] > 0]
        if len(known) >= 2:
            found[str(name)] = _curve(str(name), sorted(known, key=lambda row: row["ridge"]))
    return found


def _curve(name: str, rows: Sequence[Row]) -> Picture:
    ends = [row["log_loss"] + sign * (row["se"] or 0.0) for row in rows for sign in (-1, 1)]
    across = axis_around((math.log10(row["ridge"]) for row in rows), LEFT, WIDE - 6)
    down = axis_around(ends, TALL - FOOT, 6)
    points = [(across.at(math.log10(row["ridge"])), down.at(row["log_loss"])) for row in rows]
    errors = "".join(
        line(x, down.at(row["log_loss"] - row["se"]), x, down.at(row["log_loss"] + row["se"]),
             "rule")
        for (x, _), row in zip(points, rows, strict=True) if row["se"] is not None
    )  # fmt: skip
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    chosen = "".join(
        mark("circle", *point, 4.5, "dot")
        for point, row in zip(points, rows, strict=True) if row["chosen"]
    )  # fmt: skip
    first, last = rows[0]["ridge"], rows[-1]["ridge"]
    texts = (
        text(points[0][0], TALL - 6, short(first, 1), "soft mid")
        + text(points[-1][0], TALL - 6, short(last, 1), "soft end")
        + text((LEFT + WIDE) / 2, TALL - 6, "ridge", "soft mid")
        + "".join(text(LEFT - 6, y + 4, words, "soft end") for y, words in down.ticks(3))
    )
    best = next((row for row in rows if row["chosen"]), None)
    told = f"Held-out log-loss for ridges from {short(first)} to {short(last)}."
    if best:
        told += f" Chosen: {short(best['ridge'])}, {fixed(best['log_loss'], 3)}."
    return Picture(name, f"Choice of the ridge: {name}", told, WIDE, TALL,
                   f'{errors}<path class="curve" d="{path}"/>{chosen}{texts}')  # fmt: skip
