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
from tiltmeter.findings.enlarging import Uncertainty, uncertainty
from tiltmeter.findings.multiplicity import CORRECTIONS, SPOKEN
from tiltmeter.findings.needed import units_needed
from tiltmeter.findings.verdict import (
    NO_SIGNAL,
    NOT_ESTIMABLE,
    TILTED,
    Margins,
    p_beyond,
    p_within,
    thresholds,
    verdicts,
)

if TYPE_CHECKING:
    from tiltmeter.findings.judge import Rule

Array = NDArray[np.float64]
NO_SCALE = "its scale is not known, so a margin means nothing: audit again with --scale LOW:HIGH"
NO_PAIRS = "no pair has a score from both versions"
NO_SAMPLE = "too few people to draw anew: one of each group is no sample"
SOURCES = ("people", "templates", "words", "noise")


Silent = Sequence[str | None]
"""Of each change: why a version gives no signal; None where it gives one."""


def judged_changes(
    changes: pl.DataFrame,
    rule: Rule,
    margins: Margins,
    silent: tuple[Silent, Silent] | None = None,
) -> pl.DataFrame:
    """The changes with their verdicts; `silent` tells of the old versions, then of the new.

    New columns: margin; size_change with its low and high; p_change, p_same and p_size, before and
    after correction; family, verdict, undecided_because, needed_people, needed_templates, reason
    and rule; and the verdict on either version by itself, old_verdict and new_verdict.
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
    p_change, p_same, p_size = p_apart(*change), p_within(*change, margin), p_resized(change, total)
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
        verdict=_silenced(said, unheard, WORSE),
        undecided_because=pl.Series(
            [one if verdict == UNDECIDED else None for one, verdict in zip(why, said, strict=True)],
            dtype=pl.String,
        ),
        reason=pl.coalesce("reason", pl.Series(unheard, dtype=pl.String)),
        rule=pl.lit(_said(rule, family)),
        **{
            f"{one}_verdict": _silenced(_own(known, one, margin, rule, family), mine, TILTED)
            for one, mine in zip(("old", "new"), both, strict=True)
        },
    )
    return found.with_columns(_needed(found, rule.level / family))


def _unheard(old: str | None, new: str | None) -> str | None:
    """Which version gives no signal, and why."""
    if old and new:
        return f"neither version gives a signal: {new}"
    if not (old or new):
        return None
    return f"the {'new' if new else 'old'} version gives no signal: {new or old}"


def _silenced(verdicts: Sequence[str], why: Silent, but: str) -> pl.Series:
    """The verdicts, with no signal in place of all that rest on one."""
    said = [
        NO_SIGNAL if reason and verdict not in (but, NOT_ESTIMABLE) else verdict
        for verdict, reason in zip(verdicts, why, strict=True)
    ]
    return pl.Series(said, dtype=pl.String)


def _reason() -> pl.Expr:
    """Why there can be no verdict; null where there can."""
    return (
        pl.when(pl.col("unit") != "scale")
        .then(pl.lit(NO_SCALE))
        .when(pl.col("n") == 0)
        .then(pl.lit(NO_PAIRS))
        .when(pl.col("change_se").is_null() | pl.col("total_se").is_null())
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
    tilted, even = (_corrected(test(*taken, margin), rule, family) for test in (p_beyond, p_within))
    return [str(one) for one in verdicts(tilted, even, rule.level)]


def _said(rule: Rule, family: int) -> str:
    many = "1 comparison" if family == 1 else f"{family:,} comparisons"
    return (
        "t-tests of the change over people, templates and words as crossed samples: same by two "
        "one-sided tests within the margin, better or worse where both the change and the sum of "
        f"the tilts differ from 0; level {rule.level:g} after {SPOKEN[rule.correction]} correction "
        f"for {many}"
    )


def _needed(found: pl.DataFrame, level: float) -> list[pl.Series]:
    """How many people, or templates, would decide what is undecided, if the change is as seen."""
    change, total = _column(found, "change"), _column(found, "total")
    margin, none = _column(found, "margin"), np.zeros(found.height)
    inside = np.abs(change) < margin
    # Both the change and the tilts' sum must differ from 0; the one closer to it is harder to show,
    # unless the change is shown already.
    by_sum = (np.abs(total) < np.abs(change)) | (
        found["undecided_because"].eq_missing(WHICH_LARGER).to_numpy()
    )
    open_ = (found["verdict"] == UNDECIDED).to_numpy()
    numbers = np.full((2, found.height), np.nan)
    cases = (
        (inside, "change", change, margin, level),
        (~inside & ~by_sum, "change", change, none, level / 2),
        (~inside & by_sum, "total", total, none, level / 2),
    )
    for mine, kind, value, bound, at in cases:
        rows = np.flatnonzero(mine & open_)
        if rows.size:
            part = found[rows.tolist()]
            people, templates = part["people"].to_numpy(), part["templates"].to_numpy()
            numbers[:, rows] = units_needed(
                value[rows],
                _uncertainty(part, kind),
                people,
                templates,
                bound[rows],
                at,
                float(thresholds()["power"]),
            )
    names = ("needed_people", "needed_templates")
    return [
        pl.Series(name, row, dtype=pl.Float64).fill_nan(None).cast(pl.Int64)
        for name, row in zip(names, numbers, strict=True)
    ]


def _uncertainty(part: pl.DataFrame, kind: str) -> Uncertainty:
    """What the error of a change, or of the tilts' sum, is made of."""
    errors = np.stack([_column(part, f"{kind}_se_{one}") for one in SOURCES], axis=1)
    free = np.stack(
        [_column(part, f"{kind}_df_{one}") for one in SOURCES[:3]] + [np.full(part.height, np.nan)],
        axis=1,
    )
    return uncertainty(_column(part, f"{kind}_se"), errors, free)
