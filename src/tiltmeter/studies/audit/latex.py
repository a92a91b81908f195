"""The paper's tables for papers: LaTeX with booktabs, three decimals as in K&M 2018."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from tiltmeter.report.markup import END, document, escaped, number, table_row
from tiltmeter.report.numbers import p_value
from tiltmeter.report.phrases import task_title
from tiltmeter.studies.audit.tables import PaperTable, group_tables
from tiltmeter.studies.paired.comparison import Comparison, comparisons, printed
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.tables import differences
from tiltmeter.studies.paired.wording import places_of
from tiltmeter.studies.regression.marginal_effects import marginal_effects_tables

IN_BRACKETS = "In brackets: over how many submissions, where not over all of the group."
DIFFERENCES = (
    *("System", "Task", r"Mean $\Delta$", r"95\,\% interval", "$p$", r"$\Delta$-spread", "Group"),
)


def latex_tables(audit: AuditResults) -> dict[str, str]:
    """Every table for papers, by its file's name without an ending."""
    tables = {table.name: group_latex(table) for table in group_tables(audit)}
    if "pairs" in audit.measures:
        tables["differences"] = differences_latex(audit)
    if audit.skill is not None:
        tables["skill"] = skill_latex(audit.skill)
    effects = (table.print_table() for table in marginal_effects_tables(audit))
    return tables | {table.name: table.latex() for table in effects}


def group_latex(table: PaperTable) -> str:
    """A table of groups of submissions, a block per task, as the paper prints it."""
    rows = list[str]()
    for (task,), block in table.frame.group_by("task", maintain_order=True):
        rows.append(r"\midrule")
        rows.append(rf"\multicolumn{{4}}{{l}}{{\textbf{{{escaped(task_title(str(task)))}}}}}" + END)
        for row in block.to_dicts():
            averages = list[str]()
            for side in ("up", "down"):
                value, over = row[side], row[f"n_{side}"]
                some = value is not None and over < row["submissions"]
                averages.append(f"{number(value)} ({over})" if some else number(value))
            rows.append(table_row(escaped(row["group"]), str(row["submissions"]), *averages))
    some_only = pl.min_horizontal("n_up", "n_down") < pl.col("submissions")
    known = pl.any_horizontal(pl.col("up", "down").is_not_null())
    partial = not table.frame.filter(some_only, known).is_empty()
    caption = f"{table.caption} {IN_BRACKETS}" if partial else table.caption
    return document(
        *(r"\begin{table}[t]", r"\centering", r"\begin{tabular}{lrrr}", r"\toprule"),
        r"Task & & \multicolumn{2}{c}{Avg.\ score diff.}" + END,
        table_row(r"Group", r"\#Subm.", *map(escaped, table.labels)),
        *rows,
        *(r"\bottomrule", r"\end{tabular}"),
        rf"\caption{{{escaped(caption)}}}",
        rf"\label{{tab:{table.name}}}",
        r"\end{table}",
    )


def differences_latex(audit: AuditResults) -> str:
    """Every submission's mean difference on all sentences, a block per comparison."""
    shown = differences(audit).filter(pl.col("subset") == audit.subset)
    found = [(one, one.of(shown)) for one in comparisons(audit)]
    blocks = [[*_compared(one, frame)] for one, frame in found if frame.height]
    rows = [row for block in blocks for row in (r"\midrule", *block)][1:]
    caption = (
        "Mean difference of each submission, in parts of the scale (in its own units where marked "
        f"with *), on the subset {audit.subset}; p after correction."
    )
    return _long("llrlrrl", DIFFERENCES, rows, caption, "differences")


def skill_latex(skill: pl.DataFrame) -> str:
    """How well each submission agrees with gold scores."""
    heads = ("Ranks", "System", "Task", "Pearson", "Spearman", "$n$")
    rows = [
        table_row(
            _places(row),
            *(escaped(row["system"]), escaped(row["task"])),
            *(number(row["pearson"]), number(row["spearman"]), f"{row['n']}"),
        )
        for row in skill.sort("task", "rank", "system", nulls_last=True).to_dicts()
    ]
    caption = (
        "Agreement with the gold scores: Pearson and Spearman correlation. Ranks: from the best to "
        "the worst that the texts allow, all at once with 95 % certainty."
    )
    return _long("rllrrr", heads, rows, caption, "skill")


def _places(row: dict[str, Any]) -> str:
    """The ranks that the texts allow, with a dash for numbers."""
    places = places_of(row)
    return "--" if places is None else places.between.replace("–", "--")


def _compared(comparison: Comparison, frame: pl.DataFrame) -> Iterator[str]:
    """One comparison's submissions, largest difference first."""
    names = printed(*comparison.short)
    groups = f"{comparison.first} − {comparison.second}"
    corpus = (one for one in comparison.apart if one != comparison.contrast)
    head = escaped(", ".join((comparison.axis, groups, *corpus)))
    yield rf"\multicolumn{{{len(DIFFERENCES)}}}{{l}}{{\textbf{{{head}}}}}" + END
    size = pl.col("mean_difference").abs()
    for row in frame.sort("task", size, "system", descending=[False, True, False]).to_dicts():
        own = "" if row["unit"] == "scale" else "*"
        between = "--" if row["low"] is None else f"{number(row['low'])} to {number(row['high'])}"
        p = p_value(row["p_adjusted"]).removeprefix("p ").removeprefix("= ")
        yield table_row(
            *(escaped(row["system"]) + own, escaped(row["task"])),
            *(number(row["mean_difference"]), between, escaped(p), number(row["spread"])),
            escaped(names[row["significance"]]),
        )


def _long(columns: str, heads: Sequence[str], rows: Sequence[str], caption: str, label: str) -> str:
    """A table that may run over several pages."""
    return document(
        rf"\begin{{longtable}}{{{columns}}}",
        rf"\caption{{{escaped(caption)}}}\label{{tab:{label}}}" + END,
        *(r"\toprule", table_row(*heads), r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"),
        *rows,
        r"\end{longtable}",
    )
