"""Vectors in an .npz, arrays `words` and `vectors`, streamed since they may be compressed.

A third one, `name`, a single text, says what they are called; else the file's name does.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.files import check_archive
from tiltmeter.vectors.formats.files import beginning, reading
from tiltmeter.vectors.formats.npy import (
    AS_TEXT,
    Header,
    Places,
    array_header,
    must_be_vectors,
    taken,
)
from tiltmeter.vectors.formats.source import Found, Source

BLOCK = 1 << 20
LONGEST_NAME = 4 * 200
"""Bytes of 200 letters."""
LONGEST_WORD = 1 << 16


def npz_vectors(path: Path) -> Source:
    """The vectors of an .npz, whose words are texts."""
    beginning(path)
    with reading(path):
        check_archive(path)
    with _unpacked(path) as archive:
        held = [name.removesuffix(".npy") for name in archive.namelist()]
        if not {"words", "vectors"} <= set(held):
            found = ", ".join(held) or "nothing"
            raise TiltmeterError(f"{path}: holds {found}; expected words and vectors: {AS_TEXT}")
        words, vectors = (_member(archive, path, name) for name in ("words", "vectors"))
        called = _name(archive, path) if "name" in held else path.name
    must_be_vectors(vectors, f"{path}: vectors")
    if words.dtype.itemsize > LONGEST_WORD:
        found = f"words of up to {words.dtype.itemsize:,} bytes"
        raise TiltmeterError(f"{path}: holds {found}; expected at most {LONGEST_WORD:,}")
    if words.dtype.kind not in "US" or words.shape != vectors.shape[:1]:
        found = f"words of {words.dtype} and shape {words.shape}, vectors of {vectors.shape}"
        raise TiltmeterError(f"{path}: holds {found}; expected a text for each row: {AS_TEXT}")
    return Source(called, (path,), vectors.shape[1], partial(_find, path), "NumPy .npz")


@contextmanager
def _unpacked(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive; whatever a damaged, encrypted or oddly packed one raises is one message."""
    try:
        with reading(path), zipfile.ZipFile(path) as archive:
            yield archive
    except TiltmeterError:
        raise
    except Exception as error:
        what = f"is damaged, or packed in a way that is not read ({error})"
        raise TiltmeterError(f"{path}: {what}: {AS_TEXT}") from error


def _member(archive: zipfile.ZipFile, path: Path, name: str) -> Header:
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


def _find(path: Path, words: Sequence[str]) -> Found:
    with _unpacked(path) as archive:
        with archive.open("words.npy") as file:
            places = _places(_texts(file, path), words)
        with archive.open("vectors.npy") as file:
            return taken(places, partial(_rows, file, path))


def _places(texts: Iterator[str], words: Sequence[str]) -> Places:
    wanted: dict[str, list[int]] = {word: [] for word in words}
    for row, text in enumerate(texts):
        if text in wanted:
            wanted[text].append(row)
    return {word: rows for word, rows in wanted.items() if rows}


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
