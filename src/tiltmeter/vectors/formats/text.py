"""Vectors as text, a word a line: GloVe without a header, word2vec and fastText with one.

    the 0.418 0.24968 …          GloVe
    2000000 300                  word2vec and fastText: how many words, how many values
    /c/en/she 0.0153 …           Numberbatch: words of many languages

A word may hold spaces (GloVe 840B has `. . .`), so a line is split from its right end. Words are
compared as bytes: of a line that nobody asked for only the word and the length are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors.formats.source import Found, Source
from tiltmeter.vectors.formats.text_blocks import line_blocks
from tiltmeter.vectors.formats.text_faults import Faults
from tiltmeter.vectors.formats.text_layout import BOM, Layout, how_many_numbers, text_layout
from tiltmeter.vectors.formats.text_lines import AskedLines


def text_vectors(path: Path, start: bytes, language: str | None = None) -> Source:
    """The vectors of a text file, read block by block; `language` picks one where it holds many."""
    layout = text_layout(path, start, language)
    find = partial(_find, path, layout)
    return Source(path.name, (path,), layout.dimension, find, layout.format, layout.languages)


def _find(path: Path, layout: Layout, words: Sequence[str]) -> Found:
    """Go through the file once; only lines that begin like a word asked for are parsed."""
    asked, faults = AskedLines(layout, words), Faults()
    headed = 0 if layout.promised is None else 1
    number, cut = 0, False
    for block, unended in line_blocks(path):
        begun = 0 if number else _first_place(block, layout)
        number = _go_through(block, begun, number or headed, layout, asked, faults)
        faults.check_so_far(str(path), number - headed)
        cut = unended and how_many_numbers(block) < layout.dimension
    lines = number - headed
    faults.check(str(path), lines)
    if cut:
        what = f"is cut short: it ends in the middle of line {number:,}"
        raise TiltmeterError(f"{path}: {what}: fetch it anew, or delete that line if it is whole")
    return asked.found((*layout.notes(lines), *faults.notes()))


def _first_place(block: bytes, layout: Layout) -> int:
    """Where the first word begins in the first block."""
    mark = len(BOM) if block.startswith(BOM) else 0
    return mark if layout.promised is None else block.find(b"\n") + 1


def _go_through(
    block: bytes, at: int, number: int, layout: Layout, asked: AskedLines, faults: Faults
) -> int:
    """Look at every line of a block from a place on; the number of its last line.

    This runs for every line of the file: what can wait until the block is through does.
    """
    begins, separator, least = asked.begins, layout.separator, layout.least
    words: list[bytes] = []
    find, add = block.find, words.append
    while (stop := find(b"\n", at)) >= 0:
        cut = find(separator, at, stop)
        word = block[at:cut] if cut > at else b""
        add(word)
        if word in begins:
            asked.take(number + len(words), word, block[cut + 1 : stop])
        if not word or stop - at < least:
            faults.no_vector(number + len(words), block[at:stop])
            if not word:
                asked.take(number + len(words), block[at:stop].strip(), b"")
        at = stop + 1
    faults.words(number + 1, words)
    return number + len(words)
