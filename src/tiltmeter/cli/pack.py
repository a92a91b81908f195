"""`tiltmeter pack`: an audit's output folder as one zip that others can verify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli import options as opt


def pack(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The output folder of an audit, as it was left.")
    ],
    to: Annotated[Path, typer.Argument(metavar="FILE", help="The zip to write, as in audit.zip.")],
    quiet: opt.Quiet = False,
) -> None:
    """Pack an audit's output folder: answers, sentences, findings, report and a hashed manifest.

    The same folder gives the same zip. Its fingerprint is one number over all files: note it down
    elsewhere, and nobody can pass off another pack as this one.

    Example: tiltmeter pack tiltmeter-out audit.zip
    """
    from tiltmeter import flow

    show_packed(flow.pack(folder, to), quiet)


def show_packed(written: Path, quiet: bool = False) -> None:
    """Say what was packed, and the fingerprint to note down."""
    from tiltmeter import flow
    from tiltmeter.cli.console import say, visible

    if quiet:
        return
    say(visible(f"Packed into {written} ({written.stat().st_size / 1e6:,.1f} MB)."))
    say(f"fingerprint {flow.fingerprint_of(written)}")
    say(visible(f"Note it down elsewhere. To verify: tiltmeter verify {written}"))
