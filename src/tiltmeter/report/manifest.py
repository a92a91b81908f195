"""manifest.json: every file of a pack with its size and SHA-256, and one digest over all of them.

    fingerprint = SHA-256 of the lines `sha256 bytes file`, sorted by file

The fingerprint depends on the files alone, not on how a zip packs them: note it down elsewhere, and
a pack that was made anew from other answers is told from the one you saw.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from tiltmeter.errors import Problem, ProblemsError, TiltmeterError
from tiltmeter.files import parse_json
from tiltmeter.records import JsonLocator, Record, RecordFile, RuleError, check_record
from tiltmeter.report.json_text import indented
from tiltmeter.report.ownership import MARK, TOOL

MANIFEST = "manifest.json"
SCHEMA_VERSION = 1
"""Of the manifest; the files in it have their own."""
LONGEST_NAME = 255


class Entry(Record):
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
class Manifest:
    """Every file of a pack but the manifest itself, in the order of their names."""

    entries: tuple[Entry, ...]

    @property
    def fingerprint(self) -> str:
        """One digest over all files.

        >>> Manifest((Entry("a", 1, "0" * 64),)).fingerprint[:12]
        '4c5279de3287'
        """
        lines = "".join(f"{entry}\n" for entry in self.entries)
        return hashlib.sha256(lines.encode()).hexdigest()

    @property
    def by_name(self) -> dict[str, Entry]:
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


def manifest_of(entries: Iterable[Entry]) -> Manifest:
    """A manifest in the one order that it is written in."""
    return Manifest(tuple(sorted(entries, key=lambda entry: entry.file)))


def read_manifest(data: bytes) -> Manifest:
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
    entries, problems = check_record(file, tuple[Entry, ...], ["files"])
    if problems or entries is None:
        raise ProblemsError(f"{MANIFEST} lists what is no file of a pack", problems)
    found = Manifest(entries)
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
