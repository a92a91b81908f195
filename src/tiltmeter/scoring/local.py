"""Asking a system on this machine: one call after another, side by side in threads or processes.

What comes back does not depend on which: batches are cut the same way whatever runs them, and
answers are known by their text. Batches are handed out as they finish, so that each can be stored
before the next is done.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from types import ModuleType

from tiltmeter.errors import SystemFailure
from tiltmeter.systems.protocol import Answer, System, ask

Batch = Sequence[str]
Running = Future[list[Answer]]

WORTH_HELP = 3.0
"""Seconds of work left before other processes, which take a moment to start, are worth it."""
LISTEN = 0.5
"""Seconds before a wait looks up: a Ctrl-C that another thread got does not end it."""
WAITING = 2
"""Batches handed out ahead of each worker."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A finished batch."""

    texts: Batch
    answers: list[Answer]


def batches(texts: Sequence[str], size: int) -> Iterator[Batch]:
    """The texts cut into batches, in order."""
    for start in range(0, len(texts), size):
        yield texts[start : start + size]


def ask_all(system: System, texts: Sequence[str], workers: int | None = None) -> Iterator[Answered]:
    """Ask every text, and give batches as they finish."""
    return ask_batches(system, batches(texts, system.pace.batch), len(texts), workers)


def ask_batches(
    system: System, left: Iterator[Batch], many: int, workers: int | None = None
) -> Iterator[Answered]:
    """Ask batches, of so many texts in all, and give each as it finishes; no more are held."""
    pace = system.pace
    most = workers or pace.workers or cores()
    if pace.parallel == "threads" and most > 1:
        yield from _ask_in_threads(system, left, most)
    elif pace.parallel == "processes" and most > 1 and system.reopen:
        # Ask here; once the pace is known and much is left, let other processes help. The first
        # batch does not count: it may have loaded a lexicon or a model.
        for batch in islice(left, 1):
            yield Answered(batch, ask(system, batch))
        start, done, more = time.perf_counter(), 0, many - system.pace.batch
        for batch in left:
            yield Answered(batch, ask(system, batch))
            done += len(batch)
            spent = time.perf_counter() - start
            if spent / done * (more - done) > WORTH_HELP:
                yield from _helped(system, left, most - 1)
    else:
        for batch in left:
            yield Answered(batch, ask(system, batch))


def _ask_in_threads(system: System, left: Iterator[Batch], most: int) -> Iterator[Answered]:
    """Keep every thread busy with a few batches ahead, never with all of them at once.

    Threads are waited for, but not on Ctrl-C: one may be waiting minutes for a server. Whoever
    opened the system closes it, and that ends the wait.
    """
    pool, running, wait_for_them = ThreadPoolExecutor(most), dict[Running, Batch](), True
    try:
        while True:
            for batch in islice(left, most * WAITING - len(running)):
                running[pool.submit(ask, system, batch)] = batch
            if not running:
                return
            wait(running, LISTEN, FIRST_COMPLETED)
            yield from _collect_done(running)
    except KeyboardInterrupt:
        wait_for_them = False
        yield from _collect_done(running)  # what was answered is stored
        raise
    finally:
        pool.shutdown(wait_for_them, cancel_futures=True)


def cores() -> int:
    """How many cores this process may use."""
    with suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _helped(system: System, left: Iterator[Batch], helpers: int) -> Iterator[Answered]:
    """Hand batches to other processes and go on asking here, so that nobody waits for a start."""
    context, others = multiprocessing.get_context("spawn"), set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(helpers, context, initializer=partial(_open_here, system.reopen))
    running = dict[Running, Batch]()
    try:
        while True:
            for ahead in islice(left, max(0, helpers * WAITING - len(running))):
                with _main_left_alone(), interrupts_kept_here():
                    running[pool.submit(_ask_here, ahead)] = ahead
            own = next(left, None)
            if own is None:
                break
            yield Answered(own, ask(system, own))
            yield from _collect_done(running)
        for future, batch in list(running.items()):
            if future.cancel():  # not begun: quicker here than behind a process that is starting
                del running[future]
                yield Answered(batch, ask(system, batch))
        while running:
            wait(running, LISTEN, FIRST_COMPLETED)
            yield from _collect_done(running)
    except KeyboardInterrupt:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()  # a batch of a slow model may take minutes
        raise
    except BrokenProcessPool as error:
        what = "ended one of the processes it ran in (out of memory, or it stopped Python itself)"
        raise SystemFailure(system.card.name, what) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _main_left_alone() -> Iterator[None]:
    """Start processes without running the user's script again in each of them.

    Python's spawn imports the main module anew. A worker needs nothing of it: `reopen` opens a
    system from its spec. So a script without `if __name__ == "__main__":` runs once.
    """
    main = sys.modules["__main__"]
    blank = ModuleType("__main__")
    blank.__spec__ = None
    sys.modules["__main__"] = blank
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _collect_done(running: dict[Running, Batch]) -> Iterator[Answered]:
    for future in [future for future in running if future.done()]:
        yield Answered(running.pop(future), future.result())


_here: System | None = None


def _open_here(reopen: Callable[[], System] | None) -> None:
    """Open the system in a worker process, once."""
    global _here
    exit_with_parent()
    _here = reopen() if reopen else None


def _ask_here(batch: Batch) -> list[Answer]:
    if _here is None:
        raise RuntimeError("the worker process has not opened its system")
    return ask(_here, batch)


@contextmanager
def interrupts_kept_here() -> Iterator[None]:
    """Start processes that do not hear a Ctrl-C, which a terminal sends to all of them.

    A process begins with the mask of the thread that starts it. What comes meanwhile is heard here
    afterwards: a process that was only half started would complain of what it was not told.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Interrupts handed to other threads are put off too: the main thread hears them all.
    came: list[int] = []
    in_main = threading.current_thread() is threading.main_thread()
    put_off = (signal.SIGINT, signal.SIGTERM) if in_main else ()
    handlers = {one: signal.signal(one, lambda number, _: came.append(number)) for one in put_off}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for one, handler in handlers.items():
            signal.signal(one, handler)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)


def exit_with_parent() -> None:
    """Called in a process that was started: from now on it ends when its parent does.

    A parent killed with `kill -9` can tell nobody, and its processes would wait for work for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def end_after_parent() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)  # not sys.exit: the main thread is waiting for work

    threading.Thread(target=end_after_parent, daemon=True).start()
