r"""Table 1 of Sweeney & Najafian (2019) with intervals, and beside it what ordinary words get."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.report.embeddings.latex_cells import (
    DASH,
    Notes,
    Row,
    chance,
    estimate,
    head_cells,
    head_layout,
    known,
    name_cell,
    name_layout,
)
from tiltmeter.report.embeddings.latex_words import spread, what_is_measured
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.tables_paper import Cells, cells_of, embeddings_of, lists_of
from tiltmeter.report.numbers import interval
from tiltmeter.report.ratings.latex_layout import laid_out
from tiltmeter.report.tables.latex_text import escaped, table_row

WIDE = 4
"""Columns of numbers that fit beside each other."""


def paper_latex(material: EmbeddingMaterial) -> dict[str, str]:
    """Table 1 where it fits on a page, and every RNSB with its baseline."""
    if material.rnsb.is_empty():
        return {}
    fits = min(len(embeddings_of(material)), len(lists_of(material))) <= WIDE
    return ({"table-1": table_1_latex(material)} if fits else {}) | {"rnsb": rnsb_latex(material)}


def table_1_latex(material: EmbeddingMaterial) -> str:
    """A row for each list and a column for each embedding; the reverse where they are many."""
    cells, lists, embeddings = cells_of(material), lists_of(material), embeddings_of(material)
    notes = Notes("rnsb")
    if len(embeddings) <= WIDE:
        first, names, heads = "Case study", list(lists.values()), embeddings
        rows = [[_cell(cells, notes, one, name) for one in embeddings] for name in lists]
    else:
        first, names, heads = "Embedding", embeddings, list(lists.values())
        rows = [[_cell(cells, notes, one, name) for name in lists] for one in embeddings]
    layout = name_layout(names)
    lines = [
        table_row(name_cell(name, layout), *row) for name, row in zip(names, rows, strict=True)
    ]
    return laid_out(
        "table-1",
        layout + head_layout(heads),
        [[first, *head_cells(heads)]],
        [lines],
        f"{what_is_measured(material)} {spread(material)} {notes.told()}".strip(),
        tight=len(heads) > 3,
    )


def _cell(cells: Cells, notes: Notes, embedding: str, name: str) -> str:
    row = cells.get((embedding, name))
    return _rnsb(row, notes) if row else DASH


def _rnsb(row: Row, notes: Notes) -> str:
    if not known(row["rnsb"]):
        return notes.mark(row["reason"])
    return estimate(row["rnsb"], row["low"], row["high"])


def rnsb_latex(material: EmbeddingMaterial) -> str:
    """A row for each list and embedding: RNSB, what ordinary words get, and the terms found."""
    cells, lists, embeddings = cells_of(material), lists_of(material), embeddings_of(material)
    first, second = name_layout(lists.values()), name_layout(embeddings)
    notes = Notes("rnsb")
    blocks = [
        [
            table_row(name_cell("" if nth else lists[name], first), name_cell(one, second), *told)
            for nth, (one, told) in enumerate(_told(cells, embeddings, name, notes))
        ]
        for name in lists
    ]
    heads = ["Case study", "Embedding", "RNSB", "Ordinary words", "$p$", "Terms"]
    caption = (
        f"{what_is_measured(material)} {spread(material)} Ordinary words: where RNSB lies in "
        r"95\,\% of draws of as many everyday words; $p$: the share of draws from terms and "
        "everyday words together that are at least as uneven, after Holm's correction. "
        f"{notes.told()}"
    )
    return laid_out("rnsb", f"{first}{second}rrrr", [heads], blocks, caption.strip(), tight=True)


def _told(
    cells: Cells, embeddings: Sequence[str], name: str, notes: Notes
) -> list[tuple[str, list[str]]]:
    """Embeddings that were assessed on a list, and their cells."""
    rows = [(one, cells[one, name]) for one in embeddings if (one, name) in cells]
    return [
        (
            one,
            [
                _rnsb(row, notes),
                _even(row),
                chance(row["p_adjusted"]),
                f"{row['n_found']}/{row['n_terms']}",
            ],
        )
        for one, row in rows
    ]


def _even(row: Row) -> str:
    low, high = row["even_low"], row["even_high"]
    if not (known(low) and known(high)):
        return DASH
    _, *ends = interval((low + high) / 2, low, high)
    return escaped("{}–{}".format(*ends))
