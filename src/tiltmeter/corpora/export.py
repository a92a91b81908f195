"""A corpus written to a file people can open, which opens again as the same corpus.

CSV, TSV, JSONL or Parquet, a batch at a time. A CSV has no place for facts about a table, and a
file is sorted, filtered and saved again by other programs. So the order of the groups is a column
like corpus, edition and language: a JSON object at the first sentence of each frame. A corpus known
by name needs none: its name says it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO

import polars as pl

from tiltmeter.columns import AXES
from tiltmeter.corpora.corpus import Corpus
from tiltmeter.corpora.design import Axis
from tiltmeter.files import without_formulas, write_aside, writer_for
from tiltmeter.schemas import read_as_used

ROWS = 16_384
"""Sentences turned into text at a time."""

Writer = Callable[[Corpus, IO[bytes]], int]


def write_corpus(corpus: Corpus, path: Path) -> int:
    """Write a corpus to a file in the format its ending names; the file is whole or not there.

    In CSV and TSV a text that a spreadsheet would compute has `'` before it. Returns how many have.
    """
    write, guarded = writer_for(path, WRITERS), list[int]()
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
    """Whether the corpus' name does not already say its axes, with their order and phrases."""
    from tiltmeter.corpora.catalogue import axes_of  # the catalogue reads exports again

    known = axes_of(corpus.name)
    return any(
        axis != known.get(axis.name)
        or [*map(axis.phrase, axis.groups)] != [*map(known[axis.name].phrase, axis.groups)]
        for axis in corpus.axes
    )


WRITERS: dict[str, Writer] = {
    ".csv": write_csv,
    ".tsv": _write_tsv,
    ".jsonl": _write_jsonl,
    ".parquet": _write_parquet,
}


# -------------------------------- the column of axes


LONGEST = 1_000_000
"""Letters of a cell beyond which it is not ours."""

AxesOf = Callable[[str], Mapping[str, Axis]]
"""The axes of a corpus known by name; none of an unknown one."""


def with_axes(sentences: pl.DataFrame, axes: Iterable[Axis]) -> pl.DataFrame:
    """The sentences with the axes of their corpus in a column, once a frame."""
    begins = pl.col("frame").ne_missing(pl.col("frame").shift(1)) | (pl.int_range(pl.len()) == 0)
    return sentences.with_columns(pl.when(begins).then(pl.lit(axes_text(axes))).alias(AXES))


def axes_text(axes: Iterable[Axis]) -> str:
    """The axes as the column holds them.

    >>> axes_text([Axis("age", ("old", "young")), Axis("race", ("A", "B"), ("with A", "with B"))])
    '{"age": ["old", "young"], "race": {"A": "with A", "B": "with B"}}'
    """
    told = {
        axis.name: dict(zip(axis.groups, axis.phrases, strict=True))
        if axis.phrases
        else list(axis.groups)
        for axis in axes
    }
    return json.dumps(told, ensure_ascii=False)


def axes_said(text: str | None) -> dict[str, Axis]:
    """The axes in a cell of the column by name; none where it holds anything else.

    >>> axes_said('{"age": ["old", "young"]}')["age"].groups, axes_said("[1]")
    (('old', 'young'), {})
    """
    try:
        told = json.loads(text) if text and len(text) <= LONGEST else {}
    except (ValueError, RecursionError):
        return {}
    found = told.items() if isinstance(told, dict) else ()
    return {name: axis for name, given in found if (axis := _axis(name, given))}


def _axis(name: str, given: object) -> Axis | None:
    if isinstance(given, dict) and all(isinstance(phrase, str) for phrase in given.values()):
        return Axis(name, tuple(given), tuple(given.values()))
    if isinstance(given, list) and all(isinstance(group, str) for group in given):
        return Axis(name, tuple(dict.fromkeys(given)))
    return None
