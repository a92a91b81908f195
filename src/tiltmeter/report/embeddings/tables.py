"""The tables of a study of embeddings for spreadsheets: like the paper's, and what lies behind."""

from __future__ import annotations

import polars as pl

from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.tables_matrix import correlation_matrices
from tiltmeter.report.embeddings.tables_paper import table_1

AS_THEY_ARE = {
    "rnsb": "rnsb",
    "terms": "terms",
    "groups": "groups",
    "comparisons": "comparisons",
    "correlations": "correlations",
    "classifiers": "classifiers",
    "ridges": "ridges",
    "map": "plane",
    "weat": "weat",
    "associations": "associations",
    "others": "others",
    "links": "links",
    "link-names": "link_names",
    "link-gaps": "link_gaps",
    "mitigation": "mitigation",
}
"""Files, and the frames of the material that they hold."""


def embedding_tables(material: EmbeddingMaterial) -> dict[str, pl.DataFrame]:
    """Every table, by its file's name without an ending; none that would be empty."""
    found = {
        "table-1": table_1(material),
        "embeddings": embeddings_read(material),
        **{file: getattr(material, name) for file, name in AS_THEY_ARE.items()},
        "missing-terms": missing_terms(material),
        **correlation_matrices(material),
    }
    return {name: in_plain_cells(frame) for name, frame in found.items() if frame.height}


def embeddings_read(material: EmbeddingMaterial) -> pl.DataFrame:
    """What was read, and what was found odd on the way."""
    told = ["; ".join(material.remarks.get(name, ())) for name in _names(material)]
    remarks = pl.Series("remarks", told, dtype=pl.String)
    return material.embeddings.with_columns(remarks) if told else material.embeddings


def missing_terms(material: EmbeddingMaterial) -> pl.DataFrame:
    """Terms that an embedding has no vector for."""
    if material.terms.is_empty():
        return pl.DataFrame()
    absent = material.terms.filter(pl.col("found_as").is_null())
    return absent.select("embedding", "list", "term", "group")


def in_plain_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists as text and what is no number left empty, as a cell of CSV can hold it.

    >>> in_plain_cells(pl.DataFrame({"missing": [["a", "b"]], "p": [float("nan")]})).rows()
    [('a, b', None)]
    """
    lists = [name for name, kind in frame.schema.items() if isinstance(kind, pl.List)]
    joined = (pl.col(name).cast(pl.List(pl.String)).list.join(", ") for name in lists)
    finite = pl.when(pl.col(pl.Float64, pl.Float32).is_finite()).then(
        pl.col(pl.Float64, pl.Float32)
    )
    return frame.with_columns(*joined, finite)


def _names(material: EmbeddingMaterial) -> list[str]:
    return material.embeddings["embedding"].to_list() if material.embeddings.height else []
