"""Systems kept open, to answer one sentence after another while somebody types.

Each system has a thread of its own, so that a slow or dead one holds up no other. What it has
answered is remembered, found in the store, and put there. A system that fails is opened anew when
it is next asked; until then the page shows why.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock

from tiltmeter.errors import StoreError, TiltmeterError, UnreachableError
from tiltmeter.scoring import ResolvedScale, ScaleSource, Store
from tiltmeter.scoring.scale import infer_scale
from tiltmeter.scoring.store import answer_frame
from tiltmeter.systems import (
    Answer,
    GivenScale,
    Missing,
    Options,
    System,
    ask,
    is_scores,
    open_system,
    resolve_form,
)

MOST_AT_ONCE = 300
QUICK = 0.1
"""Seconds that the texts asked at a time take, about: so long a new sentence waits at most for
another one's 600 names, and then a request that nobody waits for any more ends."""
REMEMBERED = 200_000
"""Answers of a system that are kept in memory."""
STORE_EVERY = 20.0
"""Seconds after which new answers are put into the store."""
RETRY_AFTER = 1.0
"""Seconds before a system that failed is opened anew."""


class LiveState(StrEnum):
    """How a system is at the moment."""

    OPENING = "opening"
    READY = "ready"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class LiveAnswers:
    """A system's answers to some of the texts it was asked for."""

    start: int
    """Which of the texts comes first."""
    answers: Sequence[Answer]


@dataclass(frozen=True, slots=True)
class AskingCost:
    """What somebody agrees to before a system is asked: nothing where it is free to ask."""

    questions: int = 0
    """Texts without an answer yet."""
    price: float = 0.0
    """Of one of them, in the user's currency; none stated: 0."""


class LiveSystem:
    """One system that stays open."""

    def __init__(
        self, name: str, opens: Callable[[], System], store: Store | None, scale: GivenScale
    ) -> None:
        self.name, self.state, self.why = name, LiveState.OPENING, ""
        self.system: System | None = None
        self.stored = 0
        """Answers it began with, from the store."""
        self._opens, self._store, self._scales = opens, store, Options(scale=scale).scales
        self._answers: dict[str, Answer] = {}
        self._unstored: dict[str, Answer] = {}
        self._low, self._high = float("inf"), float("-inf")
        self._at_once = 32
        self._failed_at, self._stored_at = 0.0, time.monotonic()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"explore-{name}")
        self._lock = Lock()

    @property
    def scale(self) -> ResolvedScale:
        """Declared, else inferred from every answer so far."""
        own = self.system.card.scale if self.system else None
        declared = self._scales.of(self.name, own)
        if declared is not None:
            return ResolvedScale(declared, ScaleSource.DECLARED)
        return infer_scale(self._low, self._high)

    @property
    def costs(self) -> bool:
        """Whether asking has a price or burdens a service: the page then asks sparingly."""
        return self.system is not None and self.system.costs

    def open_soon(self) -> Future[System]:
        """Begin to open the system; answers wait for it."""
        return self._thread.submit(self._open)

    async def answers(self, texts: Sequence[str]) -> AsyncIterator[LiveAnswers]:
        """Answers as they come, remembered ones at once; a `TiltmeterError` where it is down."""
        loop = asyncio.get_running_loop()
        start = 0
        while start < len(texts):
            batch = texts[start : start + self._at_once]
            with self._lock:
                known = [self._answers.get(text) for text in batch]
            if None in known:
                known = list(await loop.run_in_executor(self._thread, self._ask, batch))
            yield LiveAnswers(start, [answer for answer in known if answer is not None])
            start += len(batch)

    async def cost_of(self, texts: Sequence[str]) -> AskingCost:
        """What asking comes to; only a system that was opened tells whether it has a price."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._cost_of, texts)

    def _cost_of(self, texts: Sequence[str]) -> AskingCost:
        system = self._open()
        if not system.costs:
            return AskingCost()
        with self._lock:
            questions = len(set(texts) - self._answers.keys())
        return AskingCost(questions, system.card.price)

    def _ask(self, texts: Sequence[str]) -> list[Answer]:
        """Ask for what is not remembered; in the system's own thread."""
        system = self._open()
        with self._lock:
            answers = {text: self._answers[text] for text in texts if text in self._answers}
        fresh = [text for text in dict.fromkeys(texts) if text not in answers]
        if fresh:
            begun = time.perf_counter()
            try:
                given = ask(system, fresh)
            except Exception as error:  # a user's own function may raise anything
                self._fail(error)
                raise
            each = (time.perf_counter() - begun) / len(fresh)
            self._at_once = max(1, min(MOST_AT_ONCE, 2 * self._at_once, int(QUICK / (each + 1e-6))))
            answers |= zip(fresh, given, strict=True)
            self._remember({text: answers[text] for text in fresh})
            down = [
                answer for answer in given if isinstance(answer, Missing) and answer.unreachable
            ]
            if len(down) == len(given):
                self._fail(TiltmeterError(down[0].reason))
                raise TiltmeterError(down[0].reason)
        return [answers[text] for text in texts]

    def _open(self) -> System:
        """The system, opened where it is not; never twice within a second where it fails."""
        if self.system is not None and self.state is LiveState.READY:
            return self.system
        if self.state is LiveState.DOWN and time.monotonic() - self._failed_at < RETRY_AFTER:
            raise TiltmeterError(self.why)
        try:
            self._close_system()
            with self._lock:
                self._answers.clear()  # what is opened anew may be another version
            self.system = resolve_form(self._opens())
            self._take_from_store(self.system)
        except Exception as error:
            self._fail(error)
            raise
        self.state, self.why = LiveState.READY, ""
        return self.system

    def _fail(self, error: Exception) -> None:
        what = (
            str(error) if isinstance(error, TiltmeterError) else f"{type(error).__name__}: {error}"
        )
        self.state, self.why, self._failed_at = LiveState.DOWN, what, time.monotonic()

    def _remember(self, answers: dict[str, Answer]) -> None:
        with self._lock:
            for text, answer in answers.items():
                if isinstance(answer, Missing) and answer.unreachable:
                    self._answers.pop(text, None)
                    continue
                self._answers[text] = self._unstored[text] = answer
                if not isinstance(answer, Missing):
                    self._low, self._high = min(self._low, answer), max(self._high, answer)
            for text in [*self._answers][: max(0, len(self._answers) - REMEMBERED)]:
                del self._answers[text]
        if time.monotonic() - self._stored_at > STORE_EVERY:
            self.put_into_store()

    def _take_from_store(self, system: System) -> None:
        """Begin with the stored answers of what has a price or burdens a service.

        What is free is asked: a model file may have changed behind the same fingerprint.
        """
        self.stored = 0
        if self._store is None or system.rows is not None or not system.costs:
            return
        rows, _ = self._store.read(system.card.fingerprint)
        known = rows.filter(repeat=0).drop_nulls("raw").tail(REMEMBERED)
        self.stored = known.height
        with self._lock:
            for text, raw in known.select("text", "raw").iter_rows():
                self._answers[text] = raw
                self._low, self._high = min(self._low, raw), max(self._high, raw)

    def put_into_store(self) -> None:
        """Store what is new; a store that cannot be written is no reason to stop answering."""
        with self._lock:
            fresh, self._unstored = self._unstored, {}
        self._stored_at = time.monotonic()
        if fresh and self._store is not None and self.system and self.system.rows is None:
            try:
                frame = answer_frame([*fresh], fresh.values(), 0)
                self._store.write(self.system.card, frame)
            except StoreError as error:
                self.why = str(error)

    def _close_system(self) -> None:
        if self.system is not None:
            self.system.close()
            self.system = None

    def close(self) -> None:
        """Store what is new and end the system."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self.put_into_store()
        self._close_system()


def open_all(systems: Sequence[LiveSystem]) -> None:
    """Open every system side by side; one that cannot be reached is down, any other error ends it.

    A name nobody knows, a file that is not there: that is said before a page is shown.
    """
    opening = [system.open_soon() for system in systems]
    try:
        for system in opening:
            with contextlib.suppress(UnreachableError):
                system.result()
    except BaseException:
        for one in systems:
            one.close()
        raise


def live_systems(specs: Iterable[str], options: Options, store: Store | None) -> list[LiveSystem]:
    """The systems of the command line, each about to be opened in its own thread."""
    systems = list[LiveSystem]()
    for spec in dict.fromkeys(specs):
        if is_scores(spec):
            raise TiltmeterError(
                f"{spec} holds scores made elsewhere; name a system that can be asked"
            )
        opens = _opener(spec, options)
        systems.append(LiveSystem(spec, opens, store, options.scales))
    return systems


def _opener(spec: str, options: Options) -> Callable[[], System]:
    return lambda: open_system(spec, options)
