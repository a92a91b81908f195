"""Skill beside a change of tilt: how well either version agreed with gold scores.

An audit keeps correlations and not the answers to gold texts, so their difference is not paired.
Its interval is the widest that the two allow, [low_new − high_old, high_new − low_old]: that of
Zou (2007) from Fisher's two intervals, for versions whose errors were exactly opposite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from tiltmeter.flow.audit_folder import AuditFolder
from tiltmeter.measures import GOLD, VersionPair

SKILL = pl.Schema(
    dict.fromkeys(("old_system", "new_system", "task", "gold"), pl.String())
    | {f"{one}{part}": pl.Float64() for one in ("old", "new") for part in ("", "_low", "_high")}
    | {"old_n": pl.Int64(), "new_n": pl.Int64()}
    | dict.fromkeys(("difference", "low", "high"), pl.Float64())
    | {"note": pl.String()}
)
METRIC = "pearson"


def skill_of_versions(
    old: AuditFolder, new: AuditFolder, pairs: Sequence[VersionPair]
) -> pl.DataFrame:
    """Pearson's r of either version where an audit has it, and the difference where both do."""
    alike = _gold(old) == _gold(new)
    rows = [row for pair in pairs for row in _row(old, new, pair, alike)]
    return pl.DataFrame(rows, SKILL, orient="row")


def _row(
    old: AuditFolder, new: AuditFolder, pair: VersionPair, alike: bool
) -> Iterator[dict[str, Any]]:
    before, after = _known(old, pair.old, pair.task), _known(new, pair.new, pair.task)
    if before is None and after is None:
        return
    known: dict[str, Any] = {}
    for name, one in (("old", before), ("new", after)):
        known |= {} if one is None else {
            name: one["value"], f"{name}_low": one["low"], f"{name}_high": one["high"],
            f"{name}_n": one["n"],
        }  # fmt: skip
    gold = (after or before or {})["corpus"]
    row = dict.fromkeys(SKILL) | known
    row |= {"old_system": pair.old, "new_system": pair.new, "task": pair.task, "gold": gold}
    yield row | _difference(row, alike)


def _difference(row: dict[str, Any], alike: bool) -> dict[str, Any]:
    if row["old"] is None or row["new"] is None:
        which = "old" if row["old"] is None else "new"
        return {"note": f"the {which} audit has no skill"}
    if not alike:
        return {"note": "the audits used other gold scores, so the two do not compare"}
    told = {"difference": row["new"] - row["old"]}
    ends = [row[name] for name in ("new_low", "old_high", "new_high", "old_low")]
    if None not in ends:
        told |= {"low": ends[0] - ends[1], "high": ends[2] - ends[3]}
    return told


def _known(audit: AuditFolder, system: str, task: str) -> dict[str, Any] | None:
    own = audit.estimates.filter(
        pl.col("system") == system, pl.col("task") == task, pl.col("subset") == GOLD,
        pl.col("measure") == METRIC, pl.col("value").is_not_null(),
    )  # fmt: skip
    return own.row(0, named=True) if own.height else None


def _gold(audit: AuditFolder) -> object:
    """What tells the gold of one audit from another's: the files' digests."""
    gold = audit.run.gold
    return sorted(str(one.get("sha256")) for one in gold.files) if gold else None
