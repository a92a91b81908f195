"""A folder's results as one zip: the same bytes for the same folder, whole or not at all."""

from __future__ import annotations

import hashlib
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO, Any

from tiltmeter.errors import Problem, ProblemsError, TiltmeterError
from tiltmeter.files import LARGEST_TEXT, MB, check_place, read_capped, write_aside
from tiltmeter.report.manifest import (
    MANIFEST,
    Entry,
    Manifest,
    as_object,
    listed_digests,
    manifest_of,
)
from tiltmeter.report.ownership import MARK, TOOL

LARGEST_PACK = 2**32 - 2**24
"""Bytes of a zip that needs none of the extensions for larger ones."""
CHUNK = MB
THE_SAME_TIME = (1980, 1, 1, 0, 0, 0)
"""The time that every file of a pack bears: the earliest a zip can hold."""
NEEDED = ("findings.json", "scores.parquet", "sentences.parquet", "estimates.parquet")
"""Without these there is nothing to verify."""

Look = Callable[[str, bytes], None]
"""Told every file's name and what it holds, part by part; raises to stop."""


def unlooked(_name: str, _data: bytes) -> None:
    """Let every file pass."""


def write_pack(folder: Path, to: Path, look: Look = unlooked) -> Manifest:
    """Write the results of a folder as a pack; what a folder holds besides is left out."""
    run = run_in(folder)
    digests = listed_digests(as_object(run, MARK))
    entries = [Entry(MARK, len(run), hashlib.sha256(run).hexdigest())]
    entries += [_entry(folder, name, digest) for name, digest in digests.items()]
    found = manifest_of(entries)
    _check_size(folder, found)
    check_place(to)
    if to.resolve() in {(folder / entry.file).resolve() for entry in found.entries}:
        raise TiltmeterError(f"{to}: is one of the files to be packed; name another place")
    write_aside(to, lambda file: _write(file, folder, found, look))
    return found


def run_in(folder: Path) -> bytes:
    """The run.json of a folder that holds an audit, all of it."""
    try:
        data = read_capped(folder / MARK, LARGEST_TEXT)
    except OSError as error:
        what = f"{folder}: holds no results of an audit ({MARK}: {error.strerror})"
        raise TiltmeterError(
            f"{what}; expected the folder that `tiltmeter audit -o` wrote"
        ) from None
    check_run(as_object(data, f"{folder}: {MARK}"), str(folder))
    return data


def results_of(folder: Path) -> dict[str, Any]:
    """What run.json says of a folder that holds an audit, all of it."""
    return as_object(run_in(folder), MARK)


def check_run(told: Mapping[str, Any], where: str) -> None:
    """Refuse a run that is none of ours, not whole, or no audit."""
    if told.get("tool") != TOOL:
        raise TiltmeterError(f"{where}: its {MARK} is none of ours; expected an audit's results")
    if told.get("complete") is not True:
        what = f"{where}: the results are not all there, since the run was stopped"
        raise TiltmeterError(f"{what}; run the same audit again")
    lacking = [name for name in NEEDED if name not in listed_digests(told)]
    if lacking:
        what = f"{where}: the results hold no {lacking[0]}"
        raise TiltmeterError(f"{what}; expected those of `tiltmeter audit`")


def _entry(folder: Path, name: str, digest: str) -> Entry:
    path = folder / name
    try:
        facts = path.lstat()
    except OSError as error:
        raise _changed(folder, name, f"cannot be read: {error.strerror}") from None
    inside = path.parent.resolve() == folder.resolve() / PurePosixPath(name).parent
    if not stat.S_ISREG(facts.st_mode) or not inside:
        raise _changed(folder, name, "is a link or no plain file, which is not packed")
    return Entry(name, facts.st_size, digest)


def _check_size(folder: Path, manifest: Manifest) -> None:
    size = sum(entry.bytes for entry in manifest.entries)
    if size > LARGEST_PACK:
        what = f"{folder}: the results have {size / 2**30:.1f} GB; a pack holds at most 4"
        raise TiltmeterError(f"{what}: keep the folder, which `tiltmeter verify` reads as well")


def _write(file: IO[bytes], folder: Path, manifest: Manifest, look: Look) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, allowZip64=False) as archive:
        archive.writestr(_member(MANIFEST), manifest.text.encode())
        for entry in manifest.entries:
            with archive.open(_member(entry.file), "w") as member:
                for part in _parts(folder, entry):
                    look(entry.file, part)
                    member.write(part)


def _member(name: str) -> zipfile.ZipInfo:
    """A plain file that its owner may write and everybody read, whoever packs it."""
    info = zipfile.ZipInfo(name, THE_SAME_TIME)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3  # Unix, on every machine
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    return info


def _parts(folder: Path, entry: Entry) -> Iterator[bytes]:
    """What a file holds, which has to be what run.json says it held."""
    digest, size = hashlib.sha256(), 0
    with (folder / entry.file).open("rb") as file:
        while part := file.read(CHUNK):
            digest.update(part)
            size += len(part)
            yield part
    if (size, digest.hexdigest()) != (entry.bytes, entry.sha256):
        raise _changed(folder, entry.file, "was changed since the audit wrote it")


def _changed(folder: Path, name: str, what: str) -> ProblemsError:
    said = f"{folder} is not packed, since it is not what the audit left; run the audit again"
    return ProblemsError(said, [Problem(name, what)])
