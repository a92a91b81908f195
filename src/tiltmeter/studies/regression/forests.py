"""Coefficient plots: effects with their intervals, of one corpus or in two languages.

A panel is an effect, a row a submission. The page's rows and the files of `figures/` are made of
the same forests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from tiltmeter.ranking import coarsen, coarsen_column
from tiltmeter.report.charts import png
from tiltmeter.report.forest import (
    Forest,
    ForestCell,
    ForestPanel,
    ForestRow,
    ForestScale,
    Mark,
    Side,
    around_zero,
)
from tiltmeter.report.numbers import DASH, POINTS, count, p_value
from tiltmeter.report.phrases import numbered, slug
from tiltmeter.schemas import Significance
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons, RegressionStudy
from tiltmeter.studies.paired.submissions import ShownSubmission, planted
from tiltmeter.studies.paired.wording import SAID, interval_towards_higher
from tiltmeter.studies.regression.effects import (
    LEAST_SQUARES,
    MARGINAL,
    MARGINAL_MIXED,
    MARGINAL_NAIVE,
)
from tiltmeter.studies.regression.run import SIDES
from tiltmeter.studies.regression.tables import PRODUCT, Effect, groups_of, task_order
from tiltmeter.studies.regression.wording import (
    GroupPhrases,
    drawn_measure,
    ends,
    held_at,
    is_held,
    language_name,
    phrases_of,
    question_of,
    sides_of,
    whole_contrast,
)

BEHIND = {
    MARGINAL: MARGINAL_NAIVE, MARGINAL_MIXED: MARGINAL_NAIVE, MARGINAL_NAIVE: MARGINAL
}  # fmt: skip
"""Whose interval is drawn behind whose: the same effect with other errors."""
ROWS = 150
"""Rows that the page shows as it opens; the others are folded away."""
FEWEST = 8
"""Rows shown of each task in any case."""
MOST = 40
"""Submissions of a task that a figure draws: those with the largest effects."""
ACROSS = 3
"""Panels beside each other in a file."""
INTERVALS = {
    MARGINAL: "Lines: 95\u00a0% intervals that let names and templates vary.",
    MARGINAL_MIXED: "Lines: 95\u00a0% intervals of a mixed model with random names and templates.",
    LEAST_SQUARES: "Lines: 95\u00a0% intervals of least squares, sentences taken as independent.",
    MARGINAL_NAIVE: "Lines: 95\u00a0% intervals as if all sentences were independent.",
}
INTERVALS_BEHIND = {
    MARGINAL: "Thin lines with ends: letting names and templates vary.",
    MARGINAL_NAIVE: "Thin lines with ends: as if all sentences were independent.",
}
Numbers = Mapping[str, Any]
"""A row of the estimates or of the findings."""


@dataclass(frozen=True, slots=True)
class ShownEffect:
    """A coefficient: a group beside another, or what two of them add together."""

    axis: str
    contrast: str
    title: str
    """As in `gender` or `gender × race`."""
    more: str
    """What it means above zero, as in `higher about women`."""
    less: str
    asks: str
    """What it asks, after "whether"."""
    product: bool
    groups: str
    """As differences: `female − male`; of a product, `(female − male) × (Arab − Anglo)`."""
    whole: str
    """Of a product: all its groups beside all their references."""
    held: str = ""
    """The other axes' groups that it is about, where it is not an average over them."""

    @property
    def full(self) -> str:
        """Its title, with the groups that it is about: `gender (with Anglo names)`."""
        return f"{self.title} ({self.held})" if self.held else self.title

    @property
    def key(self) -> tuple[str, str]:
        """What tables know it by."""
        return self.axis, self.contrast

    def side(self, value: float) -> str:
        """What a value means: the end that it lies towards."""
        return self.more if value > 0 else self.less if value < 0 else ""


def shown_effects(
    effects: Sequence[Effect], phrases: GroupPhrases, measure: str
) -> tuple[ShownEffect, ...]:
    """Effects with both their ends in words."""
    found = []
    for effect in effects:
        axis, contrast, _ = effect
        sides = sides_of(effect, phrases)
        more, less = ends(sides)
        held = held_at(axis, effects) if is_held(measure) else {}
        found.append(ShownEffect(
            axis, contrast, axis.replace(":", " × "), more, less, question_of(sides),
            len(sides) > 1, groups_of(effect), whole_contrast(sides),
            ", ".join(phrases.get(group, f"marked “{group[1]}”") for group in held.items()),
        ))  # fmt: skip
    return tuple(found)


def titles(effects: Sequence[ShownEffect], *, full: bool = True) -> tuple[str, ...]:
    """What each effect is called: its axis, its groups where an axis has several effects.

    In full, with the groups at which it holds the other axes, where it does.
    """
    many = Counter(effect.axis for effect in effects)
    named = [(effect, effect.full if full else effect.title) for effect in effects]
    return tuple(
        title if many[effect.axis] == 1 else f"{title}: {effect.groups}" for effect, title in named
    )


@dataclass(frozen=True, slots=True)
class Fit:
    """One submission's regression."""

    system: str
    task: str
    facts: Numbers
    """Its row of `fits`."""
    findings: Mapping[tuple[str, str], Numbers]
    """Its findings, by axis and contrast."""
    numbers: Mapping[tuple[str, str, str], Numbers]
    """Its estimates, by axis, contrast and measure."""

    @property
    def reason(self) -> str:
        """Why there is no fit; else nothing."""
        return str(self.facts["reason"] or "")

    def number(self, effect: ShownEffect, measure: str) -> Numbers | None:
        """One estimate; None where there is no number."""
        found = self.numbers.get((*effect.key, measure))
        return None if found is None or found["value"] is None else found


@dataclass(frozen=True, slots=True)
class Regression:
    """One corpus' regressions as the page shows them."""

    corpus: int
    """Its place among the corpora."""
    compared: CorpusComparisons
    regressed: RegressionStudy
    effects: tuple[ShownEffect, ...]
    fits: tuple[Fit, ...]
    main: str
    """The measure that findings are made of."""
    planted: frozenset[str] = frozenset()
    """Controls whose differences were put in on purpose."""

    @property
    def behind(self) -> str:
        """The measure whose interval is drawn behind; nothing in the published mode."""
        return BEHIND.get(self.main, "")

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes of its formula."""
        named = (axis for effect in self.effects for axis in effect.axis.split(":"))
        return tuple(dict.fromkeys(named))

    def largest_first(self, task: str) -> list[Fit]:
        """The fits of a task that have one, by their largest effect."""

        def size(fit: Fit) -> float:
            numbers = (fit.number(effect, self.main) for effect in self.effects)
            sizes = (abs(row["value"]) for row in numbers if row is not None)
            return coarsen(max(sizes, default=-1.0))

        there = [fit for fit in self.fits if fit.task == task and not fit.reason]
        return sorted(there, key=lambda fit: (-size(fit), fit.system))

    def cells(self, fit: Fit) -> tuple[ForestCell, ...]:
        """A dot with its interval for every effect of a submission, in points."""
        cells = []
        for effect in self.effects:
            finding, number = fit.findings.get(effect.key), fit.number(effect, self.main)
            if finding is None or number is None or number["low"] is None:
                cells.append(ForestCell(number=DASH, says=(SAID[Significance.NOT_ESTIMABLE],)))
                continue
            value, low, high = (number[name] for name in ("value", "low", "high"))
            size, start, end = interval_towards_higher(value, low, high, "scale")
            detected = finding["significance"] in (Significance.UP, Significance.DOWN)
            colour = side_of(value) if detected else ""
            behind = fit.number(effect, self.behind)
            cells.append(ForestCell(
                (Mark(POINTS * value, POINTS * low, POINTS * high, colour),),
                size, "points" if value else "", effect.side(value), f"{start} to {end}",
                (SAID[finding["significance"]],), side_of(value),
                behind=None if behind is None or behind["low"] is None
                else (POINTS * behind["low"], POINTS * behind["high"]),
            ))  # fmt: skip
        return tuple(cells)

    def panels(self, scale: ForestScale) -> tuple[ForestPanel, ...]:
        """A panel for every effect."""
        return effect_panels(self.effects, scale)


def side_of(value: float) -> Side:
    """The side of zero on which a value lies."""
    return "up" if value > 0 else "down" if value < 0 else ""


def effect_panels(effects: Sequence[ShownEffect], scale: ForestScale) -> tuple[ForestPanel, ...]:
    """A panel for every effect, both ends in words."""
    return tuple(
        ForestPanel(title, scale, (effect.less, effect.more), "points of 100")
        for effect, title in zip(effects, titles(effects), strict=True)
    )


def regressions(material: AuditResults) -> tuple[Regression, ...]:
    """The regressions of every corpus that has any."""
    main, controls = drawn_measure(material.run), frozenset(planted(material))
    places = {compared.name: nth for nth, compared in enumerate(material.compared)}
    found = list[Regression]()
    for study in material.regressed:
        if study.corpus not in places or not study.fits.height:
            continue
        findings: dict[tuple[str, str], dict[tuple[str, str], Numbers]] = {}
        for row in study.findings.iter_rows(named=True):
            mine = findings.setdefault((row["system"], row["task"]), {})
            mine[row["axis"], row["contrast"]] = row
        numbers: dict[tuple[str, str], dict[tuple[str, str, str], Numbers]] = {}
        for row in study.estimates.iter_rows(named=True):
            by_measure = numbers.setdefault((row["system"], row["task"]), {})
            by_measure[row["axis"], row["contrast"], row["measure"]] = row
        fits = tuple(
            Fit(row["system"], row["task"], row, findings.get(key, {}), numbers.get(key, {}))
            for row in study.fits.iter_rows(named=True)
            if (key := (row["system"], row["task"]))
        )
        nth = places[study.corpus]
        compared = material.compared[nth]
        effects = shown_effects(study.effects, phrases_of(compared.corpus), main)
        found.append(Regression(nth, compared, study, effects, fits, main, controls))
    return tuple(found)


def effects_scale(found: Sequence[Regression]) -> ForestScale:
    """One scale for every effect, in points."""
    numbers = [
        number
        for one in found
        for fit in one.fits
        for effect in one.effects
        if (number := fit.number(effect, one.main)) is not None
    ]
    return around_zero(
        (POINTS * number["value"] for number in numbers),
        (POINTS * end for number in numbers for name in ("low", "high")
         if (end := number[name]) is not None),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class EffectPlot:
    """The submissions of one corpus and task on the page."""

    corpus: int
    task: str
    forest: Forest
    order: tuple[int, ...]
    """Every submission's place on the page, the largest first."""


def effect_plots(
    found: Sequence[Regression], of: Sequence[ShownSubmission]
) -> tuple[EffectPlot, ...]:
    """A plot for every corpus and task, all on one scale."""
    parts = [
        (one, task, fits)
        for one in found
        for task in dict.fromkeys(fit.task for fit in one.fits)
        if (fits := one.largest_first(task))
    ]
    scale, alone = effects_scale(found), len({one.system for one in of}) == 1
    placed = {(one.corpus, one.system, one.task): one for one in of}
    plots = list[EffectPlot]()
    for one, task, fits in parts:
        mine = [placed[one.corpus, fit.system, task] for fit in fits]
        rows = tuple(
            ForestRow(
                fit.system, one.cells(fit), href="" if alone else f"#{shown.anchor}",
                link={"open": shown.anchor, "part": "regressed"}, data={"i": shown.nth},
            )
            for fit, shown in zip(fits, mine, strict=True)
        )  # fmt: skip
        forest = Forest(
            f"effects-{len(plots)}", f"Effects on {task}, {one.compared.title}",
            one.panels(scale), rows, layout="below", most=max(FEWEST, ROWS // len(parts)),
        )  # fmt: skip
        plots.append(EffectPlot(one.corpus, task, forest, tuple(shown.nth for shown in mine)))
    return tuple(plots)


@dataclass(frozen=True, slots=True)
class LanguageForest:
    """Systems that answer corpora of two languages."""

    languages: tuple[str, str]
    corpora: tuple[str, str]
    rows: pl.DataFrame
    """Every effect in both, and the test of whether they differ."""
    forest: Forest
    left_out: int
    """Submissions that are not drawn, since their effects are closer to each other."""


def language_forests(
    frame: pl.DataFrame | None, phrases: Callable[[str], GroupPhrases], measure: str = MARGINAL
) -> Iterator[LanguageForest]:
    """A forest for every two corpora that match; `phrases` has those of a corpus' groups."""
    if frame is None:
        return
    of, size = ["system", "task"], pl.col("difference").abs().max()
    for (first, second), rows in frame.filter(measure=measure, unit="scale").group_by(
        "corpus_first", "corpus_second", maintain_order=True
    ):
        named = rows.select("axis", "contrast", "reference").unique(maintain_order=True)
        effects = shown_effects(named.rows(), phrases(str(first)), measure)
        languages = tuple(language_name(rows[f"language_{side}"][0]) for side in SIDES)
        sizes = rows.group_by(of, maintain_order=True).agg(size)
        largest = sizes.sort(
            coarsen_column(pl.col("difference")), descending=True, maintain_order=True
        )
        drawn = [
            (system, task)
            for which in task_order(rows["task"].to_list())
            for system, task in largest.filter(task=which).head(MOST).select(of).rows()
        ]
        cells = {
            (row["system"], row["task"], row["axis"], row["contrast"]): row
            for row in rows.iter_rows(named=True)
        }
        scale = around_zero(
            (POINTS * row[f"value_{side}"] for row in cells.values() for side in SIDES),
            (POINTS * row[f"{end}_{side}"] for row in cells.values() for side in SIDES
             for end in ("low", "high")),
        )  # fmt: skip
        forest = Forest(
            f"languages-{slug(str(first))}-{slug(str(second))}",
            f"Effects on scores in {languages[0]} and {languages[1]}",
            effect_panels(effects, scale),
            tuple(
                ForestRow(system, tuple(
                    _language_cell(cells.get((system, task, *effect.key)), effect, languages)
                    for effect in effects
                ), tag=task)
                for system, task in drawn
            ),
            first="System and task", layout="below", most=MOST,
        )  # fmt: skip
        yield LanguageForest(
            (languages[0], languages[1]), (str(first), str(second)), rows, forest,
            largest.height - len(drawn),
        )  # fmt: skip


def _language_cell(
    row: Numbers | None, effect: ShownEffect, languages: Sequence[str]
) -> ForestCell:
    """An effect in two languages, one above the other, and how far they are apart."""
    if row is None:
        return ForestCell(says=("not in both",))
    marks = []
    for side, language in zip(SIDES, languages, strict=True):
        value, low, high = (row[f"{name}_{side}"] for name in ("value", "low", "high"))
        size, start, end = interval_towards_higher(value, low, high, "scale")
        is_first = side == SIDES[0]
        marks.append(Mark(
            POINTS * value, POINTS * low, POINTS * high, filled=is_first, ink=True,
            shape="circle" if is_first else "diamond", level=30 if is_first else 70,
            name=language, number=size, spread=f"{start} to {end}",
            meaning=f"points, {effect.side(value)}" if value else "", lean=side_of(value),
        ))  # fmt: skip
    apart, start, end = interval_towards_higher(row["difference"], row["low"], row["high"], "scale")
    return ForestCell(
        tuple(marks), says=(f"{apart} apart ({start} to {end}), {p_value(row['p'])}",)
    )


@dataclass(frozen=True, slots=True)
class RegressionFigure:
    """A figure of `figures/`."""

    title: str
    name: str
    """Its files' name without an ending."""
    forest: Forest
    key: str
    """What its marks mean."""

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Its SVG and PNG, each with its file's name."""
        drawn = self.forest.svg(self.key, across=min(ACROSS, len(self.forest.panels)))
        yield f"{self.name}.svg", drawn.encode()
        yield f"{self.name}.png", png(drawn)


def regression_figures(material: AuditResults) -> list[RegressionFigure]:
    """The figures of a run's regressions: effects of every corpus, then languages."""
    figures = list[RegressionFigure]()
    for one in regressions(material):
        tasks = task_order([fit.task for fit in one.fits])
        fits = [fit for task in tasks for fit in one.largest_first(task)]
        if not any(fit.number(effect, one.main) for fit in fits for effect in one.effects):
            continue
        drawn = [fit for task in tasks for fit in one.largest_first(task)[:MOST]]
        left, smaller = len(one.fits) - len(fits), len(fits) - len(drawn)
        key = (
            "Effects in points of 100.",
            INTERVALS[one.main],
            INTERVALS_BEHIND.get(one.behind, ""),
            "A filled mark: a difference is detected, after correction.",
            f"{PRODUCT}." if any(effect.product for effect in one.effects) else "",
            f"{count(left, 'submission')} cannot be estimated and not shown." if left else "",
            _smaller(smaller),
        )
        forest = Forest(
            "effects", f"Effects on scores: {one.compared.title}",
            one.panels(effects_scale([one])),
            tuple(ForestRow(fit.system, one.cells(fit), tag=fit.task) for fit in drawn),
        )  # fmt: skip
        name = one.compared.name
        figures.append(RegressionFigure(
            f"effects, {name}", f"effects-{slug(name)}", forest, " ".join(filter(None, key))
        ))  # fmt: skip
    return [*_numbered(figures), *language_figures(audit_languages(material))]


def audit_languages(material: AuditResults) -> list[LanguageForest]:
    """One system in two languages, where matching corpora were audited."""
    phrases = {one.name: phrases_of(one.corpus) for one in material.compared}
    measure = LEAST_SQUARES if drawn_measure(material.run) == LEAST_SQUARES else MARGINAL
    return list(language_forests(material.languages, lambda name: phrases[name], measure))


def language_figures(found: Sequence[LanguageForest]) -> list[RegressionFigure]:
    """The figures of systems in two languages."""
    figures = []
    for one in found:
        key = (
            f"●\u00a0{one.corpora[0]}, ◇\u00a0{one.corpora[1]}.",
            "Effects in points of 100.",
            INTERVALS[str(one.rows["measure"][0])],
            "p: of a test of whether the two languages differ, not corrected for how many there "
            "are.",
            _smaller(one.left_out),
        )
        name = f"languages-{'-'.join(map(slug, one.corpora))}"
        figures.append(
            RegressionFigure(
                f"languages, {' and '.join(one.corpora)}",
                name,
                one.forest,
                " ".join(filter(None, key)),
            )
        )
    return _numbered(figures)


def _smaller(many: int) -> str:
    return f"{count(many, 'submission')} with smaller effects not shown." if many else ""


def _numbered(figures: Sequence[RegressionFigure]) -> list[RegressionFigure]:
    names = numbered([figure.name for figure in figures])
    return [replace(figure, name=name) for figure, name in zip(figures, names, strict=True)]
