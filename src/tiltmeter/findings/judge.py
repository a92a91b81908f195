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

from tiltmeter.errors import TiltmeterError, UnknownNameError
from tiltmeter.findings.multiplicity import CORRECTIONS, SPOKEN, bonferroni
from tiltmeter.findings.signal import Apart
from tiltmeter.schemas import ESTIMATES

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


def _is_family(given: object) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= LARGEST


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
        if self.family is not None and not _is_family(self.family):
            raise TiltmeterError(f"--family needs at least 1 comparison; found {self.family}")
        if not 0 < self.level < 1:
            raise TiltmeterError(f"the level lies between 0 and 1, as in 0.05; found {self.level}")

    def said(self, made: int, measure: str = MEASURE, *, exploratory: bool = False) -> str:
        """The rule in words, as a finding cites it; `made` is how many comparisons there were.

        >>> Rule(family=438).said(2)
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


def judged(
    estimates: pl.DataFrame,
    rule: Rule | None = None,
    measure: str = MEASURE,
    *,
    exploratory: bool = False,
    apart: Apart | None = None,
) -> pl.DataFrame:
    """Findings without their sentences: every estimate of a measure, corrected within its family.

    A paired study's subsets are a family each, and all but `all` exploratory. Regressions are one
    family, each task on the sentences that METHODS §3 gives it; on others they are `exploratory`
    too. Beside the columns of `findings` stand `reference`, `unit`, `se`, `n_dropped` and
    `detectable`: the smallest difference that would have been detected with 80 % probability.
    """
    rule, beside = rule or Rule(), apart or Apart()
    tested = estimates.filter(pl.col("measure") == measure)
    if tested.is_empty() or measure != MEASURE:
        return in_family(tested, rule, measure, exploratory, beside)
    parts = tested.group_by("subset", maintain_order=True)
    return pl.concat(
        [in_family(part, rule, measure, name != ALL, beside) for (name,), part in parts]
    )


def in_family(
    part: pl.DataFrame, rule: Rule, measure: str, exploratory: bool, apart: Apart
) -> pl.DataFrame:
    """One family's findings: every estimate corrected for how many there are.

    Those apart are corrected for as many, and do not count; where all are, they are the family.
    """
    aside = apart.among(part)
    there = (part["n"] + part["n_dropped"] > 0).to_numpy()
    made = int((there & ~aside).sum()) or int(there.sum()) or 1
    family = rule.family or made
    p = part["p"].fill_null(float("nan")).to_numpy()
    adjusted = corrected(p, rule, family, aside)
    found = part.with_columns(
        p_adjusted=pl.Series(adjusted, dtype=pl.Float64).fill_nan(None),
        family=pl.lit(family, pl.Int64),
        detectable=_detectable(part, rule.level / family),
        verdict=pl.lit(None, pl.String),
        margin=pl.lit(None, pl.Float64),
        rule=pl.lit(rule.said(made, measure, exploratory=exploratory)),
    )
    if not aside.all():
        besides = pl.when(pl.Series(aside)).then(pl.lit(BESIDES)).otherwise(pl.lit(""))
        found = found.with_columns(rule=pl.col("rule") + besides)
    return found.with_columns(significance=_significance(rule.level), id=_ids(part))


def corrected(
    p: NDArray[np.float64], rule: Rule, family: int, aside: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """P-values after correction: of those apart each by itself, as Bonferroni would."""
    adjusted = np.full(p.shape, np.nan)
    alone = aside & ~aside.all()
    for these, correct in ((~alone, CORRECTIONS[rule.correction]), (alone, bonferroni)):
        known = these & ~np.isnan(p)
        adjusted[known] = correct(p[known], family)
    return adjusted


def _significance(level: float) -> pl.Expr:
    value, p = pl.col("value"), pl.col("p_adjusted")
    return (
        pl.when(p.is_null())
        .then(pl.lit("not_estimable"))
        .when(p >= level)
        .then(pl.lit("none"))
        .when(value > 0)
        .then(pl.lit("up"))
        .otherwise(pl.lit("down"))
    )


def _detectable(part: pl.DataFrame, level: float) -> pl.Series:
    """(t at the corrected level + t at the power) · se; null without a standard error."""
    se = part["se"].fill_null(float("nan")).to_numpy()
    df = part["df"].fill_null(float("inf")).to_numpy()  # none: the normal distribution
    seen = np.where(se > 0, se, np.nan)
    reach = (-stdtrit(df, level / 2.0) + stdtrit(df, POWER)) * seen
    return pl.Series(reach, dtype=pl.Float64).fill_nan(None)


def _ids(part: pl.DataFrame) -> pl.Series:
    """The same for the same comparison in every run, and safe in an address."""
    keys = part.select(KEYS).rows()
    made = [hashlib.sha256(json.dumps(key).encode()).hexdigest()[:DIGITS] for key in keys]
    return pl.Series(made, dtype=pl.String)
