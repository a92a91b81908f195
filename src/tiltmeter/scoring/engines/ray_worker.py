"""What a worker on some machine does: open the system once, then answer block after block.

A worker reads a block's texts, writes its answers as a shard and sends back a line about it. It may
be killed at any moment: a shard is there whole or not at all, and one that is there is not asked
again. Whatever goes wrong is sent back in words.
"""

from __future__ import annotations

import io
import os
import secrets
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.errors import StoreError, SystemFailure, TiltmeterError
from tiltmeter.scoring.engines.local import ask_all
from tiltmeter.scoring.shard import shard_bytes
from tiltmeter.scoring.shard_folder import ShardFolder
from tiltmeter.scoring.writer import answer_frame
from tiltmeter.systems.protocol import Answer, Card, Pace, System

TRIES = 3
"""How often a block is begun: a system that ends its process every time must not go on for ever."""
OPENED = "opened"


@dataclass(frozen=True, slots=True)
class Job:
    """What every worker of a run is told."""

    opening: bytes
    """A pickled function that opens the system, made by the process that sends it."""
    card: Card
    pace: Pace
    """As settled by the sender: a batch of 1 where batches matter."""
    workers: int
    """Side by side within one worker; 1 but for systems that wait for a network."""
    shards: ShardFolder
    spool: ShardFolder
    folder: str
    """Where the sender stands; specs and modules may be named from there."""
    modules: tuple[str, ...]
    """The sender's sys.path."""
    gpus: float = 0.0
    pool: int = 1
    """How many workers there are, which may all be opening the system at once."""


def itself(system: System) -> System:
    """A system that was sent as it is."""
    return system


class Worker:
    """One loaded system, and the blocks it is asked."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.system: System | None = None
        self.trouble: TiltmeterError | None = None
        try:
            self.system = self._opened()
        except Exception as error:
            self.trouble = _told(job.card.name, "could not be opened", error)

    def __call__(self, rows: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
        """Answer one block, told by its key and its shard's name, with what became of it."""
        import pyarrow as pa

        asked = rows.to_pylist()[0]
        try:
            if self.trouble:
                raise self.trouble
            done = self._done(asked["key"], asked["shard"])
        except Exception as error:
            told = _told(self.job.card.name, "failed", error)
            done = {"kind": type(told).__name__, "trouble": str(told)}
        return pa.Table.from_pylist([EMPTY | asked | done | {"host": socket.gethostname()}])

    def _opened(self) -> System:
        """The system, where opening it does not end the process time and again."""
        import ray.cloudpickle as pickle

        begun = self.job.spool.within("opening")
        self._settle_in()
        if not begun.has(OPENED):
            _begin(self.job.card.name, begun, "being opened", TRIES + self.job.pool - 1)
        # What the driver of this same run sent, as Ray sends this very object; no user's file.
        opened: Callable[[], System] = pickle.loads(self.job.opening)
        system = opened()
        begun.put(OPENED, b"")
        if system.card.fingerprint != self.job.card.fingerprint:
            what = (
                f"is another one on the worker {socket.gethostname()} than where the run was "
                "started: another version, other files or settings; install the same on all"
            )
            raise SystemFailure(self.job.card.name, what)
        return replace(system, pace=self.job.pace)

    def _settle_in(self) -> None:
        """Stand where the sender stands, as far as this machine has that place."""
        if Path(self.job.folder).is_dir():
            os.chdir(self.job.folder)
        if not self.job.gpus:
            os.environ["CUDA_VISIBLE_DEVICES"] = ""  # or all workers of a machine share its first
        sys.path.extend(place for place in self.job.modules if place not in sys.path)

    def _done(self, key: str, shard: str) -> dict[str, object]:
        """Answer a block and write its shard, unless a worker did so before it was lost."""
        shards, name = self.job.shards, self.job.card.name
        if shards.has(shard):
            return _manifest(pl.read_parquet(io.BytesIO(shards.get(shard))))
        block = pl.read_parquet(io.BytesIO(self.job.spool.within("texts").get(key)))
        texts, repeat = block["text"].to_list(), int(block["repeat"][0])
        _begin(name, self.job.spool.within(f"tries-{key}"), "asked the same block of texts")
        answers = answer_frame(texts, self._answers(texts), repeat)
        shards.put(shard, shard_bytes(answers))
        return _manifest(answers)

    def _answers(self, texts: Sequence[str]) -> list[Answer]:
        """Answers in the order of the texts, whatever order their batches come in."""
        if self.system is None:
            raise RuntimeError("the worker has no system")
        found: dict[str, Answer] = {}
        for batch in ask_all(self.system, texts, self.job.workers):
            found.update(zip(batch.texts, batch.answers, strict=True))
        return [found[text] for text in texts]


EMPTY: dict[str, object] = {
    "key": "", "shard": "", "texts": 0, "missing": 0, "reason": "", "kind": "", "trouble": "",
    "host": "",
}  # fmt: skip
"""What a worker sends back of a block, and how it looks where there is nothing to say."""


def _manifest(answers: pl.DataFrame) -> dict[str, object]:
    reasons = answers["reason"].drop_nulls()
    return {
        "texts": answers.height,
        "missing": answers["raw"].null_count(),
        "reason": reasons[-1] if reasons.len() else "",
    }


def _begin(name: str, tries: ShardFolder, doing: str, most: int = TRIES) -> None:
    """Note that this is begun; raise where it was too often without coming to an end."""
    tries.make()
    begun = len(tries.names())
    if begun >= most:
        what = (
            f"ended {begun} workers while {doing} (out of memory, or it stopped Python itself); "
            "what was answered is stored"
        )
        raise SystemFailure(name, what)
    tries.put(secrets.token_hex(8), b"")


def _told(name: str, what: str, error: Exception) -> TiltmeterError:
    """Any error as one of ours, with the machine it happened on."""
    if isinstance(error, StoreError):
        return StoreError(f"{error} (said by the worker {socket.gethostname()})")
    if isinstance(error, TiltmeterError):
        return error
    lines = str(error).splitlines() or [""]
    where = f"on the worker {socket.gethostname()}"
    return SystemFailure(name, f"{what} {where}: {type(error).__name__}: {lines[0]}")
