"""The six tables that pass between rooms, and the check that a frame keeps to one.

    corpora ──sentences──▶ scoring ──scores──▶ measures ──estimates──▶ findings ──▶ report

A table here is a schema; the data are Polars frames. `validate` names the offending rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from tiltmeter.errors import Problem, TableError

if TYPE_CHECKING:
    import polars as pl


class State(StrEnum):
    """One of a few words that a column or an answer may hold; shown as the word it is."""

    def __repr__(self) -> str:
        return repr(self.value)


class Significance(State):
    """Whether a difference shows after correction, and which way it goes."""

    NONE = "none"
    UP = "up"
    DOWN = "down"
    NOT_ESTIMABLE = "not_estimable"


class Verdict(State):
    """Whether a difference is beyond a margin that matters."""

    TILTED = "tilted"
    EVEN = "even"
    UNDECIDED = "undecided"
    NO_SIGNAL = "no_signal"
    """In place of even and undecided, where a system does not read the sentences."""
    NOT_ESTIMABLE = "not_estimable"


ROWS_NAMED = 5
"""How many offending rows one problem names."""

AVERAGE = "average"
"""In `reference`: what a group is compared with where it is no group but the average of all."""
MANY_GROUPS = 5
"""Groups of an axis from which on each is compared with the average of all, not every other."""


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """One column: its Polars type by name, whether null is allowed, which values are."""

    dtype: str = "String"
    nullable: bool = False
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableSchema:
    """One table: its columns in order, the columns that identify a row, and what may be added."""

    name: str
    columns: dict[str, ColumnSchema]
    key: tuple[str, ...] = ()
    extra: ColumnSchema | None = field(default=None)
    """What a further column must look like (the axes of `sentences`); None: no further one."""


TEXT, MAYBE_TEXT = ColumnSchema(), ColumnSchema(nullable=True)
MAYBE_NUMBER = ColumnSchema("Float64", nullable=True)
COUNT = ColumnSchema("Int64")

SENTENCES = TableSchema(
    "sentences",
    {
        "id": TEXT,
        "text": TEXT,
        "corpus": TEXT,
        "edition": TEXT,
        "language": TEXT,
        "template": TEXT,
        "person": TEXT,
        "emotion": MAYBE_TEXT,
        "emotion_word": MAYBE_TEXT,
        "frame": TEXT,
        "match": TEXT,
    },
    key=("corpus", "edition", "id"),
    extra=MAYBE_TEXT,
)

PEOPLE = TableSchema(
    "people",
    {
        "corpus": TEXT,
        "person": TEXT,
        "match": TEXT,
        "family": MAYBE_TEXT,
        "bearers": ColumnSchema("Int64", nullable=True),
        "weight": ColumnSchema("Float64"),
        "probability": MAYBE_NUMBER,
        "frames": COUNT,
        "word": ColumnSchema("Boolean", nullable=True),
    },
    key=("corpus", "person"),
)
"""Whom a corpus speaks of: what each counts in their population (their bearers, or 1), how likely
they were to be drawn (null: nobody was drawn by lot; 1: certain to come), how many frames they
meet, and whether their name is also a word."""

SCORES = TableSchema(
    "scores",
    {
        "system": TEXT,
        "task": TEXT,
        "corpus": TEXT,
        "id": TEXT,
        "repeat": COUNT,
        "raw": MAYBE_NUMBER,
        "score": MAYBE_NUMBER,
        "reason": MAYBE_TEXT,
    },
    key=("system", "task", "corpus", "id", "repeat"),
)

VECTORS = TableSchema(
    "vectors",
    {"encoder": TEXT, "text": TEXT, "vector": ColumnSchema("List(Float32)")},
    key=("encoder", "text"),
)

_ESTIMATE_KEYS = dict.fromkeys(
    ("system", "task", "corpus", "edition", "mode", "axis", "contrast", "reference"), TEXT
) | {"subset": TEXT, "measure": TEXT}

ESTIMATES = TableSchema(
    "estimates",
    _ESTIMATE_KEYS
    | {"value": MAYBE_NUMBER, "unit": TEXT}
    | dict.fromkeys(("se", "low", "high", "statistic", "df", "p"), MAYBE_NUMBER)
    | {"n": COUNT, "n_dropped": COUNT},
    key=tuple(_ESTIMATE_KEYS),
)

FINDINGS = TableSchema(
    "findings",
    {"id": TEXT}
    | {name: column for name, column in _ESTIMATE_KEYS.items() if name != "reference"}
    | dict.fromkeys(("value", "low", "high", "p", "p_adjusted"), MAYBE_NUMBER)
    | {
        "family": COUNT,
        "n": COUNT,
        "significance": ColumnSchema(values=tuple(Significance)),
        "verdict": ColumnSchema(nullable=True, values=tuple(Verdict)),
        "margin": MAYBE_NUMBER,
        "rule": TEXT,
        "sentence": TEXT,
    },
    key=("id",),
)

TABLES = {table.name: table for table in (SENTENCES, PEOPLE, SCORES, VECTORS, ESTIMATES, FINDINGS)}


def validate(frame: pl.DataFrame, table: TableSchema, *, where: str = "") -> pl.DataFrame:
    """Return the frame when it keeps to the table, else raise with every problem and its rows.

    >>> import polars as pl
    >>> validate(pl.DataFrame({"encoder": ["e"], "text": ["a"]}), VECTORS)
    Traceback (most recent call last):
    tiltmeter.errors.TableError: the vectors table is not as it should be:
      vectors: no column 'vector'; expected encoder, text, vector
    """
    problems = [Problem(where or table.name, what) for what in _problems(frame, table)]
    if problems:
        raise TableError(f"the {table.name} table is not as it should be", problems)
    return frame


def _problems(frame: pl.DataFrame, table: TableSchema) -> Iterator[str]:
    expected = ", ".join(table.columns)
    for name in table.columns:
        if name not in frame.columns:
            yield f"no column {name!r}; expected {expected}"
    for name in frame.columns:
        column = table.columns.get(name, table.extra)
        if column is None:
            yield f"unknown column {name!r}; expected {expected}"
        else:
            yield from _column_problems(frame[name], column)
    if table.key and set(table.key) <= set(frame.columns):
        keys = frame.select(table.key)
        repeated = keys.is_duplicated()
        if repeated.any():
            first = keys.filter(repeated).row(0, named=True)
            named = ", ".join(f"{name}={value!r}" for name, value in first.items())
            yield f"{named} stands more than once, in {_rows(repeated)}; expected unique rows"


def _column_problems(series: pl.Series, column: ColumnSchema) -> Iterator[str]:
    import polars as pl

    if str(series.dtype) != column.dtype:
        yield f"column {series.name!r} holds {series.dtype}; expected {column.dtype}"
        return
    if not column.nullable and series.null_count():
        yield f"column {series.name!r} is empty in {_rows(series.is_null())}; expected a value"
    finite = None  # on its own or within a vector; null is allowed
    if series.dtype.is_float():
        finite = series.fill_null(0.0).is_finite()
    elif series.dtype == pl.List(pl.Float32):
        each = series.list.eval(pl.element().fill_null(0.0).is_finite())
        finite = each.list.all().fill_null(True)
    if finite is not None and not finite.all():
        yield f"column {series.name!r} is NaN or infinite in {_rows(~finite)}; expected a number"
    if column.values:
        bad = series.is_not_null() & ~series.is_in(list(column.values))
        if bad.any():
            found = series.filter(bad)[0]
            yield (
                f"column {series.name!r} holds {found!r} in {_rows(bad)}; "
                f"expected one of {', '.join(column.values)}"
            )


def _rows(flags: pl.Series) -> str:
    """Name the first flagged rows, counted from 1: 'rows 3, 7, 9 and 12 more'."""
    rows = [row + 1 for row in flags.arg_true().to_list()]
    shown = ", ".join(f"{row:,}" for row in rows[:ROWS_NAMED])
    rest = f" and {len(rows) - ROWS_NAMED:,} more" if len(rows) > ROWS_NAMED else ""
    return f"row{'s' if len(rows) > 1 else ''} {shown}{rest}"


def read_as_used(
    batches: Callable[[int | None], Iterator[pl.DataFrame]], schema: pl.Schema
) -> pl.LazyFrame:
    """A lazy frame whose rows come from `batches`, of about a given size, each time it is used."""
    from polars.io.plugins import register_io_source

    def source(
        columns: list[str] | None,
        predicate: pl.Expr | None,
        limit: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        for batch in batches(batch_size):
            left = batch if limit is None else batch.head(limit)
            limit = None if limit is None else limit - left.height
            kept = left if predicate is None else left.filter(predicate)
            yield kept if columns is None else kept.select(columns)
            if limit == 0:
                return

    return register_io_source(source, schema=schema)
