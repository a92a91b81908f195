"""One run at a time in an output folder, so that its files are all of one run."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tiltmeter.errors import OutputError

PATIENCE = 60.0
"""Seconds that a run waits for another one to have written its results."""
MOMENT = 0.05


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep others out of a folder while its files are written; wait while another one does so.

    The lock is on the folder itself: it leaves no file, and a run that is killed holds none. Where
    a system has no such locks, nobody is kept out.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY) if os.name == "posix" else None
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error
    try:
        if handle is not None:
            _lock(handle, folder)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _lock(handle: int, folder: Path) -> None:
    import fcntl

    until = time.monotonic() + PATIENCE
    with suppress(OSError):  # some network drives lock no folder
        while True:
            try:
                return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    break
                time.sleep(MOMENT)
        raise OutputError(
            f"{folder}: another run is writing its results there; wait for it, and run the same "
            "command again, or choose another folder with -o"
        )
