"""Vega-Lite charts drawn to SVG and PNG without a network, and what they share."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import MissingExtraError
from tiltmeter.schemas import Significance

if TYPE_CHECKING:
    import polars as pl


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


# Charts are Vega-Lite written out as plain dictionaries. Altair would write the same, but takes a
# quarter of a second a chart to check and copy it; the tests let Altair check them once instead.

Spec = dict[str, Any]

HEIGHT = 360
"""Pixels of a plot from bottom to top."""
NARROWEST = 480
"""Pixels of a plot from left to right at least."""
LETTER = 5.0
"""Pixels of a letter of the lines under a title."""
LABEL = 160
"""Pixels of a system's name at most."""
INK, QUIET, GREY, FAINT = "#222222", "#5F5F5F", "#D9D9D9", "#EBEBEB"
LOOKS: dict[str, tuple[str, str]] = {
    Significance.UP: ("#C77400", "triangle-up"),
    Significance.DOWN: ("#0072B2", "triangle-down"),
    Significance.NONE: ("#6E6E6E", "circle"),
    Significance.NOT_ESTIMABLE: ("#9A9A9A", "cross"),
}
"""Colour and shape of each group: the page's orange and blue (after Okabe and Ito); ▲ ▼ ● as in
the paper."""
CONFIG = {
    "font": "Liberation Sans, Arial, Helvetica, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "gridColor": FAINT, "labelColor": INK, "labelFontSize": 11, "titleColor": INK,
        "titleFontWeight": "normal",
    },
    "legend": {
        "orient": "top", "title": None, "labelFontSize": 11, "labelLimit": 0, "symbolSize": 60,
        "symbolOpacity": 1,
    },
    "title": {
        "anchor": "start", "frame": "bounds", "fontSize": 14, "offset": 10,
        "subtitleFontSize": 11, "subtitleColor": QUIET,
    },
}  # fmt: skip


def layer(data: str, kind: str, look: Spec, **encoding: Any) -> Spec:  # noqa: ANN401
    """One layer: some rows drawn as marks of one kind."""
    return {"data": {"name": data}, "mark": {"type": kind, **look}, "encoding": encoding}


def number(field: str, title: Any = None, **scale: Any) -> Spec:  # noqa: ANN401
    """A field of numbers on an axis; one layer gives the axis its title and scale."""
    channel: Spec = {"field": field, "type": "quantitative"}
    said = {"title": title} if title else {}
    return channel | said | ({"scale": scale} if scale else {})


def names(order: Sequence[str], **axis: Any) -> Spec:  # noqa: ANN401
    """Systems along an axis in an order."""
    plain = {"labelLimit": LABEL, "labelOverlap": False, "ticks": False, "grid": False}
    channel: Spec = {"field": "system", "type": "nominal", "title": None}
    return channel | {"scale": {"domain": list(order)}, "axis": plain | axis}


def finished(
    layers: Sequence[Spec], size: tuple[float, float], title: Spec, **rows: pl.DataFrame
) -> Spec:
    """A whole chart with its rows."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": "white",
        "padding": 12,
        "title": title,
        "width": size[0],
        "height": size[1],
        "layer": list(layers),
        "config": CONFIG,
        "datasets": {
            "zero": [{"zero": 0}],
            **{name: frame.to_dicts() for name, frame in rows.items()},
        },
    }
