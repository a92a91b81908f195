"""`tiltmeter verify`: whether a pack is whole, and its findings follow from its answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli import options as opt

if TYPE_CHECKING:
    from tiltmeter.flow import Check, Verified

WIDTH = 14
"""Columns of what was looked at; a fingerprint of 64 letters fits beside it."""


def verify(
    path: Annotated[
        Path, typer.Argument(metavar="FILE|DIR", help="A pack, or the output folder of an audit.")
    ],
    fingerprint: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="What the pack's fingerprint was when it was made."),
    ] = None,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write what was checked; - prints."),
    ] = None,
    quiet: opt.Quiet = False,
) -> None:
    """Verify a pack: every file is what was packed, and the findings follow from the answers.

    Recomputes every score from its answer and every finding from the scores, and compares them with
    those stored. Exit 0: verified; 2: altered or damaged; 4: too little is there to recompute.

    Example: tiltmeter verify audit.zip
    """
    from tiltmeter import flow
    from tiltmeter.cli.results import STDOUT

    silent = quiet or json_to == STDOUT
    found = flow.verify(path, fingerprint=fingerprint, told=_hushed if silent else _show)
    if json_to is not None:
        _write(found, json_to)
    if not silent:
        _conclude(found)


def _show(check: Check) -> None:
    from rich.table import Table

    from tiltmeter.cli.console import say, visible

    line = Table.grid(padding=(0, 1))
    line.add_column(style="dim", width=WIDTH)
    line.add_column(overflow="fold")
    line.add_row(visible(check.what), visible(check.seen))
    say(line)


def _hushed(_: Check) -> None:
    """Show nothing."""


def _conclude(found: Verified) -> None:
    from tiltmeter.cli.console import say, visible

    say()
    say(visible(f"Verified: {found.findings:,} findings follow from the answers in {found.path}."))
    say(
        "This does not show that the answers came from the systems named, nor that what is said of "
        "them (version, licence, notes) is so."
    )


def _write(found: Verified, to: str) -> None:
    from tiltmeter.cli.results import STDOUT
    from tiltmeter.files import write_text

    text = found.json
    if to == STDOUT:
        typer.echo(text, nl=False)
    else:
        write_text(text, Path(to))
