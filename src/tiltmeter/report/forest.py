"""One plot of estimates with their intervals: a row each, a dot on a scale, numbers beside it.

Every such figure of a page is a `Forest`: the tilt strip, coefficients of a regression, RNSB and
WEAT, two versions, a mitigation before and after. A study makes it of values in the unit that is
shown, and of words that are formatted already:

    scale = around_zero([value…], [low, high, …])           # symmetric, zero in the middle
    scale = from_zero([value, high…])                       # from 0 to a round number
    scale = ForestScale(-2, 2)                              # or said outright

    Forest(
        "tilt", "Mean difference of each system",            # an id, and what screen readers hear
        (ForestPanel("gender", scale, ("higher for men", "higher for women"), "points of 100"),),
        (
            ForestRow("vader", (                              # a cell for each panel
                ForestCell(
                    (Mark(0.7, 0.4, 1.1, "up"),),             # up, down: detected, so in colour
                    side="up",                                # which end the value lies towards
                    number="0.7", unit="points", meaning="higher for women",
                    spread="0.4 to 1.1", says=("difference detected",),
                    band=(-1.0, 1.0),                         # the margin; or what chance gives
                ),
            ), href="#vader", tag="anger"),
        ),
        first="System",
    )

    forest.html()      rows for a page; placed by SVG's own per cent, since the page allows no style
    forest.svg()       a picture for figures/
    forest.summary()   everything it shows, in words

What a cell may draw besides: `behind`, the same estimate with other errors; `references`, upright
lines (a published value, the mean by chance); several `marks`, each at its own `level` or with its
own `shape`, `joined` by a line (before and after); `crowd`, dots of others who stay unnamed. A mark
may have words of its own (`name`, `number`, `meaning`, `spread`), which then stand under each
other; `lean` is the side of a mark that has no colour. A cell whose ends or scale are not its
panel's has its own. Nothing to draw: a cell without marks, whose `number` is a dash and whose
`says` tells why.

`layout="below"` puts the words under the dots, for narrow panels; `svg(across=3)` does so in a
file; `most=30` folds the rest of the rows away. `columns` and a row's `facts` are columns of text
between name and dots. `data` becomes data-… attributes, a row's `link` those of its link, for the
page's script. Labels and `says` are escaped, unless they are Markup.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from markupsafe import Markup

from tiltmeter.report import svg
from tiltmeter.report.numbers import fixed
from tiltmeter.report.page import environment, own_text, trusted

LIMITS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
EDGE = 4.0
"""Per cent of the width beyond either end of a scale, which keep dots whole."""
GOLDEN = 0.6180339887
"""Spreads the dots of a crowd up and down, the same way every time."""
Side = Literal["up", "down", ""]
"""Orange and to the right; blue and to the left; neither."""


@dataclass(frozen=True, slots=True)
class ForestScale:
    """Numbers from low to high across the width."""

    low: float
    high: float
    signed: bool = True
    """Whether ticks to the left of 0 have a minus; not where both ends are labelled in words."""
    steps: int = 4
    """At most so many between round numbers."""
    times: float = 1.0
    unit: str = ""
    """Ticks are so many times the value, in this unit: 100 and " %" for shares."""

    def at(self, value: float) -> float:
        """Where a value stands, in per cent; what lies beyond stands at the edge.

        >>> ForestScale(-2, 2).at(1.0), ForestScale(0, 1).at(0), ForestScale(0, 1).at(9)
        (73.0, 4.0, 100.0)
        """
        part = (value - self.low) / (self.high - self.low)
        return round(min(100.0, max(0.0, EDGE + (100 - 2 * EDGE) * part)), 2)

    def beyond(self, low: float, high: float) -> tuple[bool, bool]:
        """Whether an interval goes on past the left and the right edge."""
        room = (self.high - self.low) * EDGE / (100 - 2 * EDGE)
        return low < self.low - room, high > self.high + room

    def ticks(self) -> list[tuple[float, str]]:
        """Where round numbers stand, and their texts.

        >>> ForestScale(-2, 2, signed=False).ticks()[:3]
        [(4.0, '2'), (27.0, '1'), (50.0, '0')]
        """
        step = _step((self.high - self.low) * self.times, self.steps)
        first = math.ceil(self.low * self.times / step - 1e-9)
        last = math.floor(self.high * self.times / step + 1e-9)
        places = max(0, 2 - math.floor(math.log10(step)))
        found = []
        for nth in range(first, last + 1):
            size = fixed(nth * step if self.signed else abs(nth * step), places)
            size = size.rstrip("0").rstrip(".") if "." in size else size
            found.append((self.at(nth * step / self.times), f"{size}{self.unit}"))
        return found


def around_zero(values: Iterable[float], ends: Iterable[float] = ()) -> ForestScale:
    """A symmetric scale that holds every value and nine in ten of the intervals' ends.

    >>> around_zero([0.5, -2.1], [2.4, -0.1]).high
    2.5
    """
    far = sorted(abs(end) for end in ends)
    reach = far[min(len(far) - 1, int(0.9 * len(far)))] if far else 0.0
    most = max([reach, *map(abs, values)])
    limit = _rounded_up(most, LIMITS) if 0 < most < math.inf else 1.0
    return ForestScale(-limit, limit, signed=False)


def from_zero(
    values: Iterable[float | None], *, least: float = 1e-6, steps: int = 4
) -> ForestScale:
    """A scale from zero that holds every value and ends on a round number.

    >>> from_zero([0.107, 0.145, None]).high
    0.15
    """
    most = max([least, *(value for value in values if value is not None)])
    step = _step(most, steps)
    return ForestScale(0.0, round(step * math.ceil(most / step - 1e-9), 12), steps=steps)


def _step(span: float, many: int) -> float:
    """The smallest round step that cuts a span into at most so many parts."""
    return _rounded_up(span / many, STEPS)


def _rounded_up(value: float, steps: Sequence[float]) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return next(round(one * power, 14) for one in steps if one * power >= value * (1 - 1e-9))


@dataclass(frozen=True, slots=True)
class Mark:
    """One estimate on the scale; no interval where there is none."""

    value: float
    low: float | None = None
    high: float | None = None
    side: Side = ""
    """Its colour: the side of a difference that is detected."""
    filled: bool | None = None
    """Where it is not said, filled where it has a side."""
    shape: svg.Shape = "circle"
    level: float = 50.0
    """Per cent of the height."""
    ink: bool = False
    """Drawn in the text's colour, where it is neither side's and still weighty."""
    name: str = ""
    number: str = ""
    spread: str = ""
    """Its own words, where a cell has several marks."""
    meaning: str = ""
    """The end that it lies towards, in words; read aloud."""
    lean: Side = ""
    """Which way its number points, where it has no colour."""

    @property
    def kind(self) -> str:
        """Its classes."""
        filled = bool(self.side) if self.filled is None else self.filled
        return " ".join(filter(None, (
            "mark", self.side, "ink" if self.ink else "", "" if filled else "hollow"
        )))  # fmt: skip

    @property
    def sign(self) -> str:
        """Its shape in a letter."""
        return (svg.HOLLOW_SIGNS if "hollow" in self.kind else svg.SIGNS)[self.shape]


@dataclass(frozen=True, slots=True)
class ForestCell:
    """What one row has in one panel: drawn, and in words."""

    marks: tuple[Mark, ...] = ()
    number: str = ""
    unit: str = ""
    meaning: str = ""
    """The end that the value lies towards, in words; read aloud."""
    spread: str = ""
    says: tuple[str | Markup, ...] = ()
    side: Side = ""
    """Which way the number points."""
    band: tuple[float, float] | None = None
    behind: tuple[float, float] | None = None
    references: tuple[float, ...] = ()
    joined: bool = False
    crowd: tuple[float, ...] = ()
    scale: ForestScale | None = None
    ends: tuple[str, str] | None = None
    kind: str = ""
    """Further classes, as a verdict."""


@dataclass(frozen=True, slots=True)
class ForestRow:
    """A name and its cells, one for each panel."""

    label: str | Markup
    cells: tuple[ForestCell, ...]
    about: str | Markup = ""
    """Stands under the label."""
    tag: str = ""
    """A task, say."""
    href: str = ""
    link: Mapping[str, object] = field(default_factory=dict)
    facts: tuple[str | Markup, ...] = ()
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ForestPanel:
    """A scale that cells of all rows share, and what its ends mean."""

    title: str
    scale: ForestScale | None
    """None where every cell has its own."""
    ends: tuple[str, str] = ("", "")
    unit: str = ""
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Forest:
    """Rows of estimates on scales beside each other."""

    name: str
    title: str
    panels: tuple[ForestPanel, ...]
    rows: tuple[ForestRow, ...]
    first: str = "System"
    """What the rows are."""
    columns: tuple[str | Markup, ...] = ()
    layout: Literal["beside", "below"] = "beside"
    most: int | None = None
    directed: bool = True
    """Whether the ends are two directions, and so have arrows."""
    kind: str = ""

    def html(self) -> Markup:
        """For a page that has forest.css."""
        made = (
            environment()
            .get_template("forest.html")
            .render(
                forest=self,
                drawn=lambda cell, nth: trusted(drawn(cell, self._scale(cell, nth))),
                grid=lambda scale: trusted(_grid(scale)),
            )
        )
        return trusted(made)

    def _scale(self, cell: ForestCell, nth: int) -> ForestScale | None:
        return cell.scale or self.panels[nth].scale

    def summary(self) -> str:
        """Everything that is shown, in words."""
        return " ".join(
            f"{panel.title}: "
            + "; ".join(f"{_plain(row.label)}: {cell_words(row.cells[nth])}" for row in self.rows)
            + "."
            for nth, panel in enumerate(self.panels)
        )

    def svg(self, key: str = "", across: int = 1) -> str:
        """For a file: names to the left, words to the right, the panels under each other.

        `across` panels stand beside each other, with the words under their dots. `key` says what
        the marks mean; it stands under the title.
        """
        names, edge, beside = 230.0, 14.0, across > 1
        wide, words, apart = (280.0, 280.0, 24.0) if beside else (360.0, 330.0, 14.0)
        full = edge + names + (across * (wide + apart) - apart if beside else wide + apart + words)
        parts = [svg.text(edge, edge + 10, svg.fit_words(self.title, full - edge, 15), "title")]
        y = edge + 18
        for line in svg.in_lines(key, full - edge, 11):
            parts.append(svg.text(edge, y + 8, line, "soft"))
            y += 15
        for begin in range(0, len(self.panels), across):
            panels = [
                (edge + names + (wide + apart) * at, begin + at, panel)
                for at, panel in enumerate(self.panels[begin : begin + across])
            ]
            y, head = y + 14, 0.0
            for x, _, panel in panels:
                titles = svg.in_lines(panel.title, wide if beside else full - edge)
                over = 14.0 * (len(titles) - 1)
                parts += [svg.text(x if beside else edge, y + 14 * at, line, "name")
                          for at, line in enumerate(titles)]  # fmt: skip
                if panel.scale:
                    ends = [svg.in_lines(end, wide / 2 - 6, 11) for end in panel.ends]
                    for place, lines, kind in zip((x, x + wide), ends, ("", " end"), strict=True):
                        parts += [svg.text(place, y + over + 16 + 13 * at, line, f"soft{kind}")
                                  for at, line in enumerate(lines)]  # fmt: skip
                    over += 13.0 * (max(map(len, ends), default=1) or 1) - 13 + 36
                head = max(head, over)
            for x, _, panel in panels:
                if panel.scale:
                    ticks = "".join(svg.text(f"{at:g}%", 12, one, "tick-text")
                                    for at, one in panel.scale.ticks())  # fmt: skip
                    parts.append(_inner(x, y + head - 18, wide, 16, ticks))
            y += head
            for row in self.rows:
                cells = [(x, row.cells[nth], self._scale(row.cells[nth], nth))
                         for x, nth, _ in panels]  # fmt: skip
                own = 14 * any(cell.ends for _, cell, _ in cells)
                left = [(line, "") for line in svg.in_lines(_plain(row.label), names - 12)[:3]]
                below = " ".join(filter(None, (row.tag, _plain(row.about))))
                left += [(line, "soft") for line in svg.in_lines(below, names - 12, 11)[:3]]
                parts += [svg.text(edge, y + own + 15 + 14 * at, line, kind)
                          for at, (line, kind) in enumerate(left)]  # fmt: skip
                texts = [svg.in_lines(cell_words(cell), words, 11) for _, cell, _ in cells]
                several = any(len({mark.level for mark in cell.marks}) > 1 for _, cell, _ in cells)
                deepest, dots = max(map(len, texts)), 40.0 if several else 26.0
                tall = own + max(36.0, 14.0 * len(left) + 8,
                                 14.0 * deepest + 8 + (dots if beside else 0))  # fmt: skip
                for (x, cell, scale), text in zip(cells, texts, strict=True):
                    if cell.ends:
                        parts.append(svg.text(x, y + 10, cell.ends[0], "soft"))
                        parts.append(svg.text(x + wide, y + 10, cell.ends[1], "soft end"))
                    right, down = (x, dots + 10) if beside else (x + wide + apart, 15.0)
                    parts += [svg.text(right, y + own + down + 14 * at, line, "soft")
                              for at, line in enumerate(text)]  # fmt: skip
                    inside = _grid(scale) + drawn(cell, scale) if scale else ""
                    high = dots if beside else tall - own
                    parts.append(_inner(x, y + own, wide, high, inside))
                y += tall
            y += 16
        return svg.svg_file(
            self.title, self.summary(), full + edge, y + edge, "".join(parts), style=_style(),
            kind="drawn picture",
        )  # fmt: skip


def _inner(x: float, y: float, wide: float, tall: float, body: str) -> str:
    place = f'x="{x:g}" y="{y:g}" width="{wide:g}" height="{tall:g}"'
    return f'<svg {place} overflow="visible">{body}</svg>'


def _plain(words: str | Markup) -> str:
    return words.striptags() if isinstance(words, Markup) else words


def _style() -> str:
    """The part of forest.css that is of marks, which files need too."""
    return own_text("forest.css").partition("/* end of marks */")[0]


def cell_words(cell: ForestCell) -> str:
    """A cell in words."""
    marks = []
    for mark in cell.marks:
        if mark.number or mark.spread:
            meaning = mark.meaning and f"{mark.meaning},"
            words = (mark.name or mark.sign, mark.number, meaning, mark.spread)
            marks.append(" ".join(filter(None, words)))
    number = " ".join(filter(None, (cell.number, cell.unit, cell.meaning)))
    return "; ".join(filter(None, (
        ", ".join(filter(None, (number, cell.spread))), *marks, *map(_plain, cell.says)
    )))  # fmt: skip


def _grid(scale: ForestScale) -> str:
    return "".join(
        svg.line(f"{x:g}%", "0", f"{x:g}%", "100%", "zero" if words[:1] == "0" and
                 not words.strip("0.% ") else "tick")
        for x, words in scale.ticks()
    )  # fmt: skip


def drawn(cell: ForestCell, scale: ForestScale | None) -> str:
    """The marks of a cell in per cent of its width and height, from back to front."""
    if scale is None:
        return ""

    def at(value: float) -> str:
        return f"{scale.at(value):g}%"

    parts = []
    if cell.band:
        wide = round(scale.at(cell.band[1]) - scale.at(cell.band[0]), 2)
        parts.append(svg.rect(at(cell.band[0]), "0", f"{wide:g}%", "100%", "band"))
    parts += [
        svg.shape("circle", at(value), f"{18 + 64 * (nth * GOLDEN % 1):.1f}%", 3, "crowd")
        for nth, value in enumerate(sorted(cell.crowd))
    ]
    parts += [svg.line(at(one), "12%", at(one), "88%", "reference") for one in cell.references]
    if cell.behind:
        low, high = cell.behind
        left, right = scale.beyond(low, high)
        parts.append(svg.line(at(low), "50%", at(high), "50%", "behind"))
        parts += [svg.line(at(end), "32%", at(end), "68%", "behind")
                  for end, out in ((low, left), (high, right)) if not out]  # fmt: skip
    for one, two in zip(cell.marks, cell.marks[1:], strict=False) if cell.joined else ():
        parts.append(
            svg.line(at(one.value), f"{one.level:g}%", at(two.value), f"{two.level:g}%", "join")
        )
    for mark in cell.marks:
        y = f"{mark.level:g}%"
        if mark.low is not None and mark.high is not None:
            parts.append(svg.line(at(mark.low), y, at(mark.high), y, f"span {mark.side}".strip()))
            left, right = scale.beyond(mark.low, mark.high)
            parts += [svg.text("0", y, "‹", "beyond")] if left else []
            parts += [svg.text("100%", y, "›", "beyond end")] if right else []
        parts.append(svg.shape(mark.shape, at(mark.value), y, 5, mark.kind))
    return "".join(parts)
