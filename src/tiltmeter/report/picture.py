"""A picture as SVG: shapes, labels that do not cover each other, the page's colours or its own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape

import numpy as np
from numpy.typing import NDArray

from tiltmeter.report.page import own_text

# ---- a picture as SVG: within the page it takes the page's colours, as a file it brings its own


PICTURE_SIZE = 12.0
"""Letters, in pixels."""
EDGE, GAP, HEAD = 14.0, 26.0, 26.0
"""Margin of a file, distance between its pictures, room for a caption."""
LIGHT = {
    "paper": "#ffffff", "sheet": "#f3f1ec", "ink": "#1b1b18", "soft": "#5c5a54", "line": "#dcd9d1",
    "rule": "#8d8a82", "up": "#a85c00", "up-mark": "#c77400", "down": "#00639b",
    "down-mark": "#0072b2", "dust": "#8d8a82",
}  # fmt: skip
"""The page's light colours, for files."""


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
        f'width="{picture.wide:g}" height="{picture.tall:g}">{_told(picture)}{picture.body}</svg>'
    )


def standalone(
    title: str, key: str, summary: str, pictures: Sequence[Picture], across: int = 2
) -> str:
    """A file of one or several pictures, in rows of so many, on white paper; key says the marks."""
    across = min(across, len(pictures))
    rows = [pictures[at : at + across] for at in range(0, len(pictures), across)]
    wide = across * max(one.wide for one in pictures) + (across - 1) * GAP + 2 * EDGE
    heads = [(words, "head", 19.0) for words in wrapped(title, wide - 2 * EDGE, 16.5)]
    heads += [(words, "soft", 15.0) for words in wrapped(key, wide - 2 * EDGE, 11.5)]
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
    whole = Picture("", title, summary, wide, tall, "".join(parts))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="fig" role="img" width="{wide:g}" '
        f'height="{tall:g}" viewBox="0 0 {wide:g} {tall:g}">{_told(whole)}'
        f'<style>{_light_style()}</style><rect class="paper" width="100%" height="100%"/>'
        f"{whole.body}</svg>\n"
    )


def wrapped(words: str, wide: float, size: float) -> list[str]:
    """A text in lines that fit; a word that does not is cut.

    >>> wrapped("one two three", 60, 12)
    ['one two', 'three']
    """
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size) <= wide:
            lines[-1] = longer
        else:
            lines.append(fitting(word, wide, size))
    return lines


def _placed(one: Picture, x: float, y: float) -> str:
    head = text(0, 14, fitting(one.caption, one.wide, PICTURE_SIZE), "name") if one.caption else ""
    down = HEAD if one.caption else 0
    return (
        f'<g transform="translate({x:g} {y:g})">{head}'
        f'<svg y="{down:g}" width="{one.wide:g}" height="{one.tall:g}">{one.body}</svg></g>'
    )


def _told(picture: Picture) -> str:
    return f"<title>{safe(picture.title)}</title><desc>{safe(picture.summary)}</desc>"


@cache
def _light_style() -> str:
    """The figures' style with plain colours, since programs that read SVG know no variables."""
    style = own_text("embeddings_figures.css")
    return re.sub(r"var\(--([a-z-]+)\)", lambda found: LIGHT[found[1]], style)


def text(x: float | str, y: float | str, words: str, kind: str = "", more: str = "") -> str:
    """A text at a place."""
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{_at(x)}" y="{_at(y)}"{named}{more}>{safe(words)}</text>'


def line(x1: float | str, y1: float | str, x2: float | str, y2: float | str, kind: str) -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{_at(x1)}" y1="{_at(y1)}" x2="{_at(x2)}" y2="{_at(y2)}"/>'


def rect(x: float | str, y: float | str, wide: float | str, tall: float | str, kind: str) -> str:
    """A rectangle."""
    return (
        f'<rect class="{kind}" x="{_at(x)}" y="{_at(y)}" width="{_at(wide)}" height="{_at(tall)}"/>'
    )


def safe(words: str) -> str:
    """Escaped, and without what XML forbids."""
    return escape(NOT_XML.sub("", words), quote=True)


def width_of(words: str, size: float = PICTURE_SIZE) -> float:
    """About how wide a text is, on the safe side.

    >>> width_of("mexican") < width_of("norwegian")
    True
    """
    return size * sum(_letter(char) for char in words)


def _letter(char: str) -> float:
    if unicodedata.combining(char):
        return 0.0
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0
    return 0.97 if char in "mwMW@%—" else 0.4 if char in "iIjlrft.,:;'|!- " else 0.63


def _at(place: float | str) -> str:
    return place if isinstance(place, str) else f"{place:.1f}".removesuffix(".0")


# ---- marks that are told apart without colour: circle, triangle, square, diamond, cross


SHAPES = ("circle", "triangle", "square", "diamond", "cross", "down")
SIGNS = {
    "circle": "●", "triangle": "▲", "square": "■", "diamond": "◆", "cross": "✕", "down": "▼"
}  # fmt: skip
"""The same in letters, for a key."""


def mark(shape: str, x: float, y: float, r: float, kind: str = "") -> str:
    """One mark around a point.

    >>> mark("diamond", 10, 10, 4, "a")
    '<path class="a" d="M10 6l4 4-4 4-4 -4z"/>'
    """
    named = f' class="{kind}"' if kind else ""
    if shape == "circle":
        return f'<circle{named} cx="{x:g}" cy="{y:g}" r="{r:g}"/>'
    return f'<path{named} d="{_outline(shape, x, y, r)}"/>'


def _outline(shape: str, x: float, y: float, r: float) -> str:
    x, y = round(x, 1), round(y, 1)
    if shape == "triangle":
        return f"M{x:g} {y - r:g}l{r:g} {2 * r:g}h{-2 * r:g}z"
    if shape == "down":
        return f"M{x:g} {y + r:g}l{r:g} {-2 * r:g}h{-2 * r:g}z"
    if shape == "square":
        return f"M{x - r:g} {y - r:g}h{2 * r:g}v{2 * r:g}h{-2 * r:g}z"
    if shape == "cross":
        return f"M{x - r:g} {y - r:g}l{2 * r:g} {2 * r:g}m0 {-2 * r:g}l{-2 * r:g} {2 * r:g}"
    return f"M{x:g} {y - r:g}l{r:g} {r:g}{-r:g} {r:g}{-r:g} {-r:g}z"


# ---- labels put beside their points so that they cover each other as little as can be


PLACING_SIZE, TALL, AWAY, LONGEST = 11.0, 12.0, 6.0, 110.0
"""Letters, height of a label, its distance from its point, its largest width."""


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


def placed(
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
        words = fitting(words, LONGEST, PLACING_SIZE)
        across = width_of(words, PLACING_SIZE)
        tried = [Box(*spot, across) for spot in _spots(x, y, across)]
        costs = 2 * covered(tried, taken) + [
            nth + 600 * box.outside(wide, tall) for nth, box in enumerate(tried)
        ]
        best = tried[int(np.argmin(costs))]
        taken.append(best)
        far = abs(best.y + TALL / 2 - y) > TALL or best.x > x + 12 or best.x + across < x - 12
        labels.append(Label(words, best, (x, y), far))
    return labels


def labelled(labels: Sequence[Label]) -> str:
    """The labels drawn, with a thin line to a point that is far."""
    leads = "".join(line(*one.point, *_nearest(one), "lead") for one in labels if one.led)
    return leads + "".join(
        text(one.box.x, one.box.y + TALL - 2.5, one.words, "label") for one in labels
    )


def _nearest(label: Label) -> tuple[float, float]:
    """The place of a label that is nearest to its point."""
    box, (x, y) = label.box, label.point
    return min(max(x, box.x), box.x + box.wide), min(max(y, box.y + 2), box.y + TALL - 2)


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


NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
