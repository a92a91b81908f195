"""Mitigation in words and numbers: what fell, what stayed, what is still there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.report.embeddings.material import BEFORE, EmbeddingMaterial
from tiltmeter.report.embeddings.mending_strip import (
    MEASURES,
    Measure,
    method_title,
    value_text,
)
from tiltmeter.report.embeddings.rows import Row, parts_of, rows_of
from tiltmeter.report.embeddings.units import effect_told, per_cent, per_cents, rnsb_told

CAUTION = (
    "Removal can be cosmetic. Gonen and Goldberg (2019) found that what a projection hides can "
    "often still be read from where words cluster; so a fall in RNSB or WEAT alone says little."
)


def still_there(material: EmbeddingMaterial, embedding: str, direction: str) -> Iterator[str]:
    """What clustering and a trained probe still find after each method."""
    rows = rows_of(material.mitigation, embedding=embedding, direction=direction)
    for name, finder in (("cluster", "clustering puts"), ("probe", "a trained probe puts")):
        many = next((r["n"] for r in rows if r["measure"] == name and r["n"] is not None), None)
        own = {str(r["method"]): r["value"] for r in rows
               if r["measure"] == name and r["value"] is not None}  # fmt: skip
        after = [f"{value_text('share', value)} after {method_title(method)}"
                 for method, value in own.items() if method != BEFORE]  # fmt: skip
        if after and BEFORE in own:
            before = value_text("share", own[BEFORE])
            yield (
                f"Of the {'' if many is None else f'{many:,} '}words that leaned most, {finder} "
                f"{before} with their side before and still {', '.join(after)}; guessing gives "
                f"about 50 %."
            )


@dataclass(frozen=True, slots=True)
class MendedRow:
    """One measure of one thing, by method."""

    measure: str
    what: str
    n: str
    cells: tuple[tuple[str, str], ...]
    """Value and interval, or a dash and why."""


def mending_rows(
    material: EmbeddingMaterial, embedding: str, direction: str, methods: Sequence[str]
) -> list[MendedRow]:
    """Every number before and after, as text: a column for each method."""
    rows = material.mitigation.filter(
        (pl.col("embedding") == embedding) & (pl.col("direction") == direction)
    )
    return [
        _row(str(measure), str(what or ""), some, methods)
        for (measure, what), some in parts_of(rows, "measure", "what")
    ]


def _row(measure: str, what: str, rows: Sequence[Row], methods: Sequence[str]) -> MendedRow:
    known = MEASURES.get(measure, Measure(measure, "stays", "effect"))
    by = {str(row["method"]): row for row in rows}
    counted = next((f"{row['n']:,}" for row in rows if row["n"] is not None), "")
    cells = tuple(_cell(known.unit, by.get(method)) for method in methods)
    return MendedRow(known.title, what, counted, cells)


def _cell(unit: str, row: Row | None) -> tuple[str, str]:
    if row is None or row["value"] is None:
        return "–", str((row or {}).get("reason") or "")
    low, high = row["low"], row["high"]
    if unit == "share":
        return per_cent(row["value"]), per_cents(low, high)
    told = rnsb_told if unit == "rnsb" else effect_told
    return told(row["value"], low, high)
