"""The rows of stored outputs: as files say them, then a group, a polarity and a score each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.corpora.rating_results.columns import Columns
from tiltmeter.corpora.rating_results.files import ResultFile
from tiltmeter.corpora.rating_results.names import dataset_named, group_named, set_named
from tiltmeter.corpora.rating_results.words import NOT_SAID, plain, word_of
from tiltmeter.corpora.table_file import BY_ROW, TableFile

NOBODY = ("na", "n/a", "none", "unknown", "-", "nan", "null")
"""What stands for a person without a value on an axis, besides an empty cell."""
UNANSWERED = ("nan", "none", "null", "na", "n/a")
"""What stands for a score that is missing, besides an empty cell."""
CELLS = ("system", "dataset", "group", "words", "word", "emotion", "sentiment", "id", "text")


@dataclass(frozen=True, slots=True)
class Opened:
    """A file, or some of its rows, whose columns are known."""

    file: ResultFile
    table: TableFile
    columns: Columns


def said_rows(opened: Opened) -> pl.DataFrame:
    """The rows as the file says them: CELLS and its axes as text, and where each row stands."""
    table, columns, named = opened.table, opened.columns, opened.file.named
    row = "row " if table.path.suffix.lower() in BY_ROW else ""
    return table.frame.select(
        *(_cell(columns.ours.get(ours)).alias(ours) for ours in CELLS),
        *(_cell(theirs).alias(axis) for axis, theirs in columns.axes.items()),
        pl.lit(named.system).alias("named"),
        pl.lit(named.group, pl.String).alias("group_of_file"),
        pl.lit(named.words, pl.String).alias("words_of_file"),
        pl.lit("system" in columns.ours).alias("own"),
        pl.lit(bool({"emotion", "word"} & columns.ours.keys())).alias("words_told"),
        pl.lit(str(table.path)).alias("file"),
        table.lines.alias("line"),
        (pl.lit(f"{table.path}:{row}") + table.lines.cast(pl.String)).alias("place"),
    )


def _cell(column: str | None) -> pl.Expr:
    """What stands in a column, empty cells null; null where the file has no such column."""
    if column is None:
        return pl.lit(None, pl.String)
    return pl.col(column).str.strip_chars().replace("", None)


def understood(
    said: pl.DataFrame, axes: Sequence[str], polarity: Mapping[str, str]
) -> pl.DataFrame:
    """The rows that have an emotion word, read.

    system, group and words (null: not said), an axis each, emotion_word, polarity (null: not known,
    or not said), raw, sentiment (as written), text, key (the text or ID, null without either), own
    (the file names the system), file, line and place.
    """

    def kind(column: str) -> pl.Expr:
        return _each(said, column, lambda text: polarity.get(plain(text)))

    def word(column: str) -> pl.Expr:
        return _each(said, column, lambda text: word_of(text, polarity))

    wordless = pl.when(~pl.col("words_told")).then(pl.lit(NOT_SAID))
    unanswered = pl.col("sentiment").str.to_lowercase().is_in(UNANSWERED)
    numbers = pl.col("sentiment").cast(pl.Float64, strict=False).fill_nan(None)
    rows = said.with_columns(
        pl.when("own").then("system").otherwise("named").alias("system"),
        *_dataset(said),
        *(_each(said, axis, _group).alias(axis) for axis in axes),
        pl.coalesce(word("word"), word("emotion"), wordless).alias("emotion_word"),
        pl.coalesce(kind("word"), kind("emotion")).alias("polarity"),
        pl.when(unanswered).then(None).otherwise("sentiment").alias("sentiment"),
        pl.coalesce("text", pl.format("ID {}", "id")).alias("key"),
    ).with_columns(numbers.alias("raw"))
    return rows.filter(pl.col("emotion_word").is_not_null())


def _each(rows: pl.DataFrame, column: str, told: Callable[[str], str | None]) -> pl.Expr:
    """Each distinct text of a column turned into another one, once."""
    known = {text: told(text) for text in rows[column].unique().drop_nulls()}
    return pl.col(column).replace_strict(
        list(known), list(known.values()), default=None, return_dtype=pl.String
    )


def _dataset(said: pl.DataFrame) -> tuple[pl.Expr, pl.Expr]:
    """The group and set of words: from the dataset's column, their own, else the file's name."""
    group = _each(said, "dataset", lambda text: dataset_named(text)[0])
    words = _each(said, "dataset", lambda text: dataset_named(text)[1])
    groups = pl.coalesce(group, _each(said, "group", group_named), "group_of_file")
    sets = pl.coalesce(words, _each(said, "words", set_named), "words_of_file")
    return groups.alias("group"), sets.alias("words")


def _group(text: str) -> str | None:
    return None if plain(text) in NOBODY else " ".join(text.split())
