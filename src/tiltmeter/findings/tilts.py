"""From claims to findings with a verdict: corrected over the family, with the one interval."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtrit

from tiltmeter.findings.judge import Rule, corrected, in_family
from tiltmeter.findings.multiplicity import SPOKEN, levels
from tiltmeter.findings.power import people_needed
from tiltmeter.findings.signal import Apart
from tiltmeter.findings.verdict import (
    NO_SIGNAL,
    NOT_ESTIMABLE,
    TILTED,
    UNDECIDED,
    Margins,
    p_decides,
    thresholds,
    verdicts,
)

Array = NDArray[np.float64]

TILT, MOVED, THESE = "tilt", "moved", "tilt_these_people"
NAMES, COUPLES = "names", "couples"
KINDS = (NAMES, COUPLES)
"""Whom a claim is about, as `subset` says."""
OF_A_TILT = (
    "system",
    "task",
    "corpus",
    "edition",
    "mode",
    "axis",
    "contrast",
    "reference",
    "subset",
)
NATIVE = "native"


def judged_tilts(
    estimates: pl.DataFrame,
    rule: Rule | None = None,
    margins: Margins | None = None,
    apart: Apart | None = None,
) -> pl.DataFrame:
    """Findings of the measure `tilt` without their sentences: each with a verdict and its margin.

    All claims are one family: systems × tasks × corpora × contrasts, by names and by couples.
    `low` and `high` are of the interval that decides, at `level` (after correction). Beside the
    columns of `judged` stand `df`, `level`, `p_decides` (corrected), `se_these`, `low_these`,
    `high_these` and `p_these` (these people, other sentences: a statement of its own, uncorrected),
    `needed_people` (with so many in all an undecided one would be decided four times in five, if
    the tilt is as seen; null where no number would do) and `reason`: why there is no verdict, or no
    signal. A system without a signal may be tilted, and is neither even nor undecided.
    """
    rule, margins, beside = rule or Rule(), margins or Margins(), apart or Apart()
    part = estimates.filter(pl.col("measure") == TILT)
    found = in_family(part, rule, TILT, False, beside)
    family = int(found["family"][0]) if found.height else 1
    margin = np.array([margins.of(*row) for row in part.select("axis", "contrast").rows()])
    value, se, df = (_numbers(part, name) for name in ("value", "se", "df"))
    # Without a scale no margin can be held against a difference.
    scaleless = (part["unit"] == NATIVE).to_numpy()
    aside, unheard = beside.among(part), beside.reasons(part)
    p = np.where(scaleless, np.nan, p_decides(value, se, df, margin))
    decides = corrected(p, rule, family, aside)
    said = verdicts(value, decides, margin, rule.level)
    deaf = np.array([why is not None for why in unheard], bool)
    silent = deaf & (said != TILTED) & ~scaleless & ~np.isnan(value)
    said = np.where(silent, NO_SIGNAL, said)
    level = _levels(p, aside, rule, family)
    low, high = _interval(value, se, df, level)
    these = _these(part, estimates, rule.level)
    needed = _needed(part, estimates, said, margin, level)
    numbers = {
        "p_decides": decides, "margin": margin, "level": level, "low": low, "high": high,
        "needed_people": needed, **these,
    }  # fmt: skip
    rules = [_said(rule, one, m) for one, m in zip(found["rule"], margin, strict=True)]
    why = [
        _reason(row) if one == NOT_ESTIMABLE else quiet
        for row, one, quiet in zip(part.iter_rows(named=True), said, unheard, strict=True)
    ]
    return found.with_columns(
        **{name: pl.Series(one, dtype=pl.Float64).fill_nan(None) for name, one in numbers.items()},
        verdict=pl.Series(said.tolist(), dtype=pl.String),
        rule=pl.Series(rules, dtype=pl.String),
        reason=pl.Series(why, dtype=pl.String),
    )


def moved_among(estimates: pl.DataFrame) -> pl.DataFrame:
    """The shares of people moved, a row for each submission and group, or its couples.

    The keys of an estimate, `group`, `moved`, `up`, `people`, `share`, `low` and `high`.
    """
    return estimates.filter(pl.col("measure") == MOVED).select(
        "system", "task", "corpus", "edition", "mode", "axis", "subset",
        group=pl.col("contrast"), moved=pl.col("statistic").cast(pl.Int64),
        up=pl.col("df").cast(pl.Int64), people=pl.col("n"), share=pl.col("value"),
        low=pl.col("low"), high=pl.col("high"),
    )  # fmt: skip


def _levels(p: Array, aside: NDArray[np.bool_], rule: Rule, family: int) -> Array:
    """Of those apart each by itself, as Bonferroni would."""
    found = np.full(p.shape, rule.level / family)
    counted = ~(aside & ~aside.all())
    found[counted] = levels(p[counted], family, rule.correction, rule.level)
    return found


def _interval(value: Array, se: Array, df: Array, level: Array) -> tuple[Array, Array]:
    free = np.where(df > 0, df, np.nan)
    reach = np.where(se > 0, se * -stdtrit(free, level / 2.0), se)
    return value - reach, value + reach


def _these(part: pl.DataFrame, estimates: pl.DataFrame, level: float) -> dict[str, Array]:
    """These people, other sentences: error, interval and p-value, each by itself.

    A statement beside the verdict and no part of its family.
    """
    mine = _beside(part, estimates, THESE)
    value = _numbers(part, "value")
    se, df, p = (_numbers(mine, name) for name in ("se", "df", "p"))
    low, high = _interval(value, se, df, np.full(value.shape, level))
    return {"se_these": se, "low_these": low, "high_these": high, "p_these": p}


def _said(rule: Rule, tested: str, margin: float) -> str:
    """How it was judged: the test of a difference, then what the verdict rests on."""
    how = f"verdict by whether the interval lies within a margin of {margin:g} or beyond it"
    return f"{tested}; {how}, level {rule.level:g}, {SPOKEN[rule.correction]}-corrected alike"


def _reason(row: dict[str, object]) -> str:
    """Why there is no verdict."""
    if row["unit"] == NATIVE and row["value"] is not None:
        return "no scale is known for its scores, so no margin can be held against it; give --scale"
    if row["value"] is None:
        return "no pair has both scores"
    if not row["n"] or int(str(row["n"])) < 2:
        return "too few people are compared to tell how much another draw of them would change"
    return (
        "too few people are compared, or nothing moves its scores at all, so nothing tells what "
        "other people would change"
    )


def _needed(
    part: pl.DataFrame, estimates: pl.DataFrame, said: NDArray[np.str_], margin: Array, level: Array
) -> Array:
    """How many people in all would decide what is undecided; NaN elsewhere."""
    found = np.full(part.height, np.nan)
    open_ = np.flatnonzero(said == UNDECIDED)
    if not open_.size:
        return found
    some = part[open_]
    people, ground = (
        _numbers(_beside(some, estimates, f"{TILT}_{name}"), "value")
        for name in ("people", "floor")
    )
    found[open_] = people_needed(
        _numbers(some, "value"), _numbers(some, "se"), people, ground, _numbers(some, "df"),
        _numbers(some, "n"), margin[open_], level[open_], float(thresholds()["power"]),
    )  # fmt: skip
    return found


def _beside(some: pl.DataFrame, estimates: pl.DataFrame, measure: str) -> pl.DataFrame:
    """What another measure says of the same comparisons."""
    mine = estimates.filter(pl.col("measure") == measure)
    return some.select(OF_A_TILT).join(
        mine.select(*OF_A_TILT, "value", "se", "df", "p", "n"), on=OF_A_TILT, how="left",
        maintain_order="left",
    )  # fmt: skip


def _numbers(frame: pl.DataFrame, name: str) -> Array:
    return frame[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
