"""A picture as SVG: shapes, labels that do not cover each other, the page's colours or its own."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.report import svg
from tiltmeter.report.page import own_text
from tiltmeter.report.svg import NOT_XML, line, safe, text, width_of

PICTURE_SIZE = 12.0
"""Letters, in pixels."""
EDGE, GAP, HEAD = 14.0, 26.0, 26.0
"""Margin of a file, distance between its pictures, room for a caption."""


LABEL_SIZE, TALL, AWAY, LONGEST = 11.0, 12.0, 6.0, 110.0
"""Letters, height of a label, its distance from its point, its largest width."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn, how large it is, what it is of and what it shows in words."""

    caption: str
    """Stands above it, as the name of an embedding."""
    title: str
    summary: str
    wide: float
    tall: float
    body: str


def inline(picture: Picture) -> str:
    """The picture within a page; it shrinks with the page but does not grow."""
    return (
        f'<svg class="fig" role="img" viewBox="0 0 {picture.wide:g} {picture.tall:g}" '
        f'width="{picture.wide:g}" height="{picture.tall:g}"><title>{safe(picture.title)}</title>'
        f"<desc>{safe(picture.summary)}</desc>{picture.body}</svg>"
    )


def standalone(
    title: str, key: str, summary: str, pictures: Sequence[Picture], across: int = 2
) -> str:
    """A file of one or several pictures, in rows of so many, on white paper; key says the marks."""
    across = min(across, len(pictures))
    rows = [pictures[at : at + across] for at in range(0, len(pictures), across)]
    wide = across * max(one.wide for one in pictures) + (across - 1) * GAP + 2 * EDGE
    heads = [(words, "head", 19.0) for words in svg.in_lines(title, wide - 2 * EDGE, 16.5)]
    heads += [(words, "soft", 15.0) for words in svg.in_lines(key, wide - 2 * EDGE, 11.5)]
    y, parts = EDGE, []
    for words, kind, down in heads:
        y += down
        parts.append(text(EDGE, y - 3, words, kind))
    y += 8
    for row in rows:
        x = EDGE
        for one in row:
            parts.append(_placed(one, x, y))
            x += max(some.wide for some in pictures) + GAP
        y += max(one.tall + HEAD * bool(one.caption) for one in row) + GAP
    tall = y - GAP + EDGE
    return svg.svg_file(
        title, summary, wide, tall, "".join(parts), style=own_text("embeddings_figures.css"),
        kind="fig",
    )  # fmt: skip


def _placed(one: Picture, x: float, y: float) -> str:
    head = (
        text(0, 14, svg.fitting(one.caption, one.wide, PICTURE_SIZE), "name") if one.caption else ""
    )
    down = HEAD if one.caption else 0
    return (
        f'<g transform="translate({x:g} {y:g})">{head}'
        f'<svg y="{down:g}" width="{one.wide:g}" height="{one.tall:g}">{one.body}</svg></g>'
    )


@dataclass(frozen=True, slots=True)
class Box:
    """Where a label would stand."""

    x: float
    y: float
    wide: float
    tall: float = TALL

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        return self.x, self.y, self.x + self.wide, self.y + self.tall

    def outside(self, wide: float, tall: float) -> float:
        """How far it sticks out of a frame."""
        return sum(
            max(0.0, part)
            for part in (-self.x, self.x + self.wide - wide, -self.y, self.y + self.tall - tall)
        )


@dataclass(frozen=True, slots=True)
class Label:
    """A text beside its point; led by a line where it stands far away."""

    words: str
    box: Box
    point: tuple[float, float]
    led: bool


def place_labels(
    points: Sequence[tuple[float, float, str]],
    wide: float,
    tall: float,
    others: Sequence[tuple[float, float]] = (),
) -> list[Label]:
    """A label for each point: the place of least overlap, of some around it, one after another.

    `others` are points without a label that should not be covered either.
    """
    marks = [*((x, y) for x, y, _ in points), *others]
    taken = [Box(x - 5, y - 5, 10, 10) for x, y in marks]
    labels = []
    for x, y, words in points:
        words = svg.fitting(words, LONGEST, LABEL_SIZE)
        across = width_of(words, LABEL_SIZE)
        tried = [Box(*spot, across) for spot in _spots(x, y, across)]
        costs = 2 * covered(tried, taken) + [
            nth + 600 * box.outside(wide, tall) for nth, box in enumerate(tried)
        ]
        best = tried[int(np.argmin(costs))]
        taken.append(best)
        far = abs(best.y + TALL / 2 - y) > TALL or best.x > x + 12 or best.x + across < x - 12
        labels.append(Label(words, best, (x, y), far))
    return labels


def draw_labels(labels: Sequence[Label]) -> str:
    """The labels drawn, with a thin line to a point that is far."""
    leads = []
    for one in labels:
        if one.led:
            box, (x, y) = one.box, one.point
            near = min(max(x, box.x), box.x + box.wide), min(max(y, box.y + 2), box.y + TALL - 2)
            leads.append(line(x, y, *near, "lead"))
    return "".join(leads) + "".join(
        text(one.box.x, one.box.y + TALL - 2.5, one.words, "label") for one in labels
    )


def _spots(x: float, y: float, across: float) -> list[tuple[float, float]]:
    """Around a point: right, left, above, below, the corners, then farther out."""
    sides = []
    for out in (0.0, 12.0, 26.0, 42.0, 60.0, 80.0):
        middle, right, left = x - across / 2, x + AWAY + out, x - AWAY - out - across
        level, above, below = y - TALL / 2, y - AWAY - TALL - out + 2, y + AWAY + out - 2
        sides += [(right, level), (left, level), (middle, above), (middle, below)]
        sides += [(right, above), (right, below), (left, above), (left, below)]
    return sides


def covered(boxes: Sequence[Box], taken: Sequence[Box]) -> NDArray[np.float64]:
    """For each box, the area it shares with those that stand already, summed over them."""
    left, top, right, bottom = np.array([box.edges for box in boxes]).T[:, :, None]
    begun, over, ended, under = np.array([box.edges for box in taken]).T[:, None, :]
    across = np.minimum(right, ended) - np.maximum(left, begun)
    down = np.minimum(bottom, under) - np.maximum(top, over)
    area: NDArray[np.float64] = (across.clip(0) * down.clip(0)).sum(axis=1)
    return area


def fitting(text: str, wide: float, size: float) -> str:
    """As much of a text as fits a width, cut with an ellipsis.

    >>> fitting("vader", 176, 13), fitting("m" * 40, 60, 10)
    ('vader', 'mmmmmm…')
    """
    text = " ".join(NOT_XML.sub("", text).split())
    if text_width(text, size) <= wide:
        return text
    kept = ""
    for char in text:
        if text_width(f"{kept}{char}…", size) > wide:
            break
        kept += char
    return f"{kept.rstrip()}…"


def text_width(text: str, size: float) -> float:
    """About how wide a text is, on the safe side."""
    return size * sum(_label_letter(char) for char in text)


def _label_letter(char: str) -> float:
    if unicodedata.combining(char):
        return 0.0
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0
    return 0.85 if char in "mwMW@%—" else 0.32 if char in "iIjl.,:;'|! " else 0.6
