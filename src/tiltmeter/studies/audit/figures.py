"""The figures of a run as files: SVG and PNG, drawn without a network."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.report.charts import png, svg
from tiltmeter.report.phrases import numbered, slug
from tiltmeter.studies.paired.comparison import Comparison, beside_average, comparisons
from tiltmeter.studies.paired.figures import FigurePanel, groups_panel, panel
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.regression.figures import regression_figures

PAPER = {"gender": 1, "race": 2}
"""Which of the paper's figures shows an axis."""


def drawn_figures(audit: AuditResults) -> Iterator[tuple[str, bytes]]:
    """Every figure as its file's name and content."""
    from tiltmeter.studies.paired.figures import box_chart, skill_chart, strip_chart

    for shown, name in drawn_panels(audit):
        number = paper_number(shown)
        boxes = svg(box_chart(shown, number, points=False))
        yield f"figure{number or ''}-{name}.svg", boxes.encode()
        yield f"figure{number or ''}-{name}.png", png(svg(box_chart(shown, number, points=True)))
        drawn = {"strip": svg(strip_chart(shown))}
        if shown.systems["skill"].count() and not shown.each:
            drawn["skill"] = svg(skill_chart(shown))
        for kind, text in drawn.items():
            yield f"{kind}-{name}.svg", text.encode()
            yield f"{kind}-{name}.png", png(text)
    yield from regression_figures(audit)


def drawn_panels(audit: AuditResults) -> Iterator[tuple[FigurePanel, str]]:
    """Every task of every comparison that has something to draw, and its name in files."""
    found = comparisons(audit)
    shown = [
        panel(audit, comparison, task)
        for comparison in found
        if not comparison.average
        for task in _tasks(comparison)
    ]
    shown += [
        groups_panel(audit, every, task)
        for every in beside_average(found)
        for task in _tasks(every[0])
    ]
    drawn = [one for one in shown if one.systems["mean"].count()]
    names = [
        "-".join(map(slug, (one.comparison.axis, one.task, *one.comparison.apart))) for one in drawn
    ]
    return zip(drawn, numbered(names), strict=True)


def paper_number(shown: FigurePanel) -> int | None:
    """Which of the paper's figures it is like: those are of two groups."""
    return None if shown.each else PAPER.get(shown.comparison.axis)


def _tasks(comparison: Comparison) -> list[str]:
    return sorted(comparison.compared.submissions["task"].unique())
