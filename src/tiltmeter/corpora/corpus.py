"""A corpus in hand: what it compares, its sentences all at once or in batches, and its file.

It is written as CSV, TSV, JSONL or Parquet, a batch at a time, and opens again as the same corpus.
A CSV has no place for facts about a table, and a file is sorted, filtered and saved again by other
programs. So the order of the groups is a column like corpus, edition and language: a JSON object at
the first sentence of each frame. A corpus known by name needs none: its name says it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import IO

import numpy as np
import polars as pl

from tiltmeter.columns import AXES
from tiltmeter.corpora.design import Axis, Dataset, Design, RatingPlan, WritingDirection, direction
from tiltmeter.corpora.expand import design_size, expand
from tiltmeter.corpora.people import PopulationSummary, summarise_population
from tiltmeter.corpora.people_sampling import design_people, people_of
from tiltmeter.errors import TiltmeterError
from tiltmeter.files import without_formulas, write_aside, writer_for
from tiltmeter.schemas import SENTENCES, read_as_used

ROWS = 65_536
"""Sentences in a batch unless the caller asks otherwise."""


@dataclass(frozen=True)
class Corpus:
    """A named set of sentences about people, ready to be scored and compared.

    It comes from templates, with a `design`, or from a user's table, without one.
    """

    name: str
    title: str
    edition: str
    language: str
    axes: tuple[Axis, ...]
    size: int
    write: Callable[[int], Iterator[pl.DataFrame]] = field(repr=False)
    """Writes the sentences in batches of at most so many rows."""
    design: Design | None = field(default=None, repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    """What a reader of the corpus should know: guesses made, rows repaired, words drawn."""
    dataset: Dataset | None = field(default=None, repr=False)
    """Which dataset of a rating group this is; None for any other corpus."""

    drawn: pl.DataFrame | None = field(default=None, repr=False, compare=False)
    """The `people` table, where the corpus was rebuilt from an audit and has no design."""
    drawn_from: PopulationSummary | None = field(default=None, repr=False, compare=False)

    def batches(self, rows: int = ROWS) -> Iterator[pl.DataFrame]:
        """The sentences in order, at most `rows` at a time, in memory that does not grow."""
        if rows < 1:
            raise TiltmeterError(f"a batch needs at least one row; found rows={rows}")
        return self.write(rows)

    def blocks(self, rows: int = ROWS) -> Iterator[pl.DataFrame]:
        """The sentences in order, about `rows` at a time, no frame parted."""
        return whole_frames(self.batches(rows), rows)

    def sentences(self) -> pl.DataFrame:
        """All sentences as one frame."""
        return pl.concat(self.batches(), rechunk=True) if self.large else self._held

    @cached_property
    def _held(self) -> pl.DataFrame:
        """The same, written once: an audit looks at them several times."""
        return pl.concat(self.batches(), rechunk=True)

    def lazy(self, rows: int = ROWS) -> pl.LazyFrame:
        """The sentences as a lazy frame that is written as it is read, for streaming queries."""
        return read_as_used(lambda size: self.batches(size or rows), self.schema)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the sentences, the axes after the person."""
        names = list(SENTENCES.columns)
        at = names.index("person") + 1
        return (*names[:at], *(axis.name for axis in self.axes), *names[at:])

    @property
    def schema(self) -> pl.Schema:
        """The columns with their types."""
        return pl.Schema({name: pl.String() for name in self.columns})

    @property
    def rating(self) -> RatingPlan | None:
        """How datasets for rating are drawn from the corpus, where its file says so."""
        return self.design.rating if self.design else None

    @cached_property
    def people(self) -> pl.DataFrame:
        """Whom its sentences are about, as the `people` table; empty for a table of a user's own.

        What a person counts, how likely they were to be drawn, and how many frames they meet.
        """
        if self.design is None:
            return people_of(()) if self.drawn is None else self.drawn
        if self.dataset is None:
            return design_people(self.design)
        met = self.sentences().group_by("person").agg(pl.col("frame").n_unique())
        return design_people(self.design, dict(met.iter_rows()))

    @cached_property
    def population(self) -> PopulationSummary | None:
        """The population that people are drawn from; None where the corpus has only lists."""
        deal = self.design.deal if self.design else None
        return summarise_population(deal) if deal else self.drawn_from

    @property
    def direction(self) -> WritingDirection:
        """The way the corpus is written: left to right or right to left."""
        return direction(self.language)

    @property
    def large(self) -> bool:
        """Whether it is gone through in batches rather than held as a whole."""
        return self.size > LARGE

    @cached_property
    def survey(self) -> Survey:
        """What stands in it, from going through it once."""
        return survey_corpus(self)

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of the sorted texts joined by newlines: the same for the same sentences.

        A large corpus' texts are taken in their order, and its checksum says so.
        """
        if self.large:
            return self.survey.checksum
        texts = self.sentences()["text"].sort().to_list()
        return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def from_design(design: Design) -> Corpus:
    """A corpus whose sentences are written from templates."""
    return Corpus(
        design.name,
        design.title,
        design.edition,
        design.language,
        design.axes,
        design_size(design),
        partial(expand, design),  # not a function of its own, which would not pickle
        design,
    )


def whole_frames(batches: Iterable[pl.DataFrame], rows: int) -> Iterator[pl.DataFrame]:
    """Batches of about `rows` sentences, each cut where a frame ends.

    A frame that alone has more sentences makes a larger batch. The cuts depend on the sentences
    and on `rows` alone, so the same corpus is always cut alike.

    >>> batch = pl.DataFrame({"frame": ["a", "a", "b", "b", "b", "c"]})
    >>> [part["frame"].to_list() for part in whole_frames([batch[:3], batch[3:]], 4)]
    [['a', 'a'], ['b', 'b', 'b', 'c']]
    """
    waiting: list[pl.DataFrame] = []
    many = 0
    for batch in batches:
        waiting.append(batch)
        many += batch.height
        while many > rows:
            held = pl.concat(waiting)
            frame = held["frame"]
            ends = (frame != frame.shift(1)).fill_null(False).arg_true()
            if not ends.len():
                waiting = [held]
                break
            before = ends.filter(ends <= rows)
            cut = int(before[-1] if before.len() else ends[0])
            yield held[:cut]
            waiting, many = [held[cut:]], held.height - cut
    if many:
        yield pl.concat(waiting)


# -------------------------------- a large corpus, gone through once


LARGE = 250_000
"""Sentences beyond which a corpus is gone through in batches and never held as a whole."""
PARTS = ("template", "emotion")
IN_ORDER = "in-order-"
"""Before the checksum of a corpus too large to be sorted."""


@dataclass(frozen=True, eq=False, slots=True)
class Survey:
    """What stands in a corpus, without its sentences."""

    parts: pl.DataFrame
    """template and emotion, as they come: what subsets are made of."""
    witnesses: pl.DataFrame
    """A sentence of every group of every axis."""
    checksum: str
    """Of the texts in their order."""
    several_axes: bool
    """Whether some person has a group on every axis, and there are two."""
    together: bool
    """Whether the sentences of every frame stand together."""


def survey_corpus(corpus: Corpus) -> Survey:
    """Go through a corpus once."""
    axes = [axis.name for axis in corpus.axes]
    schema = corpus.schema
    parts, witnesses = (pl.DataFrame(schema=schema) for _ in range(2))
    digest, frames, last, complete = hashlib.sha256(), list[pl.Series](), None, False
    for batch in corpus.batches():
        digest.update("".join(f"{text}\n" for text in batch["text"]).encode())
        parts = pl.concat([parts, batch]).unique(PARTS, keep="first", maintain_order=True)
        witnesses = pl.concat([witnesses, batch]).unique(axes, keep="first", maintain_order=True)
        complete = complete or batch.drop_nulls(axes).height > 0
        frame = batch["frame"]
        frames.append(frame.filter(frame.ne_missing(frame.shift(1, fill_value=last))).hash())
        last = frame[-1]
    begun = np.concatenate([part.to_numpy() for part in frames]) if frames else np.zeros(0)
    return Survey(
        parts=parts.select(PARTS),
        witnesses=witnesses,
        checksum=IN_ORDER + digest.hexdigest(),
        several_axes=len(axes) > 1 and complete,
        together=np.unique(begun).size == begun.size,
    )


# -------------------------------- written to a file

ROWS_WRITTEN = 16_384
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


def _write_jsonl(corpus: Corpus, file: IO[bytes]) -> int:
    for batch in _batches(corpus):
        file.write(batch.write_ndjson().encode())
    return 0


def _write_parquet(corpus: Corpus, file: IO[bytes]) -> int:
    schema = corpus.schema
    if _says_axes(corpus):
        schema = pl.Schema({**schema, AXES: pl.String()})
    rows = read_as_used(lambda size: _batches(corpus, size or ROWS_WRITTEN), schema)
    rows.sink_parquet(file, maintain_order=True)
    return 0


def _batches(corpus: Corpus, rows: int = ROWS_WRITTEN) -> Iterator[pl.DataFrame]:
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
    ".tsv": partial(write_csv, separator="\t"),
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
    groups = {
        axis.name: dict(zip(axis.groups, axis.phrases, strict=True))
        if axis.phrases
        else list(axis.groups)
        for axis in axes
    }
    return json.dumps(groups, ensure_ascii=False)


def axes_said(text: str | None) -> dict[str, Axis]:
    """The axes in a cell of the column by name; none where it holds anything else.

    >>> axes_said('{"age": ["old", "young"]}')["age"].groups, axes_said("[1]")
    (('old', 'young'), {})
    """
    try:
        cell = json.loads(text) if text and len(text) <= LONGEST else {}
    except (ValueError, RecursionError):
        return {}
    axes = {}
    for name, groups in cell.items() if isinstance(cell, dict) else ():
        if isinstance(groups, dict) and all(isinstance(phrase, str) for phrase in groups.values()):
            axes[name] = Axis(name, tuple(groups), tuple(groups.values()))
        elif isinstance(groups, list) and all(isinstance(group, str) for group in groups):
            axes[name] = Axis(name, tuple(dict.fromkeys(groups)))
    return axes
