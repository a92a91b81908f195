"""Whether a system still answers as it did: drifted, steady, or undecided.

Two numbers are held against the margin by t-tests over texts: how far answers moved beyond the
system's own noise, and how far they moved on average, up or down. Answers have *drifted* where
either is surely larger than the margin, and are *steady* where both are surely smaller. The second
also sees what the first cannot where the baseline was asked once and the noise grew. A system has
drifted where its answers did or where its tilt changed; it is steady where neither did.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scipy.special import stdtr

from tiltmeter.findings.change import BETTER, NOT_ESTIMABLE, SAME, UNDECIDED, WORSE
from tiltmeter.findings.verdict import p_beyond, p_within

DRIFTED, STEADY = "drifted", "steady"
ONCE = "each text was asked once, so that noise and drift cannot be told apart: use --repeat 2"
NO_SCALE = "the scale is not known, so a margin means nothing: say --scale LOW:HIGH"
NO_TEXTS = "fewer than two texts have an answer before and now"


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over texts with its standard error and degrees of freedom."""

    value: float
    se: float
    df: float


@dataclass(frozen=True, slots=True)
class DriftTest:
    """What may be said of one system's answers; p-values are corrected."""

    verdict: str
    p_noise: float | None = None
    """Of no movement beyond noise."""
    p_drifted: float | None = None
    """Of movements within the margin: the smaller of both numbers', counted as two tests."""
    p_steady: float | None = None
    """Of a movement beyond the margin: the larger of both."""
    reason: str = ""


def drift_test(
    beyond: Mean | None,
    shift: Mean,
    margin: float,
    *,
    changed: int,
    level: float,
    family: int,
    on_scale: bool = True,
) -> DriftTest:
    """Judge how far answers moved, corrected for so many tests (Bonferroni).

    `beyond` is None where each text was asked once, before and now.

    >>> still = Mean(0.001, 0.002, 99)
    >>> drift_test(Mean(0.03, 0.004, 99), still, 0.01, changed=80, level=0.05, family=4).verdict
    'drifted'
    >>> drift_test(still, still, 0.01, changed=80, level=0.05, family=4).verdict
    'steady'
    """
    if not on_scale:
        return DriftTest(NOT_ESTIMABLE, reason=NO_SCALE)
    if math.isnan(shift.se):
        return DriftTest(UNDECIDED, reason=NO_TEXTS)
    if beyond is None and changed:
        return DriftTest(UNDECIDED, reason=ONCE)
    means = [shift] if beyond is None else [beyond, shift]
    above = [min(1.0, family * _p_above(one, margin)) for one in means]
    within = [min(1.0, family * float(p_within(o.value, o.se, o.df, margin))) for o in means]
    noise = 1.0 if beyond is None else min(1.0, family * _p_above(beyond, 0.0))
    drifted, steady = min(above), max(within)
    verdict = DRIFTED if drifted < level else STEADY if steady < level else UNDECIDED
    return DriftTest(verdict, noise, drifted, steady)


def _p_above(mean: Mean, margin: float) -> float:
    """P of a size within the margin; at a margin of 0, of a mean of at most 0."""
    if margin:
        return float(p_beyond(mean.value, mean.se, mean.df, margin))
    if mean.se == 0:
        return 0.0 if mean.value > 0 else 1.0
    return float(stdtr(mean.df, -mean.value / mean.se))


def drift_verdict(answers: Iterable[str], changes: Iterable[str], turned: bool = False) -> str:
    """What answers and tilts come to together; `turned` where a tilt moved beyond the margin.

    >>> drift_verdict(["steady"], ["same", "same"]), drift_verdict(["steady"], ["same", "worse"])
    ('steady', 'drifted')
    >>> drift_verdict(["undecided"], ["same"])
    'undecided'
    """
    answers, changes = list(answers), list(changes)
    if turned or DRIFTED in answers or {BETTER, WORSE} & set(changes):
        return DRIFTED
    alike = all(one == STEADY for one in answers) and all(one == SAME for one in changes)
    return STEADY if alike else UNDECIDED
