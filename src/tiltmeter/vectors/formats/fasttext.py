"""fastText's binary models (.bin): settings, a dictionary, and one matrix of words and n-grams.

A word's vector is the mean of its own row and those of its character n-grams; a word outside the
vocabulary has only the latter. The dictionary is streamed, the matrix stays on disk.

    int32 793712314, version │ 12 × int32, double │ int32 entries, words, labels; int64 tokens,
    pruned │ each entry: its bytes, 0, int64 count, int8 kind │ bool quantised │ int64 rows, columns
    │ float32 …
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors.formats.source import BUILT, FoundVectors, VectorSource, file_errors, is_gzip
from tiltmeter.vectors.formats.word2vec import records

MAGIC = struct.pack("<i", 793712314)
VERSIONS = (11, 12)
HEAD = struct.Struct("<2i12id3i2q")
SHAPE = struct.Struct("<?2q")
COUNT_AND_KIND = 9
SUPERVISED = 3
END_OF_SENTENCE = "</s>"
OFFSET, PRIME, WHOLE = 2166136261, 16777619, 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class FastTextModel:
    """What the file says of itself before its matrix."""

    path: Path
    dimension: int
    shortest: int
    longest: int
    buckets: int
    entries: int
    words: int
    matrix: int = 0
    """Where the matrix begins."""
    rows: int = 0


def is_fasttext(start: bytes) -> bool:
    """Whether a file begins as fastText's binary models do."""
    return start.startswith(MAGIC)


def fasttext_vectors(path: Path) -> VectorSource:
    """The vectors of a fastText model."""
    if is_gzip(path):
        what = "is a compressed fastText model, which cannot be read in place"
        raise TiltmeterError(f"{path}: {what}: unpack it with gunzip")
    model = _model(path)
    return VectorSource(
        path.name, (path,), model.dimension, partial(_find, model), "fastText binary"
    )


def _model(path: Path) -> FastTextModel:
    """Read everything up to the matrix; what cannot be used is refused here."""
    with file_errors(path), path.open("rb") as file:
        head = file.read(HEAD.size)
        if len(head) < HEAD.size:
            raise _cut(path)
        _, version, *told = HEAD.unpack(head)
        _must_be_readable(path, version, told[-1])
        model = _settings(path, version, told)
        walk = records(path, file, model.entries, b"\0", COUNT_AND_KIND)
        place = HEAD.size + sum(len(word) + 1 + COUNT_AND_KIND for word, _, _ in walk)
        file.seek(place)
        shape = file.read(SHAPE.size)
    if len(shape) < SHAPE.size:
        raise _cut(path)
    return _with_matrix(model, place + SHAPE.size, *SHAPE.unpack(shape))


def _must_be_readable(path: Path, version: int, pruned: int) -> None:
    if version not in VERSIONS:
        what = f"is a fastText model of version {version}; this Tiltmeter reads 11 and 12"
        raise TiltmeterError(f"{path}: {what}: save its vectors as .vec with fastText")
    if pruned >= 0:
        raise _quantised(path)


def _settings(path: Path, version: int, told: Sequence[int]) -> FastTextModel:
    dimension, kind, count, shortest, longest = (told[place] for place in (0, 7, 8, 9, 10))
    if version == 11 and kind == SUPERVISED:
        longest = 0  # fastText itself ignores what such old classifiers say
    entries, words = told[13], told[14]
    if min(dimension, entries, words) < 1 or count < 0 or words > entries:
        raise TiltmeterError(f"{path}: is damaged: its settings make no sense: fetch it anew")
    return FastTextModel(path, dimension, shortest, longest if count else 0, count, entries, words)


def _with_matrix(
    model: FastTextModel, place: int, quantised: bool, rows: int, columns: int
) -> FastTextModel:
    if quantised:
        raise _quantised(model.path)
    if columns != model.dimension or rows < model.words + (model.buckets if model.longest else 0):
        found = f"a matrix of {rows:,} × {columns:,}"
        expected = f"{model.words + model.buckets:,} × {model.dimension:,}"
        raise TiltmeterError(f"{model.path}: is damaged: has {found}; expected {expected}")
    if model.path.stat().st_size < place + 4 * rows * columns:
        raise _cut(model.path)
    told = (model.shortest, model.longest, model.buckets, model.entries, model.words)
    return FastTextModel(model.path, model.dimension, *told, matrix=place, rows=rows)


def _find(model: FastTextModel, words: Sequence[str]) -> FoundVectors:
    found, own = FoundVectors(), _own_rows(model, words)
    with file_errors(model.path):
        shape = (model.rows, model.dimension)
        matrix = np.memmap(model.path, np.dtype("<f4"), "r", model.matrix, shape)
    for word in words:
        rows = own.get(word, []) + _ngram_rows(model, word)
        if rows:
            found.keep(word, matrix[rows].mean(axis=0, dtype=np.float64), "its rows")
            if word not in own:
                found.remark(BUILT, word)
    return found


def _own_rows(model: FastTextModel, words: Sequence[str]) -> dict[str, list[int]]:
    """The row of each word that is in the vocabulary; labels are none of it."""
    wanted = {word.encode(): word for word in words}
    with file_errors(model.path), model.path.open("rb") as file:
        file.seek(HEAD.size)
        walk = enumerate(records(model.path, file, model.words, b"\0", COUNT_AND_KIND))
        return {wanted[name]: [row] for row, (name, _, _) in walk if name in wanted}


def _ngram_rows(model: FastTextModel, word: str) -> list[int]:
    if word == END_OF_SENTENCE or not model.longest:
        return []
    each = ngram_buckets(word, model.shortest, model.longest, model.buckets)
    return [model.words + bucket for bucket in each]


def _quantised(path: Path) -> TiltmeterError:
    what = "is a quantised fastText model, which holds no plain vectors"
    return TiltmeterError(f"{path}: {what}: use the .bin it was made from, or its .vec")


def _cut(path: Path) -> TiltmeterError:
    return TiltmeterError(f"{path}: is cut short: its matrix is not all there: fetch it anew")


# ---------------------------------------------------------------- character n-grams


def ngram_buckets(word: str, shortest: int, longest: int, count: int) -> list[int]:
    """The bucket of every n-gram of `<word>`, in fastText's order (Bojanowski et al. 2017).

    A bracket alone is no n-gram.

    >>> ngram_buckets("ab", 3, 6, 1000) == [fnv1a(b"<ab") % 1000, fnv1a(b"<ab>") % 1000,
    ...                               fnv1a(b"ab>") % 1000]
    True
    """
    letters = [letter.encode() for letter in f"<{word}>"]
    return [hashed % count for hashed in _hashes(letters, shortest, longest)]


def _hashes(letters: list[bytes], shortest: int, longest: int) -> Iterator[int]:
    """Hashes of n-grams; each is its read_start's, carried one letter further."""
    for begin in range(len(letters)):
        hashed = OFFSET
        for end in range(begin + 1, min(begin + longest, len(letters)) + 1):
            hashed = fnv1a(letters[end - 1], hashed)
            bracket = end - begin == 1 and (begin == 0 or end == len(letters))
            if end - begin >= shortest and not bracket:
                yield hashed


def fnv1a(text: bytes, begun: int = OFFSET) -> int:
    """FNV-1a of 32 bits, with fastText's slip: a byte above 127 is extended with its sign.

    hash = (hash XOR byte) · 16777619 mod 2³²

    >>> hex(fnv1a(b"a"))
    '0xe40c292c'
    """
    hashed = begun
    for byte in text:
        extended = byte if byte < 128 else byte | 0xFFFFFF00
        hashed = (hashed ^ extended) * PRIME & WHOLE
    return hashed
