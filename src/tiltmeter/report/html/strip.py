"""The tilt strip: a row per submission, a dot with its interval in a panel per contrast."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tiltmeter.report.html.scale import HALF, Scale, scale_for
from tiltmeter.report.html.submissions import Panel, Submission, Told
from tiltmeter.report.numbers import DASH, POINTS, count, fixed, short
from tiltmeter.report.wording import SAID, told_from_above

EDGE = 50.0 / HALF
"""How far past its limit a scale still has room to draw."""
GOLDEN = 0.6180339887
"""Spreads the anonymous dots up and down, the same way every time."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One finding as a picture and in words; no x where there is nothing to draw."""

    kind: str
    """up, down, none or not_estimable."""
    side: str
    """Which side of zero: up, down or nothing."""
    x: float | None
    low: float | None
    high: float | None
    beyond: str
    """left, right or both where the interval goes on past the edge."""
    band: tuple[float, float] | None
    """Where the margin begins, and how wide it is."""
    number: str
    unit: str
    spread: str
    higher: str
    said: str
    field: tuple[tuple[float, float], ...] = ()
    """Where the other systems' dots stand, across and down, where they stay unnamed."""
    rests: str = ""
    """The one name or pair that most of a detected difference comes from."""


@dataclass(frozen=True, slots=True)
class Row:
    """One submission in the strip."""

    submission: Submission
    cells: tuple[Cell, ...]
    skill: str


@dataclass(frozen=True, slots=True)
class Block:
    """The submissions of one corpus that share a scale."""

    corpus: int
    native: bool
    panels: tuple[Panel, ...]
    scale: Scale
    rows: tuple[Row, ...]


def blocks(
    of: Sequence[Submission],
    by_corpus: Sequence[tuple[Panel, ...]],
    field: Sequence[Submission] = (),
) -> tuple[Block, ...]:
    """The strip's blocks: one per corpus, and one more for systems in units of their own.

    All that is in points shares one scale, whatever the corpus.
    """
    found = []
    scales = {unit: _scale((*of, *field), unit) for unit in ("scale", "native")}
    for corpus, panels in enumerate(by_corpus):
        for unit, scale in scales.items():
            mine, others = (
                [one for one in some if (one.corpus, one.unit) == (corpus, unit)]
                for some in (of, field)
            )
            if mine:
                rows = _rows(mine, panels, scale, others)
                found.append(Block(corpus, unit == "native", panels, scale, rows))
    return tuple(found)


def _scale(of: Sequence[Submission], unit: str) -> Scale:
    told = (some for one in of if one.unit == unit for some in one.told.values())
    numbers = list(filter(None, map(_numbers, told)))
    return scale_for(
        (value for value, _, _ in numbers), (end for _, *ends in numbers for end in ends)
    )


def _rows(
    mine: Sequence[Submission],
    panels: Sequence[Panel],
    scale: Scale,
    others: Sequence[Submission],
) -> tuple[Row, ...]:
    """The largest differences first."""
    ordered = sorted(mine, key=lambda one: (-_largest(one), one.system, one.task))
    return tuple(
        Row(one, tuple(_cell(one, panel, scale, others) for panel in panels), _skill(one))
        for one in ordered
    )


def _numbers(told: Told) -> tuple[float, float, float] | None:
    """Value, low and high in the strip's unit: points, or standard deviations of own scores."""
    if told.unit == "native":
        return told.in_sd
    if told.value is None or told.low is None or told.high is None:
        return None
    return told.value * POINTS, told.low * POINTS, told.high * POINTS


def _largest(one: Submission) -> float:
    sizes = [abs(numbers[0]) for told in one.told.values() if (numbers := _numbers(told))]
    return max(sizes, default=-1.0)


def _cell(one: Submission, panel: Panel, scale: Scale, others: Sequence[Submission]) -> Cell:
    told = one.told.get((panel.axis, panel.contrast))
    drawn = _numbers(told) if told else None
    if told is None or told.value is None or told.low is None:
        why = _why(told) if told else ""
        kind = "not_estimable"
        return Cell(kind, "", None, None, None, "", None, DASH, "", why, "", SAID[kind])
    side = "up" if told.value > 0 else "down" if told.value < 0 else ""
    number, unit, spread = told_size(told)
    x, low, high = (scale.at(part) for part in drawn) if drawn else (None, None, None)
    edge = scale.limit * EDGE
    ends = (drawn[1] < -edge, drawn[2] > edge) if drawn else (False, False)
    beyond = {(True, True): "both", (True, False): "left", (False, True): "right"}.get(ends, "")
    return Cell(
        kind=told.significance, side=side, x=x, low=low, high=high, beyond=beyond,
        band=_band(told, scale), number=number, unit=unit, spread=spread,
        higher=f"higher {panel.higher(told.value > 0)}" if told.value else "",
        said=SAID[told.significance],
        field=tuple(_field(one, panel, scale, others)),
        rests=told.rests if told.detected else "",
    )  # fmt: skip


def _why(told: Told) -> str:
    """Why there is no number."""
    has = "has" if told.n == 1 else "have"
    return f"{told.n:,} of {count(told.n + told.n_dropped, 'pair')} {has} both scores"


def told_size(told: Told) -> tuple[str, str, str]:
    """How much, in which unit, and the interval told from the side that is scored higher."""
    if told.value is None or told.low is None or told.high is None:
        return DASH, "", ""
    unit = "own units" if told.unit == "native" else "points"
    if not told.value and not told.se:
        return "0", unit, "in every pair"
    if not all(map(math.isfinite, (told.low, told.high))):
        return short(abs(told.value)), "", ""
    size, start, end = told_from_above(told.value, told.low, told.high, told.unit)
    return size, unit if size != "1" else unit.removesuffix("s"), f"{start} to {end}"


def _band(told: Told, scale: Scale) -> tuple[float, float] | None:
    if told.margin is None or told.unit == "native":
        return None
    start, end = scale.at(-told.margin * POINTS), scale.at(told.margin * POINTS)
    return start, round(end - start, 2)


def _field(
    one: Submission, panel: Panel, scale: Scale, others: Iterable[Submission]
) -> Iterator[tuple[float, float]]:
    """The other systems' dots, in an order that tells nothing."""
    values = sorted(
        numbers[0]
        for other in others
        if other.task == one.task
        and (told := other.told.get((panel.axis, panel.contrast)))
        and (numbers := _numbers(told))
    )
    for nth, value in enumerate(values):
        yield scale.at(value), round(18 + 64 * ((nth * GOLDEN) % 1), 1)


def _skill(one: Submission) -> str:
    return DASH if one.skill is None else fixed(one.skill, 2)
