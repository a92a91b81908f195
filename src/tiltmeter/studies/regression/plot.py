"""Coefficient plots: a dot and its interval in a panel per effect, one corpus or two languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tiltmeter.report.numbers import DASH, POINTS, count, p_value
from tiltmeter.report.scale import HALF, SymmetricScale, scale_for
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
from tiltmeter.studies.regression.tables import groups_of
from tiltmeter.studies.regression.wording import (
    drawn_measure,
    effect_parts,
    ends,
    held_at,
    is_held,
    language_name,
    question_of,
    whole_contrast,
)

BEHIND = {
    MARGINAL: MARGINAL_NAIVE, MARGINAL_MIXED: MARGINAL_NAIVE, MARGINAL_NAIVE: MARGINAL
}  # fmt: skip
"""Whose interval is drawn behind whose: the same effect with other errors."""

ROWS = 150
"""Rows drawn on the page as it opens; the script draws the others when asked to."""
FEWEST = 8
"""Rows drawn of each task in any case."""
EDGE = 50.0 / HALF
"""How far past its limit a scale still has room to draw."""
MOST = 40
"""Rows of the figure of two languages; the others are only counted."""
OF_A_NUMBER = (
    "system", "task", "axis", "contrast", "measure", "value", "se", "low", "high", "df", "p"
)  # fmt: skip
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


def regressions(material: AuditResults) -> tuple[Regression, ...]:
    """The regressions of every corpus that has any."""
    main, controls = drawn_measure(material.run), frozenset(planted(material))
    places = {one.name: (nth, one) for nth, one in enumerate(material.compared)}
    found = list[Regression]()
    for one in material.regressed:
        if one.corpus in places and one.fits.height:
            nth, compared = places[one.corpus]
            effects = [effect_of(key, compared) for key in one.effects]
            for at, effect in enumerate(effects if is_held(main) else ()):
                held = held_at(effect.axis, one.effects).items()
                phrases = ", ".join(compared.phrase(*group) for group in held)
                effects[at] = replace(effect, held=phrases)
            found.append(Regression(nth, compared, one, tuple(effects), _fits(one), main, controls))
    return tuple(found)


def _fits(one: RegressionStudy) -> tuple[Fit, ...]:
    findings: dict[tuple[str, str], dict[tuple[str, str], Numbers]] = {}
    for row in one.findings.iter_rows(named=True):
        findings.setdefault((row["system"], row["task"]), {})[row["axis"], row["contrast"]] = row
    numbers: dict[tuple[str, str], dict[tuple[str, str, str], Numbers]] = {}
    for row in one.estimates.select(OF_A_NUMBER).iter_rows(named=True):
        mine = numbers.setdefault((row["system"], row["task"]), {})
        mine[row["axis"], row["contrast"], row["measure"]] = row
    return tuple(
        Fit(row["system"], row["task"], row, findings.get(key, {}), numbers.get(key, {}))
        for row in one.fits.iter_rows(named=True)
        if (key := (row["system"], row["task"]))
    )


def effect_of(key: tuple[str, str, str], compared: CorpusComparisons) -> ShownEffect:
    """An effect and its two ends in words."""
    axis, contrast, _ = key
    sides = [
        (
            compared.phrase(axis, group),
            "" if compared.is_average(axis, second) else compared.phrase(axis, second),
        )
        for axis, group, second in effect_parts(key)
    ]
    more, less = ends(sides)
    return ShownEffect(
        axis, contrast, axis.replace(":", " × "), more, less, question_of(sides), len(sides) > 1,
        groups_of(key), whole_contrast(sides),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class IntervalLine:
    """A value's interval on the scale, in per cent of the width."""

    low: float
    high: float
    beyond: str = ""
    """left, right or both where it goes on past the edge."""


@dataclass(frozen=True, slots=True)
class EffectMark:
    """One effect of one submission as a picture and in words."""

    kind: str
    """up, down, none or not_estimable."""
    side: str
    """Which side of zero: up, down or nothing."""
    x: float | None
    line: IntervalLine | None
    behind: IntervalLine | None
    """The same effect's interval with other errors."""
    number: str
    spread: str
    means: str
    """The end that it lies towards, in words."""
    said: str


@dataclass(frozen=True, slots=True)
class EffectRow:
    """One submission in the plot."""

    submission: ShownSubmission
    marks: tuple[EffectMark, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """The submissions of one corpus and task."""

    nth: int
    corpus: int
    task: str
    effects: tuple[ShownEffect, ...]
    titles: tuple[str, ...]
    rows: tuple[EffectRow, ...]
    """As many as the page draws as it opens, the largest first."""
    order: tuple[int, ...]
    """Every submission's place on the page, the largest first."""


def plots(
    found: Sequence[Regression], of: Sequence[ShownSubmission], scale: SymmetricScale
) -> tuple[Plot, ...]:
    """The coefficient plots, a plot a corpus and task."""
    parts = [
        (one, task, fits)
        for one in found
        for task in dict.fromkeys(fit.task for fit in one.fits)
        if (fits := [fit for fit in one.fits if fit.task == task and not fit.reason])
    ]
    most = max(FEWEST, ROWS // max(len(parts), 1))
    placed = {(one.corpus, one.system, one.task): one for one in of}
    made = list[Plot]()
    for nth, (one, task, fits) in enumerate(parts):
        sizes = dict[str, float]()
        for fit in fits:
            found_numbers = (fit.number(effect, one.main) for effect in one.effects)
            known = [abs(number["value"]) for number in found_numbers if number is not None]
            sizes[fit.system] = max(known, default=-1.0)
        ordered = sorted(fits, key=lambda fit: (-sizes[fit.system], fit.system))
        mine = [placed[one.corpus, fit.system, task] for fit in ordered]
        rows = (
            EffectRow(submission, tuple(marks_of(fit, one, scale)))
            for fit, submission in zip(ordered[:most], mine, strict=False)
        )
        order = tuple(submission.nth for submission in mine)
        made.append(
            Plot(nth, one.corpus, task, one.effects, titles(one.effects), tuple(rows), order)
        )
    return tuple(made)


def plot_scale(found: Sequence[Regression]) -> SymmetricScale:
    """One scale for every effect, in points."""
    numbers = [
        number
        for one in found
        for fit in one.fits
        for effect in one.effects
        if (number := fit.number(effect, one.main)) is not None
    ]
    return scale_for(
        (POINTS * number["value"] for number in numbers),
        (POINTS * number[end] for number in numbers for end in ("low", "high")),
    )


def titles(effects: Sequence[ShownEffect], *, full: bool = True) -> tuple[str, ...]:
    """What each effect is called: its axis, its groups where an axis has several effects.

    In full, with the groups at which it holds the other axes, where it does.
    """
    many = Counter(effect.axis for effect in effects)
    called = [(effect, effect.full if full else effect.title) for effect in effects]
    return tuple(
        title if many[effect.axis] == 1 else f"{title}: {effect.groups}" for effect, title in called
    )


def marks_of(fit: Fit, one: Regression, scale: SymmetricScale) -> Iterator[EffectMark]:
    """A mark for every effect of a submission."""
    for effect in one.effects:
        finding, number = fit.findings.get(effect.key), fit.number(effect, one.main)
        if finding is None or number is None or number["low"] is None:
            kind = Significance.NOT_ESTIMABLE
            yield EffectMark(kind, "", None, None, None, DASH, "", "", SAID[kind])
            continue
        value = number["value"]
        size, start, end = interval_towards_higher(value, number["low"], number["high"], "scale")
        behind = fit.number(effect, one.behind)
        yield EffectMark(
            kind=finding["significance"],
            side="up" if value > 0 else "down" if value < 0 else "",
            x=scale.at(POINTS * value),
            line=line_of(number, scale),
            behind=None if behind is None else line_of(behind, scale),
            number=size,
            spread=f"{start} to {end}",
            means=effect.side(value),
            said=SAID[finding["significance"]],
        )


def line_of(number: Numbers, scale: SymmetricScale, side: str = "") -> IntervalLine | None:
    """An interval, in parts of the scale of scores, on one of points; `side` is a language's."""
    low, high = number[f"low{side}"], number[f"high{side}"]
    if low is None or high is None:
        return None
    left, right, edge = POINTS * low, POINTS * high, scale.limit * EDGE
    beyond = {(True, True): "both", (True, False): "left", (False, True): "right"}
    ends = (left < -edge, right > edge)
    return IntervalLine(scale.at(left), scale.at(right), beyond.get(ends, ""))


@dataclass(frozen=True, slots=True)
class End:
    """An effect in one language, in per cent of the width and in words."""

    x: float
    line: IntervalLine | None
    side: str
    number: str
    spread: str
    means: str


@dataclass(frozen=True, slots=True)
class Beside:
    """An effect in two languages, and the test of whether they differ."""

    first: End
    second: End
    difference: str
    spread: str
    p: str


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """One system's effects for one task."""

    system: str
    task: str
    cells: tuple[Beside | None, ...]


@dataclass(frozen=True, slots=True)
class Languages:
    """One figure: systems that answer corpora of two languages."""

    first: str
    second: str
    corpora: tuple[str, str]
    effects: tuple[ShownEffect, ...]
    titles: tuple[str, ...]
    scale: SymmetricScale
    rows: tuple[LanguageRow, ...]
    left_out: int
    summary: str


def languages(material: AuditResults, found: Sequence[Regression]) -> tuple[Languages, ...]:
    """A figure for every two corpora that match."""
    if material.languages is None or not found:
        return ()
    measure = LEAST_SQUARES if found[0].main == LEAST_SQUARES else MARGINAL
    rows = material.languages.filter(measure=measure)
    by_name = {one.compared.name: one for one in found}
    return tuple(
        _figure(part.rows(named=True), by_name[str(first)], by_name[str(second)])
        for (first, second), part in rows.partition_by(
            ["corpus_first", "corpus_second"], as_dict=True
        ).items()
        if first in by_name and second in by_name
    )


def _figure(rows: Sequence[Mapping[str, Any]], one: Regression, other: Regression) -> Languages:
    ends = [row[f"{end}_{side}"] for row in rows for side in SIDES for end in ("low", "high")]
    values = [row[f"value_{side}"] for row in rows for side in SIDES]
    scale = scale_for((POINTS * v for v in values), (POINTS * end for end in ends))
    found: dict[tuple[str, str], dict[tuple[str, str], Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["system"], row["task"]), {})[row["axis"], row["contrast"]] = row
    ordered = sorted(
        found.items(), key=lambda pair: -max(abs(row["difference"]) for row in pair[1].values())
    )
    shown = sorted(ordered[:MOST], key=lambda pair: pair[0][1])
    drawn = (
        LanguageRow(system, task, tuple(_beside(cells.get(effect.key), effect, scale)
                                for effect in one.effects))
        for (system, task), cells in shown
    )  # fmt: skip
    names = [language_name(which.compared.corpus.language) for which in (one, other)]
    differ = sum(row["p"] is not None and row["p"] <= 0.05 for row in rows)
    summary = (
        f"Of {count(len(rows), 'effect')} in both languages, {differ:,} "
        f"{'differs' if differ == 1 else 'differ'} with p ≤ 0.05 before correction; about "
        f"{len(rows) / 20:.2g} would by chance alone."
    )
    if not {system for system, _ in found} <= {fit.system for fit in one.fits}:
        summary += (
            " A system trained for each language counts as one; its name is without the language."
        )
    return Languages(
        names[0], names[1], (one.compared.title, other.compared.title), one.effects,
        titles(one.effects), scale, tuple(drawn), max(0, len(ordered) - MOST),
        summary,
    )  # fmt: skip


def _beside(
    row: Mapping[str, Any] | None, effect: ShownEffect, scale: SymmetricScale
) -> Beside | None:
    if row is None:
        return None
    apart = interval_towards_higher(row["difference"], row["low"], row["high"], "scale")
    first, second = (_end(row, side, effect, scale) for side in SIDES)
    return Beside(first, second, apart[0], f"{apart[1]} to {apart[2]}", p_value(row["p"]))


def _end(row: Mapping[str, Any], side: str, effect: ShownEffect, scale: SymmetricScale) -> End:
    value, low, high = (row[f"{name}_{side}"] for name in ("value", "low", "high"))
    size, start, end = interval_towards_higher(value, low, high, "scale")
    towards = "up" if value > 0 else "down" if value < 0 else ""
    line = line_of(row, scale, f"_{side}")
    x = scale.at(POINTS * value)
    return End(x, line, towards, size, f"{start} to {end}", effect.side(value))
