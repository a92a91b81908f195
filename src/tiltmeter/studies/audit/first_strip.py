"""The small strip of an audit's first screen: claims with a chip each, in as many rows as fit.

Of several systems a row each and a panel for each axis and kind of people; of one system a row for
each comparison. What leads comes first (`ScreenClaim.leads`); the full strip is folded below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from markupsafe import Markup

from tiltmeter.ranking import coarsen
from tiltmeter.report import svg
from tiltmeter.report.first_screen import Chip, ChipShape
from tiltmeter.report.forest import (
    GOLDEN,
    Forest,
    ForestCell,
    ForestPanel,
    ForestRow,
    around_zero,
)
from tiltmeter.report.numbers import POINTS, SCALE, count
from tiltmeter.report.page import NOTHING, trusted
from tiltmeter.schemas import Significance, Verdict
from tiltmeter.studies.paired.page_data import pooled_people
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons
from tiltmeter.studies.paired.strip import StripBlock, StripRow, size_text
from tiltmeter.studies.paired.submissions import (
    UNTESTED,
    ContrastPanel,
    ShownFinding,
    ShownSubmission,
    counted,
)
from tiltmeter.studies.paired.verdict_wording import NAMES
from tiltmeter.studies.paired.wording import amount

PANELS = 3
"""Comparisons of the strip side by side."""
ROWS = 7
"""Rows of the strip that a screen has the height for."""
ELSEWHERE = 3
"""Other corpora or axes that have a chip."""
FAR = 16
"""Letters of a phrase that an end of the strip has room for."""
MORE = 3
"""Words that say how many rows there are below."""
WORD = re.compile(r"\S*\w\S*")

SHAPES: dict[str, tuple[ChipShape, str]] = {
    Verdict.TILTED: (ChipShape.TILTED, "tilted"),
    Verdict.UNDECIDED: (ChipShape.UNDECIDED, "undecided"),
    Verdict.EVEN: (ChipShape.EVEN, "even"),
    Verdict.NO_SIGNAL: (ChipShape.NO_SIGNAL, "no signal"),
    Verdict.NOT_ESTIMABLE: (ChipShape.NO_SIGNAL, "not estimable"),
    Significance.UP: (ChipShape.TILTED, "detected"),
    Significance.DOWN: (ChipShape.TILTED, "detected"),
    Significance.NONE: (ChipShape.UNDECIDED, "none detected"),
    UNTESTED: (ChipShape.NO_SIGNAL, "not tested"),
}
"""Every state of a claim, as a chip; those that lead an answer first."""
LEADING = list(SHAPES)


@dataclass(frozen=True, slots=True)
class ScreenClaim:
    """One submission's claim on one contrast."""

    one: ShownSubmission
    panel: ContrastPanel
    finding: ShownFinding

    @property
    def state(self) -> str:
        """Its verdict; of pairs, what the test found."""
        tilt = self.finding.tilt
        return self.finding.significance if tilt is None else tilt.verdict

    @property
    def leads(self) -> tuple[int, bool, float]:
        """Orders by what is said first: the state, then the size; own units come last."""
        size = coarsen(abs(self.finding.value or 0.0))
        return LEADING.index(self.state), self.one.unit == "native", -size

    @property
    def chip(self) -> Chip:
        """Its state in a word, linked to why."""
        shape, word = SHAPES[self.state]
        href = "#like-these" if self.finding.tilt else "#words"
        return Chip(shape, "", word, href)

    @property
    def size(self) -> str:
        """How much, and who is higher: `5.2 points of 100 higher about women`."""
        value = self.finding.value
        if value is None:
            return ""
        much = amount(size_text(self.finding)[0], self.finding.unit)
        return f"{much} {self.panel.towards(value > 0)}" if value else "a mean difference of 0"


def claims_of(
    of: Sequence[ShownSubmission], shown: Sequence[Sequence[ContrastPanel]]
) -> list[ScreenClaim]:
    """Every claim of the systems that count, what leads first."""
    found = [
        ScreenClaim(one, panel, one.told[panel.key])
        for one in counted(of)
        for panel in shown[one.corpus]
        if panel.key in one.told
    ]
    return sorted(found, key=lambda claim: claim.leads)


def many_words(text: str | Markup) -> int:
    """How many words of a text, or of a page's markup, have a letter or a digit.

    >>> many_words("▲ 5.2 tilted"), many_words(Markup("<b>two</b><i>words</i>"))
    (2, 2)
    """
    if isinstance(text, Markup):
        text = Markup(str(text).replace("<", " <")).striptags()  # noqa: S704 - counted, not shown
    return len(WORD.findall(text))


def fitted(forest: Forest, room: int) -> Forest:
    """A strip with as many rows as so many words leave room for, at least one."""
    for panel in forest.panels:
        room -= many_words(f"{panel.title} {' '.join(panel.ends)} {panel.unit}")
    room -= many_words(forest.first)
    if len(forest.panels) == 1 and (scale := forest.panels[0].scale):
        room -= len(scale.ticks())  # several panels have no room for them
    rows, left = 0, len(forest.rows)
    for row in forest.rows:
        room -= many_words(row.label) + many_words(row.tag)
        for cell in row.cells:
            room -= sum(map(many_words, (cell.number, *cell.says, *(cell.ends or ()))))
        left -= 1
        if room < MORE * (left > 0):
            break
        rows += 1
    return replace(forest, rows=forest.rows[: max(1, rows)])


@dataclass(frozen=True, slots=True)
class SmallStrip:
    """The strip of the first screen, and what it leaves out."""

    forest: Forest
    claims: tuple[ScreenClaim, ...]
    """Those whose comparison is a panel or a row of it."""
    hidden: int = 0
    """Rows that it has no height for."""
    called: str = "comparison"
    """What a row is."""


def strip_of_many(
    audit: AuditResults,
    claims: Sequence[ScreenClaim],
    first: ScreenClaim,
    blocks: Sequence[StripBlock],
) -> SmallStrip:
    """A row for each system, what leads first; a panel for each axis and kind of people."""
    native = first.one.unit == "native"
    here = [
        one
        for one in claims
        if one.one.corpus == first.one.corpus and (one.one.unit == "native") == native
    ]
    other_unit = {
        one.one.nth
        for one in claims
        if one.one.corpus == first.one.corpus and (one.one.unit == "native") != native
    }
    block = next(
        one for one in blocks
        if (one.corpus, one.native) == (first.one.corpus, native)
        and (one.panels[0].average if first.panel.average else first.panel in one.panels)
    )  # fmt: skip
    by_nth: dict[int, list[ScreenClaim]] = {}
    for claim in here:
        by_nth.setdefault(claim.one.nth, []).append(claim)
    if first.panel.average:
        panels, rows = block.panels, _average_rows(block, here)
    else:
        panels = tuple(_panels(block, here))
        places = [block.panels.index(panel) for panel in panels]
        of_row = {row.submission.nth: row for row in block.rows}
        rows = [
            (of_row[nth], tuple(of_row[nth].cells[at] for at in places), panels)
            for nth in by_nth if nth in of_row
        ]  # fmt: skip
    several_tasks = len({claim.one.task for claim in here}) > 1
    heads = tuple(
        ForestPanel(_title(panel, panels), block.scale, _ends(panel), "") for panel in panels
    )
    made = tuple(
        ForestRow(
            _row_label(row), tuple(
                _small(cell, row.submission, panel) for cell, panel in zip(cells, of, strict=True)
            ),
            tag=row.submission.task if several_tasks else "",
            href=f"#{row.submission.anchor}", link={"open": row.submission.anchor},
            data={"i": row.submission.nth},
        )
        for row, cells, of in rows[:ROWS]
    )  # fmt: skip
    shown = {panel.key for panel in panels} if not first.panel.average else {
        one.panel.key for one in here if one.panel.average and one.panel.axis == first.panel.axis
    }  # fmt: skip
    return SmallStrip(
        Forest("first-strip", "Verdicts of each system", heads, made,
               _people_said(audit, first), kind="small"),
        tuple(one for one in here if one.panel.key in shown),
        len(rows) - len(made) + len(other_unit),
        "row" if first.panel.average else "submission" if several_tasks else "system",
    )  # fmt: skip


Rows = list[tuple[StripRow, tuple[ForestCell, ...], tuple[ContrastPanel, ...]]]


def _average_rows(block: StripBlock, claims: Sequence[ScreenClaim]) -> Rows:
    """Groups beside the average of all, what leads first."""
    order = {(claim.one.nth, claim.panel.key): at for at, claim in enumerate(claims)}
    known = [
        (order[row.submission.nth, row.panel.key], row, row.panel)
        for row in block.rows
        if row.panel and (row.submission.nth, row.panel.key) in order
    ]
    known.sort(key=lambda one: one[0])
    return [(row, row.cells, (panel,)) for _, row, panel in known]


def _panels(block: StripBlock, claims: Sequence[ScreenClaim]) -> Iterator[ContrastPanel]:
    """Of each axis and kind of people the contrast that leads, in the corpus' order."""
    best: dict[tuple[str, str], ContrastPanel] = {}
    for claim in claims:
        if not claim.panel.average:
            best.setdefault((claim.panel.axis, claim.panel.people), claim.panel)
    kept = list(best.values())[:PANELS]
    yield from (panel for panel in block.panels if panel in kept)


def _title(panel: ContrastPanel, panels: Sequence[ContrastPanel]) -> str:
    return f"{panel.axis}{panel.by}" if len(panels) > 1 or panel.by else panel.axis


def _ends(panel: ContrastPanel) -> tuple[str, str]:
    """Both ends in two words: `women higher`; the group's own name where a phrase is long."""
    if panel.average:
        return "lower", "higher"
    abouts = panel.about_second, panel.about_first
    if all(about.startswith("about ") and len(about) <= FAR for about in abouts):
        return f"{abouts[0][6:]} higher", f"{abouts[1][6:]} higher"
    return f"{panel.second} higher", f"{panel.first} higher"


def _row_label(row: StripRow) -> str | Markup:
    if row.panel is None:
        return row.submission.system
    return Markup('<bdi class="group">{}</bdi> {}').format(row.panel.first, row.submission.system)


def _small(cell: ForestCell, one: ShownSubmission, panel: ContrastPanel) -> ForestCell:
    """A cell of the strip with its number and its verdict alone."""
    finding = one.told.get(panel.key)
    if finding is None:
        return replace(cell, spread="", unit="", says=())
    chip = ScreenClaim(one, panel, finding).chip.html()
    number = cell.number.replace("less than ", "<")
    return replace(cell, number=number, spread="", unit="", says=(chip,), crowd=())


def strip_of_one(
    audit: AuditResults,
    claims: Sequence[ScreenClaim],
    first: ScreenClaim,
    blocks: Sequence[StripBlock],
) -> SmallStrip:
    """A row for each comparison of one system, what leads first."""
    cells: dict[tuple[int, tuple[str, str, str]], tuple[StripBlock, ForestCell]] = {}
    for block in blocks:
        for row in block.rows:
            for panel, cell in zip((row.panel,) if row.panel else block.panels, row.cells,
                                   strict=True):  # fmt: skip
                cells[row.submission.nth, panel.key] = block, cell
    several = {
        name: len({getattr(claim.one, name) for claim in claims}) > 1 for name in ("corpus", "task")
    }
    native = first.one.unit == "native"
    known = [claim for claim in claims
             if (claim.one.nth, claim.panel.key) in cells
             and (claim.one.unit == "native") == native]  # fmt: skip
    rows = []
    for claim in known[:ROWS]:
        block, cell = cells[claim.one.nth, claim.panel.key]
        ends = claim.panel.end(False), claim.panel.end(True)
        cell = replace(_small(cell, claim.one, claim.panel), ends=ends)
        tags = (claim.one.task * several["task"],
                audit.compared[claim.one.corpus].name * several["corpus"])  # fmt: skip
        groups = ""
        if sum(one.panel.axis == claim.panel.axis and one.panel.people == claim.panel.people
               and one.one.nth == claim.one.nth for one in known) > 1:  # fmt: skip
            groups = f": {claim.panel.first} and {claim.panel.second}"
        label = f"{claim.panel.axis}{groups}{claim.panel.by}"
        rows.append(ForestRow(label, (cell,), tag=", ".join(filter(None, tags)), href="#strip"))
    block, _ = cells[known[0].one.nth, known[0].panel.key]
    unit = "standard deviations" if native else "points of 100"
    return SmallStrip(
        Forest("first-strip", f"Verdicts of {first.one.system}",
               (ForestPanel("", block.scale, ("", ""), unit),), tuple(rows),
               "" if several["corpus"] else _people_said(audit, first), kind="small"),
        tuple(known),
        len(known) - len(rows),
    )  # fmt: skip


def _people_said(audit: AuditResults, first: ScreenClaim) -> str:
    """Which people and sentences the strip is of."""
    compared = audit.compared[first.one.corpus]
    population = audit.run.populations.get(compared.name)
    if population is None:
        return compared.name
    drawn = sum(one.drawn for one in population.cells)
    if population.census:
        return f"{compared.name}: all {drawn:,} names"
    return f"{compared.name}: {drawn:,} of {population.names:,} names"


def elsewhere_chips(
    audit: AuditResults,
    of: Sequence[ShownSubmission],
    claims: Sequence[ScreenClaim],
    first: ScreenClaim,
) -> Iterator[Markup]:
    """What the strip leaves out: of each corpus and axis what leads, and who gives no signal."""
    groups: dict[str, list[ScreenClaim]] = {}
    for claim in claims:
        if claim.one.corpus != first.one.corpus:
            groups.setdefault(audit.compared[claim.one.corpus].name, []).append(claim)
        elif claim.one.unit == first.one.unit:
            groups.setdefault(f"{claim.panel.axis}, other groups", []).append(claim)
    for label, found in list(groups.items())[:ELSEWHERE]:
        shape, word = SHAPES[found[0].state]
        many = count(sum(one.state == found[0].state for one in found), "comparison")
        yield Chip(shape, f"{label}:", f"{many} {word}", "#strip").html()
    rest = sum(len(found) for found in list(groups.values())[ELSEWHERE:])
    if rest:
        yield Chip(ChipShape.NO_SIGNAL, "", f"{rest:,} more comparisons", "#strip").html()
    among = {one.system for one in counted(of)}
    silent = {one.system for one in of if one.no_signal and not one.control} - among
    if silent:
        whose = min(silent) if len(silent) == 1 else f"{len(silent):,} systems"
        yield Chip(ChipShape.NO_SIGNAL, f"{whose}:", "no signal", "#strip").html()


FEW = 60
"""People of a group who are drawn in a line; more are spread up and down."""
DOTS = 300
"""People that the small plot draws; of more, every second, third … by size."""


def people_dots(compared: CorpusComparisons, first: ScreenClaim) -> Markup:
    """Each name of both groups as a dot: how far its sentences are from the average of all names.

    A lane a group; the band is the margin. Nothing for couples, or where nobody is compared.
    """
    people, panel = compared.by_person.people, first.panel
    if panel.people != NAMES or panel.axis not in people.columns or not first.finding.tilt:
        return NOTHING
    times = POINTS if first.one.unit == SCALE else 1.0
    apart = pl.DataFrame({
        "group": people[panel.axis],
        "apart": compared.by_person.deviations[first.one.row] * times,
    }).filter(pooled_people(people), pl.col("apart").is_not_nan())  # fmt: skip
    lanes = [
        (group, apart.filter(group=group)["apart"].sort().to_numpy())
        for group in (panel.first, panel.second)
    ]
    margin = first.finding.tilt.margin * times
    reach = max(float(np.abs(lane).max(initial=margin)) for _, lane in lanes)
    scale = around_zero([reach * 1.02])
    left, right = scale.at(-margin), scale.at(margin)
    parts = [
        svg.rect(f"{left:g}%", "0", f"{right - left:g}%", "100%", "band"),
        svg.line(f"{scale.at(0):g}%", "0", f"{scale.at(0):g}%", "100%", "zero"),
    ]
    for (_, lane), y, kind in zip(lanes, (16, 40), ("up", "down"), strict=True):
        step = -(-len(lane) // DOTS)
        shown = {*range(0, len(lane), step or 1), len(lane) - 1} if len(lane) else set()
        spread = 0 if len(shown) <= FEW else 16
        parts += [
            svg.shape("circle", f"{scale.at(lane[at]):g}%",
                      y + spread * (nth * GOLDEN % 1 - 0.5), 2.5, f"mark {kind}")
            for nth, at in enumerate(sorted(shown))
        ]  # fmt: skip
    words = "; ".join(f"{group}: {len(lane):,} names" for group, lane in lanes)
    return Markup(
        '<div class="people-dots"><span>{}</span><span>{}</span>'
        '<svg class="drawn" role="img" aria-label="{}">{}</svg></div>'
    ).format(panel.first, panel.second, words, trusted("".join(parts)))
