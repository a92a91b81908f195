"""`tiltmeter skill`: how well systems agree with gold scores, and for whom."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.check_submissions import show_set_aside
from tiltmeter.cli.console import (
    STDOUT,
    check_json_place,
    facts,
    give_json,
    heading,
    say,
    show_rest,
    table,
    visible,
)
from tiltmeter.cli.score import show_stored, together
from tiltmeter.report.terminal import text_width

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.studies.skill.run import Skill


Row = dict[str, Any]
Cell = tuple[str, str]
"""A number and its interval, or a name and what stands beside it."""

SCHEMA_VERSION = 1
DIGITS = 10
SHOWN = 20
"""Systems shown before the rest is only counted."""
GAP = 3
"""Blanks between columns."""
FIRST = ("pearson", "spearman", "mae")
"""What a line a system has room for."""


def show_skill(found: Skill) -> None:
    """Print every system's skill, that of its groups, and in words what may be said."""
    from tiltmeter.studies.skill.view import notes

    show_set_aside(found.reports)
    for (task,), part in found.overall.group_by("task", maintain_order=True):
        _show_task(found, str(task), part)
    if found.by is not None:
        _show_groups(found)
    say()
    _show_method(found)
    facts(together(notes(found)))
    show_stored(found.stored)


def skill_json(found: Skill) -> str:
    """The numbers as JSON, at ten significant digits, with what determines them."""
    import polars as pl

    rows = found.table.with_columns(pl.col(pl.Float64).round_sig_figs(DIGITS)).to_dicts()
    aside = ((one.name, f"set aside: {one.set_aside}") for one in found.reports if one.set_aside)
    noted = [*found.notes, *aside]
    head = {"schema_version": SCHEMA_VERSION, "run": found.facts, "notes": noted}
    return json.dumps(head | {"skill": rows}, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _show_task(found: Skill, task: str, part: pl.DataFrame) -> None:
    """A line a system, best first; how many texts stands above where it is the same for all."""
    import polars as pl

    from tiltmeter.ranking import coarsen_column
    from tiltmeter.studies.skill.view import NAMES

    order = part.filter(measure="pearson").sort(
        coarsen_column(pl.col("value")), descending=True, nulls_last=True, maintain_order=True
    )
    sizes = order.filter(order["n"] > 0)["n"].unique()
    same = f", {sizes[0]:,} texts" if sizes.len() == 1 else ""
    heading(f"Skill on {found.gold.name}: {task}{same}")
    rows = []
    for system in order["system"].head(SHOWN):
        mine = {row["measure"]: row for row in part.filter(system=system).iter_rows(named=True)}
        many = [] if same else [(f"{mine['pearson']['n']:,}", "")]
        rows.append([(system, ""), *many, *(_cell(mine[name]) for name in FIRST)])
    _show_table(["system", *([] if same else ["texts"]), *(NAMES[name] for name in FIRST)], rows)
    show_rest(order.height, SHOWN, "; -o FILE writes all.")
    _say_places(found, task)


def _say_places(found: Skill, task: str) -> None:
    """Which places the texts allow, where there is more than one system to rank."""
    from tiltmeter.studies.paired.wording import places_of

    if found.ranks is None or found.ranks.is_empty():
        return
    known = found.ranks.filter(task=task).drop_nulls("rank").sort("rank", maintain_order=True)
    if known.height > 1:
        rows = known.head(SHOWN).iter_rows(named=True)
        told = [(row["system"], places) for row in rows if (places := places_of(row))]
        listed = ", ".join(f"{system} {places.between}" for system, places in told)
        more = f"{', …' * (known.height > SHOWN)}, of {known.height:,}."
        say(visible(f"Places by Pearson that the texts allow: {listed}{more}"))


def _show_groups(found: Skill) -> None:
    """A table a system: its groups, then the differences between them, then what they mean."""
    from tiltmeter.studies.skill.view import NAMES, difference_sentences

    both = found.table.filter(found.table["group"].is_not_null())
    systems = list(both.group_by("task", "system", maintain_order=True))
    for (task, system), part in systems[:SHOWN]:
        heading(f"{system}, {task}, by {found.by}")
        by_group: dict[tuple[str, ...], dict[str, Row]] = {}
        for row in part.iter_rows(named=True):
            of = tuple(row[name] for name in ("group", "against") if row[name] is not None)
            by_group.setdefault(of, {})[row["measure"]] = row
        rows = [
            [_named(" − ".join(of), mine["pearson"]), *(_cell(mine[name]) for name in NAMES)]
            for of, mine in by_group.items()
        ]
        _show_table(["group", *NAMES.values()], rows)
        for sentence in difference_sentences(part, found):
            say(visible(sentence))
    show_rest(len(systems), SHOWN, "; -o FILE writes all.")


def _named(of: str, row: Row) -> Cell:
    """A group with how many texts it has and how much their gold varies."""
    if row["against"] is not None:
        return of, ""
    spread = "–" if row["gold_sd"] is None else f"{row['gold_sd']:.2f}"
    return of, f"n {row['n']:,}\nsd {spread}"


def _cell(row: Row) -> Cell:
    from tiltmeter.studies.skill.view import numbers

    value, low, high = numbers(row)
    return value, f"{low} to {high}" if low else ""


def _show_table(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """The rows in a line each where they fit, else in two, else one number below another."""
    one = [
        [f"{first} ({rest.replace(chr(10), ', ')})" if rest else first for first, rest in row]
        for row in rows
    ]
    two = [["\n".join(filter(None, cell)) for cell in row] for row in rows]
    for cells in (one, two):
        widest = [
            max(text_width(line) for cell in column for line in cell.split("\n"))
            for column in zip(columns, *cells, strict=True)
        ]
        if sum(widest) + GAP * (len(widest) - 1) <= get_terminal_size().columns:
            table(columns, cells, right=columns[1:])
            return
    for row in one:
        say(visible(row[0]))
        for name, cell in zip(columns[1:], row[1:], strict=True):
            say(visible(f"  {name} {cell}"))


def _show_method(found: Skill) -> None:
    """How the numbers were made, and what they do not say."""
    how = found.how
    made = f"{how.sure} intervals from {how.resamples:,} resamples of the texts, seed {how.seed}."
    say(f"{made} MAE: mean distance of score and gold, in points of 100 of the scale.")
    if found.by is None:
        return
    say(
        "error: mean of score − gold, above 0 where a group is scored too high. sd: the spread of "
        "a group's gold scores; where it is smaller a correlation is lower by that alone. Gold "
        "labels may themselves differ between groups."
    )
    if found.family > 1:
        say(
            f"The intervals shown are not corrected for the {found.family:,} differences in each "
            "measure; what is called detected is (Bonferroni)."
        )


def skill(
    systems: opt.SystemSpecs,
    gold: Annotated[
        Path,
        typer.Option(metavar="FILE|DIR", help="Labelled texts: ID or text, score, other columns."),
    ],
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="A column of the gold with each text's group: its authors, dialect or topic.",
        ),
    ] = None,
    language: Annotated[
        str,
        typer.Option(metavar="CODE", help="en, es or ar, where SemEval's files are in several."),
    ] = "",
    level: Annotated[
        float, typer.Option(metavar="P", help="0.05 gives 95 % intervals, 0.01 gives 99 %.")
    ] = 0.05,
    resamples: Annotated[
        int, typer.Option(metavar="N", help="How often the texts are drawn again.")
    ] = 2_000,
    family: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Correct for N differences; default: all that a measure has."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="The seed of the resamples.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE",
            help="Write every number, a row each (.csv, .tsv, .jsonl, .parquet).",
        ),
    ] = None,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write it as JSON; - prints."),
    ] = None,
    *,
    asking: opt.AskingOptions,
    quiet: opt.Quiet = False,
) -> None:  # fmt: skip
    """State how well systems agree with labelled texts, and for whom.

    Pearson, Spearman and mean absolute error, each with a bootstrap interval. With --by also for
    each group of texts, with the difference between groups and its interval.

    Example: tiltmeter skill vader textblob --gold gold.csv --by dialect

    Example: tiltmeter skill submissions/ --gold gold/ -o skill.csv
    """
    from tiltmeter import api
    from tiltmeter.cli.progress import progress_for, stages
    from tiltmeter.files import check_ending, check_place, write_frame

    if output is not None:
        check_ending(output)
        check_place(output)
    check_json_place(json_to)
    common = asking.how(seed=seed)
    with stages(quiet) as stage:
        found = api.skill(
            list(dict.fromkeys(systems)), gold, by=by, language=language, level=level,
            resamples=resamples, family=family, **common, progress=progress_for(quiet), stage=stage,
        )  # fmt: skip
    if output is not None:
        write_frame(found.table, output)
    give_json(json_to, skill_json(found))
    if not quiet and json_to != STDOUT:
        show_skill(found)
    if output is not None and not quiet:
        typer.echo(f"{found.table.height:,} numbers written to {output}", err=True)
