"""Binary records of a word, a byte that ends it, and a tail of fixed size: word2vec, fastText."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tiltmeter.errors import TiltmeterError

BLOCK = 1 << 18
LONGEST = 1 << 16
"""No word is longer than this many bytes: a file that has one is something else."""


def records(
    path: Path, file: BinaryIO, count: int, end: bytes, tail: int
) -> Iterator[tuple[bytes, bytes, int]]:
    """Each word, the block that holds its tail, and where in the block the tail begins."""
    block, at, size = b"", 0, max(BLOCK, 4 * (tail + LONGEST))
    find = block.find
    for number in range(count):
        stop = find(end, at)
        if stop < 0 or stop + 1 + tail > len(block):
            block, at = block[at:] + file.read(size), 0
            find = block.find
            stop = find(end)
            if not 0 <= stop <= LONGEST or stop + 1 + tail > len(block):
                raise _broken(path, number, count, stop, len(block) < size)
        yield block[at:stop], block, stop + 1
        at = stop + 1 + tail


def _broken(path: Path, number: int, count: int, stop: int, at_end: bool) -> TiltmeterError:
    if at_end and stop <= LONGEST:
        what = f"is cut short: it ends after {number:,} of {count:,} words"
    else:
        what = f"is damaged: no word can be made out after {number:,} of {count:,}"
    return TiltmeterError(f"{path}: {what}: fetch it anew")
