"""Where a gate's answer goes besides the terminal: JUnit XML, Markdown, a GitHub step's summary."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tiltmeter.findings import Decision

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""Where GitHub Actions says that a step's summary goes."""

GateText = Annotated[
    str | None,
    typer.Option(
        "--gate",
        metavar="TEXT",
        help="What a release is held to, as in 'gender<=0.01, moved.race<=0.05' or '*<=0.01': exit "
        "0 pass, 1 tilted, 3 undecided.",
    ),
]
Undecided = Annotated[
    str | None,
    typer.Option(metavar="HOW", help="For --gate: fail (default) or pass what is undecided."),
]
Junit = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="For --gate: also write JUnit XML here, for CI."),
]
Summary = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="For --gate: also write a summary in Markdown here."),
]


def check_gate_places(junit: Path | None, summary: Path | None) -> None:
    """Raise now if a gate's files could not be written later."""
    from tiltmeter.files import check_place

    step = os.environ.get(STEP_SUMMARY)
    for place in (junit, summary, Path(step) if step else None):
        if place is not None:
            check_place(place)


def write_gate(decision: Decision, junit: Path | None, summary: Path | None) -> None:
    """Write the decision wherever it was asked for."""
    from tiltmeter.files import write_text
    from tiltmeter.report import gate_markdown, junit_xml

    told = decision.told()
    if junit is not None:
        write_text(junit_xml(told), junit)
    if summary is not None:
        write_text(gate_markdown(told), summary)
    if step := os.environ.get(STEP_SUMMARY):
        _append(gate_markdown(told), Path(step))


def _append(text: str, path: Path) -> None:
    """Add to a step's summary, which other steps write to as well."""
    from tiltmeter.errors import OutputError

    try:
        with path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        what = f"{path}, named by ${STEP_SUMMARY}: cannot be written"
        raise OutputError(f"{what}: {error.strerror or error}") from error


def tell_gate(decision: Decision, *, quiet: bool, to_errors: bool = False) -> None:
    """Show the decision; where standard output holds JSON, its last line on the error stream."""
    from tiltmeter.cli.gate_page import show_gate
    from tiltmeter.report import outcome_said

    if quiet:
        return
    if to_errors:
        typer.echo(outcome_said(decision.told()), err=True)
    else:
        show_gate(decision)


def end(decision: Decision) -> None:
    """Leave with the decision's exit code."""
    if decision.exit_code:
        raise typer.Exit(decision.exit_code)
