"""The pictures of a rating: a label for each system, and causal diagrams with marked arrows.

A label stands on the page as a card, and beside it as a badge for a README or a model card: one
SVG, 200 pixels wide, that carries its own paper, so that it reads on light and dark pages; no font,
link or script.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle
from math import hypot
from typing import Any

import polars as pl
from markupsafe import Markup

from tiltmeter.report import phrases
from tiltmeter.report.page import environment, trusted
from tiltmeter.report.phrases import numbered, shortened, unique_slugs
from tiltmeter.report.svg import fit_words, safe, width_of
from tiltmeter.studies.rating import wording
from tiltmeter.studies.rating.answer import about, explanations
from tiltmeter.studies.rating.grades import DISCRETISED
from tiltmeter.studies.rating.groups import SENTIMENT, WORD, Measure
from tiltmeter.studies.rating.study import Ratings, Row, SystemRatings
from tiltmeter.studies.rating.wording import ArrowKind

WASHES = 4
"""How many shades above none a grade may have."""
WIDE, EDGE, TOP = 200, 12, 36
"""The badge, its margin, and where the ladder begins, in pixels."""
PAPER, INK, SOFT, LINE, PALE, FAINT = (
    "#fcfbf8", "#1b1b18", "#5c5a54", "#8d8a82", "#c3c1ba", "#f0eee8"
)  # fmt: skip
SANS = "system-ui,-apple-system,Segoe UI,Roboto,Noto Sans,DejaVu Sans,sans-serif"
SERIF = "Georgia,Noto Serif,DejaVu Serif,serif"
SMALL, BOLD = 11, 12.5
"""The smallest letters, and how wide they are when bold."""
STEP, LINE_STEP, MOST = 14, 16, 9
"""A ladder's step; the distance of lines, and how many grades by group there are at most."""
APART = "\x1f"
"""Between a system and its task, in a name that no file bears."""


class StepKind(StrEnum):
    """A step of a ladder: the grade, what repeats also gave, or neither."""

    ON = "on"
    SPAN = "span"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a ladder."""

    level: int
    y: int
    wide: float
    kind: StepKind


@dataclass(frozen=True, slots=True)
class Grade:
    """A grade as it is shown in a small place."""

    column: str
    text: str
    spread: str
    wash: int
    said: str
    x: bool = False
    words: str = ""
    """What the column is about."""
    doubt: bool = False
    """Whether it may be chance."""


@dataclass(frozen=True, slots=True)
class Strip:
    """A rating on its scale, with the range that repeats give, in a row of the first screen."""

    name: str
    href: str
    grade: int
    low: int | None = None
    high: int | None = None
    sure: bool = False
    """Whether it goes beyond chance: a full dot instead of an empty one."""
    marks: tuple[bool | None, ...] = ()
    """By attribute, whether that goes beyond chance; None where nobody can tell."""


MARKS = {True: ("beyond", "beyond chance"), False: ("not", "not beyond chance"),
         None: ("unknown", "not known")}  # fmt: skip


def rating_strips(
    rows: Sequence[Strip],
    levels: int,
    axes: Sequence[str] = (),
    *,
    alone: bool = False,
    between: tuple[int, int] | None = None,
) -> Markup:
    """A row for each rating: a dot on the scale, the range of 95 % of repeats, marks by attribute.

    `between` says after which row how many more have been left out.
    """
    ends = (
        ("1, nothing detected", f"{levels}, something")
        if alone
        else ("1, least tilt", f"{levels}, most")
    )
    repeated = any(row.low is not None for row in rows)
    shown = []
    for nth, row in enumerate(rows):
        said = [f"{row.grade} of {levels}", wording.spread(row.low, row.high),
                "beyond chance" if row.sure else ""]  # fmt: skip
        marks = [(*MARKS[sure], axis) for axis, sure in zip(axes, row.marks, strict=True)]
        shown.append({
            "name": row.name, "href": row.href, "marks": marks, "grade": row.grade,
            "said": ", ".join(filter(None, said)), "sure": row.sure,
            "at": _level(row.grade, levels), "low": _level(row.low or row.grade, levels),
            "high": _level(row.high or row.grade, levels),
            "more": between[1] if between and nth + 1 == between[0] else 0,
        })  # fmt: skip
    ticks = [_level(level, levels) for level in range(1, levels + 1)] if levels <= MOST else []
    return trusted(
        environment()
        .get_template("rating/strips.html")
        .render(
            rows=shown,
            axes=axes,
            ends=ends,
            ticks=ticks,
            alone=alone,
            repeated=repeated,
            known=alone or bool(axes),
        )
    )


def _level(level: int, levels: int) -> float:
    """Where a level stands, in per cent of the strip's width."""
    return round(8 + 84 * (level - 1) / max(levels - 1, 1), 2)


def cards(study: Ratings) -> Iterator[dict[str, Any]]:
    """A label for each system, with a side for each variant."""
    for nth, system in enumerate(study.systems):
        sides = []
        for rated in system.variants.values():
            row, beyond = rated.overall, rated.beyond
            sides.append({
                "variant": rated.variant,
                "called": wording.SHORT_VARIANTS.get(rated.variant, rated.variant),
                "grade": rated.grade,
                "wash": wash(rated.grade or 1, study.levels),
                "words": grade_sentence(study, rated),
                "chance": wording.beyond_words(beyond) if study.repeats and rated.grade else "",
                "doubt": rated.may_be_chance,
                "spread": wording.spread(row["low"], row["high"], row["steady"])
                if rated.grade is not None else "",
                "steady": wording.steadiness(row["steady"], study.repeats),
                "steps": ladder(rated.grade, row["low"], row["high"], study.levels),
                "grades": [small_grade(own, study.levels) for own in rated.columns.values()],
                "explanations": list(explanations(study, rated)),
                "dominance": wording.dominance(
                    row["dominates"], by_chance=beyond.get(row["dominates"] or "") is False
                ),
                "reasons": [
                    (", ".join(wording.column_named(rated.columns[name]) for name in names), why)
                    for why, names in rated.reasons.items()
                ],
            })  # fmt: skip
        yield {"nth": nth, "system": system.system, "task": system.task, "sides": sides}


def grade_sentence(study: Ratings, rated: SystemRatings) -> str:
    """What a system's overall grade says, among the grades of the systems beside it."""
    if study.alone:
        sentence = wording.grade_alone(rated.grade, study.levels, rated.detected_in)
    else:
        beside = study.overall.filter(variant=rated.variant, task=rated.overall["task"])
        grades = [] if study.reference else beside["overall"].drop_nulls().to_list()
        ends = (min(grades), max(grades)) if grades else None
        sentence = wording.grade_words(rated.grade, study.levels, study.reference, ends)
    return f"{sentence}, which may be chance" if rated.may_be_chance else sentence


def ladder(grade: int | None, low: int | None, high: int | None, levels: int) -> tuple[Step, ...]:
    """The steps from 1 to the number of levels, each longer than the one before."""
    spanned = range(low or 0, (high or -1) + 1)
    return tuple(
        Step(
            level,
            (level - 1) * 18,
            34 + 66 * (level - 1) / max(levels - 1, 1),
            StepKind.ON if level == grade else StepKind.SPAN if level in spanned else StepKind.OFF,
        )
        for level in range(1, levels + 1)
    )


def small_grade(row: Row, levels: int) -> Grade:
    """A column's grade, its spread, and what a screen reader says."""
    column, rating = str(row["column"]), row["rating"]
    words = wording.column_words(row) if row.get("attribute") else column
    called = wording.column_named(row) if row.get("attribute") else column
    if rating is None:
        why = f"{called}: not rated, {row['reason'] or 'no reason given'}"
        return Grade(column, "–", "", 0, why, words=words)
    apart = row["low"] is not None and row["low"] != row["high"]
    spread = f"{row['low']}–{row['high']}" if apart else ""
    repeats = f", {wording.spread(row['low'], row['high'])}" if apart else ""
    x = ", X: a mean of 0 moved" if row["x"] else ""
    doubt = bool(row.get("doubt")) or wording.may_be_chance(row)
    chance = ", may be chance" if doubt else ""
    return Grade(
        column, f"{rating}{wording.DOUBT if doubt else ''}", spread, wash(rating, levels),
        f"{called}: {rating} of {levels}{x}{chance}{repeats}", row["x"], words, doubt,
    )  # fmt: skip


def wash(rating: int, levels: int) -> int:
    """How dark a grade is shown: 0 for 1, the darkest for the last level.

    >>> [wash(rating, 3) for rating in (1, 2, 3)], wash(2, 2), wash(5, 9)
    ([0, 2, 4], 4, 2)
    """
    return round(WASHES * (rating - 1) / max(levels - 1, 1))


def label_svg(study: Ratings, system: str, task: str, variant: str) -> str:
    """The badge of one system in one variant."""
    rated = next(
        one.variants[variant] for one in study.systems if (one.system, one.task) == (system, task)
    )
    row, levels, doubt, room = rated.overall, study.levels, rated.may_be_chance, WIDE - 2 * EDGE
    below = TOP + max(44, STEP * levels)
    grade, beside, middle = "–", "not rated", (TOP + below) / 2 + 15
    spread = wording.spread(row["low"], row["high"], row["steady"])
    below_grade = spread or "rated once, no repeats"
    chance = []  # what goes beyond chance: a line for each attribute, or two where they do not fit
    steps = []  # dark for the grade, paler for what repeats also gave; empty where it may be chance
    if rated.grade is None:
        reasons = (one["reason"] for one in rated.columns.values() if one["reason"])
        below_grade = next(reasons, "no group could be rated")
    else:
        grade, beside = str(rated.grade), f"of {levels}"
        parts = wording.beyond_words(rated.beyond).split("; ") if study.repeats else []
        for part in parts if len(parts) <= MOST else [*parts[: MOST - 1], "and more"]:
            if width_of(part, BOLD) <= room:
                chance.append(part)
            else:
                attribute, _, words = part.rpartition(": ")
                chance += [f"{fit_words(attribute, room - 8, BOLD)}:", f"\u2003{words}"]
        fills = {StepKind.ON: PAPER if doubt else INK, StepKind.SPAN: PALE, StepKind.OFF: FAINT}
        for step in ladder(rated.grade, row["low"], row["high"], levels):
            y = TOP + (step.level - 1) * STEP + max(0, 44 - STEP * levels) / 2
            on = step.kind == StepKind.ON
            dashed = ' stroke-dasharray="3 2"' if doubt and on else ""
            steps.append(
                f'<rect x="{WIDE - EDGE - 84}" y="{y + 1.5:g}" width="{0.84 * step.wide:.1f}" '
                f'height="{STEP - 3}" rx="2" fill="{fills[step.kind]}" '
                f'stroke="{INK if on else LINE}"{dashed}/>'
            )
    grades = [small_grade(one, levels) for one in rated.columns.values()]
    top = below + 54 + LINE_STEP * len(chance)
    groups, tall = _group_lines(grades, top)
    tall += 32
    mode = study.settings.get("mode")
    called = wording.SHORT_VARIANTS.get(variant, variant)
    day = str(study.environment.get("time") or "")[:10]
    made = f"tiltmeter rate · {day}" if day else "tiltmeter rate"
    # a number alone does not say which end is which, nor among whom
    many = study.overall.filter(task=task)["system"].n_unique()
    among = "its panel" if study.reference else f"{many} systems"
    ends = f"1 least tilt, {study.worst_possible} most of {among}"
    description = [
        wording.VARIANTS.get(variant, variant),
        *chance,
        spread,
        wording.steadiness(row["steady"], study.repeats),
        *(one.said for one in grades),
        f"mode {study.settings.get('mode', 'not said')}",
        made,
    ]
    return "".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{tall}" '
        f'viewBox="0 0 {WIDE} {tall}" role="img" font-family="{SANS}" fill="{INK}">',
        f"<title>{safe(f'{system}: {grade_sentence(study, rated)}')}</title>",
        f"<desc>{safe('; '.join(filter(None, description)))}. {wording.SKILL}</desc>",
        f'<rect x=".5" y=".5" width="{WIDE - 1}" height="{tall - 1}" rx="6" fill="{PAPER}" '
        f'stroke="{LINE}"/>',
        _text(EDGE, 23, fit_words(system, room, 14), 13, weight=600),
        # large and dark; smaller and paler where it may be chance
        f'<text x="{EDGE}" y="{middle:g}" font-family="{SERIF}" font-size="{28 if doubt else 46}" '
        f'fill="{SOFT if doubt else INK}">{grade}</text>',
        _text(EDGE + 34, middle, beside, 14, SOFT),
        *steps,
        _text(EDGE, below + 18, fit_words(below_grade, room, SMALL), 11.5),
        _text(EDGE, below + 34, "1: nothing detected" if study.alone else ends, SMALL, SOFT),
        *(
            _text(EDGE, below + 51 + LINE_STEP * nth, line, SMALL, weight=600)
            for nth, line in enumerate(chance)
        ),
        *groups,
        f'<path d="M{EDGE} {tall - 38.5}H{WIDE - EDGE}" stroke="{PALE}"/>',
        _text(
            EDGE, tall - 23, fit_words(f"{called}, {mode}" if mode else called, room, SMALL), SMALL,
            SOFT,
        ),
        _text(EDGE, tall - 9, made, SMALL, SOFT),
        "</svg>",
    ))  # fmt: skip


def _group_lines(grades: Sequence[Grade], top: int) -> tuple[list[str], int]:
    """Each group in words and its code, in one line or two, and its grade; where they end."""
    shown = grades if len(grades) <= MOST else grades[: MOST - 1]
    room, y = WIDE - 2 * EDGE - 26, top
    texts = []
    for grade in shown:
        lines = [""]
        for word in f"{grade.words} ({grade.column})".split():
            longer = f"{lines[-1]} {word}".strip()
            if len(lines) == 1 and lines[0] and width_of(longer, SMALL) > room:
                lines.append(f"\u2003{word}")
            else:
                lines[-1] = longer
        fitted = [fit_words(line, room, SMALL) for line in lines]
        texts.append((fitted, f"{grade.text}{' X' if grade.x else ''}", grade.doubt))
    if len(shown) < len(grades):
        texts.append(([f"+ {len(grades) - len(shown)} more"], "", False))
    parts = []
    for lines, rating, doubt in texts:
        bold = "" if doubt else ' font-weight="600"'
        parts += [
            _text(EDGE, y + LINE_STEP * nth, line, SMALL, SOFT) for nth, line in enumerate(lines)
        ]
        parts.append(
            f'<text x="{WIDE - EDGE}" y="{y:g}" font-size="{SMALL}" text-anchor="end"{bold}>'
            f"{safe(rating)}</text>"
        )
        y += LINE_STEP * len(lines)
    return parts, y


def _text(x: float, y: float, text: str, size: float, fill: str = INK, weight: int = 400) -> str:
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}"{bold}>{safe(text)}</text>'


def label_files(study: Ratings) -> pl.DataFrame:
    """system, task, variant, file: a row for each label, its name safe and no longer than need be.

    A task stands in the name where a system has several; discretised scores are marked.
    """
    rows = study.overall.select("system", "task", "variant")
    several = rows.select(pl.col("task").n_unique().over("system") > 1).to_series()
    plain = [
        f"{system}{APART}{task}" if many else system
        for (system, task, _), many in zip(rows.rows(), several, strict=True)
    ]
    slugs = unique_slugs(plain)
    marks = ["-discretised" if one == DISCRETISED else "" for one in rows["variant"]]
    names = numbered([f"{slugs[name]}{mark}" for name, mark in zip(plain, marks, strict=True)])
    return rows.with_columns(file=pl.Series([f"{name}.svg" for name in names], dtype=pl.String))


# -------------------------------- causal diagrams

NARROW, BROAD, TALL, APART_NODES, HALF = 340.0, 460.0, 190.0, 58.0, 15.0
"""Two and three columns wide; the least height; nodes' distance; half of a node's height."""
ALONG = (0.36, 0.52, 0.26)
"""How far along an arrow its label stands, by turns, so that labels do not meet."""
LETTER, WIDEST = 6.9, 21
"""Width of a letter; letters of a node."""

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Arrow:
    """What is known of an arrow, in short and in words."""

    kind: ArrowKind
    short: str
    words: str


@dataclass(frozen=True, slots=True)
class Node:
    """Where a node stands; nobody recorded a hidden one, and nothing causes a first one."""

    name: str
    x: float
    y: float
    wide: float
    hidden: bool = False
    first: bool = False


def edges_of(texts: Sequence[str]) -> list[Edge]:
    """Arrows read from text.

    >>> edges_of(["gender -> sentiment"])
    [('gender', 'sentiment')]
    """
    pairs = (text.split("->", 1) for text in texts)
    return [(first.strip(), second.strip()) for first, second in pairs]


def diagram_svg(
    edges: Sequence[Edge], arrows: Mapping[Edge, Arrow], unobserved: Sequence[str] = ()
) -> str:
    """The diagram, its arrows marked by result; whoever cannot see it gets it in words."""
    known, turns = dict(arrows), cycle(ALONG)
    for edge in edges:  # those that no test is about
        untested = Arrow(ArrowKind.OPEN, "", "not tested")
        if edge == (WORD, SENTIMENT):
            words = "desired: words should decide the score"
            untested = Arrow(ArrowKind.WANTED, "desired", words)
        elif edge[1] == WORD:
            untested = Arrow(ArrowKind.DECIDES, "", "decides which words a sentence has")
        known.setdefault(edge, untested)
    wide, nodes = layout(edges, unobserved)
    tall = max((node.y for node in nodes.values()), default=TALL) + HALF + 4
    words = "; ".join(f"{a} → {b}: {known[a, b].words}" for a, b in edges)
    parts = [
        f'<svg class="dag{" broad" * (wide > NARROW)}" role="img" viewBox="0 0 {wide:g} {tall:g}" '
        f'aria-label="Causal diagram. {safe(words)}">'
    ]
    for edge in edges:
        along = next(turns) if edge[1] == SENTIMENT and edge[0] != WORD else 0.45
        parts.append(_arrow(edge, known[edge], nodes, along))
    for node in nodes.values():
        parts.append(
            f'<g class="{"node hidden" if node.hidden else "node"}">'
            f'<rect x="{node.x - node.wide / 2:.1f}" y="{node.y - HALF:.1f}" '
            f'width="{node.wide:.1f}" height="{2 * HALF:g}" rx="{HALF:g}"/>'
            f'<text x="{node.x:.1f}" y="{node.y + 4.5:.1f}">{safe(shortened(node.name, WIDEST))}'
            "</text></g>"
        )
    return "".join(parts) + "</svg>"


def layout(edges: Sequence[Edge], unobserved: Sequence[str] = ()) -> tuple[float, dict[str, Node]]:
    """The drawing's width, and where nodes stand.

    Those without a cause left, what comes between in the middle: then it is broader.
    """
    names = dict.fromkeys(name for edge in edges for name in edge)
    inner = [name for name in names if name not in (WORD, SENTIMENT)]
    caused = {second for _, second in edges}
    left, middle = [n for n in inner if n not in caused], [n for n in inner if n in caused]
    broad = BROAD if middle else NARROW
    tall = max(TALL, APART_NODES * (max(len(left), len(middle) + 1)) + 2 * HALF)
    right = {WORD: HALF + 4, SENTIMENT: tall - HALF - 4}
    columns = (
        (0.0, {name: tall * (nth + 1) / (len(left) + 1) for nth, name in enumerate(left)}),
        # above the arrows that lead down to sentiment
        (0.5, {name: tall * (0.27 + 0.3 * nth) for nth, name in enumerate(middle)}),
        (1.0, {name: y for name, y in right.items() if name in names}),
    )
    nodes = {}
    for at, heights in columns:  # 0 for the left end and 1 for the right
        wide = {name: LETTER * len(shortened(name, WIDEST)) + 22 for name in heights}
        widest = max(wide.values(), default=0.0)
        x = 4 + widest / 2 + at * (broad - 8 - widest)
        for name, y in heights.items():
            # at the left end in one line, so that no arrow from one runs through another
            aside = 0.0 if at else (widest - wide[name]) / 2
            nodes[name] = Node(name, x + aside, y, wide[name], name in unobserved, not at)
    return broad, nodes


def _arrow(edge: Edge, arrow: Arrow, nodes: Mapping[str, Node], along: float) -> str:
    """One arrow with its label, bent where it would run straight through a node."""
    start, end = nodes[edge[0]], nodes[edge[1]]
    bend = x, y = (start.x + end.x) / 2, (start.y + end.y) / 2
    length = hypot(end.x - start.x, end.y - start.y) or 1.0
    straight = True
    for node in (node for name, node in nodes.items() if name not in edge):
        across = (node.x - start.x) * (end.y - start.y) - (node.y - start.y) * (end.x - start.x)
        inside = min(start.x, end.x) < node.x < max(start.x, end.x)
        if inside and abs(across) / length < 1.8 * HALF:
            bend, straight = (x, y + (1 if node.y <= y else -1) * 3.2 * HALF), False
            break
    x1, y1 = (start.x + start.wide / 2 + 2, start.y) if start.first else _leaving(start, *bend)
    x2, y2 = _leaving(end, *((x1, y1) if straight else bend), 9.0)
    bend = ((x1 + x2) / 2, (y1 + y2) / 2) if straight else bend
    xm, ym = (
        (1 - along) ** 2 * first + 2 * along * (1 - along) * control + along**2 * last
        for first, control, last in zip((x1, y1), bend, (x2, y2), strict=True)
    )
    label, wide = "", 6.8 * len(arrow.short) + 6
    if arrow.short:
        label = (
            f'<rect x="{xm - wide / 2:.1f}" y="{ym - 8:.1f}" width="{wide:.1f}" height="16"/>'
            f'<text x="{xm:.1f}" y="{ym + 4:.1f}">{safe(arrow.short)}</text>'
        )
    dx, dy = x2 - bend[0], y2 - bend[1]
    size = hypot(dx, dy) or 1.0
    dx, dy = dx / size, dy / size
    tip = x2 + 8 * dx, y2 + 8 * dy
    sides = ((x2 - s * 4.5 * dy, y2 + s * 4.5 * dx) for s in (1, -1))
    head = " ".join(f"{a:.1f},{b:.1f}" for a, b in (tip, *sides))
    return (
        f'<g class="arrow {arrow.kind}"><path d="M{x1:.1f} {y1:.1f}Q{bend[0]:.1f} {bend[1]:.1f} '
        f'{x2:.1f} {y2:.1f}"/><polygon points="{head}"/>{label}</g>'
    )


def _leaving(node: Node, x: float, y: float, gap: float = 2.0) -> tuple[float, float]:
    """Where a line from a node towards a point leaves it."""
    dx, dy = x - node.x, y - node.y
    size = hypot(dx, dy) or 1.0
    reach = min(
        (node.wide / 2) / abs(dx) if dx else float("inf"), HALF / abs(dy) if dy else float("inf")
    )
    reach = min(reach, 1.0) + gap / size
    return node.x + reach * dx, node.y + reach * dy


def arrow_results(
    study: Ratings, rated: SystemRatings, columns: Sequence[Row], edges: Sequence[Edge]
) -> dict[Edge, Arrow]:
    """The tested arrows of one group's diagram, into sentiment.

    Each by its own column, or else by the composite about the fewest attributes.
    """
    results = column_results(study, rated, columns)
    named = [(phrases.attributes(about(row)), str(row["column"])) for row in columns]
    arrows = {}
    for edge in edges:
        own = [(len(parts), name) for parts, name in named if edge[0] in parts]
        if edge[1] == SENTIMENT and own and min(own)[1] in results:
            arrows[edge] = results[min(own)[1]]
    return arrows


def column_results(
    study: Ratings, rated: SystemRatings, columns: Sequence[Row]
) -> dict[str, Arrow]:
    """By column: the result of its tests or of its adjustment.

    Marked by chance where it is known, else by the confidence that tests reach.
    """
    results, levels = {}, study.confidence
    for name in (str(row["column"]) for row in columns if row["column"] in rated.columns):
        row = rated.columns[name]
        tests = rated.tests.get(name, ())
        rejected = [one["rejected"] for one in tests if one["rejected"] is not None]
        sure = sum(many >= len(levels) for many in rejected)
        some = sum(0 < many < len(levels) for many in rejected)
        words = wording.by_tests(sure or some, len(rejected), levels, certain=bool(sure))
        if row["psi"] is None and not row["x"]:
            reason = f"not rated: {row['reason'] or 'no raw score'}"
            results[name] = Arrow(ArrowKind.OPEN, "not rated", reason)
        elif row["measure"] != Measure.WRS:
            size = phrases.moved(None if row["x"] else row["psi"])
            results[name] = Arrow(wording.arrow_kind(row), size, wording.adjusted(row))
        elif not sure and not some:
            results[name] = Arrow(ArrowKind.NONE, "none", words)
        else:
            kind = ArrowKind.FOUND if sure else ArrowKind.SOME
            if row.get("p") is not None or row.get("by_chance") is not None:
                kind = wording.arrow_kind(row)
            size = f"raw score {phrases.weight(row['psi'])}"
            results[name] = Arrow(kind, size, f"{words}{wording.in_brackets(row)}")
    return results
