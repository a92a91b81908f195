"""What a model card tells of one system, from findings.json, estimates.parquet and run.json alone.

So a card is the same whether an audit has just been made, or its folder or pack is read back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.audit_run import AuditedCorpus, AuditedSystem, AuditRun
from tiltmeter.report.json_text import rounded

Row = Mapping[str, Any]
ALL, GOLD = "all", "gold"
"""The sentences of a corpus that main claims are of; labelled texts."""
TILT, PAIRED, FLIPS = "tilt", "mean_difference", "flips"
CLAIMS = ("names", "couples")
"""Whom claims are about, as their `subset` says."""
SKILL = ("pearson", "spearman")
KEY = ("task", "corpus", "axis", "contrast", "subset", "measure")
NUMBERS = ("value", "low", "high", "unit", "n", "n_dropped")


@dataclass(frozen=True, slots=True)
class Assessed:
    """One system's findings and how they came about."""

    system: str
    findings: Sequence[Row]
    """As findings.json holds them, those over all sentences alone."""
    numbers: Mapping[tuple[str, ...], Row]
    """By task, corpus, axis, contrast, subset and measure: value, low, high, unit, n, n_dropped,
    with all their digits."""
    run: AuditRun
    environment: Mapping[str, Any]

    def of(self, *measures: str) -> list[Row]:
        """The findings of some measures."""
        return [row for row in self.findings if row["measure"] in measures]

    def regressed(self) -> list[Row]:
        """The findings of regressions."""
        return [row for row in self.findings if row["measure"] not in (TILT, PAIRED)]

    def unit(self, row: Row) -> str:
        """In what a finding's value is told: scale, or native."""
        found = self.numbers.get(tuple(str(row[name]) for name in KEY), {})
        return str(found.get("unit") or "scale")

    def estimated(self, *measures: str) -> list[dict[str, Any]]:
        """The numbers of some measures over all sentences or texts, with what each is of."""
        return [
            {**dict(zip(KEY, key, strict=True)), **rounded(row)}
            for key, row in self.numbers.items()
            if key[-1] in measures and key[-2] in (ALL, GOLD)
        ]

    @property
    def corpora(self) -> list[AuditedCorpus]:
        """The corpora that the system was audited on."""
        own = {one.corpus for one in self.systems}
        return [one for one in self.run.corpora if one.name in own]

    @property
    def systems(self) -> list[AuditedSystem]:
        """What is known of the system, a row for each task and corpus."""
        return [one for one in self.run.systems if one.system == self.system]

    @property
    def version(self) -> str:
        """Tiltmeter's own."""
        return str(self.environment.get("versions", {}).get("tiltmeter", ""))


def assessed(
    findings: Iterable[Row],
    estimates: pl.DataFrame,
    run: AuditRun,
    environment: Mapping[str, Any],
) -> list[Assessed]:
    """Every system of an audit with what is known of it, in the order they were audited."""
    told = dict.fromkeys(one.system for one in run.systems)
    mine: dict[str, list[Row]] = {name: [] for name in told}
    for row in findings:
        if row["system"] in mine and _main(row):
            mine[row["system"]].append(row)
    judged = {row["measure"] for rows in mine.values() for row in rows} - {TILT, PAIRED}
    needed = estimates.filter(
        pl.col("subset").is_in([ALL, GOLD, *CLAIMS]) | pl.col("measure").is_in(list(judged))
    )  # a card tells nothing of the many other subsets
    by_system = {str(name): part for (name,), part in needed.group_by("system")}
    return [
        Assessed(
            name,
            mine[name],
            _numbers(by_system.get(name, estimates.clear())),
            run,
            environment,
        )
        for name in told
    ]


def _main(row: Row) -> bool:
    """Whether a finding is of the main claims: other subsets are exploratory."""
    return row["subset"] in (ALL, *CLAIMS) or row["measure"] not in (TILT, PAIRED)


def _numbers(estimates: pl.DataFrame) -> dict[tuple[str, ...], Row]:
    keys = estimates.select(pl.col(KEY).cast(pl.String).fill_null("None")).rows()
    return dict(zip(keys, estimates.select(NUMBERS).iter_rows(named=True), strict=True))
