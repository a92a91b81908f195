"""Files read within bounds: plain ones, of a size that can be, with nothing packed into a bomb.

What cannot be read is an OSError whose `strerror` says why, so that every reader says it in its
own words and its own place.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import stat
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

MB, GB = 2**20, 2**30
LARGEST_TABLE = 2 * GB
"""Bytes of a table that is read."""
LARGEST_TEXT = 16 * MB
"""Bytes of a file that people write by hand: a corpus, a list of words, a description."""
MOST_CELLS = 500_000_000
"""Cells of a Parquet file that is read: ten million sentences in fifty columns."""
UNPACKED, TIMES = GB, 100
"""An archive may unpack to this much, and to more only up to so many times its own size."""
MOST_POINTS = 2000
"""Points in a line of TOML: Python's reader takes time that grows with the square of a key's."""
DEEPEST = 50
"""Tables within tables of a TOML file: ours need three."""
LARGEST_INTEGER = 2**63
"""Of TOML and JSON; Python's readers take longer ones, which no float holds and no table."""
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
"""An escape in JSON that may be half of a letter."""


def is_file(path: Path | str) -> bool:
    """Whether there is a plain file; not where a name is too long, or loops, or is none."""
    return os.path.isfile(path)  # noqa: PTH113 - pathlib raises


def is_folder(path: Path | str) -> bool:
    """Whether there is a folder, likewise."""
    return os.path.isdir(path)  # noqa: PTH112


def is_there(path: Path | str) -> bool:
    """Whether there is anything, likewise."""
    return os.path.exists(path)  # noqa: PTH110


def at_home(path: Path | str) -> Path:
    """The path with a user's home for ~; as it stands where there is no such user."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - pathlib raises


def plain_bytes(path: Path, most: int = LARGEST_TABLE) -> bytes:
    """What a file holds; a pipe, which may never end, and what is too large are not opened."""
    check_plain(path, most)
    return path.read_bytes()


def check_plain(path: Path, most: int = LARGEST_TABLE) -> None:
    """Raise for what is no plain file, or has more bytes than are read."""
    facts = path.stat()
    if stat.S_ISDIR(facts.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(facts.st_mode):
        raise _refused(errno.EINVAL, "this is a pipe or a device, which is not opened")
    if facts.st_size > most:
        raise _refused(errno.EFBIG, f"found {_size(facts.st_size)}; at most {_size(most)} are read")


def check_archive(path: Path) -> None:
    """Raise for a zip file that would unpack to far more than any honest one does."""
    with zipfile.ZipFile(path) as archive:
        unpacked = sum(one.file_size for one in archive.infolist())
    packed = path.stat().st_size
    if unpacked > max(UNPACKED, TIMES * packed):
        told = f"its {_size(packed)} would unpack to {_size(unpacked)}"
        raise _refused(errno.EFBIG, f"{told}, so it is not opened")


def parquet_frame(source: Path | bytes) -> pl.DataFrame:
    """The table in a Parquet file; why there is none is an OSError too.

    A few bytes of Parquet can stand for many rows, so those are counted before they are read.
    """
    import io

    import polars as pl

    try:
        lazy = pl.scan_parquet(io.BytesIO(source) if isinstance(source, bytes) else source)
        check_cells(lazy.select(pl.len()).collect().item(), len(lazy.collect_schema()))
        return even(lazy.collect())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise _refused(errno.EINVAL, f"the file is damaged or not Parquet ({said})") from error


def check_cells(rows: int, columns: int) -> None:
    """Raise for a table of more cells than are read."""
    if rows * columns > MOST_CELLS:
        told = f"found {rows:,} rows of {columns:,} columns"
        raise _refused(errno.EFBIG, f"{told}; at most {MOST_CELLS:,} cells are read")


def even(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame, if its columns are of one length: of a damaged file Polars may make another.

    Python itself would fall over such a frame.
    """
    if any(column.len() != frame.height for column in frame):
        raise _refused(errno.EINVAL, "the file is damaged: its columns are of different lengths")
    return frame


def toml_of(text: str) -> dict[str, Any]:
    r"""The tables of a TOML file, or ValueError, whatever is wrong with it.

    >>> toml_of("[corpus]\nname = 'mine'")
    {'corpus': {'name': 'mine'}}
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MOST_POINTS:
            what = f"Found {line.count('.'):,} points in a line, which no key needs"
            raise ValueError(f"{what} (at line {number}, column 1)")
    try:
        found = tomllib.loads(text)
    except RecursionError:
        raise ValueError("Found brackets within brackets, too deep to be read") from None
    for value, depth in _parts(found):
        if depth > DEEPEST:
            raise ValueError(f"Found more than {DEEPEST} tables or lists within each other")
        if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
            raise ValueError("Found a whole number of more than 64 bits, which TOML has not")
    return found


def json_of(data: bytes) -> Any:  # noqa: ANN401 - whatever the file holds
    r"""What a file of JSON holds, or ValueError: no number beyond 64 bits, no half letter.

    >>> json_of(b'{"level": 0.05}')
    {'level': 0.05}
    >>> json_of(b'[1e999]')
    Traceback (most recent call last):
    ValueError: 1e999 is no number that a table holds
    """
    try:
        found = json.loads(data, parse_int=_whole, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("brackets lie within brackets, too deep to be read") from None
    if SURROGATE.search(data):
        json.dumps(found, ensure_ascii=False).encode()
    return found


def _whole(text: str) -> int:
    if len(text) > 20 or abs(int(text)) >= LARGEST_INTEGER:
        raise ValueError(f"{text[:20]}{'…' * (len(text) > 20)} has more than 64 bits")
    return int(text)


def _finite(text: str) -> float:
    if not math.isfinite(found := float(text)):
        raise ValueError(f"{text[:20]} is no number that a table holds")
    return found


def _parts(tree: object) -> Iterator[tuple[object, int]]:
    """Every value and how deep it lies, without recursion."""
    waiting = [(tree, 1)]
    while waiting:
        one, depth = waiting.pop()
        yield one, depth
        inside = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        waiting.extend((each, depth + 1) for each in inside)


def _refused(number: int, what: str) -> OSError:
    return OSError(number, what)


def _size(count: int) -> str:
    """A number of bytes for people.

    >>> _size(3 * MB), _size(2 * GB)
    ('3.0 MB', '2.0 GB')
    """
    return f"{count / GB:,.1f} GB" if count >= GB else f"{count / MB:,.1f} MB"
