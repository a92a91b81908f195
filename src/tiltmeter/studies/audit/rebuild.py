"""An audit rebuilt from its folder: its runs, how it judged them, and what an older one lacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import polars as pl
from msgspec import UnsetType
from msgspec.structs import asdict
from msgspec.structs import replace as structs_replace

from tiltmeter.audit_run import DEFAULT, AuditedCorpus, AuditedSystem, AuditRun
from tiltmeter.claims.judge import ALL, KINDS, TILT, Rule
from tiltmeter.claims.verdict import Margins
from tiltmeter.corpora import Axis, Corpus, PopulationSummary
from tiltmeter.errors import TiltmeterError
from tiltmeter.files import parquet_frame
from tiltmeter.report.evidence import Evidence
from tiltmeter.schemas import SCORES, SENTENCES, TableSchema, validate
from tiltmeter.scoring import ScaleSource, Scored, Texts, assemble, on_scale, texts_of
from tiltmeter.scoring.scoring_run import ScoreRun
from tiltmeter.studies.audit.options import Statistics
from tiltmeter.studies.audit.stored_audit import WHO, check_people, contrasts_in, nobody
from tiltmeter.studies.paired.labels import thresholds_given
from tiltmeter.studies.paired.signal import SIGNAL, signal_estimates
from tiltmeter.studies.paired.tilt import MOVED, tilt_estimates
from tiltmeter.studies.regression.formula import Model
from tiltmeter.studies.regression.run import REGRESSION, Wanted
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
    runs = []
    for facts in run.corpora:
        own = pl.col("corpus") == facts.name
        axes = tuple(
            Axis(one.name, one.groups, tuple(one.phrases.get(group, "") for group in one.groups))
            for one in facts.axes
        )
        mine, answers = _of_corpus(sentences.filter(own), axes), scores.filter(own)
        texts = texts_of(mine)
        scored = tuple(
            _scored(one, answers.filter(system=one.system, task=one.task), mine, texts)
            for one in run.systems
            if one.corpus == facts.name
        )
        corpus = corpus_from(facts, axes, mine, people.filter(own))
        runs.append(ScoreRun(corpus, mine, scored, sample=facts.sample, in_parts=facts.in_parts))
    return tuple(runs)


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
    whole = sentences
    if said.drawn_from is not None:
        # a row for each kind of sentence: which axes are known of its person, and its emotion
        blank = dict.fromkeys(SENTENCES.columns, KIND)
        kinds = [
            blank | {"emotion": one.emotion} | dict.fromkeys(one.axes, KIND)
            for one in said.drawn_from
        ]
        whole = pl.concat([sentences, pl.DataFrame(kinds, sentences.schema)])
    return Corpus(
        said.name,
        said.title,
        said.edition,
        said.language,
        axes,
        whole.height,
        whole.iter_slices,
        drawn=people,
        drawn_from=PopulationSummary(**asdict(said.population)) if said.population else None,
    )


# What an audit's folder lacks, measured from its own sentences and scores
# An older audit did not look for a signal, and judged one tilt over names and couples together: its
# claims are measured here as an audit measures them today. So are people moved, where a gate counts
# from another margin on than the audit did.

CORRECTED = "corrected"
MOST_READ = 2_000_000
"""Scores of a folder that are read again."""


@dataclass(frozen=True, slots=True)
class FolderAnswers:
    """What systems were asked and answered."""

    sentences: pl.DataFrame
    people: pl.DataFrame
    scores: pl.DataFrame


GetAnswers = Callable[[], FolderAnswers | None]
"""Reads them when they are needed; None where there are more than are read again."""


def answers_in(found: Evidence) -> FolderAnswers | None:
    """The answers of a folder or pack; None where there are more than are read again."""
    scores = table_in(found, SCORES)
    if scores.height > MOST_READ:
        return None
    sentences = table_in(found, SENTENCES)
    for name, table, schema in (("scores", scores, SCORES), ("sentences", sentences, SENTENCES)):
        validate(table, schema, where=f"{found.where}: {name}.parquet")
    known = WHO in found.manifest.by_name
    people = parquet_frame(found.read(WHO)) if known else nobody()
    return FolderAnswers(sentences, check_people(people, f"{found.where}: {WHO}"), scores)


def table_in(found: Evidence, table: TableSchema) -> pl.DataFrame:
    """A table of a folder or pack."""
    name = f"{table.name}.parquet"
    try:
        return parquet_frame(found.read(name))
    except OSError as error:
        raise TiltmeterError(f"{found.where}: {name}: {error.strerror}") from error


def has_claims(run: AuditRun, estimates: pl.DataFrame) -> bool:
    """Whether an audit's claims are by names and by couples, or it has none at all."""
    tilts = estimates.filter(pl.col("measure") == TILT)
    judged = run.statistics.mode == CORRECTED and not tilts.is_empty()
    return not judged or bool(tilts["subset"].is_in(KINDS).all())


def measure_claims(
    run: AuditRun, estimates: pl.DataFrame, answers: FolderAnswers | None, margins: Margins
) -> pl.DataFrame:
    """The estimates with every claim measured anew, and people moved beyond these margins."""
    if answers is None:
        raise TiltmeterError(
            "its claims would have to be measured anew, and it has more scores than are read again "
            f"({MOST_READ:,}): run the audit again with this version and the --margin of the gate"
        )
    found = []
    for facts in run.corpora:
        of = pl.col("corpus") == facts.name
        axes = [axis.name for axis in facts.axes]
        here = answers.sentences.filter(of)
        found.append(
            tilt_estimates(
                here, answers.scores.filter(of), contrasts_in(estimates.filter(of), here), axes,
                people=answers.people.filter(of), mode=run.statistics.mode,
                margins={axis: margins.of(axis) for axis in axes},
            )
        )  # fmt: skip
    of_claims = pl.col("measure").str.starts_with(TILT) | (pl.col("measure") == MOVED)
    return pl.concat([estimates.filter(~of_claims), *found], how="diagonal_relaxed")


def measure_signal(
    run: AuditRun, estimates: pl.DataFrame, answers: FolderAnswers | None
) -> tuple[AuditRun, pl.DataFrame]:
    """The run and its estimates with the signal that its scores show.

    Without this a system that answers the same to every word would pass as even. What languages a
    system reads such a folder does not say. With more scores than are read it is left as it is.
    """
    if answers is None:
        return run, estimates
    heard = [
        signal_estimates(part, answers.scores.filter(corpus=corpus))
        for (corpus,), part in answers.sentences.group_by("corpus", maintain_order=True)
    ]
    known = estimates.filter(pl.col("measure") != SIGNAL)
    statistics = structs_replace(run.statistics, apart=True)
    return structs_replace(run, statistics=statistics), pl.concat(
        [known, *heard], how="diagonal_relaxed"
    )
