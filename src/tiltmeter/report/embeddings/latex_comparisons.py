r"""Two embeddings side by side, for papers."""

from __future__ import annotations

from tiltmeter.report.embeddings.latex_cells import estimate, name_cell, name_layout, whole
from tiltmeter.report.embeddings.latex_words import is_published
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.tables_paper import lists_of
from tiltmeter.report.ratings.latex_layout import laid_out
from tiltmeter.report.tables.latex_text import table_row

HEADS = ("Case study", "First", "Second", "Terms", "RNSB", "RNSB", "Difference")
CAPTION = (
    "RNSB of two embeddings on the terms that both hold, and the first less the second. Below 0: "
    "the first is more even."
)
SPREAD = r" In brackets: 95\,\% interval over the same resamples of the lexicon for both."

MANY = 200
"""Rows beyond which the table for spreadsheets will do."""


def comparison_latex(material: EmbeddingMaterial) -> dict[str, str]:
    """A row for each list and two embeddings; none where nobody would print so many."""
    rows, titles = material.comparisons.to_dicts(), lists_of(material)
    if not 0 < len(rows) <= MANY:
        return {}
    names = [titles.get(row["list"], row["list"]) for row in rows]
    first, second, third = (
        name_layout(told)
        for told in (names, [row["first"] for row in rows], [row["second"] for row in rows])
    )
    lines = [
        table_row(
            name_cell(name, first),
            name_cell(row["first"], second),
            name_cell(row["second"], third),
            whole(row["n_terms"]),
            estimate(row["rnsb_first"], None, None),
            estimate(row["rnsb_second"], None, None),
            estimate(row["difference"], row["low"], row["high"]),
        )
        for name, row in zip(names, rows, strict=True)
    ]
    caption = CAPTION + ("" if is_published(material) else SPREAD)
    layout = f"{first}{second}{third}rrrr"
    return {"comparisons": laid_out("comparisons", layout, [HEADS], [lines], caption, tight=True)}
