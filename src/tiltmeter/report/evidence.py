"""The files of a pack or an output folder, each beside the digest it should have."""

from __future__ import annotations

import hashlib
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from tiltmeter.errors import Problem, ProblemsError, TiltmeterError
from tiltmeter.files import LARGEST_TABLE, LARGEST_TEXT, is_folder
from tiltmeter.records import JsonLocator, RecordFile
from tiltmeter.report.folder import MARK
from tiltmeter.report.pack import (
    CHUNK,
    MANIFEST,
    PackFile,
    PackManifest,
    as_object,
    check_members,
    check_run,
    listed_digests,
    manifest_of,
    read_manifest,
    run_in,
)

Opener = Callable[[str], IO[bytes]]
UNREADABLE = (OSError, zipfile.BadZipFile, zlib.error, EOFError, ValueError)
"""What a damaged zip raises."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Files that were all found to be what their manifest says."""

    where: Path
    manifest: PackManifest
    open: Opener
    besides: tuple[str, ...] = ()
    """Files of a folder that are no results."""

    def read(self, name: str, most: int = LARGEST_TABLE) -> bytes:
        """What a file holds, held against its digest once more."""
        entry = self.manifest.by_name[name]
        if entry.bytes > most:
            what = f"{name} has {entry.bytes / 2**20:,.0f} MB; at most {most / 2**20:,.0f} are read"
            raise TiltmeterError(f"{self.where}: {what}")
        with self.open(name) as file:
            data = file.read(entry.bytes + 1)
        if hashlib.sha256(data).hexdigest() != entry.sha256:
            raise TiltmeterError(f"{self.where}: {name} changed while it was read; verify it again")
        return data

    def record(self, name: str) -> RecordFile:
        """A file of the pack that is an object in JSON, to be checked."""
        data = self.read(name)
        values = as_object(data, f"{self.where}: {name}")
        return RecordFile(
            Path(name), values, JsonLocator(Path(name), data.decode(errors="replace"))
        )


@contextmanager
def evidence_in(path: Path) -> Iterator[Evidence]:
    """A pack's or folder's files, once every one of them was found to be what it should be."""
    with ExitStack() as stack:
        found = _folder(path) if is_folder(path) else _zip(path, stack)
        problems = list(_differing(found))
        if problems:
            raise ProblemsError(f"{path}: was altered or damaged", problems)
        run = found.record(MARK).values
        check_run(run, str(path))
        _check_listed(found, run)
        yield found


def _zip(path: Path, stack: ExitStack) -> Evidence:
    check_members(path)
    archive = stack.enter_context(zipfile.ZipFile(path))
    with _said(path, MANIFEST), archive.open(MANIFEST) as file:
        manifest = read_manifest(file.read(LARGEST_TEXT))
    there = {one.filename: one.file_size for one in archive.infolist() if one.filename != MANIFEST}
    problems = [Problem(name, "is missing") for name in manifest.by_name if name not in there]
    problems += [
        Problem(name, f"was added; {MANIFEST} does not list it")
        for name in there
        if name not in manifest.by_name
    ]
    if problems:
        raise ProblemsError(f"{path}: was altered or damaged", problems)
    return Evidence(path, manifest, archive.open)


def _folder(path: Path) -> Evidence:
    """A folder by its run.json, which lists every file with its digest."""
    run = run_in(path)
    entries = [PackFile(MARK, len(run), hashlib.sha256(run).hexdigest())]
    problems = list[Problem]()
    for name, digest in listed_digests(as_object(run, MARK)).items():
        place = path / name
        straight = place.parent.resolve() == path.resolve() / PurePosixPath(name).parent
        try:
            facts = place.lstat()
        except OSError:
            problems.append(Problem(name, "is missing"))
            continue
        if not straight or not stat.S_ISREG(facts.st_mode):
            problems.append(Problem(name, "is a link or no plain file, which is not followed"))
        entries.append(PackFile(name, facts.st_size, digest))
    if problems:
        raise ProblemsError(f"{path}: was altered or damaged", problems)
    manifest = manifest_of(entries)
    besides = tuple(name for name in _names_in(path) if name not in manifest.by_name)
    return Evidence(path, manifest, lambda name: (path / name).open("rb"), besides)


def _names_in(folder: Path) -> Iterator[str]:
    for above, _, names in os.walk(folder):
        for name in sorted(names):
            yield (Path(above) / name).relative_to(folder).as_posix()


def _differing(found: Evidence) -> Iterator[Problem]:
    """Every file that is not what the manifest says."""
    for entry in found.manifest.entries:
        try:
            size, digest = _measured(found.open(entry.file), entry.bytes)
        except UNREADABLE as error:
            yield Problem(entry.file, f"cannot be read: {_why(error)}")
            continue
        if (size, digest) != (entry.bytes, entry.sha256):
            yield Problem(entry.file, "is not what was packed: its SHA-256 differs")


def _measured(file: IO[bytes], most: int) -> tuple[int, str]:
    """How long a file is and its SHA-256; no more is read than it should have."""
    digest, size = hashlib.sha256(), 0
    with file:
        while size <= most and (part := file.read(CHUNK)):
            digest.update(part)
            size += len(part)
    return size, digest.hexdigest()


def _check_listed(found: Evidence, run: Mapping[str, Any]) -> None:
    """Refuse a manifest that speaks of other files than the run.json beside it."""
    listed = listed_digests(run)
    packed = {entry.file: entry.sha256 for entry in found.manifest.entries if entry.file != MARK}
    differ = sorted(name for name in {*listed, *packed} if listed.get(name) != packed.get(name))
    if differ:
        what = f"{MARK} and {MANIFEST} do not speak of the same file"
        raise ProblemsError(f"{found.where}: was altered", [Problem(name, what) for name in differ])


@contextmanager
def _said(path: Path, name: str) -> Iterator[None]:
    """Say of which pack a complaint is, and that a file cannot be unpacked."""
    try:
        yield
    except TiltmeterError as error:
        raise TiltmeterError(f"{path}: {error}") from None
    except UNREADABLE as error:
        raise TiltmeterError(f"{path}: {name} cannot be read: {_why(error)}") from None


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
