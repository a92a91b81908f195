"""A corpus' scores: held, or of a large corpus where they are stored, block by block.

Corpora too large to be held are scored block by block, then gone through again to be measured:

    blocks ──asked──▶ shards ──first pass──▶ scales, submissions ──second──▶ sums ──▶ studies

A corpus is written anew on every pass, which is quicker than reading it from a disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.corpora import Corpus
from tiltmeter.errors import TiltmeterError, argument
from tiltmeter.schemas import read_as_used
from tiltmeter.scoring import (
    NO_SCORES,
    Agreement,
    Block,
    Blocks,
    BlockScores,
    Progress,
    Scored,
    ScoreTotals,
    Settings,
    Silent,
    Tally,
    Texts,
    blocks_of,
    one_scale_each,
    score_blocks,
    texts_of,
)
from tiltmeter.scoring.matrix import NATIVE, PRECISION, SCALE
from tiltmeter.scoring.open_systems import Specs, Subjects, open_systems
from tiltmeter.scoring.provenance import FAILURES, Unavailable, none_left, unavailable
from tiltmeter.scoring.scoring_run import (
    ScoreRun,
    ScoringOptions,
    Source,
    find_corpus,
    in_language,
    noting_scale,
    rename_system,
    score_subjects,
    scoring_options,
    system_names,
)
from tiltmeter.stats.moments import moments, nothing, together
from tiltmeter.systems import FileReport, Options

Array = NDArray[np.float64]


class ScoreSummary:
    """Sums over all sentences, a row a submission."""

    def __init__(self, many: int) -> None:
        self._moments, self._size = nothing(many, 1), 0

    def add(self, values: Array) -> None:
        """Take a block's answers, (submissions, sentences), as the systems gave them."""
        here = moments(values, np.zeros(values.shape[1], np.int64), 1)
        self._moments = together(self._moments, here)
        self._size += values.shape[1]

    def submissions(self, keys: pl.DataFrame, widths: Sequence[float | None]) -> pl.DataFrame:
        """As `score_matrix` gives them: system, task, unit, width, sd, n_missing.

        `keys` has system and task; `widths` how long each one's scale is, None where none is known.
        A submission without any answer is in units of its own.
        """
        found = self._moments
        n = found.n[:, 0]
        known = np.array([width is not None for width in widths], bool) & (n > 0)
        divisor = np.where(known, np.array([width or 1.0 for width in widths]), 1.0)
        sd = np.sqrt(found.m2[:, 0] / np.maximum(n - 1, 1)) / divisor
        # What an unknown scale must hold at least: the largest answer minus the smallest
        top, bottom = found.top[:, 0], found.bottom[:, 0]
        largest = np.maximum(np.abs(top), np.abs(bottom))
        with np.errstate(invalid="ignore"):
            span = np.where(top >= bottom, np.maximum(top - bottom, PRECISION * largest), 0.0)
        return keys.with_columns(
            unit=pl.Series(np.where(known, SCALE, NATIVE), dtype=pl.String),
            width=pl.Series(np.where(known, 1.0, span), dtype=pl.Float64),
            sd=pl.Series(sd, dtype=pl.Float64),
            n_missing=pl.Series((self._size - n).astype(np.int64)),
        )


@dataclass(frozen=True, eq=False)
class LargeRun:
    """Several systems' scores of one large corpus, where they are stored."""

    corpus: Corpus
    scored: tuple[Scored, ...]
    """Without their tables."""
    summary: ScoreSummary
    answers: tuple[BlockScores, ...]
    sources: tuple[Source, ...]
    progress: Progress
    reports: tuple[FileReport, ...] = ()
    sample: str = ""
    unavailable: tuple[Unavailable, ...] = ()
    """Who was to be scored too, and why it was not."""

    @property
    def size(self) -> int:
        """How many sentences there are."""
        return self.corpus.size

    @property
    def submissions(self) -> pl.DataFrame:
        """As `score_matrix` gives them."""
        named = [(one.card.name, one.card.task) for one in self.scored]
        keys = pl.DataFrame(named, dict.fromkeys(("system", "task"), pl.String), orient="row")
        scales = [one.resolved_scale.scale for one in self.scored]
        return self.summary.submissions(keys, [scale.width if scale else None for scale in scales])

    def blocks(self, doing: str) -> Iterator[tuple[pl.DataFrame, Array]]:
        """The sentences, whole frames at a time, and their scores, (submissions, sentences)."""
        # Where each submission's scale begins and how long it is; as it is where none is known
        scales = [one.resolved_scale.scale for one in self.scored]
        ends = [(scale.low, scale.width) if scale else (0.0, 1.0) for scale in scales]
        low, width = np.array(ends).T
        for texts in _blocks_with_texts(self.corpus, doing, self.progress):
            raw = np.stack([one.raw(texts) for one in self.answers])
            yield texts.sentences, (raw - low[:, None]) / width[:, None]

    @property
    def about(self) -> dict[str, str]:
        """What the scores are of, to go along with them."""
        return {"tiltmeter.corpus": self.corpus.name, "tiltmeter.edition": self.corpus.edition}

    @property
    def files(self) -> pl.DataFrame:
        """Nothing: no file of scores is put to a large corpus."""
        return pl.DataFrame()

    @property
    def scores(self) -> pl.DataFrame:
        """The `scores` table, all in memory."""
        return self.lazy_scores().collect()

    @property
    def sentences(self) -> pl.DataFrame:
        """The `sentences` table, all in memory."""
        return self.corpus.sentences()

    def lazy_scores(self) -> pl.LazyFrame:
        """The `scores` table, one system after the other, read as it is used."""
        return read_as_used(lambda _: self._score_tables(), NO_SCORES.schema)

    def lazy_sentences(self) -> pl.LazyFrame:
        """The `sentences` table, written as it is used."""
        return self.corpus.lazy()

    def _score_tables(self) -> Iterator[pl.DataFrame]:
        for one, scored in zip(self.answers, self.scored, strict=True):
            for sentences in self.corpus.blocks():
                yield one.table(texts_of(sentences), scored.card.name, scored.resolved_scale.scale)


def score_large(subjects: Subjects, corpus: Corpus, manner: ScoringOptions) -> LargeRun:
    """Ask the systems block by block, then look at every answer once."""
    if not corpus.survey.together:
        what = f"in {corpus.name} the sentences of a frame do not all stand together"
        in_memory = argument("stream=False", "--no-stream")
        next_ = f"sort them by frame, or audit them all in memory with {in_memory}"
        raise TiltmeterError(f"{what}, and so large a corpus is gone through in parts: {next_}")
    names = system_names(subjects)
    manner.options.scales.check([*names, *(one.system for one in subjects.unavailable)])
    heard, settings = manner.progress or Silent(), manner.settings
    blocks, witnesses = corpus_blocks(corpus), corpus.survey.witnesses
    tallies, answers = dict[int, Tally](), list[BlockScores]()
    failed = list(subjects.unavailable)
    for nth, asked in enumerate(subjects.systems):
        try:
            tally = score_blocks(asked.system, blocks, manner.store, settings, heard)
        except FAILURES as error:
            failed.append(unavailable(names[nth], error, corpus.name))
            continue
        tallies[nth] = tally
        form = tally.system or asked.system
        answers.append(BlockScores(form, tally.answers, settings.repeats, witnesses))
    if failed and not tallies:
        raise none_left(failed)
    names = [names[nth] for nth in tallies]
    seen = [
        ScoreTotals(
            one.system.card, manner.options.scale_of(name, one.system.card.scale), settings.repeats
        )
        for one, name in zip(answers, names, strict=True)
    ]
    summary = ScoreSummary(len(seen))
    for texts in _blocks_with_texts(corpus, f"{corpus.name}: looking at the answers", heard):
        summary.add(
            np.stack(
                [
                    total.add(texts, one.rounds(texts))
                    for total, one in zip(seen, answers, strict=True)
                ]
            )
        )
    scored = one_scale_each(
        [
            noting_scale(rename_system(name, one.scored(tally)), manner.options)
            for one, tally, name in zip(seen, tallies.values(), names, strict=True)
        ]
    )
    told = tuple(in_language(one, corpus.language) for one in scored)
    return LargeRun(
        corpus, told, summary, tuple(answers), tuple(tallies), heard, unavailable=tuple(failed)
    )


def corpus_blocks(corpus: Corpus) -> Blocks:
    """What is asked of a corpus, block by block."""

    def blocks() -> Iterator[Block]:
        for sentences in corpus.blocks():
            yield Block(sentences["text"].unique(maintain_order=True))

    return blocks_of(blocks, corpus.blocks)


def _blocks_with_texts(corpus: Corpus, doing: str, heard: Progress) -> Iterator[Texts]:
    """The corpus' blocks with their distinct texts, and a word on how far it is."""
    heard.begin(doing, corpus.size, 0)
    for sentences in corpus.blocks():
        yield texts_of(sentences)
        heard.advance(sentences.height, 0)
    heard.end(doing)


Run = ScoreRun | LargeRun
AnyRun = TypeVar("AnyRun", bound=Run)


def score(
    systems: Specs,
    corpus: Corpus | Path | str = "eec",
    *,
    columns: Mapping[str, str] | None = None,
    axes: Mapping[str, Sequence[str]] | None = None,
    language: str | None = None,
    encoding: str | None = None,
    people: int | str | None = None,
    frames: int | str | None = None,
    weights: str | None = None,
    tasks: Sequence[str] = (),
    systems_in: Sequence[str] | str = (),
    options: Options | None = None,
    store: Path | str | None = None,
    settings: Settings | None = None,
    check: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    stream: bool | None = None,
    progress: Progress | None = None,
) -> Run:
    """Score a corpus with systems: asked where they answer, joined where they hold scores.

    `systems` is one or several in a list: words as on the command line, functions from texts to
    numbers, fitted estimators, Transformers pipelines, or tables of scores with an id or text and a
    score. (name, thing) or a dictionary by name gives them names of your own. `systems_in` names
    the columns of such tables that hold a system each, `*` standing for any letters.
    A corpus that is a table is read as `columns`, `axes`, `language` and `encoding` say; see
    `load_corpus`. `people`, `frames` and `weights` say who is drawn from a population, as in
    `audit`.
    `stream` goes through the sentences in parts; by default from 250,000 sentences on. `check` is
    how many stored texts are asked again before their scores are used: 16 by default, none of
    services and of what has a price. Where a gate rests on them, `settings` says `for_gate`.
    """
    manner = scoring_options(options, store, settings, progress, systems_in, check)
    reading = {"columns": columns, "axes": axes, "language": language, "encoding": encoding}
    draw = {"people": people, "frames": frames, "weights": weights, "seed": seed}
    loaded = find_corpus(corpus, reading=reading, draw=draw)
    with open_systems(systems, tasks, manner.options) as subjects:
        return score_corpus(subjects, loaded, manner, sample, seed, stream)


def score_corpus(
    subjects: Subjects,
    corpus: Corpus,
    manner: ScoringOptions,
    sample: int | None,
    seed: int,
    stream: bool | None = None,
) -> Run:
    """A corpus' scores, held or where they are stored."""
    if in_parts(subjects, corpus, sample, stream):
        return score_large(subjects, corpus, manner)
    return score_subjects(subjects, corpus, manner, sample, seed)


def score_corpora(
    subjects: Subjects,
    corpora: Sequence[Corpus],
    manner: ScoringOptions,
    *,
    sample: int | None,
    seed: int,
    stream: bool | None = None,
) -> list[Run]:
    """The scores of several corpora.

    Where a later corpus shows that a system has changed, what was stored of it is dropped; so an
    earlier corpus that rested on its stored scores is scored anew.
    """
    runs = [score_corpus(subjects, corpus, manner, sample, seed, stream) for corpus in corpora]
    changed: set[str] = set()
    for place, run in reversed(list(enumerate(runs))):
        if any(one.known and one.card.fingerprint in changed for one in run.scored):
            runs[place] = score_corpus(subjects, corpora[place], manner, sample, seed, stream)
        changed |= {
            one.card.fingerprint for one in run.scored if one.check.agreement is Agreement.CHANGED
        }
    return runs


def with_one_scale(runs: Sequence[AnyRun]) -> tuple[AnyRun, ...]:
    """The same runs with one scale for each system, over all its tasks and corpora."""
    scored = iter(one_scale_each([one for run in runs for one in run.scored]))
    return tuple(replace(run, scored=tuple(islice(scored, len(run.scored)))) for run in runs)


def in_parts(subjects: Subjects, corpus: Corpus, sample: int | None, stream: bool | None) -> bool:
    """Whether a corpus is gone through in parts.

    A sample is small, and files of scores are joined in memory: both are held.
    """
    if stream and subjects.scores:
        what = "scores made elsewhere are put to the sentences in memory"
        raise TiltmeterError(
            f"{what}; leave out {argument('stream')}, or audit the systems that are asked"
        )
    wanted = corpus.large if stream is None else stream
    return wanted and sample is None and not subjects.scores
