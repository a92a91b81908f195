"""The paper's Table 1: case studies × embeddings, each number with its interval."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.rnsb_strip import beyond
from tiltmeter.report.embeddings.rows import Row, lists_of, names_of, rows_of
from tiltmeter.report.embeddings.units import p_told, per_cent, rnsb_text, rnsb_told

ACROSS = 6
"""Up to so many embeddings stand across, as in the paper; more stand down."""


@dataclass(frozen=True, slots=True)
class Cell:
    """An RNSB with its interval, or why there is none."""

    number: str
    spread: str
    chance: str
    more: bool
    """More uneven than ordinary words mostly are."""
    reason: str


@dataclass(frozen=True, slots=True)
class TableOne:
    """Rows and columns, whichever way round fits."""

    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


def table_one(material: EmbeddingMaterial) -> TableOne:
    """Lists down and embeddings across, or the other way round where embeddings are many."""
    cells = {(row["list"], row["embedding"]): _cell(row) for row in rows_of(material.rnsb)}
    names, lists = names_of(material), lists_of(material)
    none = Cell("–", "", "", False, "")
    if len(names) > ACROSS:
        down = tuple((name, tuple(cells.get((of, name), none) for of in lists)) for name in names)
        return TableOne("Embedding", tuple(lists.values()), down)
    rows = tuple(
        (title, tuple(cells.get((of, name), none) for name in names)) for of, title in lists.items()
    )
    return TableOne("Case study", tuple(names), rows)


def _cell(row: Row) -> Cell:
    if row["rnsb"] is None:
        return Cell("–", "", "", False, str(row["reason"] or "no number"))
    return Cell(*rnsb_told(row["rnsb"], row["low"], row["high"]), p_told(row["p_adjusted"]),
                beyond(row) is True, "")  # fmt: skip


def rnsb_details(material: EmbeddingMaterial) -> list[dict[str, str]]:
    """Everything known of each RNSB, as text."""
    titles = lists_of(material)
    return [
        {
            "list": titles[row["list"]],
            "embedding": str(row["embedding"]),
            "rnsb": rnsb_told(row["rnsb"], row["low"], row["high"])[0],
            "spread": rnsb_told(row["rnsb"], row["low"], row["high"])[1],
            "chance": rnsb_text(row["by_chance"]),
            "chances": rnsb_told(row["by_chance"], row["even_low"], row["even_high"])[1],
            "p": p_told(row["p_adjusted"]),
            "bias": rnsb_text(row["bias"]) if (row["bias"] or 0) >= 0 else f"{row['bias']:.4f}",
            "terms": f"{row['n_found']} of {row['n_terms']} ({per_cent(row['coverage'])})",
            "reason": str(row["reason"] or ""),
        }
        for row in rows_of(material.rnsb)
    ]
