"""Pieces of a picture in SVG, and a file of it: text is escaped, cut and broken to fit."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from markupsafe import escape

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


def fitting(words: str, wide: float, size: float = 12.0) -> str:
    """As much of a text as fits a width, cut with an ellipsis.

    >>> fitting("vader", 176, 13), fitting("m" * 40, 60, 10)
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
            lines.append(fitting(word, wide, size))
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
