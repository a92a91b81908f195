"""A label for each system: on the page, and as a badge for a README or a model card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import polars as pl

from tiltmeter.report import phrases
from tiltmeter.report.phrases import numbered, unique_slugs
from tiltmeter.report.picture import NOT_XML, fitting, text_width
from tiltmeter.studies.rating import wording
from tiltmeter.studies.rating.answer import RatingEvidence, drivers
from tiltmeter.studies.rating.material import (
    DISCRETISED,
    RatingMaterial,
    Row,
    Subject,
    SystemRatings,
    rated_of,
    run_facts,
)
from tiltmeter.studies.rating.wording import DOUBT, beyond_words, may_be_chance

# ---- a label for each system: the grade, its spread, the grades by group, what drove them


WASHES = 4
"""How many shades above none a grade may have."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a ladder: `on` is the grade, `span` what repeats also gave."""

    level: int
    y: int
    wide: float
    kind: str


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
class LabelVariant:
    """One variant of a label."""

    variant: str
    called: str
    grade: int | None
    wash: int
    levels: int
    words: str
    chance: str
    """What goes beyond chance, and what does not."""
    doubt: bool
    """Whether nothing behind a grade above 1 does."""
    spread: str
    steady: str
    steps: tuple[Step, ...]
    grades: tuple[Grade, ...]
    drivers: tuple[str, ...]
    dominance: str
    reasons: tuple[tuple[str, str], ...]
    """Columns that are not rated, and why."""


@dataclass(frozen=True, slots=True)
class RatingCard:
    """A system's label."""

    nth: int
    system: str
    task: str
    sides: tuple[LabelVariant, ...]


def cards(
    material: RatingMaterial, found: RatingEvidence, of: Sequence[Subject]
) -> Iterator[RatingCard]:
    """A label for each system."""
    for one in of:
        sides = (_side(material, found, one, rated) for rated in one.variants.values())
        yield RatingCard(one.nth, one.system, one.task, tuple(sides))


def _side(
    material: RatingMaterial, found: RatingEvidence, subject: Subject, rated: SystemRatings
) -> LabelVariant:
    row = rated.overall
    return LabelVariant(
        variant=rated.variant,
        called=wording.SHORT_VARIANTS.get(rated.variant, rated.variant),
        grade=rated.grade,
        wash=wash(rated.grade or 1, material.levels),
        levels=material.levels,
        words=words_of(material, rated),
        chance=beyond_words(rated.beyond) if material.repeats and rated.grade else "",
        doubt=rated.may_be_chance,
        spread=_cards_spread(row) if rated.grade is not None else "",
        steady=wording.steadiness(row["steady"], material.repeats),
        steps=ladder(rated.grade, row["low"], row["high"], material.levels),
        grades=tuple(small_grade(row, material.levels) for row in rated.columns.values()),
        drivers=tuple(drivers(found, subject, rated)),
        dominance=wording.dominance(
            row["dominates"], by_chance=rated.beyond.get(row["dominates"] or "") is False
        ),
        reasons=tuple(
            (", ".join(phrases.column_named(rated.columns[name]) for name in names), why)
            for why, names in rated.reasons.items()
        ),
    )


def words_of(material: RatingMaterial, rated: SystemRatings) -> str:
    """What a system's overall grade says."""
    if is_alone(material):
        said = wording.grade_alone(rated.grade, material.levels, rated.shown_in)
    else:
        given = None if material.reference else _given(material, rated)
        said = wording.grade_words(rated.grade, material.levels, material.reference, given)
    return f"{said}, which may be chance" if rated.may_be_chance else said


def _given(material: RatingMaterial, rated: SystemRatings) -> tuple[int, int] | None:
    """The best and the worst overall grade of the systems beside it; None where none has one."""
    same = material.overall.filter(variant=rated.variant, task=rated.overall["task"])["overall"]
    grades = same.drop_nulls().to_list()
    return (min(grades), max(grades)) if grades else None


def _cards_spread(row: Row) -> str:
    return wording.spread(row["low"], row["high"], row["steady"])


def is_alone(material: RatingMaterial) -> bool:
    """Whether one system was rated by itself, with no panel beside it."""
    return material.overall.select("system", "task").n_unique() == 1 and not material.reference


def worst_given(material: RatingMaterial) -> int:
    """The worst rating that can be given: no more than there are systems of a task, X aside."""
    if material.reference or material.raw["x"].any():
        return material.levels
    sizes = material.overall.group_by("task", "variant").len()["len"].to_list()
    return min(material.levels, max(sizes, default=1))


def ladder(grade: int | None, low: int | None, high: int | None, levels: int) -> tuple[Step, ...]:
    """The steps from 1 to the number of levels, each longer than the one before."""
    spanned = range(low or 0, (high or -1) + 1)
    return tuple(
        Step(
            level,
            (level - 1) * 18,
            34 + 66 * (level - 1) / max(levels - 1, 1),
            "on" if level == grade else "span" if level in spanned else "off",
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
    told = f", {wording.spread(row['low'], row['high'])}" if apart else ""
    x = ", X: a mean of 0 moved" if row["x"] else ""
    doubt = bool(row.get("doubt")) or may_be_chance(row)
    chance = ", may be chance" if doubt else ""
    return Grade(
        column, f"{rating}{DOUBT if doubt else ''}", spread, wash(rating, levels),
        f"{called}: {rating} of {levels}{x}{chance}{told}", row["x"], words, doubt,
    )  # fmt: skip


def wash(rating: int, levels: int) -> int:
    """How dark a grade is shown: 0 for 1, the darkest for the last level.

    >>> [wash(rating, 3) for rating in (1, 2, 3)], wash(2, 2), wash(5, 9)
    ([0, 2, 4], 4, 2)
    """
    return round(WASHES * (rating - 1) / max(levels - 1, 1))


# ---- a system's rating as a badge for a README or a model card: one SVG, 200 pixels wide
# It carries its own paper, so that it reads on light and dark pages; no font, link or script.

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


def label_svg(material: RatingMaterial, system: str, task: str, variant: str) -> str:
    """The badge of one system in one variant."""
    own = (pl.col("system") == system) & (pl.col("task") == task) & (pl.col("variant") == variant)
    row = material.overall.row(by_predicate=own, named=True)
    columns = material.raw.filter(own).rows(named=True)
    grades = [small_grade(one, material.levels) for one in columns]
    rated = rated_of(variant, row, columns, material.repeats)
    below = TOP + max(44, STEP * material.levels)
    chance = _chance(material, rated)
    top = below + 54 + ROW * len(chance)
    groups = list(_groups(grades, top))
    tall = top + ROW * "".join(groups).count(f'x="{EDGE}"') + 32
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{tall}" '
        f'viewBox="0 0 {WIDE} {tall}" role="img" font-family="{SANS}" fill="{INK}">',
        f"<title>{_safe(f'{system}: {words_of(material, rated)}')}</title>",
        f"<desc>{_safe(_description(material, rated, grades))}</desc>",
        f'<rect x=".5" y=".5" width="{WIDE - 1}" height="{tall - 1}" rx="6" fill="{PAPER}" '
        f'stroke="{LINE}"/>',
        _text(EDGE, 23, fitting(system, WIDE - 2 * EDGE, 14), 13, weight=600),
        *_grade(row, material.levels, (TOP + below) / 2 + 15, rated.may_be_chance),
        *_ladder(row, material.levels, rated.may_be_chance),
        _text(EDGE, below + 18, fitting(_label_spread(row, columns), WIDE - 2 * EDGE, SMALL), 11.5),
        _text(EDGE, below + 34, _means(material, task), SMALL, SOFT),
        *(
            _text(EDGE, below + 51 + ROW * nth, line, SMALL, weight=600)
            for nth, line in enumerate(chance)
        ),
        *groups,
        f'<path d="M{EDGE} {tall - 38.5}H{WIDE - EDGE}" stroke="{PALE}"/>',
        _text(EDGE, tall - 23, _scores(material, variant), SMALL, SOFT),
        _text(EDGE, tall - 9, _made(material), SMALL, SOFT),
        "</svg>",
    ]
    return "".join(parts)


def _chance(material: RatingMaterial, rated: SystemRatings) -> list[str]:
    """What goes beyond chance, a line for each attribute."""
    if not material.repeats or rated.grade is None:
        return []
    parts = beyond_words(rated.beyond).split("; ")
    shown = parts if len(parts) <= MOST else [*parts[: MOST - 1], "and more"]
    return [line for part in shown for line in _wrapped(part)]


def _wrapped(part: str) -> list[str]:
    """An attribute and what is said of it: in a line, or in two where they do not fit."""
    if text_width(part, BOLD) <= WIDE - 2 * EDGE:
        return [part]
    attribute, _, said = part.rpartition(": ")
    return [f"{fitting(attribute, WIDE - 2 * EDGE - 8, BOLD)}:", f"\u2003{said}"]


def _grade(row: Row, levels: int, y: float, doubt: bool) -> Iterator[str]:
    """The grade, large and dark; smaller and paler where it may be chance."""
    rated = row["overall"] is not None
    grade, beside = (str(row["overall"]), f"of {levels}") if rated else ("–", "not rated")
    yield (
        f'<text x="{EDGE}" y="{y:g}" font-family="{SERIF}" font-size="{28 if doubt else 46}" '
        f'fill="{SOFT if doubt else INK}">{grade}</text>'
        f'<text x="{EDGE + 34}" y="{y:g}" font-size="14" fill="{SOFT}">{beside}</text>'
    )


def _ladder(row: Row, levels: int, doubt: bool) -> Iterator[str]:
    """A step for each level: dark for the grade, paler for what repeats also gave.

    A grade that may be chance is an empty step.
    """
    fills = {"on": PAPER if doubt else INK, "span": PALE, "off": FAINT}
    if row["overall"] is None:
        return
    for step in ladder(row["overall"], row["low"], row["high"], levels):
        y = TOP + (step.level - 1) * STEP + max(0, 44 - STEP * levels) / 2
        yield (
            f'<rect x="{WIDE - EDGE - 84}" y="{y + 1.5:g}" width="{0.84 * step.wide:.1f}" '
            f'height="{STEP - 3}" rx="2" fill="{fills[step.kind]}" '
            f'stroke="{INK if step.kind == "on" else LINE}"'
            f"{DASHED if doubt and step.kind == 'on' else ''}/>"
        )


def _groups(grades: Sequence[Grade], top: float) -> Iterator[str]:
    shown = list(grades) if len(grades) <= MOST else list(grades[: MOST - 1])
    texts = [(_called(one), f"{one.text}{' X' if one.x else ''}", one.doubt) for one in shown]
    if len(shown) < len(grades):
        texts.append(([f"+ {len(grades) - len(shown)} more"], "", False))
    y = top
    for lines, grade, doubt in texts:
        bold = "" if doubt else ' font-weight="600"'
        names = (
            f'<text x="{EDGE}" y="{y + ROW * nth:g}" font-size="{SMALL}" fill="{SOFT}">'
            f"{_safe(line)}</text>"
            for nth, line in enumerate(lines)
        )
        yield (
            f'{"".join(names)}<text x="{WIDE - EDGE}" y="{y:g}" font-size="{SMALL}" '
            f'text-anchor="end"{bold}>{_safe(grade)}</text>'
        )
        y += ROW * len(lines)


def _called(one: Grade) -> list[str]:
    """A column in words and its code, in one line or two."""
    room = WIDE - 2 * EDGE - 26
    lines = [""]
    for word in f"{one.words} ({one.column})".split():
        longer = f"{lines[-1]} {word}".strip()
        if len(lines) == 1 and lines[0] and text_width(longer, SMALL) > room:
            lines.append(f"\u2003{word}")
        else:
            lines[-1] = longer
    return [fitting(line, room, SMALL) for line in lines]


def _label_spread(row: Row, columns: Sequence[Row]) -> str:
    if row["overall"] is None:
        reasons = (one["reason"] for one in columns if one["reason"])
        return next(reasons, "no group could be rated")
    told_ = wording.spread(row["low"], row["high"], row["steady"])
    return told_ or "rated once, no repeats"


def _means(material: RatingMaterial, task: str) -> str:
    """What grades stand for: a number alone does not say which end is which, nor among whom."""
    if is_alone(material):
        return "1: nothing detected"
    many = material.overall.filter(task=task)["system"].n_unique()
    among = "its panel" if material.reference else f"{many} systems"
    return f"1 least tilt, {worst_given(material)} most of {among}"


def _scores(material: RatingMaterial, variant: str) -> str:
    mode = str(run_facts(material).get("mode") or "")
    called = wording.SHORT_VARIANTS.get(variant, variant)
    return fitting(f"{called}, {mode}" if mode else called, WIDE - 2 * EDGE, SMALL)


def _made(material: RatingMaterial) -> str:
    day = str(material.environment.get("time") or "")[:10]
    return f"tiltmeter rate · {day}" if day else "tiltmeter rate"


def _description(material: RatingMaterial, rated: SystemRatings, grades: Sequence[Grade]) -> str:
    """Everything the badge shows, and what it does not say, in words."""
    variant, row = rated.variant, rated.overall
    told_ = [
        wording.VARIANTS.get(variant, variant),
        *_chance(material, rated),
        wording.spread(row["low"], row["high"], row["steady"]),
        wording.steadiness(row["steady"], material.repeats),
        *(one.said for one in grades),
        f"mode {run_facts(material).get('mode', 'not said')}",
        _made(material),
    ]
    return f"{'; '.join(part for part in told_ if part)}. {wording.SKILL}"


def _text(x: float, y: float, text: str, size: float, fill: str = INK, weight: int = 400) -> str:
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}"{bold}>{_safe(text)}</text>'
    )


def _safe(text: str) -> str:
    """Escaped, and without what XML forbids."""
    return escape(NOT_XML.sub("", text), quote=True)


# ---- which label is in which file: a name that is safe, and no longer than it must be


APART = "\x1f"
"""Between a system and its task, in a name that no file bears."""


def label_files(material: RatingMaterial) -> pl.DataFrame:
    """system, task, variant, file: a row for each label.

    A task stands in the name where a system has several; discretised scores are marked.
    """
    rows = material.overall.select("system", "task", "variant")
    tasks = rows.group_by("system").agg(pl.col("task").n_unique())
    many = set(tasks.filter(pl.col("task") > 1)["system"])
    plain = [
        f"{system}{APART}{task}" if system in many else system for system, task, _ in rows.rows()
    ]
    slugs = unique_slugs(plain)
    marks = ["-discretised" if one == DISCRETISED else "" for one in rows["variant"]]
    names = numbered([f"{slugs[name]}{mark}" for name, mark in zip(plain, marks, strict=True)])
    return rows.with_columns(file=pl.Series([f"{name}.svg" for name in names], dtype=pl.String))
