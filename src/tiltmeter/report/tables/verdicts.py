"""Every claim as one wide table: its verdict, its interval, whom it moves, what its error is of."""

from __future__ import annotations

from typing import Any

import polars as pl

from tiltmeter.report.advice import next_step
from tiltmeter.report.material import Material
from tiltmeter.report.moved_people import moved_of, moved_shares
from tiltmeter.report.tables.differences import KEYS

SOURCES = ("people", "floor", "words", "noise")
OTHER_WAYS = {"tilt_by_names": "each_name_alike", "tilt_matched": "equally_common"}
SIDES = ("first", "second")
BESIDE = {
    name: dtype
    for side in SIDES
    for name, dtype in {
        f"moved_{side}": pl.Int64, f"people_{side}": pl.Int64, f"share_moved_{side}": pl.Float64,
        f"share_moved_{side}_low": pl.Float64, f"share_moved_{side}_high": pl.Float64,
    }.items()
} | {"next": pl.String}  # fmt: skip
"""What stands beside each claim, and its type."""


def verdict_table(material: Material) -> pl.DataFrame | None:
    """A row a submission and claim; None where nothing was held to a margin.

    `moved_first` is of the first group or of the couples, `moved_second` of the second group.
    """
    if material.tilts is None or material.tilts.is_empty():
        return None
    measure = pl.col("measure")
    behind = (
        material.estimates.filter(measure.str.starts_with("tilt_"))
        .group_by(KEYS)
        .agg(
            **{f"se_{name}": _of(f"tilt_{name}", "value") for name in SOURCES},
            templates=_of("tilt_these_people", "n"),
            words=_of("tilt_words", "n"),
            **{
                f"{name}{end}": _of(one, column)
                for one, name in OTHER_WAYS.items()
                for column, end in (("value", ""), ("low", "_low"), ("high", "_high"))
            },
        )
    )
    wide = material.tilts.join(behind, on=KEYS, how="left", maintain_order="left")
    beside = pl.DataFrame(_beside(material), schema=BESIDE)
    others = [f"{name}{end}" for name in OTHER_WAYS.values() for end in ("", "_low", "_high")]
    return pl.concat([wide, beside], how="horizontal").select(
        *KEYS, "verdict", "margin", pl.col("value").alias("difference"), "unit",
        "se", "df", "level", "low", "high", "p", "p_decides", "se_these", "low_these",
        "high_these", "p_these", *beside.columns[:-1], *(f"se_{name}" for name in SOURCES),
        "templates", "words", *others, "needed_people", "n", "n_dropped", "reason", "next",
    )  # fmt: skip


def _beside(material: Material) -> list[dict[str, Any]]:
    """For each claim: people moved of either side, and the command that would decide it."""
    shares = moved_shares(material.estimates)
    found = []
    for claim in material.tilts.iter_rows(named=True) if material.tilts is not None else ():
        row: dict[str, Any] = {}
        sides = [*moved_of(claim, shares), None, None][: len(SIDES)]
        for side, one in zip(SIDES, sides, strict=True):
            row |= {
                f"moved_{side}": one.moved if one else None,
                f"people_{side}": one.people if one else None,
                f"share_moved_{side}": one.share if one else None,
                f"share_moved_{side}_low": one.low if one else None,
                f"share_moved_{side}_high": one.high if one else None,
            }
        step = next_step(claim, material.run)
        row["next"] = step.said([claim["system"]]) if step else None
        found.append(row)
    return found


def _of(measure: str, column: str) -> pl.Expr:
    return pl.col(column).filter(pl.col("measure") == measure).first()
