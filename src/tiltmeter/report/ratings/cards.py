"""A label for each system: the grade, its spread, the grades by group, what drove them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tiltmeter.report.ratings import phrases, wording
from tiltmeter.report.ratings.beyond import DOUBT, beyond_words, may_be_chance
from tiltmeter.report.ratings.driving import Evidence, drivers
from tiltmeter.report.ratings.material import RatingMaterial
from tiltmeter.report.ratings.rated import Rated, Row, Subject

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
class Side:
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
class Card:
    """A system's label."""

    nth: int
    system: str
    task: str
    sides: tuple[Side, ...]


def cards(material: RatingMaterial, found: Evidence, of: Sequence[Subject]) -> Iterator[Card]:
    """A label for each system."""
    for one in of:
        sides = (_side(material, found, one, rated) for rated in one.variants.values())
        yield Card(one.nth, one.system, one.task, tuple(sides))


def _side(material: RatingMaterial, found: Evidence, subject: Subject, rated: Rated) -> Side:
    row = rated.overall
    return Side(
        variant=rated.variant,
        called=wording.SHORT_VARIANTS.get(rated.variant, rated.variant),
        grade=rated.grade,
        wash=wash(rated.grade or 1, material.levels),
        levels=material.levels,
        words=words_of(material, rated),
        chance=beyond_words(rated.beyond) if material.repeats and rated.grade else "",
        doubt=rated.may_be_chance,
        spread=_spread(row) if rated.grade is not None else "",
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


def words_of(material: RatingMaterial, rated: Rated) -> str:
    """What a system's overall grade says."""
    if is_alone(material):
        said = wording.grade_alone(rated.grade, material.levels, rated.shown_in)
    else:
        given = None if material.reference else _given(material, rated)
        said = wording.grade_words(rated.grade, material.levels, material.reference, given)
    return f"{said}, which may be chance" if rated.may_be_chance else said


def _given(material: RatingMaterial, rated: Rated) -> tuple[int, int] | None:
    """The best and the worst overall grade of the systems beside it; None where none has one."""
    same = material.overall.filter(variant=rated.variant, task=rated.overall["task"])["overall"]
    grades = same.drop_nulls().to_list()
    return (min(grades), max(grades)) if grades else None


def _spread(row: Row) -> str:
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
