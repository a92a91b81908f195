"""Files: read within size caps, written whole or not at all, digested, and the cache folder.

What cannot be read is an OSError whose `strerror` says why, so that every reader says it in its
own words and its own place.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import re
import secrets
import shlex
import shutil
import stat
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any, TypeVar

from tiltmeter.errors import OutputError, argument, did_you_mean
from tiltmeter.parquet_headers import DamagedParquet, unpacked_size

if TYPE_CHECKING:
    import io
    import mmap

    import polars as pl

MB, GB = 2**20, 2**30
LARGEST_TABLE = 2 * GB
"""Bytes of a table that is read."""
ANY_SIZE = 2**63 - 1
"""Bytes of a file of which little is held at a time."""
LARGEST_TEXT = 16 * MB
"""Bytes of a file that people write by hand: a corpus, a list of words, a description."""
MOST_CELLS = 500_000_000
"""Cells of a Parquet file that is read: ten million sentences in fifty columns."""
UNPACKED, TIMES = GB, 100
"""An archive may unpack to this much, and to more only up to so many times its own size."""
UNPACKED_TABLE = GB // 4
"""The same of a Parquet file, of which we make several tables."""
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


def expand_home(path: Path | str) -> Path:
    """The path with a user's home for ~; as it stands where there is no such user."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - pathlib raises


def read_capped(path: Path, most: int = LARGEST_TABLE, *, links: bool = True) -> bytes:
    """What a file holds; a pipe, which may never end, and what is too large are not opened."""
    with open_plain(path, most, links=links) as file:
        data = file.read(most + 1)  # a file that grows meanwhile has an end too
    if len(data) > most:
        raise _too_large(len(data), most)
    return data


def open_plain(path: Path, most: int = LARGEST_TABLE, *, links: bool = True) -> io.BufferedReader:
    """Open a plain file to read its bytes; `links=False` refuses a name that is a link.

    What was opened is looked at again: another process may have put a pipe in its place.
    """
    if not links and path.is_symlink():
        raise OSError(errno.ELOOP, "this is a link, which is not followed")
    check_plain_file(path, most)
    unfollowed = 0 if links else getattr(os, "O_NOFOLLOW", 0)
    mode = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | unfollowed
    file = os.fdopen(os.open(path, mode), "rb")
    try:
        _check_plain(os.fstat(file.fileno()), most)
    except BaseException:
        file.close()
        raise
    return file


def is_plain_file(path: Path) -> bool:
    """Whether a name is a plain file itself, and no link to one."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def check_plain_file(path: Path, most: int = LARGEST_TABLE) -> None:
    """Raise for what is no plain file, or has more bytes than are read."""
    _check_plain(path.stat(), most)


def _check_plain(facts: os.stat_result, most: int) -> None:
    if stat.S_ISDIR(facts.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(facts.st_mode):
        raise OSError(errno.EINVAL, "this is a pipe or a device, which is not opened")
    if facts.st_size > most:
        raise _too_large(facts.st_size, most)


def _too_large(size: int, most: int) -> OSError:
    return OSError(errno.EFBIG, f"found {_size(size)}; at most {_size(most)} are read")


def check_archive(path: Path) -> None:
    """Raise for a zip file that would unpack to far more than any honest one does."""
    with zipfile.ZipFile(path) as archive:
        unpacked = sum(one.file_size for one in archive.infolist())
    packed = path.stat().st_size
    if unpacked > max(UNPACKED, TIMES * packed):
        told = f"its {_size(packed)} would unpack to {_size(unpacked)}"
        raise OSError(errno.EFBIG, f"{told}, so it is not opened")


def parquet_frame(source: Path | bytes, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """The table in a Parquet file, or some columns of it; why there is none is an OSError too.

    A few bytes of Parquet can stand for gigabytes, so what it unpacks to is looked at before.
    """
    import io

    import polars as pl

    data = source if isinstance(source, bytes) else read_capped(source)
    check_unpacked(data)
    try:
        chosen = None if columns is None else list(columns)
        frame = check_column_lengths(pl.read_parquet(io.BytesIO(data), columns=chosen))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise _damaged_parquet(error) from error
    _check_memory(int(frame.estimated_size()), len(data))  # texts that repeat, each by itself
    return frame


def _damaged_parquet(error: BaseException) -> OSError:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return OSError(errno.EINVAL, f"the file is damaged or not Parquet ({reason})")


def check_unpacked(data: bytes | mmap.mmap) -> None:
    """Raise for the bytes of a Parquet file that stand for far more than an honest one's do."""
    try:
        size = unpacked_size(data)
    except DamagedParquet as error:
        raise _damaged_parquet(error) from error
    if size.rows * max(size.columns, 1) > MOST_CELLS:
        cells = f"found {size.rows:,} rows of {size.columns:,} columns"
        raise OSError(errno.EFBIG, f"{cells}; at most {MOST_CELLS:,} cells are read")
    _check_memory(size.memory, len(data))


def _check_memory(memory: int, packed: int) -> None:
    most = max(UNPACKED_TABLE, TIMES * packed)
    if memory > most:
        what = f"its {_size(packed)} stand for {_size(memory)}; at most {_size(most)} are read"
        raise OSError(errno.EFBIG, what)


def check_column_lengths(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame, if its columns are of one length: of a damaged file Polars may make another.

    Python itself would fall over such a frame.
    """
    if any(column.len() != frame.height for column in frame):
        raise OSError(errno.EINVAL, "the file is damaged: its columns are of different lengths")
    return frame


def parse_toml(text: str) -> dict[str, Any]:
    r"""The tables of a TOML file, or ValueError, whatever is wrong with it.

    >>> parse_toml("[corpus]\nname = 'mine'")
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
    waiting: list[tuple[object, int]] = [(found, 1)]  # every value and how deep it lies
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST:
            raise ValueError(f"Found more than {DEEPEST} tables or lists within each other")
        if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
            raise ValueError("Found a whole number of more than 64 bits, which TOML has not")
        if isinstance(value, dict | list):
            parts = value.values() if isinstance(value, dict) else value
            waiting.extend((part, depth + 1) for part in parts)
    return found


def parse_json(data: bytes) -> Any:  # noqa: ANN401 - whatever the file holds
    r"""What a file of JSON holds, or ValueError: no number beyond 64 bits, no half letter.

    >>> parse_json(b'{"level": 0.05}')
    {'level': 0.05}
    >>> parse_json(b'[1e999]')
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


def _size(count: int) -> str:
    """A number of bytes for people.

    >>> _size(3 * MB), _size(2 * GB)
    ('3.0 MB', '2.0 GB')
    """
    return f"{count / GB:,.1f} GB" if count >= GB else f"{count / MB:,.1f} MB"


_FOLDERS = re.compile(r"(?:^|(?<=[=,:])|(?<=file://))/(?!/)(?:[^,]*/)?")
"""An absolute path but for its last name: at a word's start, or after NAME=, PREFIX: or a comma."""

T = TypeVar("T")
Frame = TypeVar("Frame", "pl.DataFrame", "pl.LazyFrame")

COMPUTED = r"^'*[=+\-@\t\r\n＝＋－＠]"
"""How a text begins that a spreadsheet would compute, or that looks as if we had guarded it."""
GUARDED = r"^'('*[=+\-@\t\r\n＝＋－＠])"

FRAME_WRITERS: dict[str, Callable[[pl.DataFrame, IO[bytes], dict[str, str]], object]] = {
    ".csv": lambda frame, file, _: without_formulas(frame).write_csv(file),
    ".tsv": lambda frame, file, _: without_formulas(frame).write_csv(file, separator="\t"),
    ".jsonl": lambda frame, file, _: frame.write_ndjson(file),
    ".parquet": lambda frame, file, about: frame.write_parquet(file, metadata=about),
}


LAZY_WRITERS: dict[str, Callable[[pl.LazyFrame, IO[bytes], dict[str, str]], object]] = {
    ".csv": lambda frame, file, _: without_formulas(frame).sink_csv(file),
    ".tsv": lambda frame, file, _: without_formulas(frame).sink_csv(file, separator="\t"),
    ".jsonl": lambda frame, file, _: frame.sink_ndjson(file),
    ".parquet": lambda frame, file, about: frame.sink_parquet(file, metadata=about),
}
"""The same for frames that need not fit into memory: written as they are read."""


def without_folders(word: str) -> str:
    """A path, spec or option as a report shows it: an absolute path by its last name alone.

    What is handed on names no folder of the machine it was made on; what was given relative stays
    as it was given. Who repeats a command of a report puts their own folders before the names.

    >>> [without_folders(one) for one in ("/home/ada/my.py:score", "./my.py:score", "../a/b.csv")]
    ['my.py:score', './my.py:score', '../a/b.csv']
    >>> without_folders("--vectors=en=/data/a b.vec"), without_folders("/x/a.toml,/x/b.toml,c")
    ('--vectors=en=a b.vec', 'a.toml,b.toml,c')
    >>> without_folders("cmd:/usr/bin/python /home/ada/run.py"), without_folders("http://h/v1/x")
    ('cmd:python run.py', 'http://h/v1/x')
    """
    if word.startswith("cmd:"):
        try:
            return f"cmd:{shlex.join(map(without_folders, shlex.split(word[4:])))}"
        except ValueError:
            return "cmd:…"  # no words of a command
    if Path(word).is_absolute() and ",/" not in word:
        return Path(word).name or word
    return _FOLDERS.sub("", word.rstrip("/")) or word


def write_frame(
    frame: pl.DataFrame | pl.LazyFrame,
    path: Path,
    about: Mapping[str, str] | None = None,
    *,
    durable: bool = True,
    links: bool = True,
) -> None:
    """Write a frame to a file in the format its ending names; `about` goes along in Parquet.

    `durable` and `links` are those of `write_aside`.
    """
    import polars as pl

    lazy = isinstance(frame, pl.LazyFrame)
    writers: Mapping[str, Callable[..., object]] = LAZY_WRITERS if lazy else FRAME_WRITERS
    write = writer_for(path, writers)
    about_all = dict(about or {})
    write_aside(path, lambda file: write(frame, file, about_all), durable=durable, links=links)


def without_formulas(frame: Frame) -> Frame:
    """The frame with `'` before every text and column name that a spreadsheet would compute.

    >>> import polars as pl
    >>> without_formulas(pl.DataFrame({"system": ["=1+1", "vader"], "value": [-1.0, 2.0]})).rows()
    [("'=1+1", -1.0), ('vader', 2.0)]
    """
    import polars as pl

    schema = frame.collect_schema()
    names, texts = schema.names(), [name for name, kind in schema.items() if kind == pl.String]
    if isinstance(frame, pl.DataFrame):  # which is sooner than to write every column anew
        texts = [name for name in texts if frame[name].str.contains(COMPUTED).any()]
    cells = frame.with_columns(pl.col(texts).str.replace(f"({COMPUTED})", "'${1}"))
    return cells.rename({name: f"'{name}" for name in names if re.match(COMPUTED, name)})


def with_formulas(frame: Frame) -> Frame:
    """The frame as it was before `without_formulas`, whose guard is taken off."""
    import polars as pl

    names = frame.collect_schema().names()
    cells = frame.with_columns(pl.col(pl.String).str.replace(GUARDED, "${1}"))
    return cells.rename({name: re.sub(GUARDED, r"\1", name) for name in names})


def write_text(text: str, path: Path, *, durable: bool = True, links: bool = True) -> None:
    """Write a text as UTF-8; `durable` and `links` are those of `write_aside`."""
    data = text.encode(errors="replace")
    write_aside(path, lambda file: file.write(data), durable=durable, links=links)


def check_ending(path: Path) -> None:
    """Raise now if a frame could not be written there later for its ending."""
    writer_for(path, FRAME_WRITERS)


def writer_for(path: Path, writers: Mapping[str, T]) -> T:
    """The writer for a file's ending, or an error that offers the nearest ones."""
    writer = writers.get(path.suffix.lower())
    if writer is None:
        near = did_you_mean(path.suffix, writers) or f"expected {', '.join(writers)}"
        raise OutputError(f"{path}: cannot tell the format from the ending {path.suffix!r}: {near}")
    return writer


def write_aside(
    path: Path,
    write: Callable[[IO[bytes]], object],
    *,
    durable: bool = True,
    links: bool = True,
) -> None:
    """Write to a neighbour, flush it to disk and rename it: a crash leaves no half file.

    Who writes many files says `durable=False` for each and then `sync_files` for all, which costs
    one wait for the disk instead of hundreds. A file that the user names may be a link or a device:
    what it leads to is written. A name of ours in a folder may have been made by a stranger:
    `links=False` replaces what stands there, and opens and follows nothing.
    """
    with write_errors(path):
        place = path
        if links:
            if path.exists() and not path.is_file() and not path.is_dir():
                with path.open("wb") as device:  # /dev/null, a pipe: to be written to, not replaced
                    write(device)
                return
            place = Path(os.path.realpath(path))  # a link stays a link, its target is replaced
        place.parent.mkdir(parents=True, exist_ok=True)
        aside = place.parent / f".{place.name}.{secrets.token_hex(4)}"
        try:
            # The system takes the user's umask off the mode: nobody else's files are touched by it.
            # Windows would write other line ends without O_BINARY.
            mode = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
            with os.fdopen(os.open(aside, mode, 0o666), "wb") as file:
                write(file)
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            aside.replace(place)
            if durable:
                sync_folder(place.parent)
        finally:
            try:
                aside.unlink(missing_ok=True)
            finally:  # one Ctrl-C may interrupt twice: Polars says so, and then Python
                aside.unlink(missing_ok=True)


def check_unlinked(folder: Path, name: str | PurePath) -> None:
    """Raise where a folder on the way from `folder` to a name in it is a link.

    The folder itself may be one, which is the user's own choice.
    """
    for above in reversed(PurePath(name).parents):
        if above.parts and (folder / above).is_symlink():
            raise OutputError(
                f"{folder / above}: is a link, which results are not written through; expected a "
                "folder, or none yet. Remove the link, or choose another place"
                f"{argument('', ' with -o')}"
            )


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """An empty folder to write into; it replaces the one at `path` if all goes well."""
    with write_errors(path):
        place = Path(os.path.realpath(path))  # a link stays a link
        place.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name[:100]}."))
        new, before = aside / "new", aside / "before"
        try:
            new.mkdir()
            yield new
            if place.exists():
                place.replace(before)
            try:
                new.replace(place)
            except BaseException:
                if before.exists():
                    before.replace(place)
                raise
            sync_folder(place.parent)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


@contextlib.contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """What the system refuses while a file or folder is written, as one error with its name."""
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) or type(error).__module__.startswith("polars."):
            raise OutputError(f"{path}: cannot be written: {os_error_text(error)}") from error
        raise


def os_error_text(error: Exception) -> str:
    """Why the system refused to write, also where Polars puts its own words around it.

    >>> os_error_text(ValueError("parquet: IO error: No space left on device (os error 28)"))
    'No space left on device'
    """
    if told := getattr(error, "strerror", None):
        return str(told)
    first = (str(error).splitlines() or [type(error).__name__])[0]
    if found := re.search(r"([^:]+) \(os error \d+\)", first):
        return found[1].strip()
    return f"{first} (is the disk full?)" if first.startswith("parquet") else first


def check_place(path: Path) -> None:
    """Raise now if a file could not be written there later."""
    if str(path) in ("", "."):
        raise OutputError("found no name for a file to write; expected one, or - to print")
    real = Path(os.path.realpath(path))
    try:
        if real.is_dir():
            raise OutputError(f"{path}: is a folder; expected a file, or none yet")
        above = real if real.exists() else next(one for one in real.parents if one.exists())
        if not real.exists() and not above.is_dir():
            raise OutputError(f"{path}: {above} is a file; expected a folder")
        if not os.access(above, os.W_OK):
            raise OutputError(f"{path}: {above} cannot be written to; name another place")
    except OSError as error:
        raise OutputError(f"{path}: cannot be used: {error.strerror or error}") from error


def cache_folder() -> Path:
    """Where what can be made again is kept: $TILTMETER_CACHE, else in the user's cache."""
    if named := os.environ.get("TILTMETER_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tiltmeter"


def unfinished_copies(paths: Iterable[Path]) -> Iterator[Path]:
    """What a process that was killed left of files it was writing beside their places."""
    names: dict[Path, set[str]] = {}
    for path in paths:
        names.setdefault(path.parent, set()).add(path.name)
    for folder, expected in names.items():
        for beside in folder.glob(".*.????????"):
            ours = beside.name[1:-9] in expected
            if ours and beside.is_file() and not beside.is_symlink():
                yield beside


def sync_files(paths: Sequence[Path]) -> None:
    """Put files and their names on disk: several at a time, so that they share its waits."""
    from concurrent.futures import ThreadPoolExecutor

    def sync_file(path: Path) -> None:
        with write_errors(path), path.open("rb+") as file:  # Windows flushes no file only read
            os.fsync(file.fileno())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(sync_file, paths))
        list(pool.map(sync_folder, {path.parent for path in paths}))


def sync_folder(folder: Path) -> None:
    """Put a folder's names on disk, so that a file renamed into place is there after a crash."""
    with contextlib.suppress(OSError):  # Windows opens no folders; some disks take no such order
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def file_digest(path: Path) -> str:
    """The SHA-256 of a plain file, in hexadecimal."""
    with open_plain(path, ANY_SIZE) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
