"""An audit rebuilt from what it left behind: its runs and how it judged them, from run.json."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import polars as pl
from msgspec import UnsetType
from msgspec.structs import asdict

from tiltmeter.audit_run import (
    DEFAULT,
    AuditedCorpus,
    AuditedSystem,
    AuditRun,
    SentenceKind,
)
from tiltmeter.corpora import Axis, Corpus, PopulationSummary
from tiltmeter.errors import TiltmeterError
from tiltmeter.findings import ALL, Margins, Rule
from tiltmeter.flow.asking import ScoreRun
from tiltmeter.flow.concluding import Statistics
from tiltmeter.flow.regressing import REGRESSION, Wanted
from tiltmeter.measures import Model, thresholds_given
from tiltmeter.schemas import SENTENCES
from tiltmeter.scoring import ScaleSource, Scored, Texts, assemble, on_scale, texts_of
from tiltmeter.systems import Card, Control, Scale

KIND = "a kind of sentence that the sample was drawn from"
"""Stands where a rebuilt corpus knows of a sentence only what it is about."""


def statistics_of(run: AuditRun) -> Statistics:
    """How an audit measured and judged, as its run.json says."""
    said, fitted = run.statistics, run.regression
    model, fitted_on = Model(), None
    if REGRESSION in said.measures and fitted is not None:
        model = Model(
            said.formula, fitted.reference, fitted.no_reference, fitted.errors, fitted.precision,
            said.all_pairs,
        )  # fmt: skip
        of_old = None if said.subset == ALL else said.subset
        fitted_on = of_old if isinstance(fitted.subset, UnsetType) else fitted.subset
    margins = dict(said.margins)
    return Statistics(
        Wanted(said.measures, model, said.everywhere, fitted_on),
        Rule(said.correction, said.level, said.family if said.family_given else None),
        Margins(margins.pop(DEFAULT), margins),
        said.mode,
        said.subset,
        said.seed,
        said.flips,
        said.reference,
        thresholds_given(said.thresholds),
        said.all_pairs,
        bool(said.apart),
    )


def runs_of(
    run: AuditRun, sentences: pl.DataFrame, scores: pl.DataFrame, people: pl.DataFrame
) -> tuple[ScoreRun, ...]:
    """The runs of an audit, every score put together anew from the answer as it was given."""
    return tuple(
        _run(
            one,
            [system for system in run.systems if system.corpus == one.name],
            sentences,
            scores,
            people.filter(pl.col("corpus") == one.name),
        )
        for one in run.corpora
    )


def _run(
    facts: AuditedCorpus,
    systems: Sequence[AuditedSystem],
    sentences: pl.DataFrame,
    scores: pl.DataFrame,
    people: pl.DataFrame,
) -> ScoreRun:
    name = facts.name
    axes = tuple(
        Axis(one.name, one.groups, tuple(one.phrases.get(group, "") for group in one.groups))
        for one in facts.axes
    )
    mine = _of_corpus(sentences.filter(pl.col("corpus") == name), axes)
    own = scores.filter(pl.col("corpus") == name)
    texts = texts_of(mine)
    scored = tuple(
        _scored(one, own.filter(system=one.system, task=one.task), mine, texts) for one in systems
    )
    corpus = corpus_from(facts, axes, mine, people)
    return ScoreRun(corpus, mine, scored, sample=facts.sample, in_parts=facts.in_parts)


def _of_corpus(sentences: pl.DataFrame, axes: Sequence[Axis]) -> pl.DataFrame:
    """One corpus' sentences with the columns it had: an axis of another one is not its own."""
    names = {*SENTENCES.columns, *(axis.name for axis in axes)}
    for axis in axes:
        if axis.name not in sentences.columns:
            raise TiltmeterError(f"sentences.parquet has no column {axis.name!r}, which is an axis")
        others = set(sentences[axis.name].drop_nulls()) - set(axis.groups)
        if others:
            what = f"sentences.parquet has {min(others)!r} on the axis {axis.name!r}"
            raise TiltmeterError(f"{what}; run.json knows {', '.join(axis.groups)}")
    return sentences.select(name for name in sentences.columns if name in names)


def _scored(
    said: AuditedSystem, rows: pl.DataFrame, sentences: pl.DataFrame, texts: Texts
) -> Scored:
    """A system's scores, from its answers and the scale it was said to have."""
    scale = Scale(*said.scale_ends) if said.scale_ends else None
    control = None if said.control is None else Control(said.control)
    card = Card(said.system, said.task, languages=said.languages, control=control)
    answers = rows.select("id", "repeat", "raw", "reason").join(
        sentences.select("id", "text"), on="id", how="left", maintain_order="left"
    )
    found = assemble(card, texts, answers, repeats=said.repeats)
    undeclared = ScaleSource.INFERRED if scale else ScaleSource.UNBOUNDED
    known = undeclared if said.scale_known != ScaleSource.DECLARED else ScaleSource.DECLARED
    return on_scale(found, replace(found.settled, scale=scale, known=known))


def corpus_from(
    said: AuditedCorpus, axes: tuple[Axis, ...], sentences: pl.DataFrame, people: pl.DataFrame
) -> Corpus:
    """The corpus of some sentences; of a sample it knows besides what else it was drawn from."""
    known = [sentences]
    if said.drawn_from is not None:
        known.append(_kinds(said.drawn_from, sentences.schema))
    whole = pl.concat(known)
    return Corpus(
        said.name, said.title, said.edition, said.language, axes, whole.height,
        partial(_slices, whole), drawn=people,
        drawn_from=PopulationSummary(**asdict(said.population)) if said.population else None,
    )  # fmt: skip


def _kinds(said: Sequence[SentenceKind], schema: pl.Schema) -> pl.DataFrame:
    """A row for each kind of sentence: which axes are known of its person, and its emotion."""
    rows = [
        dict.fromkeys(SENTENCES.columns, KIND)
        | {"emotion": one.emotion}
        | dict.fromkeys(one.axes, KIND)
        for one in said
    ]
    return pl.DataFrame(rows, schema)


def _slices(frame: pl.DataFrame, rows: int) -> Iterator[pl.DataFrame]:
    return frame.iter_slices(rows)
