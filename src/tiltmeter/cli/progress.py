"""How scoring shows its progress: a bar on a terminal, a plain line now and then in a log."""

from __future__ import annotations

import shutil
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tiltmeter.report.terminal import escape_hidden

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from tiltmeter.scoring import Progress

EVERY = 10.0
"""Seconds between lines in a log."""
RECENT = 30.0
"""Seconds whose pace tells how long the rest takes."""
GRAIN = 0.5
"""Seconds that are counted together."""
ENOUGH = 20
"""Scores below which a pace says nothing."""
SLOWED = 3
"""How many times slower than usual the last seconds may be: a service that backs off is slower."""


def progress_for(quiet: bool) -> Progress:
    """What shows progress here: nothing, a bar, or lines; and counts what an interrupt leaves."""
    from tiltmeter.cli.console import CountsKept
    from tiltmeter.scoring import Silent

    if quiet:
        return CountsKept(Silent())
    return CountsKept(ProgressBar() if sys.stderr.isatty() else Lines())


@contextmanager
def stages(quiet: bool) -> Iterator[Callable[[str], None]]:
    """What says on a terminal, in one line that is wiped in the end, what is being done."""

    def say(text: str) -> None:
        if not quiet and sys.stderr.isatty():
            width = shutil.get_terminal_size().columns - 2
            print(
                f"\r\x1b[2K{escape_hidden(text)[:width]}",
                end="…" if text else "",
                file=sys.stderr,
                flush=True,
            )

    try:
        yield say
    finally:
        say("")


class TimeLeft:
    """How long a run still takes, where its pace tells; a service that backs off tells nothing."""

    def __init__(self, asks: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._left, self._clock = asks, clock
        self._started = clock()
        self._scored = 0
        self._recent: deque[list[float]] = deque()
        """When, how many scored and how many missing; a few entries a second at most."""

    def advance(self, texts: int, missing: int) -> None:
        """So many more texts were asked, so many of them without a score."""
        now = self._clock()
        self._left -= texts
        self._scored += texts - missing
        if not self._recent or now - self._recent[-1][0] > GRAIN:
            self._recent.append([now, 0, 0])
        self._recent[-1][1] += texts - missing
        self._recent[-1][2] += missing
        while self._recent[0][0] <= now - RECENT:
            self._recent.popleft()

    @property
    def pace(self) -> float | None:
        """Scores a second, lately; None where that is no pace to go by."""
        now = self._clock()
        scored, missing = (sum(one[nth] for one in self._recent) for nth in (1, 2))
        spent = max(now - self._started, 1e-9)
        lately = scored / min(spent, RECENT)
        steady = SLOWED * lately >= self._scored / spent
        return lately if self._scored >= ENOUGH and scored > missing and steady else None

    def __str__(self) -> str:
        from tiltmeter.cli.score import duration

        pace = self.pace
        if pace is None:
            return "time left unknown"
        rate = f"{pace:,.0f}" if pace >= 10 else f"{pace:.2g}"
        left = duration(self._left / pace)
        return f"{rate}/s, {left if left.startswith('under') else f'about {left}'} left"


class ProgressBar:
    """A bar with the rate and the time left."""

    def __init__(self) -> None:
        self._bars: Bars | None = None
        self._task: TaskID | None = None
        self._time, self._missing = TimeLeft(0), 0

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
        )

        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._bars.start()
        kept = f", {known:,} known" if known else ""
        self._task = self._bars.add_task(escape(escape_hidden(system)) + kept, total=asks, left="")
        self._time, self._missing = TimeLeft(asks), 0

    def advance(self, texts: int, missing: int) -> None:
        """Move the bar on."""
        if self._bars is None or self._task is None:
            return
        self._bars.advance(self._task, texts)
        self._time.advance(texts, missing)
        self._missing += missing
        lost = f", {self._missing:,} without a score" if self._missing else ""
        self._bars.update(self._task, left=f"{self._time}{lost}")

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
        self._last, self._time = 0.0, TimeLeft(0)

    def begin(self, system: str, asks: int, known: int) -> None:  # noqa: ARG002 - the protocol
        """Take note of the system whose turn it is."""
        self._system = escape_hidden(system)
        self._asks, self._done, self._missing = asks, 0, 0
        self._last, self._time = time.monotonic(), TimeLeft(asks)

    def advance(self, texts: int, missing: int) -> None:
        """Say how far it is, if it was not said a moment ago."""
        self._done += texts
        self._missing += missing
        self._time.advance(texts, missing)
        now = time.monotonic()
        if now - self._last < EVERY:
            return
        self._last = now
        lost = f", {self._missing:,} without a score" if self._missing else ""
        print(
            f"{self._system}: {self._done:,} of {self._asks:,} texts, {self._time}{lost}",
            file=sys.stderr,
            flush=True,
        )

    def end(self, system: str) -> None:
        """Say nothing more."""

    def keep(self, answers: int) -> None:
        """Say nothing of what is stored."""
