"""Findings and estimates recomputed beside those stored: the same, or where they differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from tiltmeter.errors import Problem, ProblemsError
from tiltmeter.schemas import ESTIMATES

NEAR = 1e-9
"""Numbers are the same within this part of them, or of 1: findings have ten digits, and another
processor may differ in the last."""
WORDED = ("sentence", "rule")
"""How a finding is said, which another version may say otherwise."""
KEY = list(ESTIMATES.key)
NUMBERS = tuple(name for name, column in ESTIMATES.columns.items() if column.dtype == "Float64")
Row = Mapping[str, Any]


def agreed_findings(stored: Sequence[Row], found: Sequence[Row], *, same: bool) -> str:
    """Say how well findings agree; raise with every one that does not.

    `same`: the versions here are those of the audit, so that words have to be the same too.
    """
    ours, theirs = ({row["id"]: row for row in rows} for rows in (found, stored))
    problems = [*_unmatched(ours, theirs), *_altered(ours, theirs, same=same)]
    if len(theirs) != len(stored):
        problems.append(Problem("findings.json", "a finding stands there twice"))
    if problems:
        raise ProblemsError("the findings are not those that the answers give", problems)
    return _told(stored, ours)


def _told(stored: Sequence[Row], ours: Mapping[str, Row]) -> str:
    many = f"{len(stored):,} recomputed from the answers"
    otherwise = sum(any(row[name] != ours[row["id"]][name] for name in WORDED) for row in stored)
    digits = sum(row != ours[row["id"]] for row in stored)
    said = [f"{otherwise:,} are worded otherwise by this version"] if otherwise else []
    said += [f"{digits - otherwise:,} differ in their last digits"] if digits > otherwise else []
    verdicts = "every verdict is the same, and every number within 1e-9"
    return f"{many}: {'; '.join([verdicts, *said])}" if said else f"{many}: the same to the byte"


def _unmatched(ours: Mapping[str, Row], theirs: Mapping[str, Row]) -> Iterator[Problem]:
    for name, row in theirs.items():
        if name not in ours:
            yield Problem(_named(row), "is stored, and does not follow from the answers")
    for name, row in ours.items():
        if name not in theirs:
            yield Problem(_named(row), "follows from the answers, and is not stored")


def _altered(
    ours: Mapping[str, Row], theirs: Mapping[str, Row], *, same: bool
) -> Iterator[Problem]:
    for name, row in theirs.items():
        mine = ours.get(name)
        for column in dict.fromkeys((*row, *mine)) if mine else ():
            loose = column in WORDED and not same
            there, here = row.get(column), mine.get(column) if mine else None
            if not loose and not _alike(there, here):
                told = f"{column} is {_shown(there)} there; the answers give {_shown(here)}"
                yield Problem(_named(row), told)


def _alike(one: object, other: object) -> bool:
    """Whether two values are the same, numbers within 1e-9, also in lists and tables."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=NEAR, abs_tol=NEAR)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[name], other[name]) for name in one)
    return one == other


def _named(row: Row) -> str:
    """Which finding it is, for a message."""
    known = ("system", "task", "corpus", "axis", "contrast", "subset", "measure")
    return f"finding {row.get('id')} ({', '.join(str(row.get(name)) for name in known)})"


def _shown(value: object) -> str:
    shown = repr(value) if isinstance(value, str) else str(value)
    return shown if len(shown) <= 160 else f"{shown[:160]}…"


def agreed_estimates(stored: pl.DataFrame, found: pl.DataFrame) -> str:
    """Say that the estimates of every measure recomputed agree; raise where some do not."""
    mine = stored.filter(pl.col("measure").is_in(found["measure"].unique().to_list()))
    both = mine.join(found, on=KEY, how="full", suffix="_here", nulls_equal=True)
    alone = both.filter(pl.col("n").is_null() | pl.col("n_here").is_null())
    off = both.filter(pl.any_horizontal(_far(name) for name in NUMBERS) | _other("n", "n_dropped"))
    problems = [_estimate(row) for row in pl.concat([alone, off]).head(50).to_dicts()]
    if problems:
        raise ProblemsError("estimates.parquet is not what the answers give", problems)
    return f"{mine.height:,} numbers recomputed from the answers: the same within 1e-9"


def _far(name: str) -> pl.Expr:
    one, other = pl.col(name), pl.col(f"{name}_here")
    reach = NEAR * pl.max_horizontal(pl.lit(1.0), one.abs(), other.abs())
    return (one.is_null() != other.is_null()) | ((one - other).abs() > reach).fill_null(False)


def _other(*names: str) -> pl.Expr:
    return pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_here")) for name in names)


def _estimate(row: Row) -> Problem:
    named = ", ".join(str(row[name] or row[f"{name}_here"]) for name in KEY)
    there, here = (
        {name: row[f"{name}{end}"] for name in ("value", "se", "p", "n")} for end in ("", "_here")
    )
    return Problem(named, f"{there} there; the answers give {here}")
