"""The command line: parse, call a room, print. One file per command."""

from __future__ import annotations

import os
import sys
from typing import Annotated, cast

import typer

from tiltmeter.cli import corpus, score, store, systems
from tiltmeter.errors import TiltmeterError

INTERRUPTED = 130

app = typer.Typer(
    name="tiltmeter",
    help="Does a sentiment system score the same sentence alike, whoever it mentions?",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(corpus.app, name="corpus")
app.command("systems")(systems.systems)
app.command("score")(score.score)
app.add_typer(store.app, name="store")


def _show_version(wanted: bool) -> None:
    if wanted:
        from tiltmeter import __version__

        typer.echo(f"tiltmeter {__version__}")
        raise typer.Exit


@app.callback()
def tiltmeter(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Take the options that stand before any command."""


# Typer carries its own copy of Click or uses the installed one; this is the error class of either.
_USAGE = cast(
    "tuple[type[typer.BadParameter]]",
    tuple(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"),
)


def main() -> None:
    """Run a command and turn what went wrong into one clear message and an exit code."""
    code = _run()
    if code == INTERRUPTED:
        print("interrupted", file=sys.stderr)
    sys.exit(code)


def _run() -> int:
    try:
        return app(standalone_mode=False) or 0
    except TiltmeterError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except _USAGE as error:
        error.show()
        return 2
    except (typer.Abort, KeyboardInterrupt):  # newer Typers return 130 themselves
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough (`| head`); that is not an error. Python would
        # still complain when it flushes at exit, unless the output leads somewhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
