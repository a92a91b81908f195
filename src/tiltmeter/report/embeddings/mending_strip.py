"""Mitigation: every measure before and after, and whether what was removed is still there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.report.embeddings.axis import Axis, axis_for
from tiltmeter.report.embeddings.material import BEFORE, EmbeddingMaterial
from tiltmeter.report.embeddings.picture import line
from tiltmeter.report.embeddings.rows import Row, lists_of, parts_of, rows_of
from tiltmeter.report.embeddings.shapes import mark
from tiltmeter.report.embeddings.tracks import END, START, Panel, Track, dotted, grid, own_scale
from tiltmeter.report.embeddings.units import effect_told, per_cent, rnsb_text

METHODS = {
    "none": ("before", "circle"), "hard": ("hard projection", "triangle"),
    "soft": ("soft projection", "square"), "inlp": ("INLP", "diamond"),
}  # fmt: skip
"""What methods are called, and their marks."""
TESTS, OVERALL = 4, "overall"
"""Tests that are drawn; what all analogies together are called."""
Series = dict[tuple[str, str], list[Row]]
"""Rows by measure and what it is of."""
SIGNS = {"circle": "○", "triangle": "▲", "square": "■", "diamond": "◆", "down": "▼"}


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of mitigated vectors."""

    title: str
    part: str
    """falls, stays or left: what it is looked at for."""
    unit: str
    """rnsb, effect or share."""


MEASURES = {
    "rnsb": Measure("RNSB", "falls", "rnsb"),
    "weat": Measure("WEAT effect size", "falls", "effect"),
    "similarity": Measure("similarity judgements, rank correlation", "stays", "effect"),
    "analogies": Measure("analogies answered", "stays", "share"),
    "neighbours": Measure("neighbours kept", "stays", "share"),
    "accuracy": Measure("positive told from negative words", "stays", "share"),
    "cluster": Measure("sides found by clustering", "left", "share"),
    "probe": Measure("sides found by a trained probe", "left", "share"),
}
PARTS = {
    "falls": "The tilt", "stays": "What the vectors are good for: should stay",
    "left": "Is it still there? Guessing gives about 50 %",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mended:
    """One direction taken out of one embedding."""

    embedding: str
    direction: str
    methods: tuple[str, ...]
    panels: tuple[Panel, ...]


def mended(material: EmbeddingMaterial) -> list[Mended]:
    """A set of panels for each embedding and direction."""
    titles = lists_of(material) | {
        str(row["test"]): str(row["title"] or row["test"]) for row in rows_of(material.weat)
    }
    return [
        Mended(str(name), str(direction), tuple(_methods(rows)), tuple(_panels(rows, titles)))
        for (name, direction), rows in parts_of(material.mitigation, "embedding", "direction")
    ]


def method_title(method: str) -> str:
    """What a method is called."""
    return METHODS.get(method, (method, "down"))[0]


def sign_of(method: str) -> str:
    """Its mark in letters."""
    return SIGNS[METHODS.get(method, (method, "down"))[1]]


def _methods(rows: Sequence[Row]) -> dict[str, None]:
    found = dict.fromkeys(str(row["method"]) for row in rows)
    return {BEFORE: None, **found} if BEFORE in found else found


def _panels(rows: Sequence[Row], titles: Mapping[str, str]) -> list[Panel]:
    by: Series = {}
    for row in rows:
        by.setdefault((str(row["measure"]), str(row["what"] or "")), []).append(row)
    shown = _shown(by)
    panels = []
    for part, title in PARTS.items():
        own = [key for key in shown if _measure(key[0]).part == part]
        axes = {name: _axis(name, [row for key in own if key[0] == name for row in by[key]])
                for name, _ in own}  # fmt: skip
        tracks = tuple(
            _track(name, titles.get(what, what), by[name, what], axes[name]) for name, what in own
        )
        if tracks:
            panels.append(Panel(title, None, ("", ""), tracks))
    return panels


def _shown(by: Series) -> list[tuple[str, str]]:
    """Of many tests those that move most; of analogies all together; the rest are in the table."""
    tests = sorted((key for key in by if key[0] == "weat"), key=lambda key: -_moved(by[key]))
    whole = ("analogies", OVERALL) in by
    hidden = {*tests[TESTS:], *(k for k in by if whole and k[0] == "analogies" and k[1] != OVERALL)}
    return [key for key in by if key not in hidden]


def _moved(rows: Sequence[Row]) -> float:
    """How far any method moves a number."""
    values = {str(row["method"]): row["value"] for row in rows if row["value"] is not None}
    before = values.get(BEFORE)
    return 0.0 if before is None else max(abs(value - before) for value in values.values())


def _measure(name: str) -> Measure:
    return MEASURES.get(name, Measure(name, "stays", "effect"))


def _track(measure: str, what: str, rows: Sequence[Row], axis: Axis) -> Track:
    known = _measure(measure)
    values = {str(row["method"]): row["value"] for row in rows if row["value"] is not None}
    cell = (
        grid(axis, 2)
        + (own_scale(axis, 100, " %") if known.unit == "share" else own_scale(axis))
        + _joined(axis, list(values.values()))
        + "".join(_marked(axis, method, value) for method, value in values.items())
    )
    said = " · ".join(
        f"{sign_of(m)}\u00a0{value_text(known.unit, v)}".replace(" %", "\u00a0%")
        for m, v in values.items()
    )
    why = _reasons(rows)
    return Track(known.title, cell, "", "", "; ".join([said, *why] if said else why), about=what)


def _reasons(rows: Sequence[Row]) -> list[str]:
    """Why methods have no number; told once where it is the same for all."""
    why = {method_title(str(row["method"])): str(row["reason"]) for row in rows if row["reason"]}
    if len(why) == len(rows) and len(set(why.values())) == 1:
        return [f"refused: {next(iter(why.values()))}"]
    return [f"{method}: {reason}" for method, reason in why.items()]


def value_text(unit: str, value: float) -> str:
    """A value in its unit."""
    if unit == "rnsb":
        return rnsb_text(value)
    return per_cent(value) if unit == "share" else effect_told(value, None, None)[0]


def _axis(measure: str, rows: Sequence[Row]) -> Axis:
    """One scale for all rows of a measure, so that they can be compared."""
    unit = _measure(measure).unit
    values = [row["value"] for row in rows if row["value"] is not None]
    if unit == "rnsb":
        return axis_for(values, START, END, least=0.001)
    if unit == "share":
        return Axis(0, 1, START, END)
    reach = 2.0 if max((abs(v) for v in values), default=0) > 1 else 1.0
    return Axis(-reach if min(values, default=0) < 0 else 0, reach, START, END)


def _joined(axis: Axis, values: Sequence[float]) -> str:
    if len(values) < 2:
        return ""
    low, high = axis.at(min(values)), axis.at(max(values))
    return line(f"{low:g}%", "50%", f"{high:g}%", "50%", "join")


def _marked(axis: Axis, method: str, value: float) -> str:
    """A shape around a place in per cent: an inner picture whose middle is 0."""
    shape = METHODS.get(method, (method, "down"))[1]
    if shape == "circle":
        return dotted(axis, value, "hollow")
    return (
        f'<svg x="{axis.at(value):g}%" y="50%" overflow="visible" width="1" height="1">'
        f"{mark(shape, 0, 0, 5, 'after')}</svg>"
    )
