"""Ctrl-C and SIGTERM: a command ends, and what was answered until then is stored."""

from __future__ import annotations

import _thread
import contextlib
import signal
import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

SOON = 0.01
"""Seconds until an interrupt that was lost is delivered again."""


class Interrupts:
    """While it is open, SIGTERM is a KeyboardInterrupt, and neither it nor Ctrl-C is lost.

    Python swallows what is raised in a library's `__del__` or callback, and only reports it. Such
    an interrupt is delivered again until it is raised where it ends the command.
    """

    def __init__(self) -> None:
        """Listen to nothing yet."""
        self.is_lost = False
        """Whether one was swallowed and has not been raised again."""
        self._again: threading.Timer | None = None
        self._report: Callable[[Any], object] = sys.unraisablehook

    def __enter__(self) -> Interrupts:
        """Listen to SIGTERM, and to what Python swallows."""
        with contextlib.suppress(ValueError):  # in another thread than the first
            signal.signal(signal.SIGTERM, self._interrupt)
        self._report, sys.unraisablehook = sys.unraisablehook, self._deliver_again
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Deliver nothing more."""
        sys.unraisablehook = self._report
        if self._again is not None:
            self._again.cancel()

    def _interrupt(self, *_: object) -> None:
        self.is_lost = False
        raise KeyboardInterrupt

    def _deliver_again(self, swallowed: Any) -> None:  # noqa: ANN401 - sys.UnraisableHookArgs
        """Python's report of an error that it swallowed; raising here would be swallowed too."""
        if not issubclass(swallowed.exc_type, KeyboardInterrupt):
            self._report(swallowed)
            return
        self.is_lost = True
        self._again = threading.Timer(SOON, _thread.interrupt_main, (signal.SIGTERM,))
        self._again.daemon = True
        self._again.start()
