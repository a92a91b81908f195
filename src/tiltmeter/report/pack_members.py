"""What stands in a zip, looked at before anything of it is unpacked."""

from __future__ import annotations

import stat
import struct
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tiltmeter.errors import Problem, ProblemsError, TiltmeterError
from tiltmeter.files import LARGEST_TABLE, MB, TIMES, UNPACKED, check_plain_file
from tiltmeter.report.manifest import MANIFEST, clashes, why_unsafe
from tiltmeter.report.pack import LARGEST_PACK

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
