"""An audit's run.json and findings.json read back: all that no audit writes, in one message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl

from tiltmeter.audit_run import AuditRun, Count, Number, Words, absent_keys
from tiltmeter.errors import IncompleteError, Problem, ProblemsError, TiltmeterError
from tiltmeter.measures import MOST_FLIPS
from tiltmeter.records import Record, RecordFile, check_record
from tiltmeter.report import Evidence
from tiltmeter.schemas import ESTIMATES, validate
from tiltmeter.schemas import FINDINGS as FINDINGS_TABLE
from tiltmeter.scoring import MOST_REPEATS

RUN, FINDINGS = "run.json", "findings.json"
ALTERED = "it was altered or damaged"


class ShareMoved(Record):
    """Whom a claim moves: a part of a group, as findings.json holds it."""

    group: Words
    moved: Count
    people: Count
    share: Number | None
    low: Number | None
    high: Number | None


class DecidingStep(Record):
    """What would decide a claim, as findings.json holds it."""

    command: Words | None
    sentences: Count | None
    why_none: Words | None


class ClaimParts(Record):
    """What a finding on a tilt says besides."""

    moved: tuple[ShareMoved, ...] = ()
    next: DecidingStep | None = None


KINDS: Mapping[str, Any] = {"String": Words, "Float64": Number, "Int64": Count}
Finding = msgspec.defstruct(
    "Finding",
    [
        (name, KINDS[column.dtype] | None if column.nullable else KINDS[column.dtype])
        for name, column in FINDINGS_TABLE.columns.items()
    ],
    bases=(ClaimParts,),
    kw_only=True,
)
"""A row of findings.json."""


class StoredResults(NamedTuple):
    """What an audit's run.json and findings.json say."""

    run: AuditRun
    environment: Mapping[str, Any]
    findings: list[dict[str, Any]]
    version: object
    """Of findings.json."""


@contextmanager
def said_of(where: Path) -> Iterator[None]:
    """Say of which pack or folder a complaint is."""
    try:
        yield
    except TiltmeterError as error:
        if str(where) not in str(error):
            error.args = (f"{where}: {error}",)
        raise


def read_run(file: RecordFile, where: Path) -> AuditRun:
    """What run.json says, as much as an audit of its time said; all that is wrong in one error."""
    run, problems = check_record(file, AuditRun, ["run"])
    if problems or run is None:
        raise ProblemsError(f"{where}: {RUN} says what no audit does: {ALTERED}", problems)
    return run


def read_whole_run(file: RecordFile, where: Path) -> AuditRun:
    """The same, where it says all that findings can be recomputed from."""
    run = read_run(file, where)
    if absent := list(absent_keys(file.values["run"], run)):
        what = f"{where}: {RUN} does not say {', '.join(absent[:5])}"
        what += f" and {len(absent) - 5} more" if len(absent) > 5 else ""
        next_ = "so the findings cannot be recomputed: an older Tiltmeter wrote it; audit again"
        raise IncompleteError(f"{what}, {next_}")
    if problems := list(_contradictions(file, run)):
        raise ProblemsError(f"{where}: {RUN} says what no audit does: {ALTERED}", problems)
    return run


def _contradictions(file: RecordFile, run: AuditRun) -> Iterator[Problem]:
    """What cannot be in a run, though each value is of its kind."""

    def problem(what: str, *keys: str | int) -> Problem:
        return Problem(file.at(["run", *keys]), what)

    names = [one.name for one in run.corpora]
    if not names or len(set(names)) < len(names):
        yield problem(f"found {names}; expected one or more, each once", "corpora")
    if (found := {one.corpus for one in run.systems}) != set(names):
        what = f"found systems on {sorted(found)}; expected some on each of {sorted(names)}"
        yield problem(what, "systems")
    for nth, corpus in enumerate(run.corpora):
        if bool(corpus.sample) != (corpus.drawn_from is not None):
            what = "expected kinds of sentences where there is a sample, and nowhere else"
            yield problem(what, "corpora", nth, "drawn_from")
    for nth, system in enumerate(run.systems):
        if system.repeats > MOST_REPEATS:
            what = f"found {system.repeats}; expected at most {MOST_REPEATS:,}"
            yield problem(what, "systems", nth, "repeats")
    if (run.statistics.flips or 0) > MOST_FLIPS:
        what = f"found {run.statistics.flips}; expected at most {MOST_FLIPS:,}"
        yield problem(what, "statistics", "flips")
    if "regression" in run.statistics.measures and run.regression is None:
        yield problem("found a regression among the measures; expected how it was fitted")


def read_results(files: Evidence) -> StoredResults:
    """What the two files tell of a run; raises where they tell of different ones, or of none."""
    said, stored = files.record(RUN), files.record(FINDINGS)
    if any(stored.values.get(name) != said.values.get(name) for name in ("run", "environment")):
        raise TiltmeterError(f"{files.where}: {FINDINGS} and {RUN} do not tell of the same run")
    run, made = read_whole_run(said, files.where), said.values.get("environment")
    if not isinstance(made, dict) or not isinstance(made.get("versions"), dict):
        raise TiltmeterError(f"{files.where}: {RUN} does not say by which versions it was made")
    rows, problems = check_record(stored, list[Finding], ["findings"])  # type: ignore[valid-type]
    if problems or rows is None:
        what = f"{files.where}: {FINDINGS} holds what is no finding: {ALTERED}"
        raise ProblemsError(what, problems)
    version = stored.values.get("schema_version")
    return StoredResults(run, made, stored.values["findings"], version)


def check_estimates(estimates: pl.DataFrame, where: Path) -> pl.DataFrame:
    """The estimates, or an error where one is what no audit writes: ends without a value, say."""
    validate(estimates, ESTIMATES, where=f"{where}: estimates.parquet")
    ends = pl.any_horizontal(pl.col("se", "low", "high").is_not_null())
    odd = (pl.col("value").is_null() & ends) | (pl.col("low") > pl.col("high"))
    wrong = estimates.filter(odd | (pl.col("se") < 0) | (pl.col("n") < 0))
    if not wrong.is_empty():
        one = wrong.row(0, named=True)
        said = ", ".join(f"{name} {one[name]}" for name in ("value", "low", "high", "se", "n"))
        what = f"{where}: estimates.parquet has a {one['measure']} of {said}"
        raise TiltmeterError(f"{what}, as no audit does: it was altered or damaged")
    return estimates
