"""A deadline for a whole answer: a server that sends a letter now and then is not waited for.

A timeout of httpx2 is that of one wait on the connection, and a server that trickles never lets it
pass. So every wait is also held to what is left of the deadline of the thread that waits.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2

_here = threading.local()


class Deadline:
    """Seconds for a whole answer, counted from the first word to or from the server."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until: float | None = None

    @property
    def left(self) -> float:
        """Seconds that are left, by a clock that nobody sets; it starts when first looked at."""
        if self._until is None:
            self._until = time.monotonic() + self.seconds
        return max(0.0, self._until - time.monotonic())

    @property
    def passed(self) -> bool:
        """True where nothing is left; a deadline that never started has not passed."""
        return self._until is not None and not self.left


@contextlib.contextmanager
def within(seconds: float) -> Iterator[Deadline]:
    """Hold every wait of this thread for the server to what is left of these seconds."""
    _here.deadline = deadline = Deadline(seconds)
    try:
        yield deadline
    finally:
        del _here.deadline


def keep_deadlines(client: httpx2.Client) -> None:
    """Let a client's connections keep the deadlines of the threads that use them.

    httpx2 hands on no network backend of one's own, though the pool below it takes one.
    """
    for transport in (client._transport, *client._mounts.values()):
        pool: Any = getattr(transport, "_pool", None)
        if pool is not None:
            pool._network_backend = _Network(pool._network_backend)


class _Network:
    """Opens connections that keep deadlines."""

    def __init__(self, backend: Any) -> None:  # noqa: ANN401 - httpcore2's, imported when used
        self._backend = backend

    def connect_tcp(self, *given: Any, **named: Any) -> _Stream:  # noqa: ANN401
        return _Stream(self._backend.connect_tcp(*given, **named))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._backend, name)


class _Stream:
    """A connection whose reading keeps the deadline, and whose closing ends every wait on it."""

    def __init__(self, stream: Any) -> None:  # noqa: ANN401
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        found: bytes = self._stream.read(max_bytes, _held_to_deadline(timeout))
        return found

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _held_to_deadline(timeout))

    def start_tls(self, *given: Any, **named: Any) -> _Stream:  # noqa: ANN401
        return _Stream(self._stream.start_tls(*given, **named))

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        self._stream.close()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._stream, name)


def _held_to_deadline(timeout: float | None) -> float | None:
    import httpcore2

    deadline: Deadline | None = getattr(_here, "deadline", None)
    if deadline is None:
        return timeout
    left = deadline.left
    if not left:
        raise httpcore2.ReadTimeout("the deadline has passed")
    return left if timeout is None else min(timeout, left)
