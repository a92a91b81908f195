"""How well systems agree with gold scores, over all texts and for each group of them.

Every number has a percentile bootstrap interval over the texts (Efron and Tibshirani 1993, §13).
Groups are drawn again each by itself, so that their sizes stay; a difference is a group minus the
other one, or minus all others together where there are more than two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tiltmeter.measures.agreement_rows import Part, agreement_rows
from tiltmeter.measures.intervals import Bootstrap
from tiltmeter.measures.sample import Sample
from tiltmeter.measures.skill import answer_matrix
from tiltmeter.measures.ties import range_columns, skill_ranges

NO_SCALE = "its scale is not known, so scores and gold cannot be compared; say --scale LOW:HIGH"

AGREEMENT = pl.Schema(
    dict.fromkeys(("system", "task", "gold", "by", "group", "against", "measure"), pl.String())
    | dict.fromkeys(("value", "low", "high", "low_adjusted", "high_adjusted"), pl.Float64())
    | {"unit": pl.String()}
    | dict.fromkeys(("n", "n_against", "n_missing"), pl.Int64())
    | {"gold_sd": pl.Float64(), "reason": pl.String()}
)
"""Group is null for all texts together; against is null unless the row is a difference."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What gold scores say of each submission."""

    table: pl.DataFrame
    """See AGREEMENT."""
    family: int
    """How many differences there are in each measure, or as many as were said."""
    ranks: pl.DataFrame
    """system, task, rank, rank_best, rank_worst, tied, of: by Pearson's r over all texts."""


def agreement_study(
    scores: pl.DataFrame,
    gold: pl.DataFrame,
    submissions: pl.DataFrame,
    how: Bootstrap | None = None,
    by: str | None = None,
) -> Agreement:
    """Every measure for every submission, its groups and their differences.

    `scores` is a `scores` table of the gold texts; `gold` has id, task, score, gold (its name) and,
    with `by`, group; `submissions` has system and task, of tasks that there is gold for.
    """
    how = how or Bootstrap()
    parts = [
        _part(keys, scores.filter(pl.col("task") == task), gold.filter(pl.col("task") == task), by)
        for (task,), keys in submissions.group_by("task", maintain_order=True)
    ]
    family = how.family or max(sum(part.contrasts * part.keys.height for part in parts), 1)
    rows = [
        row | {"by": by if row["group"] is not None else None}
        for part in parts
        for row in agreement_rows(part, how, family)
    ]
    table = pl.from_dicts(rows, AGREEMENT) if rows else AGREEMENT.to_frame()
    ranks = [
        part.keys.with_columns(**range_columns(skill_ranges(part.sample.answers, part.sample.gold)))
        for part in parts
    ]
    return Agreement(table, family, pl.concat(ranks) if ranks else pl.DataFrame())


def _part(keys: pl.DataFrame, scores: pl.DataFrame, gold: pl.DataFrame, by: str | None) -> Part:
    truth = gold["score"].to_numpy().astype(np.float64)
    answers, on_scale = (answer_matrix(scores, gold, keys, name) for name in ("raw", "score"))
    no_scale = NO_SCALE
    if truth.min() < 0 or truth.max() > 1:
        span = f"{truth.min():g} to {truth.max():g}".replace("-", "−")
        no_scale = f"the gold scores lie from {span}, not within 0 to 1"
        on_scale = np.full_like(on_scale, np.nan)
    named = gold["group"].drop_nulls().unique(maintain_order=True) if by else ()
    groups = {name: (gold["group"] == name).arg_true().to_numpy().astype(int) for name in named}
    return Part(keys, Sample(answers, on_scale, truth), gold["gold"][0], no_scale, groups)
