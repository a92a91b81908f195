"""Whose a folder is: ours when it holds our run.json, and then we may tidy what it lists."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from tiltmeter.errors import OutputError
from tiltmeter.files import file_digest, unfinished_copies

MARK = "run.json"
"""The file that marks a folder as ours: written first, and again when all is written."""
TOOL = "tiltmeter"
TIDIED = ("tables", "figures", "individual", "labels", "model-cards")
"""Where the files of an earlier run are removed."""
TOP = (
    *("report.html", "findings.json", "estimates.parquet", "rating.html", "ratings.json"),
    *("embeddings.html", "embeddings.json", "scores.parquet", "sentences.parquet"),
    "people.parquet",
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
        if not force and _holds_something(folder) and marked(folder) is None:
            raise OutputError(
                f"{folder}: the folder is not empty and holds no results of an earlier audit; "
                "choose another with -o, or write into it with --force"
            )
    except OSError as error:
        raise OutputError(f"{folder}: cannot be used: {error.strerror or error}") from error


def marked(folder: Path) -> dict[str, Any] | None:
    """What our run.json in a folder says, or None where there is none of ours."""
    try:
        found = json.loads((folder / MARK).read_bytes())
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
    return straight and path.is_file() and not path.is_symlink()


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
