"""Results written into a folder of ours: one run at a time, run.json first and last."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import polars as pl

from tiltmeter.errors import OutputError, argument
from tiltmeter.files import (
    LARGEST_TEXT,
    check_unlinked,
    file_digest,
    is_plain_file,
    read_capped,
    sync_files,
    unfinished_copies,
    write_aside,
    write_frame,
    write_text,
)
from tiltmeter.records import Record
from tiltmeter.report.json_files import SCHEMA_VERSION, indented

MARK = "run.json"
"""The file that marks a folder as ours: written first, and again when all is written."""
TOOL = "tiltmeter"
TIDIED = ("tables", "figures", "individual", "labels", "model-cards")
"""Where the files of an earlier run are removed."""
TOP = (
    *("report.html", "findings.json", "estimates.parquet", "rating.html", "ratings.json"),
    *("embeddings.html", "embeddings.json", "scores.parquet", "sentences.parquet"),
    "people.parquet",
    *("results.html", "results.json", "skill.csv", "tilts.csv"),
    *("compare.html", "compare.json", "drift.html", "drift.json"),
)
"""What else is removed, where a command's results replace those of another one."""


def check_folder(folder: Path, force: bool = False) -> None:
    """Raise now if an audit's results could not be written there later.

    A folder that holds something else is left alone, unless `force` says so.
    """
    folder = Path(folder)
    try:
        if not folder.exists():
            _must_be_writable(_nearest(folder), folder)
            return
        if not folder.is_dir():
            raise OutputError(f"{folder}: is a file; expected a folder, or none yet")
        _must_be_writable(folder, folder)
        for name in TIDIED:
            check_unlinked(folder, f"{name}/file")
        if not force and _holds_something(folder) and marked(folder) is None:
            raise OutputError(
                f"{folder}: the folder is not empty and holds no results of an earlier audit; "
                f"choose another{argument('', ' with -o')}, or write into it with "
                f"{argument('force=True')}"
            )
    except OSError as error:
        raise OutputError(f"{folder}: cannot be used: {error.strerror or error}") from error


def marked(folder: Path) -> dict[str, Any] | None:
    """What our run.json in a folder says, or None where there is none of ours: a link is not."""
    try:
        found = json.loads(read_capped(folder / MARK, LARGEST_TEXT, links=False))
    except (OSError, ValueError, RecursionError):
        return None
    ours = isinstance(found, dict) and found.get("tool") == TOOL and "schema_version" in found
    return found if ours else None


def remove_stale(folder: Path, before: dict[str, Any] | None, kept: Iterable[str]) -> None:
    """Remove what an earlier run wrote and this one did not; nothing else, and nothing changed.

    So too what a run that was killed left half-written beside the files that now stand whole.
    """
    listed = (before or {}).get("files")
    new = set(kept)
    for half in unfinished_copies(folder / name for name in (MARK, *(new if before else ()))):
        half.unlink(missing_ok=True)
    for name, digest in _listed(listed):
        path = folder / name
        if name not in new and _inside(folder, name) and file_digest(path) == digest:
            path.unlink()
    for name in TIDIED:
        if (folder / name).is_dir() and not (folder / name).is_symlink():
            with suppress(OSError):  # not empty
                (folder / name).rmdir()


def _listed(files: object) -> Iterator[tuple[str, str]]:
    for entry in files if isinstance(files, list) else ():
        if isinstance(entry, dict):
            name, digest = entry.get("file"), entry.get("sha256")
            if isinstance(name, str) and isinstance(digest, str):
                yield name, digest


def _inside(folder: Path, name: str) -> bool:
    """Whether a name is a plain file of ours, at the top or in a folder we tidy, and no link."""
    parts = PurePosixPath(name).parts
    tidied = len(parts) == 2 and parts[0] in TIDIED and ".." not in parts
    if not (tidied or name in TOP) or "\0" in name:
        return False
    path = folder / name
    straight = path.parent.resolve() == folder.resolve() / PurePosixPath(name).parent
    return straight and is_plain_file(path)


def _holds_something(folder: Path) -> bool:
    """Whether anything stands there but a mark that a run was killed over."""
    return not set(folder.iterdir()) <= set(unfinished_copies([folder / MARK]))


def _nearest(folder: Path) -> Path:
    """The nearest folder above that exists."""
    return next((one for one in folder.absolute().parents if one.exists()), Path("/"))


def _must_be_writable(existing: Path, wanted: Path) -> None:
    if not existing.is_dir():
        raise OutputError(f"{wanted}: {existing} is a file; expected a folder")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise OutputError(f"{wanted}: {existing} cannot be written to; choose another with -o")


PATIENCE = 60.0
"""Seconds that a run waits for another one to have written its results."""
MOMENT = 0.05


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Keep others out of a folder while its files are written; wait while another one does so.

    The lock is on the folder itself: it leaves no file, and a run that is killed holds none. Where
    a system has no such locks, nobody is kept out.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY) if os.name == "posix" else None
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error
    try:
        if handle is not None:
            _lock(handle, folder)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _lock(handle: int, folder: Path) -> None:
    import fcntl

    until = time.monotonic() + PATIENCE
    with suppress(OSError):  # some network drives lock no folder
        while True:
            try:
                return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    break
                time.sleep(MOMENT)
        raise OutputError(
            f"{folder}: another run is writing its results there; wait for it, and run the same "
            "command again, or choose another folder with -o"
        )


Stage = Callable[[str], object]
"""Told what is being done, in a few words."""


def unheard(_: str) -> None:
    """Say nothing."""


@dataclass(slots=True)
class Writer:
    """Writes into one folder and remembers what; `digests` then puts all of it on disk.

    A link in the folder is replaced by the file, and a linked folder refused: what they lead to may
    be anything.
    """

    folder: Path
    written: list[str] = field(default_factory=list)

    def text(self, name: str, text: str) -> None:
        """Write a text."""
        write_text(text, self._place(name), durable=False, links=False)

    def data(self, name: str, data: bytes) -> None:
        """Write bytes."""
        place = self._place(name)
        write_aside(place, lambda file: file.write(data), durable=False, links=False)

    def csv(self, name: str, frame: pl.DataFrame) -> None:
        """Write a table for spreadsheets."""
        write_frame(frame, self._place(name), durable=False, links=False)

    def parquet(
        self, name: str, frame: pl.DataFrame | pl.LazyFrame, about: Mapping[str, str]
    ) -> None:
        """Write a table with what it is of; a lazy one need not fit into memory."""
        write_frame(frame, self._place(name), about, durable=False, links=False)

    def digests(self) -> list[dict[str, str]]:
        """Every file written, now on disk, with its digest."""
        sync_files([self.folder / name for name in self.written])
        return [
            {"file": name, "sha256": file_digest(self.folder / name)}
            for name in sorted(self.written)
        ]

    def _place(self, name: str) -> Path:
        check_unlinked(self.folder, name)
        self.written.append(name)
        return self.folder / name


@contextmanager
def results_in(
    folder: Path, run: Mapping[str, Any] | Record, environment: Mapping[str, Any]
) -> Iterator[Writer]:
    """Write a run's results in this: what an earlier run left and this one did not is removed.

    run.json stands there before the first file, so that a run that was stopped can be repeated
    into the same folder, and says whether the rest is whole. Two runs write one after the other.
    """
    with lock_folder(folder):
        before, writer = marked(folder), Writer(folder)
        begun = _begin(folder, run, environment)
        yield writer
        remove_stale(folder, before, writer.written)
        _mark(folder, {**begun, "complete": True, "files": writer.digests()})


def begin_run(
    folder: Path, run: Mapping[str, Any] | Record, environment: Mapping[str, Any]
) -> None:
    """Make a folder ours long before its results, for a run that leaves more than these there."""
    with lock_folder(folder):
        _begin(folder, run, environment)


def _begin(
    folder: Path, run: Mapping[str, Any] | Record, environment: Mapping[str, Any]
) -> dict[str, Any]:
    """What run.json says until all is written: ours from here on, also if we stop."""
    begun = {
        "schema_version": SCHEMA_VERSION,
        "tool": TOOL,
        "complete": False,
        "environment": environment,
        "run": run,
        "files": (marked(folder) or {}).get("files", []),
    }
    _mark(folder, begun)
    return begun


def _mark(folder: Path, told: Mapping[str, Any]) -> None:
    """run.json: how the run came about, and every file with its digest."""
    write_text(indented(told) + "\n", folder / MARK, links=False)
