"""A corpus written to a file people can open: CSV, TSV, JSONL or Parquet, a batch at a time.

What is written opens again as the same corpus: see `exported_axes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import polars as pl

from tiltmeter.corpora.catalogue import axes_of
from tiltmeter.corpora.corpus import Corpus
from tiltmeter.corpora.exported_axes import AXES, needs_column, with_axes
from tiltmeter.files import for_ending, without_formulas, write_aside
from tiltmeter.schemas import read_as_used

ROWS = 16_384
"""Sentences turned into text at a time."""

Writer = Callable[[Corpus, IO[bytes]], int]


def write_corpus(corpus: Corpus, path: Path) -> int:
    """Write a corpus to a file in the format its ending names; the file is whole or not there.

    In CSV and TSV a text that a spreadsheet would compute has `'` before it. Returns how many have.
    """
    write, guarded = for_ending(path, WRITERS), list[int]()
    write_aside(path, lambda file: guarded.append(write(corpus, file)))
    return guarded[0]


def write_csv(corpus: Corpus, file: IO[bytes], separator: str = ",") -> int:
    """Write a corpus as comma- (or otherwise) separated text with a header."""
    guarded = 0
    for number, batch in enumerate(_batches(corpus)):
        safe = without_formulas(batch)
        guarded += int((safe["text"] != batch["text"]).sum())
        file.write(safe.write_csv(include_header=number == 0, separator=separator).encode())
    return guarded


def _write_tsv(corpus: Corpus, file: IO[bytes]) -> int:
    return write_csv(corpus, file, separator="\t")


def _write_jsonl(corpus: Corpus, file: IO[bytes]) -> int:
    for batch in _batches(corpus):
        file.write(batch.write_ndjson().encode())
    return 0


def _write_parquet(corpus: Corpus, file: IO[bytes]) -> int:
    kept = corpus.schema
    if _says_axes(corpus):
        kept = pl.Schema({**kept, AXES: pl.String()})
    rows = read_as_used(lambda size: _batches(corpus, size or ROWS), kept)
    rows.sink_parquet(file, maintain_order=True)
    return 0


def _batches(corpus: Corpus, rows: int = ROWS) -> Iterator[pl.DataFrame]:
    """The sentences, with the axes where the corpus' name does not say them."""
    if not _says_axes(corpus):
        return corpus.batches(rows)
    return (with_axes(batch, corpus.axes) for batch in corpus.batches(rows))


def _says_axes(corpus: Corpus) -> bool:
    return needs_column(corpus.name, corpus.axes, axes_of)


WRITERS: dict[str, Writer] = {
    ".csv": write_csv,
    ".tsv": _write_tsv,
    ".jsonl": _write_jsonl,
    ".parquet": _write_parquet,
}
