"""Scoring: ask what is not known, store it as it comes, and give the `scores` table.

Texts are asked in blocks; a corpus in memory is one block. A run that is stopped, killed or fails
half-way has lost at most half a second of answers and the batches in flight; the same command goes
on from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Literal, Protocol

import polars as pl

from tiltmeter.errors import (
    ArgumentError,
    MissingExtraError,
    SystemFailure,
    TiltmeterError,
    TooFewScoresError,
    UnreachableError,
    argument,
)
from tiltmeter.schemas import SENTENCES
from tiltmeter.scoring.local import ask_batches, batches
from tiltmeter.scoring.plan import (
    REUSES,
    Block,
    BlockPlan,
    Reuse,
    Texts,
    make_plan,
    round_key,
    stored_form,
)
from tiltmeter.scoring.scored import BlockScores, Scored, Tally, score_in_memory
from tiltmeter.scoring.spot_check import (
    NOT_CHECKED,
    NOT_WANTED,
    Agreement,
    SpotCheck,
    check_batch_invariance,
    draw,
    draw_across_groups,
    spot_check,
    texts_to_check,
)
from tiltmeter.scoring.store import Store, StoredAnswers, answer_frame, read_columns
from tiltmeter.systems.protocol import Answer, Card, Missing, Scale, System, resolve_form

FLUSH = 0.5
"""Seconds of answers that may be unstored: each shard costs a little, a lost answer a call."""
PROBED = 64
"""Texts among which those are found that show whether batches matter."""
BLOCKS_CHECKED = 4
"""Blocks among whose texts those are drawn that are asked again: they are read whole."""
Step = tuple[int, list[Missing]]
"""So many more texts answered, and those without a score."""
Finish = Callable[[BlockPlan, pl.DataFrame], None]
"""Takes a block of which everything was asked, and the answers, in the order of the asks."""
Engine = Literal["local", "ray"]
ENGINES = ("local", "ray")
"""local: this machine; ray: a cluster, of this machine or of many."""
MOST_REPEATS = 10_000


@dataclass(frozen=True, slots=True)
class Settings:
    """How to score."""

    reuse: Reuse = "missing"
    repeats: int = 1
    max_missing: float = 0.01
    """The share of texts that may lack a score before the run stops."""
    workers: int | None = None
    engine: Engine = "local"
    ray_address: str | None = None
    """A cluster to join; None: this machine."""
    shards: str | None = None
    """Where Ray's workers write their shards; None: into the store, which all must then see."""
    ray_gpus: float = 0.0
    """GPUs of each worker."""
    check: int | None = None
    """How many stored scores are asked again before they are used; None: 16 where that is free."""
    for_gate: bool = False
    """Whether a gate rests on the scores: then 200 are asked again, or 16 where a price is stated,
    across groups and words."""

    def __post_init__(self) -> None:
        # Raise where what is said of the engine does not fit
        if self.engine not in ENGINES:
            raise ArgumentError("engine", f"is {' or '.join(ENGINES)}; found {self.engine!r}")
        given = [name for name in ("ray_address", "shards", "ray_gpus") if getattr(self, name)]
        if given and self.engine != "ray":
            what = f"{', '.join(map(argument, given))} is for {argument('engine')} ray"
            raise TiltmeterError(f"{what}; add it, or leave this out")
        if not self.ray_gpus >= 0:
            raise ArgumentError("ray_gpus", f"is a number from 0 up; found {self.ray_gpus}")
        if self.engine == "ray" and find_spec("ray") is None:
            raise MissingExtraError(f"Ray, which {argument('engine')} ray asks with,", "ray")
        if self.reuse not in REUSES:
            raise ArgumentError("reuse", f"is {', '.join(REUSES)}; found {self.reuse!r}")
        if self.repeats < 1:
            raise ArgumentError("repeats", f"needs at least 1; found {self.repeats}", "--repeat")
        if self.repeats > MOST_REPEATS:
            raise ArgumentError(
                "repeats", f"is at most {MOST_REPEATS:,}; found {self.repeats:,}", "--repeat"
            )
        if self.check is not None and self.check < 0:
            raise ArgumentError("check", f"is a number of texts from 0 up; found {self.check}")
        if self.workers is not None and self.workers < 1:
            raise ArgumentError("workers", f"needs at least 1; found {self.workers}")
        if not 0 <= self.max_missing <= 1:
            raise ArgumentError("max_missing", f"is a share from 0 to 1; found {self.max_missing}")


class Progress(Protocol):
    """Hears how scoring goes; the command line shows it, the library stays silent."""

    def begin(self, system: str, asks: int, known: int) -> None:
        """A system's turn begins: so many texts to ask, so many known already."""

    def advance(self, texts: int, missing: int) -> None:
        """So many more texts were answered, so many of them without a score."""

    def end(self, system: str) -> None:
        """A system's turn is over."""

    def keep(self, answers: int) -> None:
        """So many more answers are stored, and found by the same run again; below 0: fewer."""


class Silent:
    """Hears and says nothing."""

    def begin(self, system: str, asks: int, known: int) -> None:
        """Say nothing."""

    def advance(self, texts: int, missing: int) -> None:
        """Say nothing."""

    def end(self, system: str) -> None:
        """Say nothing."""

    def keep(self, answers: int) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """The distinct texts of a corpus, block by block, as often as they are gone through."""

    each: Callable[[], Iterable[Block]]
    sizes: Mapping[str, int]
    """How many texts each block has, by its key."""
    sentences: Callable[[], Iterable[pl.DataFrame]] | None = None
    """The sentences of each block, which say whom its texts are about; None: nobody knows."""

    def rounds(self, repeats: int) -> Iterator[Block]:
        """Every block in every round; none twice in one."""
        for nth in range(repeats):
            left = set(self.sizes)
            for block in self.each():
                if block.key in left:
                    left.remove(block.key)
                    yield block.round(nth)

    def keys(self, repeats: int) -> list[str]:
        """The keys of every block in every round."""
        return [round_key(key, nth) for nth in range(repeats) for key in self.sizes]


def blocks_of(
    corpus: Texts | Callable[[], Iterable[Block]],
    sentences: Callable[[], Iterable[pl.DataFrame]] | None = None,
) -> Blocks:
    """Texts in memory as one block, or the blocks of a large corpus, gone through once.

    `sentences` gives those of each block of a large corpus.
    """
    if isinstance(corpus, Texts):
        sizes = {corpus.block.key: corpus.distinct.len()}
        return Blocks(lambda: [corpus.block], sizes, lambda: [corpus.sentences])
    return Blocks(corpus, {block.key: block.texts.len() for block in corpus()}, sentences)


def count_asks(card: Card, blocks: Blocks, store: Store, settings: Settings) -> tuple[int, int]:
    """How many texts would be asked, and how many are known; asks nothing.

    Of a large corpus, a few in blocks that were asked whole may have no score.
    """
    answers = _stored_answers(card, blocks, store, settings)
    many, known = _count(blocks, answers, settings.repeats)
    if len(blocks.sizes) == 1 or (answers.others and known < many):
        found = map(answers.find, blocks.rounds(settings.repeats))
        known = sum(int(one["raw"].count()) for one in found)
    return (0 if settings.reuse == "stored" else many - known), known


def _count(blocks: Blocks, answers: StoredAnswers, repeats: int) -> tuple[int, int]:
    """How many answers there should be, and how many stand in shards of whole blocks."""
    many = sum(blocks.sizes.values()) * repeats
    whole = [key for key in blocks.keys(repeats) if answers.has(key)]
    return many, sum(blocks.sizes[round_key(key, 0)] for key in whole)


def _stored_answers(card: Card, blocks: Blocks, store: Store, settings: Settings) -> StoredAnswers:
    """What is stored of blocks; with --reuse never, from now on."""
    shards = store.shards(card.fingerprint) if settings.reuse == "never" else []
    since = shards[-1].name if shards else ""
    return StoredAnswers(store, card.fingerprint, blocks.keys(settings.repeats), since)


def score_system(
    system: System,
    texts: Texts,
    store: Store,
    settings: Settings,
    progress: Progress | None = None,
    scale: Scale | None = None,
    usual: Scale | None = None,
) -> Scored:
    """Score a corpus' sentences with one system.

    `scale` is the user's word over the adapter's, `usual` for a system whose scale nobody declares.
    """
    started = time.perf_counter()
    tally = score_blocks(system, blocks_of(texts), store, settings, progress, hold=True)
    form = tally.system or system
    scores = BlockScores(form, tally.answers, settings.repeats, texts.sentences.clear())
    rounds = scores.rounds(texts)
    declared = scale or form.card.scale or usual
    tally = replace(tally, seconds=time.perf_counter() - started)
    return score_in_memory(form.card, texts, rounds, declared, tally)


def score_blocks(
    system: System,
    blocks: Blocks,
    store: Store,
    settings: Settings,
    progress: Progress | None = None,
    *,
    hold: bool = False,
) -> Tally:
    """Ask what is not stored of blocks, once what is stored has been held against the system.

    Answers go into the store; with `hold` they stay in memory too, whatever becomes of the store
    meanwhile. What tells its form by being asked is not asked for that where everything is stored.
    """
    if system.rows is not None:
        return Tally(system)
    heard, started = progress or Silent(), time.perf_counter()
    given, system = system, stored_form(system, store)
    card = system.card
    if settings.shards:
        from tiltmeter.scoring.ray import take_shards

        take_shards(store, card, settings)
    stored = _stored_answers(card, blocks, store, settings)
    store.keep_card(card)
    try:
        check = _check_stored(system, blocks, stored, settings)
    except SystemFailure:
        if given.find_form is None:
            raise
        return score_blocks(resolve_form(given), blocks, store, settings, heard, hold=hold)
    if check.agreement is Agreement.CHANGED:
        # Drop what is stored of the system, also where a cluster's workers left it
        store.remove([card.fingerprint])
        if settings.shards:
            from tiltmeter.scoring.ray import shards_of

            shards_of(store, card, settings).remove()
        stored = _stored_answers(card, blocks, store, settings)
    held: dict[str, pl.DataFrame] = {}
    known = 0

    def plans() -> Iterator[BlockPlan]:
        """The blocks of which something is to be asked; what is known of all is counted."""
        nonlocal known
        for block in blocks.rounds(settings.repeats):
            plan = make_plan(block, stored.find(block), settings.reuse)
            known += int(plan.known["raw"].count())
            if hold:
                held[block.key] = plan.known
            if plan.asks.texts.len():
                yield plan

    def finish(plan: BlockPlan, answers: pl.DataFrame) -> None:
        if hold:
            held[plan.block.key] = plan.complete(answers)

    todo = plans()
    many, expected = _count(blocks, stored, settings.repeats)
    if hold:
        todo, expected = iter(every := list(todo)), known
        asks = sum(plan.asks.texts.len() for plan in every)
    else:
        asks = 0 if settings.reuse == "stored" else many - expected
    first = next(todo, None)
    if first is not None and given.find_form:
        system = resolve_form(given)
        if system.card.fingerprint != card.fingerprint:
            return score_blocks(system, blocks, store, settings, heard, hold=hold)
    heard.begin(card.name, asks, expected)
    asked, notes = 0, list[str]()
    try:
        if first is not None:
            system, notes = check_batch_invariance(system, first.asks.texts.head(PROBED).to_list())
            losses, begun = Losses(card.name, many, settings.max_missing), time.perf_counter()
            asking = _ask_cluster if settings.engine == "ray" else _ask_here
            todo = chain([first], todo)
            with closing(asking(system, todo, many, store, settings, heard, finish)) as steps:
                for texts, missing in steps:
                    asked += texts
                    heard.advance(texts, len(missing))
                    losses.add(texts, missing)
            store.note_pace(card, asked, time.perf_counter() - begun)
    finally:
        heard.end(card.name)
    after = StoredAnswers(store, card.fingerprint, blocks.keys(settings.repeats), stored.since)
    return Tally(
        system, (lambda block: held[block.key]) if hold else after.numbers, asked, known,
        time.perf_counter() - started, (*stored.faults, *check.notes, *notes),
        stored.written if known else None, check,
    )  # fmt: skip


def _check_stored(
    system: System, blocks: Blocks, stored: StoredAnswers, settings: Settings
) -> SpotCheck:
    """Hold stored scores against what the system answers now, where wanted.

    For a gate they are drawn across groups and words, from the whole corpus. Else of a large corpus
    some blocks are drawn by their keys, which are hashes, so that they are of the whole corpus;
    where none is stored, whatever else is.
    """
    if settings.reuse == "stored":
        return NOT_WANTED
    many = texts_to_check(system, settings.check, for_gate=settings.for_gate)
    if not many or settings.reuse != "missing":
        return NOT_CHECKED
    if settings.for_gate and blocks.sentences is not None:
        of_groups = map(partial(_stored_with_groups, stored), blocks.sentences())
        drawn = draw_across_groups(of_groups, many, system.card.fingerprint)
        check = spot_check(system, drawn, settings.workers)
        return replace(check, few_for_price=settings.check is None and system.card.price > 0)
    if len(blocks.sizes) == 1:
        known = stored.find(next(iter(blocks.each())))
    else:
        known = stored.some(sorted(blocks.sizes), BLOCKS_CHECKED)
    return spot_check(system, draw(known, many, system.card.fingerprint), settings.workers)


def _stored_with_groups(stored: StoredAnswers, sentences: pl.DataFrame) -> pl.DataFrame:
    """The stored score of each text, and whom and which word it is about: text, raw, groups.

    A sentence's columns beyond those of every corpus are its axes.
    """
    axes = [name for name in sentences.columns if name not in SENTENCES.columns]
    groups = [*axes, *({"emotion_word"} & set(sentences.columns))]
    texts = sentences.unique("text", keep="first", maintain_order=True)
    raw = stored.find(Block(texts["text"]))["raw"]
    return texts.select("text", raw, *groups)


def _ask_here(
    system: System,
    plans: Iterable[BlockPlan],
    many: int,
    store: Store,
    settings: Settings,
    heard: Progress,
    finish: Finish,
) -> Generator[Step, None, None]:
    """Ask on this machine."""
    writer = _Writer(store, system.card, finish)
    left = (
        batch
        for plan in plans
        for batch in writer.begin(plan, batches(plan.asks.texts.to_list(), system.pace.batch))
    )
    try:
        for answered in ask_batches(system, left, many, settings.workers):
            writer.add(answered.texts, answered.answers)
            yield (
                len(answered.texts),
                [answer for answer in answered.answers if isinstance(answer, Missing)],
            )
    finally:
        writer.close()
        heard.keep(writer.stored)


def _ask_cluster(
    system: System,
    plans: Iterable[BlockPlan],
    many: int,
    store: Store,
    settings: Settings,
    heard: Progress,
    finish: Finish,
) -> Generator[Step, None, None]:
    """Ask on a cluster, whose workers store the answers themselves."""
    from tiltmeter.scoring.ray import ask_blocks, split

    owner: dict[int, _Asking] = {}

    def parts() -> Iterator[Block]:
        for plan in plans:
            asking, one_block = _Asking(plan), plan.block.texts.len() * settings.repeats == many
            for part in split(plan.asks, system, settings) if one_block else [plan.asks]:
                owner[id(part)] = asking
                yield part

    with closing(ask_blocks(system, parts(), store, settings)) as done:
        for one in done:
            heard.keep(one.texts - one.missing)
            asking = owner.pop(id(one.block))
            asking.shards.append(one.path)
            asking.answered += one.texts
            if asking.whole:
                # The answers that workers wrote to a block, put into one shard
                asking.frames = [read_columns(shard) for shard in asking.shards]
                answers = asking.answers
                if len(asking.shards) > 1 and not settings.shards:  # else they would be taken again
                    store.merge(system.card, asking.shards, answers, asking.plan.asks.key)
                finish(asking.plan, answers)
            yield one.texts, [Missing(one.reason)] * one.missing


@dataclass
class _Asking:
    """A block that is being asked."""

    plan: BlockPlan
    frames: list[pl.DataFrame] = field(default_factory=list)
    answered: int = 0
    flushed: int = 0
    """How many of the frames are in the store."""
    shards: list[Path] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        return self.answered == self.plan.asks.texts.len()

    @property
    def answers(self) -> pl.DataFrame:
        """What was answered so far, in the order of the asks."""
        if len(self.frames) == 1:
            return self.frames[0]
        asks, found = self.plan.asks.texts.to_frame("text"), pl.concat(self.frames)
        return asks.join(found, on="text", maintain_order="left")


class _Batch(list[str]):
    """Texts that are asked together, and the key of the block that they are of."""

    key = ""


class _Writer:
    """Stores answers as they come, every half a second; a whole block becomes one shard."""

    def __init__(self, store: Store, card: Card, finish: Finish) -> None:
        self._store, self._card, self._finish = store, card, finish
        self._open: dict[str, _Asking] = {}
        self._last = time.perf_counter()
        self.stored = 0
        """How many scores were stored, texts without one aside."""

    def begin(self, plan: BlockPlan, parts: Iterable[Sequence[str]]) -> Iterator[_Batch]:
        """Ask a further block, in batches."""
        self._open[plan.block.key] = _Asking(plan)
        for part in parts:
            batch = _Batch(part)
            batch.key = plan.block.key
            yield batch

    def add(self, batch: Sequence[str], answers: Sequence[Answer]) -> None:
        """Take a batch's answers; stored at once or with those that follow within a moment."""
        key = batch.key if isinstance(batch, _Batch) else ""
        one = self._open[key]
        one.frames.append(answer_frame(batch, answers, one.plan.block.repeat))
        one.answered += len(batch)
        if one.whole:
            whole = one.answers
            self._store.merge(self._card, one.shards, whole, one.plan.asks.key)
            self._count(one)
            del self._open[key]
            self._finish(one.plan, whole)
        elif time.perf_counter() - self._last > FLUSH:
            self.flush()

    def flush(self) -> None:
        """Store what is waiting of blocks that are not whole yet."""
        for one in self._open.values():
            if one.frames[one.flushed :]:
                waiting = pl.concat(one.frames[one.flushed :])
                one.shards.append(self._store.write(self._card, waiting))
                self._count(one)
        self._last = time.perf_counter()

    def close(self) -> None:
        """Store what is waiting, one shard for each block."""
        self.flush()
        for one in self._open.values():
            if len(one.shards) > 1:
                self._store.merge(self._card, one.shards, one.answers)

    def _count(self, one: _Asking) -> None:
        self.stored += sum(int(frame["raw"].count()) for frame in one.frames[one.flushed :])
        one.flushed = len(one.frames)


@dataclass
class Losses:
    """The texts that one system left without a score, held against how many may be."""

    system: str
    wanted: int
    share: float
    """Of the texts wanted, how many may lack a score."""
    _texts: int = 0
    _missing: int = 0
    _unreachable: int = 0
    _why: str = ""
    """Why the first text was lost for which the service was not reached."""

    def add(self, texts: int, missing: Sequence[Missing]) -> None:
        """Count further texts asked, and those without a score; raise once they are too many."""
        self._texts += texts
        dead = [one for one in missing if one.unreachable]
        self._missing += len(missing)
        self._unreachable += len(dead)
        if dead and not self._why:
            self._why = dead[0].reason
        if not missing or self._missing <= self.share * self.wanted:
            return
        if 2 * self._unreachable > self._missing:
            answered = self._texts - self._missing
            kept = f"; the {answered:,} answers that it gave are stored: run the same command again"
            raise UnreachableError(self.system, f"{self._why}{kept if answered else ''}")
        last, again = missing[-1], "run the same command again to go on, or allow more"
        raise TooFewScoresError(
            self.system,
            f"gave no score for {self._missing:,} of {self.wanted:,} texts; --max-missing allows "
            f"fewer; the last reason: {last.reason}. What it did answer is stored"
            f"{f'. {last.advice}' if last.advice else f'; {again}'}",
        )
