r"""Probabilities of each term for papers, a table for each list."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tiltmeter.report.embeddings.latex_cells import (
    DASH,
    Row,
    estimate,
    head_cells,
    head_layout,
    known,
    name_cell,
    name_layout,
)
from tiltmeter.report.embeddings.latex_paper import WIDE
from tiltmeter.report.embeddings.latex_words import polarity, spread
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.tables_paper import lists_of
from tiltmeter.report.ratings.latex_layout import laid_out, printed
from tiltmeter.report.slugs import numbered, unique_slugs
from tiltmeter.report.tables.latex_text import table_row


def term_latex(material: EmbeddingMaterial) -> dict[str, str]:
    """Tables by their files' names without an ending; several of a list with many embeddings."""
    if material.terms.is_empty():
        return {}
    shown = material.terms.filter(pl.col("probability").is_finite())
    titles = lists_of(material)
    slugs = unique_slugs(titles)
    parts = [
        (name, embeddings[start : start + WIDE])
        for name in titles
        for embeddings in [shown.filter(list=name)["embedding"].unique(maintain_order=True)]
        for start in range(0, len(embeddings), WIDE)
    ]
    files = numbered([f"terms-{slugs[name]}" for name, _ in parts])
    return {
        file: _table(material, file, name, own.to_list())
        for file, (name, own) in zip(files, parts, strict=True)
    }


def _table(material: EmbeddingMaterial, label: str, name: str, embeddings: Sequence[str]) -> str:
    """A row for each term, in blocks by group."""
    rows = material.terms.filter(pl.col("embedding").is_in(embeddings), list=name).to_dicts()
    cells = {(row["embedding"], row["term"]): row for row in rows}
    groups: dict[str | None, dict[str, None]] = {}
    for row in rows:
        groups.setdefault(row["group"], {})[row["term"]] = None
    first = name_layout(row["term"] for row in rows)
    grouped = any(group is not None for group in groups)
    second = name_layout(group or "" for group in groups) if grouped else ""
    blocks = [
        [
            table_row(
                *([name_cell("" if nth else group or "", second)] if grouped else []),
                name_cell(term, first),
                *(_cell(cells.get((one, term))) for one in embeddings),
            )
            for nth, term in enumerate(terms)
        ]
        for group, terms in groups.items()
    ]
    heads = [*(["Group"] if grouped else []), "Term", *head_cells(embeddings)]
    return laid_out(
        label, second + first + head_layout(embeddings), [heads], blocks,
        _caption(material, name), tight=len(heads) > 4,
    )  # fmt: skip


def _cell(row: Row | None) -> str:
    if row is None or not known(row["probability"]):
        return DASH
    return estimate(row["probability"], row["low"], row["high"])


def _caption(material: EmbeddingMaterial, name: str) -> str:
    title = printed(lists_of(material)[name])
    return (
        f"{title}: probability that a term's vector is one of a {polarity(material)} word. "
        f"{spread(material)} A dash: the embedding has no such word."
    )
