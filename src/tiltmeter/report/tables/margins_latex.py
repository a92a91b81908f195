r"""The tables of Câmara et al. (2022) for papers: stars raised, notes below."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.report.tables.latex_text import END, document, escaped, number, table_row
from tiltmeter.report.tables.margins import Line, Margins, Number

LONGEST = 48
"""Lines that fit on a page; a longer table runs over several."""


def margins_latex(table: Margins) -> str:
    """A table as the paper prints it."""
    body = list(_body(table))
    notes = " ".join(table.notes)
    said = escaped(f"{table.caption} {notes}".strip())
    columns = "ll" + "r" * _across(table) if table.wide else "lll" + "r" * len(table.tasks)
    if len(body) > LONGEST:
        return document(
            rf"\begin{{longtable}}{{{columns}}}",
            rf"\caption{{{said}}}\label{{tab:{table.name}}}" + END,
            *(r"\toprule", r"\endhead", r"\bottomrule", r"\endfoot"),
            *body,
            r"\end{longtable}",
        )
    return document(
        *(r"\begin{table*}[t]", r"\centering", rf"\begin{{tabular}}{{{columns}}}", r"\toprule"),
        *body,
        *(r"\bottomrule", r"\end{tabular}", rf"\caption{{{said}}}"),
        *(rf"\label{{tab:{table.name}}}", r"\end{table*}"),
    )


def _across(table: Margins) -> int:
    return max((len(part) for part in table.parts), default=0) * len(table.effects)


def _body(table: Margins) -> Iterator[str]:
    for at, part in enumerate(table.parts):
        yield from [r"\midrule"] if at else []
        yield from _heads(table, part)
        yield r"\midrule"
        before = ""
        for line in table.lines:
            yield from _line(table, part, line, "" if line.language == before else line.language)
            before = line.language


def _heads(table: Margins, part: tuple[str, ...]) -> Iterator[str]:
    if not table.wide:
        yield table_row(
            "Language", "System", "Effect", *(escaped(task.capitalize()) for task in part)
        )
        return
    many = len(table.effects)
    over = (rf"\multicolumn{{{many}}}{{c}}{{{escaped(task.capitalize())}}}" for task in part)
    yield table_row("", "", *over)
    yield table_row("Language", "System", *(map(escaped, table.heads * len(part))))


def _line(table: Margins, part: tuple[str, ...], line: Line, language: str) -> Iterator[str]:
    start = [escaped(language), escaped(line.label)]
    if table.wide:
        cells = [_cell(line.shown(task, one)) for task in part for one in table.effects]
        yield table_row(*start, *cells)
        return
    for one, head in table.columns:
        yield table_row(*start, escaped(head), *(_cell(line.shown(task, one)) for task in part))
        start = ["", ""]


def _cell(shown: Number | None) -> str:
    if shown is None:
        return ""
    return number(shown.value) + (f"$^{{{shown.stars}}}$" if shown.stars else "")
