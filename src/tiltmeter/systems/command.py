"""A program as a system: `cmd:./score --flag`, one long-lived process, JSON lines in and out.

It reads `{"id": 7, "text": "…"}` a line and writes `{"id": 7, "score": 0.5}`, in any order, or
`{"id": 7, "error": "why"}` where it has no score. A bare number a line will do too; it then counts
for the next text in order. No shell is involved.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from tiltmeter.columns import TASKS
from tiltmeter.errors import SystemFailure, TiltmeterError
from tiltmeter.files import file_digest
from tiltmeter.systems.jsonl_process import JsonlProgram
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import Card, Pace, System
from tiltmeter.systems.service.redaction import HIDDEN, shown_words

PATIENCE = 60.0
"""Seconds a program may stay silent while texts wait."""
PATIENCE_VARIABLE = "TILTMETER_COMMAND_TIMEOUT"
LARGEST_HASHED = 50_000_000
SECRET = re.compile(r"(?i)key|token|secret|passw|auth|credential")
NOTE = "answers are matched to texts by id; a bare number counts for the next text in order"

BATCH = 32
"""Texts handed over at a time: what a program had answered of a batch is lost if it dies in it."""


def command(target: str, options: Options) -> System:
    """A program that scores texts; it starts when it is first asked."""
    try:
        argv = shlex.split(target)
    except ValueError as error:
        what = f"cannot be cut into words: {error}; quote it as for a shell"
        raise SystemFailure(f"cmd:{target}", what) from error
    if not argv:
        raise SystemFailure("cmd:", "names no program; expected cmd:PROGRAM ARGUMENTS")
    name = f"cmd:{shlex.join(_without_secrets(argv))}"
    program = _program(name, argv[0])
    given = os.environ.get(PATIENCE_VARIABLE, str(PATIENCE))
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise TiltmeterError(f"{PATIENCE_VARIABLE} is {given!r}; expected a number of seconds")
    running = JsonlProgram(name, (program, *argv[1:]), seconds)
    # SHA-256 of the arguments, the program's file and the files the arguments name
    whole = hashlib.sha256("\0".join(argv).encode(errors="surrogatepass"))
    for path in (Path(program), *(Path(_value(argument)) for argument in argv[1:])):
        try:
            if path.is_file() and (path.stat().st_size < LARGEST_HASHED or str(path) == program):
                whole.update(bytes.fromhex(file_digest(path)))
        except (OSError, ValueError):
            continue  # not a path after all, or not ours to read
    card = Card(
        name,
        options.task_among(name, TASKS),
        options.scale_of(name),
        settings={"arguments": _without_secrets(argv)},
        weights=whole.hexdigest(),
        notes=(NOTE,),
    )
    pace = Pace(batch=BATCH, parallel="processes", one_by_one=False)
    return System(card, running.answer, pace, close=running.close)


def _program(name: str, given: str) -> str:
    """The program's file: a path as it is, a bare name along PATH."""
    found = shutil.which(given)
    if found:
        return str(Path(found).absolute())
    here = Path(given)
    if here.is_file() and (here.is_absolute() or "/" in given):
        what = f"cannot run {given}: it is not executable; chmod +x it, or name what runs it"
        raise SystemFailure(name, f"{what}, as in 'cmd:python {given}'")
    hint = f"did you mean ./{given}?" if here.is_file() else "give its path, or install it"
    raise SystemFailure(name, f"cannot be run: no program {given!r} was found; {hint}")


def _without_secrets(argv: Sequence[str]) -> list[str]:
    """The arguments as they may be shown: keys and credentials are left out.

    >>> _without_secrets(["./score", "--api-key", "abc", "--token=abc", "API_KEY=abc", "--fast"])
    ['./score', '--api-key', '…', '--token=…', 'API_KEY=…', '--fast']
    """
    shown: list[str] = []
    hide_next = False
    for argument in shown_words(argv):
        option, equals, _ = argument.partition("=")
        secret = argument.startswith("-") and bool(SECRET.search(option))
        cut = f"{option}=…" if secret and equals else argument
        shown.append("…" if hide_next else cut.replace(HIDDEN, "…"))
        hide_next = secret and not equals and not hide_next
    return shown


def _value(argument: str) -> str:
    return argument.partition("=")[2] if argument.startswith("-") and "=" in argument else argument
