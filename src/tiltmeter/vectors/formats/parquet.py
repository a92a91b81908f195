"""Vectors in Parquet: a column of words, and a column of lists or a column for each value.

Memory grows with the largest row group, which can only be decoded whole, and not with the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tiltmeter.errors import TiltmeterError
from tiltmeter.files import check_cells, check_column_lengths
from tiltmeter.vectors.formats.source import (
    BROKEN,
    REPEATED,
    FoundVectors,
    VectorSource,
    read_start,
)

if TYPE_CHECKING:
    import polars as pl

ROW = "__row"
EXPECTED = "expected one column of words, and one of lists of numbers or one of floats a value"


@dataclass(frozen=True, slots=True)
class VectorColumns:
    """Which columns hold what."""

    word: str
    values: tuple[str, ...]
    listed: bool
    """Whether one column holds a whole vector."""


def parquet_vectors(path: Path) -> VectorSource:
    """The vectors of a Parquet file, of which only the rows asked for are kept."""
    import polars as pl

    read_start(path)
    with _readable(path):
        frame = pl.scan_parquet(path)
        schema = frame.collect_schema()
        check_cells(frame.select(pl.len()).collect().item(), len(schema))
        columns = _columns(path, schema)
        first = check_column_lengths(frame.select(columns.values).head(1).collect())
    if not first.height:
        raise TiltmeterError(f"{path}: has no rows; {EXPECTED}")
    dimension = len(first.row(0)[0] or ()) if columns.listed else len(columns.values)
    if not dimension:
        raise TiltmeterError(f"{path}: row 1 holds no values; {EXPECTED}")
    find = partial(_find, path, columns, dimension)
    return VectorSource(path.name, (path,), dimension, find, "Parquet")


def places_in_column(path: Path, column: str, words: Sequence[str]) -> Mapping[str, Sequence[int]]:
    """The rows in which each word stands in a column."""
    rows = _rows(path, column, words, (column,))
    places: dict[str, list[int]] = {}
    for row, word in rows.select(ROW, column).iter_rows():
        places.setdefault(word, []).append(row)
    return places


def _columns(path: Path, schema: pl.Schema) -> VectorColumns:
    import polars as pl

    texts = [name for name, kind in schema.items() if kind == pl.String]
    lists = [name for name, kind in schema.items() if _holds_numbers(kind)]
    floats = [name for name, kind in schema.items() if kind.is_float()]
    if len(texts) != 1 or len(lists) > 1 or not (lists or floats):
        found = ", ".join(f"{name} ({kind})" for name, kind in schema.items())
        raise TiltmeterError(f"{path}: has the columns {found or 'none'}; {EXPECTED}")
    return VectorColumns(texts[0], tuple(lists or floats), bool(lists))


def _holds_numbers(kind: pl.DataType) -> bool:
    import polars as pl

    return isinstance(kind, pl.List | pl.Array) and pl.Series(dtype=kind.inner).dtype.is_numeric()


def _find(path: Path, columns: VectorColumns, dimension: int, words: Sequence[str]) -> FoundVectors:
    found = FoundVectors()
    for row, word, *values in _rows(path, columns.word, words, columns.values).iter_rows():
        if word in found.vectors:
            found.remark(REPEATED, word, f"again in row {row + 1:,}")
            continue
        numbers = (values[0] or []) if columns.listed else values
        where = f"row {row + 1:,}"
        if len(numbers) == dimension and None not in numbers:
            found.keep(word, numbers, where)
            continue
        held = sum(number is not None for number in numbers)
        found.remark(BROKEN, word, f"{where}: found {held:,} values; expected {dimension:,}")
    return found


def _rows(path: Path, column: str, words: Sequence[str], kept: Sequence[str]) -> pl.DataFrame:
    """The rows of words, in file order, each with its number."""
    import polars as pl

    with _readable(path):
        frame = pl.scan_parquet(path, row_index_name=ROW)
        asked = pl.Series(words, dtype=pl.String).implode()
        chosen = frame.filter(pl.col(column).is_in(asked))
        wanted = chosen.select(ROW, column, *(name for name in kept if name != column))
        return check_column_lengths(wanted.collect())


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        said = getattr(error, "strerror", None) or str(error).splitlines()[0]
        what = f"cannot be read as Parquet: {said}"
        raise TiltmeterError(f"{path}: {what}: fetch it anew") from error
