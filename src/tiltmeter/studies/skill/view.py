"""Skill in words and pictures: sizes, what was detected, what is missing; skill against tilt."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

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
        alike: dict[ZeroInInterval, list[Row]] = {}
        for row in rows.drop_nulls("low").iter_rows(named=True):
            alike.setdefault(_zero_in(row, found), []).append(row)
        quiet = alike.pop(ZeroInInterval.HOLDS, [])
        if quiet:
            held.setdefault(tuple(IN_FULL[row["measure"]] for row in quiet), []).append(quiet[0])
        for state, some in alike.items():
            sizes = listed([_size(row) for row in some])
            yield f"{_beside(some[:1])}: {sizes}; {_verdict(state, found, some)}"
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


def _size(row: Row) -> str:
    """One difference in words: its size without a sign, and which way it goes."""
    size, _, _ = numbers(row | {"value": abs(row["value"])})
    unit = " points" if row["unit"] == "scale" else ""
    return f"{IN_FULL[row['measure']]} {size}{unit} {'higher' if row['value'] > 0 else 'lower'}"


def listed(names: Sequence[str]) -> str:
    """Names in a row.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def notes(found: Skill) -> Iterator[tuple[str, str]]:
    """Why numbers are missing, once for all measures it holds for, then what else is worth it."""
    told = set()
    for frame, where in ((found.overall, ()), (found.groups, ("group",))):
        named = ("system", *where, "reason")
        for keys, rows in frame.drop_nulls("reason").group_by(*named, maintain_order=True):
            *whom, reason = (str(key) for key in keys)
            if (whom[0], reason) not in told:
                told.add((whom[0], reason))
                yield ", ".join(whom), f"{_measures(rows, found.by is not None)}{reason}"
    yield from found.notes


def _measures(rows: pl.DataFrame, grouped: bool) -> str:
    """The measures a reason is about, of those shown; none where it is about all."""
    found = rows["measure"].unique(maintain_order=True).to_list()
    if len(found) == len(NAMES):
        return "no skill: "
    shown = [name for name in found if grouped or name != "mean_error"] or found
    return f"{listed([NAMES[name] for name in shown])}: "


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
