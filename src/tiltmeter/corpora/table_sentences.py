"""The rows of a user's table as sentences: what the file does not have is filled in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import polars as pl

from tiltmeter.corpora.spool import Spool

POOLED = "all"
"""The match of everyone in a frame when the file has none."""
NO_GROUP = "(no group)"


@dataclass(frozen=True, slots=True)
class Filling:
    """What every sentence of a corpus says alike, and which columns they have."""

    corpus: str
    edition: str
    language: str
    axes: tuple[str, ...]
    columns: tuple[str, ...]

    def sentences(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows with every column of the `sentences` table."""
        labels = pl.concat_str(self.axes, separator=", ", ignore_nulls=True)
        defaults = {
            "language": pl.lit(self.language),
            "person": labels.replace("", NO_GROUP),
            "emotion": pl.lit(None, pl.String),
            "emotion_word": pl.lit(None, pl.String),
            "match": pl.lit(POOLED),
        }
        absent = {name: value for name, value in defaults.items() if name not in rows.columns}
        own = {"corpus": pl.lit(self.corpus), "edition": pl.lit(self.edition)}
        return rows.with_columns(**absent, **own).select(self.columns)


def spooled_sentences(spool: Spool, filling: Filling, rows: int) -> Iterator[pl.DataFrame]:
    """The sentences of a large table, so many rows at a time."""
    return _recut((filling.sentences(part) for part in spool()), rows)


def _recut(parts: Iterable[pl.DataFrame], rows: int) -> Iterator[pl.DataFrame]:
    """Parts of any size in batches of `rows`, the last one smaller.

    >>> parts = [pl.DataFrame({"n": [1, 2]}), pl.DataFrame({"n": [3, 4, 5]})]
    >>> [batch["n"].to_list() for batch in _recut(parts, 2)]
    [[1, 2], [3, 4], [5]]
    """
    rest = pl.DataFrame()
    for part in parts:
        held = part if rest.is_empty() else pl.concat([rest, part])
        whole = held.height - held.height % rows
        yield from held[:whole].iter_slices(rows)
        rest = held[whole:]
    if rest.height:
        yield rest
