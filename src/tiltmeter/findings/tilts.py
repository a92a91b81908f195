"""From tilts to findings with a verdict: corrected over the family, and what would decide."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.findings.enlarging import uncertainty
from tiltmeter.findings.judge import ALL, Rule, corrected, in_family
from tiltmeter.findings.multiplicity import SPOKEN
from tiltmeter.findings.needed import units_needed
from tiltmeter.findings.signal import Apart
from tiltmeter.findings.verdict import (
    EVEN,
    NO_SIGNAL,
    NOT_ESTIMABLE,
    UNDECIDED,
    Margins,
    p_beyond,
    p_within,
    thresholds,
    verdicts,
)

Array = NDArray[np.float64]

TILT = "tilt"
SOURCES = ("people", "templates", "words", "noise")
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
EXTRA = ("p_tilted", "p_even", "needed_people", "needed_templates", "reason")
"""What stands beside the columns of other findings."""


def judged_tilts(
    estimates: pl.DataFrame,
    rule: Rule | None = None,
    margins: Margins | None = None,
    apart: Apart | None = None,
) -> pl.DataFrame:
    """Findings of the measure `tilt` without their sentences: each with a verdict and its margin.

    Every subset is a family of its own, and all but `all` exploratory. Beside the columns of
    `judged` stand `df`, `p_tilted` and `p_even` (corrected), `needed_people` and `needed_templates`
    (with which an undecided one would be decided four times in five if the tilt is as seen; null
    where no number would do) and `reason`: why there is no verdict, or no signal.
    A system without a signal may be tilted, and is neither even nor undecided.
    """
    rule, margins, beside = rule or Rule(), margins or Margins(), apart or Apart()
    tilts = estimates.filter(pl.col("measure") == TILT)
    parts = [
        _in_family(part, estimates, rule, margins, beside, exploratory=name != ALL)
        for (name,), part in tilts.group_by("subset", maintain_order=True)
    ]
    return pl.concat(parts) if parts else _in_family(tilts, estimates, rule, margins, beside)


def _in_family(
    part: pl.DataFrame,
    estimates: pl.DataFrame,
    rule: Rule,
    margins: Margins,
    apart: Apart,
    *,
    exploratory: bool = False,
) -> pl.DataFrame:
    found = in_family(part, rule, TILT, exploratory, apart)
    family = int(found["family"][0]) if found.height else 1
    margin = np.array([margins.of(*row) for row in part.select("axis", "contrast").rows()])
    value, se, df = (_numbers(part, name) for name in ("value", "se", "df"))
    # Without a scale no margin can be held against a difference; none at all is within any.
    scaleless = (part["unit"] == NATIVE).to_numpy() & ~((value == 0) & (se == 0))
    aside, unheard = apart.among(part), apart.reasons(part)
    beyond, within = (
        corrected(np.where(scaleless, np.nan, test(value, se, df, margin)), rule, family, aside)
        for test in (p_beyond, p_within)
    )
    said = verdicts(beyond, within, rule.level)
    deaf = np.array([why is not None for why in unheard], bool)
    said = np.where(deaf & np.isin(said, (EVEN, UNDECIDED)), NO_SIGNAL, said)
    needed = _needed(part, estimates, said, margin, rule.level / family)
    numbers = {"p_tilted": beyond, "p_even": within, "margin": margin, **needed}
    rules = [_said(rule, one, m) for one, m in zip(found["rule"], margin, strict=True)]
    why = [
        _reason(row) if one == NOT_ESTIMABLE else silent
        for row, one, silent in zip(part.iter_rows(named=True), said, unheard, strict=True)
    ]
    return found.with_columns(
        **{name: pl.Series(one, dtype=pl.Float64).fill_nan(None) for name, one in numbers.items()},
        verdict=pl.Series(said.tolist(), dtype=pl.String),
        rule=pl.Series(rules, dtype=pl.String),
        reason=pl.Series(why, dtype=pl.String),
    )


def _said(rule: Rule, tested: str, margin: float) -> str:
    """How it was judged: the test of a difference, then what the verdict rests on."""
    how = f"verdict against a margin of {margin:g} by one-sided tests at level {rule.level:g}"
    return f"{tested}; {how}, {SPOKEN[rule.correction]}-corrected alike"


def _reason(row: dict[str, object]) -> str:
    """Why there is no verdict."""
    if row["unit"] == NATIVE and row["value"] is not None:
        return "no scale is known for its scores, so no margin can be held against it; give --scale"
    if not row["n"]:
        return "no pair has both scores"
    return "too few people are compared to tell how much another draw of them would change"


def _needed(
    part: pl.DataFrame, estimates: pl.DataFrame, said: NDArray[np.str_], margin: Array, level: float
) -> dict[str, Array]:
    """How many people or templates would decide what is undecided; NaN elsewhere."""
    names = ("needed_people", "needed_templates")
    found = {name: np.full(part.height, np.nan) for name in names}
    open_ = np.flatnonzero(said == UNDECIDED)
    if not open_.size:
        return found
    some = part[open_]
    sources = [_source(some, estimates, name) for name in SOURCES]
    errors, df, n = (
        np.stack([_numbers(one, name) for one in sources], axis=1) for name in ("value", "df", "n")
    )
    made = uncertainty(_numbers(some, "se"), errors, df)
    power = float(thresholds()["power"])
    counts = units_needed(
        _numbers(some, "value"), made, n[:, 0], n[:, 1], margin[open_], level, power
    )
    known = ~np.isnan(errors[:, 0])
    for name, numbers in zip(names, counts, strict=True):
        found[name][open_] = np.where(known, numbers, np.nan)
    return found


def _source(some: pl.DataFrame, estimates: pl.DataFrame, name: str) -> pl.DataFrame:
    """What one source adds to each tilt."""
    mine = estimates.filter(pl.col("measure") == f"{TILT}_{name}")
    keys = some.select(OF_A_TILT)
    return keys.join(
        mine.select(*OF_A_TILT, "value", "df", "n"), on=OF_A_TILT, how="left", maintain_order="left"
    )


def _numbers(frame: pl.DataFrame, name: str) -> Array:
    return frame[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
