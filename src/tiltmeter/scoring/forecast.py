"""What scoring would ask, how long it would take and what it would cost."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tiltmeter.corpora import Corpus
from tiltmeter.scoring import (
    Blocks,
    Settings,
    Store,
    blocks_of,
    count_asks,
    default_store,
    stored_form,
    texts_of,
)
from tiltmeter.scoring.corpus_scores import corpus_blocks
from tiltmeter.scoring.open_systems import open_systems
from tiltmeter.scoring.scoring_run import sentences_of, system_names
from tiltmeter.scoring.spot_check import texts_to_check
from tiltmeter.systems import Options, System, ask, is_scores

TIMED = 16
"""Texts asked of a free local system, to tell how long it will take."""
KEYS = ("id", "text", "corpus")


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
    asked_again: int = 0
    """Stored texts that a gate asks again first; not among the requests and the cost."""


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
    held = next(corpus.blocks()) if in_parts else sentences_of(corpus, sample, seed)
    few = held["text"].unique(maintain_order=True).head(TIMED).to_list()
    more = [] if besides is None else [besides.select("id", "text", corpus=pl.lit("gold"))]
    planned = held.clear() if in_parts else held
    asks = [blocks_of(texts_of(pl.concat([planned.select(KEYS), *more])))]
    asks += [corpus_blocks(corpus)] * in_parts
    options = options or Options()
    with open_systems(asked, tasks, options) as subjects:
        if len(asked) == len(specs):  # else the files' systems are not known
            options.scales.check(system_names(subjects))
        few = few if timed else []
        return [_forecast(one.system, asks, few, kept, settings) for one in subjects.systems]


def _forecast(
    system: System, blocks: Sequence[Blocks], few: list[str], store: Store, settings: Settings
) -> Forecast:
    """One system's; `few` texts tell its pace."""
    system = stored_form(system, store)
    counts = [count_asks(system.card, one, store, settings) for one in blocks]
    asks, known = (sum(count) for count in zip(*counts, strict=True))
    asks = 0 if system.rows else asks
    pace = _pace(system, store, few) if asks else 0.0
    seconds = None if pace is None else pace * asks
    requests = -(-asks // system.pace.batch) if system.pace.parallel == "threads" else asks
    cost = asks * system.card.price
    again = 0
    if settings.for_gate and settings.reuse == "missing":
        wanted = texts_to_check(system, settings.check, for_gate=True)
        again = sum(min(wanted, in_store) for _, in_store in counts)
    return Forecast(system.card.name, system.card.task, requests, known, seconds, cost, again)


def _pace(system: System, store: Store, few: list[str]) -> float | None:
    """Seconds a text: as stored, or measured on a few texts, if any, where that costs nothing."""
    known = store.pace(system.card)
    if known is not None or system.costs or not few:
        return known
    started = time.perf_counter()
    ask(system, few)
    return (time.perf_counter() - started) / len(few)
