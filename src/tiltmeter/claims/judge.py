"""From estimates to findings: which differences may be claimed, after correction.

The family is every comparison made on a subset: systems × tasks × corpora × axes × contrasts that
have a pair there. Controls and systems without a signal are no part of it. The subset `all` is the
main one; every other is a family of its own and exploratory (METHODS §2).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtrit

from tiltmeter.claims.power import people_needed
from tiltmeter.claims.signal import Exclusions
from tiltmeter.claims.verdict import Margins, p_decides, thresholds, verdicts
from tiltmeter.errors import ArgumentError, TiltmeterError, UnknownNameError
from tiltmeter.schemas import ESTIMATES, Significance, Verdict
from tiltmeter.stats.multiplicity import benjamini_hochberg, bonferroni, holm

Array = NDArray[np.float64]


def levels(p: Array, family: int, correction: str, level: float) -> Array:
    """The level of the interval that goes with each decision: it decides as the correction does.

    Bonferroni: level/m. Holm: the i-th smallest that is decided level/(m − i + 1), all others as
    the first that is not. Benjamini & Hochberg: level·R/m for all where R are decided (the false
    coverage rate of Benjamini & Yekutieli 2005).

    >>> levels(np.array([0.001, 0.02, 0.5]), 3, "holm", 0.06)
    array([0.02, 0.03, 0.06])
    """
    known = ~np.isnan(p)
    found = np.full(p.shape, level / family)
    adjusted = CORRECTIONS[correction](p[known], family)
    decided = int((adjusted < level).sum())
    if correction == "bh":
        found[known] = level * min(max(decided, 1), family) / family
    elif correction == "holm":
        place = np.argsort(np.argsort(p[known], kind="stable"), kind="stable")
        found[known] = level / np.maximum(family - np.minimum(place, decided), 1)
    return found


CORRECTIONS = {
    "bonferroni": bonferroni,
    "holm": holm,
    "bh": benjamini_hochberg,
}
"""What a rule may correct by; it always corrects."""
SPOKEN = {"bonferroni": "Bonferroni", "holm": "Holm", "bh": "Benjamini–Hochberg"}


ALL = "all"
MEASURE = "mean_difference"
TESTS = {
    MEASURE: "paired t-test, two-sided",
    "tilt": "t-test with errors over people, and over words within emotions, two-sided",
    "marginal_effect": "Beta regression, t-test with errors over names and templates, two-sided",
    "marginal_effect_mixed": "linear mixed model of the logit, t-test, two-sided",
    "marginal_effect_naive": "Beta regression, Wald test as if sentences were independent",
    "least_squares": "least squares, t-test as if sentences were independent, two-sided",
}
"""What each measure that findings are made of was tested by."""
KEYS = ESTIMATES.key
"""What an ID is made of. The reference too: `a-b-c` may be a minus b-c, or a-b minus c."""
POWER = 0.8
"""With which a detectable difference would have been detected."""
DIGITS = 16
"""Hexadecimal digits of a finding's ID."""


BESIDES = ", of which this is none: a control, or without a signal"

LARGEST = 2**63 - 1
"""Comparisons in a family: a table holds no larger number."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How differences are judged."""

    correction: str = "bonferroni"
    level: float = 0.05
    family: int | None = None
    """How many comparisons to correct for; None: as many as were made on the subset."""

    def __post_init__(self) -> None:
        """Refuse what no rule can be."""
        if self.correction not in CORRECTIONS:
            raise UnknownNameError("correction", self.correction, CORRECTIONS)
        whole = isinstance(self.family, int) and not isinstance(self.family, bool)
        if self.family is not None and not (whole and 1 <= self.family <= LARGEST):
            raise ArgumentError("family", f"needs at least 1 comparison; found {self.family}")
        if not 0 < self.level < 1:
            raise TiltmeterError(f"the level lies between 0 and 1, as in 0.05; found {self.level}")

    def text(self, made: int, measure: str = MEASURE, *, exploratory: bool = False) -> str:
        """The rule in words, as a finding cites it; `made` is how many comparisons there were.

        >>> Rule(family=438).text(2)
        'paired t-test, two-sided, level 0.05 after Bonferroni correction for 438 comparisons, a \
number given by the user (2 were made)'
        """
        family = self.family or made
        many = "1 comparison" if family == 1 else f"{family:,} comparisons"
        were = "1 was made" if made == 1 else f"{made:,} were made"
        by_hand = "" if self.family is None else f", a number given by the user ({were})"
        test = (
            f"{TESTS[measure]}, level {self.level:g} after {SPOKEN[self.correction]} "
            f"correction for {many}{by_hand}"
        )
        return f"exploratory: {test}" if exploratory else test


def judge_differences(
    estimates: pl.DataFrame,
    rule: Rule | None = None,
    measure: str = MEASURE,
    *,
    exploratory: bool = False,
    exclusions: Exclusions | None = None,
) -> pl.DataFrame:
    """Findings without their sentences: every estimate of a measure, corrected within its family.

    A paired study's subsets are a family each, and all but `all` exploratory. Regressions are one
    family, each task on the sentences that METHODS §3 gives it; on others they are `exploratory`
    too. Beside the columns of `findings` stand `reference`, `unit`, `se`, `n_dropped` and
    `detectable`: the smallest difference that would have been detected with 80 % probability.
    """
    rule, out = rule or Rule(), exclusions or Exclusions()
    tested = estimates.filter(pl.col("measure") == measure)
    if tested.is_empty() or measure != MEASURE:
        return judge_family(tested, rule, measure, exploratory, out)
    parts = tested.group_by("subset", maintain_order=True)
    return pl.concat(
        [judge_family(part, rule, measure, name != ALL, out) for (name,), part in parts]
    )


def judge_family(
    part: pl.DataFrame, rule: Rule, measure: str, exploratory: bool, exclusions: Exclusions
) -> pl.DataFrame:
    """One family's findings: every estimate corrected for how many there are.

    Those left out are corrected for as many, and do not count; where all are, they are the family.
    """
    outside = exclusions.mask(part)
    there = (part["n"] + part["n_dropped"] > 0).to_numpy()
    made = int((there & ~outside).sum()) or int(there.sum()) or 1
    family = rule.family or made
    p = part["p"].fill_null(float("nan")).to_numpy()
    adjusted = correct_p(p, rule, family, outside)
    # (t at the corrected level + t at the power) · se; null without a standard error
    se = part["se"].fill_null(float("nan")).to_numpy()
    df = part["df"].fill_null(float("inf")).to_numpy()  # none: the normal distribution
    reach = -stdtrit(df, rule.level / family / 2.0) + stdtrit(df, POWER)
    detectable = reach * np.where(se > 0, se, np.nan)
    # An ID is the same for the same comparison in every run, and safe in an address
    keys = (json.dumps(key).encode() for key in part.select(KEYS).rows())
    ids = [hashlib.sha256(key).hexdigest()[:DIGITS] for key in keys]
    corrected = pl.col("p_adjusted")
    found = part.with_columns(
        p_adjusted=pl.Series(adjusted, dtype=pl.Float64).fill_nan(None),
        family=pl.lit(family, pl.Int64),
        detectable=pl.Series(detectable, dtype=pl.Float64).fill_nan(None),
        verdict=pl.lit(None, pl.String),
        margin=pl.lit(None, pl.Float64),
        rule=pl.lit(rule.text(made, measure, exploratory=exploratory)),
    )
    if not outside.all():
        besides = pl.when(pl.Series(outside)).then(pl.lit(BESIDES)).otherwise(pl.lit(""))
        found = found.with_columns(rule=pl.col("rule") + besides)
    return found.with_columns(
        significance=pl.when(corrected.is_null()).then(pl.lit(Significance.NOT_ESTIMABLE))
        .when(corrected >= rule.level).then(pl.lit(Significance.NONE))
        .when(pl.col("value") > 0).then(pl.lit(Significance.UP))
        .otherwise(pl.lit(Significance.DOWN)),
        id=pl.Series(ids, dtype=pl.String),
    )  # fmt: skip


def correct_p(
    p: NDArray[np.float64], rule: Rule, family: int, outside: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """P-values after correction: of those left out each by itself, as Bonferroni would."""
    adjusted = np.full(p.shape, np.nan)
    alone = outside & ~outside.all()
    for these, correct in ((~alone, CORRECTIONS[rule.correction]), (alone, bonferroni)):
        known = these & ~np.isnan(p)
        adjusted[known] = correct(p[known], family)
    return adjusted


TILT, MOVED, THESE = "tilt", "moved", "tilt_these_people"
NAMES, COUPLES = "names", "couples"
KINDS = (NAMES, COUPLES)
"""Whom a claim is about, as `subset` says."""
OF_A_TILT = (
    "system", "task", "corpus", "edition", "mode", "axis", "contrast", "reference", "subset",
)  # fmt: skip
NATIVE = "native"


def judge_tilts(
    estimates: pl.DataFrame,
    rule: Rule | None = None,
    margins: Margins | None = None,
    exclusions: Exclusions | None = None,
) -> pl.DataFrame:
    """Findings of the measure `tilt` without their sentences: each with a verdict and its margin.

    All claims are one family: systems × tasks × corpora × contrasts, by names and by couples.
    `low` and `high` are of the interval that decides, at `level` (after correction). Beside the
    columns of `judge_differences` stand `df`, `level`, `p_decides` (corrected), `se_these`,
    `low_these`, `high_these` and `p_these` (these people, other sentences: a statement of its own,
    uncorrected),
    `needed_people` (with so many in all an undecided one would be decided four times in five, if
    the tilt is as seen; null where no number would do) and `reason`: why there is no verdict, or no
    signal. A system without a signal may be tilted, and is neither even nor undecided.
    """
    rule, margins, out = rule or Rule(), margins or Margins(), exclusions or Exclusions()
    part = estimates.filter(pl.col("measure") == TILT)
    found = judge_family(part, rule, TILT, False, out)
    family = int(found["family"][0]) if found.height else 1
    margin = np.array([margins.of(*row) for row in part.select("axis", "contrast").rows()])
    value, se, df = (_numbers(part, name) for name in ("value", "se", "df"))
    # Without a scale no margin can be held against a difference.
    scaleless = (part["unit"] == NATIVE).to_numpy()
    outside, no_signal = out.mask(part), out.reasons(part)
    p = np.where(scaleless, np.nan, p_decides(value, se, df, margin))
    decides = correct_p(p, rule, family, outside)
    verdict = verdicts(value, decides, margin, rule.level)
    silent = np.array([why is not None for why in no_signal], bool)
    silent &= (verdict != Verdict.TILTED) & ~scaleless & ~np.isnan(value)
    verdict = np.where(silent, Verdict.NO_SIGNAL, verdict)
    level = np.full(p.shape, rule.level / family)
    counted = ~(outside & ~outside.all())  # of those left out each by itself, as Bonferroni would
    level[counted] = levels(p[counted], family, rule.correction, rule.level)
    low, high = _interval(value, se, df, level)
    # These people, other sentences: a statement beside the verdict and no part of its family
    these = _same_claims(part, estimates, THESE)
    se_these, df_these, p_these = (_numbers(these, name) for name in ("se", "df", "p"))
    plain_level = np.full(value.shape, rule.level)
    low_these, high_these = _interval(value, se_these, df_these, plain_level)
    needed = _needed(part, estimates, verdict, margin, level)
    numbers = {
        "p_decides": decides, "margin": margin, "level": level, "low": low, "high": high,
        "needed_people": needed, "se_these": se_these, "low_these": low_these,
        "high_these": high_these, "p_these": p_these,
    }  # fmt: skip
    alike = f"level {rule.level:g}, {SPOKEN[rule.correction]}-corrected alike"
    rules = [
        f"{tested}; verdict by whether the interval lies within a margin of {bound:g} or beyond "
        f"it, {alike}"
        for tested, bound in zip(found["rule"], margin, strict=True)
    ]
    why = [
        _why_no_verdict(row) if one == Verdict.NOT_ESTIMABLE else none
        for row, one, none in zip(part.iter_rows(named=True), verdict, no_signal, strict=True)
    ]
    return found.with_columns(
        **{name: pl.Series(one, dtype=pl.Float64).fill_nan(None) for name, one in numbers.items()},
        verdict=pl.Series(verdict.tolist(), dtype=pl.String),
        rule=pl.Series(rules, dtype=pl.String),
        reason=pl.Series(why, dtype=pl.String),
    )


def people_moved(estimates: pl.DataFrame) -> pl.DataFrame:
    """The shares of people moved, a row for each submission and group, or its couples.

    The keys of an estimate, `group`, `moved`, `up`, `people`, `share`, `low` and `high`.
    """
    return estimates.filter(pl.col("measure") == MOVED).select(
        "system", "task", "corpus", "edition", "mode", "axis", "subset",
        group=pl.col("contrast"), moved=pl.col("statistic").cast(pl.Int64),
        up=pl.col("df").cast(pl.Int64), people=pl.col("n"), share=pl.col("value"),
        low=pl.col("low"), high=pl.col("high"),
    )  # fmt: skip


def _interval(value: Array, se: Array, df: Array, level: Array) -> tuple[Array, Array]:
    free = np.where(df > 0, df, np.nan)
    reach = np.where(se > 0, se * -stdtrit(free, level / 2.0), se)
    return value - reach, value + reach


def _why_no_verdict(row: dict[str, object]) -> str:
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
    part: pl.DataFrame,
    estimates: pl.DataFrame,
    verdict: NDArray[np.str_],
    margin: Array,
    level: Array,
) -> Array:
    """How many people in all would decide what is undecided; NaN elsewhere."""
    found = np.full(part.height, np.nan)
    open_ = np.flatnonzero(verdict == Verdict.UNDECIDED)
    if not open_.size:
        return found
    some = part[open_]
    people, ground = (
        _numbers(_same_claims(some, estimates, f"{TILT}_{name}"), "value")
        for name in ("people", "floor")
    )
    found[open_] = people_needed(
        _numbers(some, "value"), _numbers(some, "se"), people, ground, _numbers(some, "df"),
        _numbers(some, "n"), margin[open_], level[open_], float(thresholds()["power"]),
    )  # fmt: skip
    return found


def _same_claims(some: pl.DataFrame, estimates: pl.DataFrame, measure: str) -> pl.DataFrame:
    """What another measure says of the same comparisons."""
    mine = estimates.filter(pl.col("measure") == measure)
    return some.select(OF_A_TILT).join(
        mine.select(*OF_A_TILT, "value", "se", "df", "p", "n"), on=OF_A_TILT, how="left",
        maintain_order="left",
    )  # fmt: skip


def _numbers(frame: pl.DataFrame, name: str) -> Array:
    return frame[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
