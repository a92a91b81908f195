"""Whether the next request may go out: a server that is gone is not asked 8,000 times."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

SILENT, REFUSED = 3, 20
"""How many requests in a row may fail, tries included, without a word and with an error."""
REST = 30.0
"""Seconds after which a server given up is asked once more."""


@dataclass
class Gate:
    """Open at first; shut by failures in a row, opened by a success; held for a pause."""

    rest: float = REST
    _failures: int = 0
    _reason: str = ""
    _shut_at: float | None = None
    _held_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def shut(self) -> bool:
        """True while the server is given up."""
        return self._shut_at is not None

    @property
    def reason(self) -> str:
        """Why the server was given up."""
        return self._reason

    def lets_through(self) -> bool:
        """True while open, and for one request after each rest."""
        with self._lock:
            now = time.monotonic()
            if self._shut_at is not None and now - self._shut_at < self.rest:
                return False
            if self._shut_at is not None:
                self._shut_at = now
            return True

    def succeeded(self) -> None:
        """A request was answered."""
        with self._lock:
            self._failures, self._shut_at = 0, None

    def failed(self, what: str, *, silent: bool) -> None:
        """A request failed with all its tries; silent: without any answer."""
        with self._lock:
            self._failures += 1
            if self._shut_at is None and self._failures >= (SILENT if silent else REFUSED):
                self._shut_at = time.monotonic()
                self._reason = (
                    f"not asked, since {self._failures} requests in a row failed; the last: {what}"
                )

    def hold(self, seconds: float) -> None:
        """Let nothing out for a while: the server asked for a pause."""
        with self._lock:
            self._held_until = max(self._held_until, time.monotonic() + seconds)

    @property
    def seconds_held(self) -> float:
        """How long the pause still lasts."""
        return max(0.0, self._held_until - time.monotonic())
