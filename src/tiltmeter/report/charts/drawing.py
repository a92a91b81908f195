"""Charts drawn to SVG and PNG; nothing is fetched."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from typing import Any

from tiltmeter.errors import MissingExtraError

SHARP, LARGEST_SIDE = 2.0, 12_000
"""How many pixels of a PNG a pixel of the figure takes, and how many a side may have."""
NOT_DRAWN = re.compile(r"\\\\|\\[bf]|\\u(?:00[01][0-9a-f]|fff[ef])")
"""In JSON: letters that no SVG may hold, on which the drawing part ends the whole process; and a
backslash with its escape, so that what stands after it is not taken for one of them."""


def can_draw() -> bool:
    """True where what draws figures is installed."""
    return find_spec("vl_convert") is not None


def check_drawing() -> None:
    """Refuse to draw where what draws figures is not installed."""
    if not can_draw():
        raise MissingExtraError("the part that draws figures", "charts")


def svg(spec: dict[str, Any]) -> str:
    """A chart as SVG; nothing is fetched."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(drawable(spec), allowed_base_urls=[])
    return drawn


def drawable(spec: dict[str, Any]) -> str:
    r"""A chart as JSON whose letters can all be drawn.

    >>> drawable({"system": "\x1b[31m", "file": "\\u001b"})
    '{"system": "\\ufffd[31m", "file": "\\\\u001b"}'
    """
    text = json.dumps(spec)
    return NOT_DRAWN.sub(lambda found: found[0] if found[0] == r"\\" else r"\ufffd", text)


def png(drawn: str) -> bytes:
    """An SVG as PNG, sharp unless that would be too large."""
    import vl_convert

    sides = re.findall(r'(?:width|height)="([\d.]+)"', drawn[: drawn.index(">")])
    largest = max(map(float, sides), default=1.0)
    image: bytes = vl_convert.svg_to_png(drawn, scale=min(SHARP, LARGEST_SIDE / largest))
    return image
