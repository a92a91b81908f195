"""The paper's figures for a run: files of SVG and PNG, drawn without a network.

Figures 1 and 2 of K&M 2018 are the box plots of gender and race; each axis and contrast has its
like. The PNG shows every pair, the SVG boxes and outliers, so that it stays small.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from tiltmeter.errors import MissingExtraError
from tiltmeter.report.charts.data import Panel, panel
from tiltmeter.report.charts.drawing import png, svg
from tiltmeter.report.charts.regression_figures import regression_figures
from tiltmeter.report.comparison import Comparison, comparisons
from tiltmeter.report.material import Material
from tiltmeter.report.slugs import numbered, slug

PAPER = {"gender": 1, "race": 2}
"""Which of the paper's figures shows an axis."""


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
    yield from regression_figures(material)


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
