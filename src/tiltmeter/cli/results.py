"""What a command that writes a folder says of its results: on the terminal, or as JSON."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import typer

STDOUT = "-"
INCOMPLETE = 4
"""What a command ends with where a system could not be scored, and the others were."""


def command_line() -> str:
    """The command as a report repeats it: without keys, and without folders of this machine."""
    from tiltmeter.files import without_folders
    from tiltmeter.systems import shown_words

    return shlex.join(["tiltmeter", *map(without_folders, shown_words(sys.argv[1:]))])


def check_places(folder: Path, force: bool, json_to: str | None) -> None:
    """Raise now if results could not be written later."""
    from tiltmeter.files import check_place
    from tiltmeter.report import check_folder

    check_folder(folder, force)
    if json_to not in (None, STDOUT):
        check_place(Path(json_to))


def tell_answer(
    json_to: str | None,
    quiet: bool,
    show: Callable[[], None],
    unavailable: Sequence[str] = (),
) -> None:
    """Show the results, before anybody waits for files; as JSON they are printed with the files.

    Who could not be scored, a sentence each, comes first.
    """
    show_unavailable(unavailable, to_errors=quiet or json_to == STDOUT)
    if not quiet and json_to != STDOUT:
        show()
        sys.stdout.flush()


def tell_files(page: Path, json_to: str | None, quiet: bool, as_json: Callable[[], str]) -> None:
    """Write or print the results as JSON where that was asked for; the page's path last."""
    from tiltmeter.files import write_text

    if json_to == STDOUT:
        typer.echo(as_json(), nl=False)
    elif json_to:
        write_text(as_json(), Path(json_to))
    if not quiet:
        typer.echo(f"The report is in {page}", err=json_to == STDOUT)


def show_unavailable(said: Sequence[str], *, to_errors: bool) -> None:
    """Print who could not be scored; also where nothing else is printed, on the error stream."""
    from tiltmeter.cli.console import paragraph, visible

    for one in said:
        if to_errors:
            typer.echo(str(visible(one)), err=True)
        else:
            paragraph(one)


def end_incomplete(unavailable: Sequence[object]) -> None:
    """Leave with exit code 4 where a system could not be scored."""
    if unavailable:
        raise typer.Exit(INCOMPLETE)
