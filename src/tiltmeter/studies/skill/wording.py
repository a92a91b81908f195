"""What is said of skill: sizes, what was detected, what is missing and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from tiltmeter.report.numbers import fixed

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.studies.skill.run import Skill


Row = dict[str, Any]

NAMES = {"pearson": "Pearson", "spearman": "Spearman", "mae": "MAE", "mean_error": "error"}
IN_FULL = NAMES | {"mae": "mean absolute error", "mean_error": "mean error"}
MOST_PLACES = 5
OTHERS = "others"
"""What a group stands beside where there are more than two."""
ENOUGH = 20
"""Texts in either group below which nothing is called detected: a bootstrap of 3 texts misses 0
by chance in one of four, of 10 in one of twelve, where one of twenty is claimed."""


class ZeroInInterval(Enum):
    """How the interval of a difference stands to 0."""

    HOLDS = auto()
    FEW = auto()
    """It does not hold 0, and rests on too few texts to say."""
    ALONE = auto()
    """It does not hold 0, and is the only one."""
    UNCORRECTED = auto()
    """It cannot be corrected for the others."""
    ONCE = auto()
    """It holds 0 once corrected."""
    ALWAYS = auto()
    """It does not hold 0 even then."""


def numbers(row: Row) -> tuple[str, str, str]:
    """A number and the ends of its interval: points of 100 on a scale, real minus signs.

    >>> numbers({"value": -0.0612, "low": -0.1, "high": -0.0004, "unit": "scale"})
    ('−6.12', '−10.00', '−0.04')
    >>> numbers({"value": 0.5, "low": None, "high": None, "unit": "correlation"})
    ('0.50', '', '')
    """
    if row["value"] is None:
        return "–", "", ""
    times, places = (100.0, 1) if row["unit"] == "scale" else (1.0, 2)
    ends = [times * end for end in (row["low"], row["high"]) if end is not None]
    # An end that is not 0 should not look like it: that is what an interval is read for.
    while places < MOST_PLACES and any(end and not round(end, places) for end in ends):
        places += 1
    shown = [fixed(number, places) for number in (times * row["value"], *ends)]
    return (shown[0], shown[1], shown[2]) if ends else (shown[0], "", "")


def difference_sentences(part: pl.DataFrame, found: Skill) -> Iterator[str]:
    """What may be said of one system's differences: first where 0 is not held, then the rest."""
    held: dict[tuple[str, ...], list[Row]] = {}
    for _, rows in part.drop_nulls("against").group_by("group", "against", maintain_order=True):
        alike: dict[ZeroInInterval, list[Row]] = {}
        for row in rows.drop_nulls("low").iter_rows(named=True):
            alike.setdefault(_zero_in(row, found), []).append(row)
        quiet = alike.pop(ZeroInInterval.HOLDS, [])
        if quiet:
            held.setdefault(tuple(IN_FULL[row["measure"]] for row in quiet), []).append(quiet[0])
        for state, some in alike.items():
            sizes = listed([_size(row) for row in some])
            yield f"{_beside(some[:1])}: {sizes}; {_verdict(state, found, some)}"
    for measures, groups in held.items():
        several = len(measures) * len(groups) > 1
        what = "the intervals hold 0" if several else "the interval holds 0"
        yield f"{_beside(groups)}: {listed(measures)}; {what}: no difference detected."


def _zero_in(row: Row, found: Skill) -> ZeroInInterval:
    if row["low"] <= 0 <= row["high"]:
        return ZeroInInterval.HOLDS
    if min(row["n"], row["n_against"]) < ENOUGH:
        return ZeroInInterval.FEW
    if found.family == 1:
        return ZeroInInterval.ALONE
    if row["low_adjusted"] is None:
        return ZeroInInterval.UNCORRECTED
    once = row["low_adjusted"] <= 0 <= row["high_adjusted"]
    return ZeroInInterval.ONCE if once else ZeroInInterval.ALWAYS


def _verdict(state: ZeroInInterval, found: Skill, rows: Sequence[Row]) -> str:
    """What follows for differences whose intervals do not hold 0."""
    does, are = ("the interval does", "is") if len(rows) == 1 else ("the intervals do", "are")
    holds = "the interval holds" if len(rows) == 1 else "the intervals hold"
    few = min(min(row["n"], row["n_against"]) for row in rows)
    many = f"corrected for {found.family:,} differences"
    need = f"--resamples {found.how.resamples_for(found.family)} would allow it"
    return {
        ZeroInInterval.FEW: f"{does} not hold 0, but {few} texts are too few to call it detected.",
        ZeroInInterval.ALONE: f"{does} not hold 0: difference detected.",
        ZeroInInterval.UNCORRECTED: f"{does} not hold 0, but {are} not {many}; {need}.",
        ZeroInInterval.ONCE: f"{holds} 0 once {many}: no difference detected.",
        ZeroInInterval.ALWAYS: f"{does} not hold 0, also {many}: difference detected.",
    }[state]


def _beside(rows: Sequence[Row]) -> str:
    other = rows[0]["against"]
    named = f"the {OTHERS}" if other == OTHERS else str(other)
    return f"{listed([row['group'] for row in rows])} beside {named}"


def _size(row: Row) -> str:
    """One difference in words: its size without a sign, and which way it goes."""
    size, _, _ = numbers(row | {"value": abs(row["value"])})
    unit = " points" if row["unit"] == "scale" else ""
    return f"{IN_FULL[row['measure']]} {size}{unit} {'higher' if row['value'] > 0 else 'lower'}"


def listed(names: Sequence[str]) -> str:
    """Names in a row.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def notes(found: Skill) -> Iterator[tuple[str, str]]:
    """Why numbers are missing, once for all measures it holds for, then what else is worth it."""
    told = set()
    for frame, where in ((found.overall, ()), (found.groups, ("group",))):
        named = ("system", *where, "reason")
        for keys, rows in frame.drop_nulls("reason").group_by(*named, maintain_order=True):
            *whom, reason = (str(key) for key in keys)
            if (whom[0], reason) not in told:
                told.add((whom[0], reason))
                yield ", ".join(whom), f"{_measures(rows, found.by is not None)}{reason}"
    yield from found.notes


def _measures(rows: pl.DataFrame, grouped: bool) -> str:
    """The measures a reason is about, of those shown; none where it is about all."""
    found = rows["measure"].unique(maintain_order=True).to_list()
    if len(found) == len(NAMES):
        return "no skill: "
    shown = [name for name in found if grouped or name != "mean_error"] or found
    return f"{listed([NAMES[name] for name in shown])}: "
