"""findings.json: the same bytes for the same stored scores, apart from `environment`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import polars as pl

from tiltmeter.audit_run import AuditRun
from tiltmeter.records import Record
from tiltmeter.schemas import FINDINGS
from tiltmeter.studies.paired.advice import next_step
from tiltmeter.studies.paired.material import Material
from tiltmeter.studies.paired.verdict_wording import moved_of, moved_shares

SCHEMA_VERSION = 2
"""Of run.json; 2: a corpus may have a population, and an audit writes people.parquet."""
FINDINGS_VERSION = 3
"""Of findings.json; 2: a verdict may be `no_signal`, and run names controls and languages; 3: tilts
are by names and by couples, each with `moved`, and undecided ones with `next`."""
TILT = "tilt"
ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
DIGITS = 10
"""Significant digits of a number."""


def findings_json(material: Material, rows: Sequence[Mapping[str, Any]] | None = None) -> str:
    """The findings with how they came about, one finding a line; `rows` are their `material_rows`.

    They may be given where they are needed for other files too.
    """
    head = {
        "schema_version": FINDINGS_VERSION,
        "environment": material.environment,
        "run": material.run,
    }
    lines = [_line(row) for row in (material_rows(material) if rows is None else rows)]
    listed = "[\n" + ",\n".join(f"    {line}" for line in lines) + "\n  ]" if lines else "[]"
    return f'{indented(head)[:-2]},\n  "findings": {listed}\n}}\n'


def material_rows(material: Material) -> list[dict[str, Any]]:
    """Every finding of a report as findings.json holds it."""
    return finding_rows(material.every_finding, material.tilts, material.estimates, material.run)


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


def json_line(value: object) -> str:
    """A value on one line; what is not a finite number is null.

    >>> json_line({"p": 0.1 + 0.2, "low": float("nan"), "é": -0.0})
    '{"p": 0.3, "low": null, "é": 0.0}'
    """
    return _line(rounded(value))


def _line(value: object) -> str:
    """A value on one line whose numbers are rounded."""
    return _text(ENCODER.encode(value))


def indented(value: object) -> str:
    """A value over several lines, without a newline at the end."""
    return _text(json.dumps(rounded(value), ensure_ascii=False, allow_nan=False, indent=2))


def rounded(value: Any) -> Any:  # noqa: ANN401
    """The value with its numbers at ten significant digits.

    >>> rounded([1 / 3, 12345678901, {"a": 2.0}])
    [0.3333333333, 12345678901, {'a': 2.0}]
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") + 0.0 if math.isfinite(value) else None
    if isinstance(value, Record):
        return rounded(msgspec.to_builtins(value))
    if isinstance(value, Mapping):
        return {str(name): rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return value if isinstance(value, int) else str(value)


def _text(text: str) -> str:
    """Without halves of characters, which a command line may hold and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()
