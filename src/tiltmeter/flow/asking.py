"""Sentences scored: corpora give them, systems are asked, scoring keeps the answers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from numbers import Integral
from pathlib import Path

import polars as pl

from tiltmeter.corpora import Corpus, load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.flow.subjects import Asked, Specs, Subjects, opened
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
from tiltmeter.systems import FileReport, Options, Origin, System, ask, is_scores, read_scores

Source = int | Origin
"""Where a submission comes from: the place of a system among those asked, or a file."""

UNKNOWN = "und"
"""The language of a corpus that does not say its own."""
TIMED = 16
"""Texts asked of a free local system, to tell how long it will take."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How systems are asked, and where their answers are kept."""

    options: Options
    store: Store
    settings: Settings
    progress: Progress | None = None

    def ask(self, asked: Asked, texts: Texts) -> Scored:
        """A system's scores, under the user's own name; stored they are under the system's."""
        scored = score_system(asked.system, texts, self.store, self.settings, self.progress)
        return scored if asked.name is None else _under(asked.name, scored)


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
    sources: tuple[Source, ...] = ()
    """Where each of `scored` comes from."""

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
    systems: Specs,
    corpus: Corpus | Path | str = "eec",
    *,
    tasks: Sequence[str] = (),
    options: Options | None = None,
    store: Path | str | None = None,
    settings: Settings | None = None,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> ScoreRun:
    """Score a corpus with systems: asked where they answer, joined where they hold scores.

    `systems` is one or several in a list: words as on the command line, functions from texts to
    numbers, fitted estimators, Transformers pipelines, or tables of scores with an id or text and a
    score. (name, thing) or a dictionary by name gives them names of your own.
    """
    manner = manner_of(options, store, settings, progress)
    loaded = corpus_given(corpus)
    with opened(systems, tasks, manner.options) as subjects:
        return score_subjects(subjects, loaded, manner, sample, seed)


def corpus_given(given: object, edition: str | None = None) -> Corpus:
    """A corpus in hand, by name or by path, in the edition asked for."""
    if isinstance(given, str | Path):
        return load_corpus(given, edition)
    if not isinstance(given, Corpus):
        found = f"found {type(given).__name__} for the corpus"
        raise TiltmeterError(f"{found}; expected a name such as 'eec', a path, or a Corpus")
    if edition not in (None, given.edition):
        what = f"the corpus {given.name!r} is in the edition {given.edition!r}, not {edition!r}"
        raise TiltmeterError(f"{what}; load it in that one, or name it")
    return given


def manner_of(
    options: Options | None,
    store: Path | str | None,
    settings: Settings | None,
    progress: Progress | None,
) -> Manner:
    """What was said of how to ask, and the usual where nothing was."""
    kept = Store(Path(store) if store else default_store())
    return Manner(options or Options(), kept, settings or Settings(), progress)


def score_subjects(
    subjects: Subjects, corpus: Corpus, manner: Manner, sample: int | None = None, seed: int = 0
) -> ScoreRun:
    """Score a corpus with what is opened already."""
    texts = texts_of(_sentences(corpus, sample, seed))
    # First the files: one that cannot be read should cost no request.
    joined, reports = _from_files(subjects, texts, corpus, manner.options)
    asked = [(manner.ask(one, texts), place) for place, one in enumerate(subjects.asked)]
    both: list[tuple[Scored, Source]] = [*asked, *joined]
    scored, sources = [one for one, _ in both], tuple(source for _, source in both)
    told = tuple(_with_language(one, corpus.language) for one in told_apart(scored))
    whole = texts.sentences.height == corpus.size
    drawn = "" if sample is None or whole else _drawn(corpus, texts.sentences, seed)
    return ScoreRun(corpus, texts.sentences, told, reports, drawn, sources)


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
) -> list[Forecast]:
    """What `score` would ask, and its time and cost; asks nothing that costs.

    `besides` are further texts that would be asked, with an id each, such as labelled ones.
    """
    settings, kept = settings or Settings(), Store(store or default_store())
    sentences = _sentences(corpus, sample, seed)
    more = [] if besides is None else [besides.select("id", "text", corpus=pl.lit("gold"))]
    texts = texts_of(pl.concat([sentences.select("id", "text", "corpus"), *more]))
    asked = [spec for spec in specs if not is_scores(spec)]
    if not asked:
        return []
    with opened(asked, tasks, options or Options()) as subjects:
        return [_forecast(one.system, texts, kept, settings) for one in subjects.asked]


def _forecast(system: System, texts: Texts, store: Store, settings: Settings) -> Forecast:
    stored, _ = store.read(system.card.fingerprint)
    plan = make_plan(texts, stored, settings.repeats, settings.reuse)
    asks = 0 if system.rows else plan.asks.height
    pace = _pace(system, store, texts) if asks else 0.0
    seconds = None if pace is None else pace * asks
    name, task, known = system.card.name, system.card.task, plan.known["raw"].count()
    requests = -(-asks // system.pace.batch) if system.pace.parallel == "threads" else asks
    return Forecast(name, task, requests, known, seconds, asks * system.card.price)


def _sentences(corpus: Corpus, sample: int | None, seed: int) -> pl.DataFrame:
    if sample is not None and not _whole(sample, least=1):
        raise TiltmeterError(f"--sample needs at least one frame; found {sample!r}")
    if not _whole(seed, least=0):
        raise TiltmeterError(f"--seed is a whole number from 0 up; found {seed!r}")
    sentences = corpus.sentences()
    return sentences if sample is None else sample_frames(sentences, sample, seed)


def _whole(given: object, least: int) -> bool:
    return isinstance(given, Integral) and int(given) >= least


def _drawn(corpus: Corpus, sentences: pl.DataFrame, seed: int) -> str:
    frames, size = sentences["frame"].n_unique(), sentences.height
    many = f"{frames:,} frame{'s' * (frames != 1)}"
    return f"{many}, {size:,} of {corpus.size:,} sentences, seed {seed}"


def _with_language(scored: Scored, language: str) -> Scored:
    """The scores, with a word of warning where the system was made for another language."""
    made_for = scored.card.languages
    if not made_for or language.split("-")[0] in (*made_for, UNKNOWN):
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
    subjects: Subjects, texts: Texts, corpus: Corpus, options: Options
) -> tuple[list[tuple[Scored, Origin]], tuple[FileReport, ...]]:
    """Scores made elsewhere, put to the whole corpus' sentences, then to those of a sample."""
    if not subjects.scores:
        return [], ()
    every = corpus.sentences()
    files = read_scores(subjects.scores, every, task=subjects.task, options=options)
    scored = []
    for key, rows in _by_system(files.scores):
        answers = rows.select("id", "raw", "reason").with_columns(
            every["text"], repeat=pl.lit(0, pl.Int64)
        )
        if every.height != texts.sentences.height:
            answers = answers.join(texts.sentences, on="id", how="semi")
        one = assemble(files.cards[key], texts, answers, scale=options.scale)
        scored.append((one, files.origins[key]))
    return scored, files.reports


def _by_system(scores: pl.DataFrame) -> Iterator[tuple[tuple[str, str], pl.DataFrame]]:
    for (system, task), rows in scores.group_by("system", "task", maintain_order=True):
        yield (str(system), str(task)), rows


def told_apart(scored: Sequence[Scored]) -> Iterator[Scored]:
    """Systems of the same name told apart by a number that no other bears already."""
    taken = {(one.card.name, one.card.task) for one in scored}
    seen: set[tuple[str, str]] = set()
    for one in scored:
        name, task = one.card.name, one.card.task
        if (name, task) in seen:
            numbered = (f"{name} ({nth})" for nth in count(2))
            name = next(other for other in numbered if (other, task) not in taken)
            taken.add((name, task))
        seen.add((name, task))
        yield one if name == one.card.name else _under(name, one)


def _under(name: str, one: Scored) -> Scored:
    scores = one.scores.with_columns(system=pl.lit(name))
    return replace(one, card=replace(one.card, name=name), scores=scores)
