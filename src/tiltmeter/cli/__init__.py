"""The command line: parse, call a room, print. One file per command."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, cast

import typer

from tiltmeter.cli import (
    audit,
    check_submissions,
    compare,
    corpus,
    drift,
    embeddings,
    explain,
    explore,
    gate,
    plan,
    rate,
    reproduce,
    score,
    skill,
    store,
    systems,
    train,
    try_sentence,
)
from tiltmeter.cli.console import KEPT
from tiltmeter.cli.help_text import CommandsByHeading, OptionsByHeading
from tiltmeter.cli.interrupts import Interrupts
from tiltmeter.cli.options import with_groups
from tiltmeter.cli.streams import prepare_streams
from tiltmeter.errors import TiltmeterError
from tiltmeter.report.terminal import escape_hidden

INTERRUPTED = 130

COMMANDS: dict[str, dict[str, Callable[..., None] | typer.Typer]] = {
    "Measure": {
        "audit": audit.audit, "try": try_sentence.try_sentence, "explore": explore.explore,
        "explain": explain.explain,
        "rate": rate.rate, "embeddings": embeddings.embeddings, "skill": skill.skill,
    },
    "Decide": {
        "gate": gate.gate, "plan": plan.plan, "compare": compare.compare, "drift": drift.drift,
    },
    "Hand over": {"pack": audit.pack, "verify": audit.verify, "card": audit.card},
    "Sentences, systems and scores": {
        "corpus": corpus.app, "systems": systems.systems, "score": score.score, "store": store.app,
        "check-submissions": check_submissions.check_submissions,
    },
    "Reference systems": {"train": train.train, "reproduce": reproduce.reproduce},
}  # fmt: skip
"""Every command, under the heading that help lists it under."""


def _show_version(wanted: bool) -> None:
    if wanted:
        from tiltmeter import __version__

        typer.echo(f"tiltmeter {__version__}")
        raise typer.Exit


def tiltmeter(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Take the options that stand before any command."""


@cache
def app_with(only: str | None = None) -> typer.Typer:
    """The command line, of all commands or of one: Typer takes 50 ms to read all their options."""
    made = typer.Typer(
        name="tiltmeter",
        help="Does a sentiment system score the same sentence alike, whoever it mentions?",
        no_args_is_help=True,
        rich_markup_mode=None,
        cls=CommandsByHeading,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        callback=tiltmeter,
    )
    for heading, commands in COMMANDS.items():
        for name, command in commands.items():
            if only not in (None, name):
                continue
            if isinstance(command, typer.Typer):
                made.add_typer(command, name=name, rich_help_panel=heading)
            else:
                register = made.command(name, cls=OptionsByHeading, rich_help_panel=heading)
                register(with_groups(command))
    return made


def __getattr__(name: str) -> typer.Typer:
    """`app`, the whole command line, made when it is first used."""
    if name == "app":
        return app_with()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# Typer carries its own copy of Click or uses the installed one; this is the error class of either.
_USAGE = cast(
    "tuple[type[typer.BadParameter]]",
    tuple(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"),
)


LINE = 2000
"""Letters of a message's line."""


def main() -> None:
    """Run a command and turn what went wrong into one clear message and an exit code."""
    gc.set_threshold(200_000)  # a command keeps nearly all it makes: looking for garbage finds none
    prepare_streams()
    with Interrupts() as interrupts:
        code = _run()
    if interrupts.is_lost:
        code = INTERRUPTED
    if code == INTERRUPTED:
        print(f"interrupted{KEPT}", file=sys.stderr)
    sys.exit(code)


def _run() -> int:
    try:
        _check_letters(sys.argv[1:])
        named = {name for commands in COMMANDS.values() for name in commands} & {*sys.argv[1:2]}
        return app_with(*named)(standalone_mode=False) or 0
    except TiltmeterError as error:
        print(f"error: {_harmless(error.for_command_line)}", file=sys.stderr)
        return error.exit_code
    except _USAGE as error:
        error.show()
        return 2
    except (typer.Abort, KeyboardInterrupt):  # newer Typers return 130 themselves
        return INTERRUPTED
    except SystemExit as done:  # what Click makes of a broken pipe, which is none of our streams
        if not isinstance(done.__context__, BrokenPipeError):
            raise
        return _refused(done.__context__)
    except OSError as error:
        return _refused(error)


def _refused(error: OSError) -> int:
    """Say what the system refuses: of which file, or else of what we print."""
    reason = error.strerror or str(error)
    place = "the output cannot be written" if error.filename is None else str(error.filename)
    print(f"error: {_harmless(f'{place}: {reason}')}", file=sys.stderr)
    return 2


def _check_letters(words: Sequence[str]) -> None:
    """Refuse bytes that are no text: names go into tables and pages, which hold text only."""
    for word in words:
        if word.encode(errors="replace").decode() != word:
            raise TiltmeterError(f"{word!r} is not UTF-8; rename a file that is called so")


def _harmless(text: str) -> str:
    """The text without hidden letters, which a system's own words may hold, in lines of a size.

    A name in a stranger's file may be a megabyte long.
    """
    lines = (line[:LINE] + "…" * (len(line) > LINE) for line in text.split("\n"))
    return escape_hidden("\n".join(lines))
