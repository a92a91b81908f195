"""A text file in blocks of lines, so that memory does not grow with the file."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator
from pathlib import Path

from tiltmeter.vectors.formats.files import Unpacked, is_gzip, reading

BLOCK = 1 << 20
NO_VECTOR = b"\0\n"
"""Stands for a line that is longer than a block, which no vector is."""
More = Callable[[int], bytes]
"""Told how many bytes of its last block were used; gives a block that begins behind them."""


def line_blocks(path: Path) -> Iterator[tuple[bytes, bool]]:
    """Blocks of lines, and whether the file ends in the block's last line without a newline.

    What stands behind the last newline of a block comes again at the beginning of the next; a last
    line without a newline is given one.
    """
    if is_gzip(path):
        with reading(path), Unpacked(path) as file:
            yield from _lines(_unpacked(file))
    else:
        with reading(path), io.FileIO(path) as plain:
            yield from _lines(_placed(plain))


def _lines(more: More) -> Iterator[tuple[bytes, bool]]:
    used, skipping = 0, False
    while block := more(used):
        used = block.rfind(b"\n") + 1
        if not used and len(block) < BLOCK:
            if not skipping:
                yield block + b"\n", True
            return
        if used and skipping:
            used, skipping = block.find(b"\n") + 1, False
        elif used:
            yield block, False
        else:
            if not skipping:
                yield NO_VECTOR, False
            used, skipping = len(block), True


def _placed(file: io.FileIO) -> More:
    """Bytes of a file that can be read again from any place, which is sooner than joining."""
    place = 0

    def more(used: int) -> bytes:
        nonlocal place
        place += used
        file.seek(place)
        return file.read(BLOCK)

    return more


def _unpacked(file: gzip.GzipFile) -> More:
    held = b""

    def more(used: int) -> bytes:
        nonlocal held
        held = held[used:]
        while len(held) < BLOCK and (piece := file.read(BLOCK - len(held))):
            held += piece
        return held

    return more
