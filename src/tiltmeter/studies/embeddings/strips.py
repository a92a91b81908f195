"""Rows with a mark on a scale each: RNSB, groups, WEAT, mitigation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.report.phrases import called, shortened
from tiltmeter.report.picture import Picture, fitting, line, mark, rect, text, wrapped
from tiltmeter.report.scale import NumberAxis, axis_for, step_for
from tiltmeter.studies.embeddings.mitigation_methods import BEFORE
from tiltmeter.studies.embeddings.numbers import (
    effect_texts,
    p_text,
    per_cent,
    points_texts,
    rnsb_text,
    rnsb_texts,
)
from tiltmeter.studies.embeddings.study import Embeddings, Row, parts_of, rows_of

# ---- rows with a mark on a scale each: drawn in per cent, so that page and files share them


START, END = 2.0, 98.0
"""Per cent of the width that a scale takes; the rest keeps dots whole."""


@dataclass(frozen=True, slots=True)
class Track:
    """One row: what is drawn, and the same in words."""

    name: str
    cell: str
    """Marks in per cent of the width; nothing where there is no number."""
    number: str
    spread: str
    said: str
    ends: tuple[str, str] = ("", "")
    """What either end means, where rows differ in it."""
    about: str = ""
    """Stands under the name."""


@dataclass(frozen=True, slots=True)
class TrackPanel:
    """Rows on one scale."""

    title: str
    axis: NumberAxis | None
    """None where every row has its own."""
    ends: tuple[str, str]
    rows: tuple[Track, ...]
    many: int = 3
    """At most so many steps between round numbers."""

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Where the round numbers stand."""
        return [] if self.axis is None else self.axis.ticks(self.many)


def grid(axis: NumberAxis, many: int = 3) -> str:
    """Lines at round numbers; zero stands out."""
    return "".join(
        line(placed_at(x), "0", placed_at(x), "100%", "zero" if words == "0" else "tick")
        for x, words in axis.ticks(many)
    )


def own_scale(axis: NumberAxis, times: float = 1.0, unit: str = "") -> str:
    """The numbers of a row's own scale, at its foot."""
    return "".join(
        text(placed_at(x), "100%", f"{words}{unit}", "own mid") for x, words in axis.ticks(2, times)
    )


def spanned(axis: NumberAxis, low: float | None, high: float | None, kind: str = "") -> str:
    """An interval."""
    if low is None or high is None:
        return ""
    return line(
        placed_at(axis.at(low)), "50%", placed_at(axis.at(high)), "50%", f"span {kind}".strip()
    )


def dotted(axis: NumberAxis, value: float, kind: str = "", r: float = 5) -> str:
    """A dot."""
    named = f"dot {kind}".strip()
    return f'<circle class="{named}" cx="{placed_at(axis.at(value))}" cy="50%" r="{r:g}"/>'


def banded(axis: NumberAxis, low: float | None, high: float | None, kind: str) -> str:
    """A light band."""
    if low is None or high is None:
        return ""
    start, end = axis.at(low), axis.at(high)
    return rect(placed_at(start), "12%", placed_at(round(end - start, 2)), "76%", kind)


def upright(axis: NumberAxis, value: float | None, kind: str) -> str:
    """A short upright line."""
    return (
        ""
        if value is None
        else line(placed_at(axis.at(value)), "12%", placed_at(axis.at(value)), "88%", kind)
    )


def placed_at(value: float) -> str:
    """A place in per cent."""
    return f"{value:g}%"


# ---- rows with marks on scales as one picture for a file


NAME, TRACK, SAID, ROW, HEAD = 230.0, 360.0, 330.0, 36.0, 52.0
"""Widths of names, scales and words; heights of a row and of a panel's head."""
MOST = 3
"""Lines of a name."""


def tracks_picture(panels: Sequence[TrackPanel], title: str) -> Picture:
    """The panels under each other as one picture for a file."""
    y, parts = 0.0, []
    wide = NAME + TRACK + SAID + 20
    for panel in panels:
        parts += [text(0, y + 14, fitting(panel.title, wide, 12), "name"), _scale(panel, y)]
        y += HEAD if panel.axis else 24
        for row in panel.rows:
            parts.append(_row(row, y))
            y += _height(row)
        y += 22
    return Picture("", title, summary_of(panels), wide, max(y - 22, HEAD), "".join(parts))


def summary_of(panels: Sequence[TrackPanel]) -> str:
    """Everything the picture shows, in words."""
    return " ".join(
        f"{panel.title}: "
        + "; ".join(
            f"{row.name}{f' {row.about}' if row.about else ''}: "
            + ", ".join(filter(None, (row.number, row.spread, row.said)))
            for row in panel.rows
        )
        + "."
        for panel in panels
    )


def _scale(panel: TrackPanel, y: float) -> str:
    if panel.axis is None:
        return ""
    ends = text(NAME, y + 32, panel.ends[0], "soft") + text(
        NAME + TRACK, y + 32, panel.ends[1], "soft end"
    )
    ticks = "".join(text(placed_at(x), 11, words, "soft mid") for x, words in panel.ticks)
    place = f'x="{NAME:g}" y="{y + 36:g}" width="{TRACK:g}" height="16"'
    return f'{ends}<svg {place} overflow="visible">{ticks}</svg>'


def _said(row: Track) -> list[tuple[str, str]]:
    """The lines beside a row, and their kinds."""
    number = f"{row.number}{f' ({row.spread})' if row.spread else ''}"
    said = [(words, "soft") for words in wrapped(row.said, SAID, 11)]
    return [(number, "num"), *said] if number else said


def _named(row: Track) -> list[tuple[str, str]]:
    """The lines of a row's name and of what stands under it, and their kinds."""
    name = [(words, "") for words in wrapped(row.name, NAME - 12, 12)[:MOST]]
    return name + [(words, "soft") for words in wrapped(row.about, NAME - 12, 11)[:MOST]]


def _height(row: Track) -> float:
    lines = max(len(_said(row)), len(_named(row)))
    return max(ROW, 14.0 * lines + 10) + (14 if row.ends[0] else 0)


def _row(row: Track, y: float) -> str:
    down = 14 if row.ends[0] else 0
    named = "".join(
        text(0, y + 15 + down + 14 * nth, words, kind)
        for nth, (words, kind) in enumerate(_named(row))
    )
    ends = text(NAME, y + 10, fitting(row.ends[0], TRACK / 2 - 6, 11), "soft") + text(
        NAME + TRACK, y + 10, fitting(row.ends[1], TRACK / 2 - 6, 11), "soft end"
    )
    x = NAME + TRACK + 14
    told = "".join(
        text(x, y + 15 + down + 13 * nth, words, kind)
        for nth, (words, kind) in enumerate(_said(row))
    )
    place = f'x="{NAME:g}" y="{y + down:g}" width="{TRACK:g}" height="{ROW:g}"'
    track = f'<svg {place} overflow="visible">{row.cell}</svg>'
    return f"{named}{ends if row.ends[0] else ''}{track}{told}"


# ---- the strip: RNSB of each embedding beside what ordinary words drawn by chance get


CHANCE = 0.05
"""The largest p that counts as more uneven than ordinary words."""


def rnsb_panels(study: Embeddings) -> list[TrackPanel]:
    """A panel for each list, a row for each embedding, all on one scale, the most uneven first."""
    rows = rows_of(study.rnsb)
    axis = axis_for(_reach(rows), START, END, least=0.001, many=3)
    order = sorted(study.names, key=lambda name: -_mean(rows, name))
    panels = []
    for of, title in study.lists.items():
        own = {str(row["embedding"]): row for row in rows if row["list"] == of}
        tracks = tuple(_rnsb_track(own[name], axis) for name in order if name in own)
        panels.append(TrackPanel(title, axis, ("even", "more uneven"), tracks))
    return panels


def beyond(row: Row) -> bool | None:
    """Whether terms are more uneven than ordinary words mostly are; None where nobody knows."""
    return None if row["p_adjusted"] is None else bool(row["p_adjusted"] <= CHANCE)


def beside_chance(row: Row) -> str:
    """The same in a few words."""
    told = {
        True: "more uneven than ordinary words",
        False: "no difference from ordinary words detected",
    }
    more = beyond(row)
    return "" if more is None else f"{told[more]}, {p_text(row['p_adjusted'])}"


def _reach(rows: Iterable[Row]) -> list[float | None]:
    return [row[name] for row in rows for name in ("rnsb", "high", "even_high")]


def _mean(rows: Iterable[Row], name: str) -> float:
    own = [row["rnsb"] for row in rows if row["embedding"] == name and row["rnsb"] is not None]
    return sum(own) / len(own) if own else -1.0


def _rnsb_track(row: Row, axis: NumberAxis) -> Track:
    name = str(row["embedding"])
    if row["rnsb"] is None:
        return Track(name, grid(axis), "–", "", f"refused: {row['reason'] or 'no number'}")
    number, spread = rnsb_texts(row["rnsb"], row["low"], row["high"])
    cell = (
        grid(axis)
        + banded(axis, row["even_low"], row["even_high"], "chance")
        + upright(axis, row["by_chance"], "by-chance")
        + spanned(axis, row["low"], row["high"])
        + dotted(axis, row["rnsb"], "hollow" if beyond(row) is False else "")
    )
    missing = row["n_terms"] - row["n_found"]
    about = f"without {missing} of {row['n_terms']} terms" if missing else ""
    return Track(name, cell, number, spread, beside_chance(row) or "not held against chance",
                 about=about)  # fmt: skip


# ---- groups of terms against each other: the difference of their mean probabilities


DETECTED = 0.05


def group_panels(study: Embeddings, of: str) -> list[TrackPanel]:
    """A panel for each two groups of a list, a row for each embedding, on one scale in points."""
    parts = [
        (str(first), str(second), rows)
        for (listed, first, second), rows in parts_of(study.groups, "list", "first", "second")
        if listed == of
    ]
    axis = _group_axis([row for *_, rows in parts for row in rows])
    return [
        TrackPanel(
            f"{called(first, 30)} and {called(second, 30)}", axis,
            (f"higher for “{called(second, 30)}”", f"higher for “{called(first, 30)}”"),
            tuple(_group_track(row, axis) for row in rows), many=4,
        )
        for first, second, rows in parts
    ]  # fmt: skip


def apart(row: Row) -> bool:
    """Whether a difference between two groups is detected."""
    return row["p_adjusted"] is not None and row["p_adjusted"] <= DETECTED


def _group_axis(rows: list[Row]) -> NumberAxis:
    ends = [abs(100 * row[name]) for row in rows for name in ("difference", "low", "high")
            if row[name] is not None]  # fmt: skip
    most = max(ends, default=1.0) or 1.0
    step = step_for(most, 2)
    reach = step * math.ceil(most / step - 1e-9)
    return NumberAxis(-reach, reach, START, END)


def _group_track(row: Row, axis: NumberAxis) -> Track:
    name, about = str(row["embedding"]), f"{row['n_first']} and {row['n_second']} terms"
    if row["difference"] is None:
        return Track(name, grid(axis, 4), "–", "", "not estimable", about=about)
    number, spread = points_texts(row["difference"], row["low"], row["high"])
    detected = apart(row)
    kind = ("up" if row["difference"] > 0 else "down") if detected else "open"
    low, high = (None if row[end] is None else 100 * row[end] for end in ("low", "high"))
    cell = grid(axis, 4) + spanned(axis, low, high, "" if kind == "open" else kind)
    cell += dotted(axis, 100 * row["difference"], kind)
    verdict = "difference detected" if detected else "no difference detected"
    means = f"{per_cent(row['mean_first'])} and {per_cent(row['mean_second'])} on average"
    said = (
        f"{means}; {verdict}, {p_text(row['p_adjusted'])}"
        if row["p_adjusted"] is not None
        else means
    )
    return Track(name, cell, f"{number} points", spread, said, about=about)


# ---- WEAT and SEAT: effect sizes around zero, both ends in words


AXIS = NumberAxis(-2.0, 2.0, START, END)
"""An effect size lies between −2 and 2."""
LONGEST = 40


def weat_panels(study: Embeddings) -> list[TrackPanel]:
    """A panel for each embedding, a row for each test; a test that is not there has none."""
    parts = {str(name): rows for (name,), rows in parts_of(study.weat, "embedding")}
    tests = {str(row["test"]): row for rows in parts.values() for row in rows}
    return [
        TrackPanel(name, AXIS, ("", ""), tuple(
            _weat_track({str(row["test"]): row for row in rows}.get(test), tests[test])
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


def _weat_track(row: Row | None, known: Row) -> Track:
    name, ends = str(known["title"] or known["test"]), weat_ends(known)
    asks = weat_asks(known)
    if row is None or row["effect"] is None:
        why = "not measured" if row is None else f"refused: {row['reason'] or 'no number'}"
        return Track(name, grid(AXIS, 4), "–", "", why, ends, asks)
    number, spread = effect_texts(row["effect"], row["low"], row["high"])
    kind = ("up" if row["effect"] > 0 else "down") if is_detected(row) else "open"
    cell = (
        grid(AXIS, 4)
        + upright(AXIS, row["published"], "by-chance")
        + spanned(AXIS, row["low"], row["high"], kind if kind != "open" else "")
        + dotted(AXIS, row["effect"], kind)
    )
    detected = "difference detected" if is_detected(row) else "no difference detected"
    said = f"{detected}, {p_text(row['p_adjusted'])}" if row["p_adjusted"] is not None else ""
    return Track(name, cell, number, spread, said, ends, asks)


# ---- mitigation: every measure before and after, and whether what was removed is still there


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
class MitigationRows:
    """One direction taken out of one embedding."""

    embedding: str
    direction: str
    methods: tuple[str, ...]
    panels: tuple[TrackPanel, ...]


def mended(study: Embeddings) -> list[MitigationRows]:
    """A set of panels for each embedding and direction."""
    titles = study.lists | {
        str(row["test"]): str(row["title"] or row["test"]) for row in rows_of(study.weat)
    }
    return [
        MitigationRows(
            str(name), str(direction), tuple(_methods(rows)), tuple(_panels(rows, titles))
        )
        for (name, direction), rows in parts_of(study.mitigation, "embedding", "direction")
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


def _panels(rows: Sequence[Row], titles: Mapping[str, str]) -> list[TrackPanel]:
    by: Series = {}
    for row in rows:
        by.setdefault((str(row["measure"]), str(row["what"] or "")), []).append(row)
    shown = _shown(by)
    panels = []
    for part, title in PARTS.items():
        own = [key for key in shown if _measure(key[0]).part == part]
        axes = {
            name: _mitigation_axis(name, [row for key in own if key[0] == name for row in by[key]])
            for name, _ in own
        }
        tracks = tuple(
            _mitigation_track(name, titles.get(what, what), by[name, what], axes[name])
            for name, what in own
        )
        if tracks:
            panels.append(TrackPanel(title, None, ("", ""), tracks))
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


def _mitigation_track(measure: str, what: str, rows: Sequence[Row], axis: NumberAxis) -> Track:
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
    return per_cent(value) if unit == "share" else effect_texts(value, None, None)[0]


def _mitigation_axis(measure: str, rows: Sequence[Row]) -> NumberAxis:
    """One scale for all rows of a measure, so that they can be compared."""
    unit = _measure(measure).unit
    values = [row["value"] for row in rows if row["value"] is not None]
    if unit == "rnsb":
        return axis_for(values, START, END, least=0.001)
    if unit == "share":
        return NumberAxis(0, 1, START, END)
    reach = 2.0 if max((abs(v) for v in values), default=0) > 1 else 1.0
    return NumberAxis(-reach if min(values, default=0) < 0 else 0, reach, START, END)


def _joined(axis: NumberAxis, values: Sequence[float]) -> str:
    if len(values) < 2:
        return ""
    low, high = axis.at(min(values)), axis.at(max(values))
    return line(f"{low:g}%", "50%", f"{high:g}%", "50%", "join")


def _marked(axis: NumberAxis, method: str, value: float) -> str:
    """A shape around a place in per cent: an inner picture whose middle is 0."""
    shape = METHODS.get(method, (method, "down"))[1]
    if shape == "circle":
        return dotted(axis, value, "hollow")
    return (
        f'<svg x="{axis.at(value):g}%" y="50%" overflow="visible" width="1" height="1">'
        f"{mark(shape, 0, 0, 5, 'after')}</svg>"
    )
