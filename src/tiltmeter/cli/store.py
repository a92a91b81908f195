"""`tiltmeter store …`: look after the stored scores."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.help_text import CommandsByHeading

if TYPE_CHECKING:
    from tiltmeter.scoring import Store

app = typer.Typer(
    help="The stored scores: list, verify, prune.",
    no_args_is_help=True,
    rich_markup_mode=None,
    cls=CommandsByHeading,
)

Folder = Annotated[
    Path | None,
    typer.Option("--store", metavar="DIR", help="The store; default: $TILTMETER_STORE."),
]
DAY = 86_400
MOST_DAYS = 1_000_000


def _store(path: Path | None) -> Store:
    from tiltmeter.scoring import Store, default_store

    return Store(path or default_store())


@app.command("list")
def list_store(store: Folder = None) -> None:
    """List the systems whose scores are stored, and how much room they take.

    Example: tiltmeter store list
    """
    from tiltmeter.cli.console import say, table

    kept = _store(store)
    rows = [
        (
            entry.name, entry.task, f"{entry.scores:,}", f"{entry.bytes / 1e3:,.0f} kB",
            time.strftime("%Y-%m-%d", time.localtime(entry.last)), entry.fingerprint[:8],
        )
        for entry in kept.entries()
    ]  # fmt: skip
    say(f"{kept.path}")
    table(("system", "task", "scores", "size", "last written", "key"), rows, ("scores", "size"))


@app.command()
def verify(store: Folder = None) -> None:
    """Read every stored file and report what is broken; exit 4 if anything is.

    Example: tiltmeter store verify
    """
    from tiltmeter.cli.console import say

    kept = _store(store)
    faults = kept.verify()
    for fault in faults:
        say(f"{fault.path}: {fault.what}", unbroken=True)  # a path that can be copied
    if faults:
        typer.echo("tiltmeter store prune --broken removes these; nothing else is lost", err=True)
        raise typer.Exit(4)
    say(f"{len(kept.entries()):,} systems in {kept.path}: every file can be read.")


@app.command()
def prune(
    system: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Remove this system; may repeat.")
    ] = None,
    older_than: Annotated[
        int | None, typer.Option(metavar="DAYS", help="Remove what was last used before that.")
    ] = None,
    broken: Annotated[
        bool, typer.Option("--broken", help="Remove files that cannot be read.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    store: Folder = None,
) -> None:
    """Remove stored scores by system, by age, or where they are broken.

    Example: tiltmeter store prune --older-than 90 --dry-run
    """
    from tiltmeter.cli.console import say
    from tiltmeter.errors import TiltmeterError, UnknownNameError
    from tiltmeter.scoring.store import Fault

    if older_than is not None and not 0 <= older_than <= MOST_DAYS:
        raise TiltmeterError(f"--older-than is a number of days; found {older_than}")
    if not system and older_than is None and not broken:
        raise TiltmeterError("say what to remove: --system NAME, --older-than DAYS or --broken")
    kept = _store(store)
    entries = kept.entries()
    names = {entry.name for entry in entries}
    for name in system or ():
        if name not in names:
            raise UnknownNameError("stored system", name, names)
    before = time.time() - (older_than or 0) * DAY
    gone = [
        entry
        for entry in entries
        if entry.name in (system or ()) or (older_than is not None and entry.last < before)
    ]
    faults, left = kept.verify() if broken else [], list[Fault]()
    verb = "would be removed" if dry_run else "removed"
    if not dry_run:
        kept.remove(entry.fingerprint for entry in gone)
        left = kept.clear(faults)
    scores = sum(entry.scores for entry in gone)
    typer.echo(
        f"{verb}: {len(gone):,} systems with {scores:,} scores, "
        f"{len(faults) - len(left):,} broken files"
    )
    for fault in left:
        say(f"{fault.path}: {fault.what}, and was left alone", unbroken=True)
