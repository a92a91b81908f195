"""Skill in words and pictures: sizes, what was detected, what is missing; skill against tilt."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from tiltmeter.ranking import coarsen
from tiltmeter.report.numbers import POINTS, fixed
from tiltmeter.report.scale import scale_for
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.strip import size_text
from tiltmeter.studies.paired.submissions import (
    ContrastPanel,
    ShownFinding,
    ShownSubmission,
    groups_of,
)
from tiltmeter.studies.paired.wording import SAID

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.studies.skill.run import Skill


Row = dict[str, Any]

NAMES = {"pearson": "Pearson", "spearman": "Spearman", "mae": "MAE", "mean_error": "error"}
IN_FULL = NAMES | {"mae": "mean absolute error", "mean_error": "mean error"}
MOST_PLACES = 5
OTHERS = "others"
"""What a group stands beside where there are more than two."""
ENOUGH = 20
"""Texts in either group below which nothing is called detected: a bootstrap of 3 texts misses 0
by chance in one of four, of 10 in one of twelve, where one of twenty is claimed."""


class ZeroInInterval(Enum):
    """How the interval of a difference stands to 0."""

    HOLDS = auto()
    FEW = auto()
    """It does not hold 0, and rests on too few texts to say."""
    ALONE = auto()
    """It does not hold 0, and is the only one."""
    UNCORRECTED = auto()
    """It cannot be corrected for the others."""
    ONCE = auto()
    """It holds 0 once corrected."""
    ALWAYS = auto()
    """It does not hold 0 even then."""


def numbers(row: Row) -> tuple[str, str, str]:
    """A number and the ends of its interval: points of 100 on a scale, real minus signs.

    >>> numbers({"value": -0.0612, "low": -0.1, "high": -0.0004, "unit": "scale"})
    ('−6.12', '−10.00', '−0.04')
    >>> numbers({"value": 0.5, "low": None, "high": None, "unit": "correlation"})
    ('0.50', '', '')
    """
    if row["value"] is None:
        return "–", "", ""
    times, places = (100.0, 1) if row["unit"] == "scale" else (1.0, 2)
    ends = [times * end for end in (row["low"], row["high"]) if end is not None]
    # An end that is not 0 should not look like it: that is what an interval is read for.
    while places < MOST_PLACES and any(end and not round(end, places) for end in ends):
        places += 1
    shown = [fixed(number, places) for number in (times * row["value"], *ends)]
    return (shown[0], shown[1], shown[2]) if ends else (shown[0], "", "")


def difference_sentences(part: pl.DataFrame, found: Skill) -> Iterator[str]:
    """What may be said of one system's differences: first where 0 is not held, then the rest."""
    held: dict[tuple[str, ...], list[Row]] = {}
    for _, rows in part.drop_nulls("against").group_by("group", "against", maintain_order=True):
        by_state: dict[ZeroInInterval, list[Row]] = {}
        for row in rows.drop_nulls("low").iter_rows(named=True):
            by_state.setdefault(_zero_in(row, found), []).append(row)
        quiet = by_state.pop(ZeroInInterval.HOLDS, [])
        if quiet:
            held.setdefault(tuple(IN_FULL[row["measure"]] for row in quiet), []).append(quiet[0])
        for state, alike in by_state.items():
            sizes = []  # without a sign: words say which way it goes
            for row in alike:
                size, _, _ = numbers(row | {"value": abs(row["value"])})
                unit = " points" if row["unit"] == "scale" else ""
                way = "higher" if row["value"] > 0 else "lower"
                sizes.append(f"{IN_FULL[row['measure']]} {size}{unit} {way}")
            yield f"{_beside(alike[:1])}: {listed(sizes)}; {_verdict(state, found, alike)}"
    for measures, groups in held.items():
        several = len(measures) * len(groups) > 1
        what = "the intervals hold 0" if several else "the interval holds 0"
        yield f"{_beside(groups)}: {listed(measures)}; {what}: no difference detected."


def _zero_in(row: Row, found: Skill) -> ZeroInInterval:
    if row["low"] <= 0 <= row["high"]:
        return ZeroInInterval.HOLDS
    if min(row["n"], row["n_against"]) < ENOUGH:
        return ZeroInInterval.FEW
    if found.family == 1:
        return ZeroInInterval.ALONE
    if row["low_adjusted"] is None:
        return ZeroInInterval.UNCORRECTED
    once = row["low_adjusted"] <= 0 <= row["high_adjusted"]
    return ZeroInInterval.ONCE if once else ZeroInInterval.ALWAYS


def _verdict(state: ZeroInInterval, found: Skill, rows: Sequence[Row]) -> str:
    """What follows for differences whose intervals do not hold 0."""
    does, are = ("the interval does", "is") if len(rows) == 1 else ("the intervals do", "are")
    holds = "the interval holds" if len(rows) == 1 else "the intervals hold"
    few = min(min(row["n"], row["n_against"]) for row in rows)
    many = f"corrected for {found.family:,} differences"
    need = f"--resamples {found.how.resamples_for(found.family)} would allow it"
    return {
        ZeroInInterval.FEW: f"{does} not hold 0, but {few} texts are too few to call it detected.",
        ZeroInInterval.ALONE: f"{does} not hold 0: difference detected.",
        ZeroInInterval.UNCORRECTED: f"{does} not hold 0, but {are} not {many}; {need}.",
        ZeroInInterval.ONCE: f"{holds} 0 once {many}: no difference detected.",
        ZeroInInterval.ALWAYS: f"{does} not hold 0, also {many}: difference detected.",
    }[state]


def _beside(rows: Sequence[Row]) -> str:
    other = rows[0]["against"]
    named = f"the {OTHERS}" if other == OTHERS else str(other)
    return f"{listed([row['group'] for row in rows])} beside {named}"


def listed(names: Sequence[str]) -> str:
    """Names in a row.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def notes(found: Skill) -> Iterator[tuple[str, str]]:
    """Why numbers are missing, once for all measures it holds for, then what else is worth it."""
    seen = set()
    for frame, where in ((found.overall, ()), (found.groups, ("group",))):
        named = ("system", *where, "reason")
        for keys, rows in frame.drop_nulls("reason").group_by(*named, maintain_order=True):
            *whom, reason = (str(key) for key in keys)
            if (whom[0], reason) in seen:
                continue
            seen.add((whom[0], reason))
            measures = rows["measure"].unique(maintain_order=True).to_list()
            about = "no skill"
            if len(measures) < len(NAMES):
                visible = [name for name in measures if found.by or name != "mean_error"]
                about = listed([NAMES[name] for name in visible or measures])
            yield ", ".join(whom), f"{about}: {reason}"
    yield from found.notes


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
                points, others = (_points(some, corpus, task, panel) for some in (of, field))
                if points:
                    title = material.compared[corpus].title if len(by_corpus) > 1 else ""
                    yield _picture(panel, task if len(tasks) > 1 else "", title, points, others)


def _points(
    submissions: Sequence[ShownSubmission], corpus: int, task: str, panel: ContrastPanel
) -> list[Point]:
    """Skill, difference in points, and whose they are."""
    return [
        (one.skill, finding.value * POINTS, one, finding)
        for one in submissions
        if (one.corpus, one.task, one.unit) == (corpus, task, "scale")
        and (finding := one.told.get(panel.key)) is not None
        and finding.value is not None
        and one.skill is not None
    ]


def _picture(
    panel: ContrastPanel, task: str, corpus: str, points: list[Point], others: list[Point]
) -> SkillScatter:
    skills = [skill for skill, *_ in (*points, *others)]
    scale = scale_for((size for _, size, *_ in (*points, *others)), ())
    # Round ends around all skills, and the ticks between them.
    width = max(skills) - min(skills)
    step = next((one for one in STEPS if width / one <= 5), STEPS[-1])
    first = math.floor(min(skills) / step)
    last = max(math.ceil(max(skills) / step), first + 1)
    low, high = first * step, last * step

    def across(skill: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * (skill - low) / (high - low), 2)

    def down(size: float) -> float:
        return round(100 - scale.at(size), 2)

    dots = [
        Dot(
            across(skill), down(size), finding.significance, one.system, one.anchor,
            skill=fixed(skill, 2),
            size=size_text(finding)[0],
            higher=panel.towards(size > 0) if size else "",
            said=SAID[finding.significance],
        )
        for skill, size, one, finding in points
    ]  # fmt: skip
    summary = ""
    if len(points) >= FEWEST and not others:
        best_first = sorted(points, key=lambda point: -coarsen(point[0]))
        half = len(best_first) // 2
        better, rest = (
            sum(finding.detected for *_, finding in some)
            for some in (best_first[:half], best_first[-half:])
        )
        summary = (
            f"Of the {half:,} most skilled systems {better:,} {'shows' if better == 1 else 'show'} "
            f"a detected difference between sentences {panel.about_first} and "
            f"{panel.about_second}, of the {half:,} least skilled {rest:,}."
        )
    return SkillScatter(
        panel, task, corpus,
        x_ticks=tuple((across(n * step), fixed(n * step, 2)) for n in range(first, last + 1)),
        y_ticks=tuple((round(100 - at, 2), text) for at, text in scale.ticks),
        dots=tuple(dots),
        field=tuple(sorted((across(skill), down(size)) for skill, size, *_ in others)),
        summary=summary,
    )  # fmt: skip
