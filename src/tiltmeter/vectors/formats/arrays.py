"""Vectors in NumPy's files and in Parquet; nothing is unpickled.

.npy      the vectors, which stay on disk, with a vocabulary beside it, a word a line
.npz      arrays `words` and `vectors`, streamed since they may be compressed; a third one, `name`,
          a single text, says what they are called, else the file's name does
.parquet  a column of words, and a column of lists or a column for each value. Memory grows with the
          largest row group, which can only be decoded whole, and not with the file.
"""

from __future__ import annotations

import math
import mmap
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.files import check_archive, check_column_lengths, check_unpacked
from tiltmeter.vectors.formats.source import (
    BROKEN,
    LONGEST_VECTOR,
    REPEATED,
    FoundVectors,
    VectorSource,
    file_errors,
    read_start,
)
from tiltmeter.vectors.formats.text import BOM

if TYPE_CHECKING:
    import polars as pl


Places = Mapping[str, Sequence[int]]
"""The rows where each word stands; more than one where it is repeated."""
LONGEST_LINE = 1 << 20
"""Bytes of a vocabulary's line that are read at once."""
BLOCK = 1 << 20
LONGEST_NAME = 4 * 200
"""Bytes of 200 letters."""
LONGEST_WORD = 1 << 16
AS_TEXT = "np.savez('vectors.npz', words=np.array(words, dtype=str), vectors=vectors)"


@dataclass(frozen=True, slots=True)
class NpyHeader:
    """What an .npy says of its array."""

    shape: tuple[int, ...]
    by_columns: bool
    dtype: np.dtype[Any]


def npy_vectors(path: Path) -> VectorSource:
    """The vectors of an .npy, their words in the .txt of the same stem."""
    read_start(path)
    vocabulary = path.with_suffix(".txt")
    if not vocabulary.is_file():
        what = f"has no vocabulary beside it; expected {vocabulary.name}, a word a line"
        raise TiltmeterError(f"{path}: {what}, in the order of the rows")
    read_start(vocabulary)

    def places(words: Sequence[str]) -> Places:
        """Where words stand in the vocabulary, which must be as long as the matrix."""
        found: dict[bytes, list[int]] = {word.encode(): [] for word in words}
        row = -1
        with file_errors(vocabulary), vocabulary.open("rb") as file:
            if file.read(len(BOM)) != BOM:
                file.seek(0)
            for row, line in enumerate(iter(partial(file.readline, LONGEST_LINE), b"")):
                if (word := line.rstrip(b"\r\n")) in found:
                    found[word].append(row)
        rows = npy_header(path).shape[0]
        if row + 1 != rows:
            what = f"has {row + 1:,} lines, but {path.name} has {rows:,} rows"
            raise TiltmeterError(f"{vocabulary}: {what}; expected a word for each row")
        return {word.decode(): rows for word, rows in found.items() if rows}

    return matrix_vectors(path.name, path, vocabulary, places)


def matrix_vectors(
    name: str,
    matrix: Path,
    vocabulary: Path,
    places: Callable[[Sequence[str]], Places],
    form: str = "NumPy .npy",
) -> VectorSource:
    """The vectors of an .npy whose words something else finds."""
    header = npy_header(matrix)

    def find(words: Sequence[str]) -> FoundVectors:
        with file_errors(matrix):
            rows = np.load(matrix, mmap_mode="r", allow_pickle=False)
        return found_rows(places(words), lambda wanted: rows[wanted])

    return VectorSource(name, (matrix, vocabulary), header.shape[1], find, form)


def array_header(file: IO[bytes], where: str) -> NpyHeader:
    """Read what stands before an array; objects, which only unpickling could read, are refused."""
    try:
        first = np.lib.format.read_magic(file) == (1, 0)
        formats = np.lib.format
        read = formats.read_array_header_1_0 if first else formats.read_array_header_2_0
        header = NpyHeader(*read(file))
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile):
        raise
    except Exception as error:  # whatever NumPy's reader of Python literals raises
        what = (str(error).splitlines() or [type(error).__name__])[0]
        raise TiltmeterError(f"{where}: is no NumPy array: {what}: fetch it anew") from error
    if header.dtype.hasobject:
        what = "holds Python objects, which only unpickling could read; expected plain text"
        raise TiltmeterError(f"{where}: {what} and numbers: {AS_TEXT}")
    return header


def check_vectors(header: NpyHeader, where: str) -> None:
    """Raise if an array cannot hold a vector in each row."""
    if len(header.shape) == 2 and header.shape[1] > LONGEST_VECTOR:
        found = f"rows of {header.shape[1]:,} values"
        raise TiltmeterError(f"{where}: found {found}; expected at most {LONGEST_VECTOR:,}")
    if len(header.shape) != 2 or header.dtype.kind != "f" or not header.shape[1]:
        found = f"{header.dtype} of shape {header.shape}"
        raise TiltmeterError(f"{where}: found {found}; expected floats of shape (words, dimension)")


def found_rows(
    places: Places, rows: Callable[[list[int]], NDArray[np.floating[Any]]]
) -> FoundVectors:
    """The first row of each word; `rows` is handed their numbers in rising order."""
    found = FoundVectors()
    first = sorted((each[0], word) for word, each in places.items())
    for (row, word), values in zip(first, rows([row for row, _ in first]), strict=True):
        found.keep(word, values, f"row {row + 1:,}")
    for word, each in places.items():
        if len(each) > 1:
            found.remark(REPEATED, word, f"again in row {each[1] + 1:,}")
    return found


def npy_header(path: Path) -> NpyHeader:
    """The header of an .npy that holds vectors and all of them."""
    with file_errors(path), path.open("rb") as file:
        header = array_header(file, str(path))
        size = file.tell() + math.prod(header.shape) * header.dtype.itemsize
    check_vectors(header, str(path))
    if path.stat().st_size < size:
        what = f"is cut short: has {path.stat().st_size:,} of {size:,} bytes"
        raise TiltmeterError(f"{path}: {what}: fetch it anew")
    return header


# ---------------------------------------------------------------- .npz


def npz_vectors(path: Path) -> VectorSource:
    """The vectors of an .npz, whose words are texts."""
    read_start(path)
    with file_errors(path):
        check_archive(path)
    with _open_npz(path) as archive:
        held = [name.removesuffix(".npy") for name in archive.namelist()]
        if not {"words", "vectors"} <= set(held):
            found = ", ".join(held) or "nothing"
            raise TiltmeterError(f"{path}: holds {found}; expected words and vectors: {AS_TEXT}")
        words, vectors = (_member(archive, path, name) for name in ("words", "vectors"))
        called = _name(archive, path) if "name" in held else path.name
    check_vectors(vectors, f"{path}: vectors")
    if words.dtype.itemsize > LONGEST_WORD:
        found = f"words of up to {words.dtype.itemsize:,} bytes"
        raise TiltmeterError(f"{path}: holds {found}; expected at most {LONGEST_WORD:,}")
    if words.dtype.kind not in "US" or words.shape != vectors.shape[:1]:
        found = f"words of {words.dtype} and shape {words.shape}, vectors of {vectors.shape}"
        raise TiltmeterError(f"{path}: holds {found}; expected a text for each row: {AS_TEXT}")

    def find(words: Sequence[str]) -> FoundVectors:
        places: dict[str, list[int]] = {word: [] for word in words}
        with _open_npz(path) as archive:
            with archive.open("words.npy") as file:
                for row, text in enumerate(_texts(file, path)):
                    if text in places:
                        places[text].append(row)
            held = {word: rows for word, rows in places.items() if rows}
            with archive.open("vectors.npy") as file:
                return found_rows(held, partial(_rows, file, path))

    return VectorSource(called, (path,), vectors.shape[1], find, "NumPy .npz")


@contextmanager
def _open_npz(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive; whatever a damaged, encrypted or oddly packed one raises is one message."""
    try:
        with file_errors(path), zipfile.ZipFile(path) as archive:
            yield archive
    except TiltmeterError:
        raise
    except Exception as error:
        what = f"is damaged, or packed in a way that is not read ({error})"
        raise TiltmeterError(f"{path}: {what}: {AS_TEXT}") from error


def _member(archive: zipfile.ZipFile, path: Path, name: str) -> NpyHeader:
    with archive.open(f"{name}.npy") as file:
        return array_header(file, f"{path}: {name}")


def _name(archive: zipfile.ZipFile, path: Path) -> str:
    """What the vectors are called; the file's name if that is no single short text."""
    try:
        header = _member(archive, path, "name")
    except TiltmeterError:  # objects, which are never opened
        return path.name
    if header.dtype.kind != "U" or header.shape or header.dtype.itemsize > LONGEST_NAME:
        return path.name
    with archive.open("name.npy") as file:
        return " ".join(_texts(file, path)) or path.name


def _texts(file: IO[bytes], path: Path) -> Iterator[str]:
    """The texts of an array, a block at a time."""
    header = array_header(file, str(path))
    for block in _blocks(file, header.dtype, math.prod(header.shape), path):
        written = header.dtype.kind == "U"
        yield from (block if written else np.char.decode(block, "utf-8", "replace")).tolist()


def _rows(file: IO[bytes], path: Path, wanted: list[int]) -> NDArray[np.floating[Any]]:
    """The rows wanted, in rising order, of an array that can only be read from front to back."""
    header = array_header(file, str(path))
    count, dimension = header.shape
    out = np.empty((len(wanted), dimension), dtype=header.dtype)
    lines, width = (dimension, count) if header.by_columns else (count, dimension)
    begun = 0
    for block in _blocks(file, np.dtype((header.dtype, (width,))), lines, path):
        stop = begun + len(block)
        if header.by_columns:
            out[:, begun:stop] = block[:, wanted].T
        else:
            low, high = np.searchsorted(wanted, [begun, stop])
            out[low:high] = block[np.array(wanted[low:high], dtype=int) - begun]
        begun = stop
    return out


def _blocks(
    file: IO[bytes], dtype: np.dtype[Any], count: int, path: Path
) -> Iterator[NDArray[Any]]:
    """So many items of an array, a few at a time."""
    at_once = max(1, BLOCK // max(1, dtype.itemsize))
    for begun in range(0, count, at_once):
        size = min(at_once, count - begun) * dtype.itemsize
        held = file.read(size)
        if len(held) < size:
            raise TiltmeterError(f"{path}: is cut short: an array is not all there: fetch it anew")
        yield np.frombuffer(held, dtype=dtype)


# ---------------------------------------------------------------- Parquet

ROW = "__row"
EXPECTED = "expected one column of words, and one of lists of numbers or one of floats a value"


def parquet_vectors(path: Path) -> VectorSource:
    """The vectors of a Parquet file, of which only the rows asked for are kept."""
    import polars as pl

    def holds_numbers(kind: pl.DataType) -> bool:
        if not isinstance(kind, pl.List | pl.Array):
            return False
        return pl.Series(dtype=kind.inner).dtype.is_numeric()

    read_start(path)
    with _readable(path):
        frame = pl.scan_parquet(path)
        schema = frame.collect_schema()
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            check_unpacked(data)
        texts = [name for name, kind in schema.items() if kind == pl.String]
        lists = [name for name, kind in schema.items() if holds_numbers(kind)]
        floats = [name for name, kind in schema.items() if kind.is_float()]
        if len(texts) != 1 or len(lists) > 1 or not (lists or floats):
            found = ", ".join(f"{name} ({kind})" for name, kind in schema.items())
            raise TiltmeterError(f"{path}: has the columns {found or 'none'}; {EXPECTED}")
        first = check_column_lengths(frame.select(lists or floats).head(1).collect())
    if not first.height:
        raise TiltmeterError(f"{path}: has no rows; {EXPECTED}")
    dimension = len(first.row(0)[0] or ()) if lists else len(floats)
    if not dimension:
        raise TiltmeterError(f"{path}: row 1 holds no values; {EXPECTED}")

    def find(words: Sequence[str]) -> FoundVectors:
        found, rows = FoundVectors(), _parquet_rows(path, texts[0], words, lists or floats)
        for row, word, *values in rows.iter_rows():
            where = f"row {row + 1:,}"
            numbers = (values[0] or []) if lists else values
            if word in found.vectors:
                found.remark(REPEATED, word, f"again in {where}")
            elif len(numbers) == dimension and None not in numbers:
                found.keep(word, numbers, where)
            else:
                held = sum(number is not None for number in numbers)
                what = f"found {held:,} values; expected {dimension:,}"
                found.remark(BROKEN, word, f"{where}: {what}")
        return found

    return VectorSource(path.name, (path,), dimension, find, "Parquet")


def places_in_column(path: Path, column: str, words: Sequence[str]) -> Mapping[str, Sequence[int]]:
    """The rows in which each word stands in a column."""
    rows = _parquet_rows(path, column, words, (column,))
    places: dict[str, list[int]] = {}
    for row, word in rows.select(ROW, column).iter_rows():
        places.setdefault(word, []).append(row)
    return places


def _parquet_rows(
    path: Path, column: str, words: Sequence[str], kept: Sequence[str]
) -> pl.DataFrame:
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
