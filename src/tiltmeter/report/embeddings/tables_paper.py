"""Table 1 of Sweeney & Najafian (2019): a row for each list, a column for each embedding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.slugs import numbered

NUMBERS = ("rnsb", "low", "high")
KEYS = ("list", "title")
Cells = Mapping[tuple[str, str], Mapping[str, Any]]
"""What each embedding (named first) has on each list."""


def table_1(material: EmbeddingMaterial) -> pl.DataFrame:
    """RNSB and its interval; a cell that was refused is empty, and a column says why."""
    cells, lists = cells_of(material), lists_of(material)
    wanted = list(_columns(cells, embeddings_of(material)))
    heads = numbered([*KEYS, *(_head(name, what) for name, what in wanted)])[len(KEYS) :]
    keys = [
        pl.Series("list", [*lists], pl.String),
        pl.Series("title", [*lists.values()], pl.String),
    ]
    return pl.DataFrame(keys).with_columns(
        pl.Series(
            head,
            [cells.get((name, one), {}).get(what) for one in lists],
            pl.Float64 if what in NUMBERS else pl.String,
        )
        for head, (name, what) in zip(heads, wanted, strict=True)
    )


def cells_of(material: EmbeddingMaterial) -> Cells:
    """The rows of RNSB, by embedding and list."""
    return {(row["embedding"], row["list"]): row for row in material.rnsb.to_dicts()}


def lists_of(material: EmbeddingMaterial) -> dict[str, str]:
    """The lists assessed and their titles, in order."""
    return {row["list"]: row["title"] or row["list"] for row in material.rnsb.to_dicts()}


def embeddings_of(material: EmbeddingMaterial) -> list[str]:
    """The embeddings assessed, in order."""
    return list(dict.fromkeys(row["embedding"] for row in material.rnsb.to_dicts()))


def _columns(cells: Cells, embeddings: list[str]) -> Iterator[tuple[str, str]]:
    """Embeddings and what is told of them: numbers first, then why some are missing."""
    for name in embeddings:
        yield from ((name, what) for what in NUMBERS)
    refused = {name for (name, _), row in cells.items() if row["reason"]}
    yield from ((name, "reason") for name in embeddings if name in refused)


def _head(name: str, what: str) -> str:
    return name if what == "rnsb" else f"{name} {what}"
