"""An audit rebuilt from what it left behind: its runs and how it judged them, from run.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

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

Facts = Mapping[str, Any]
ALL_PAIRS = "all_pairs"
"""What an older audit does not say: it compared every two groups, however many there were."""
APART = "apart"
"""Nor does it say this: controls and systems without a signal were judged with all others."""
KIND = "a kind of sentence that the sample was drawn from"
"""Stands where a rebuilt corpus knows of a sentence only what it is about."""


def statistics_of(run: Facts) -> Statistics:
    """How an audit measured and judged, as its run.json says."""
    said = run["statistics"]
    measures = tuple(said["measures"])
    model, fitted_on = Model(), None
    if REGRESSION in measures:
        fitted = run["regression"]
        model = Model(
            said["formula"], dict(fitted["reference"]), fitted["no_reference"], fitted["errors"],
            fitted["precision"], said.get(ALL_PAIRS, True),
        )  # fmt: skip
        of_old = None if said["subset"] == ALL else said["subset"]
        fitted_on = fitted.get("subset", of_old)
    family = said["family"] if said["family_given"] else None
    margins = dict(said["margins"])
    return Statistics(
        Wanted(measures, model, said["everywhere"], fitted_on),
        Rule(said["correction"], said["level"], family),
        Margins(margins.pop("default"), margins),
        said["mode"],
        said["subset"],
        said["seed"],
        said["flips"],
        dict(said["reference"]),
        thresholds_given(said["thresholds"]),
        said.get(ALL_PAIRS, True),
        said.get(APART, False),
    )


def runs_of(
    run: Facts, sentences: pl.DataFrame, scores: pl.DataFrame, people: pl.DataFrame
) -> tuple[ScoreRun, ...]:
    """The runs of an audit, every score put together anew from the answer as it was given."""
    return tuple(
        _run(
            one,
            [fact for fact in run["systems"] if fact["corpus"] == one["name"]],
            sentences,
            scores,
            people.filter(pl.col("corpus") == one["name"]),
        )
        for one in run["corpora"]
    )


def _run(
    facts: Facts,
    systems: Sequence[Facts],
    sentences: pl.DataFrame,
    scores: pl.DataFrame,
    people: pl.DataFrame,
) -> ScoreRun:
    name = str(facts["name"])
    axes = tuple(_axis(one) for one in facts["axes"])
    mine = _of_corpus(sentences.filter(pl.col("corpus") == name), axes)
    own = scores.filter(pl.col("corpus") == name)
    texts = texts_of(mine)
    scored = tuple(
        _scored(one, own.filter(system=one["system"], task=one["task"]), mine, texts)
        for one in systems
    )
    corpus = corpus_from(facts, axes, mine, people)
    return ScoreRun(corpus, mine, scored, sample=facts["sample"], in_parts=facts["in_parts"])


def _axis(said: Facts) -> Axis:
    groups = tuple(said["groups"])
    return Axis(said["name"], groups, tuple(said["phrases"].get(group, "") for group in groups))


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


def _scored(said: Facts, rows: pl.DataFrame, sentences: pl.DataFrame, texts: Texts) -> Scored:
    """A system's scores, from its answers and the scale it was said to have."""
    scale = Scale(*map(float, said["scale_ends"])) if said["scale_ends"] else None
    control = said.get("control")
    card = Card(
        said["system"], said["task"], languages=tuple(said.get("languages", ())),
        control=None if control is None else Control(control),
    )  # fmt: skip
    answers = rows.select("id", "repeat", "raw", "reason").join(
        sentences.select("id", "text"), on="id", how="left", maintain_order="left"
    )
    found = assemble(card, texts, answers, repeats=int(said["repeats"]))
    undeclared = ScaleSource.INFERRED if scale else ScaleSource.UNBOUNDED
    known = undeclared if said["scale_known"] != ScaleSource.DECLARED else ScaleSource.DECLARED
    return on_scale(found, replace(found.settled, scale=scale, known=known))


def corpus_from(
    said: Facts, axes: tuple[Axis, ...], sentences: pl.DataFrame, people: pl.DataFrame
) -> Corpus:
    """The corpus of some sentences; of a sample it knows besides what else it was drawn from."""
    population = said.get("population")
    known = [sentences]
    if said["sample"]:
        known.append(_kinds(said["drawn_from"], sentences.schema))
    whole = pl.concat(known)
    return Corpus(
        said["name"], said["title"], said["edition"], said["language"], axes, whole.height,
        partial(_slices, whole), drawn=people,
        drawn_from=PopulationSummary.from_facts(population) if population else None,
    )  # fmt: skip


def _kinds(said: Sequence[Facts], schema: pl.Schema) -> pl.DataFrame:
    """A row for each kind of sentence: which axes are known of its person, and its emotion."""
    rows = [
        dict.fromkeys(SENTENCES.columns, KIND)
        | {"emotion": one["emotion"]}
        | dict.fromkeys(one["axes"], KIND)
        for one in said
    ]
    return pl.DataFrame(rows, schema)


def _slices(frame: pl.DataFrame, rows: int) -> Iterator[pl.DataFrame]:
    return frame.iter_slices(rows)
