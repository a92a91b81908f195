"""A program as a system: `cmd:./score --flag`, one long-lived process, JSON lines in and out.

It reads `{"id": 7, "text": "…"}` a line and writes `{"id": 7, "score": 0.5}`, in any order, or
`{"id": 7, "error": "why"}` where it has no score. A bare number a line will do too; it then counts
for the next text in order. No shell is involved. Lines go in by one thread and come out by another,
so no pipe ever blocks.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from tiltmeter.columns import TASKS
from tiltmeter.errors import SystemFailure, TiltmeterError
from tiltmeter.files import file_digest
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import Answer, Card, Missing, Pace, System, shorten
from tiltmeter.systems.service.redaction import HIDDEN, shown_words

EXPECTED = 'expected {"id": …, "score": …} or {"id": …, "error": …} a line, and nothing else'
LAST_LINES = 5
GRACE = 2.0
"""Seconds a program has to end by itself once its input is closed."""
STARTS = 2


class JsonlProgram:
    """A program that answers lines with lines; one caller at a time."""

    def __init__(self, name: str, argv: Sequence[str], patience: float) -> None:
        self.name, self.argv, self.patience = name, tuple(argv), patience
        self._lock = threading.Lock()
        self._process: _Process | None = None

    def answer(self, texts: Sequence[str]) -> list[Answer]:
        """Ask the program; if it ends half-way, start it once more for what is left."""
        answers: dict[int, Any] = {}
        ended = ""
        with self._lock:
            try:
                for _ in range(STARTS):
                    process = self._process = self._process or _Process(self.name, self.argv)
                    left = {at: text for at, text in enumerate(texts) if at not in answers}
                    if process.ask(left, answers, self.patience):
                        return [answers[at] for at in range(len(texts))]
                    ended = self._stop() + process.last_words()
            except BaseException:
                self._stop()
                raise
        waiting = [text for at, text in enumerate(texts) if at not in answers]
        what = f"was started twice and left {len(waiting):,} of {len(texts):,} texts unanswered: it"
        raise SystemFailure(self.name, f"{what} {ended}", shorten(waiting[0]))

    def _stop(self) -> str:
        ended = self._process.stop() if self._process else ""
        self._process = None
        return ended

    def close(self) -> None:
        """End the program and wait for it."""
        with self._lock:
            self._stop()


class _Process:
    """One run of the program, its three pipes and the threads that serve them."""

    def __init__(self, name: str, argv: Sequence[str]) -> None:
        self.name = name
        try:
            self.popen = subprocess.Popen(  # noqa: S603 - the user's own program, without a shell
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )
        except OSError as error:
            raise SystemFailure(name, f"cannot be run: {error}") from error
        self.lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.errors: deque[str] = deque(maxlen=LAST_LINES)
        self.next_id = 1
        self.bare: bool | None = None

        def read_lines() -> None:
            for line in self.popen.stdout or ():
                self.lines.put(line)
            self.lines.put(None)

        def read_errors() -> None:
            for line in self.popen.stderr or ():
                self.errors.append(line.decode(errors="replace").rstrip())

        self.reader = _thread(read_lines)
        self.errs = _thread(read_errors)
        self.writer = _thread(lambda: None)

    def ask(self, texts: Mapping[int, str], answers: dict[int, Any], patience: float) -> bool:
        """Fill in the answers by position; False if the program ended before the last of them."""
        while not self.lines.empty():  # it may have ended; a line that answers nothing is wrong
            line = self.lines.get()
            if line is None:
                return False
            if line.strip():
                raise self._garbage(line, "before it was asked")
        ids = dict(enumerate(texts, start=self.next_id))
        self.next_id += len(ids)
        sent = b"".join(
            json.dumps({"id": id_, "text": texts[at]}).encode() + b"\n" for id_, at in ids.items()
        )

        def write() -> None:
            with contextlib.suppress(OSError, ValueError):
                _stdin(self.popen).write(sent)
                _stdin(self.popen).flush()

        self.writer.join()
        self.writer = _thread(write)
        while ids:
            try:
                line = self.lines.get(timeout=patience)
            except queue.Empty:
                what = (
                    f"was silent for {patience:g} seconds and was stopped; it must answer each "
                    "line as it comes and flush its output (a slow start: set "
                    "TILTMETER_COMMAND_TIMEOUT)"
                )
                waiting = shorten(texts[next(iter(ids.values()))])
                raise SystemFailure(self.name, what + self.last_words(), waiting) from None
            if line is None:
                return False
            if not line.strip():
                continue
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                raise self._garbage(line) from None
            bare = found is None or isinstance(found, int | float)
            if self.bare not in (None, bare):
                raise self._garbage(line, "after answers of the other kind, with or without an id")
            self.bare = bare
            if bare:
                answers[ids.pop(next(iter(ids)))] = found
                continue
            if not isinstance(found, dict) or not {"score", "error"} & found.keys():
                raise self._garbage(line)
            if type(found.get("id")) is not int or found["id"] not in ids:
                raise self._garbage(line, "with an id that no waiting text has")
            error = found.get("error")
            answers[ids.pop(found["id"])] = Missing(str(error)) if error else found.get("score")
        return True

    def _garbage(self, line: bytes, why: str = "") -> SystemFailure:
        shown = shorten(line.decode(errors="replace").rstrip("\r\n"))
        return SystemFailure(self.name, f"wrote {shown} {why}; {EXPECTED}".replace(" ;", ";"))

    def last_words(self) -> str:
        """The end of what it wrote to its error output, for a message."""
        return f"; it last wrote: {' | '.join(self.errors)}" if self.errors else ""

    def stop(self) -> str:
        """End the program with all it started, and say how it ended."""
        if not self.writer.is_alive():
            with contextlib.suppress(OSError):
                _stdin(self.popen).close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(GRACE)
        code = self.popen.poll()
        # Kill the program and whatever it started, and wait, so that no zombie is left
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(self.popen.pid, signal.SIGKILL)
            else:
                self.popen.kill()
        self.popen.wait()
        # Close each pipe once its thread is done with it: closing earlier would wait for ever
        popen = self.popen
        pipes = ((self.writer, popen.stdin), (self.reader, popen.stdout), (self.errs, popen.stderr))
        for thread, pipe in pipes:
            thread.join(GRACE)
            if pipe and not thread.is_alive():
                with contextlib.suppress(OSError):
                    pipe.close()
        return "closed its output" if code is None else f"ended with exit code {code}"


def _thread(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def _stdin(popen: subprocess.Popen[bytes]) -> IO[bytes]:
    assert popen.stdin is not None  # noqa: S101 - it was opened with a pipe
    return popen.stdin


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
    # The program's file: a path as it is, a bare name along PATH
    found, here = shutil.which(argv[0]), Path(argv[0])
    if not found and here.is_file() and (here.is_absolute() or "/" in argv[0]):
        what = f"cannot run {argv[0]}: it is not executable; chmod +x it, or name what runs it"
        raise SystemFailure(name, f"{what}, as in 'cmd:python {argv[0]}'")
    if not found:
        hint = f"did you mean ./{argv[0]}?" if here.is_file() else "give its path, or install it"
        raise SystemFailure(name, f"cannot be run: no program {argv[0]!r} was found; {hint}")
    program = str(Path(found).absolute())
    patience = os.environ.get(PATIENCE_VARIABLE, str(PATIENCE))
    try:
        seconds = float(patience)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise TiltmeterError(f"{PATIENCE_VARIABLE} is {patience!r}; expected a number of seconds")
    running = JsonlProgram(name, (program, *argv[1:]), seconds)
    # SHA-256 of the arguments, the program's file and the files the arguments name
    whole = hashlib.sha256("\0".join(argv).encode(errors="surrogatepass"))
    values = [word.partition("=")[2] if word[:1] == "-" and "=" in word else word for word in argv]
    for path in map(Path, (program, *values[1:])):
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
