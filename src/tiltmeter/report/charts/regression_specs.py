"""Figures of a regression as Vega-Lite charts: effects of one corpus, and of two languages.

A panel is an effect; a line is a system. Both ends of every axis are named in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import polars as pl

from tiltmeter.report.charts.parts import CONFIG, GREY, INK, LABEL, LETTER, LOOKS, QUIET, Spec
from tiltmeter.report.charts.regression_data import SAID, Effects, Phrases, TwoLanguages, ends
from tiltmeter.report.numbers import count
from tiltmeter.report.regression_names import LEAST_SQUARES, MARGINAL, MARGINAL_MIXED
from tiltmeter.report.tables.margins_words import PRODUCT, Effect, effect_title, groups_of

WIDE, ROW, ACROSS = 230, 17, 3
"""Pixels of a panel from left to right and of a line; panels beside each other."""
TOLD = {
    MARGINAL: "Lines: 95\u00a0% intervals that let names and templates vary.",
    MARGINAL_MIXED: "Lines: 95\u00a0% intervals of a mixed model with random names and templates.",
    LEAST_SQUARES: "Lines: 95\u00a0% intervals of least squares, sentences taken as independent.",
}
INDEPENDENT = "Lines: 95\u00a0% intervals as if all sentences were independent."
NAIVE = "Thin grey lines below: as if all sentences were independent."
NUMBER = {"type": "quantitative"}
DOT = {"filled": True, "size": 45, "opacity": 1}
LANGUAGE_LOOKS = (("#1B1B1B", "diamond"), ("#8A8A8A", "circle"))
"""Colour and shape of the first and the second language."""


def effects_chart(shown: Effects) -> Spec:
    """Dots and intervals: a panel an effect, a block a task, a line a system."""
    domain = _domain(shown.rows, ("low", "high", "naive_low", "naive_high", "value"))
    names = {effect: f"effect{at}" for at, effect in enumerate(shown.effects)}
    panels = [
        _panel(shown, effect, name, domain, first=at % ACROSS == 0)
        for at, (effect, name) in enumerate(names.items())
    ]
    title = f"Effects on scores: {shown.compared.title}"
    return _figure(panels, title, _effects_say(shown), _data(shown.rows, names))


def languages_chart(shown: TwoLanguages, phrases: Phrases) -> Spec:
    """Dots and intervals of both languages, with the test of whether they differ."""
    domain = _domain(shown.rows, ("low", "high", "value"))
    names = {effect: f"effect{at}" for at, effect in enumerate(shown.effects)}
    panels = [
        _both(shown, effect, name, domain, phrases, first=at % ACROSS == 0)
        for at, (effect, name) in enumerate(names.items())
    ]
    title = f"Effects on scores in {' and '.join(shown.languages)}"
    say = (
        f"Corpora: {' and '.join(shown.corpora)}. {TOLD[MARGINAL]} p: of a test of whether the two "
        f"languages differ, not corrected for how many there are.{_smaller(shown.smaller)}"
    )
    return _figure(panels, title, say, _data(shown.rows, names))


def _effects_say(shown: Effects) -> str:
    said = [TOLD.get(shown.measure, INDEPENDENT)]
    if shown.rows["naive_low"].count():
        said.append(NAIVE)
    said.append("A mark above or below 0: a difference is detected, after correction.")
    if any(":" in axis for axis, _, _ in shown.effects):
        said.append(f"{PRODUCT}.")
    if shown.left_out:
        said.append(f"{count(shown.left_out, 'submission')} cannot be estimated and not shown.")
    return " ".join(said) + _smaller(shown.smaller)


def _smaller(many: int) -> str:
    return f" {count(many, 'submission')} with smaller effects not shown." if many else ""


def _panel(
    shown: Effects, effect: Effect, data: str, domain: Sequence[float], *, first: bool
) -> Spec:
    x = _axis(effect, shown.phrases, domain)
    y = _lines("system", first)
    looks = {name: LOOKS[kind] for kind, name in SAID.items()}
    kinds = {"field": "group", "type": "nominal"}
    colour, shape = (
        kinds | {"scale": {"domain": list(looks), "range": [each[at] for each in looks.values()]}}
        for at in (0, 1)
    )
    thin = {"strokeWidth": 1, "color": QUIET, "yOffset": 5}
    layers = [
        _zero(),
        _interval("low", "high", {"strokeWidth": 2}, y=y, color=colour),
        _interval("naive_low", "naive_high", thin, y=y),
        _mark("point", DOT, x=x, y=y, color=colour, shape=shape),
    ]
    header: Spec = {
        "labelAngle": 0,
        "labelAlign": "left",
        "labelFontWeight": "bold",
        "title": None,
        "labelPadding": 0,
    }
    row: Spec = {"field": "task", "type": "nominal", "sort": list(shown.tasks),
           "header": header | {"labelOrient": "top", "labelAnchor": "start"}}  # fmt: skip
    if not first:
        row["header"]["labelColor"] = "transparent"
    return {
        "title": _over(effect, shown.effects),
        "data": {"name": data},
        "facet": {"row": row},
        "spacing": 10,
        "spec": {"width": WIDE, "height": {"step": ROW}, "layer": layers},
        "resolve": {"scale": {"y": "independent"}},
    }


def _both(
    shown: TwoLanguages, effect: Effect, data: str, domain: Sequence[float], phrases: Phrases, *,
    first: bool,
) -> Spec:  # fmt: skip
    x, y = _axis(effect, phrases, domain), _lines("label", first)
    languages, scale = {"field": "language", "type": "nominal"}, {"domain": list(shown.languages)}
    colour, shape = (
        languages | {"scale": scale | {"range": [look[at] for look in LANGUAGE_LOOKS]}}
        for at in (0, 1)
    )
    apart = {"yOffset": languages | {"scale": scale}}
    test = {"align": "left", "dx": 6, "fontSize": 9, "color": INK}
    layers = [
        _zero(),
        _interval("low", "high", {"strokeWidth": 1.5}, y=y, color=colour, **apart),
        _mark("point", DOT, x=x, y=y, color=colour, shape=shape, **apart),
        _once(_mark("text", test, x={"value": WIDE}, y=y, text={"field": "test"}), shown),
    ]
    return {
        "title": _over(effect, shown.effects),
        "data": {"name": data},
        "width": WIDE,
        "height": {"step": ROW + 5, "for": "position"},
        "layer": layers,
    }


def _once(mark: Spec, shown: TwoLanguages) -> Spec:
    """A mark drawn for the first language only: the test is of both."""
    first = {"field": "language", "equal": shown.languages[0]}
    return mark | {"transform": [{"filter": first}]}


def _over(effect: Effect, effects: Sequence[Effect]) -> Spec:
    """What stands over a panel."""
    title = effect_title(effect, ())
    alone = sum(axis == effect[0] for axis, _, _ in effects) == 1
    groups = "beyond their sum" if ":" in effect[0] and alone else groups_of(effect)
    return {"text": title, "subtitle": groups, "fontSize": 12, "anchor": "start", "frame": "group"}


def _axis(effect: Effect, phrases: Phrases, domain: Sequence[float]) -> Spec:
    below, above = ends(effect, phrases)
    said = [
        "points of 100",
        *_wrapped(f"←\u00a0{below}"),
        *_wrapped(f"{above}\u00a0→"),
    ]
    scale = {"domain": list(domain), "nice": True}
    axis = {"tickCount": 5, "titleFontSize": 10, "titleColor": QUIET}
    return {"field": "value", "title": said, "scale": scale, "axis": axis} | NUMBER


def _wrapped(text: str) -> list[str]:
    """Lines that fit under a panel; textwrap takes a no-break space for part of a word."""
    return wrap(text, int(WIDE / LETTER))


def _zero() -> Spec:
    x = {"datum": 0} | NUMBER
    return _mark("rule", {"color": GREY, "strokeWidth": 1}, x=x)


def _interval(low: str, high: str, look: Spec, **encoding: Any) -> Spec:  # noqa: ANN401
    x = {"field": low} | NUMBER
    return _mark("rule", look, x=x, x2={"field": high}, **encoding)


def _lines(field: str, first: bool) -> Spec:
    """Systems from top to bottom; named once, at the left."""
    named = {"labelLimit": LABEL, "labelOverlap": False, "ticks": False, "domain": False}
    shown: Spec = {"axis": named | {"grid": False}} if first else {"axis": None}
    return {"field": field, "type": "nominal", "sort": None, "title": None} | shown


def _mark(kind: str, look: Spec, **encoding: Any) -> Spec:  # noqa: ANN401
    return {"mark": {"type": kind, **look}, "encoding": encoding}


def _domain(rows: pl.DataFrame, columns: Sequence[str]) -> tuple[float, float]:
    """One scale for all panels, with 0 in it."""
    known = [number for name in columns for number in rows[name].drop_nulls().to_list()]
    low, high = min([0.0, *known]), max([0.0, *known])
    room = 0.04 * (high - low) or 1.0
    return low - room, high + room


def _data(rows: pl.DataFrame, names: dict[Effect, str]) -> dict[str, list[dict[str, Any]]]:
    return {
        name: rows.filter(axis=axis, contrast=contrast).to_dicts()
        for (axis, contrast, _), name in names.items()
    }


def _figure(panels: Sequence[Spec], title: str, say: str, data: dict[str, Any]) -> Spec:
    across = min(ACROSS, len(panels))
    under = wrap(say, int(max(WIDE * across + LABEL, 480) / LETTER))
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": "white",
        "padding": 12,
        "title": {"text": title, "subtitle": under},
        "concat": list(panels),
        "columns": ACROSS,
        "spacing": 48,
        "config": CONFIG,
        "datasets": data,
    }
