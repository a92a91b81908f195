"""The paper's tables for a run, and every further table that goes into the folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import polars as pl

from tiltmeter.report.numbers import count
from tiltmeter.report.phrases import numbered, slug, subset_words
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
    top_systems,
    verdict_table,
)
from tiltmeter.studies.paired.tables_where import largest_pairs, matches, people, templates_words
from tiltmeter.studies.regression.marginal_effects import marginal_effects_tables
from tiltmeter.studies.regression.tables import regression_tables

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
