"""`tiltmeter compare`: two versions side by side, and what changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.results import check_places, command_line, tell_answer, tell_files

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
    from tiltmeter import flow
    from tiltmeter.cli.compare_page import show_versions
    from tiltmeter.cli.margins import margins_said
    from tiltmeter.flow.change_terms import check_apart, passes
    from tiltmeter.report import versions_json

    check_places(output, force, json_to)
    check_apart(output, (old, new))
    passes(undecided)
    done = flow.compare(
        old, new, pairs=pair or (), margin=margins_said(margin or []), correction=correction,
        family=family, level=level, command=command_line(),
    )  # fmt: skip
    page = done.report(output, force=force)
    tell_answer(json_to, quiet, lambda: show_versions(done))
    tell_files(page, json_to, quiet, lambda: versions_json(done.material))
    if open_it:
        typer.launch(page.resolve().as_uri())
    if gate and (code := done.gate(undecided).exit_code):
        raise typer.Exit(code)
