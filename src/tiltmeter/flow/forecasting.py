"""What scoring would ask, how long it would take and what it would cost."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tiltmeter.corpora import Corpus
from tiltmeter.flow.asking import names_of, sentences_of
from tiltmeter.flow.large import block_sizes
from tiltmeter.flow.subjects import opened
from tiltmeter.scoring import (
    Settings,
    Store,
    Texts,
    default_store,
    make_plan,
    stored_form,
    stored_in_blocks,
    texts_of,
)
from tiltmeter.systems import Options, System, ask, is_scores

TIMED = 16
"""Texts asked of a free local system, to tell how long it will take."""
KEYS = ("id", "text", "corpus")
Sizes = dict[str, int]


@dataclass(frozen=True, slots=True)
class Forecast:
    """What scoring with one system would take."""

    system: str
    task: str
    requests: int
    """How often it would be asked; a service that takes batches is asked once for each."""
    known: int
    seconds: float | None
    """None where the system was never timed."""
    cost: float


def forecast(
    specs: Sequence[str],
    corpus: Corpus,
    *,
    tasks: Sequence[str] = (),
    options: Options | None = None,
    store: Path | None = None,
    settings: Settings | None = None,
    sample: int | None = None,
    seed: int = 0,
    besides: pl.DataFrame | None = None,
    timed: bool = False,
) -> list[Forecast]:
    """What `score` would ask, and its time and cost; asks nothing.

    `besides` are further texts that would be asked, with an id each, such as labelled ones.
    `timed` asks a few texts of systems that are free to ask and were never timed.
    """
    settings, kept = settings or Settings(), Store(store or default_store())
    asked = [spec for spec in specs if not is_scores(spec)]
    if not asked:
        return []
    in_parts = corpus.large and sample is None and len(asked) == len(specs)
    sizes = block_sizes(corpus) if in_parts else {}
    held = next(corpus.blocks()) if in_parts else sentences_of(corpus, sample, seed)
    few = held["text"].unique(maintain_order=True).head(TIMED).to_list()
    more = [] if besides is None else [besides.select("id", "text", corpus=pl.lit("gold"))]
    planned = held.clear() if in_parts else held
    texts = texts_of(pl.concat([planned.select(KEYS), *more]))
    options = options or Options()
    with opened(asked, tasks, options) as subjects:
        if len(asked) == len(specs):  # else the files' systems are not known
            options.scales.check(names_of(subjects))
        few = few if timed else []
        return [_forecast(one.system, texts, sizes, few, kept, settings) for one in subjects.asked]


def _forecast(
    system: System,
    texts: Texts,
    sizes: Sizes,
    few: list[str],
    store: Store,
    settings: Settings,
) -> Forecast:
    """One system's; `sizes` are of a large corpus' blocks, and `few` texts tell its pace."""
    system = stored_form(system, store)
    stored, _ = store.read(system.card.fingerprint, texts.distinct)
    plan = make_plan(texts, stored, settings.repeats, settings.reuse)
    asks, known = plan.asks.height, int(plan.known["raw"].count())
    in_blocks = stored_in_blocks(system.card, sizes, store, settings)
    known += in_blocks
    if settings.reuse != "stored":
        asks += sum(sizes.values()) * settings.repeats - in_blocks
    asks = 0 if system.rows else asks
    pace = _pace(system, store, few) if asks else 0.0
    seconds = None if pace is None else pace * asks
    requests = -(-asks // system.pace.batch) if system.pace.parallel == "threads" else asks
    cost = asks * system.card.price
    return Forecast(system.card.name, system.card.task, requests, known, seconds, cost)


def _pace(system: System, store: Store, few: list[str]) -> float | None:
    """Seconds a text: as stored, or measured on a few texts, if any, where that costs nothing."""
    known = store.pace(system.card)
    if known is not None or system.costs or not few:
        return known
    started = time.perf_counter()
    ask(system, few)
    return (time.perf_counter() - started) / len(few)
