"""The material's frames as rows of plain values: what is no number is None."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import polars as pl

from tiltmeter.report.embeddings.material import EmbeddingMaterial

Row = dict[str, Any]


def with_numbers_only(material: EmbeddingMaterial) -> EmbeddingMaterial:
    """The same with null for NaN and infinity, so that no page shows them."""
    frames = {one.name: getattr(material, one.name) for one in fields(material)}
    clean: dict[str, Any] = {
        name: _finite(some) for name, some in frames.items() if isinstance(some, pl.DataFrame)
    }
    return replace(material, **clean)


def _finite(frame: pl.DataFrame) -> pl.DataFrame:
    numbers = [name for name, kind in frame.schema.items() if kind.is_float()]
    kept = (pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in numbers)
    return frame.with_columns(*kept)


def rows_of(frame: pl.DataFrame, **wanted: object) -> list[Row]:
    """Rows with these values; none where the frame has none.

    >>> rows_of(pl.DataFrame({"list": ["a", "b"], "r": [1, 2]}), list="b")
    [{'list': 'b', 'r': 2}]
    """
    for name, value in wanted.items():
        frame = frame.filter(pl.col(name).eq_missing(pl.lit(value)))
    return frame.to_dicts()


def parts_of(frame: pl.DataFrame, *by: str) -> Iterator[tuple[tuple[Any, ...], list[Row]]]:
    """Rows by the values of some columns, in the order in which they first stand."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in frame.iter_rows(named=True):
        found.setdefault(tuple(row[name] for name in by), []).append(row)
    yield from found.items()


def measured_terms(material: EmbeddingMaterial, of: str) -> list[Row]:
    """The terms of a list, in those embeddings where it is not refused."""
    held = {row["embedding"] for row in rows_of(material.rnsb, list=of) if row["rnsb"] is not None}
    return [row for row in rows_of(material.terms, list=of) if row["embedding"] in held]


def names_of(material: EmbeddingMaterial) -> list[str]:
    """Every embedding, in order."""
    return [str(row["embedding"]) for row in material.embeddings.iter_rows(named=True)]


def lists_of(material: EmbeddingMaterial) -> dict[str, str]:
    """Every list of terms and its title, in order."""
    return {
        str(row["list"]): str(row["title"] or row["list"])
        for row in material.rnsb.iter_rows(named=True)
    }
