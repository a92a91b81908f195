"""What a command that writes a folder says of its results: on the terminal, or as JSON."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import typer

STDOUT = "-"


def check_places(folder: Path, force: bool, json_to: str | None) -> None:
    """Raise now if results could not be written later."""
    from tiltmeter.report import check_folder
    from tiltmeter.writing import check_place

    check_folder(folder, force)
    if json_to not in (None, STDOUT):
        check_place(Path(json_to))


def tell(
    page: Path,
    json_to: str | None,
    quiet: bool,
    *,
    as_json: Callable[[], str],
    show: Callable[[], None],
) -> None:
    """Show the results, or print them as JSON where that was asked for; the page's path last."""
    from tiltmeter.writing import write_text

    if json_to == STDOUT:
        typer.echo(as_json(), nl=False)
    elif json_to:
        write_text(as_json(), Path(json_to))
    if quiet:
        return
    if json_to != STDOUT:
        show()
    typer.echo(f"The report is in {page}", err=json_to == STDOUT)
