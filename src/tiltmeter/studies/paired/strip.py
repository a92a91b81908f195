"""The tilt strip: a row per submission, a dot with its interval in a panel per contrast."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from markupsafe import Markup

from tiltmeter.ranking import coarsen
from tiltmeter.report.forest import (
    Forest,
    ForestCell,
    ForestPanel,
    ForestRow,
    ForestScale,
    Mark,
    Side,
    around_zero,
)
from tiltmeter.report.numbers import DASH, POINTS, count, fixed, short
from tiltmeter.schemas import Significance, Verdict
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons
from tiltmeter.studies.paired.submissions import (
    ContrastPanel,
    ShownFinding,
    ShownSubmission,
    beside_average,
    groups_of,
)
from tiltmeter.studies.paired.verdict_wording import SAID_OF, margin_text, moved_brief
from tiltmeter.studies.paired.wording import SAID, interval_towards_higher

EXACT = "exact, everybody met"
"""In place of an interval where nothing is left to chance."""


@dataclass(frozen=True, slots=True)
class StripRow:
    """One submission in the strip."""

    submission: ShownSubmission
    cells: tuple[ForestCell, ...]
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
    scale: ForestScale
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

    def forest(self, name: str, audit: AuditResults, *, alone: bool, many_tasks: bool) -> Forest:
        """The block as a page shows it; a row opens its system, unless it stands `alone`."""
        compared = audit.compared[self.corpus]
        unit = "standard deviations" if self.native else "points of 100"
        panels = tuple(
            ForestPanel(title, self.scale, (panel.end(False), panel.end(True)), unit)
            for panel, title in zip(self.panels, self.titles, strict=True)
        )
        skilled = audit.skill is not None
        rows = []
        for row in self.rows:
            one, group = row.submission, row.panel.first if row.panel else ""
            label = Markup('<span class="group" dir="auto">{}</span>').format(group)
            label += "" if alone else Markup(" {}").format(one.system)
            rank = Markup(" <span>rank {}</span>").format(one.places.said) if one.places else ""
            skill = Markup('<span class="vh">skill </span>{}{}').format(
                DASH if one.skill is None else fixed(one.skill, 2), rank
            )
            rows.append(
                ForestRow(
                    label if group else one.system,
                    row.cells,
                    _remarks(one, compared.size),
                    one.task if many_tasks else "",
                    "" if alone else f"#{one.anchor}",
                    {} if alone else {"open": one.anchor},
                    (skill,) if skilled else (),
                    {"i": one.nth} | ({"p": row.place} if group else {}),
                )
            )
        return Forest(
            name,
            f"Mean difference of each system, {compared.title}{', own units' * self.native}",
            panels,
            tuple(rows),
            self.name_title(alone=alone, many_tasks=many_tasks),
            (Markup('<a href="#g-skill">Skill</a>'),) if skilled else (),
            kind="strip",
        )


def _remarks(one: ShownSubmission, size: int) -> Markup:
    """What stands under a system's name: why it counts apart, and what it left unanswered."""
    remarks = list[str]()
    if one.control:
        remarks.append(Markup('<a href="#g-control">control</a>'))
    elif one.no_signal:
        remarks.append(Markup('<a href="#g-no-signal">no signal</a>'))
    if one.missing:
        remarks.append(f"{missing(one.missing, size)} without a score")
    return Markup("<br>").join(remarks)


def missing(many: int, size: int) -> str:
    """How many sentences have no score.

    >>> missing(0, 8640), missing(3456, 8640), missing(1, 8640)
    ('none', '3,456 of 8,640 sentences (40 %)', '1 of 8,640 sentences (less than 1 %)')
    """
    if not many:
        return "none"
    share = f"{100 * many / size:.0f} %" if size else "–"
    if many < size:
        share = {"0 %": "less than 1 %", "100 %": "more than 99 %"}.get(share, share)
    return f"{many:,} of {count(size, 'sentence')} ({share})"


def strip_blocks(
    audit: AuditResults,
    of: Sequence[ShownSubmission],
    by_corpus: Sequence[tuple[ContrastPanel, ...]],
    others: Sequence[ShownSubmission] = (),
) -> tuple[StripBlock, ...]:
    """The strip's blocks: one per corpus, and one more for systems in units of their own.

    All that is in points shares one scale, whatever the corpus. The groups of an axis that are
    compared with the average of all have a block of their own, a row each. The largest differences
    come first. `others` are systems that stay unnamed.
    """
    found = []
    scales = dict[str, ForestScale]()
    for unit in ("scale", "native"):
        findings = (one for each in (*of, *others) if each.unit == unit
                    for one in each.told.values())  # fmt: skip
        numbers = [drawn for one in findings if (drawn := _numbers(one))]
        scales[unit] = around_zero(
            [value for value, _, _ in numbers], [end for one in numbers for end in one[1:]]
        )
    for corpus, panels in enumerate(by_corpus):
        compared = audit.compared[corpus]
        for unit, scale in scales.items():
            here, beside = (
                [one for one in some if (one.corpus, one.unit) == (corpus, unit)]
                for some in (of, others)
            )
            if not here:
                continue
            pairs, axes = groups_of(panels)
            if pairs or not axes:
                rows = [
                    StripRow(one, tuple(_cell(one, panel, beside, compared) for panel in pairs))
                    for one in here
                ]
                rows.sort(key=lambda row: (
                    -_largest(row.submission.told.values()), row.submission.system,
                    row.submission.task,
                ))  # fmt: skip
                found.append(StripBlock(corpus, unit == "native", pairs, scale, tuple(rows)))
            for every in axes:
                rows = [
                    StripRow(one, (_cell(one, panel, beside, compared),), panel,
                             panels.index(panel))
                    for panel in every
                    for one in here
                ]  # fmt: skip
                rows.sort(key=_group_order)
                average = (beside_average(every),)
                found.append(StripBlock(corpus, unit == "native", average, scale, tuple(rows)))
    return tuple(found)


def _group_order(row: StripRow) -> tuple[float, str, str, str]:
    panel, one = row.panel, row.submission
    finding = one.told.get(panel.key) if panel else None
    size = _largest([finding] if finding else [])
    return -size, panel.first if panel else "", one.system, one.task


def _largest(findings: Iterable[ShownFinding]) -> float:
    """The largest size among findings, as systems are ranked by it; −1 of none."""
    sizes = (abs(numbers[0]) for one in findings if (numbers := _numbers(one)))
    return coarsen(max(sizes, default=-1.0))


def _numbers(told: ShownFinding) -> tuple[float, float, float] | None:
    """Value, low and high in the strip's unit: points, or standard deviations of own scores."""
    if told.unit == "native":
        return told.in_sd
    if told.value is None or told.low is None or told.high is None:
        return None
    return told.value * POINTS, told.low * POINTS, told.high * POINTS


def _cell(
    one: ShownSubmission,
    panel: ContrastPanel,
    others: Sequence[ShownSubmission],
    compared: CorpusComparisons,
) -> ForestCell:
    """One finding as a picture and in words; no mark where there is nothing to draw."""
    told = one.told.get(panel.key)
    if told is None or told.value is None or told.low is None:
        why = ""
        if told and told.tilt is None:
            has = "has" if told.n == 1 else "have"
            why = f"{told.n:,} of {count(told.n + told.n_dropped, 'pair')} {has} both scores"
        verdict = _verdict(told) if told and told.tilt else SAID[Significance.NOT_ESTIMABLE]
        return ForestCell(number=DASH, spread=why, says=(verdict,))
    side: Side = "up" if told.value > 0 else "down" if told.value < 0 else ""
    number, unit, spread = size_text(told)
    drawn = _numbers(told)
    says: list[str] = [_verdict(told)]
    if moved := moved_brief(told.moved):
        says.append(f"{moved} moved")
    if told.rests and told.detected:
        says.append(Markup("most of it from “{}”").format(person_link(compared, told.rests)))
    if others and (place := one.by_size.get(panel.key)):
        says.append(f"{place.said} by size")
    margin = told.tilt.margin * POINTS if told.tilt and told.unit != "native" else None
    findings = (
        other.told[panel.key]
        for other in others
        if other.task == one.task and panel.key in other.told
    )
    return ForestCell(
        (Mark(*drawn, side if told.detected else ""),) if drawn else (),
        number,
        unit if told.value else "",
        panel.towards(told.value > 0) if told.value else "",
        spread,
        tuple(says),
        side,
        None if margin is None else (-margin, margin),
        crowd=tuple(numbers[0] for each in findings if (numbers := _numbers(each))),
    )


def person_link(compared: CorpusComparisons, person: str) -> Markup:
    """A person's name, which opens their view on an audit's page; a couple's has none."""
    name = Markup('<bdi lang="{}">{}</bdi>').format(compared.corpus.language, person)
    if not (compared.by_person.people["person"] == person).any():
        return name
    address = "/".join(quote(part, safe="") for part in (compared.name, person))
    return Markup('<a href="#person/{}">{}</a>').format(address, name)


def _verdict(told: ShownFinding) -> str:
    """The verdict in words where there is one, else what the test of these sentences found."""
    if told.tilt is None or told.unit == "native":
        return SAID[told.significance]
    if told.tilt.verdict == Verdict.EVEN:
        return f"even within {margin_text(told.tilt.margin).removesuffix(' of 100')}"
    return SAID_OF[told.tilt.verdict]


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
