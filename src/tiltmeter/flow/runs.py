"""A corpus' scores: held, or of a large corpus where they are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

from tiltmeter.corpora import Corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.flow.asking import Manner, ScoreRun, corpus_given, manner_of, score_subjects
from tiltmeter.flow.large import LargeRun, score_large
from tiltmeter.flow.subjects import Specs, Subjects, opened
from tiltmeter.scoring import Progress, Settings, one_scale_each
from tiltmeter.systems import Options

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
    services and of what has a price.
    """
    manner = manner_of(options, store, settings, progress, systems_in, check)
    reading = {"columns": columns, "axes": axes, "language": language, "encoding": encoding}
    draw = {"people": people, "frames": frames, "weights": weights, "seed": seed}
    loaded = corpus_given(corpus, reading=reading, draw=draw)
    with opened(systems, tasks, manner.options) as subjects:
        return run_of(subjects, loaded, manner, sample, seed, stream)


def run_of(
    subjects: Subjects,
    corpus: Corpus,
    manner: Manner,
    sample: int | None,
    seed: int,
    stream: bool | None = None,
) -> Run:
    """A corpus' scores, held or where they are stored."""
    if in_parts(subjects, corpus, sample, stream):
        return score_large(subjects, corpus, manner)
    return score_subjects(subjects, corpus, manner, sample, seed)


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
        raise TiltmeterError(f"{what}; leave out --stream, or audit the systems that are asked")
    wanted = corpus.large if stream is None else stream
    return wanted and sample is None and not subjects.scores
