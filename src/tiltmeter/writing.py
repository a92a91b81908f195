"""Files written whole or not at all, in formats people can open: CSV, TSV, JSONL, Parquet."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import secrets
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

from tiltmeter.errors import OutputError, did_you_mean

if TYPE_CHECKING:
    import polars as pl

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


def write_frame(frame: pl.DataFrame, path: Path, about: Mapping[str, str] | None = None) -> None:
    """Write a frame to a file in the format its ending names; `about` goes along in Parquet."""
    write = for_ending(path, FRAME_WRITERS)
    write_aside(path, lambda file: write(frame, file, dict(about or {})))


LAZY_WRITERS: dict[str, Callable[[pl.LazyFrame, IO[bytes], dict[str, str]], object]] = {
    ".csv": lambda frame, file, _: without_formulas(frame).sink_csv(file),
    ".tsv": lambda frame, file, _: without_formulas(frame).sink_csv(file, separator="\t"),
    ".jsonl": lambda frame, file, _: frame.sink_ndjson(file),
    ".parquet": lambda frame, file, about: frame.sink_parquet(file, metadata=about),
}


def write_lazily(frame: pl.LazyFrame, path: Path, about: Mapping[str, str] | None = None) -> None:
    """The same for a frame that need not fit into memory: written as it is read."""
    write = for_ending(path, LAZY_WRITERS)
    write_aside(path, lambda file: write(frame, file, dict(about or {})))


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


def write_text(text: str, path: Path) -> None:
    """Write a text as UTF-8."""
    write_aside(path, lambda file: file.write(text.encode(errors="replace")))


def check_ending(path: Path) -> None:
    """Raise now if a frame could not be written there later for its ending."""
    for_ending(path, FRAME_WRITERS)


def for_ending(path: Path, writers: Mapping[str, T]) -> T:
    """The writer for a file's ending, or an error that offers the nearest ones."""
    writer = writers.get(path.suffix.lower())
    if writer is None:
        near = did_you_mean(path.suffix, writers) or f"expected {', '.join(writers)}"
        raise OutputError(f"{path}: cannot tell the format from the ending {path.suffix!r}: {near}")
    return writer


def write_aside(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write to a neighbour, flush it to disk and rename it: a crash leaves no half file."""
    try:
        _write_aside(path, write)
    except Exception as error:
        if isinstance(error, OSError) or type(error).__module__.startswith("polars."):
            raise OutputError(f"{path}: cannot be written: {refusal(error)}") from error
        raise


def refusal(error: Exception) -> str:
    """Why the system refused to write, also where Polars puts its own words around it.

    >>> refusal(ValueError("parquet: IO error: No space left on device (os error 28)"))
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


def half_written(path: Path) -> Iterator[Path]:
    """What a process that was killed left of a file it was writing beside its place."""
    for beside in path.parent.glob(f".{glob.escape(path.name)}.????????"):
        if beside.is_file() and not beside.is_symlink():
            yield beside


def _write_aside(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("wb") as device:  # /dev/null, a pipe: to be written to, never replaced
            write(device)
        return
    path = Path(os.path.realpath(path))  # a link stays a link, and what it leads to is replaced
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.parent / f".{path.name}.{secrets.token_hex(4)}"
    try:
        # The system takes the user's umask off the mode: nobody else's files are touched by it.
        handle = os.open(aside, os.O_CREAT | os.O_EXCL | os.O_RDWR | _BINARY, 0o666)
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
        sync_folder(path.parent)
    finally:
        aside.unlink(missing_ok=True)


_BINARY = getattr(os, "O_BINARY", 0)
"""Windows would write other line ends without it."""


def sync_folder(folder: Path) -> None:
    """Put a folder's names on disk, so that a file renamed into place is there after a crash."""
    with contextlib.suppress(OSError):  # Windows opens no folders; some disks take no such order
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
