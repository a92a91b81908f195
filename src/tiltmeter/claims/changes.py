"""What may be claimed of two versions, or of a system asked again.

**Versions.** With d = θ_new − θ_old and s = θ_new + θ_old, the new tilt is the smaller one exactly
where d and s have opposite signs, since θ_new² − θ_old² = d · s. So *better* and *worse* need both
d and s told from 0, each two-sided at the level. Where both tilts are equal in size, d or s is 0,
and so either verdict is false at most as often as the level allows: also near zero, where |·| has a
corner and the delta method would not hold. *Same* is two one-sided tests of |d| < margin. Where a
version gives no signal, only *worse* is said: a tilt that shrank with the signal is no better.

**Drift.** Two numbers are held against the margin by t-tests over texts: how far answers moved
beyond the system's own noise, and how far they moved on average, up or down. Answers have *drifted*
where either is surely larger than the margin, and are *steady* where both are surely smaller. The
second also sees what the first cannot where the baseline was asked once and the noise grew. A
system has drifted where its answers did or where its tilt changed; it is steady where neither did.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from tiltmeter.claims.judge import CORRECTIONS, SPOKEN
from tiltmeter.claims.power import people_needed
from tiltmeter.claims.verdict import Margins, p_beyond, p_decides, p_within, thresholds, verdicts
from tiltmeter.schemas import State, Verdict

if TYPE_CHECKING:
    from tiltmeter.claims.judge import Rule


Array = NDArray[np.float64]


class ChangeVerdict(State):
    """What became of a tilt between two versions."""

    SAME = "same"
    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "undecided"
    NO_SIGNAL = "no_signal"
    NOT_ESTIMABLE = "not_estimable"


class WhyUndecided(State):
    """Why a change is undecided."""

    MAY_EXCEED = "may_exceed"
    """It may be larger than the margin."""
    MOVED_MAY_EXCEED = "moved_may_exceed"
    """It is there, and may be larger than the margin."""
    MAY_BE_NONE = "may_be_none"
    MANY_LOOKS = "many_looks"
    """It is there unless many comparisons are allowed for."""
    WHICH_LARGER = "which_larger"
    """It is there, and which of the two tilts is larger is not shown."""


COVERED = 0.95
"""Of the interval of a change in size."""
CORNER = 1.5
"""An interval of the size fails where that of d does on either side, or that of s on one."""


def p_no_change(value: Array, se: Array, df: Array) -> Array:
    """Two-sided p of a t-test of 0; without a spread 1 where the value is 0, else 0.

    >>> p_no_change(np.array([0.2, 0.0, 0.1]), np.array([0.1, 0.0, 0.0]), np.full(3, 2.0)).round(4)
    array([0.1835, 1.    , 0.    ])
    """
    statistic = np.divide(value, se, out=np.zeros(np.shape(value)), where=se > 0)
    still = np.where(value == 0, 1.0, 0.0)
    found: Array = np.where(se > 0, 2.0 * stdtr(df, -np.abs(statistic)), still)
    return np.where(np.isnan(value) | np.isnan(se), np.nan, found)


def p_same_size(change: tuple[Array, Array, Array], total: tuple[Array, Array, Array]) -> Array:
    """P of a tilt of the same size: the larger of those of no change and no total.

    Each is given as value, se, df.

    >>> one = lambda value: tuple(np.array([number]) for number in (value, 0.1, 1e9))
    >>> p_same_size(one(-0.3), one(0.5)).round(4), p_same_size(one(-0.3), one(0.05)).round(2)
    (array([0.0027]), array([0.62]))
    """
    return np.maximum(p_no_change(*change), p_no_change(*total))


def size_change(old: Array, new: Array) -> Array:
    """How much larger the tilt is than before: |new| − |old|."""
    return np.abs(new) - np.abs(old)


def size_change_interval(
    change: tuple[Array, Array, Array], total: tuple[Array, Array, Array]
) -> tuple[Array, Array]:
    """An interval of |θ_new| − |θ_old| that covers it at least 95 times in 100.

    |θ_new| − |θ_old| = sign(d s) · min(|d|, |s|); the interval is every value this takes while d
    and s lie in intervals of their own, of 1 − 0.05 / 1.5 = 96.7 % each.

    >>> one = lambda value: tuple(np.array([number]) for number in (value, 0.01, 1e9))
    >>> [end.round(3) for end in size_change_interval(one(-0.1), one(0.3))]
    [array([-0.121]), array([-0.079])]
    """
    level = (1.0 - COVERED) / CORNER
    ends = []
    for value, se, df in (change, total):
        reach = np.where(se > 0, se * stdtrit(df, 1.0 - level / 2.0), 0.0)
        reach = np.where(np.isnan(se), np.nan, reach)
        ends += [value - reach, value + reach]
    d_low, d_high, s_low, s_high = ends
    corners = [
        np.sign(d * s) * np.minimum(np.abs(d), np.abs(s))
        for d in (d_low, d_high)
        for s in (s_low, s_high)
    ]
    # Within a box the extremes lie at its corners, or are 0 where one of d and s may be 0.
    crossing = (d_low <= 0) & (d_high >= 0) | (s_low <= 0) & (s_high >= 0)
    zero = np.where(crossing, 0.0, corners[0])
    every = np.stack([*corners, zero])
    return every.min(axis=0), every.max(axis=0)


def change_verdicts(p_same: Array, p_size: Array, larger: Array, level: float) -> list[str]:
    """The verdict of each comparison, from p-values after correction and |θ_new| − |θ_old|.

    >>> nan = float("nan")
    >>> p_same = np.array([0.01, 0.9, 0.9, 0.9, nan])
    >>> p_size = np.array([0.01, 0.01, 0.01, 0.2, nan])
    >>> change_verdicts(p_same, p_size, np.array([0.1, 0.1, -0.1, 0.1, nan]), 0.05)
    ['same', 'worse', 'better', 'undecided', 'not_estimable']
    """
    unknown = np.isnan(p_same) | np.isnan(p_size)
    shown = p_size < level
    names = np.select(
        [unknown, p_same < level, shown & (larger > 0), shown & (larger < 0)],
        [
            ChangeVerdict.NOT_ESTIMABLE,
            ChangeVerdict.SAME,
            ChangeVerdict.WORSE,
            ChangeVerdict.BETTER,
        ],
        ChangeVerdict.UNDECIDED,
    )
    return [str(name) for name in names]


def why_undecided(
    change: Array, margin: Array, alone: Array, corrected: Array, level: float
) -> list[str]:
    """Why each change would be undecided, from p of no change, by itself and after correction.

    Whether the tilt moved and whether that matters are two questions: a change of 4 points without
    any spread is certain, also where it is open which of the two tilts is the larger.

    >>> p = np.array([0.3, 0.001, 0.3, 0.03, 0.0])
    >>> change = np.array([0.005, 0.005, 0.04, 0.04, 0.04])
    >>> why_undecided(change, np.full(5, 0.01), p, np.minimum(1, 2 * p), 0.05)
    ['may_exceed', 'moved_may_exceed', 'may_be_none', 'many_looks', 'which_larger']
    """
    small, moved = np.abs(change) < margin, corrected < level
    names = np.select(
        [small & moved, small, moved, alone < level],
        [
            WhyUndecided.MOVED_MAY_EXCEED,
            WhyUndecided.MAY_EXCEED,
            WhyUndecided.WHICH_LARGER,
            WhyUndecided.MANY_LOOKS,
        ],
        WhyUndecided.MAY_BE_NONE,
    )
    return [str(name) for name in names]


NO_SHARED_SCALE = (
    "its scale is not known, so a margin means nothing: audit again with --scale LOW:HIGH"
)
NO_PAIRS = "no pair has a score from both versions"
NO_SAMPLE = (
    "too few people are compared to tell how much others would change: one of each group is no "
    "sample"
)


Silent = Sequence[str | None]
"""Of each change: why a version gives no signal; None where it gives one."""


def judge_changes(
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
    bounds = [margins.of(*row) for row in changes.select("axis", "contrast").rows()]
    exact = (pl.col("change") == 0) & (pl.col("change_se") == 0)  # whatever the scale
    known = changes.with_columns(
        margin=pl.Series(bounds, dtype=pl.Float64),
        reason=pl.when(pl.col("n") == 0).then(pl.lit(NO_PAIRS))
        .when(exact).then(pl.lit(None, pl.String))
        .when(pl.col("unit") != "scale").then(pl.lit(NO_SHARED_SCALE))
        .when(pl.col("change_se").is_null()).then(pl.lit(NO_SAMPLE)),
    )  # fmt: skip
    family = rule.family or max(1, known["reason"].null_count())
    margin = known["margin"].to_numpy()
    change, total = _estimates(known, "change"), _estimates(known, "total")
    p_change, p_same = p_no_change(*change), p_within(*change, margin)
    # Where nothing tells how large the tilts are together, neither is shown to be the larger.
    p_size = np.where(np.isnan(total[1]) & ~np.isnan(p_change), 1.0, p_same_size(change, total))
    low, high = size_change_interval(change, total)
    larger = size_change(_column(known, "old"), _column(known, "new"))
    moved, same, size = (_corrected(p, rule, family) for p in (p_change, p_same, p_size))
    verdict = change_verdicts(same, size, larger, rule.level)
    why = why_undecided(change[0], margin, p_change, moved, rule.level)
    numbers = {
        "size_change": larger, "size_low": low, "size_high": high, "p_change": p_change,
        "p_same": p_same, "p_size": p_size, "p_change_adjusted": moved, "p_same_adjusted": same,
        "p_size_adjusted": size,
    }  # fmt: skip
    both = silent or ([None] * known.height, [None] * known.height)
    no_signal = [
        f"neither version gives a signal: {new}" if old and new
        else f"the {'new' if new else 'old'} version gives no signal: {new or old}" if old or new
        else None
        for old, new in zip(*both, strict=True)
    ]  # fmt: skip
    version_verdicts = {}
    for version, reasons in zip(("old", "new"), both, strict=True):
        tilt = _estimates(known, version)
        decides = _corrected(p_decides(*tilt, margin), rule, family)
        alone = [str(one) for one in verdicts(tilt[0], decides, margin, rule.level)]
        tilted = (Verdict.TILTED,)
        version_verdicts[f"{version}_verdict"] = _unless_silent(alone, reasons, tilted)
    many = "1 comparison" if family == 1 else f"{family:,} comparisons"
    rule_text = (
        "t-tests of the change with errors over people, and over words within emotions: same by "
        "two one-sided tests within the margin, better or worse where both the change and the sum "
        f"of the tilts differ from 0; level {rule.level:g} after {SPOKEN[rule.correction]} "
        f"correction for {many}"
    )
    found = known.with_columns(
        **{
            name: pl.Series(values, dtype=pl.Float64).fill_nan(None)
            for name, values in numbers.items()
        },
        family=pl.lit(family, pl.Int64),
        verdict=_unless_silent(
            verdict, no_signal, (ChangeVerdict.WORSE, ChangeVerdict.NOT_ESTIMABLE)
        ),
        undecided_because=pl.Series(
            [
                one if verdict == ChangeVerdict.UNDECIDED else None
                for one, verdict in zip(why, verdict, strict=True)
            ],
            dtype=pl.String,
        ),
        reason=pl.coalesce("reason", pl.Series(no_signal, dtype=pl.String)),
        rule=pl.lit(rule_text),
        **version_verdicts,
    )
    return found.with_columns(needed_people=_needed(found, rule.level / family))


def _unless_silent(verdicts: Sequence[str], why: Silent, but: Sequence[str]) -> pl.Series:
    """The verdicts, with no signal in place of all that rest on one."""
    found = [
        ChangeVerdict.NO_SIGNAL if reason and verdict not in but else verdict
        for verdict, reason in zip(verdicts, why, strict=True)
    ]
    return pl.Series(found, dtype=pl.String)


def _estimates(known: pl.DataFrame, kind: str) -> tuple[Array, Array, Array]:
    """Value, error and degrees of freedom; NaN where there can be no verdict."""
    estimable = known["reason"].is_null().to_numpy()
    columns = (_column(known, name) for name in (kind, f"{kind}_se", f"{kind}_df"))
    value, se, df = (np.where(estimable, column, np.nan) for column in columns)
    return value, se, df


def _column(frame: pl.DataFrame, name: str) -> Array:
    return frame[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _corrected(p: Array, rule: Rule, family: int) -> Array:
    adjusted = np.full(p.shape, np.nan)
    tested = ~np.isnan(p)
    adjusted[tested] = CORRECTIONS[rule.correction](p[tested], family)
    return adjusted


def _needed(found: pl.DataFrame, level: float) -> pl.Series:
    """How many people would decide what is undecided, if the change is as seen."""
    change, total = _column(found, "change"), _column(found, "total")
    margin, none = _column(found, "margin"), np.zeros(found.height)
    inside = np.abs(change) < margin
    # Both the change and the tilts' sum must differ from 0; the one closer to it is harder to show,
    # unless the change is shown already.
    by_sum = (np.abs(total) < np.abs(change)) | (
        found["undecided_because"].eq_missing(WhyUndecided.WHICH_LARGER).to_numpy()
    )
    open_ = (found["verdict"] == ChangeVerdict.UNDECIDED).to_numpy()
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


class DriftVerdict(State):
    """What became of a system's answers since its baseline."""

    DRIFTED = "drifted"
    STEADY = "steady"
    UNDECIDED = "undecided"
    NOT_ESTIMABLE = "not_estimable"


ONCE = "each text was asked once, so that noise and drift cannot be told apart: use --repeat 2"
NO_SCALE = "the scale is not known, so a margin means nothing: say --scale LOW:HIGH"
NO_TEXTS = "fewer than two texts have an answer before and now"


@dataclass(frozen=True, slots=True)
class TextMean:
    """A mean over texts with its standard error and degrees of freedom."""

    value: float
    se: float
    df: float


@dataclass(frozen=True, slots=True)
class DriftTest:
    """What may be said of one system's answers; p-values are corrected."""

    verdict: DriftVerdict
    p_noise: float | None = None
    """Of no movement beyond noise."""
    p_drifted: float | None = None
    """Of movements within the margin: the smaller of both numbers', counted as two tests."""
    p_steady: float | None = None
    """Of a movement beyond the margin: the larger of both."""
    reason: str = ""


def drift_test(
    beyond: TextMean | None,
    shift: TextMean,
    margin: float,
    *,
    changed: int,
    level: float,
    family: int,
    on_scale: bool = True,
) -> DriftTest:
    """Judge how far answers moved, corrected for so many tests (Bonferroni).

    `beyond` is None where each text was asked once, before and now.

    >>> still = TextMean(0.001, 0.002, 99)
    >>> moved = TextMean(0.03, 0.004, 99)
    >>> print(drift_test(moved, still, 0.01, changed=80, level=0.05, family=4).verdict)
    drifted
    >>> print(drift_test(still, still, 0.01, changed=80, level=0.05, family=4).verdict)
    steady
    """
    if not on_scale:
        return DriftTest(DriftVerdict.NOT_ESTIMABLE, reason=NO_SCALE)
    if math.isnan(shift.se):
        return DriftTest(DriftVerdict.UNDECIDED, reason=NO_TEXTS)
    if beyond is None and changed:
        return DriftTest(DriftVerdict.UNDECIDED, reason=ONCE)
    means = [shift] if beyond is None else [beyond, shift]
    above = [min(1.0, family * _p_above(one, margin)) for one in means]
    within = [min(1.0, family * float(p_within(o.value, o.se, o.df, margin))) for o in means]
    noise = 1.0 if beyond is None else min(1.0, family * _p_above(beyond, 0.0))
    drifted, steady = min(above), max(within)
    verdict = DriftVerdict.STEADY if steady < level else DriftVerdict.UNDECIDED
    verdict = DriftVerdict.DRIFTED if drifted < level else verdict
    return DriftTest(verdict, noise, drifted, steady)


def _p_above(mean: TextMean, margin: float) -> float:
    """P of a size within the margin; at a margin of 0, of a mean of at most 0."""
    if margin:
        return float(p_beyond(mean.value, mean.se, mean.df, margin))
    if mean.se == 0:
        return 0.0 if mean.value > 0 else 1.0
    return float(stdtr(mean.df, -mean.value / mean.se))


def drift_verdict(
    answers: Iterable[str], changes: Iterable[str], turned: bool = False
) -> DriftVerdict:
    """What answers and tilts come to together; `turned` where a tilt moved beyond the margin.

    >>> print(drift_verdict(["steady"], ["same", "same"]), drift_verdict(["steady"], ["worse"]))
    steady drifted
    >>> print(drift_verdict(["undecided"], ["same"]))
    undecided
    """
    answers, changes = list(answers), list(changes)
    if (
        turned
        or DriftVerdict.DRIFTED in answers
        or {ChangeVerdict.BETTER, ChangeVerdict.WORSE} & set(changes)
    ):
        return DriftVerdict.DRIFTED
    alike = all(one == DriftVerdict.STEADY for one in answers) and all(
        one == ChangeVerdict.SAME for one in changes
    )
    return DriftVerdict.STEADY if alike else DriftVerdict.UNDECIDED
