"""Lines on labels for the terminal: only where groups are labelled unlike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from tiltmeter.report.flip_wording import changed, sentences_said, thresholds_of
from tiltmeter.report.material import Material
from tiltmeter.report.tables.flips import label_flips, label_shares
from tiltmeter.report.wording import Sides, sides_between

COUPLES = "couples"
FEW = 6
"""Lines; of more comparisons only the largest is told."""


def label_lines(material: Material) -> list[tuple[str, str]]:
    """Who, and how many more sentences are positive; of many comparisons, one line for all."""
    if material.labels is None or material.labels.is_empty():
        return []
    every = label_shares(material)
    size = pl.col("label_tilt").abs()
    some = every.filter(size > 0).sort(size, descending=True, maintain_order=True)
    flips = {_key(row): row for row in label_flips(material).filter(subset=COUPLES).to_dicts()}
    apart = [*(name for name in ("corpus", "task") if every[name].n_unique() > 1), "axis"]
    told = []
    for row in some.iter_rows(named=True):
        where = f"{', '.join(row[name] for name in apart)} by {row['kind']}"
        pairs = flips.get(_key(row)) if row["kind"] == COUPLES else None
        told.append((row["system"], f"{where}: {_line(material, row, pairs)}"))
    if len(told) <= FEW:
        return told
    system, line = told[0]
    where = f"{len(told):,} of {every.height:,} comparisons"
    return [("labels", f"some sentences change label in {where}; most for {system}, {line}")]


def _key(row: Mapping[str, Any]) -> tuple[str, ...]:
    names = ("system", "task", "corpus", "edition", "axis", "contrast")
    return tuple(str(row[name]) for name in names)


def _line(material: Material, row: Mapping[str, Any], pairs: Mapping[str, Any] | None) -> str:
    groups = row["contrast"].removesuffix(f"-{row['reference']}"), row["reference"]
    found = (
        sides_between(one, row["axis"], *groups)
        for one in material.compared
        if (one.name, one.edition) == (row["corpus"], row["edition"])
    )
    sides, several = next(found, Sides(*groups)), len(thresholds_of(material)) > 1
    said = sentences_said(row, sides, several)
    return f"{said}; {changed(pairs)}" if pairs else said
