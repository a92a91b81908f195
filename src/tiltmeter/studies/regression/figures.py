"""Figures of a regression as Vega-Lite charts: effects of one corpus, and of two languages.

A panel is an effect; a line is a system. Both ends of every axis are named in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import polars as pl

from tiltmeter.report.charts import CONFIG, GREY, INK, LABEL, LETTER, LOOKS, QUIET, Spec, png, svg
from tiltmeter.report.numbers import POINTS, count, p_value
from tiltmeter.report.phrases import numbered, slug
from tiltmeter.schemas import AVERAGE, Significance
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons, RegressionStudy
from tiltmeter.studies.regression.effects import (
    LEAST_SQUARES,
    MARGINAL,
    MARGINAL_MIXED,
    MARGINAL_NAIVE,
)
from tiltmeter.studies.regression.tables import (
    PRODUCT,
    Effect,
    effect_order,
    effect_title,
    groups_of,
    task_order,
)
from tiltmeter.studies.regression.wording import drawn_measure, effect_parts, language_name
from tiltmeter.studies.regression.wording import ends as both_ends

Phrases = Mapping[tuple[str, str], str]
"""By axis and group: `about women`."""

MOST = 40
"""Systems of a task that are drawn: those with the largest effects."""
SAID = {
    Significance.UP.value: "above 0",
    Significance.DOWN.value: "below 0",
    Significance.NONE.value: "no difference detected",
}
KEYS = ["system", "task", "axis", "contrast"]
WIDE, ROW, ACROSS = 230, 17, 3
"""Pixels of a panel from left to right and of a line; panels beside each other."""
INTERVALS = {
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


@dataclass(frozen=True, slots=True)
class EffectsFigure:
    """One corpus' effects on scores, as a figure shows them."""

    compared: CorpusComparisons
    measure: str
    effects: tuple[Effect, ...]
    rows: pl.DataFrame
    """system, task, axis, contrast, value, low, high, naive_low, naive_high (points of 100),
    significance, group: as the legend has it."""
    left_out: int
    """Submissions that have no effects."""
    smaller: int
    """Submissions with smaller effects than those drawn."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """In the paper's order."""
        return task_order(self.rows["task"].to_list())

    @property
    def phrases(self) -> Phrases:
        """How the sentences of each group are spoken of."""
        return phrases_of(self.compared)


@dataclass(frozen=True, slots=True)
class TwoLanguages:
    """Systems that answer two languages, as a figure shows them."""

    corpora: tuple[str, str]
    languages: tuple[str, str]
    effects: tuple[Effect, ...]
    rows: pl.DataFrame
    """A row a system, task, effect and language: label, axis, contrast, language, value, low, high
    (points of 100), test: `p = 0.03`, the same for both languages."""
    smaller: int


def phrases_of(compared: CorpusComparisons) -> dict[tuple[str, str], str]:
    """How the sentences of each group are spoken of."""
    return {
        (axis.name, group): axis.phrase(group)
        for axis in compared.corpus.axes
        for group in axis.groups
    }


def drawn_effects(material: AuditResults) -> Iterator[EffectsFigure]:
    """Every corpus with a regression that has something to draw."""
    measure = drawn_measure(material.run)
    for one in material.regressed:
        edition = one.estimates["edition"].head(1).to_list()
        found = [c for c in material.compared if [c.name, c.edition] == [one.corpus, *edition]]
        rows = _numbers(one, measure).drop_nulls("value")
        if not found or rows.is_empty():
            continue
        kept = _largest(rows, MOST)
        drawn, every = (frame.select("system", "task").n_unique() for frame in (kept, rows))
        yield EffectsFigure(
            found[0],
            measure,
            effect_order(one.effects),
            by_task(kept),
            left_out=one.fits.height - every,
            smaller=every - drawn,
        )


def by_task(rows: pl.DataFrame) -> pl.DataFrame:
    """The tasks in the paper's order, systems by name within each."""
    order = {task: at for at, task in enumerate(task_order(rows["task"].to_list()))}
    place = pl.col("task").replace_strict(order, return_dtype=pl.Int64)
    return rows.sort(place, "system", maintain_order=True)


def _numbers(one: RegressionStudy, measure: str) -> pl.DataFrame:
    """Effects in points of 100, the naive intervals beside them, and what was found."""
    main = one.estimates.filter(pl.col("measure") == measure, pl.col("unit") == "scale")
    naive = one.estimates.filter(measure=MARGINAL_NAIVE).select(
        *KEYS, naive_low="low", naive_high="high"
    )
    found = one.findings.select(*KEYS, "significance").unique(KEYS, keep="first")
    joined = main.join(naive, on=KEYS, how="left").join(found, on=KEYS, how="left")
    beside = measure not in (LEAST_SQUARES, MARGINAL_NAIVE)  # whose own intervals are naive
    unknown = pl.lit(None, pl.Float64)
    return joined.select(
        *KEYS, *(pl.col(name) * POINTS for name in ("value", "low", "high")),
        *(pl.col(name) * POINTS if beside else unknown.alias(name)
          for name in ("naive_low", "naive_high")),
        "significance",
        group=pl.col("significance").replace_strict(SAID, default=SAID[Significance.NONE]),
    )  # fmt: skip


def _largest(rows: pl.DataFrame, most: int) -> pl.DataFrame:
    """The rows of the systems of each task whose largest effect is among so many largest."""
    keys = ["system", "task"]
    sizes = rows.group_by(keys, maintain_order=True).agg(pl.col("value").abs().max())
    rank = pl.col("value").rank("ordinal", descending=True).over("task")
    return rows.join(sizes.filter(rank <= most), on=keys, how="semi", maintain_order="left")


def two_languages(frame: pl.DataFrame | None) -> Iterator[TwoLanguages]:
    """Every two corpora that a system answers in two languages."""
    if frame is None:
        return
    effects = frame.filter(measure=MARGINAL, unit="scale")
    for (first, second), mine in effects.group_by(
        "corpus_first", "corpus_second", maintain_order=True
    ):
        sized = mine.with_columns(value=pl.col("difference"))
        kept = by_task(_largest(sized, MOST).drop("value"))
        languages = mine.row(0, named=True)
        shown = pl.concat([_side(kept, side) for side in ("first", "second")])
        every, drawn = (each.select("system", "task").n_unique() for each in (mine, kept))
        named = kept.select("axis", "contrast", "reference").unique(maintain_order=True)
        order = effect_order(named.rows())
        said = tuple(language_name(languages[f"language_{side}"]) for side in ("first", "second"))
        yield TwoLanguages((first, second), (said[0], said[1]), order, shown, every - drawn)


def _side(rows: pl.DataFrame, side: str) -> pl.DataFrame:
    return rows.select(
        *KEYS,
        label=pl.format("{}, {}", "system", "task"),
        language=pl.col(f"language_{side}").map_elements(language_name, pl.String),
        **{name: pl.col(f"{name}_{side}") * POINTS for name in ("value", "low", "high")},
        test=pl.col("p").map_elements(p_value, pl.String),
    )


def ends(effect: Effect, phrases: Phrases) -> tuple[str, str]:
    """What lies below 0 and above it, in words.

    >>> said = {("gender", "f"): "about women", ("gender", "m"): "about men"}
    >>> ends(("gender", "f-m", "m"), said)
    ('higher for sentences about men', 'higher for sentences about women')
    """
    sides = [
        (_phrase(axis, first, phrases), _phrase(axis, second, phrases))
        for axis, first, second in effect_parts(effect)
    ]
    above, below = both_ends(sides)
    if len(sides) > 1:
        return below, above
    # An end by itself, without the words around a page's figure.
    return below.replace(" ", " for sentences ", 1), above.replace(" ", " for sentences ", 1)


def _phrase(axis: str, group: str, phrases: Phrases) -> str:
    """How a group's sentences are spoken of; nothing for the average of all."""
    if group == AVERAGE and (axis, group) not in phrases:
        return ""
    return phrases.get((axis, group), f"marked “{group}”")


ZERO: Spec = {
    "mark": {"type": "rule", "color": GREY, "strokeWidth": 1},
    "encoding": {"x": {"datum": 0} | NUMBER},
}


def effects_chart(shown: EffectsFigure) -> Spec:
    """Dots and intervals: a panel an effect, a block a task, a line a system."""
    say = [INTERVALS.get(shown.measure, INDEPENDENT)]
    if shown.rows["naive_low"].count():
        say.append(NAIVE)
    say.append("A mark above or below 0: a difference is detected, after correction.")
    if any(":" in axis for axis, _, _ in shown.effects):
        say.append(f"{PRODUCT}.")
    if shown.left_out:
        say.append(f"{count(shown.left_out, 'submission')} cannot be estimated and not shown.")
    domain = _domain(shown.rows, ("low", "high", "naive_low", "naive_high", "value"))
    panels = [
        _panel(shown, effect, domain, first=at % ACROSS == 0)
        for at, effect in enumerate(shown.effects)
    ]
    title = f"Effects on scores: {shown.compared.title}"
    return _figure(panels, title, " ".join(say) + _smaller(shown.smaller), shown)


def languages_chart(shown: TwoLanguages, phrases: Phrases) -> Spec:
    """Dots and intervals of both languages, with the test of whether they differ."""
    domain = _domain(shown.rows, ("low", "high", "value"))
    panels = [
        _both(shown, effect, domain, phrases, first=at % ACROSS == 0)
        for at, effect in enumerate(shown.effects)
    ]
    title = f"Effects on scores in {' and '.join(shown.languages)}"
    say = (
        f"Corpora: {' and '.join(shown.corpora)}. {INTERVALS[MARGINAL]} p: of a test of whether "
        f"the two languages differ, not corrected for how many there are.{_smaller(shown.smaller)}"
    )
    return _figure(panels, title, say, shown)


def _smaller(many: int) -> str:
    return f" {count(many, 'submission')} with smaller effects not shown." if many else ""


def _panel(shown: EffectsFigure, effect: Effect, domain: Sequence[float], *, first: bool) -> Spec:
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
        ZERO,
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
        **_over(effect, shown.effects),
        "facet": {"row": row},
        "spacing": 10,
        "spec": {"width": WIDE, "height": {"step": ROW}, "layer": layers},
        "resolve": {"scale": {"y": "independent"}},
    }


def _both(
    shown: TwoLanguages, effect: Effect, domain: Sequence[float], phrases: Phrases, *, first: bool
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
        ZERO,
        _interval("low", "high", {"strokeWidth": 1.5}, y=y, color=colour, **apart),
        _mark("point", DOT, x=x, y=y, color=colour, shape=shape, **apart),
        _mark("text", test, x={"value": WIDE}, y=y, text={"field": "test"})
        | {"transform": [{"filter": {"field": "language", "equal": shown.languages[0]}}]},
    ]
    return {
        **_over(effect, shown.effects),
        "width": WIDE,
        "height": {"step": ROW + 5, "for": "position"},
        "layer": layers,
    }


def _over(effect: Effect, effects: Sequence[Effect]) -> Spec:
    """What stands over a panel, and which data are its own."""
    title = effect_title(effect, ())
    alone = sum(axis == effect[0] for axis, _, _ in effects) == 1
    groups = "beyond their sum" if ":" in effect[0] and alone else groups_of(effect)
    look = {"fontSize": 12, "anchor": "start", "frame": "group"}
    return {
        "title": {"text": title, "subtitle": groups, **look},
        "data": {"name": f"effect{effects.index(effect)}"},
    }


def _axis(effect: Effect, phrases: Phrases, domain: Sequence[float]) -> Spec:
    below, above = ends(effect, phrases)
    # Lines that fit under a panel; textwrap takes a no-break space for part of a word.
    under = [line for end in (f"←\u00a0{below}", f"{above}\u00a0→")
             for line in wrap(end, int(WIDE / LETTER))]  # fmt: skip
    scale = {"domain": list(domain), "nice": True}
    axis = {"tickCount": 5, "titleFontSize": 10, "titleColor": QUIET}
    return {
        "field": "value",
        "title": ["points of 100", *under],
        "scale": scale,
        "axis": axis,
    } | NUMBER


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


def _figure(
    panels: Sequence[Spec], title: str, say: str, shown: EffectsFigure | TwoLanguages
) -> Spec:
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
        "datasets": {
            f"effect{at}": shown.rows.filter(axis=axis, contrast=contrast).to_dicts()
            for at, (axis, contrast, _) in enumerate(shown.effects)
        },
    }


@dataclass(frozen=True, slots=True)
class FigureName:
    """A figure's title and its file's name without an ending."""

    title: str
    name: str


def regression_figure_names(material: AuditResults) -> list[FigureName]:
    """The figures of a run's regressions."""
    effects = [
        FigureName(f"effects, {one.compared.name}", f"effects-{slug(one.compared.name)}")
        for one in drawn_effects(material)
    ]
    return [*_numbered(effects), *language_figure_names(material.languages)]


def language_figure_names(languages: pl.DataFrame | None) -> list[FigureName]:
    """The figures of systems in two languages."""
    found = [
        FigureName(
            f"languages, {' and '.join(one.corpora)}",
            f"languages-{'-'.join(map(slug, one.corpora))}",
        )
        for one in two_languages(languages)
    ]
    return _numbered(found)


def _numbered(found: list[FigureName]) -> list[FigureName]:
    names = numbered([one.name for one in found])
    return [FigureName(one.title, name) for one, name in zip(found, names, strict=True)]


def regression_figures(material: AuditResults) -> Iterator[tuple[str, bytes]]:
    """Every figure of a run's regressions as its file's name and content."""
    shown = list(drawn_effects(material))
    names = regression_figure_names(material)[: len(shown)]
    for one, named in zip(shown, names, strict=True):
        yield from _files(named.name, svg(effects_chart(one)))
    phrases = {key: said for one in material.compared for key, said in phrases_of(one).items()}
    yield from language_figures(material.languages, phrases)


def language_figures(
    languages: pl.DataFrame | None, phrases: Phrases
) -> Iterator[tuple[str, bytes]]:
    """Every figure of systems in two languages."""
    names = language_figure_names(languages)
    for one, named in zip(two_languages(languages), names, strict=True):
        yield from _files(named.name, svg(languages_chart(one, phrases)))


def _files(name: str, drawn: str) -> Iterator[tuple[str, bytes]]:
    yield f"{name}.svg", drawn.encode()
    yield f"{name}.png", png(drawn)
