"""findings.json: the same bytes for the same stored scores, apart from `environment`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from tiltmeter.audit_run import AuditRun
from tiltmeter.report.json_files import encode_rounded, json_document, rounded
from tiltmeter.schemas import FINDINGS
from tiltmeter.studies.paired.advice import next_step
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.verdict_wording import moved_of, moved_shares

FINDINGS_VERSION = 3
"""Of findings.json; 2: a verdict may be `no_signal`, and run names controls and languages; 3: tilts
are by names and by couples, each with `moved`, and undecided ones with `next`."""
TILT = "tilt"


def findings_json(audit: AuditResults, rows: Sequence[Mapping[str, Any]] | None = None) -> str:
    """The findings with how they came about, one finding a line; `rows` where they are known."""
    rows = audit_rows(audit) if rows is None else rows
    head = {
        "schema_version": FINDINGS_VERSION,
        "environment": audit.environment,
        "run": audit.run,
    }
    return json_document(head, {"findings": map(encode_rounded, rows)})


def audit_rows(audit: AuditResults) -> list[dict[str, Any]]:
    """Every finding of a report as findings.json holds it."""
    return finding_rows(audit.findings, audit.tilts, audit.paired_estimates, audit.run)


def finding_rows(
    findings: pl.DataFrame,
    tilts: pl.DataFrame | None = None,
    estimates: pl.DataFrame | None = None,
    run: AuditRun | None = None,
) -> list[dict[str, Any]]:
    """Every finding as findings.json holds it.

    A tilt has `moved` besides, whom it moves by group, and an undecided one `next`.
    """
    rows: list[dict[str, Any]] = findings.select(*FINDINGS.columns).to_dicts()
    if tilts is None or estimates is None or run is None:
        return [rounded(row) for row in rows]
    shares = moved_shares(estimates)
    claims = {claim["id"]: claim for claim in tilts.iter_rows(named=True)}
    for row in rows:
        claim = claims.get(row["id"]) if row["measure"] == TILT else None
        if claim:
            row["moved"] = [one.facts() for one in moved_of(claim, shares)]
            if step := next_step(claim, run):
                row["next"] = step.facts(str(claim["system"]))
    return [rounded(row) for row in rows]
