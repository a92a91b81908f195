"""Pieces of a picture in SVG, labels that do not cover each other, and a file of it.

Text is escaped, cut and broken to fit.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from markupsafe import escape
from numpy.typing import NDArray

from tiltmeter.ranking import coarsen
from tiltmeter.report.page import own_text

Shape = Literal["circle", "triangle", "square", "diamond", "cross", "down"]
SIGNS: dict[Shape, str] = {
    "circle": "●", "triangle": "▲", "square": "■", "diamond": "◆", "cross": "✕", "down": "▼"
}  # fmt: skip
"""Marks in letters, for a key."""
HOLLOW_SIGNS: dict[Shape, str] = {
    "circle": "○", "triangle": "△", "square": "□", "diamond": "◇", "cross": "✕", "down": "▽"
}  # fmt: skip
LIGHT = {
    "paper": "#ffffff", "sheet": "#f3f1ec", "ink": "#1b1b18", "soft": "#5c5a54", "line": "#dcd9d1",
    "rule": "#8d8a82", "up": "#a85c00", "up-mark": "#c77400", "down": "#00639b",
    "down-mark": "#0072b2", "dust": "#8d8a82",
}  # fmt: skip
"""The page's light colours, for files: programs that read SVG know no variables."""
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Place = float | str
"""In pixels, or a text such as 12%."""


def safe(words: str) -> str:
    r"""Escaped, and without what XML forbids.

    >>> safe("a<b\x00")
    'a&lt;b'
    """
    return str(escape(NOT_XML.sub("", words)))


def width_of(words: str, size: float = 12.0) -> float:
    """About how wide a text is in pixels, on the safe side.

    >>> width_of("mexican") < width_of("norwegian")
    True
    """
    return size * sum(
        0.0 if unicodedata.combining(char)
        else 1.0 if unicodedata.east_asian_width(char) in "WF"
        else 0.97 if char in "mwMW@%—"
        else 0.4 if char in "iIjlrft.,:;'|!- "
        else 0.63
        for char in words
    )  # fmt: skip


def fit_words(words: str, wide: float, size: float = 12.0) -> str:
    """As much of a text as fits a width, cut with an ellipsis.

    >>> fit_words("vader", 176, 13), fit_words("m" * 40, 60, 10)
    ('vader', 'mmmmm…')
    """
    words = " ".join(NOT_XML.sub("", words).split())
    if width_of(words, size) <= wide:
        return words
    cut = next(
        many for many in range(len(words), -1, -1) if width_of(f"{words[:many]}…", size) <= wide
        or not many
    )  # fmt: skip
    return f"{words[:cut].rstrip()}…"


def in_lines(words: str, wide: float, size: float = 12.0) -> list[str]:
    """A text in lines that fit; a word that does not is cut.

    >>> in_lines("one two three", 60)
    ['one two', 'three']
    """
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size) <= wide:
            lines[-1] = longer
        else:
            lines.append(fit_words(word, wide, size))
    return lines


def text(x: Place, y: Place, words: str, kind: str = "") -> str:
    """A text at a place."""
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{_at(x)}" y="{_at(y)}"{named}>{safe(words)}</text>'


def line(x1: Place, y1: Place, x2: Place, y2: Place, kind: str) -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{_at(x1)}" y1="{_at(y1)}" x2="{_at(x2)}" y2="{_at(y2)}"/>'


def rect(x: Place, y: Place, wide: Place, tall: Place, kind: str) -> str:
    """A rectangle."""
    place = f'x="{_at(x)}" y="{_at(y)}" width="{_at(wide)}" height="{_at(tall)}"'
    return f'<rect class="{kind}" {place}/>'


def shape(of: Shape, x: Place, y: Place, r: float, kind: str = "") -> str:
    """A mark around a point; where that is in per cent, within a picture whose middle it is.

    >>> shape("diamond", 10, 10, 4, "a")
    '<path class="a" d="M10 6l4 4-4 4-4 -4z"/>'
    """
    named = f' class="{kind}"' if kind else ""
    if of == "circle":
        return f'<circle{named} cx="{_at(x)}" cy="{_at(y)}" r="{r:g}"/>'
    if isinstance(x, str) or isinstance(y, str):
        return (
            f'<svg x="{_at(x)}" y="{_at(y)}" width="1" height="1" overflow="visible">'
            f"{shape(of, 0, 0, r, kind)}</svg>"
        )
    x, y = round(x, 1), round(y, 1)
    outline = {
        "triangle": f"M{x:g} {y - r:g}l{r:g} {2 * r:g}h{-2 * r:g}z",
        "down": f"M{x:g} {y + r:g}l{r:g} {-2 * r:g}h{-2 * r:g}z",
        "square": f"M{x - r:g} {y - r:g}h{2 * r:g}v{2 * r:g}h{-2 * r:g}z",
        "cross": f"M{x - r:g} {y - r:g}l{2 * r:g} {2 * r:g}m0 {-2 * r:g}l{-2 * r:g} {2 * r:g}",
        "diamond": f"M{x:g} {y - r:g}l{r:g} {r:g}{-r:g} {r:g}{-r:g} {-r:g}z",
    }[of]
    return f'<path{named} d="{outline}"/>'


def svg_file(
    title: str, summary: str, wide: float, tall: float, body: str, *, style: str, kind: str
) -> str:
    """A picture as a file on white paper, with its title and what it shows in words."""
    plain = re.sub(r"var\(--([a-z-]+)\)", lambda found: LIGHT[found[1]], style)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" role="img" width="{wide:g}" '
        f'height="{tall:g}" viewBox="0 0 {wide:g} {tall:g}"><title>{safe(title)}</title>'
        f"<desc>{safe(summary)}</desc><style>{plain}</style>"
        f'<rect fill="{LIGHT["paper"]}" width="100%" height="100%"/>{body}</svg>\n'
    )


def _at(place: Place) -> str:
    return place if isinstance(place, str) else f"{place:.1f}".removesuffix(".0")


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
    heads = [(words, "head", 19.0) for words in in_lines(title, wide - 2 * EDGE, 16.5)]
    heads += [(words, "soft", 15.0) for words in in_lines(key, wide - 2 * EDGE, 11.5)]
    y, parts = EDGE, []
    for words, kind, down in heads:
        y += down
        parts.append(text(EDGE, y - 3, words, kind))
    y += 8
    for row in rows:
        x = EDGE
        for one in row:
            head = fit_words(one.caption, one.wide, PICTURE_SIZE)
            parts.append(
                f'<g transform="translate({x:g} {y:g})">'
                f"{text(0, 14, head, 'name') if one.caption else ''}"
                f'<svg y="{HEAD if one.caption else 0:g}" width="{one.wide:g}" '
                f'height="{one.tall:g}">{one.body}</svg></g>'
            )
            x += max(some.wide for some in pictures) + GAP
        y += max(one.tall + HEAD * bool(one.caption) for one in row) + GAP
    tall = y - GAP + EDGE
    return svg_file(
        title, summary, wide, tall, "".join(parts), style=own_text("embeddings_figures.css"),
        kind="fig",
    )  # fmt: skip


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
        words = fit_words(words, LONGEST, LABEL_SIZE)
        across = width_of(words, LABEL_SIZE)
        tried = [Box(*spot, across) for spot in _spots(x, y, across)]
        costs = 2 * covered(tried, taken) + [
            nth + 600 * box.outside(wide, tall) for nth, box in enumerate(tried)
        ]
        best = tried[int(np.argmin(coarsen(costs)))]
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
