"""Files of vectors as bytes: opened plain or gzip-compressed, hashed, watched for changes."""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from tiltmeter.errors import TiltmeterError
from tiltmeter.files import TIMES, UNPACKED

BUFFER = 1 << 20
START = 1 << 20
"""How much of a file's beginning is looked at to tell what it is."""
GZIP = b"\x1f\x8b"
AS_WORD2VEC = (
    "open it with gensim and save it as word2vec binary: "
    "KeyedVectors.load(FILE).save_word2vec_format('vectors.bin', binary=True)"
)

KEYED_OR = "where gensim's KeyedVectors.save wrote it, give it the ending .kv; else "
NO_HDF5 = "ConceptNet publishes Numberbatch as text too, numberbatch-19.08.txt.gz: take that one"


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what a damaged or unreadable file raises into one message."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile) as error:
        raise TiltmeterError(f"{path}: is damaged or cut short ({error}): fetch it anew") from error
    except OSError as error:
        raise TiltmeterError(f"{path}: cannot be read: {error.strerror or error}") from error


def opened(path: Path) -> io.BufferedReader:
    """A file to read bytes from, decompressed on the way where it is gzip."""
    file: io.BufferedReader = io.BufferedReader(io.FileIO(path), BUFFER)
    if not file.peek(2).startswith(GZIP):
        return file
    file.close()
    return io.BufferedReader(cast(io.RawIOBase, Unpacked(path)), BUFFER)


class Unpacked(gzip.GzipFile):
    """A gzip file that is not read on once it turns out to be a bomb."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "rb")
        self._most = max(UNPACKED, TIMES * path.stat().st_size)

    def read(self, size: int | None = -1) -> bytes:
        """So many bytes; an error past what a file of its size may unpack to."""
        data = super().read(size)
        if self.tell() > self._most:
            raise gzip.BadGzipFile(f"it unpacks to more than {TIMES} times its size")
        return data


def is_gzip(path: Path) -> bool:
    """Whether a file is gzip-compressed, by its first bytes."""
    with path.open("rb") as file:
        return file.read(2) == GZIP


def beginning(path: Path) -> bytes:
    """The first bytes of a file, decompressed; what holds no vectors at all is refused."""
    start = refuse_other_files(path)
    if start[:1] == b"\x80" and start[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        what = f"is a Python pickle, which could run code and is never opened: {KEYED_OR}"
        raise TiltmeterError(f"{path}: {what}{AS_WORD2VEC}")
    return start


def refuse_other_files(path: Path) -> bytes:
    """The first bytes of a file, decompressed, if it is none that people take for vectors."""
    with reading(path), opened(path) as file:
        start = file.read(START)
    if what := _no_vectors(start):
        raise TiltmeterError(f"{path}: {what}")
    return start


def _no_vectors(start: bytes) -> str:
    """What a file is that cannot hold vectors, and what to do; nothing where it may."""
    if not start:
        return "is empty (0 bytes); expected word vectors: fetch it anew"
    if start.startswith(b"version https://git-lfs"):
        return "is a Git LFS pointer, not the vectors it points at: run git lfs pull"
    if start[:512].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return "is a web page (HTML), not word vectors: download the file itself"
    if start.startswith(b"\x89HDF"):
        return f"is an HDF5 file, which is not read: {NO_HDF5}"
    return ""


def digest_of(files: Sequence[Path]) -> str:
    """SHA-256 of a file's bytes; of several files, of their digests one after the other."""
    each = [_sha256(path) for path in files]
    return each[0].hex() if len(each) == 1 else hashlib.sha256(b"".join(each)).hexdigest()


def _sha256(path: Path) -> bytes:
    with reading(path), path.open("rb", buffering=0) as file:
        return hashlib.file_digest(file, "sha256").digest()


class Unchanged:
    """Files that must stay as they were when they were opened, or the digest would lie."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._seen = {path: _stamp(path) for path in files}

    def check(self) -> None:
        """Raise if a file was changed since."""
        for path, seen in self._seen.items():
            if _stamp(path) != seen:
                raise TiltmeterError(f"{path}: was changed while it was being read: start again")


def _stamp(path: Path) -> tuple[int, int, int]:
    with reading(path):
        told = path.stat()
    return told.st_size, told.st_mtime_ns, told.st_ino
