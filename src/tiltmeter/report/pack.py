"""A folder's results as one zip: the same bytes for the same folder, whole or not at all."""

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
from contextlib import ExitStack, contextmanager
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
    parse_json,
    read_capped,
    write_aside,
)
from tiltmeter.records import JsonLocator, Record, RecordFile, RuleError, check_record
from tiltmeter.report.folder import MARK, TOOL
from tiltmeter.report.json_files import indented

# ---- a folder's results as one zip: the same bytes for the same folder, whole or not at all


# ---- manifest.json: every file of a pack with its size and SHA-256, and one digest over all of
# them
#     fingerprint = SHA-256 of the lines `sha256 bytes file`, sorted by file
# The fingerprint depends on the files alone, not on how a zip packs them: note it down elsewhere,
# and a pack that was made anew from other answers is told from the one you saw.

MANIFEST = "manifest.json"
SCHEMA_VERSION = 1
"""Of the manifest; the files in it have their own."""
LONGEST_NAME = 255


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
    version = told.get("schema_version")
    if told.get("tool") != TOOL or not isinstance(version, int):
        raise TiltmeterError(f"{MANIFEST} is not one of ours: expected one that --pack wrote")
    if version > SCHEMA_VERSION:
        what = f"{MANIFEST} is of version {version}; this Tiltmeter reads {SCHEMA_VERSION}"
        raise TiltmeterError(f"{what}: use a newer one")
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
        what = f"{MANIFEST} was changed: its fingerprint is not that of the files it lists"
        raise TiltmeterError(f"{what} ({found.fingerprint})")
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


# ---- a folder's results as one zip: the same bytes for the same folder, whole or not at all


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


def write_pack(folder: Path, to: Path, look: Look = unlooked) -> PackManifest:
    """Write the results of a folder as a pack; what a folder holds besides is left out."""
    run = run_in(folder)
    digests = listed_digests(as_object(run, MARK))
    entries = [PackFile(MARK, len(run), hashlib.sha256(run).hexdigest())]
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


def _entry(folder: Path, name: str, digest: str) -> PackFile:
    path = folder / name
    try:
        facts = path.lstat()
    except OSError as error:
        raise _changed(folder, name, f"cannot be read: {error.strerror}") from None
    inside = path.parent.resolve() == folder.resolve() / PurePosixPath(name).parent
    if not stat.S_ISREG(facts.st_mode) or not inside:
        raise _changed(folder, name, "is a link or no plain file, which is not packed")
    return PackFile(name, facts.st_size, digest)


def _check_size(folder: Path, manifest: PackManifest) -> None:
    size = sum(entry.bytes for entry in manifest.entries)
    if size > LARGEST_PACK:
        what = f"{folder}: the results have {size / 2**30:.1f} GB; a pack holds at most 4"
        raise TiltmeterError(f"{what}: keep the folder, which `tiltmeter verify` reads as well")


def _write(file: IO[bytes], folder: Path, manifest: PackManifest, look: Look) -> None:
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


def _parts(folder: Path, entry: PackFile) -> Iterator[bytes]:
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


# ---- what stands in a zip, looked at before anything of it is unpacked


MOST_MEMBERS = 20_000
LARGEST_DIRECTORY = 8 * MB
"""Bytes of a zip's list of contents."""
TAIL = 65_557
"""Bytes at the end of a zip in which its last record stands."""
END = b"PK\x05\x06"
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1


def check_members(path: Path) -> None:
    """Refuse a file that is no zip of ours, or would unpack elsewhere or to more than it may."""
    try:
        check_plain_file(path, LARGEST_PACK)
        _check_directory(path)
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except OSError as error:
        raise TiltmeterError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise TiltmeterError(f"{path}: {_no_zip(error)}; expected what --pack wrote") from None
    if not members:
        raise TiltmeterError(f"{path}: is an empty zip; expected what --pack wrote")
    problems = [*_problems(members), *clashes(one.filename for one in members)]
    if problems:
        raise ProblemsError(f"{path}: holds what no pack holds; nothing was unpacked", problems)
    _check_unpacked(path, members)
    if MANIFEST not in (one.filename for one in members):
        raise TiltmeterError(f"{path}: has no {MANIFEST}; expected a pack that --pack wrote")


def is_pack(path: Path) -> bool:
    """Whether a file looks like a pack, whole or not."""
    try:
        check_members(path)
    except TiltmeterError:
        return False
    return True


def _no_zip(error: Exception) -> str:
    return f"is no zip file, or is cut short or damaged ({error})"


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
        what = f"its {packed / MB:,.1f} MB would unpack to {unpacked / MB:,.1f} MB"
        raise TiltmeterError(
            f"{path}: {what} (the largest is {largest.filename}), so nothing of it is unpacked"
        )


# ---- the files of a pack or an output folder, each beside the digest it should have


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
