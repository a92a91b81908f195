"""Correlations between terms as square tables, one for each embedding and list."""

from __future__ import annotations

import polars as pl

from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.slugs import numbered, unique_slugs

FEW = 40
"""Square tables that are written; of more, the long table will do."""


def correlation_matrices(material: EmbeddingMaterial) -> dict[str, pl.DataFrame]:
    """Square tables, by their files' names without an ending; none where there would be many."""
    if material.correlations.is_empty():
        return {}
    parts = material.correlations.partition_by("embedding", "list", as_dict=True)
    if len(parts) > FEW:
        return {}
    embeddings = unique_slugs(str(name) for name, _ in parts)
    lists = unique_slugs(str(name) for _, name in parts)
    files = numbered(
        [f"correlations-{lists[str(two)]}-{embeddings[str(one)]}" for one, two in parts]
    )
    return {file: square(rows) for file, rows in zip(files, parts.values(), strict=True)}


def square(rows: pl.DataFrame) -> pl.DataFrame:
    """Each term's correlation with each, whichever of two stands first.

    >>> pairs = {"first": ["a", "a", "b"], "second": ["a", "b", "b"]}
    >>> rows = pl.DataFrame({**pairs, "r": [1.0, 0.5, 1.0]})
    >>> square(rows).rows()
    [('a', 1.0, 0.5), ('b', 0.5, 1.0)]
    """
    told = {
        pair: r
        for a, b, r in rows.select("first", "second", "r").rows()
        for pair in ((a, b), (b, a))
    }
    terms = list(dict.fromkeys(term for pair in told for term in pair))
    heads = numbered(["term", *terms])[1:]
    columns = {
        head: [told.get((row, term)) for row in terms]
        for head, term in zip(heads, terms, strict=True)
    }
    return pl.DataFrame({"term": terms, **columns})
