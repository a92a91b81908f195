"""`tiltmeter card`, `pack` and `verify`: an audit handed over, and checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.console import STDOUT, give_json, say, visible

if TYPE_CHECKING:
    from tiltmeter.studies.audit.verify import Check


def card(
    path: Annotated[
        Path, typer.Argument(metavar="DIR|FILE", help="An audit's output folder, or its pack.")
    ],
    system: Annotated[
        str | None, typer.Option(metavar="NAME", help="This system only; all by default.")
    ] = None,
    yaml: Annotated[
        bool,
        typer.Option("--yaml", help="The metadata for Hugging Face instead of the section."),
    ] = False,
) -> None:
    """Print what a system's model card may say of an audit: verdicts, limits, how to repeat it.

    Markdown to paste into a model card, or with --yaml the `model-index` for its head. The audit's
    folder holds both for every system, under model-cards.

    Example: tiltmeter card tiltmeter-out --system vader
    """
    from tiltmeter import api

    cards = api.model_cards(path, system)
    typer.echo("\n".join(one.yaml if yaml else one.markdown for one in cards), nl=False)


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
    from tiltmeter import api

    show_packed(api.pack(folder, to), quiet)


def show_packed(written: Path, quiet: bool = False) -> None:
    """Say what was packed, and the fingerprint to note down."""
    from tiltmeter import api

    if quiet:
        return
    say(visible(f"Packed into {written} ({written.stat().st_size / 1e6:,.1f} MB)."))
    say(f"fingerprint {api.fingerprint_of(written)}")
    say(visible(f"Note it down elsewhere. To verify: tiltmeter verify {written}"))


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
    from tiltmeter import api

    silent = quiet or json_to == STDOUT
    found = api.verify(path, fingerprint=fingerprint, told=(lambda _: None) if silent else _show)
    give_json(json_to, found.json)
    if silent:
        return
    say()
    say(visible(f"Verified: {found.findings:,} findings follow from the answers in {found.path}."))
    say(
        "This does not show that the answers came from the systems named, nor that what is said of "
        "them (version, licence, notes) is so."
    )


def _show(check: Check) -> None:
    from rich.table import Table

    line = Table.grid(padding=(0, 1))
    line.add_column(style="dim", width=WIDTH)
    line.add_column(overflow="fold")
    line.add_row(visible(check.what), visible(check.seen))
    say(line)
