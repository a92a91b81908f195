"""The `tiltmeter` command as a user types it, in this process or in one of its own."""

import io
import os
import signal
import subprocess
import sys
import traceback
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from math import inf
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import typer

from tiltmeter.cli import main

WIDTH = "80"
PROGRESS = "tiltmeter.cli.progress.EVERY"
"""How often a slow run says how far it is: on a busy machine any run is slow."""
COMMANDS = cache(typer.main.get_command)
"""Typer reads the options of all commands in 50 ms; a process does it once, and so do tests."""


def tiltmeter(*words, folder, **environment):
    """Run a command here, as in a terminal of 80 columns; exit code, output and complaints.

    Python and its libraries are loaded once for all tests. What a command changes in the process
    is put back after it. `in_own_process` is for tests of the process itself: signals, closed
    pipes, what is imported.
    """
    out, complaints = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    words = [os.fspath(word) for word in words]
    with (
        _as_a_process(words, folder, environment), redirect_stdout(out), redirect_stderr(complaints)
    ):  # fmt: skip
        code = _exit_code()
    return subprocess.CompletedProcess(words, code, _text(out), _text(complaints))


def in_own_process(*words, folder, **environment):
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tiltmeter", *words], cwd=folder, env=_environment(environment),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip


def _environment(changes):
    changed = {**os.environ, "COLUMNS": WIDTH, **changes}
    return {name: value for name, value in changed.items() if value is not None}


def _exit_code():
    try:
        main()
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    except BaseException:  # as Python itself ends, so that a test sees the same
        traceback.print_exc()
        return 1
    return 0


def _text(stream):
    stream.flush()
    return stream.buffer.getvalue().decode()


@contextmanager
def _as_a_process(words, folder, environment):
    """The folder, the words and the environment of a process; none of it is left behind."""
    before = Path.cwd(), sys.argv, sys.stdin, sys.modules["__main__"], list(sys.path)
    variables, modules = dict(os.environ), set(sys.modules)
    handlers = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        os.chdir(folder)
        _change_environment(_environment(environment))
        sys.argv, sys.modules["__main__"] = ["tiltmeter", *words], ModuleType("__main__")
        with (
            Path(os.devnull).open() as sys.stdin, patch(PROGRESS, inf),
            patch("typer.main.get_command", COMMANDS),
        ):  # fmt: skip
            yield
    finally:
        os.chdir(before[0])
        sys.argv, sys.stdin, sys.modules["__main__"], sys.path[:] = before[1:]
        _change_environment(variables)
        for one, handler in handlers.items():
            signal.signal(one, handler)
        _forget_modules_of(folder, set(sys.modules) - modules)


def _change_environment(wanted):
    for name in set(os.environ) - set(wanted):
        del os.environ[name]
    os.environ.update(wanted)


def _forget_modules_of(folder, names):
    """Forget the user's modules: another test may have others of the same names."""
    for name in names:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(folder).resolve() in Path(file).parents:
            del sys.modules[name]
