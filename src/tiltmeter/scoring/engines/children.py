"""Processes that end with the one that started them, and leave Ctrl-C to it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interrupts_kept_here() -> Iterator[None]:
    """Start processes that do not hear a Ctrl-C, which a terminal sends to all of them.

    A process begins with the mask of the thread that starts it. What comes meanwhile is heard here
    afterwards: a process that was only half started would complain of what it was not told.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    with _heard_afterwards():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _heard_afterwards() -> Iterator[None]:
    """Put off interrupts, also those handed to other threads: the main one hears them all."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    put_off = (signal.SIGINT, signal.SIGTERM)
    before = {one: signal.signal(one, lambda number, _: came.append(number)) for one in put_off}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)


def live_with_parent() -> None:
    """Called in a process that was started: from now on it ends when its parent does.

    A parent killed with `kill -9` can tell nobody, and its processes would wait for work for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_after_parent, daemon=True).start()


def _end_after_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # not sys.exit: the main thread is waiting for work
