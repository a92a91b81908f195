"""word2vec's binary format: a header line, then each word, a space and its values as float32.

Its records, a word and a tail of fixed size, are also what fastText's dictionary is made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors.formats.source import (
    LONGEST_VECTOR,
    REPEATED,
    FoundVectors,
    VectorSource,
    file_errors,
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
    return VectorSource(path.name, (path,), told[1], partial(_find, path, *told), "word2vec binary")


def _find(path: Path, count: int, dimension: int, words: Sequence[str]) -> FoundVectors:
    """Go through the file once; only the values of words asked for are read."""
    found, size = FoundVectors(), 4 * dimension
    wanted = {word.encode(): word for word in words}
    # word2vec's own writer ends every vector with a newline, gensim's does not.
    wanted |= {b"\n" + written: word for written, word in wanted.items()}
    with file_errors(path), open_bytes(path) as file:
        file.readline()
        for number, (written, block, at) in enumerate(records(path, file, count, b" ", size), 1):
            if written in wanted:
                word = wanted[written]
                if word in found.vectors:
                    found.remark(REPEATED, word, f"again as word {number:,}")
                else:
                    values = np.frombuffer(block[at : at + size], dtype="<f4")
                    found.keep(word, values, f"word {number:,}")
    return found


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
