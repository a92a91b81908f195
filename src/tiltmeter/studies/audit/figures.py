"""The figures of an audit as files: SVG and PNG, drawn without a network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tiltmeter.report.charts import png, svg
from tiltmeter.report.phrases import numbered, slug
from tiltmeter.studies.paired.comparison import beside_average, comparisons
from tiltmeter.studies.paired.figures import (
    FigurePanel,
    box_chart,
    groups_panel,
    panel,
    skill_chart,
    strip_svg,
)
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.regression.forests import regression_figures

PAPER = {"gender": 1, "race": 2}
"""Which of the paper's figures shows an axis."""


def drawn_figures(audit: AuditResults) -> Iterator[tuple[str, bytes]]:
    """Every figure as its file's name and content."""
    for shown, name in drawn_panels(audit):
        number = paper_number(shown)
        boxes = svg(box_chart(shown, number, every=False))
        yield f"figure{number or ''}-{name}.svg", boxes.encode()
        yield f"figure{number or ''}-{name}.png", png(svg(box_chart(shown, number, every=True)))
        drawn = {"strip": strip_svg(shown)}
        if shown.systems["skill"].count() and not shown.each:
            drawn["skill"] = svg(skill_chart(shown))
        for kind, text in drawn.items():
            yield f"{kind}-{name}.svg", text.encode()
            yield f"{kind}-{name}.png", png(text)
    for figure in regression_figures(audit):
        yield from figure.files()


def drawn_panels(audit: AuditResults) -> Iterator[tuple[FigurePanel, str]]:
    """Every task of every comparison that has something to draw, and its name in files."""
    found = comparisons(audit)
    tasks = {one.compared.name: sorted(one.compared.submissions["task"].unique()) for one in found}
    shown = [
        panel(audit, comparison, task)
        for comparison in found
        if not comparison.average
        for task in tasks[comparison.compared.name]
    ]
    shown += [
        groups_panel(audit, every, task)
        for every in beside_average(found)
        for task in tasks[every[0].compared.name]
    ]
    drawn = [one for one in shown if one.systems["mean"].count()]
    names = [
        "-".join(map(slug, (one.comparison.axis, one.task, *one.comparison.apart))) for one in drawn
    ]
    return zip(drawn, numbered(names), strict=True)


def paper_number(shown: FigurePanel) -> int | None:
    """Which of the paper's figures it is like: those are of two groups."""
    return None if shown.each else PAPER.get(shown.comparison.axis)


@dataclass(frozen=True, slots=True)
class FigureFiles:
    """A figure's files, `figures/NAME.svg` and `.png`."""

    title: str
    name: str


def figure_files(audit: AuditResults) -> Iterator[FigureFiles]:
    """The box plots and regressions of this run."""
    for shown, name in drawn_panels(audit):
        number = paper_number(shown)
        said = ", ".join((shown.comparison.axis, shown.task, *shown.comparison.apart))
        title = f"Figure {number}: {said}" if number else said
        yield FigureFiles(title, f"figure{number or ''}-{name}")
    for figure in regression_figures(audit):
        yield FigureFiles(figure.title, figure.name)
