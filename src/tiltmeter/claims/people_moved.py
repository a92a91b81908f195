"""The share of people moved beside a limit: even, tilted or undecided."""

from __future__ import annotations

import math
from collections.abc import Callable

import polars as pl
from scipy.special import betaincinv

from tiltmeter.claims.gate import Gate
from tiltmeter.claims.judge import people_moved
from tiltmeter.claims.signal import SUBMISSION, Exclusions
from tiltmeter.claims.verdict import Margins
from tiltmeter.schemas import Verdict

TAIL = 0.05
"""What lies outside of the exact interval."""
MOST = 1e9
"""People beyond which no number would decide."""
STEPS = 60
"""Halvings of a search."""


def judge_people_moved(
    estimates: pl.DataFrame, gate: Gate, margins: Margins, exclusions: Exclusions | None = None
) -> pl.DataFrame:
    """The shares of people moved that a gate limits, each with its verdict.

    Beside the columns of `people_moved` stand `limit`, `margin` (from where on somebody is moved),
    `verdict`, `needed_people` and `reason`. A system without a signal may be tilted, and is neither
    even nor undecided.
    """
    found = people_moved(estimates)
    limits = [gate.moved_limit(axis) for axis in found["axis"]]
    found = found.with_columns(
        limit=pl.Series([None if one is None else one.share for one in limits], dtype=pl.Float64),
        margin=pl.Series([margins.of(axis) for axis in found["axis"]], dtype=pl.Float64),
    ).filter(pl.col("limit").is_not_null(), pl.col("people") > 0)
    silent = (exclusions or Exclusions()).reasons(found.select(SUBMISSION))
    rows = list(found.iter_rows(named=True))
    verdicts = [moved_verdict(row["low"], row["high"], row["limit"]) for row in rows]
    needed = [
        people_for_share(row["share"], row["low"], row["high"], row["people"], row["limit"])
        if one == Verdict.UNDECIDED
        else None
        for row, one in zip(rows, verdicts, strict=True)
    ]
    heard = [
        Verdict.NO_SIGNAL if why and one != Verdict.TILTED else one
        for one, why in zip(verdicts, silent, strict=True)
    ]
    return found.with_columns(
        verdict=pl.Series(heard, dtype=pl.String),
        needed_people=pl.Series(needed, dtype=pl.Float64),
        reason=pl.Series(silent, dtype=pl.String),
    )


def moved_verdict(low: float, high: float, limit: float) -> Verdict:
    """What the exact interval of a share says of a limit.

    >>> moved_verdict(0.0, 0.05, 0.05), moved_verdict(0.06, 0.2, 0.05), moved_verdict(0, 0.07, 0.05)
    ('even', 'tilted', 'undecided')
    """
    if high <= limit:
        return Verdict.EVEN
    return Verdict.TILTED if low > limit else Verdict.UNDECIDED


def people_for_share(
    share: float, low: float, high: float, people: int, limit: float
) -> float | None:
    """How many people in all would decide it, if the share stays as seen; None: no number would.

    The interval in hand is as wide as one of n₀ people alike would be; so many times as many people
    are needed as n₀ has to grow until the interval lies on one side of the limit.

    None of 20 moved, at most 5 % may be: 1 − 0.05^(1/n) ≤ 0.05 from n = 59 on (58.4).

    >>> people_for_share(0.0, 0.0, 1 - 0.05 ** (1 / 20), 20, 0.05)
    59.0
    """
    if share == limit or high <= low:
        return None
    width = high - low

    def as_narrow(n: float) -> bool:
        start, end = _interval(share, n)
        return end - start <= width

    def decides(n: float) -> bool:
        start, end = _interval(share, n)
        return end <= limit or start > limit

    now, needed = _smallest(as_narrow), _smallest(decides)
    if now is None or needed is None:
        return None
    return float(math.ceil(people * needed / now - 1e-6))


def _interval(share: float, n: float) -> tuple[float, float]:
    """Clopper and Pearson's; one-sided where nobody or everybody is moved."""
    marked = share * n
    if share <= 0:
        return 0.0, 1.0 - TAIL ** (1.0 / n)
    if share >= 1:
        return TAIL ** (1.0 / n), 1.0
    low = float(betaincinv(marked, n - marked + 1.0, TAIL / 2.0))
    return low, float(betaincinv(marked + 1.0, n - marked, 1.0 - TAIL / 2.0))


def _smallest(enough: Callable[[float], bool]) -> float | None:
    """The smallest number of people, by halving a range of sizes; None where none is enough."""
    low, high = math.log(0.5), math.log(MOST)
    if not enough(MOST):
        return None
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (low, middle) if enough(math.exp(middle)) else (middle, high)
    return math.exp(high)
