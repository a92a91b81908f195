"""A study's results, in their folder or packed as one zip: each file held against its digest.

    open_evidence(path)  ──▶ Evidence: what every file is, none of it altered ──▶ read, record
                                                                              └─▶ write_pack: a zip

Whoever reads back what a study wrote opens it here. A zip of the same folder has the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Annotated, Any

from msgspec import Meta

from tiltmeter.errors import Problem, ProblemsError, TiltmeterError
from tiltmeter.files import (
    LARGEST_TABLE,
    LARGEST_TEXT,
    MB,
    TIMES,
    UNPACKED,
    check_place,
    check_plain_file,
    is_folder,
    is_there,
    parse_json,
    read_capped,
    write_aside,
)
from tiltmeter.records import JsonLocator, Record, RecordFile, RuleError, check_record
from tiltmeter.report.folder import MARK, TOOL
from tiltmeter.report.json_files import SCHEMA_VERSION as RUN_VERSION
from tiltmeter.report.json_files import indented

# ---- manifest.json: every file of a pack with its size and SHA-256, and one digest over all of
# them
#     fingerprint = SHA-256 of the lines `sha256 bytes file`, sorted by file
# The fingerprint depends on the files alone, not on how a zip packs them: note it down elsewhere,
# and a pack that was made anew from other answers is told from the one you saw.

MANIFEST = "manifest.json"
SCHEMA_VERSION = 1
"""Of the manifest; the files in it have their own."""
LONGEST_NAME = 255
RESULTS = "what a Tiltmeter study wrote"


class PackFile(Record):
    """One file of a pack."""

    file: str
    bytes: Annotated[int, Meta(ge=0, description="a whole number from 0 on")]
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z", description="a SHA-256 in hexadecimal")]

    def __post_init__(self) -> None:
        if why := why_unsafe(self.file):
            raise RuleError({"file": f"{self.file[:LONGEST_NAME]!r}: {why}"})

    def __str__(self) -> str:
        return f"{self.sha256} {self.bytes} {self.file}"


@dataclass(frozen=True, slots=True)
class PackManifest:
    """Every file of a pack but the manifest itself, in the order of their names."""

    entries: tuple[PackFile, ...]

    @property
    def fingerprint(self) -> str:
        """One digest over all files.

        >>> PackManifest((PackFile("a", 1, "0" * 64),)).fingerprint[:12]
        '4c5279de3287'
        """
        lines = "".join(f"{entry}\n" for entry in self.entries)
        return hashlib.sha256(lines.encode()).hexdigest()

    @property
    def by_name(self) -> dict[str, PackFile]:
        """The entries by the file they speak of."""
        return {entry.file: entry for entry in self.entries}

    @property
    def text(self) -> str:
        """As manifest.json holds it."""
        told = {
            "schema_version": SCHEMA_VERSION,
            "tool": TOOL,
            "fingerprint": self.fingerprint,
            "files": [
                {"file": one.file, "bytes": one.bytes, "sha256": one.sha256} for one in self.entries
            ],
        }
        return indented(told) + "\n"


def manifest_of(entries: Iterable[PackFile]) -> PackManifest:
    """A manifest in the one order that it is written in."""
    return PackManifest(tuple(sorted(entries, key=lambda entry: entry.file)))


def read_manifest(data: bytes) -> PackManifest:
    """What a manifest.json says, refused where it does not hold together."""
    told = as_object(data, MANIFEST)
    if told.get("tool") != TOOL:
        raise TiltmeterError(f"{MANIFEST} is not one of ours: expected one that --pack wrote")
    check_version(told, SCHEMA_VERSION, MANIFEST)
    place = Path(MANIFEST)
    file = RecordFile(place, told, JsonLocator(place, data.decode(errors="replace")))
    entries, problems = check_record(file, tuple[PackFile, ...], ["files"])
    if problems or entries is None:
        raise ProblemsError(f"{MANIFEST} lists what is no file of a pack", problems)
    found = PackManifest(entries)
    names = [entry.file for entry in found.entries]
    if names != sorted(set(names)):
        raise TiltmeterError(f"{MANIFEST} names a file twice, or out of order")
    if told.get("fingerprint") != found.fingerprint:
        message = f"{MANIFEST} was changed: its fingerprint is not that of the files it lists"
        raise TiltmeterError(f"{message} ({found.fingerprint})")
    return found


def as_object(data: bytes, name: str) -> dict[str, Any]:
    """A file's JSON, which has to be an object."""
    try:
        found = parse_json(data)
    except ValueError as error:
        raise TiltmeterError(f"{name} is damaged: {str(error)[:100]}") from error
    if not isinstance(found, dict):
        kind = type(found).__name__
        raise TiltmeterError(f"{name} is damaged: expected an object in JSON, found a {kind}")
    return found


def listed_digests(run: Mapping[str, Any]) -> dict[str, str]:
    """By file, what run.json says its SHA-256 is."""
    files = run.get("files")
    found = dict[str, str]()
    for one in files if isinstance(files, list) else ():
        name, digest = (
            one.get(key) if isinstance(one, dict) else None for key in ("file", "sha256")
        )
        if not (isinstance(name, str) and isinstance(digest, str)) or why_unsafe(name):
            raise TiltmeterError(f"{MARK} is damaged: it lists {json.dumps(one)[:200]}")
        found[name] = digest
    return found


def why_unsafe(name: str) -> str:
    """Why no file of a pack may be called so; nothing where it may.

    >>> why_unsafe("tables/a.csv"), why_unsafe("../a"), why_unsafe("C:/a")
    ('', 'it leads out of the folder', 'it is not a plain path')
    """
    parts = name.split("/")
    if name.startswith(("/", "\\")) or ".." in parts:
        return "it leads out of the folder"
    plain = all(part and part != "." for part in parts) and "\\" not in name and ":" not in name
    hidden = any(unicodedata.category(letter) in ("Cc", "Cf", "Cs") for letter in name)
    if not plain or hidden or len(name) > LONGEST_NAME:
        return "it is not a plain path"
    return ""


def clashes(names: Iterable[str]) -> list[Problem]:
    """Names that stand twice, or would be one file where a disk does not tell case apart."""
    seen, found = dict[str, str](), list[Problem]()
    for name in names:
        key = unicodedata.normalize("NFC", name).casefold()
        if key in seen:
            same = "it stands there twice" if seen[key] == name else f"it clashes with {seen[key]}"
            found.append(Problem(name, same))
        seen.setdefault(key, name)
    return found


# ---- a zip, the same bytes for the same results, whole or not at all


LARGEST_PACK = 2**32 - 2**24
"""Bytes of a zip that needs none of the extensions for larger ones."""
CHUNK = MB
THE_SAME_TIME = (1980, 1, 1, 0, 0, 0)
"""The time that every file of a pack bears: the earliest a zip can hold."""
Look = Callable[[str, bytes], None]
"""Told every file's name and what it holds, part by part; raises to stop."""


def accept_all(_name: str, _data: bytes) -> None:
    """Let every file pass."""


def write_pack(evidence: Evidence, to: Path, look: Look = accept_all) -> None:
    """Write what was opened as a pack; what a folder holds besides is left out."""
    entries = evidence.manifest.entries
    if (size := sum(entry.bytes for entry in entries)) > LARGEST_PACK:
        message = f"the results have {size / 2**30:.1f} GB; a pack holds at most 4"
        next_ = "keep the folder, which `tiltmeter verify` reads as well"
        raise TiltmeterError(f"{evidence.where}: {message}: {next_}")
    check_place(to)
    if to.resolve() in {(evidence.where / entry.file).resolve() for entry in entries}:
        raise TiltmeterError(f"{to}: is one of the files to be packed; name another place")
    write_aside(to, lambda file: _write(file, evidence, look))


def _write(file: IO[bytes], evidence: Evidence, look: Look) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, allowZip64=False) as archive:
        archive.writestr(_member(MANIFEST), evidence.manifest.text.encode())
        for entry in evidence.manifest.entries:
            with archive.open(_member(entry.file), "w") as member:
                for part in evidence.parts(entry):
                    look(entry.file, part)
                    member.write(part)


def _member(name: str) -> zipfile.ZipInfo:
    """A plain file that its owner may write and everybody read, whoever packs it."""
    info = zipfile.ZipInfo(name, THE_SAME_TIME)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3  # Unix, on every machine
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    return info


# ---- what stands in a zip, looked at before anything of it is unpacked


MOST_MEMBERS = 20_000
LARGEST_DIRECTORY = 8 * MB
"""Bytes of a zip's list of contents."""
TAIL = 65_557
"""Bytes at the end of a zip in which its last record stands."""
END = b"PK\x05\x06"
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1


def check_members(path: Path, expected: str = "what --pack wrote") -> None:
    """Refuse a file that is no zip of ours, or would unpack elsewhere or to more than it may."""
    try:
        check_plain_file(path, LARGEST_PACK)
        _check_directory(path)
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except OSError as error:
        message = f"{path}: cannot be read: {error.strerror or error}; expected {expected}"
        raise TiltmeterError(message) from None
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        message = f"is no zip file, or is cut short or damaged ({error})"
        raise TiltmeterError(f"{path}: {message}; expected {expected}") from None
    if not members:
        raise TiltmeterError(f"{path}: is an empty zip; expected {expected}")
    problems = [*_problems(members), *clashes(one.filename for one in members)]
    if problems:
        raise ProblemsError(f"{path}: holds what no pack holds; nothing was unpacked", problems)
    _check_unpacked(path, members)
    if MANIFEST not in (one.filename for one in members):
        raise TiltmeterError(f"{path}: has no {MANIFEST}; expected {expected}")


def is_pack(path: Path) -> bool:
    """Whether a file looks like a pack, whole or not."""
    try:
        check_members(path)
    except TiltmeterError:
        return False
    return True


def _check_directory(path: Path) -> None:
    """Read how long the list of contents says it is, before it is read."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - TAIL))
        tail = file.read(TAIL)
    at = tail.rfind(END)
    if at < 0 or len(tail) < at + 22:
        raise zipfile.BadZipFile("its end is missing")
    count, length = struct.unpack("<10xHL", tail[at : at + 16])
    if count > MOST_MEMBERS or length > LARGEST_DIRECTORY:
        raise zipfile.BadZipFile(f"it lists {count:,} files in {length:,} bytes")


def _problems(members: Sequence[zipfile.ZipInfo]) -> Iterator[Problem]:
    for one in members:
        name = one.orig_filename
        kind = stat.S_IFMT(one.external_attr >> 16)
        if why := why_unsafe(name):
            yield Problem(repr(name)[1:-1], f"a file cannot be called so: {why}")
        elif one.is_dir() or kind not in (0, stat.S_IFREG):
            yield Problem(name, "is a link, a folder or a device; a pack holds plain files")
        elif one.flag_bits & ENCRYPTED or one.compress_type not in METHODS:
            yield Problem(name, "is encrypted, or packed in a way that no pack is")


def _check_unpacked(path: Path, members: Sequence[zipfile.ZipInfo]) -> None:
    packed, unpacked = path.stat().st_size, sum(one.file_size for one in members)
    largest = max(members, key=lambda one: one.file_size)
    if unpacked > max(UNPACKED, TIMES * packed) or largest.file_size > LARGEST_TABLE:
        message = f"its {packed / MB:,.1f} MB would unpack to {unpacked / MB:,.1f} MB"
        raise TiltmeterError(
            f"{path}: {message} (the largest is {largest.filename}), so nothing of it is unpacked"
        )


# ---- the files of a pack or an output folder, each beside the digest it should have


Opener = Callable[[str], IO[bytes]]
UNREADABLE = (OSError, zipfile.BadZipFile, zlib.error, EOFError, ValueError)
"""What a damaged zip raises."""
ALTERED = "was altered or damaged"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Files that were all found to be what run.json, or the manifest of a pack, says."""

    where: Path
    manifest: PackManifest
    open: Opener
    besides: tuple[str, ...] = ()
    """Files of a folder that are no results."""

    def __contains__(self, name: str) -> bool:
        return name in self.manifest.by_name

    def parts(self, entry: PackFile) -> Iterator[bytes]:
        """What a file holds, part by part, held against its digest; no more than it should have."""
        digest, size = hashlib.sha256(), 0
        with self.open(entry.file) as file:
            while size <= entry.bytes and (part := file.read(CHUNK)):
                digest.update(part)
                size += len(part)
                yield part
        if (size, digest.hexdigest()) != (entry.bytes, entry.sha256):
            message = "is not what was written: its SHA-256 differs"
            raise ProblemsError(f"{self.where}: {ALTERED}", [Problem(entry.file, message)])

    def read(self, name: str, most: int = LARGEST_TABLE) -> bytes:
        """What a file holds, held against its digest once more."""
        entry = self.manifest.by_name[name]
        if entry.bytes > most:
            message = f"{name} has {entry.bytes / MB:,.0f} MB; at most {most / MB:,.0f} are read"
            raise TiltmeterError(f"{self.where}: {message}")
        return b"".join(self.parts(entry))

    def record(self, name: str) -> RecordFile:
        """A file that is an object in JSON, to be checked."""
        data, place = self.read(name), Path(name)
        values = as_object(data, f"{self.where}: {name}")
        return RecordFile(place, values, JsonLocator(place, data.decode(errors="replace")))


def open_evidence(path: Path, needed: Sequence[str] = (), expected: str = RESULTS) -> Evidence:
    """Open a folder's or pack's files, once every one of them was found to be what it should be.

    `needed` are files without which it is not what was `expected`.
    """
    if not is_there(path):
        raise TiltmeterError(f"{path}: there is no such folder or file; expected {expected}")
    evidence = _open_folder(path, expected) if is_folder(path) else _open_zip(path, expected)
    problems = list[Problem]()
    for entry in evidence.manifest.entries:
        try:
            for _ in evidence.parts(entry):
                pass
        except ProblemsError as error:
            problems += error.problems
        except UNREADABLE as error:
            problems.append(Problem(entry.file, f"cannot be read: {_why(error)}"))
    if problems:
        raise ProblemsError(f"{path}: {ALTERED}", problems)
    run = evidence.record(MARK).values
    listed = _check_run(run, path, expected)
    packed = {entry.file: entry.sha256 for entry in evidence.manifest.entries if entry.file != MARK}
    differ = sorted(name for name in {*listed, *packed} if listed.get(name) != packed.get(name))
    if differ:
        message = f"{MARK} and {MANIFEST} do not speak of the same file"
        raise ProblemsError(f"{path}: was altered", [Problem(name, message) for name in differ])
    for name in needed:
        if name not in evidence:
            raise TiltmeterError(f"{path}: the results hold no {name}; expected {expected}")
    return evidence


def _check_run(run: Mapping[str, Any], path: Path, expected: str) -> dict[str, str]:
    """The digests that run.json lists; refuse a run that is none of ours, or not whole."""
    if run.get("tool") != TOOL:
        raise TiltmeterError(f"{path}: its {MARK} is none of ours; expected {expected}")
    check_version(run, RUN_VERSION, f"{path}: {MARK}")
    if run.get("complete") is not True:
        message = f"{path}: the results are not all there, since the run was stopped"
        raise TiltmeterError(f"{message}; run the same command again")
    return listed_digests(run)


def check_version(values: Mapping[str, Any], version: int, where: str) -> None:
    """Refuse a file of another schema than the one there is."""
    stated = values.get("schema_version")
    if isinstance(stated, bool) or stated != version:
        shown = json.dumps(stated)[:40]
        message = f"{where} is of schema version {shown}; this Tiltmeter reads version {version}"
        raise TiltmeterError(f"{message} and no other: run the command that wrote it again")


def _open_zip(path: Path, expected: str) -> Evidence:
    check_members(path, expected)
    archive = zipfile.ZipFile(path)  # closed with the evidence
    with _naming(path, MANIFEST), archive.open(MANIFEST) as file:
        manifest = read_manifest(file.read(LARGEST_TEXT))
    there, listed = {one.filename for one in archive.infolist()} - {MANIFEST}, {*manifest.by_name}
    problems = [Problem(name, "is missing") for name in sorted(listed - there)]
    added = f"was added; {MANIFEST} does not list it"
    problems += [Problem(name, added) for name in sorted(there - listed)]
    if problems:
        raise ProblemsError(f"{path}: {ALTERED}", problems)
    return Evidence(path, manifest, archive.open)


def _open_folder(path: Path, expected: str) -> Evidence:
    """A folder by its run.json, which lists every file with its digest."""
    try:
        data = read_capped(path / MARK, LARGEST_TEXT)
    except OSError as error:
        message = f"{path}: holds no results ({MARK}: {error.strerror}); expected {expected}"
        raise TiltmeterError(message) from None
    listed = _check_run(as_object(data, f"{path}: {MARK}"), path, expected)
    entries = [PackFile(MARK, len(data), hashlib.sha256(data).hexdigest())]
    problems = list[Problem]()
    for name, digest in listed.items():
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
        raise ProblemsError(f"{path}: {ALTERED}", problems)
    manifest = manifest_of(entries)
    besides = tuple(sorted({*_names_in(path)} - {MARK, *listed}))
    return Evidence(path, manifest, lambda name: (path / name).open("rb"), besides)


def _names_in(folder: Path) -> Iterator[str]:
    for above, _, names in os.walk(folder):
        for name in names:
            yield (Path(above) / name).relative_to(folder).as_posix()


@contextmanager
def _naming(path: Path, name: str) -> Iterator[None]:
    """Say of which pack a complaint is, and that a file cannot be unpacked."""
    try:
        yield
    except TiltmeterError as error:
        error.name_place(path)
        raise
    except UNREADABLE as error:
        raise TiltmeterError(f"{path}: {name} cannot be read: {_why(error)}") from None


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
