r"""The link between vectors and a system's scores, for papers."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.report.embeddings.latex_cells import (
    DASH,
    Notes,
    Row,
    chance,
    estimate,
    known,
    name_cell,
    name_layout,
    whole,
)
from tiltmeter.report.embeddings.latex_words import polarity
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.ratings.latex_layout import laid_out, printed
from tiltmeter.report.tables.latex_text import number, table_row

HEADS = ("Embedding", "System", "Task", "Names", "$r$", "$p$", r"$\rho$")
GAPS = ("Embedding", "System", "Task", "Groups", "Gap", "Carried", "Share")


def link_latex(material: EmbeddingMaterial) -> dict[str, str]:
    """Correlations over names, and the part of gaps between groups that goes with the vectors."""
    found = {}
    if material.links.height:
        found["links"] = _links(material)
    if material.link_gaps.height:
        found["link-gaps"] = _gaps(material)
    return found


def _links(material: EmbeddingMaterial) -> str:
    rows, notes = material.links.to_dicts(), Notes("links")
    first, second = _layouts(rows)
    lines = [
        table_row(
            name_cell(row["embedding"], first),
            name_cell(row["system"], second),
            printed(row["task"]),
            whole(row["n"]),
            *_correlations(row, notes),
        )
        for row in rows
    ]
    caption = (
        f"The log-odds that a name's vector is one of a {polarity(material)} word, against how far "
        "a system's scores of sentences with that name lie from the others. $r$: Pearson's, "
        rf"$\rho$: Spearman's correlation, with 95\,\% intervals over names; $p$ after Holm's "
        f"correction. {notes.told()}"
    )
    return laid_out("links", f"{first}{second}lrrrr", [HEADS], [lines], caption.strip(), tight=True)


def _correlations(row: Row, notes: Notes) -> tuple[str, str, str]:
    if not known(row["pearson"]):
        return notes.mark(row["reason"]), DASH, DASH
    return (
        estimate(row["pearson"], row["low"], row["high"]),
        chance(row["p_adjusted"]),
        estimate(row["spearman"], row["spearman_low"], row["spearman_high"]),
    )


def _gaps(material: EmbeddingMaterial) -> str:
    rows = material.link_gaps.to_dicts()
    first, second = _layouts(rows)
    third = name_layout(_contrast(row) for row in rows)
    lines = [
        table_row(
            name_cell(row["embedding"], first),
            name_cell(row["system"], second),
            printed(row["task"]),
            name_cell(_contrast(row), third),
            number(row["gap"]) if known(row["gap"]) else DASH,
            estimate(row["carried"], row["low"], row["high"]),
            number(row["share"], 2) if known(row["share"]) else DASH,
        )
        for row in rows
    ]
    caption = (
        "Gaps between groups in a system's scores (first minus second), the part that goes with "
        r"the names' vectors, with its 95\,\% interval over names, and its share."
    )
    return laid_out(
        "link-gaps", f"{first}{second}l{third}rrr", [GAPS], [lines], caption, tight=True
    )


def _layouts(rows: Sequence[Row]) -> tuple[str, str]:
    """The columns of embeddings and of systems."""
    return name_layout(row["embedding"] for row in rows), name_layout(row["system"] for row in rows)


def _contrast(row: Row) -> str:
    return f"{row['first']} − {row['second']}"
