"""The paper's tables for a run, and every further table that goes into the folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import polars as pl

from tiltmeter.ranking import coarsen_column
from tiltmeter.report.numbers import DASH, count, fixed, p_value
from tiltmeter.report.phrases import numbered, slug, subset_words, task_title
from tiltmeter.report.table import Cell, Column, Row, Table
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

PAPER = {("gender", "all"): 5, ("gender", "neutral"): 6, ("race", "all"): 7}
"""Which of the paper's tables shows an axis on a subset."""
AFTER = 8
"""Where every other table stands."""
PER_SUBMISSION = ["system", "task", "corpus", "edition", "axis", "contrast", "subset"]
FROM = "From: over how many submissions, where not over all of the group."
GROUPS = (Significance.NONE, Significance.UP, Significance.DOWN, Significance.NOT_ESTIMABLE, "all")
SCHEMA = dict.fromkeys(("corpus", "task", "group", "significance"), pl.String) | {
    "submissions": pl.Int64,
    "up": pl.Float64,
    "n_up": pl.Int64,
    "down": pl.Float64,
    "n_down": pl.Int64,
}


def audit_tables(audit: AuditResults) -> tuple[Table, ...]:
    """Every table of the folder: the paper's, and whatever else lies behind the findings."""
    for_papers = []
    if "pairs" in audit.measures:
        for_papers.append(printed_differences(audit))
    if audit.skill is not None:
        for_papers.append(printed_skill(audit.skill))
    return (
        *group_tables(audit),
        *(Table(name, frame) for name, frame in run_tables(audit).items()),
        *for_papers,
        *(table.print_table() for table in marginal_effects_tables(audit)),
    )


def group_tables(audit: AuditResults) -> tuple[Table, ...]:
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
    return tables | regression_tables(audit)


def _table(judged: pl.DataFrame, comparison: Comparison, subset: str) -> Table:
    """The submissions of a comparison in groups by what the test found, by task."""
    of_subset = comparison.of(judged).filter(pl.col("subset") == subset)
    names = printed(*comparison.short)
    estimable = pl.col("significance") != Significance.NOT_ESTIMABLE
    on_scale = pl.col("unit") == "scale"
    rows = []
    for task, kind in product(sorted(of_subset["task"].unique()), GROUPS):
        members = of_subset.filter(task=task)
        members = members if kind == "all" else members.filter(significance=kind)
        if kind == Significance.NOT_ESTIMABLE and members.is_empty():
            continue
        up, down = members.filter(estimable, on_scale).select("up", "down")
        rows.append((
            comparison.compared.name, task, names[kind], kind, members.height,
            up.mean(), up.count(), down.mean(), down.count(),
        ))  # fmt: skip
    number = PAPER.get((comparison.axis, subset), "")
    title = ", ".join((comparison.axis, subset_words(subset), *comparison.apart))
    title = f"Table {number}: {title}" if number else title[:1].upper() + title[1:]
    native = of_subset.filter(estimable, ~on_scale).height
    return group_table(
        "-".join((f"table{number}", *map(slug, (comparison.axis, subset, *comparison.apart)))),
        f"{title}.",
        _note(of_subset, comparison, subset, native) if of_subset.height else "",
        labels(*comparison.short),
        pl.DataFrame(rows, schema=SCHEMA, orient="row"),
    )


def group_table(
    name: str, title: str, note: str, sides: tuple[str, str], frame: pl.DataFrame
) -> Table:
    """A table of groups of submissions, a block per task, as the paper prints it.

    `sides` head the two columns of differences: `F↑–M↓`, `F↓–M↑`. The frame has corpus, task,
    group (as printed: `F=M not significant`, …, `All`), significance (none, up, down, not_estimable
    where there is any, all), submissions, up, n_up, down, n_down: average Δ up and down in parts of
    the scale, null where the group is empty, and over how many submissions each average is.
    """

    def average(side: str) -> Callable[[Row], Cell]:
        def cell(row: Row) -> Cell:
            over = row[f"n_{side}"]
            some = 0 < over < row["submissions"]
            return Cell(three_places(row[side]), small=f"from {over}" if some else "")

        return cell

    some_only = pl.min_horizontal("n_up", "n_down") < pl.col("submissions")
    known = pl.any_horizontal(pl.col("up", "down").is_not_null())
    partial = not frame.filter(some_only, known).is_empty()
    return Table(
        name,
        frame,
        (
            Column("group", "Group"),
            Column("submissions", "Submissions", latex=r"\#Subm."),
            *(
                Column(side, head, cell=average(side), over="Average Δ", align="right")
                for side, head in zip(("up", "down"), sides, strict=True)
            ),
        ),
        title,
        tuple(filter(None, (note, FROM if partial else ""))),
        by="task",
        heading=task_title,
        kind="print",
        row_kind=lambda row: "all" if row["significance"] == "all" else "",
        files=("csv", "tex"),
    )


def _note(of_subset: pl.DataFrame, comparison: Comparison, subset: str, native: int) -> str:
    """What is compared, how the numbers came about, and what is left out of them."""
    (short, other), (about, about_other) = comparison.short, comparison.phrases
    pairs, rule = of_subset.select(pl.col("pairs").max().fill_null(0), pl.col("rule").first()).row(
        0
    )
    left_out = (
        f" {count(native, 'submission has', 'submissions have')} no known scale: counted here, but "
        "not in the averages."
    )
    return (
        f"Differences between the scores of sentences {about} ({short}: {comparison.first}) and of "
        f"the same sentences {about_other} ({other}: {comparison.second}); "
        f"{count(of_subset.height, 'submission')} on {subset_words(subset)} of "
        f"{comparison.compared.title}, {count(pairs, 'pair')}. "
        f"Δ = {comparison.first} − {comparison.second}, in parts of the scale: the average over "
        "pairs with Δ > 0 and over pairs with Δ < 0, for each submission first, then over the "
        f"group’s submissions that have such pairs. Rule: {rule}.{left_out if native else ''}"
    )


def printed_differences(audit: AuditResults) -> Table:
    """Every submission's mean difference on the subset shown, a block per comparison."""
    shown = differences(audit).filter(pl.col("subset") == audit.subset)
    largest_first = ("task", coarsen_column(pl.col("mean_difference").abs()), "system")
    blocks = []
    for one in comparisons(audit):
        corpus = (name for name in one.apart if name != one.contrast)
        heading = ", ".join((one.axis, f"{one.first} − {one.second}", *corpus))
        names = printed(*one.short)
        group = pl.col("significance").replace_strict(names, return_dtype=pl.String)
        blocks.append(
            one.of(shown)
            .sort(largest_first, descending=[False, True, False])
            .with_columns(group=group, comparison=pl.lit(heading))
        )
    return Table(
        "differences",
        pl.concat(blocks),
        (
            Column("system", "System", cell=lambda row: Cell(
                row["system"], raised="" if row["unit"] == "scale" else "*"
            )),
            Column("task", "Task"),
            Column("mean_difference", "Mean Δ", three_places),
            Column("low", "95 % interval", cell=lambda row: DASH if row["low"] is None else (
                f"{three_places(row['low'])} to {three_places(row['high'])}"
            ), align="left"),
            Column("p_adjusted", "p", cell=lambda row: p_value(row["p_adjusted"])
                   .removeprefix("p ").removeprefix("= "), latex="$p$", align="right"),
            Column("spread", "Δ-spread", three_places),
            Column("group", "Group"),
        ),
        "Mean difference of each submission, in parts of the scale (in its own units where marked "
        f"with *), on the subset {audit.subset}; p after correction.",
        by="comparison",
        tight=False,
        paged=True,
        files=("tex",),
    )  # fmt: skip


def printed_skill(skill: pl.DataFrame) -> Table:
    """How well each submission agrees with gold scores."""

    def ranks(row: Row) -> str:
        places = places_of(row)
        return DASH if places is None else places.between

    return Table(
        "skill",
        skill.sort("task", "rank", "system", nulls_last=True),
        (
            Column("rank", "Ranks", cell=ranks),
            Column("system", "System"),
            Column("task", "Task"),
            Column("pearson", "Pearson", three_places),
            Column("spearman", "Spearman", three_places),
            Column("n", "n", latex="$n$"),
        ),
        "Agreement with the gold scores: Pearson and Spearman correlation. Ranks: from the best to "
        "the worst that the texts allow, all at once with 95 % certainty.",
        paged=True,
        files=("tex",),
    )


def three_places(value: float | None) -> str:
    """A number as the paper prints it, a dash where there is none."""
    return DASH if value is None else fixed(value, 3)
