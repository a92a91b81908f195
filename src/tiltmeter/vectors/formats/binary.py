"""Binary word vectors: word2vec's, and fastText's models (.bin).

word2vec: a header line, then each word, a space and its values as float32. Its records, a word and
a tail of fixed size, are also what fastText's dictionary is made of.

fastText: settings, a dictionary, and one matrix of words and n-grams. A word's vector is the mean
of its own row and those of its character n-grams; a word outside the vocabulary has only the
latter. The dictionary is streamed, the matrix stays on disk.

    int32 793712314, version │ 12 × int32, double │ int32 entries, words, labels; int64 tokens,
    pruned │ each entry: its bytes, 0, int64 count, int8 kind │ bool quantised │ int64 rows,
    columns │ float32 …
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors.formats.source import (
    BUILT,
    LONGEST_VECTOR,
    REPEATED,
    FoundVectors,
    VectorSource,
    file_errors,
    is_gzip,
    open_bytes,
)
from tiltmeter.vectors.formats.text import count_numbers, first_rows, header

BLOCK = 1 << 18
LONGEST_WORD = 1 << 16
"""No word is longer than this many bytes: a file that has one is something else."""
UNPRINTABLE = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


def is_word2vec_binary(start: bytes) -> bool:
    """Whether a header of two numbers is followed by bytes that are no text."""
    told = header(start)
    if told is None or any(count_numbers(row) == told[1] for row in first_rows(start)):
        return False
    return bool(UNPRINTABLE.search(start))


def word2vec_vectors(path: Path, start: bytes) -> VectorSource:
    """The vectors of a word2vec binary file, read block by block."""
    told = header(start)
    if told is None or not told[1]:
        raise TiltmeterError(f"{path}: begins with no `words values` line; expected word2vec")
    if told[1] > LONGEST_VECTOR:
        what = f"promises {told[1]:,} values a word; expected at most {LONGEST_VECTOR:,}"
        raise TiltmeterError(f"{path}: {what}: it is damaged, or something else")
    count, dimension = told

    def find(words: Sequence[str]) -> FoundVectors:
        """Go through the file once; only the values of words asked for are read."""
        found, size = FoundVectors(), 4 * dimension
        wanted = {word.encode(): word for word in words}
        # word2vec's own writer ends every vector with a newline, gensim's does not.
        wanted |= {b"\n" + written: word for written, word in wanted.items()}
        with file_errors(path), open_bytes(path) as file:
            file.readline()
            each = enumerate(records(path, file, count, b" ", size), 1)
            for number, (written, block, at) in each:
                if written in wanted:
                    word = wanted[written]
                    if word in found.vectors:
                        found.remark(REPEATED, word, f"again as word {number:,}")
                    else:
                        values = np.frombuffer(block[at : at + size], dtype="<f4")
                        found.keep(word, values, f"word {number:,}")
        return found

    return VectorSource(path.name, (path,), dimension, find, "word2vec binary")


def records(
    path: Path, file: BinaryIO, count: int, end: bytes, tail: int
) -> Iterator[tuple[bytes, bytes, int]]:
    """Each word, the block that holds its tail, and where in the block the tail begins."""
    block, at, size = b"", 0, max(BLOCK, 4 * (tail + LONGEST_WORD))
    find = block.find
    for number in range(count):
        stop = find(end, at)
        if stop < 0 or stop + 1 + tail > len(block):
            block, at = block[at:] + file.read(size), 0
            find = block.find
            stop = find(end)
            if not 0 <= stop <= LONGEST_WORD or stop + 1 + tail > len(block):
                at_end = len(block) < size
                if at_end and stop <= LONGEST_WORD:
                    what = f"is cut short: it ends after {number:,} of {count:,} words"
                else:
                    what = f"is damaged: no word can be made out after {number:,} of {count:,}"
                raise TiltmeterError(f"{path}: {what}: fetch it anew")
        yield block[at:stop], block, stop + 1
        at = stop + 1 + tail


MAGIC = struct.pack("<i", 793712314)
VERSIONS = (11, 12)
HEAD = struct.Struct("<2i12id3i2q")
SHAPE = struct.Struct("<?2q")
COUNT_AND_KIND = 9
SUPERVISED = 3
END_OF_SENTENCE = "</s>"
OFFSET, PRIME, WHOLE = 2166136261, 16777619, 0xFFFFFFFF


def is_fasttext(start: bytes) -> bool:
    """Whether a file begins as fastText's binary models do."""
    return start.startswith(MAGIC)


def fasttext_vectors(path: Path) -> VectorSource:
    """The vectors of a fastText model."""
    if is_gzip(path):
        what = "is a compressed fastText model, which cannot be read in place"
        raise TiltmeterError(f"{path}: {what}: unpack it with gunzip")
    # Read everything up to the matrix; what cannot be used is refused here
    quantised = TiltmeterError(
        f"{path}: is a quantised fastText model, which holds no plain vectors: "
        "use the .bin it was made from, or its .vec"
    )
    cut_short = TiltmeterError(f"{path}: is cut short: its matrix is not all there: fetch it anew")
    with file_errors(path), path.open("rb") as file:
        head = file.read(HEAD.size)
        if len(head) < HEAD.size:
            raise cut_short
        _, version, *settings = HEAD.unpack(head)
        dimension, kind, buckets, shortest, longest = (settings[at] for at in (0, 7, 8, 9, 10))
        entries, words, pruned = settings[13], settings[14], settings[-1]
        if version not in VERSIONS:
            what = f"is a fastText model of version {version}; this Tiltmeter reads 11 and 12"
            raise TiltmeterError(f"{path}: {what}: save its vectors as .vec with fastText")
        if pruned >= 0:
            raise quantised
        if not buckets or (version == 11 and kind == SUPERVISED):
            longest = 0  # fastText itself ignores what such old classifiers say
        if min(dimension, entries, words) < 1 or buckets < 0 or words > entries:
            raise TiltmeterError(f"{path}: is damaged: its settings make no sense: fetch it anew")
        walk = records(path, file, entries, b"\0", COUNT_AND_KIND)
        place = HEAD.size + sum(len(word) + 1 + COUNT_AND_KIND for word, _, _ in walk)
        file.seek(place)
        shape = file.read(SHAPE.size)
    if len(shape) < SHAPE.size:
        raise cut_short
    is_quantised, rows, columns = SHAPE.unpack(shape)
    if is_quantised:
        raise quantised
    if columns != dimension or rows < words + (buckets if longest else 0):
        found = f"a matrix of {rows:,} × {columns:,}"
        expected = f"{words + buckets:,} × {dimension:,}"
        raise TiltmeterError(f"{path}: is damaged: has {found}; expected {expected}")
    matrix = place + SHAPE.size
    if path.stat().st_size < matrix + 4 * rows * columns:
        raise cut_short

    def find(asked: Sequence[str]) -> FoundVectors:
        found, wanted = FoundVectors(), {word.encode(): word for word in asked}
        # The row of each word that is in the vocabulary; labels are none of it
        with file_errors(path), path.open("rb") as file:
            file.seek(HEAD.size)
            walk = enumerate(records(path, file, words, b"\0", COUNT_AND_KIND))
            own = {wanted[name]: [row] for row, (name, _, _) in walk if name in wanted}
        with file_errors(path):
            vectors = np.memmap(path, np.dtype("<f4"), "r", matrix, (rows, dimension))
        for word in asked:
            places = own.get(word, [])
            if longest and word != END_OF_SENTENCE:
                each = ngram_buckets(word, shortest, longest, buckets)
                places = places + [words + bucket for bucket in each]
            if places:
                found.keep(word, vectors[places].mean(axis=0, dtype=np.float64), "its rows")
                if word not in own:
                    found.remark(BUILT, word)
        return found

    return VectorSource(path.name, (path,), dimension, find, "fastText binary")


# ---------------------------------------------------------------- character n-grams


def ngram_buckets(word: str, shortest: int, longest: int, count: int) -> list[int]:
    """The bucket of every n-gram of `<word>`, in fastText's order (Bojanowski et al. 2017).

    A bracket alone is no n-gram.

    >>> ngram_buckets("ab", 3, 6, 1000) == [fnv1a(b"<ab") % 1000, fnv1a(b"<ab>") % 1000,
    ...                               fnv1a(b"ab>") % 1000]
    True
    """
    letters = [letter.encode() for letter in f"<{word}>"]
    found = []
    for begin in range(len(letters)):
        hashed = OFFSET  # an n-gram's hash is its beginning's, carried one letter further
        for end in range(begin + 1, min(begin + longest, len(letters)) + 1):
            hashed = fnv1a(letters[end - 1], hashed)
            bracket = end - begin == 1 and (begin == 0 or end == len(letters))
            if end - begin >= shortest and not bracket:
                found.append(hashed % count)
    return found


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
