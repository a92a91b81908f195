"""The tilt strip: a row per submission, a dot with its interval in a panel per contrast."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tiltmeter.report.numbers import DASH, POINTS, count, fixed, short
from tiltmeter.report.scale import HALF, SymmetricScale, scale_for
from tiltmeter.schemas import Significance, Verdict
from tiltmeter.studies.paired.submissions import (
    ContrastPanel,
    ShownFinding,
    ShownSubmission,
    beside_average,
    groups_of,
)
from tiltmeter.studies.paired.verdict_wording import SAID_OF, margin_text, moved_brief
from tiltmeter.studies.paired.wording import SAID, interval_towards_higher

EDGE = 50.0 / HALF
"""How far past its limit a scale still has room to draw."""
EXACT = "exact, everybody met"
"""In place of an interval where nothing is left to chance."""
GOLDEN = 0.6180339887
"""Spreads the anonymous dots up and down, the same way every time."""


@dataclass(frozen=True, slots=True)
class StripCell:
    """One finding as a picture and in words; no x where there is nothing to draw."""

    kind: str
    """up, down, none, untested or not_estimable."""
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
    moved: str = ""
    """How many people are moved by more than the margin."""
    verdict: str = ""
    """tilted, even, undecided, no_signal or not_estimable; nothing where none was asked for."""


@dataclass(frozen=True, slots=True)
class StripRow:
    """One submission in the strip."""

    submission: ShownSubmission
    cells: tuple[StripCell, ...]
    skill: str
    panel: ContrastPanel | None = None
    """Where it is of one group beside the average of all: which."""
    place: int = 0
    """That contrast's place among those of its corpus."""


@dataclass(frozen=True, slots=True)
class StripBlock:
    """The submissions of one corpus that share a scale."""

    corpus: int
    native: bool
    panels: tuple[ContrastPanel, ...]
    scale: SymmetricScale
    rows: tuple[StripRow, ...]

    @property
    def titles(self) -> tuple[str, ...]:
        """What each panel is called: its axis, and its groups where an axis has several."""
        many = Counter((panel.axis, panel.people) for panel in self.panels)
        return tuple(
            f"{one.axis}{f': {one.first} and {one.second}' if several else ''}{one.by}"
            for one in self.panels
            for several in [many[one.axis, one.people] > 1]
        )

    def name_title(self, *, alone: bool, many_tasks: bool) -> str:
        """What the column of names is called."""
        average = "Group" if alone else "Group and system"
        title = average if self.panels and self.panels[0].average else "System"
        return f"{title} and task" if many_tasks else title


def blocks(
    of: Sequence[ShownSubmission],
    by_corpus: Sequence[tuple[ContrastPanel, ...]],
    field: Sequence[ShownSubmission] = (),
) -> tuple[StripBlock, ...]:
    """The strip's blocks: one per corpus, and one more for systems in units of their own.

    All that is in points shares one scale, whatever the corpus. The groups of an axis that are
    compared with the average of all have a block of their own, a row each.
    """
    found = []
    scales = {unit: _scale((*of, *field), unit) for unit in ("scale", "native")}
    for corpus, panels in enumerate(by_corpus):
        for unit, scale in scales.items():
            mine, others = (
                [one for one in some if (one.corpus, one.unit) == (corpus, unit)]
                for some in (of, field)
            )
            pairs, axes = groups_of(panels)
            if mine and (pairs or not axes):
                rows = _rows(mine, pairs, scale, others)
                found.append(StripBlock(corpus, unit == "native", pairs, scale, rows))
            for every in axes if mine else ():
                groups = _groups(mine, every, panels, scale, others)
                whole = (beside_average(every),)
                found.append(StripBlock(corpus, unit == "native", whole, scale, groups))
    return tuple(found)


def _scale(of: Sequence[ShownSubmission], unit: str) -> SymmetricScale:
    told = (some for one in of if one.unit == unit for some in one.told.values())
    numbers = [one for some in told if (one := _numbers(some))]
    return scale_for(
        (value for value, _, _ in numbers), (end for one in numbers for end in one[1:])
    )


def _rows(
    mine: Sequence[ShownSubmission],
    panels: Sequence[ContrastPanel],
    scale: SymmetricScale,
    others: Sequence[ShownSubmission],
) -> tuple[StripRow, ...]:
    """The largest differences first."""
    ordered = sorted(mine, key=lambda one: (-_largest(one), one.system, one.task))
    return tuple(
        StripRow(one, tuple(_cell(one, panel, scale, others) for panel in panels), _skill(one))
        for one in ordered
    )


def _groups(
    mine: Sequence[ShownSubmission],
    every: Sequence[ContrastPanel],
    panels: Sequence[ContrastPanel],
    scale: SymmetricScale,
    others: Sequence[ShownSubmission],
) -> tuple[StripRow, ...]:
    """A row for each group of an axis and submission, the largest differences first."""
    rows = [
        StripRow(one, (_cell(one, panel, scale, others),), _skill(one), panel, panels.index(panel))
        for panel in every
        for one in mine
    ]
    return tuple(sorted(rows, key=_group_order))


def _group_order(row: StripRow) -> tuple[float, str, str, str]:
    panel, one = row.panel, row.submission
    told = one.told.get(panel.key) if panel else None
    numbers = _numbers(told) if told else None
    size = abs(numbers[0]) if numbers else -1.0
    return -size, panel.first if panel else "", one.system, one.task


def _numbers(told: ShownFinding) -> tuple[float, float, float] | None:
    """Value, low and high in the strip's unit: points, or standard deviations of own scores."""
    if told.unit == "native":
        return told.in_sd
    if told.value is None or told.low is None or told.high is None:
        return None
    return told.value * POINTS, told.low * POINTS, told.high * POINTS


def _largest(one: ShownSubmission) -> float:
    sizes = [abs(numbers[0]) for told in one.told.values() if (numbers := _numbers(told))]
    return max(sizes, default=-1.0)


def _cell(
    one: ShownSubmission,
    panel: ContrastPanel,
    scale: SymmetricScale,
    others: Sequence[ShownSubmission],
) -> StripCell:
    told = one.told.get(panel.key)
    drawn = _numbers(told) if told else None
    if told is None or told.value is None or told.low is None:
        why = _why(told) if told else ""
        kind = Significance.NOT_ESTIMABLE
        said = _said(told) if told and told.tilt else SAID[kind]
        return StripCell(kind, "", None, None, None, "", None, DASH, "", why, "", said)
    side = "up" if told.value > 0 else "down" if told.value < 0 else ""
    number, unit, spread = size_text(told)
    x, low, high = (scale.at(part) for part in drawn) if drawn else (None, None, None)
    edge = scale.limit * EDGE
    furthest = (drawn or (0.0, 0.0, 0.0))[1:]
    ends = furthest[0] < -edge, furthest[1] > edge
    beyond = {(True, True): "both", (True, False): "left", (False, True): "right"}.get(ends, "")
    return StripCell(
        kind=told.significance, side=side, x=x, low=low, high=high, beyond=beyond,
        band=_band(told, scale), number=number, unit=unit, spread=spread,
        higher=panel.towards(told.value > 0) if told.value else "",
        said=_said(told),
        moved=moved_brief(told.moved),
        verdict=told.tilt.verdict if told.tilt else "",
        field=tuple(_field(one, panel, scale, others)),
        rests=told.rests if told.detected else "",
    )  # fmt: skip


def _said(told: ShownFinding) -> str:
    """The verdict in words where there is one, else what the test of these sentences found."""
    if told.tilt is None or told.unit == "native":
        return SAID[told.significance]
    if told.tilt.verdict == Verdict.EVEN:
        return f"even within {margin_text(told.tilt.margin).removesuffix(' of 100')}"
    return SAID_OF[told.tilt.verdict]


def _why(told: ShownFinding) -> str:
    """Why there is no number."""
    if told.tilt is not None:
        return ""
    has = "has" if told.n == 1 else "have"
    return f"{told.n:,} of {count(told.n + told.n_dropped, 'pair')} {has} both scores"


def size_text(told: ShownFinding) -> tuple[str, str, str]:
    """How much, in which unit, and the interval told from the side that is scored higher.

    Of a claim it is the interval that decides; in words where everybody was met.
    """
    if told.value is None or told.low is None or told.high is None:
        return DASH, "", ""
    unit = "own units" if told.unit == "native" else "points"
    if not told.value and not told.se:
        return "0", unit, EXACT if told.tilt else "in every pair"
    if not all(map(math.isfinite, (told.low, told.high))):
        return short(abs(told.value)), "", ""
    size, start, end = interval_towards_higher(told.value, told.low, told.high, told.unit)
    size = size if told.value else "0"
    if told.tilt and not told.se:
        return size, unit if size != "1" else unit.removesuffix("s"), EXACT
    return size, unit if size != "1" else unit.removesuffix("s"), f"{start} to {end}"


def _band(told: ShownFinding, scale: SymmetricScale) -> tuple[float, float] | None:
    if told.tilt is None or told.unit == "native":
        return None
    margin = told.tilt.margin * POINTS
    start, end = scale.at(-margin), scale.at(margin)
    return start, round(end - start, 2)


def _field(
    one: ShownSubmission,
    panel: ContrastPanel,
    scale: SymmetricScale,
    others: Iterable[ShownSubmission],
) -> Iterator[tuple[float, float]]:
    """The other systems' dots, in an order that tells nothing."""
    values = sorted(
        numbers[0]
        for other in others
        if other.task == one.task
        and (told := other.told.get(panel.key))
        and (numbers := _numbers(told))
    )
    for nth, value in enumerate(values):
        yield scale.at(value), round(18 + 64 * ((nth * GOLDEN) % 1), 1)


def _skill(one: ShownSubmission) -> str:
    return DASH if one.skill is None else fixed(one.skill, 2)
