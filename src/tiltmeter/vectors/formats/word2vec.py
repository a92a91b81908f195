"""word2vec's binary format: a header line, then each word, a space and its values as float32."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors.formats.files import opened, reading
from tiltmeter.vectors.formats.records import records
from tiltmeter.vectors.formats.source import LONGEST_VECTOR, REPEATED, Found, Source
from tiltmeter.vectors.formats.text_layout import first_rows, header, how_many_numbers

UNPRINTABLE = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


def is_word2vec_binary(start: bytes) -> bool:
    """Whether a header of two numbers is followed by bytes that are no text."""
    told = header(start)
    if told is None or any(how_many_numbers(row) == told[1] for row in first_rows(start)):
        return False
    return bool(UNPRINTABLE.search(start))


def word2vec_vectors(path: Path, start: bytes) -> Source:
    """The vectors of a word2vec binary file, read block by block."""
    told = header(start)
    if told is None or not told[1]:
        raise TiltmeterError(f"{path}: begins with no `words values` line; expected word2vec")
    if told[1] > LONGEST_VECTOR:
        what = f"promises {told[1]:,} values a word; expected at most {LONGEST_VECTOR:,}"
        raise TiltmeterError(f"{path}: {what}: it is damaged, or something else")
    return Source(path.name, (path,), told[1], partial(_find, path, *told), "word2vec binary")


def _find(path: Path, count: int, dimension: int, words: Sequence[str]) -> Found:
    """Go through the file once; only the values of words asked for are read."""
    found, size = Found(), 4 * dimension
    wanted = {word.encode(): word for word in words}
    # word2vec's own writer ends every vector with a newline, gensim's does not.
    wanted |= {b"\n" + written: word for written, word in wanted.items()}
    with reading(path), opened(path) as file:
        file.readline()
        for number, (written, block, at) in enumerate(records(path, file, count, b" ", size), 1):
            if written in wanted:
                _keep(found, wanted[written], number, block[at : at + size])
    return found


def _keep(found: Found, word: str, number: int, values: bytes) -> None:
    if word in found.vectors:
        found.remark(REPEATED, word, f"again as word {number:,}")
        return
    found.keep(word, np.frombuffer(values, dtype="<f4"), f"word {number:,}")
