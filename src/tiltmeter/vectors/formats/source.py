"""What the readers of word vectors share: files as bytes, what is found in them, `WordVectors`."""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiltmeter import files
from tiltmeter.errors import TiltmeterError
from tiltmeter.files import file_digest
from tiltmeter.vectors.encoder import WordVectors

Vector = NDArray[np.float32]
"""(dimension,)"""

BROKEN = "cannot be read, and count as missing"
REPEATED = "stand more than once, and the first of each was taken"
BUILT = "are not in the vocabulary and were built from their character n-grams"
TOLERATED, FEW = 0.05, 3
"""Refused is what has a larger share broken than this, and more than so many."""
LONGEST_VECTOR = 1 << 17
"""Values: no embedding has as many, and a file that promises more is damaged or a bomb."""
EXAMPLES = 5
"""How many words a note names before it only counts the rest."""

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


@dataclass(frozen=True, slots=True)
class FoundVectors:
    """What one pass over a file found of the words asked for."""

    vectors: dict[str, Vector] = field(default_factory=dict)
    remarks: dict[str, dict[str, str]] = field(default_factory=dict)
    """What is odd about words: the remark, then each word it holds for and where it was seen."""
    notes: tuple[str, ...] = ()
    """What is odd about the file itself."""

    def remark(self, remark: str, word: str, where: str = "") -> None:
        """Keep what is odd about a word; the first place counts."""
        self.remarks.setdefault(remark, {}).setdefault(word, where)

    def keep(self, word: str, values: ArrayLike, where: str) -> None:
        """Keep a word's vector; one with NaN or infinite values is broken."""
        row = vector(values)
        if np.isfinite(row).all():
            self.vectors[word] = row
            return
        at = int(np.argmin(np.isfinite(row)))
        self.remark(BROKEN, word, f"{where}: value {at + 1} of {row.size} is {row[at]}")

    def check(self, path: Path) -> None:
        """Raise where so many of the words found are broken that the file cannot be trusted."""
        broken = self.remarks.get(BROKEN, {}).keys() - self.vectors.keys()
        if too_many(len(broken), len(broken) + len(self.vectors)):
            what = f"is damaged: {remark_text(BROKEN, self.remarks[BROKEN])}"
            raise TiltmeterError(f"{path}: {what}: correct the file, or fetch it anew")


@dataclass(frozen=True, slots=True)
class VectorSource:
    """A place with vectors: how long they are, and a function that looks for words in it."""

    name: str
    files: tuple[Path, ...]
    """Those whose bytes determine the vectors."""
    dimension: int
    find: Callable[[Sequence[str]], FoundVectors]
    """Distinct words to what stands there about them, in one pass."""
    format: str
    """What the file is, in plain words."""
    languages: tuple[str, ...] = ()


class SourceVectors(WordVectors):
    """Word vectors that remember: a word is looked for once, the digest is made when asked for."""

    def __init__(
        self,
        source: VectorSource,
        languages: tuple[str, ...] = (),
        licence: str = "",
        notes: tuple[str, ...] = (),
    ) -> None:
        self.__dict__.update(  # a WordVectors is frozen: its attributes cannot be set
            name=source.name,
            dimension=source.dimension,
            lookup=self._lookup,
            languages=languages or source.languages,
            licence=licence,
            format=source.format,
            _source=source,
            _stamps=FileStamps(source.files),
            _lock=Lock(),
            _known={},
            _remarks={},
            _notes=dict.fromkeys(notes),
        )

    _source: VectorSource
    _stamps: FileStamps
    _lock: Lock
    _known: dict[str, Vector | None]
    """Every word looked for; None: not there."""
    _remarks: dict[str, dict[str, str]]
    _notes: dict[str, None]

    @cached_property
    def _digest(self) -> str:
        digest = digest_files(self._source.files)
        self._stamps.check()
        if languages := self._source.languages:
            return hashlib.sha256(f"{digest}\n{languages}".encode()).hexdigest()
        return digest

    @property
    def digest(self) -> str:
        """SHA-256 of the file; of several, of their digests one after the other.

        Where a file holds words of many languages, also of the language they are read in.
        """
        return self._digest

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found odd so far; it grows with the words looked for."""
        return self.notes_on({word for words in self._remarks.values() for word in words})

    def notes_on(self, words: Container[str]) -> tuple[str, ...]:
        """What was found odd about the file, and about some of the words looked for."""
        each = {
            remark: {word: where for word, where in odd.items() if word in words}
            for remark, odd in self._remarks.items()
        }
        return (*self._notes, *(remark_text(remark, odd) for remark, odd in each.items() if odd))

    def check_whole(self, words: Container[str]) -> None:
        """Raise where the vector of one of the words looked for is broken."""
        odd = {word: at for word, at in self._remarks.get(BROKEN, {}).items() if word in words}
        if odd:
            what = f"{remark_text(BROKEN, odd)}: correct the file, or fetch it anew"
            raise TiltmeterError(f"{self._source.files[0]}: {what}")

    def built_words(self) -> Container[str]:
        """The words that are not in the file and were built from parts of words."""
        return self._remarks.get(BUILT, {})

    def _lookup(self, words: Iterable[str]) -> Mapping[str, Vector]:
        asked = list(dict.fromkeys(words))
        with self._lock:
            if new := [word for word in asked if word not in self._known]:
                # Look for words in one pass, and remember also those that are not there
                possible = [word for word in new if _can_be_written(word)]
                found = self._source.find(possible) if possible else FoundVectors()
                self._stamps.check()
                found.check(self._source.files[0])
                for remark, odd in found.remarks.items():
                    self._remarks.setdefault(remark, {}).update(odd)
                self._notes.update(dict.fromkeys(found.notes))
                self._known.update(dict.fromkeys(new) | found.vectors)
        known = ((word, self._known[word]) for word in asked)
        return {word: vector for word, vector in known if vector is not None}


def vector(values: ArrayLike) -> Vector:
    """Values as a vector nobody can change."""
    with np.errstate(over="ignore"):  # what is too large for 32 bits becomes infinite
        row = np.array(values, dtype=np.float32)
    row.setflags(write=False)
    return row


def too_many(broken: int, of: int) -> bool:
    """Whether more is broken than a file may have and still be used.

    >>> too_many(1, 1), too_many(20, 400), too_many(21, 400)
    (False, False, True)
    """
    return broken > FEW and broken > TOLERATED * of


def _can_be_written(word: str) -> bool:
    """Whether a word can stand in a file at all: a lone surrogate cannot."""
    try:
        return bool(word.encode())
    except UnicodeEncodeError:
        return False


def remark_text(remark: str, words: Mapping[str, str]) -> str:
    """A remark on words, some of which it names.

    >>> remark_text("stand twice", {"she": "again in line 3"})
    "1 of the words asked for stand twice: 'she' (again in line 3)"
    """
    shown = [f"{word!r}{f' ({at})' if at else ''}" for word, at in [*words.items()][:EXAMPLES]]
    more = f" and {len(words) - EXAMPLES:,} more" if len(words) > EXAMPLES else ""
    return f"{len(words):,} of the words asked for {remark}: {', '.join(shown)}{more}"


# ---------------------------------------------------------------- files as bytes


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn what a damaged or unreadable file raises into one message."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile) as error:
        raise TiltmeterError(f"{path}: is damaged or cut short ({error}): fetch it anew") from error
    except OSError as error:
        raise TiltmeterError(f"{path}: cannot be read: {error.strerror or error}") from error


def open_bytes(path: Path) -> io.BufferedReader:
    """A file to read bytes from, decompressed on the way where it is gzip."""
    file: io.BufferedReader = io.BufferedReader(io.FileIO(path), BUFFER)
    if not file.peek(2).startswith(GZIP):
        return file
    file.close()
    return io.BufferedReader(cast(io.RawIOBase, CappedGzip(path)), BUFFER)


class CappedGzip(gzip.GzipFile):
    """A gzip file that is not read on once it turns out to be a bomb."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "rb")
        self._most = max(files.UNPACKED, files.TIMES * path.stat().st_size)

    def read(self, size: int | None = -1) -> bytes:
        """So many bytes; an error past what a file of its size may unpack to."""
        data = super().read(size)
        if self.tell() > self._most:
            raise gzip.BadGzipFile(f"it unpacks to more than {files.TIMES} times its size")
        return data


def is_gzip(path: Path) -> bool:
    """Whether a file is gzip-compressed, by its first bytes."""
    with path.open("rb") as file:
        return file.read(2) == GZIP


def read_start(path: Path) -> bytes:
    """The first bytes of a file, decompressed; what holds no vectors at all is refused."""
    start = refuse_other_files(path)
    if start[:1] == b"\x80" and start[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        what = f"is a Python pickle, which could run code and is never opened: {KEYED_OR}"
        raise TiltmeterError(f"{path}: {what}{AS_WORD2VEC}")
    return start


def refuse_other_files(path: Path) -> bytes:
    """The first bytes of a file, decompressed, if it is none that people take for vectors."""
    with file_errors(path), open_bytes(path) as file:
        start = file.read(START)
    what = ""
    if not start:
        what = "is empty (0 bytes); expected word vectors: fetch it anew"
    elif start.startswith(b"version https://git-lfs"):
        what = "is a Git LFS pointer, not the vectors it points at: run git lfs pull"
    elif start[:512].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        what = "is a web page (HTML), not word vectors: download the file itself"
    elif start.startswith(b"\x89HDF"):
        what = f"is an HDF5 file, which is not read: {NO_HDF5}"
    if what:
        raise TiltmeterError(f"{path}: {what}")
    return start


def digest_files(files: Sequence[Path]) -> str:
    """SHA-256 of a file's bytes; of several files, of their digests one after the other."""
    each = []
    for path in files:
        with file_errors(path):
            each.append(bytes.fromhex(file_digest(path)))
    return each[0].hex() if len(each) == 1 else hashlib.sha256(b"".join(each)).hexdigest()


class FileStamps:
    """Files that must stay as they were when they were opened, or the digest would lie."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._seen = {path: _stamp(path) for path in files}

    def check(self) -> None:
        """Raise if a file was changed since."""
        for path, seen in self._seen.items():
            if _stamp(path) != seen:
                raise TiltmeterError(f"{path}: was changed while it was being read: start again")


def _stamp(path: Path) -> tuple[int, int, int]:
    with file_errors(path):
        stat = path.stat()
    return stat.st_size, stat.st_mtime_ns, stat.st_ino
