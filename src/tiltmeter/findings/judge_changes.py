"""From a study of two versions to verdicts on each change, corrected for how many were made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.findings.change import (
    UNDECIDED,
    WHICH_LARGER,
    WORSE,
    change_verdicts,
    p_apart,
    p_resized,
    resized,
    resized_within,
    why_undecided,
)
from tiltmeter.findings.multiplicity import CORRECTIONS, SPOKEN
from tiltmeter.findings.power import people_needed
from tiltmeter.findings.verdict import (
    NO_SIGNAL,
    NOT_ESTIMABLE,
    TILTED,
    Margins,
    p_decides,
    p_within,
    thresholds,
    verdicts,
)

if TYPE_CHECKING:
    from tiltmeter.findings.judge import Rule

Array = NDArray[np.float64]
NO_SCALE = "its scale is not known, so a margin means nothing: audit again with --scale LOW:HIGH"
NO_PAIRS = "no pair has a score from both versions"
NO_SAMPLE = (
    "too few people are compared to tell how much others would change: one of each group is no "
    "sample"
)


Silent = Sequence[str | None]
"""Of each change: why a version gives no signal; None where it gives one."""


def judged_changes(
    changes: pl.DataFrame,
    rule: Rule,
    margins: Margins,
    silent: tuple[Silent, Silent] | None = None,
) -> pl.DataFrame:
    """The changes by names and by couples, each with its verdict.

    `silent` tells of the old versions, then of the new.

    New columns: margin; size_change with its low and high; p_change, p_same and p_size, before and
    after correction; family, verdict, undecided_because, needed_people, reason and rule; and the
    verdict on either version by itself, old_verdict and new_verdict.
    """
    known = changes.with_columns(
        margin=pl.Series(
            [margins.of(*row) for row in changes.select("axis", "contrast").rows()],
            dtype=pl.Float64,
        ),
        reason=_reason(),
    )
    family = rule.family or max(1, known["reason"].null_count())
    margin = known["margin"].to_numpy()
    change, total = _taken(known, "change"), _taken(known, "total")
    p_change, p_same = p_apart(*change), p_within(*change, margin)
    # Where nothing tells how large the tilts are together, neither is shown to be the larger.
    p_size = np.where(np.isnan(total[1]) & ~np.isnan(p_change), 1.0, p_resized(change, total))
    low, high = resized_within(change, total)
    larger = resized(_column(known, "old"), _column(known, "new"))
    moved, same, size = (_corrected(p, rule, family) for p in (p_change, p_same, p_size))
    said = change_verdicts(same, size, larger, rule.level)
    why = why_undecided(change[0], margin, p_change, moved, rule.level)
    numbers = {
        "size_change": larger, "size_low": low, "size_high": high, "p_change": p_change,
        "p_same": p_same, "p_size": p_size, "p_change_adjusted": moved, "p_same_adjusted": same,
        "p_size_adjusted": size,
    }  # fmt: skip
    both = silent or ([None] * known.height, [None] * known.height)
    unheard = [_unheard(*one) for one in zip(*both, strict=True)]
    found = known.with_columns(
        **{name: _series(values) for name, values in numbers.items()},
        family=pl.lit(family, pl.Int64),
        verdict=_silenced(said, unheard, (WORSE, NOT_ESTIMABLE)),
        undecided_because=pl.Series(
            [one if verdict == UNDECIDED else None for one, verdict in zip(why, said, strict=True)],
            dtype=pl.String,
        ),
        reason=pl.coalesce("reason", pl.Series(unheard, dtype=pl.String)),
        rule=pl.lit(_said(rule, family)),
        **{
            f"{one}_verdict": _silenced(_own(known, one, margin, rule, family), mine, (TILTED,))
            for one, mine in zip(("old", "new"), both, strict=True)
        },
    )
    return found.with_columns(needed_people=_needed(found, rule.level / family))


def _unheard(old: str | None, new: str | None) -> str | None:
    """Which version gives no signal, and why."""
    if old and new:
        return f"neither version gives a signal: {new}"
    if not (old or new):
        return None
    return f"the {'new' if new else 'old'} version gives no signal: {new or old}"


def _silenced(verdicts: Sequence[str], why: Silent, but: Sequence[str]) -> pl.Series:
    """The verdicts, with no signal in place of all that rest on one."""
    said = [
        NO_SIGNAL if reason and verdict not in but else verdict
        for verdict, reason in zip(verdicts, why, strict=True)
    ]
    return pl.Series(said, dtype=pl.String)


def _reason() -> pl.Expr:
    """Why there can be no verdict; null where there can."""
    as_it_was = (pl.col("change") == 0) & (pl.col("change_se") == 0)
    return (
        pl.when(pl.col("n") == 0)
        .then(pl.lit(NO_PAIRS))
        .when(as_it_was)  # exact, whatever the scale
        .then(pl.lit(None, pl.String))
        .when(pl.col("unit") != "scale")
        .then(pl.lit(NO_SCALE))
        .when(pl.col("change_se").is_null())
        .then(pl.lit(NO_SAMPLE))
        .otherwise(pl.lit(None, pl.String))
    )


def _taken(known: pl.DataFrame, kind: str) -> tuple[Array, Array, Array]:
    """Value, error and degrees of freedom; NaN where there can be no verdict."""
    judged = known["reason"].is_null().to_numpy()
    columns = (_column(known, name) for name in (kind, f"{kind}_se", f"{kind}_df"))
    value, se, df = (np.where(judged, column, np.nan) for column in columns)
    return value, se, df


def _column(frame: pl.DataFrame, name: str) -> Array:
    return frame[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _series(values: Array) -> pl.Series:
    return pl.Series(values, dtype=pl.Float64).fill_nan(None)


def _corrected(p: Array, rule: Rule, family: int) -> Array:
    adjusted = np.full(p.shape, np.nan)
    tested = ~np.isnan(p)
    adjusted[tested] = CORRECTIONS[rule.correction](p[tested], family)
    return adjusted


def _own(known: pl.DataFrame, kind: str, margin: Array, rule: Rule, family: int) -> list[str]:
    """Whether one version by itself is tilted, even within the margin, or undecided."""
    taken = _taken(known, kind)
    decides = _corrected(p_decides(*taken, margin), rule, family)
    return [str(one) for one in verdicts(taken[0], decides, margin, rule.level)]


def _said(rule: Rule, family: int) -> str:
    many = "1 comparison" if family == 1 else f"{family:,} comparisons"
    return (
        "t-tests of the change with errors over people, and over words within emotions: same by "
        "two one-sided tests within the margin, better or worse where both the change and the sum "
        f"of the tilts differ from 0; level {rule.level:g} after {SPOKEN[rule.correction]} "
        f"correction for {many}"
    )


def _needed(found: pl.DataFrame, level: float) -> pl.Series:
    """How many people would decide what is undecided, if the change is as seen."""
    change, total = _column(found, "change"), _column(found, "total")
    margin, none = _column(found, "margin"), np.zeros(found.height)
    inside = np.abs(change) < margin
    # Both the change and the tilts' sum must differ from 0; the one closer to it is harder to show,
    # unless the change is shown already.
    by_sum = (np.abs(total) < np.abs(change)) | (
        found["undecided_because"].eq_missing(WHICH_LARGER).to_numpy()
    )
    open_ = (found["verdict"] == UNDECIDED).to_numpy()
    numbers = np.full(found.height, np.nan)
    cases = (  # two one-sided tests, or one of both sides
        (inside, "change", change, margin, 2.0 * level),
        (~inside & ~by_sum, "change", change, none, level),
        (~inside & by_sum, "total", total, none, level),
    )
    for mine, kind, value, bound, at in cases:
        rows = np.flatnonzero(mine & open_)
        if rows.size:
            part = found[rows.tolist()]
            se, people, ground, df = (
                _column(part, f"{kind}_{name}") for name in ("se", "se_people", "se_floor", "df")
            )
            numbers[rows] = people_needed(
                value[rows], se, people, ground, df, _column(part, "n"), bound[rows], at,
                float(thresholds()["power"]),
            )  # fmt: skip
    return pl.Series(numbers, dtype=pl.Float64).fill_nan(None).cast(pl.Int64)
