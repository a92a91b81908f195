"""Systems' stored outputs, as Lakkaraju et al. 2023 keep theirs, read for a rating.

    files ──names──▶ system, dataset ──columns, rows──▶ one table ──datasets, rules──▶ results

A table with the columns Gender, Emotion and Sentiment for each system and dataset; Race where the
dataset has it. What is guessed, counted or left out stands in the notes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tiltmeter.corpora.files import read_table
from tiltmeter.corpora.rating_results.columns import absent_axes, axis_problems, columns_of
from tiltmeter.corpora.rating_results.datasets import (
    Datasets,
    confounded,
    contradictions,
    settled,
)
from tiltmeter.corpora.rating_results.files import SUBJECT, ResultFile, result_files
from tiltmeter.corpora.rating_results.notes import (
    guessed,
    left_out,
    maybe_one,
    unanswered,
    unequal,
)
from tiltmeter.corpora.rating_results.rows import Opened, bad_cells, said_rows, understood
from tiltmeter.corpora.rating_results.rules import (
    broken_rules,
    one_spelling,
    without_repeats,
)
from tiltmeter.corpora.rating_results.words import both_ways, polarity_of_words, unknown_words
from tiltmeter.errors import CorpusError, Problem, ScoreFileError

AXES = ("race", "gender")
UNKNOWN_SHOWN = 12
"""How many words of unknown polarity a message lists."""


@dataclass(frozen=True, slots=True)
class RatingResults:
    """What systems answered, sentence by sentence."""

    rows: pl.DataFrame
    """system, group, words, an axis each (null: NA), emotion_word, polarity, raw (null: missing),
    text, file, line."""
    notes: tuple[str, ...]
    """What was guessed, counted and left out, for people."""
    confounded: Datasets
    ranges: Mapping[str, tuple[float, float]]
    """The lowest and the highest score by system; without those that answered nothing."""
    axes: tuple[str, ...]
    """Those on which somebody has a value."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order of their names."""
        return tuple(sorted(set(self.rows["system"])))

    @property
    def datasets(self) -> tuple[tuple[str, str], ...]:
        """Group and set of words of each dataset, in order."""
        return tuple(sorted(self.confounded))


def read_rating_results(
    path: Path,
    *,
    axes: Sequence[str] = AXES,
    positive: Sequence[str] = (),
    negative: Sequence[str] = (),
    encoding: str | None = None,
) -> RatingResults:
    """Read stored outputs from a file or a folder of files; everything wrong is said at once.

    `axes` are the columns with people's groups; `positive` and `negative` say what further emotion
    words are. Scores stay as they are.
    """
    path, wanted = Path(path), _as_ours(axes)
    _raise([*axis_problems(wanted), *both_ways(positive, negative)])
    files, aside = result_files(path)
    opened = _opened(files, wanted, encoding)
    found = tuple(axis for axis in wanted if any(axis in one.columns.axes for one in opened))
    said = pl.concat([said_rows(one) for one in opened], how="diagonal")
    rows = understood(said, found, polarity_of_words(positive, negative))
    _raise([*bad_cells(rows, opened), *_unknown(rows), *_nothing(path, rows)])
    rows, inferred = settled(one_spelling(rows, found), found)
    _raise(broken_rules(rows, found))
    rows, repeats = without_repeats(rows, found)
    notes = (
        *guessed(opened),
        *inferred,
        *left_out(opened, _wordless(said, rows)),
        *repeats,
        *unanswered(rows),
        *contradictions(rows, found),
        *maybe_one(rows, found),
        *unequal(rows),
        *aside,
    )
    held = tuple(axis for axis in found if rows[axis].null_count() < rows.height)
    return RatingResults(_ordered(rows, found), notes, confounded(rows, found), _ranges(rows), held)


def _as_ours(axes: Sequence[str]) -> tuple[str, ...]:
    """The axes, each once; race and gender in lower case however they were asked for."""
    known = {axis.casefold(): axis for axis in AXES}
    return tuple(dict.fromkeys(known.get(axis.casefold(), axis) for axis in axes))


def _raise(problems: Sequence[Problem]) -> None:
    if problems:
        raise ScoreFileError(SUBJECT, problems)


def _opened(files: Sequence[ResultFile], axes: Sequence[str], encoding: str | None) -> list[Opened]:
    """Every file with its columns, or everything that keeps any of them from being read."""
    opened, problems = list[Opened](), list[Problem]()
    for file in files:
        try:
            table = read_table(file.path, encoding)
        except CorpusError as error:
            problems += error.problems
            continue
        opened.append(Opened(file, table, columns_of(table, axes)))
    problems += [problem for one in opened for problem in one.columns.problems]
    _raise(problems or list(absent_axes(axes, [(one.table, one.columns) for one in opened])))
    return opened


def _wordless(said: pl.DataFrame, rows: pl.DataFrame) -> dict[str, int]:
    """How many rows of a file were left out, since they have no emotion word."""
    kept = dict(rows.group_by("file").len().rows())
    return {file: size - kept.get(file, 0) for file, size in said.group_by("file").len().rows()}


def _unknown(rows: pl.DataFrame) -> list[Problem]:
    """The words of which nobody said whether they are positive."""
    found = rows.filter(pl.col("polarity").is_null()).unique("emotion_word", maintain_order=True)
    return unknown_words(dict(found.select("emotion_word", "place").rows()[:UNKNOWN_SHOWN]))


def _nothing(path: Path, rows: pl.DataFrame) -> Iterator[Problem]:
    if rows.is_empty():
        what = "no row has an emotion word; expected one in every row, such as grim or happy"
        yield Problem(str(path), what)
    elif rows["raw"].null_count() == rows.height:
        what = f"all {rows.height:,} scores are missing; expected numbers in the column Sentiment"
        yield Problem(str(path), what)


def _ordered(rows: pl.DataFrame, axes: Sequence[str]) -> pl.DataFrame:
    """The rows in an order that no file and no line decides."""
    keys = ("system", "group", "words", "emotion_word", *axes, "text", "raw", "file", "line")
    columns = ("system", "group", "words", *axes, "emotion_word", "polarity", "raw", "text")
    return rows.sort(keys, nulls_last=True).select(*columns, "file", "line")


def _ranges(rows: pl.DataFrame) -> dict[str, tuple[float, float]]:
    answered = rows.drop_nulls("raw").group_by("system")
    found = answered.agg(pl.col("raw").min().alias("low"), pl.col("raw").max().alias("high"))
    return {system: (low, high) for system, low, high in found.sort("system").rows()}
