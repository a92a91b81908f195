"""Scores held against the answers they were made from, and against what run.json says of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from tiltmeter.audit_run import AuditedSystem
from tiltmeter.errors import Problem, ProblemsError
from tiltmeter.flow.agreeing import NEAR
from tiltmeter.flow.asking import ScoreRun
from tiltmeter.scoring import ScaleSource, Scored
from tiltmeter.systems import Scale

BY = ["id", "repeat"]


def check_scores(
    runs: Sequence[ScoreRun], systems: Sequence[AuditedSystem], scores: pl.DataFrame
) -> str:
    """Raise where a score does not follow from its answer; else say how many were looked at."""
    every = [(run, one) for run in runs for one in run.scored]
    problems = list[Problem]()
    for (run, scored), facts in zip(every, systems, strict=True):
        name, where = scored.card.name, f"{scored.card.name}, {run.corpus.name}"
        kept = scores.filter(system=name, task=scored.card.task, corpus=run.corpus.name)
        problems += [Problem(where, what) for what in _problems(scored, kept, facts)]
    known = sum(one.scores.height for _, one in every)
    if not problems and known != scores.height:
        problems.append(Problem("scores.parquet", "holds scores that run.json does not speak of"))
    if problems:
        raise ProblemsError("the scores are not those that the answers give", problems)
    missing = sum(one.missing for _, one in every)
    lost = f"{missing:,} of them missing, with the reason" if missing else "none of them missing"
    return f"{known:,}, {lost}: each score follows from its answer"


def _problems(scored: Scored, kept: pl.DataFrame, facts: AuditedSystem) -> Iterator[str]:
    """Where scores, put together anew from the answers, are not those that are stored."""
    mine, theirs = (frame.sort(BY) for frame in (scored.scores, kept))
    if not mine.select(BY).equals(theirs.select(BY)):
        yield f"{kept.height:,} answers are stored; expected {mine.height:,}, one for each sentence"
        return
    one, other = theirs["score"], mine["score"]
    off = (one.is_null() != other.is_null()) | ((one - other).abs() > NEAR).fill_null(False)
    if off.any():
        at = off.arg_true()[0]
        told = f"the answer to {theirs['id'][at]} is {theirs['raw'][at]}"
        yield f"{told}, and its score {one[at]}; expected {other[at]}"
    yield from _facts(scored, facts)


def _facts(scored: Scored, facts: AuditedSystem) -> Iterator[str]:
    """Where run.json says something else of the answers than they do."""
    if facts.missing != scored.missing:
        yield f"run.json says missing is {facts.missing}; the answers give {scored.missing}"
    settled = scored.settled
    if settled.known is ScaleSource.INFERRED and not settled.holds:
        said = f"run.json says the scale {settled.scale} was inferred"
        yield f"{said}; the answers go from {Scale(settled.low, settled.high)}"
