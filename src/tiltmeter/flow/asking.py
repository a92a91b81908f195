"""Sentences scored: corpora give them, systems are asked, scoring keeps the answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.corpora import Corpus, load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.scoring import (
    Progress,
    Scored,
    Settings,
    Store,
    Texts,
    assemble,
    default_store,
    make_plan,
    sample_frames,
    score_system,
    texts_of,
)
from tiltmeter.systems import (
    FileReport,
    Options,
    System,
    ask,
    from_callable,
    is_scores,
    open_system,
    read_scores,
)

Spec = str | System | Callable[[Any], Any]

TIMED = 16
"""Texts asked of a free local system, to tell how long it will take."""


@dataclass(frozen=True, slots=True)
class ScoreRun:
    """Several systems' scores of one corpus."""

    corpus: Corpus
    sentences: pl.DataFrame
    scored: tuple[Scored, ...]
    reports: tuple[FileReport, ...] = ()
    """What was found in each file of scores made elsewhere."""
    sample: str = ""
    """What was drawn, where only a part of the corpus was scored."""

    @property
    def about(self) -> dict[str, str]:
        """What the scores are of, to go along with them."""
        known = {"corpus": self.corpus.name, "edition": self.corpus.edition, "sample": self.sample}
        return {f"tiltmeter.{name}": value for name, value in known.items() if value}

    @property
    def files(self) -> pl.DataFrame:
        """What was found in each file of scores made elsewhere, a row a file."""
        rows = [
            asdict(report) | {"path": str(report.path), "tasks": ", ".join(report.tasks)}
            for report in self.reports
        ]
        notes = [{**row, "notes": "; ".join(row["notes"])} for row in rows]
        return pl.DataFrame(notes, infer_schema_length=None)

    @property
    def scores(self) -> pl.DataFrame:
        """All scores, as the `scores` table."""
        return pl.concat(scored.scores for scored in self.scored)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What scoring with one system would take."""

    system: str
    task: str
    requests: int
    """How often it would be asked; a service that takes batches is asked once for each."""
    known: int
    seconds: float | None
    """None where the system was never timed and asking it costs."""
    cost: float


def score(
    specs: Sequence[Spec],
    corpus: Corpus | str = "eec",
    *,
    tasks: Sequence[str] = (),
    options: Options | None = None,
    store: Path | str | None = None,
    settings: Settings | None = None,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> ScoreRun:
    """Score a corpus with systems: asked where they answer, joined where they are files.

    A spec is a word as on the command line, a Python function from texts to numbers, or a System.
    """
    corpus = load_corpus(corpus) if isinstance(corpus, str) else corpus
    options, settings = options or Options(), settings or Settings()
    texts = texts_of(_sentences(corpus, sample, seed))
    kept = Store(Path(store) if store else default_store())
    files = [spec for spec in specs if isinstance(spec, str) and is_scores(spec)]
    systems = _open([spec for spec in specs if spec not in files], tasks, options)
    scored: list[Scored] = []
    reports: tuple[FileReport, ...] = ()
    try:
        if files:  # first: a file that cannot be read should cost no request
            paths = [Path(str(spec)) for spec in files]
            joined, reports = _from_files(paths, texts, corpus, tasks, options)
        else:
            joined = []
        for system in systems:
            scored.append(score_system(system, texts, kept, settings, progress))
        scored += joined
    finally:
        for system in systems:
            system.close()
    if not scored:
        raise TiltmeterError("there is no system to score with; name one, as in: vader")
    told = [_with_language(one, corpus.language) for one in _renamed(scored)]
    whole = texts.sentences.height == corpus.size
    drawn = "" if sample is None or whole else _drawn(corpus, texts.sentences, seed)
    return ScoreRun(corpus, texts.sentences, tuple(told), reports, drawn)


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
) -> list[Forecast]:
    """What `score` would ask, and its time and cost; asks nothing that costs."""
    settings, kept = settings or Settings(), Store(store or default_store())
    texts = texts_of(_sentences(corpus, sample, seed))
    asked = [spec for spec in specs if not is_scores(spec)]
    found = []
    for system in _open(asked, tasks, options or Options()):
        stored, _ = kept.read(system.card.fingerprint)
        plan = make_plan(texts, stored, settings.repeats, settings.reuse)
        asks = 0 if system.rows else plan.asks.height
        pace = _pace(system, kept, texts) if asks else 0.0
        seconds = None if pace is None else pace * asks
        name, task, known = system.card.name, system.card.task, plan.known["raw"].count()
        requests = -(-asks // system.pace.batch) if system.pace.parallel == "threads" else asks
        found.append(Forecast(name, task, requests, known, seconds, asks * system.card.price))
        system.close()
    return found


def _sentences(corpus: Corpus, sample: int | None, seed: int) -> pl.DataFrame:
    if sample is not None and sample < 1:
        raise TiltmeterError(f"--sample needs at least one frame; found {sample}")
    sentences = corpus.sentences()
    return sentences if sample is None else sample_frames(sentences, sample, seed)


def _drawn(corpus: Corpus, sentences: pl.DataFrame, seed: int) -> str:
    frames, size = sentences["frame"].n_unique(), sentences.height
    return f"{frames:,} frames, {size:,} of {corpus.size:,} sentences, seed {seed}"


def _open(specs: Sequence[Spec], tasks: Sequence[str], options: Options) -> list[System]:
    """Every system for every task asked of it; all are opened before the first is asked."""
    opened = []
    for spec in specs:
        if isinstance(spec, str):
            wanted = [replace(options, task=task) for task in tasks or (options.task,)]
            opened += [open_system(spec, option) for option in wanted]
        else:
            opened.append(spec if isinstance(spec, System) else _from_function(spec))
    return opened


def _from_function(function: Callable[[Any], Any]) -> System:
    return from_callable(function, getattr(function, "__name__", None))


def _with_language(scored: Scored, language: str) -> Scored:
    """The scores, with a word of warning where the system was made for another language."""
    made_for = scored.card.languages
    if not made_for or language.split("-")[0] in made_for:
        return scored
    note = f"made for {', '.join(made_for)}; this corpus is in {language}"
    return replace(scored, notes=(*scored.notes, note))


def _pace(system: System, store: Store, texts: Texts) -> float | None:
    """Seconds a text: as stored, or measured on a few texts where that costs nothing."""
    known = store.pace(system.card)
    if known is not None or system.card.price or system.pace.parallel == "threads":
        return known
    few = texts.distinct.head(TIMED).to_list()
    started = time.perf_counter()
    ask(system, few)
    return (time.perf_counter() - started) / len(few)


def _from_files(
    paths: Sequence[Path], texts: Texts, corpus: Corpus, tasks: Sequence[str], options: Options
) -> tuple[list[Scored], tuple[FileReport, ...]]:
    """Scores made elsewhere, put to the whole corpus' sentences, then to those of a sample."""
    task = tasks[0] if len(tasks) == 1 else None
    every = corpus.sentences()
    files = read_scores(paths, every, task=task, options=options)
    scored = []
    for key, rows in _by_system(files.scores):
        answers = rows.select("id", "raw", "reason").with_columns(
            every["text"], repeat=pl.lit(0, pl.Int64)
        )
        if every.height != texts.sentences.height:
            answers = answers.join(texts.sentences, on="id", how="semi")
        card = files.cards[key]
        scored.append(assemble(card, texts, answers, scale=options.scale))
    return scored, files.reports


def _by_system(scores: pl.DataFrame) -> Iterator[tuple[tuple[str, str], pl.DataFrame]]:
    for (system, task), rows in scores.group_by("system", "task", maintain_order=True):
        yield (str(system), str(task)), rows


def _renamed(scored: Sequence[Scored]) -> Iterator[Scored]:
    """Systems of the same name told apart by a number."""
    seen: dict[tuple[str, str], int] = {}
    for one in scored:
        key = one.card.name, one.card.task
        seen[key] = seen.get(key, 0) + 1
        if seen[key] == 1:
            yield one
            continue
        name = f"{one.card.name} ({seen[key]})"
        scores = one.scores.with_columns(system=pl.lit(name))
        yield replace(one, card=replace(one.card, name=name), scores=scores)
