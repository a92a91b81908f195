"""Skill against tilt: a picture for each task and contrast where gold scores exist."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tiltmeter.report.numbers import POINTS, fixed
from tiltmeter.report.scale import SymmetricScale, scale_for
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.strip import size_text
from tiltmeter.studies.paired.submissions import (
    ContrastPanel,
    ShownFinding,
    ShownSubmission,
    groups_of,
)
from tiltmeter.studies.paired.wording import SAID

STEPS = (0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
LEFT, RIGHT = 6.0, 97.0
"""Per cent of the width that the skills lie between."""
FEWEST = 8
"""Systems below which halves are not worth comparing."""
Point = tuple[float, float, ShownSubmission, ShownFinding]


@dataclass(frozen=True, slots=True)
class Dot:
    """One submission in the picture, in per cent across and down."""

    x: float
    y: float
    kind: str
    system: str
    anchor: str
    skill: str
    size: str
    higher: str
    said: str


@dataclass(frozen=True, slots=True)
class SkillScatter:
    """Skill across, difference up and down, for one task and contrast."""

    panel: ContrastPanel
    task: str
    corpus: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    dots: tuple[Dot, ...]
    field: tuple[tuple[float, float], ...]
    """The other systems where they stay unnamed."""
    summary: str


def pictures(
    material: AuditResults,
    of: Sequence[ShownSubmission],
    by_corpus: Sequence[tuple[ContrastPanel, ...]],
    field: Sequence[ShownSubmission] = (),
) -> Iterator[SkillScatter]:
    """Every picture there is something to draw in; none of groups beside the average of all."""
    tasks = list(dict.fromkeys(one.task for one in of))
    for corpus, panels in enumerate(by_corpus):
        for task in tasks:
            for panel in groups_of(panels)[0]:
                mine, others = (_points(some, corpus, task, panel) for some in (of, field))
                if mine:
                    title = material.compared[corpus].title if len(by_corpus) > 1 else ""
                    yield _picture(panel, task if len(tasks) > 1 else "", title, mine, others)


def _points(
    of: Sequence[ShownSubmission], corpus: int, task: str, panel: ContrastPanel
) -> list[Point]:
    """Skill, difference in points, and whose they are."""
    found = []
    for one in of:
        told = one.told.get(panel.key)
        if (one.corpus, one.task, one.unit) != (corpus, task, "scale"):
            continue
        if told is not None and told.value is not None and one.skill is not None:
            found.append((one.skill, told.value * POINTS, one, told))
    return found


def _picture(
    panel: ContrastPanel, task: str, corpus: str, mine: list[Point], others: list[Point]
) -> SkillScatter:
    every = [*mine, *others]
    low, high, ticks = _ends([skill for skill, *_ in every])
    scale = scale_for((size for _, size, *_ in every), ())

    def across(skill: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * (skill - low) / (high - low), 2)

    return SkillScatter(
        panel, task, corpus,
        x_ticks=tuple((across(tick), fixed(tick, 2)) for tick in ticks),
        y_ticks=tuple((round(100 - at, 2), text) for at, text in scale.ticks),
        dots=tuple(
            _dot(across(skill), size, one, told, panel, scale) for skill, size, one, told in mine
        ),
        field=tuple(sorted((across(skill), _down(scale, size)) for skill, size, *_ in others)),
        summary=_summary(panel, mine) if not others else "",
    )  # fmt: skip


def _down(scale: SymmetricScale, size: float) -> float:
    """Where a difference stands, in per cent from the top."""
    return round(100 - scale.at(size), 2)


def _dot(
    x: float,
    size: float,
    one: ShownSubmission,
    told: ShownFinding,
    panel: ContrastPanel,
    scale: SymmetricScale,
) -> Dot:
    value = told.value or 0.0
    return Dot(
        x, _down(scale, size), told.significance, one.system, one.anchor,
        skill=fixed(one.skill or 0.0, 2),
        size=size_text(told)[0],
        higher=panel.towards(value > 0) if value else "",
        said=SAID[told.significance],
    )  # fmt: skip


def _ends(skills: Sequence[float]) -> tuple[float, float, list[float]]:
    """Round ends around all skills, and the ticks between them."""
    low, high = min(skills), max(skills)
    step = next((one for one in STEPS if (high - low) / one <= 5), STEPS[-1])
    first, last = math.floor(low / step), math.ceil(high / step)
    last = max(last, first + 1)
    return first * step, last * step, [nth * step for nth in range(first, last + 1)]


def _summary(panel: ContrastPanel, mine: Sequence[Point]) -> str:
    """What the picture shows, in a sentence: the better half against the other."""
    if len(mine) < FEWEST:
        return ""
    ordered = sorted(mine, key=lambda point: -point[0])
    half = len(ordered) // 2
    better, other = ordered[:half], ordered[-half:]
    detected, rest = (sum(told.detected for *_, told in some) for some in (better, other))
    return (
        f"Of the {half:,} most skilled systems {detected:,} {'shows' if detected == 1 else 'show'} "
        f"a detected difference between sentences {panel.about_first} and {panel.about_second}, "
        f"of the {half:,} least skilled {rest:,}."
    )
