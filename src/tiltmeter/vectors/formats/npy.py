"""Vectors in an .npy, which stays on disk, with a vocabulary beside it; nothing is unpickled."""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors.formats.files import beginning, reading
from tiltmeter.vectors.formats.source import LONGEST_VECTOR, REPEATED, Found, Source
from tiltmeter.vectors.formats.text_layout import BOM

Places = Mapping[str, Sequence[int]]
"""The rows where each word stands; more than one where it is repeated."""
LONGEST_LINE = 1 << 20
"""Bytes of a vocabulary's line that are read at once."""
AS_TEXT = "np.savez('vectors.npz', words=np.array(words, dtype=str), vectors=vectors)"


@dataclass(frozen=True, slots=True)
class Header:
    """What an .npy says of its array."""

    shape: tuple[int, ...]
    by_columns: bool
    dtype: np.dtype[Any]


def npy_vectors(path: Path) -> Source:
    """The vectors of an .npy, their words in the .txt of the same stem."""
    beginning(path)
    vocabulary = path.with_suffix(".txt")
    if not vocabulary.is_file():
        what = f"has no vocabulary beside it; expected {vocabulary.name}, a word a line"
        raise TiltmeterError(f"{path}: {what}, in the order of the rows")
    beginning(vocabulary)
    return matrix_vectors(path.name, path, vocabulary, partial(_places, path, vocabulary))


def matrix_vectors(
    name: str,
    matrix: Path,
    vocabulary: Path,
    places: Callable[[Sequence[str]], Places],
    form: str = "NumPy .npy",
) -> Source:
    """The vectors of an .npy whose words something else finds."""
    header = npy_header(matrix)

    def find(words: Sequence[str]) -> Found:
        with reading(matrix):
            rows = np.load(matrix, mmap_mode="r", allow_pickle=False)
        return taken(places(words), lambda wanted: rows[wanted])

    return Source(name, (matrix, vocabulary), header.shape[1], find, form)


def array_header(file: IO[bytes], where: str) -> Header:
    """Read what stands before an array; objects, which only unpickling could read, are refused."""
    try:
        first = np.lib.format.read_magic(file) == (1, 0)
        formats = np.lib.format
        read = formats.read_array_header_1_0 if first else formats.read_array_header_2_0
        header = Header(*read(file))
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile):
        raise
    except Exception as error:  # whatever NumPy's reader of Python literals raises
        what = (str(error).splitlines() or [type(error).__name__])[0]
        raise TiltmeterError(f"{where}: is no NumPy array: {what}: fetch it anew") from error
    if header.dtype.hasobject:
        what = "holds Python objects, which only unpickling could read; expected plain text"
        raise TiltmeterError(f"{where}: {what} and numbers: {AS_TEXT}")
    return header


def must_be_vectors(header: Header, where: str) -> None:
    """Raise if an array cannot hold a vector in each row."""
    if len(header.shape) == 2 and header.shape[1] > LONGEST_VECTOR:
        found = f"rows of {header.shape[1]:,} values"
        raise TiltmeterError(f"{where}: found {found}; expected at most {LONGEST_VECTOR:,}")
    if len(header.shape) != 2 or header.dtype.kind != "f" or not header.shape[1]:
        found = f"{header.dtype} of shape {header.shape}"
        raise TiltmeterError(f"{where}: found {found}; expected floats of shape (words, dimension)")


def taken(places: Places, rows: Callable[[list[int]], NDArray[np.floating[Any]]]) -> Found:
    """The first row of each word; `rows` is handed their numbers in rising order."""
    found = Found()
    first = sorted((each[0], word) for word, each in places.items())
    for (row, word), values in zip(first, rows([row for row, _ in first]), strict=True):
        found.keep(word, values, f"row {row + 1:,}")
    for word, each in places.items():
        if len(each) > 1:
            found.remark(REPEATED, word, f"again in row {each[1] + 1:,}")
    return found


def npy_header(path: Path) -> Header:
    """The header of an .npy that holds vectors and all of them."""
    with reading(path), path.open("rb") as file:
        header = array_header(file, str(path))
        size = file.tell() + math.prod(header.shape) * header.dtype.itemsize
    must_be_vectors(header, str(path))
    if path.stat().st_size < size:
        what = f"is cut short: has {path.stat().st_size:,} of {size:,} bytes"
        raise TiltmeterError(f"{path}: {what}: fetch it anew")
    return header


def _places(matrix: Path, vocabulary: Path, words: Sequence[str]) -> Places:
    """Where words stand in a vocabulary of a word a line, which must be as long as the matrix."""
    wanted: dict[bytes, list[int]] = {word.encode(): [] for word in words}
    row = -1
    with reading(vocabulary), vocabulary.open("rb") as file:
        if file.read(len(BOM)) != BOM:
            file.seek(0)
        for row, line in enumerate(iter(partial(file.readline, LONGEST_LINE), b"")):
            if (word := line.rstrip(b"\r\n")) in wanted:
                wanted[word].append(row)
    rows = npy_header(matrix).shape[0]
    if row + 1 != rows:
        what = f"has {row + 1:,} lines, but {matrix.name} has {rows:,} rows"
        raise TiltmeterError(f"{vocabulary}: {what}; expected a word for each row")
    return {word.decode(): places for word, places in wanted.items() if places}
