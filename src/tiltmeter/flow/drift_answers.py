"""How far a system's answers moved since its baseline, and what may be said of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import polars as pl

from tiltmeter.findings import Margins, Mean, drift_test
from tiltmeter.flow.asked_again import AskedAgain
from tiltmeter.flow.audit_folder import AuditFolder
from tiltmeter.measures import NATIVE, SCALE, AnswersMoved, TextMean, moved_answers
from tiltmeter.scoring import Scored

MEAN = ("value", "se", "df", "low", "high")
TESTS = 2
"""Tests of each system's answers: how far they moved beyond noise, and on average."""


def answers_told(
    before: AuditFolder, asked: AskedAgain, margins: Margins, level: float, tests: int
) -> pl.DataFrame:
    """A row for each system, task and corpus: how far answers moved, and the verdict."""
    rows = [
        _row(before, asked, corpus, scored, margins.default, level, tests)
        for corpus, scored in asked.scored
    ]
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(
        pl.col(pl.Float64).fill_nan(None)
    )


def _row(
    before: AuditFolder,
    asked: AskedAgain,
    corpus: str,
    scored: Scored,
    margin: float,
    level: float,
    tests: int,
) -> dict[str, Any]:
    name, task = asked.called(scored), scored.card.task
    old = before.scores.filter(
        pl.col("system") == name, pl.col("task") == task, pl.col("corpus") == corpus
    )
    on_scale = all(one["score"].null_count() < one.height for one in (old, scored.scores))
    texts = asked.sentences.filter(pl.col("corpus") == corpus).select("id", "text")
    then, now = (
        one.join(texts, on="id").select("text", "repeat", score="score" if on_scale else "raw")
        for one in (old, scored.scores)
    )
    found = moved_answers(then, now, width=1.0 if on_scale else _range(then, now))
    test = drift_test(
        None if found.beyond is None else _tested(found.beyond), _tested(found.shift), margin,
        changed=found.changed, level=level, family=tests, on_scale=on_scale,
    )  # fmt: skip
    known = {"old_system": name, "new_system": scored.card.name, "task": task, "corpus": corpus}
    unit = SCALE if on_scale else NATIVE
    return known | {"unit": unit, "margin": margin} | _flat(found) | asdict(test)


def _tested(mean: TextMean) -> Mean:
    return Mean(mean.value, mean.se, mean.df)


def _flat(found: AnswersMoved) -> dict[str, Any]:
    """The numbers in one row: a mean's value under its own name, its ends as in `shift_low`."""
    told = asdict(found)
    for name in ("shift", "beyond"):
        parts = told.pop(name) or dict.fromkeys(MEAN)
        told |= {name if part == "value" else f"{name}_{part}": parts[part] for part in MEAN}
    return told


def _range(then: pl.DataFrame, now: pl.DataFrame) -> float:
    """How wide a scale is that nobody knows: the range of all answers."""
    every = pl.concat([then["score"], now["score"]]).drop_nulls().to_numpy()
    return float(every.max() - every.min()) if every.size else 1.0
