"""What a reproduction leaves of the paper's tables of coefficients: CSV, LaTeX, figures."""

from __future__ import annotations

from pathlib import Path

from tiltmeter.report.charts.drawing import can_draw
from tiltmeter.report.charts.regression_figures import language_figures
from tiltmeter.report.results import Results
from tiltmeter.report.tables.margins import print_frame
from tiltmeter.report.tables.margins_latex import margins_latex
from tiltmeter.report.tables.margins_published import reproduced_tables
from tiltmeter.report.writer import Writer


def write_margins(results: Results, folder: Path) -> None:
    """Write Tables 3 to 5 in both scales, every number behind them, and the languages compared."""
    writer = Writer(folder)
    for reproduced in reproduced_tables(results):
        for table in (reproduced.beta, reproduced.least_squares):
            writer.csv(f"tables/{table.name}.csv", print_frame(table))
            writer.text(f"tables/{table.name}.tex", margins_latex(table))
    if results.effects is not None:
        writer.csv("tables/margins.csv", results.effects)
    if results.languages is None:
        return
    writer.csv("tables/margins-languages.csv", results.languages)
    for name, data in language_figures(results.languages, results.phrases) if can_draw() else ():
        writer.data(f"figures/{name}", data)
