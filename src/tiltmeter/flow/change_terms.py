"""The terms of a comparison or a drift check: what undecided does, and where results go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.errors import TiltmeterError
from tiltmeter.findings import Decision, Gated, gate_given


def passes(undecided: str) -> bool:
    """Whether what is undecided passes a gate."""
    if undecided not in ("fail", "pass"):
        raise TiltmeterError(f"--undecided is fail or pass; found {undecided!r}")
    return undecided == "pass"


def check_apart(folder: Path, audits: Iterable[Path]) -> None:
    """Refuse to write over an audit that is compared."""
    for audit in audits:
        if folder.resolve() == audit.resolve():
            raise TiltmeterError(f"{folder}: is one of the audits; choose another folder with -o")


def change_decision(
    changes: pl.DataFrame, undecided: str, whole: str = "", answers: pl.DataFrame | None = None
) -> Decision:
    """What a gate says of changes of tilt and, of a service asked again, of its answers."""
    passes(undecided)
    margins = dict(changes.select("axis", "margin").rows())
    rows = [*_gated(changes, "change")]
    if answers is not None:
        rows += _gated(answers.with_columns(axis=pl.lit("answers")), "shift")
    return Decision(gate_given(margins, undecided), tuple(rows), whole=whole)


def _gated(frame: pl.DataFrame, value: str) -> Iterator[Gated]:
    for row in frame.iter_rows(named=True):
        words = ("edition", "contrast", "reference", "reason", "sentence")
        text: dict[str, Any] = {name: str(row.get(name) or "") for name in words}
        yield Gated(
            **text, system=row["new_system"], task=row["task"], corpus=row["corpus"],
            axis=row["axis"], verdict=row["verdict"], value=row[value], low=row[f"{value}_low"],
            high=row[f"{value}_high"], margin=row["margin"], people=row.get("subset") or "",
            n=row.get("n") or 0, exact=row.get("change_se") == 0,
            needed_people=row.get("needed_people"),
        )  # fmt: skip
