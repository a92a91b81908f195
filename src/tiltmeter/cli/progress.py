"""How scoring shows its progress: a bar on a terminal, a plain line now and then in a log."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from tiltmeter.scoring import Progress

EVERY = 10.0
"""Seconds between lines in a log."""


def progress_for(quiet: bool) -> Progress:
    """What shows progress here: nothing, a bar, or lines; and counts what an interrupt leaves."""
    from tiltmeter.cli.answers_kept import CountsKept
    from tiltmeter.scoring import Silent

    if quiet:
        return CountsKept(Silent())
    return CountsKept(Bar() if sys.stderr.isatty() else Lines())


@contextmanager
def stages(quiet: bool) -> Iterator[Callable[[str], None]]:
    """What says on a terminal, in one line that is wiped in the end, what is being done."""

    def say(text: str) -> None:
        if not quiet and sys.stderr.isatty():
            width = shutil.get_terminal_size().columns - 2
            print(f"\r\x1b[2K{text[:width]}", end="…" if text else "", file=sys.stderr, flush=True)

    try:
        yield say
    finally:
        say("")


class Bar:
    """A bar with the rate and the time left."""

    def __init__(self) -> None:
        self._bars: Bars | None = None
        self._task: TaskID | None = None

    def begin(self, system: str, asks: int, known: int) -> None:
        """Show a bar where there is something to ask."""
        if not asks:
            return
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._bars.start()
        kept = f", {known:,} known" if known else ""
        self._task = self._bars.add_task(escape(system) + kept, total=asks, rate="")

    def advance(self, texts: int, missing: int) -> None:
        """Move the bar on."""
        if self._bars is None or self._task is None:
            return
        self._bars.advance(self._task, texts)
        speed = self._bars.tasks[0].speed
        lost = f" {missing:,} without a score" if missing else ""
        self._bars.update(self._task, rate=f"{speed or 0:,.0f}/s{lost}")

    def end(self, system: str) -> None:  # noqa: ARG002 - part of the protocol
        """Take the bar away."""
        if self._bars is not None:
            self._bars.stop()
        self._bars = self._task = None

    def keep(self, answers: int) -> None:
        """Show nothing of what is stored."""


class Lines:
    """A line every ten seconds, for logs."""

    def __init__(self) -> None:
        self._system, self._asks, self._done, self._missing = "", 0, 0, 0
        self._started = self._last = 0.0

    def begin(self, system: str, asks: int, known: int) -> None:  # noqa: ARG002 - the protocol
        """Take note of the system whose turn it is."""
        self._system, self._asks, self._done, self._missing = system, asks, 0, 0
        self._started = self._last = time.monotonic()

    def advance(self, texts: int, missing: int) -> None:
        """Say how far it is, if it was not said a moment ago."""
        self._done += texts
        self._missing += missing
        now = time.monotonic()
        if now - self._last < EVERY:
            return
        self._last = now
        rate = self._done / (now - self._started)
        left = (self._asks - self._done) / rate
        lost = f", {self._missing:,} without a score" if self._missing else ""
        print(
            f"{self._system}: {self._done:,} of {self._asks:,} texts, {rate:,.0f}/s, "
            f"about {left:,.0f} s left{lost}",
            file=sys.stderr,
            flush=True,
        )

    def end(self, system: str) -> None:
        """Say nothing more."""

    def keep(self, answers: int) -> None:
        """Say nothing of what is stored."""
