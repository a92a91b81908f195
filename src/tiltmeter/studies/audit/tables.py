"""The paper's tables for a run, and every further table that goes into the folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from tiltmeter.report.markup import END, document, escaped, number, table_row
from tiltmeter.report.numbers import count, p_value
from tiltmeter.report.phrases import numbered, slug, subset_words, task_title
from tiltmeter.schemas import Significance
from tiltmeter.studies.paired.comparison import (
    Comparison,
    comparisons,
    labels,
    main_subsets,
    printed,
)
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.tables import (
    differences,
    families,
    label_tables,
    largest_pairs,
    matches,
    people,
    templates_words,
    top_systems,
    verdict_table,
)
from tiltmeter.studies.paired.wording import places_of
from tiltmeter.studies.regression.tables import marginal_effects_tables, regression_tables

# ---- the paper's tables for a run, and every further table that goes into the folder


PAPER = {("gender", "all"): 5, ("gender", "neutral"): 6, ("race", "all"): 7}
"""Which of the paper's tables shows an axis on a subset."""
AFTER = 8
"""Where every other table stands."""
PER_SUBMISSION = ["system", "task", "corpus", "edition", "axis", "contrast", "subset"]
GROUPS = (Significance.NONE, Significance.UP, Significance.DOWN, Significance.NOT_ESTIMABLE, "all")
SCHEMA = dict.fromkeys(("corpus", "task", "group", "significance"), pl.String) | {
    "submissions": pl.Int64,
    "up": pl.Float64,
    "n_up": pl.Int64,
    "down": pl.Float64,
    "n_down": pl.Int64,
}


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table as in print, numbers still numbers."""

    name: str
    """Its file's name without an ending: `table5-gender-all`."""
    title: str
    caption: str
    labels: tuple[str, str]
    """Heads of the two columns of differences: `F↑–M↓`, `F↓–M↑`."""
    frame: pl.DataFrame
    """corpus, task, group (as printed: `F=M not significant`, …, `All`), significance (none, up,
    down, not_estimable where there is any, all), submissions, up, n_up, down, n_down: average Δ up
    and down in parts of the scale, null where the group is empty, and over how many submissions
    each average is."""


def group_tables(audit: AuditResults) -> tuple[PaperTable, ...]:
    """Tables 5, 6 and 7 of K&M 2018 for this run, and their like for every axis and contrast.

    They are of two groups each; where groups are compared with the average of all, there are none.
    """
    # Every finding with its submission's unit, average Δ up and down, and number of pairs
    measure, value = pl.col("measure"), pl.col("value")
    means = audit.paired_estimates.group_by(PER_SUBMISSION).agg(
        up=value.filter(measure == "mean_up").first(),
        down=value.filter(measure == "mean_down").first(),
        unit=pl.col("unit").filter(measure == "mean_up").first(),
        pairs=(pl.col("n") + pl.col("n_dropped")).filter(measure == "spread").first(),
    )
    judged = audit.paired_findings.join(means, on=PER_SUBMISSION, how="left", maintain_order="left")
    shown = [
        (comparison, subset)
        for subset in main_subsets(audit)
        for comparison in comparisons(audit)
        if not comparison.average
    ]
    shown.sort(key=lambda one: PAPER.get((one[0].axis, one[1]), AFTER))
    made = [_table(judged, comparison, subset) for comparison, subset in shown]
    told = [table for table in made if table.frame.height]
    names = numbered([table.name for table in told])
    return tuple(replace(table, name=name) for table, name in zip(told, names, strict=True))


def run_tables(audit: AuditResults) -> dict[str, pl.DataFrame]:
    """Every further table, `differences`, `people` and so on, by its file's name without ending."""
    tables = dict[str, pl.DataFrame]()
    if "pairs" in audit.measures:  # what lies behind the paired study
        tables = {
            "differences": differences(audit),
            "largest-pairs": largest_pairs(audit),
            "people": people(audit),
            "templates-words": templates_words(audit),
            "matches": matches(audit),
        }
        verdicts = verdict_table(audit)
        if verdicts is not None:
            tables["verdicts"] = verdicts
        tables |= label_tables(audit)
        if audit.skill is not None:
            tables["top-systems"] = top_systems(audit)
        if audit.meta is not None:
            tables["families"] = families(audit)
    if audit.skill is not None:
        tables["skill"] = audit.skill
    effects = (table.print_table() for table in marginal_effects_tables(audit))
    margins = {table.name: table.frame for table in effects}
    return tables | regression_tables(audit) | margins


def _table(judged: pl.DataFrame, comparison: Comparison, subset: str) -> PaperTable:
    mine = comparison.of(judged).filter(pl.col("subset") == subset)
    rows = [row for task in sorted(mine["task"].unique()) for row in _block(mine, task, comparison)]
    number = PAPER.get((comparison.axis, subset), "")
    parts = (comparison.axis, subset, *comparison.apart)
    said = ", ".join((comparison.axis, subset_words(subset), *comparison.apart))
    title = f"Table {number}: {said}" if number else said[:1].upper() + said[1:]
    return PaperTable(
        name="-".join((f"table{number}", *map(slug, parts))),
        title=title,
        caption=_caption(mine, comparison, subset),
        labels=labels(*comparison.short),
        frame=pl.DataFrame(rows, schema=SCHEMA, orient="row"),
    )


def _block(mine: pl.DataFrame, task: str, comparison: Comparison) -> Iterator[tuple[object, ...]]:
    """One task's rows; a row for what is not estimable only where there is any."""
    of_task = mine.filter(pl.col("task") == task)
    names = printed(*comparison.short)
    for kind in GROUPS:
        members = of_task if kind == "all" else of_task.filter(pl.col("significance") == kind)
        if kind == Significance.NOT_ESTIMABLE and members.is_empty():
            continue
        averaged = members.filter(_estimable(), _on_scale())
        up, down = averaged["up"], averaged["down"]
        yield (
            comparison.compared.name, task, names[kind], kind, members.height,
            up.mean(), up.count(), down.mean(), down.count(),
        )  # fmt: skip


def _estimable() -> pl.Expr:
    return pl.col("significance") != Significance.NOT_ESTIMABLE


def _on_scale() -> pl.Expr:
    return pl.col("unit") == "scale"


def _caption(mine: pl.DataFrame, comparison: Comparison, subset: str) -> str:
    """What is compared, how the numbers came about, and what is left out of them."""
    if mine.is_empty():
        return ""
    (short, other), (about, about_other) = comparison.short, comparison.phrases
    pairs, rule = mine.select(pl.col("pairs").max().fill_null(0), pl.col("rule").first()).row(0)
    native = mine.filter(_estimable(), ~_on_scale()).height
    left_out = (
        f" {count(native, 'submission has', 'submissions have')} no known scale: counted here, but "
        "not in the averages."
    )
    return (
        f"Differences between the scores of sentences {about} ({short}: {comparison.first}) and of "
        f"the same sentences {about_other} ({other}: {comparison.second}); "
        f"{count(mine.height, 'submission')} on {subset_words(subset)} of "
        f"{comparison.compared.title}, {count(pairs, 'pair')}. "
        f"Δ = {comparison.first} − {comparison.second}, in parts of the scale: the average over "
        "pairs with Δ > 0 and over pairs with Δ < 0, for each submission first, then over the "
        f"group’s submissions that have such pairs. Rule: {rule}.{left_out if native else ''}"
    )


# ---- the paper's tables for papers: LaTeX with booktabs, three decimals as in K&M 2018


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
