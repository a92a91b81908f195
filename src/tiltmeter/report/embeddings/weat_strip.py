"""WEAT and SEAT: effect sizes around zero, both ends in words."""

from __future__ import annotations

from tiltmeter.report.embeddings.axis import Axis
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.rows import Row, parts_of
from tiltmeter.report.embeddings.tracks import (
    END,
    START,
    Panel,
    Track,
    dotted,
    grid,
    spanned,
    upright,
)
from tiltmeter.report.embeddings.units import effect_told, p_told
from tiltmeter.report.ratings.phrases import shortened

AXIS = Axis(-2.0, 2.0, START, END)
"""An effect size lies between −2 and 2."""
DETECTED = 0.05
LONGEST = 40


def weat_panels(material: EmbeddingMaterial) -> list[Panel]:
    """A panel for each embedding, a row for each test; a test that is not there has none."""
    parts = {str(name): rows for (name,), rows in parts_of(material.weat, "embedding")}
    tests = {str(row["test"]): row for rows in parts.values() for row in rows}
    return [
        Panel(name, AXIS, ("", ""), tuple(
            _track({str(row["test"]): row for row in rows}.get(test), tests[test])
            for test in tests
        ), many=4)
        for name, rows in parts.items()
    ]  # fmt: skip


def weat_ends(row: Row) -> tuple[str, str]:
    """Who stands at either end: those whose words are closer to the first attribute."""
    first, second = (shortened(str(row[name]), LONGEST) for name in ("first", "second"))
    return f"◂ {second}", f"{first} ▸"


def weat_asks(row: Row) -> str:
    """What the test asks of its two sides."""
    good, bad = (shortened(str(row[name]), LONGEST) for name in ("good", "bad"))
    return f"closer to {good} than to {bad}"


def is_detected(row: Row) -> bool:
    """Whether few relabellings of the words give an effect as large."""
    return row["p_adjusted"] is not None and row["p_adjusted"] <= DETECTED


def _track(row: Row | None, known: Row) -> Track:
    name, ends = str(known["title"] or known["test"]), weat_ends(known)
    asks = weat_asks(known)
    if row is None or row["effect"] is None:
        why = "not measured" if row is None else f"refused: {row['reason'] or 'no number'}"
        return Track(name, grid(AXIS, 4), "–", "", why, ends, asks)
    number, spread = effect_told(row["effect"], row["low"], row["high"])
    kind = ("up" if row["effect"] > 0 else "down") if is_detected(row) else "open"
    cell = (
        grid(AXIS, 4)
        + upright(AXIS, row["published"], "by-chance")
        + spanned(AXIS, row["low"], row["high"], kind if kind != "open" else "")
        + dotted(AXIS, row["effect"], kind)
    )
    detected = "difference detected" if is_detected(row) else "no difference detected"
    said = f"{detected}, {p_told(row['p_adjusted'])}" if row["p_adjusted"] is not None else ""
    return Track(name, cell, number, spread, said, ends, asks)
