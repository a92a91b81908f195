"""Answers stored as they come: a shard every half a second, merged into one at the end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from tiltmeter.scoring.shard import SCHEMA
from tiltmeter.scoring.store import Store
from tiltmeter.systems.protocol import Answer, Card, Missing

FLUSH = 0.5
"""Seconds of answers that may be unstored: each shard costs a little, a lost answer a call."""


class Writer:
    """Gathers one system's answers and puts them into the store before much time has passed."""

    def __init__(self, store: Store, card: Card) -> None:
        self._store, self._card = store, card
        self._waiting: list[pl.DataFrame] = []
        self._done: list[pl.DataFrame] = []
        self._shards: list[Path] = []
        self._last = time.perf_counter()

    def add(self, answers: pl.DataFrame) -> None:
        """Take a batch; it is stored at once or with those that follow within a moment."""
        self._waiting.append(answers)
        if time.perf_counter() - self._last > FLUSH:
            self.flush()

    def flush(self) -> None:
        """Store what is waiting."""
        if self._waiting:
            answers = pl.concat(self._waiting)
            self._shards.append(self._store.write(self._card, answers))
            self._done.append(answers)
            self._waiting = []
        self._last = time.perf_counter()

    def close(self, asks: pl.DataFrame) -> None:
        """Store what is waiting and put this run's shards into one, in the order of the asks."""
        self.flush()
        self._store.merge(self._card, self._shards, asks)

    def written(self) -> pl.DataFrame:
        """Everything that was stored."""
        return pl.concat(self._done) if self._done else pl.DataFrame(schema=SCHEMA)

    @property
    def answers(self) -> int:
        """How many scores were stored, texts without one aside."""
        return sum(int(frame["raw"].count()) for frame in self._done)


def answer_frame(texts: Sequence[str], answers: Iterable[Answer], repeat: int) -> pl.DataFrame:
    """Answers to texts as rows of a shard."""
    given = list(answers)
    return pl.DataFrame(
        {
            "text": list(texts),
            "repeat": [repeat] * len(texts),
            "raw": [None if isinstance(answer, Missing) else answer for answer in given],
            "reason": [answer.reason if isinstance(answer, Missing) else None for answer in given],
        },
        SCHEMA,
    )
