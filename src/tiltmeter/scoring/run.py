"""Scoring: ask what is not known, store it as it comes, and give the `scores` table.

A run that is stopped, killed or fails half-way has lost at most the batches in flight; the same
command goes on from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from math import isfinite
from typing import Literal

import polars as pl

from tiltmeter.errors import (
    MissingExtraError,
    SystemFailure,
    TiltmeterError,
    TooFewScoresError,
    UnreachableError,
)
from tiltmeter.scoring.engines.local import Answered, ask_all
from tiltmeter.scoring.plan import REUSES, Plan, Reuse, make_plan, stored_form
from tiltmeter.scoring.probe import settle_batches
from tiltmeter.scoring.progress import Progress, Silent
from tiltmeter.scoring.scored import Scored, assemble
from tiltmeter.scoring.shard import SCHEMA
from tiltmeter.scoring.spot_check import (
    NOT_CHECKED,
    Agreement,
    SpotCheck,
    draw,
    spot_check,
    texts_to_check,
)
from tiltmeter.scoring.store import Store
from tiltmeter.scoring.texts import Texts
from tiltmeter.scoring.writer import Writer, answer_frame
from tiltmeter.systems.protocol import Card, Missing, Scale, System, settled

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

    def __post_init__(self) -> None:
        _check_engine(self)
        if self.reuse not in REUSES:
            raise TiltmeterError(f"--reuse is {', '.join(REUSES)}; found {self.reuse!r}")
        if self.repeats < 1:
            raise TiltmeterError(f"--repeat needs at least 1; found {self.repeats}")
        if self.repeats > MOST_REPEATS:
            raise TiltmeterError(f"--repeat is at most {MOST_REPEATS:,}; found {self.repeats:,}")
        if self.check is not None and self.check < 0:
            raise TiltmeterError(f"--check is a number of texts from 0 up; found {self.check}")
        if self.workers is not None and self.workers < 1:
            raise TiltmeterError(f"--workers needs at least 1; found {self.workers}")
        if not 0 <= self.max_missing <= 1:
            raise TiltmeterError(f"--max-missing is a share from 0 to 1; found {self.max_missing}")


def _check_engine(settings: Settings) -> None:
    """Raise where what is said of the engine does not fit."""
    if settings.engine not in ENGINES:
        raise TiltmeterError(f"--engine is {' or '.join(ENGINES)}; found {settings.engine!r}")
    of_ray = {
        "--ray-address": settings.ray_address,
        "--shards": settings.shards,
        "--ray-gpus": settings.ray_gpus,
    }
    given = [name for name, value in of_ray.items() if value]
    if given and settings.engine != "ray":
        raise TiltmeterError(f"{', '.join(given)} is for --engine ray; add it, or leave this out")
    if not settings.ray_gpus >= 0:
        raise TiltmeterError(f"--ray-gpus is a number from 0 up; found {settings.ray_gpus}")
    if settings.engine == "ray" and find_spec("ray") is None:
        raise MissingExtraError("Ray, which --engine ray asks with,", "ray")


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
    heard = progress or Silent()
    started = time.perf_counter()
    if system.rows is not None:
        found = _Found(system, _from_rows(system, texts.sentences, settings.repeats))
    else:
        found = _from_texts(system, texts, store, settings, heard)
    card = found.system.card
    return assemble(
        card,
        texts,
        found.answers,
        repeats=settings.repeats,
        scale=scale or card.scale or usual,
        asked=found.asked,
        known=found.known,
        seconds=time.perf_counter() - started,
        notes=found.notes,
        written=found.written,
        check=found.check,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """Stored and new answers, and how they came about."""

    system: System
    """In the form it has."""
    answers: pl.DataFrame
    asked: int = 0
    known: int = 0
    notes: tuple[str, ...] = ()
    written: tuple[float, float] | None = None
    check: SpotCheck = NOT_CHECKED


def _from_rows(system: System, sentences: pl.DataFrame, repeats: int) -> pl.DataFrame:
    """A control's answers, by sentence and not by text; they are never stored."""
    rounds = []
    for repeat in range(repeats):
        given = system.rows(sentences) if system.rows else []
        answers = answer_frame(sentences["text"].to_list(), given, repeat)
        rounds.append(answers.with_columns(sentences["id"]))
    return pl.concat(rounds)


def _from_texts(
    system: System, texts: Texts, store: Store, settings: Settings, heard: Progress
) -> _Found:
    """Ask what is not stored, once what is stored has been held against the system.

    What tells its form by being asked is not asked for that where everything is stored.
    """
    given, system = system, stored_form(system, store)
    if settings.shards:
        from tiltmeter.scoring.engines.ray_shards import take_shards

        take_shards(store, system.card, settings)
    stored, faults = store.read(system.card.fingerprint, texts.distinct)
    store.keep_card(system.card)
    plan = make_plan(texts, stored, settings.repeats, settings.reuse)
    try:
        check = check_stored(system, lambda: plan.known, settings)
    except SystemFailure:
        if given.settle is None:
            raise
        return _from_texts(settled(given), texts, store, settings, heard)  # it has another form now
    if check.agreement is Agreement.CHANGED:
        forget(store, system.card, settings)
        plan = make_plan(texts, stored.clear(), settings.repeats, settings.reuse)
    if not plan.asks.is_empty() and given.settle:
        before, system = system.card.fingerprint, settled(given)
        if system.card.fingerprint != before:
            return _from_texts(system, texts, store, settings, heard)
    known = plan.known["raw"].count()
    written = store.written(system.card.fingerprint, texts.distinct) if known else None
    heard.begin(system.card.name, plan.asks.height, known)
    try:
        new, notes = _asked(system, plan, store, settings, heard)
    finally:
        heard.end(system.card.name)
    broken = [f"{fault.path.name} in the store {fault.what}; its texts count as not stored"
              for fault in faults]  # fmt: skip
    answers = plan.known if new.is_empty() else pl.concat([plan.known, new])
    said = (*broken, *changed_note(check), *notes)
    return _Found(system, answers, plan.asks.height, known, said, written, check)


def check_stored(
    system: System, known: Callable[[], pl.DataFrame], settings: Settings
) -> SpotCheck:
    """Hold stored scores (text, repeat, raw) against what the system answers now, where wanted."""
    many = texts_to_check(system, settings.check)
    if not many or settings.reuse != "missing":
        return NOT_CHECKED
    return spot_check(system, draw(known(), many, system.card.fingerprint), settings.workers)


def forget(store: Store, card: Card, settings: Settings) -> None:
    """Drop what is stored of a system, also where a cluster's workers left it."""
    store.remove([card.fingerprint])
    if settings.shards:
        from tiltmeter.scoring.engines.ray_shards import shards_of

        shards_of(store, card, settings).remove()


def changed_note(check: SpotCheck) -> tuple[str, ...]:
    """What to say where a system no longer answers as its stored scores say."""
    if check.agreement is not Agreement.CHANGED:
        return ()
    far = f", by up to {check.largest:.2g}" if isfinite(check.largest) else ""
    return (
        f"it has changed under the same version and settings: {check.moved:,} of {check.texts:,} "
        f"stored scores asked again differ{far}; what was stored of it is dropped, and everything "
        "was asked anew",
    )


def _asked(
    system: System, plan: Plan, store: Store, settings: Settings, heard: Progress
) -> tuple[pl.DataFrame, list[str]]:
    """Ask what the plan asks, store it as it comes, stop when too much is missing."""
    if plan.asks.is_empty():
        return pl.DataFrame(schema=SCHEMA), []
    system, notes = settle_batches(system, plan.asks["text"].head(64).to_list())
    asking = _on_many if settings.engine == "ray" else _on_this
    started = time.perf_counter()
    new = asking(system, plan, store, settings, heard)
    store.note_pace(system.card, plan.asks.height, time.perf_counter() - started)
    return new, notes


def _on_this(
    system: System, plan: Plan, store: Store, settings: Settings, heard: Progress
) -> pl.DataFrame:
    """Ask on this machine."""
    writer = Writer(store, system.card)
    lost = Losses(system.card.name, plan.wanted, settings.max_missing)
    try:
        for answered, repeat in _rounds(system, plan.asks, settings.workers):
            writer.add(answer_frame(answered.texts, answered.answers, repeat))
            missing = [answer for answer in answered.answers if isinstance(answer, Missing)]
            heard.advance(len(answered.texts), len(missing))
            lost.add(len(answered.texts), missing)
    finally:
        writer.close(plan.asks)
        heard.keep(writer.answers)
    return writer.written()


def _on_many(
    system: System, plan: Plan, store: Store, settings: Settings, heard: Progress
) -> pl.DataFrame:
    """Ask on a cluster, whose workers store the answers themselves."""
    from tiltmeter.scoring.engines.ray import ask_texts

    shards, lost = [], Losses(system.card.name, plan.wanted, settings.max_missing)
    with closing(ask_texts(system, plan.asks, store, settings)) as done:
        for one in done:
            shards.append(one.path)
            heard.keep(one.texts - one.missing)
            heard.advance(one.texts, one.missing)
            lost.add(one.texts, [Missing(one.reason)] * one.missing)
    found = pl.concat(pl.read_parquet(shard, memory_map=False) for shard in shards)
    if settings.shards is None:  # else they would be taken again from where they also lie
        store.merge(system.card, shards, plan.asks)
    return found


def _rounds(
    system: System, asks: pl.DataFrame, workers: int | None
) -> Iterator[tuple[Answered, int]]:
    for (repeat,), part in asks.group_by("repeat", maintain_order=True):
        for answered in ask_all(system, part["text"].to_list(), workers):
            yield answered, int(repeat)


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
        if missing and self._missing > self.share * self.wanted:
            raise self._failure(missing[-1])

    def _failure(self, last: Missing) -> TiltmeterError:
        if 2 * self._unreachable > self._missing:
            answered = self._texts - self._missing
            kept = f"; the {answered:,} answers that it gave are stored: run the same command again"
            return UnreachableError(self.system, f"{self._why}{kept if answered else ''}")
        what = f"gave no score for {self._missing:,} of {self.wanted:,} texts"
        again = "run the same command again to go on, or allow more"
        return TooFewScoresError(
            self.system,
            f"{what}; --max-missing allows fewer; the last reason: {last.reason}. What it did "
            f"answer is stored{f'. {last.advice}' if last.advice else f'; {again}'}",
        )
