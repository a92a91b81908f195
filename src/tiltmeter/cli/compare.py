"""`tiltmeter compare`: two versions side by side, and what changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.console import (
    check_places,
    command_line,
    heading,
    print_results,
    say,
    show_rest,
    show_table,
    visible,
)

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.studies.versions.compare import Versions


SHOWN = 20
"""Versions a table lists before it only counts the rest."""
TOLD = 6
"""Sentences on what is undecided or cannot be estimated."""
WHOLE = 1000
"""Letters of a sentence: two systems' names, each of them long, and why it is undecided."""


def show_versions(done: Versions) -> None:
    """Print a table for each corpus and contrast, then what is undecided and left over."""
    from tiltmeter.studies.versions.wording import answer as change_answer

    show_changes(done.changes, done.phrases)
    say()
    say(visible(change_answer(done.changes)))
    for note in done.notes:
        say(visible(f"{note}."))
    for (audit,), part in done.unpaired.group_by("audit", maintain_order=True):
        names = [f"{system} ({task})" for system, task in part.select("system", "task").rows()]
        more = f" and {len(names) - TOLD} more" if len(names) > TOLD else ""
        say(visible(f"Only in the {audit} audit: {', '.join(names[:TOLD])}{more}."))
    _show_skill(done.skill)


def show_changes(changes: pl.DataFrame, phrases: Mapping[tuple[str, str, str], str]) -> None:
    """A table for each corpus, contrast and kind of people; then why what is undecided is."""
    from tiltmeter.studies.paired.wording import sides_of
    from tiltmeter.studies.versions.wording import short_versions

    names = {short_versions(row) for row in changes.to_dicts()}
    if len(names) == 1:
        say()
        say(visible(names.pop()))
    several = changes["corpus"].n_unique() > 1
    by = ("corpus", "axis", "contrast", "subset")
    for (corpus, axis, _, people), part in changes.group_by(by, maintain_order=True):
        sides = sides_of(part.row(0, named=True), phrases)
        where = f"{corpus}, " if several else ""
        whom = f"{where}{axis} by {people}"
        heading(f"{whom}: sentences {sides.first} and the same sentences {sides.second}")
        _show_table(part, named=bool(names))
        say(
            visible(f"plus, {sides.towards(True)}; minus, {sides.towards(False)}; in points of 100")
        )
    _show_open(changes.to_dicts())


def _show_table(part: pl.DataFrame, *, named: bool) -> None:
    from tiltmeter.studies.versions.tables import changes_table

    show_table(changes_table(part, named=named).head(SHOWN))
    show_rest(part.height, SHOWN, "; the report has them all")


def _show_open(rows: Iterable[Mapping[str, Any]]) -> None:
    """What is undecided or cannot be judged, in full sentences."""
    from tiltmeter.claims.changes import ChangeVerdict

    open_ = (ChangeVerdict.UNDECIDED, ChangeVerdict.NO_SIGNAL, ChangeVerdict.NOT_ESTIMABLE)
    weighty = list(dict.fromkeys(row["sentence"] for row in rows if row["verdict"] in open_))
    for sentence in weighty[:TOLD]:
        say()
        say(visible(sentence, WHOLE))
    show_rest(len(weighty), TOLD, "; the report has them all")


def _show_skill(skill: pl.DataFrame) -> None:
    from tiltmeter.studies.versions.tables import skill_lines

    shown = skill_lines(skill).head(SHOWN)
    if shown.frame.height:
        heading("Skill: Pearson’s r with the gold scores; the difference is not paired")
        show_table(shown)


Margin = Annotated[
    list[str] | None,
    typer.Option(
        metavar="M|AXIS=M",
        help="How large a change does not matter, as a part of the scale: 0.01 by default; for "
        "one axis, race=0.02. May repeat.",
    ),
]
Undecided = Annotated[
    str, typer.Option(metavar="HOW", help="For --gate: fail (default) or pass what is undecided.")
]


def compare(
    old: Annotated[
        Path, typer.Argument(metavar="OLD", help="The earlier audit's folder (audit … -o OLD).")
    ],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The later audit's folder.")],
    pair: Annotated[
        list[str] | None,
        typer.Option(metavar="OLD=NEW", help="Systems whose names differ; may repeat."),
    ] = None,
    margin: Margin = None,
    correction: Annotated[
        str, typer.Option(metavar="NAME", help="bonferroni (default), holm or bh.")
    ] = "bonferroni",
    family: Annotated[
        int | None,
        typer.Option(metavar="N", help="Correct for N comparisons; default: as many as were made."),
    ] = None,
    level: Annotated[
        float, typer.Option(metavar="P", help="How often any verdict may be false.")
    ] = 0.05,
    gate: Annotated[
        bool, typer.Option("--gate", help="Exit 1 where any is worse, 3 where undecided.")
    ] = False,
    undecided: Undecided = "fail",
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where the page goes.")
    ] = Path("tiltmeter-compare"),
    force: opt.Force = False,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write the changes here; - prints."),
    ] = None,
    open_it: opt.OpenIt = False,
    quiet: opt.Quiet = False,
) -> None:
    """Compare two versions: whether the tilt grew, shrank, or is the same within a margin.

    OLD and NEW are folders of two audits on the same sentences. Nothing is asked again.

    Example: tiltmeter compare release-1/ release-2/ -o changed

    Example: tiltmeter compare old/ new/ --margin 0.01 --gate --undecided pass -q

    Example: tiltmeter compare old/ new/ --pair model-a=model-b --json -
    """
    from tiltmeter import api
    from tiltmeter.cli.options import margins_said
    from tiltmeter.studies.versions.notes import check_apart, passes

    check_places(output, force, json_to)
    check_apart(output, (old, new))
    passes(undecided)
    done = api.compare(
        old, new, pairs=pair or (), margin=margins_said(margin or []), correction=correction,
        family=family, level=level, command=command_line(),
    )  # fmt: skip
    page = done.report(output, force=force)
    print_results(
        page,
        json_to,
        quiet,
        lambda: show_versions(done),
        lambda: done.document()[1],
        open_it=open_it,
    )
    if gate and (code := done.gate(undecided).exit_code):
        raise typer.Exit(code)
