r"""Numbers before and after a projection, for papers."""

from __future__ import annotations

from collections.abc import Mapping

from tiltmeter.report.embeddings.embeddings_json import Record, by
from tiltmeter.report.embeddings.latex_cells import (
    DASH,
    Notes,
    estimate,
    known,
    name_cell,
    name_layout,
)
from tiltmeter.report.embeddings.material import BEFORE, EmbeddingMaterial
from tiltmeter.report.embeddings.tables_paper import lists_of
from tiltmeter.report.ratings.latex_layout import laid_out, printed
from tiltmeter.report.slugs import numbered, unique_slugs
from tiltmeter.report.tables.latex_text import table_row

METHODS = {BEFORE: "As they are", "hard": "Hard", "soft": "Soft", "inlp": "INLP"}
MEASURES = {
    "rnsb": "RNSB",
    "weat": "WEAT",
    "similarity": "Similarity",
    "analogies": "Analogies",
    "neighbours": "Neighbours kept",
    "accuracy": "Accuracy (balanced)",
    "cluster": "Cluster test",
    "probe": "Probe",
}
CAUTION = (
    "A direction that is gone from single numbers may still be found in the vectors (Gonen \\& "
    "Goldberg 2019): the cluster test and the probe say how far."
)


def mitigation_latex(material: EmbeddingMaterial) -> dict[str, str]:
    """A table for each embedding and direction, by its file's name without an ending."""
    found = by(material.mitigation, "embedding", "direction")
    if len(found) == 1:
        files = ["mitigation"]
    else:
        slugs = unique_slugs(f"{name} {direction}" for name, direction in found)
        files = numbered([f"mitigation-{slug}" for slug in slugs.values()])
    return {
        file: _table(file, str(name), str(direction), rows, lists_of(material))
        for file, ((name, direction), rows) in zip(files, found.items(), strict=True)
    }


def _table(
    label: str, embedding: str, direction: str, rows: list[Record], titles: Mapping[str, str]
) -> str:
    """A row for each number and a column for each method."""
    notes, methods = Notes("mitigation"), list(dict.fromkeys(row["method"] for row in rows))
    cells = {(_what(row, titles), row["method"]): row for row in rows}
    names = list(dict.fromkeys(_what(row, titles) for row in rows))
    layout = name_layout(names)
    lines = [
        table_row(name_cell(name, layout), *(_cell(cells, name, one, notes) for one in methods))
        for name in names
    ]
    caption = (
        f"{printed(embedding)}: before and after taking out the direction of {printed(direction)}. "
        rf"In brackets: 95\,\% intervals. {CAUTION} {notes.told()}"
    )
    heads = ["Measure", *(METHODS.get(one) or printed(one) for one in methods)]
    return laid_out(
        label, layout + "r" * len(methods), [heads], [lines], caption.strip(), tight=True
    )


def _what(row: Record, titles: Mapping[str, str]) -> str:
    measure = MEASURES.get(row["measure"]) or str(row["measure"])
    return f"{measure}, {titles.get(row['what'], row['what'])}" if row["what"] else measure


def _cell(cells: dict[tuple[str, str], Record], name: str, method: str, notes: Notes) -> str:
    row = cells.get((name, method))
    if row is None:
        return DASH
    if not known(row["value"]):
        return notes.mark(row["reason"])
    return estimate(row["value"], row["low"], row["high"])
