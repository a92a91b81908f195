"""What an audit's folder lacks, measured from its own sentences and scores.

An older audit did not look for a signal, and judged one tilt over names and couples together: its
claims are measured here as an audit measures them today. So are people moved, where a gate counts
from another margin on than the audit did.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl
from msgspec.structs import replace

from tiltmeter.audit_run import AuditRun
from tiltmeter.errors import TiltmeterError
from tiltmeter.files import parquet_frame
from tiltmeter.findings import KINDS, TILT, Margins
from tiltmeter.flow.audit_folder import WHO, check_people, contrasts_in, nobody
from tiltmeter.measures import MOVED, SIGNAL, signal_estimates, tilt_estimates
from tiltmeter.report import Evidence
from tiltmeter.schemas import SCORES, SENTENCES, Table, validate

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


def table_in(found: Evidence, table: Table) -> pl.DataFrame:
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
    statistics = replace(run.statistics, apart=True)
    return replace(run, statistics=statistics), pl.concat([known, *heard], how="diagonal_relaxed")
