"""Scoring a corpus too large to be held in memory: a block at a time, each stored when it is done.

The same engines ask, and what is lost when a run is killed is as little as ever: answers are stored
every half a second, and put into their block's shard when the block is whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import polars as pl

from tiltmeter.errors import SystemFailure
from tiltmeter.scoring.blocks import Block, round_key
from tiltmeter.scoring.engines.local import ask_batches, batches
from tiltmeter.scoring.kept_blocks import KeptBlocks
from tiltmeter.scoring.plan import stored_form
from tiltmeter.scoring.probe import settle_batches
from tiltmeter.scoring.progress import Progress
from tiltmeter.scoring.run import (
    Losses,
    Settings,
    changed_note,
    check_stored,
    forget,
)
from tiltmeter.scoring.shard import Fault, read_shard
from tiltmeter.scoring.spot_check import NOT_CHECKED, Agreement, SpotCheck
from tiltmeter.scoring.store import Store
from tiltmeter.scoring.writer import FLUSH, answer_frame
from tiltmeter.systems.protocol import Answer, Card, Missing, System, settled

Step = tuple[int, list[Missing]]
"""So many more texts answered, and those without a score."""
BLOCKS_CHECKED = 4
"""Blocks among whose texts those are drawn that are asked again: they are read whole."""
PROBED = 64
"""Texts among which those are found that a probe asks."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What asking came to."""

    asked: int = 0
    known: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    written: tuple[float, float] | None = None
    """When the first and the last of the stored blocks used were written, in seconds since 1970."""
    check: SpotCheck = NOT_CHECKED
    system: System | None = None
    """The system in the form it has."""


def score_blocks(
    system: System,
    blocks: Callable[[], Iterable[Block]],
    sizes: Mapping[str, int],
    store: Store,
    settings: Settings,
    heard: Progress,
) -> Tally:
    """Ask whatever is not stored of blocks, and store it.

    `sizes` has how many texts each block of the first round has, by its key.
    """
    started = time.perf_counter()
    given, system = system, stored_form(system, store)
    if settings.shards:
        from tiltmeter.scoring.engines.ray_shards import take_shards

        take_shards(store, system.card, settings)
    kept = KeptBlocks(store, system.card.fingerprint)
    try:
        check = check_stored(system, lambda: _some_stored(kept, sizes), settings)
    except SystemFailure:
        if given.settle is None:
            raise
        return score_blocks(settled(given), blocks, sizes, store, settings, heard)
    if check.agreement is Agreement.CHANGED:
        forget(store, system.card, settings)
        kept = KeptBlocks(store, system.card.fingerprint)
    changed, written = changed_note(check), kept.written(sizes)
    todo = _unknown(blocks(), kept, settings)
    many = sum(sizes.values()) * settings.repeats
    known = stored_in_blocks(system.card, sizes, store, settings)
    first = next(todo, None)
    if first is not None and given.settle:
        before, system = system.card.fingerprint, settled(given)
        if system.card.fingerprint != before:
            return score_blocks(system, blocks, sizes, store, settings, heard)
    heard.begin(system.card.name, many - known, known)
    if first is None:
        heard.end(system.card.name)
        seconds = time.perf_counter() - started
        return Tally(0, many, seconds, (*kept.faults, *changed), written, check, system)
    system, notes = settle_batches(system, first.asks.head(PROBED).to_list())
    asking = _on_many if settings.engine == "ray" else _on_this
    asked, losses = 0, Losses(system.card.name, many, settings.max_missing)
    try:
        with closing(asking(system, chain([first], todo), many, store, settings)) as done:
            for texts, missing in done:
                asked += texts
                heard.advance(texts, len(missing))
                heard.keep(texts - len(missing))
                losses.add(texts, missing)
    finally:
        heard.end(system.card.name)
    seconds = time.perf_counter() - started
    store.note_pace(system.card, asked, seconds)
    said = (*kept.faults, *changed, *notes)
    return Tally(asked, many - asked, seconds, said, written, check, system)


def _some_stored(kept: KeptBlocks, sizes: Mapping[str, int]) -> pl.DataFrame:
    """Stored scores to draw from: some whole blocks of the corpus, else what smaller runs stored.

    The blocks are drawn by their keys, which are hashes, so that they are of the whole corpus.
    """
    own = sorted(key for key in sizes if key in kept.shards)[:BLOCKS_CHECKED]
    read = [read_shard(kept.shards[key]) for key in own]
    frames = [one for one in read if not isinstance(one, Fault)]
    return pl.concat(frames) if frames else kept.by_text


def _on_this(
    system: System, todo: Iterable[_Todo], many: int, store: Store, settings: Settings
) -> Generator[Step, None, None]:
    """Ask on this machine."""
    under_way = _UnderWay(store, system.card)
    left = _batches(todo, system.pace.batch, under_way)
    try:
        for answered in ask_batches(system, left, many, settings.workers):
            under_way.add(answered.texts, answered.answers)
            yield (
                len(answered.texts),
                [answer for answer in answered.answers if isinstance(answer, Missing)],
            )
    finally:
        under_way.close()


def _on_many(
    system: System, todo: Iterable[_Todo], _many: int, store: Store, settings: Settings
) -> Generator[Step, None, None]:
    """Ask on a cluster, whose workers store the answers themselves."""
    from tiltmeter.scoring.engines.ray import ask_blocks

    # What is known was left out already; a block that lacks some answers is asked as a whole.
    anew = replace(settings, reuse="never")
    with closing(ask_blocks(system, (one.block for one in todo), store, anew)) as done:
        for one in done:
            yield one.texts, [Missing(one.reason)] * one.missing


def stored_in_blocks(card: Card, sizes: Mapping[str, int], store: Store, settings: Settings) -> int:
    """How many answers stand in blocks of their own; a few of them may be null."""
    kept = {} if settings.reuse == "never" else store.blocks(card.fingerprint)
    rounds = range(settings.repeats)
    return sum(size for key, size in sizes.items() for n in rounds if round_key(key, n) in kept)


@dataclass(frozen=True, slots=True)
class _Todo:
    """A block of which not everything is known."""

    block: Block
    known: pl.DataFrame
    asks: pl.Series


def _unknown(blocks: Iterable[Block], kept: KeptBlocks, settings: Settings) -> Iterator[_Todo]:
    """The blocks that have texts to ask."""
    if settings.reuse == "stored":
        return
    for block in blocks:
        if settings.reuse == "never":
            yield _Todo(block, kept.nothing(block), block.texts)
            continue
        known = kept.answers(block)
        asks = known.filter(pl.col("raw").is_null())["text"]
        if asks.len():
            yield _Todo(block, known, asks)


class _Marked(list[str]):
    """A batch that knows which block it is of."""

    key = ""


def _batches(todo: Iterable[_Todo], size: int, under_way: _UnderWay) -> Iterator[Sequence[str]]:
    for one in todo:
        under_way.begin(one)
        for texts in batches(one.asks.to_list(), size):
            batch = _Marked(texts)
            batch.key = one.block.key
            yield batch


@dataclass
class _Open:
    """A block that is being asked."""

    todo: _Todo
    answers: list[pl.DataFrame] = field(default_factory=list)
    answered: int = 0


class _UnderWay:
    """Blocks being asked: answers kept safe as they come, and put into shards of their own."""

    def __init__(self, store: Store, card: Card) -> None:
        self._store, self._card = store, card
        self._open: dict[str, _Open] = {}
        self._waiting: list[tuple[str, pl.DataFrame]] = []
        self._loose: dict[Path, set[str]] = {}
        self._last = time.perf_counter()
        self.asked = 0

    def begin(self, todo: _Todo) -> None:
        """Ask a further block."""
        self._open[todo.block.key] = _Open(todo)

    def add(self, batch: Sequence[str], answers: Sequence[Answer]) -> None:
        """Take a batch's answers; its block is stored once it is whole."""
        key = batch.key if isinstance(batch, _Marked) else ""
        one = self._open[key]
        frame = answer_frame(batch, answers, one.todo.block.repeat)
        one.answers.append(frame)
        one.answered += len(batch)
        self.asked += len(batch)
        if one.answered == one.todo.asks.len():
            self._finish(key)
        else:
            self._waiting.append((key, frame))
        if time.perf_counter() - self._last > FLUSH:
            self.close()

    def close(self) -> None:
        """Store what is waiting of blocks that are not whole yet."""
        if self._waiting:
            shard = self._store.write(self._card, pl.concat(frame for _, frame in self._waiting))
            self._loose[shard] = {key for key, _ in self._waiting}
            self._waiting = []
        self._last = time.perf_counter()

    def _finish(self, key: str) -> None:
        """Put a whole block into a shard of its own, and drop what was stored of it meanwhile."""
        one = self._open.pop(key)
        self._store.write(self._card, _whole(one), block=key)
        self._waiting = [(other, frame) for other, frame in self._waiting if other != key]
        for shard, blocks in list(self._loose.items()):
            blocks.discard(key)
            if not blocks:
                shard.unlink(missing_ok=True)
                del self._loose[shard]
        self._last = time.perf_counter()


def _whole(one: _Open) -> pl.DataFrame:
    """A block's answers in the order of its texts: the known ones, then what was asked."""
    new = pl.concat(one.answers)
    if one.todo.asks.len() == one.todo.block.texts.len() and len(one.answers) == 1:
        return new
    keys = ["text", "repeat"]
    known = one.todo.known.select(keys)
    old = one.todo.known.filter(pl.col("raw").is_not_null())
    return known.join(pl.concat([old, new]), on=keys, how="left", maintain_order="left")
