"""Asking a system on many machines, with Ray Data: blocks of texts in, a line about each shard out.

    driver   puts the texts of each block into SPOOL/texts/<key>, where workers can read them
    Ray      hands out one line a block to a pool of workers, each with one loaded system
    worker   reads the texts, asks, writes SHARDS/<fingerprint>/<time>-block-<key>.parquet
    driver   takes each shard into the store as its line comes

Neither texts nor answers pass through Ray or through the driver's memory as a whole. A shard's name
is given by the driver, so that a block that is asked again after a machine was lost has the same
one: none is there twice. Ray starts a lost worker anew elsewhere and hands its block out again.

Texts are not read with `ray.data.read_parquet`: its listing asks for a processor of its own (Ray
2.60), which a cluster whose processors all hold workers never gives; and it packs files together,
so that more than one block is lost with a worker.
"""

from __future__ import annotations

import io
import secrets
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tiltmeter.errors import StoreError, SystemFailure, TiltmeterError
from tiltmeter.scoring.blocks import ROWS, Block
from tiltmeter.scoring.engines.local import cores
from tiltmeter.scoring.engines.ray_cluster import join_cluster, places, quiet
from tiltmeter.scoring.engines.ray_shards import (
    Manifest,
    appears,
    is_folder,
    keep_card,
    shard_names,
    shards_of,
    take,
    take_shards,
    told_of,
)
from tiltmeter.scoring.engines.ray_worker import Job, Worker, itself
from tiltmeter.scoring.shard import ASIDE, shard_name
from tiltmeter.scoring.store import Store
from tiltmeter.systems.protocol import System

if TYPE_CHECKING:
    from tiltmeter.scoring.run import Settings

EACH = 4
"""Blocks for each worker of a small corpus: enough that none waits long for the last."""
BATCHES, LEAST = 32, 256
"""Batches of such a block at most, and texts at least: seconds of work, whatever the system."""

Parts = list[dict[str, str]]
"""Blocks by key, each with the name that its shard will have."""


def ask_blocks(
    system: System, blocks: Iterable[Block], store: Store, settings: Settings
) -> Generator[Manifest, None, None]:
    """Ask the blocks that have no shard yet, and tell of each as it is done.

    `system` is asked in batches of its pace: see that `settle_batches` was there before. Texts are
    put aside block by block, so that there may be any number of them.
    """
    taken = set(take_shards(store, system.card, settings))
    known = store.blocks(system.card.fingerprint) if settings.reuse != "never" else {}
    over: list[Path] = []

    def unknown() -> Iterator[Block]:
        for block in blocks if settings.reuse != "stored" else ():
            if block.key not in known:
                yield block
            elif block.key in taken:
                over.append(known[block.key])

    run = _Run(system, store, settings)
    with run.spooled(unknown()) as parts:
        yield from (told_of(path) for path in over)
        yield from run.ask(parts)


def ask_texts(
    system: System, asks: pl.DataFrame, store: Store, settings: Settings
) -> Generator[Manifest, None, None]:
    """Ask texts (text, repeat) that are in hand, cut into blocks as the system's pace allows."""
    join_cluster(settings.ray_address, settings.workers)
    workers = _workers(system, settings)
    size = block_size(asks.height, system.pace.batch, workers)
    blocks = (
        Block(part["text"].slice(start, size), int(repeat))
        for (repeat,), part in asks.group_by("repeat", maintain_order=True)
        for start in range(0, part.height, size)
    )
    run = _Run(system, store, settings)
    with run.spooled(blocks) as parts:
        yield from run.ask(parts)


def block_size(texts: int, batch: int, workers: int) -> int:
    """Texts of a block: whole batches, so that they are cut as on one machine.

    >>> block_size(8640, 256, 2), block_size(8640, 32, 2), block_size(10, 256, 2)
    (1280, 1024, 256)
    """
    wanted = min(max(-(-texts // (workers * EACH)), LEAST), max(BATCHES * batch, LEAST), ROWS)
    return -(-wanted // batch) * batch


class _Run:
    """One system asked on the cluster."""

    def __init__(self, system: System, store: Store, settings: Settings) -> None:
        self.system, self.store, self.settings = system, store, settings
        self.shards = shards_of(store, system.card, settings)
        self.spool = self.shards.within(f"{ASIDE}{secrets.token_hex(8)}")

    @contextmanager
    def spooled(self, blocks: Iterable[Block]) -> Iterator[Parts]:
        """The blocks' texts where workers can read them, for as long as this lasts."""
        keep_card(self.store, self.system.card)
        newest = max(
            [*shard_names(self.store, self.system.card), *self.shards.shards()], default=""
        )
        texts, parts = self.spool.within("texts"), dict[str, dict[str, str]]()
        try:
            texts.make()
            self.spool.within("opening").make()
            for block in blocks:
                if block.key not in parts:
                    texts.put(block.key, _texts(block))
                    shard = shard_name(block.key, after=newest)
                    parts[block.key] = {"key": block.key, "shard": shard}
            yield list(parts.values())
        finally:
            self.spool.remove()

    def ask(self, parts: Parts) -> Iterator[Manifest]:
        """Have every part asked, and take each shard into the store as it comes."""
        if not parts:
            return
        join_cluster(self.settings.ray_address, self.settings.workers)
        workers = min(_workers(self.system, self.settings), len(parts))
        with quiet():
            for line in _lines(self._job(workers), parts):
                if line["trouble"]:
                    raise _error(line["kind"], line["trouble"])
                yield self._taken(line)

    def _taken(self, line: dict[str, Any]) -> Manifest:
        """A block's manifest, once its shard is in the store."""
        name, card = line["shard"], self.system.card
        path = self.store.path / card.fingerprint / name
        here = is_folder(self.shards, path.parent)
        if not (appears(path) if here else take(self.shards, name, self.store, card)):
            raise StoreError(
                f"the worker {line['host']} wrote {self.shards.url}/{name}, which cannot be read "
                "from here: do all machines share that place? Name one that they share with "
                "--shards, as in --shards s3://bucket/prefix"
            )
        return Manifest(line["key"], path, line["texts"], line["missing"], line["reason"])

    def _job(self, pool: int) -> Job:
        pace, given = self.system.pace, self.settings.workers
        threads = (given or pace.workers or cores()) if pace.parallel == "threads" else 1
        return Job(
            _opening(self.system), self.system.card, pace, threads, self.shards, self.spool,
            str(Path.cwd()), tuple(place for place in sys.path if place),
            self.settings.ray_gpus, pool,
        )  # fmt: skip


def _lines(job: Job, parts: Parts) -> Iterator[dict[str, Any]]:
    """What the workers send back, a line a block, as they finish."""
    import ray
    import ray.data

    blocks = ray.data.from_items(parts, override_num_blocks=len(parts))
    pool = ray.data.ActorPoolStrategy(size=job.pool, max_tasks_in_flight_per_actor=1)
    done = blocks.map_batches(
        Worker, fn_constructor_args=(job,), batch_size=1, batch_format="pyarrow", compute=pool,
        num_cpus=1, num_gpus=job.gpus or None,
    )  # fmt: skip
    try:
        for batch in done.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
            yield from batch.to_pylist()
    except (ray.exceptions.RayError, OSError, RuntimeError, ValueError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[-1]
        what = f"could not be asked on the Ray cluster: {reason}; what was answered is stored"
        raise SystemFailure(job.card.name, what) from error


def _workers(system: System, settings: Settings) -> int:
    """How many workers: one for a service, whose limits hold for a process, not for a cluster."""
    if system.pace.parallel == "threads":
        return 1
    return places(settings.workers, settings.ray_gpus)


def _opening(system: System) -> bytes:
    """What opens the system elsewhere: its `reopen`, else the system itself, if it can be sent."""
    import ray.cloudpickle as pickle

    try:
        return bytes(pickle.dumps(system.reopen or partial(itself, system)))
    except Exception as error:
        what = (
            f"cannot be sent to other machines ({type(error).__name__}: {error}); name it so that "
            "they can open it, as in module:callable, or use --engine local"
        )
        raise SystemFailure(system.card.name, what) from error


def _texts(block: Block) -> bytes:
    file = io.BytesIO()
    repeats = pl.repeat(block.repeat, block.texts.len(), dtype=pl.Int64, eager=True)
    pl.DataFrame({"text": block.texts, "repeat": repeats}).write_parquet(file)
    return file.getvalue()


def _error(kind: str, message: str) -> TiltmeterError:
    """A worker's error, with its whole message."""
    known = {one.__name__: one for one in (SystemFailure, StoreError)}
    made = known.get(kind, TiltmeterError)
    error = made.__new__(made)
    error.args = (message,)
    return error
