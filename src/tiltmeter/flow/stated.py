"""A skill as it was stated: its tables, what determines them, and a few lines for a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from tiltmeter.corpora import Gold
from tiltmeter.measures import Bootstrap
from tiltmeter.systems import FileReport

Note = tuple[str, str]
"""Whom it is about, and what is worth knowing."""
OUTLINED = 12
"""Lines of a result at a prompt."""


@dataclass(frozen=True, slots=True)
class Skill:
    """How well systems agree with gold scores; see `measures.AGREEMENT` for the columns."""

    table: pl.DataFrame
    """All of it, a row a number."""
    how: Bootstrap
    family: int
    """How many differences of one measure the adjusted intervals are corrected for."""
    gold: Gold
    by: str | None = None
    notes: tuple[Note, ...] = ()
    ranks: pl.DataFrame | None = None
    """system, task, rank, rank_best, rank_worst, tied, of: by Pearson, and what the texts allow."""
    reports: tuple[FileReport, ...] = ()
    """What was found in each file of scores made elsewhere."""
    stored: tuple[Mapping[str, Any], ...] = ()
    """What was used of the store."""

    @property
    def overall(self) -> pl.DataFrame:
        """Over all texts."""
        return self.table.filter(pl.col("group").is_null())

    @property
    def groups(self) -> pl.DataFrame:
        """For each group."""
        return self.table.filter(pl.col("group").is_not_null() & pl.col("against").is_null())

    @property
    def differences(self) -> pl.DataFrame:
        """Between groups: `group` minus `against`."""
        return self.table.filter(pl.col("against").is_not_null())

    @property
    def facts(self) -> dict[str, Any]:
        """What determines the numbers."""
        return {
            "gold": self.gold.name,
            "files": [asdict(file) for file in self.gold.files],
            "by": self.by,
            "groups": self.groups["group"].unique(maintain_order=True).to_list(),
            "level": self.how.level,
            "resamples": self.how.resamples,
            "seed": self.how.seed,
            "family": self.family,
        }

    def __repr__(self) -> str:
        shown = self.table.filter(pl.col("measure") == "pearson")
        lines = [f"Skill on {self.gold.name}: Pearson ({self.how.sure} intervals)"]
        lines += [_outlined(row) for row in shown.head(OUTLINED).iter_rows(named=True)]
        rest = shown.height - OUTLINED
        more = [f"  … and {rest:,} more"] if rest > 0 else []
        return "\n".join([*lines, *more, "  tables: .overall .groups .differences .table"])

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.table.drop("reason")._repr_html_()


def _outlined(row: dict[str, Any]) -> str:
    whom = " − ".join(row[name] for name in ("group", "against") if row[name] is not None)
    named = ", ".join([row["system"], row["task"], *([whom] if whom else [])])
    if row["value"] is None:
        return f"  {named}: none; {row['reason']}"
    ends = "" if row["low"] is None else f" ({row['low']:.2f} to {row['high']:.2f})"
    number = f"{row['value']:.2f}{ends}".replace("-", "−")
    return f"  {named}: {number}"
