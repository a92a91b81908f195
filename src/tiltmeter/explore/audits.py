"""Audits opened in the explorer: what each found, and what it knows of one person."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.studies.audit.stored_audit import FINDINGS, naming_place, read_audit
from tiltmeter.studies.audit.verify import recompute
from tiltmeter.systems import SYSTEMS

MOST_FINDINGS = 60
MOST_SENTENCES = 200
JUDGED = ("verdict", "low", "high", "margin")
"""Of a finding: what the page needs to judge it at another margin."""


@dataclass(frozen=True)
class OpenedAudit:
    """An audit's folder, read."""

    title: str
    findings: list[dict[str, Any]]
    scores: pl.DataFrame
    """system, text, person, frame, score: one row an answer to a sentence."""

    @property
    def summary(self) -> dict[str, Any]:
        """For the page: systems and findings."""
        systems = self.scores["system"].unique(maintain_order=True).to_list()
        left = max(0, len(self.findings) - MOST_FINDINGS)
        findings = self.findings[:MOST_FINDINGS]
        return {"title": self.title, "systems": systems, "findings": findings, "left": left}

    def person(self, name: str) -> dict[str, Any] | None:
        """What each system made of one person, beside everybody else in the same sentences."""
        mine = self.scores.filter(person=name)
        if mine.is_empty():
            return None
        others = (
            self.scores.filter(pl.col("person") != name)
            .group_by("system", "corpus", "frame")
            .agg(pl.col("score").mean().alias("usual"))
        )
        beside = mine.join(others, on=["system", "corpus", "frame"], how="left")
        by_system = beside.group_by("system", maintain_order=True).agg(
            pl.col("score").count().alias("sentences"),
            (pl.col("score") - pl.col("usual")).mean().alias("difference"),
        )
        shown = mine.select("text", "system", "score").head(MOST_SENTENCES)
        sentences = [
            {"text": text, "shown": f"{system} {100 * score:.1f}"}
            for text, system, score in shown.rows()
            if score is not None
        ]
        return {"title": self.title, "systems": by_system.to_dicts(), "sentences": sentences}


def is_audit(word: str) -> bool:
    """Whether a word of the command line is the folder of an audit, and no system's name."""
    return word not in SYSTEMS and Path(word, FINDINGS).is_file()


def open_audit(folder: Path) -> OpenedAudit:
    """Read what an audit left in its folder; its findings are recomputed from its answers."""
    audit = read_audit(folder)
    with naming_place(folder):
        findings = recompute(audit).rows
    rows = audit.scores.filter(repeat=0).join(audit.sentences, on=["corpus", "id"], how="inner")
    judged = [
        {"sentence": row["sentence"], **{key: row[key] for key in JUDGED}}
        for row in findings
        if row["verdict"]
    ]
    columns = ("system", "corpus", "text", "person", "frame", "score")
    return OpenedAudit(folder.name, judged, rows.select(columns))
