"""Skill beside tilt: how well each system's scores agree with gold scores of labelled texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from tiltmeter.errors import TiltmeterError
from tiltmeter.schemas import ESTIMATES
from tiltmeter.stats.correlation import FEWEST, Array, is_constant, pearson, spearman
from tiltmeter.studies.paired.tilt_ranks import range_columns, skill_ranges

RANKED_BY = ("pearson", "spearman")
GOLD = "gold"
"""The subset of the estimates: labelled texts, not sentences of a corpus."""
DIGITS = 12
"""Correlations that agree to so many decimals share a rank."""

SKILL = pl.Schema(
    {"system": pl.String(), "task": pl.String(), "gold": pl.String(), "n": pl.Int64()}
    | {f"{name}{part}": pl.Float64() for name in RANKED_BY for part in ("", "_low", "_high")}
    | dict.fromkeys(("rank", "rank_best", "rank_worst", "tied", "of"), pl.Int64())
)
"""rank is by the numbers as they are, rank_best to rank_worst what the texts allow; systems of one
`tied` cannot be told from the group's first: see tilt_ranks. `of`: how many are ranked."""
_COUNTED = pl.Schema({**SKILL, "n_dropped": pl.Int64()})
Reason = tuple[str, str, str, str]
REASONS = pl.Schema(dict.fromkeys(("system", "task", "gold", "reason"), pl.String()))


@dataclass(frozen=True, slots=True)
class SkillStudy:
    """What the gold scores say of each submission."""

    skill: pl.DataFrame
    """A row a submission, best first within its task: see SKILL. Null: no skill is known."""
    estimates: pl.DataFrame
    """The same numbers as rows of the `estimates` table."""
    reasons: pl.DataFrame
    """system, task, gold, reason: why a submission that has scores has no skill."""


def skill_study(
    scores: pl.DataFrame,
    gold: pl.DataFrame,
    submissions: pl.DataFrame,
    rank_by: str = "pearson",
    *,
    mode: str = "corrected",
) -> SkillStudy:
    """Correlate every submission's scores with the gold of its task, and rank them.

    `scores` is a `scores` table of labelled texts; `gold` has id, task, score and gold, the name it
    goes by; `submissions` has system and task, a row for each that is to stand in the result.
    """
    check_rank_by(rank_by)
    parts = [
        _of_task(
            rank_by,
            *(frame.filter(pl.col("task") == task) for frame in (submissions, scores, gold)),
        )
        for task in submissions["task"].unique(maintain_order=True)
    ]
    ranked = pl.concat([_ranked(part, rank_by) for part, _ in parts] or [_COUNTED.to_frame()])
    reasons = [row for _, rows in parts for row in rows]
    return SkillStudy(
        ranked.drop("n_dropped"),
        _estimates(ranked, mode),
        pl.DataFrame(reasons, REASONS, orient="row"),
    )


def check_rank_by(name: str) -> None:
    """Refuse to rank by what is not measured."""
    if name not in RANKED_BY:
        raise TiltmeterError(f"rank_by is {name!r}; expected one of {', '.join(RANKED_BY)}")


def _of_task(
    rank_by: str, submissions: pl.DataFrame, scores: pl.DataFrame, gold: pl.DataFrame
) -> tuple[pl.DataFrame, list[Reason]]:
    """One task's skill, not yet ranked, and why some submissions have none."""
    keys = submissions.select("system", "task")
    if gold.is_empty():
        return keys, []
    values = answer_matrix(scores, gold, keys)
    truth, name = gold["score"].to_numpy(), gold["gold"][0]
    found = {"pearson": pearson(values, truth), "spearman": spearman(values, truth)}
    n = pl.Series(found["pearson"].n, dtype=pl.Int64)
    columns = {
        f"{measure}{end}": pl.Series(values).fill_nan(None)
        for measure, one in found.items()
        for end, values in (("", one.value), ("_low", one.low), ("_high", one.high))
    }
    ranges = range_columns(skill_ranges(values, truth, rank_by))
    counted = keys.with_columns(
        gold=pl.lit(name), n=n, n_dropped=gold.height - n, **columns, **ranges
    )
    return counted, list(_reasons(counted, values, gold.height))


def answer_matrix(
    scores: pl.DataFrame, gold: pl.DataFrame, keys: pl.DataFrame, column: str = "raw"
) -> Array:
    """(submissions, gold texts): the answers as given, repeats averaged, NaN where missing.

    Correlations do not depend on the scale, so the native one will do; `score` is on 0 to 1.
    """
    placed = (
        scores.join(gold.select("id").with_row_index("column"), on="id")
        .join(keys.with_row_index("row"), on=["system", "task"])
        .group_by("row", "column")
        .agg(pl.col(column).mean())
    )
    values = np.full((keys.height, gold.height), np.nan)
    at = placed["row"].to_numpy(), placed["column"].to_numpy()
    values[at] = placed[column].fill_null(float("nan")).to_numpy()
    return values


def _ranked(skill: pl.DataFrame, rank_by: str) -> pl.DataFrame:
    """The submissions of a task, 1 for the best; ties share the better rank, unknown comes last."""
    absent = [name for name in _COUNTED if name not in skill.columns]
    whole = skill.with_columns(pl.lit(None).alias(name) for name in absent)
    whole = whole.select(pl.col(name).cast(kind) for name, kind in _COUNTED.items())
    rank = pl.col(rank_by).round(DIGITS).rank("min", descending=True).cast(pl.Int64)
    return whole.with_columns(pl.col("n", "n_dropped").fill_null(0), rank=rank).sort(
        "rank", nulls_last=True, maintain_order=True
    )


def _reasons(skill: pl.DataFrame, values: Array, total: int) -> Iterator[Reason]:
    """Why each submission that has scores but no correlation has none."""
    constant = is_constant(values)
    columns = ("system", "task", "gold", "n", "pearson")
    for nth, (system, task, gold, n, r) in enumerate(skill.select(columns).iter_rows()):
        if r is not None or not n:
            continue
        why = "the gold scores of the texts it has scores for are all the same"
        if n < FEWEST:
            why = f"it has scores for {n:,} of {total:,} gold texts; at least {FEWEST} are needed"
        elif constant[nth]:
            why = "its scores of the gold texts are all the same, so no correlation can be given"
        yield system, task, gold, why


def _estimates(skill: pl.DataFrame, mode: str) -> pl.DataFrame:
    """Both correlations as rows of the `estimates` table."""
    known = skill.filter(pl.col("gold").is_not_null())
    blocks = [
        known.select(
            "system",
            "task",
            corpus="gold",
            **dict.fromkeys(("edition", "axis", "contrast", "reference"), pl.lit("")),
            mode=pl.lit(mode),
            subset=pl.lit(GOLD),
            measure=pl.lit(name),
            value=name,
            unit=pl.lit("correlation"),
            low=f"{name}_low",
            high=f"{name}_high",
            **dict.fromkeys(("se", "statistic", "df", "p"), pl.lit(None, pl.Float64)),
            n="n",
            n_dropped="n_dropped",
        )
        for name in RANKED_BY
    ]
    return pl.concat(blocks).select(*ESTIMATES.columns)
