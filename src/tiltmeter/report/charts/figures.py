"""The paper's figures for a run: files of SVG and PNG, drawn without a network.

Figures 1 and 2 of K&M 2018 are the box plots of gender and race; each axis and contrast has its
like. The PNG shows every pair, the SVG boxes and outliers, so that it stays small.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from tiltmeter.errors import MissingExtraError
from tiltmeter.report.charts.data import Panel, panel
from tiltmeter.report.comparison import Comparison, comparisons
from tiltmeter.report.material import Material
from tiltmeter.report.slugs import numbered, slug

PAPER = {"gender": 1, "race": 2}
"""Which of the paper's figures shows an axis."""
SHARP, LARGEST_SIDE = 2.0, 12_000
"""How many pixels of a PNG a pixel of the figure takes, and how many a side may have."""
NOT_DRAWN = re.compile(r"\\\\|\\[bf]|\\u(?:00[01][0-9a-f]|fff[ef])")
"""In JSON: letters that no SVG may hold, on which the drawing part ends the whole process; and a
backslash with its escape, so that what stands after it is not taken for one of them."""


def figures_missing() -> str | None:
    """What to install before figures can be drawn, or None where they can."""
    if find_spec("vl_convert"):
        return None
    return str(MissingExtraError("the part that draws figures", "charts"))


def figures(material: Material) -> Iterator[tuple[str, bytes]]:
    """Every figure as its file's name and content."""
    from tiltmeter.report.charts.specs import box_chart, skill_chart, strip_chart

    for shown, name in drawn_panels(material):
        number = PAPER.get(shown.comparison.axis)
        boxes = svg(box_chart(shown, number, points=False))
        yield f"figure{number or ''}-{name}.svg", boxes.encode()
        yield f"figure{number or ''}-{name}.png", png(svg(box_chart(shown, number, points=True)))
        drawn = {"strip": svg(strip_chart(shown))}
        if shown.systems["skill"].count():
            drawn["skill"] = svg(skill_chart(shown))
        for kind, text in drawn.items():
            yield f"{kind}-{name}.svg", text.encode()
            yield f"{kind}-{name}.png", png(text)


def drawn_panels(material: Material) -> Iterator[tuple[Panel, str]]:
    """Every task of every comparison that has something to draw, and its name in files."""
    shown = [
        panel(material, comparison, task)
        for comparison in comparisons(material)
        for task in sorted(comparison.compared.submissions["task"].unique())
    ]
    drawn = [one for one in shown if one.systems["mean"].count()]
    names = [_name(one.comparison, one.task) for one in drawn]
    return zip(drawn, numbered(names), strict=True)


def _name(comparison: Comparison, task: str) -> str:
    return "-".join(map(slug, (comparison.axis, task, *comparison.apart)))


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
