"""What stands beside the page in its folder, to download."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tiltmeter.report.material import Material
from tiltmeter.report.tables.flips import label_tables
from tiltmeter.report.tables.margins_of_run import margins_tables


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure's files, `figures/NAME.svg` and `.png`."""

    title: str
    name: str


def figure_files(material: Material) -> Iterator[Figure]:
    """The box plots and regressions of this run."""
    from tiltmeter.report.charts.figures import drawn_panels, paper_number
    from tiltmeter.report.charts.regression_figures import regression_figure_names

    for shown, name in drawn_panels(material):
        number = paper_number(shown)
        said = ", ".join((shown.comparison.axis, shown.task, *shown.comparison.apart))
        title = f"Figure {number}: {said}" if number else said
        yield Figure(title, f"figure{number or ''}-{name}")
    for named in regression_figure_names(material):
        yield Figure(named.title, named.name)


def further_tables(material: Material) -> list[str]:
    """Names of the tables in `tables/` besides the paper's."""
    names = ["differences", "largest-pairs", "people", "templates-words", "matches"]
    if material.tilts is not None and not material.tilts.is_empty():
        names.append("verdicts")
    names += label_tables(material)
    if material.skill is not None:
        names += ["skill", "top-systems"]
    if material.meta is not None:
        names.append("families")
    if material.regressed:
        names += [f"regression-{name}" for name in ("coefficients", "fits", "groups", "names")]
    if material.regressed and material.languages is not None:
        names.append("regression-languages")
    return names + [table.name for table in margins_tables(material)]
