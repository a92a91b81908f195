"""A corpus written to a file people can open: CSV, TSV, JSONL or Parquet, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

import polars as pl

from tiltmeter.corpora.corpus import Corpus
from tiltmeter.writing import for_ending, write_aside

ROWS = 16_384
"""Sentences turned into text at a time."""

Writer = Callable[[Corpus, IO[bytes]], None]


def write_corpus(corpus: Corpus, path: Path) -> None:
    """Write a corpus to a file in the format its ending names; the file is whole or not there."""
    write = for_ending(path, WRITERS)
    write_aside(path, lambda file: write(corpus, file))


def write_csv(corpus: Corpus, file: IO[bytes], separator: str = ",") -> None:
    """Write a corpus as comma- (or otherwise) separated text with a header."""
    _rows(corpus.batches(ROWS), file, lambda batch, first: batch.write_csv(
        include_header=first, separator=separator
    ))  # fmt: skip


def _write_tsv(corpus: Corpus, file: IO[bytes]) -> None:
    write_csv(corpus, file, separator="\t")


def _write_jsonl(corpus: Corpus, file: IO[bytes]) -> None:
    _rows(corpus.batches(ROWS), file, lambda batch, _: batch.write_ndjson())


def _write_parquet(corpus: Corpus, file: IO[bytes]) -> None:
    corpus.lazy().sink_parquet(file, maintain_order=True)


WRITERS: dict[str, Writer] = {
    ".csv": write_csv,
    ".tsv": _write_tsv,
    ".jsonl": _write_jsonl,
    ".parquet": _write_parquet,
}


def _rows(
    batches: Iterable[pl.DataFrame], file: IO[bytes], text: Callable[[pl.DataFrame, bool], str]
) -> None:
    for number, batch in enumerate(batches):
        file.write(text(batch, number == 0).encode())
