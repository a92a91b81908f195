"""A corpus written to a file people can open: CSV, TSV, JSONL or Parquet, a batch at a time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, TypeVar

import polars as pl

from tiltmeter.corpora.corpus import Corpus
from tiltmeter.errors import OutputError, did_you_mean

ROWS = 16_384
"""Sentences turned into text at a time."""

T = TypeVar("T")
Writer = Callable[[Corpus, IO[bytes]], None]


def write_corpus(corpus: Corpus, path: Path) -> None:
    """Write a corpus to a file in the format its ending names; the file is whole or not there."""
    write = _for_ending(path, WRITERS)
    write_aside(path, lambda file: write(corpus, file))


def write_frame(frame: pl.DataFrame, path: Path, about: Mapping[str, str] | None = None) -> None:
    """Write a frame to a file in the format its ending names; `about` goes along in Parquet."""
    write = _for_ending(path, FRAME_WRITERS)
    write_aside(path, lambda file: write(frame, file, dict(about or {})))


def check_ending(path: Path) -> None:
    """Raise now if a frame could not be written there later for its ending."""
    _for_ending(path, FRAME_WRITERS)


def _for_ending(path: Path, writers: Mapping[str, T]) -> T:
    writer = writers.get(path.suffix.lower())
    if writer is None:
        near = did_you_mean(path.suffix, writers) or f"expected {', '.join(writers)}"
        raise OutputError(f"{path}: cannot tell the format from the ending {path.suffix!r}: {near}")
    return writer


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


FRAME_WRITERS: dict[str, Callable[[pl.DataFrame, IO[bytes], dict[str, str]], object]] = {
    ".csv": lambda frame, file, _: frame.write_csv(file),
    ".tsv": lambda frame, file, _: frame.write_csv(file, separator="\t"),
    ".jsonl": lambda frame, file, _: frame.write_ndjson(file),
    ".parquet": lambda frame, file, about: frame.write_parquet(file, metadata=about),
}


def _rows(
    batches: Iterable[pl.DataFrame], file: IO[bytes], text: Callable[[pl.DataFrame, bool], str]
) -> None:
    for number, batch in enumerate(batches):
        file.write(text(batch, number == 0).encode())


def write_aside(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write to a neighbour and rename it into place, so that a crash leaves no half file."""
    try:
        _write_aside(path, write)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def _write_aside(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    path = Path(os.path.realpath(path))  # a link stays a link, and what it leads to is replaced
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    aside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        aside.chmod(0o666 & ~_umask())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
