"""A label for each system: on the page, and as a badge for a README or a model card.

The badge is one SVG, 200 pixels wide. It carries its own paper, so that it reads on light and dark
pages; no font, link or script.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from typing import Any

import polars as pl

from tiltmeter.report import phrases
from tiltmeter.report.phrases import numbered, unique_slugs
from tiltmeter.report.svg import NOT_XML, fit_text, text_width
from tiltmeter.studies.rating import wording
from tiltmeter.studies.rating.answer import explanations
from tiltmeter.studies.rating.grades import DISCRETISED
from tiltmeter.studies.rating.rated_systems import Row, SystemRatings
from tiltmeter.studies.rating.study import Ratings
from tiltmeter.studies.rating.wording import DOUBT, beyond_words, may_be_chance

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
STEP, ROW, MOST = 14, 16, 9
"""A ladder's step; the distance of lines, and how many grades by group there are at most."""
DASHED = ' stroke-dasharray="3 2"'
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


def cards(study: Ratings) -> Iterator[dict[str, Any]]:
    """A label for each system, with a side for each variant."""
    for nth, one in enumerate(study.systems):
        sides = [_side(study, rated) for rated in one.variants.values()]
        yield {"nth": nth, "system": one.system, "task": one.task, "sides": sides}


def _side(study: Ratings, rated: SystemRatings) -> dict[str, Any]:
    row, is_rated = rated.overall, rated.grade is not None
    return {
        "variant": rated.variant,
        "called": wording.SHORT_VARIANTS.get(rated.variant, rated.variant),
        "grade": rated.grade,
        "wash": wash(rated.grade or 1, study.levels),
        "words": grade_sentence(study, rated),
        "chance": beyond_words(rated.beyond) if study.repeats and rated.grade else "",
        "doubt": rated.may_be_chance,
        "spread": wording.spread(row["low"], row["high"], row["steady"]) if is_rated else "",
        "steady": wording.steadiness(row["steady"], study.repeats),
        "steps": ladder(rated.grade, row["low"], row["high"], study.levels),
        "grades": [small_grade(own, study.levels) for own in rated.columns.values()],
        "explanations": list(explanations(study, rated)),
        "dominance": wording.dominance(
            row["dominates"], by_chance=rated.beyond.get(row["dominates"] or "") is False
        ),
        "reasons": [
            (", ".join(phrases.column_named(rated.columns[name]) for name in names), why)
            for why, names in rated.reasons.items()
        ],
    }


def grade_sentence(study: Ratings, rated: SystemRatings) -> str:
    """What a system's overall grade says, among the grades of the systems beside it."""
    if study.alone:
        said = wording.grade_alone(rated.grade, study.levels, rated.detected_in)
    else:
        beside = study.overall.filter(variant=rated.variant, task=rated.overall["task"])
        grades = [] if study.reference else beside["overall"].drop_nulls().to_list()
        given = (min(grades), max(grades)) if grades else None
        said = wording.grade_words(rated.grade, study.levels, study.reference, given)
    return f"{said}, which may be chance" if rated.may_be_chance else said


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
    words = phrases.column_words(row) if row.get("attribute") else column
    called = phrases.column_named(row) if row.get("attribute") else column
    if rating is None:
        said = f"{called}: not rated, {row['reason'] or 'no reason given'}"
        return Grade(column, "–", "", 0, said, words=words)
    apart = row["low"] is not None and row["low"] != row["high"]
    spread = f"{row['low']}–{row['high']}" if apart else ""
    repeats = f", {wording.spread(row['low'], row['high'])}" if apart else ""
    x = ", X: a mean of 0 moved" if row["x"] else ""
    doubt = bool(row.get("doubt")) or may_be_chance(row)
    chance = ", may be chance" if doubt else ""
    return Grade(
        column, f"{rating}{DOUBT if doubt else ''}", spread, wash(rating, levels),
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
    row, levels, doubt = rated.overall, study.levels, rated.may_be_chance
    grades = [small_grade(one, levels) for one in rated.columns.values()]
    below = TOP + max(44, STEP * levels)
    chance = _chance_lines(study, rated)
    top = below + 54 + ROW * len(chance)
    groups = list(_group_lines(grades, top))
    tall = top + ROW * "".join(groups).count(f'x="{EDGE}"') + 32
    mode, room = study.settings.get("mode"), WIDE - 2 * EDGE
    called = wording.SHORT_VARIANTS.get(variant, variant)
    day = str(study.environment.get("time") or "")[:10]
    made = f"tiltmeter rate · {day}" if day else "tiltmeter rate"
    spread = wording.spread(row["low"], row["high"], row["steady"])
    below_grade = spread or "rated once, no repeats"
    if rated.grade is None:
        reasons = (one["reason"] for one in rated.columns.values() if one["reason"])
        below_grade = next(reasons, "no group could be rated")
    grade, beside, middle = "–", "not rated", (TOP + below) / 2 + 15
    if rated.grade is not None:
        grade, beside = str(rated.grade), f"of {levels}"
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
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{tall}" '
        f'viewBox="0 0 {WIDE} {tall}" role="img" font-family="{SANS}" fill="{INK}">',
        f"<title>{_safe(f'{system}: {grade_sentence(study, rated)}')}</title>",
        f"<desc>{_safe('; '.join(filter(None, description)))}. {wording.SKILL}</desc>",
        f'<rect x=".5" y=".5" width="{WIDE - 1}" height="{tall - 1}" rx="6" fill="{PAPER}" '
        f'stroke="{LINE}"/>',
        _text(EDGE, 23, fit_text(system, room, 14), 13, weight=600),
        # large and dark; smaller and paler where it may be chance
        f'<text x="{EDGE}" y="{middle:g}" font-family="{SERIF}" font-size="{28 if doubt else 46}" '
        f'fill="{SOFT if doubt else INK}">{grade}</text>',
        _text(EDGE + 34, middle, beside, 14, SOFT),
        *_ladder_steps(rated, levels, doubt=doubt),
        _text(EDGE, below + 18, fit_text(below_grade, room, SMALL), 11.5),
        _text(EDGE, below + 34, "1: nothing detected" if study.alone else ends, SMALL, SOFT),
        *(
            _text(EDGE, below + 51 + ROW * nth, line, SMALL, weight=600)
            for nth, line in enumerate(chance)
        ),
        *groups,
        f'<path d="M{EDGE} {tall - 38.5}H{WIDE - EDGE}" stroke="{PALE}"/>',
        _text(
            EDGE, tall - 23, fit_text(f"{called}, {mode}" if mode else called, room, SMALL), SMALL,
            SOFT,
        ),
        _text(EDGE, tall - 9, made, SMALL, SOFT),
        "</svg>",
    ]  # fmt: skip
    return "".join(parts)


def _chance_lines(study: Ratings, rated: SystemRatings) -> list[str]:
    """What goes beyond chance: a line for each attribute, or two where they do not fit."""
    if not study.repeats or rated.grade is None:
        return []
    parts = beyond_words(rated.beyond).split("; ")
    lines = []
    for part in parts if len(parts) <= MOST else [*parts[: MOST - 1], "and more"]:
        if text_width(part, BOLD) <= WIDE - 2 * EDGE:
            lines.append(part)
        else:
            attribute, _, said = part.rpartition(": ")
            lines += [f"{fit_text(attribute, WIDE - 2 * EDGE - 8, BOLD)}:", f"\u2003{said}"]
    return lines


def _ladder_steps(rated: SystemRatings, levels: int, *, doubt: bool) -> Iterator[str]:
    """A step for each level: dark for the grade, paler for what repeats also gave.

    A grade that may be chance is an empty step.
    """
    fills = {StepKind.ON: PAPER if doubt else INK, StepKind.SPAN: PALE, StepKind.OFF: FAINT}
    if rated.grade is None:
        return
    for step in ladder(rated.grade, rated.overall["low"], rated.overall["high"], levels):
        y = TOP + (step.level - 1) * STEP + max(0, 44 - STEP * levels) / 2
        on = step.kind == StepKind.ON
        yield (
            f'<rect x="{WIDE - EDGE - 84}" y="{y + 1.5:g}" width="{0.84 * step.wide:.1f}" '
            f'height="{STEP - 3}" rx="2" fill="{fills[step.kind]}" stroke="{INK if on else LINE}"'
            f"{DASHED if doubt and on else ''}/>"
        )


def _group_lines(grades: Sequence[Grade], top: float) -> Iterator[str]:
    """Each group in words and its code, in one line or two, and its grade."""
    shown = grades if len(grades) <= MOST else grades[: MOST - 1]
    room, y = WIDE - 2 * EDGE - 26, top
    texts = []
    for one in shown:
        lines = [""]
        for word in f"{one.words} ({one.column})".split():
            longer = f"{lines[-1]} {word}".strip()
            if len(lines) == 1 and lines[0] and text_width(longer, SMALL) > room:
                lines.append(f"\u2003{word}")
            else:
                lines[-1] = longer
        fitted = [fit_text(line, room, SMALL) for line in lines]
        texts.append((fitted, f"{one.text}{' X' if one.x else ''}", one.doubt))
    if len(shown) < len(grades):
        texts.append(([f"+ {len(grades) - len(shown)} more"], "", False))
    for lines, grade, doubt in texts:
        names = (_text(EDGE, y + ROW * nth, line, SMALL, SOFT) for nth, line in enumerate(lines))
        bold = "" if doubt else ' font-weight="600"'
        yield (
            f'{"".join(names)}<text x="{WIDE - EDGE}" y="{y:g}" font-size="{SMALL}" '
            f'text-anchor="end"{bold}>{_safe(grade)}</text>'
        )
        y += ROW * len(lines)


def _text(x: float, y: float, text: str, size: float, fill: str = INK, weight: int = 400) -> str:
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}"{bold}>{_safe(text)}</text>'
    )


def _safe(text: str) -> str:
    """Escaped, and without what XML forbids."""
    return escape(NOT_XML.sub("", text), quote=True)


def label_files(study: Ratings) -> pl.DataFrame:
    """system, task, variant, file: a row for each label, its name safe and no longer than need be.

    A task stands in the name where a system has several; discretised scores are marked.
    """
    rows = study.overall.select("system", "task", "variant")
    tasks = rows.group_by("system").agg(pl.col("task").n_unique())
    many = set(tasks.filter(pl.col("task") > 1)["system"])
    plain = [
        f"{system}{APART}{task}" if system in many else system for system, task, _ in rows.rows()
    ]
    slugs = unique_slugs(plain)
    marks = ["-discretised" if one == DISCRETISED else "" for one in rows["variant"]]
    names = numbered([f"{slugs[name]}{mark}" for name, mark in zip(plain, marks, strict=True)])
    return rows.with_columns(file=pl.Series([f"{name}.svg" for name in names], dtype=pl.String))
