"""Lines that begin like a word asked for, sorted into vectors and faults."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from tiltmeter.vectors.encoder import Rows
from tiltmeter.vectors.formats.source import BROKEN, REPEATED, Found
from tiltmeter.vectors.formats.text_layout import Layout, is_number
from tiltmeter.vectors.formats.text_values import plain_rows, wrong_values

AT_ONCE = 1 << 21
"""Bytes of values that are gathered before they are parsed."""
Lines = list[tuple[str, int, bytes]]
"""Words, the numbers of their lines, and their values as text."""


class AskedLines:
    """The lines of words asked for; plain ones wait until there are many.

    They are parsed in a thread of its own, while the file is read on.
    """

    def __init__(self, layout: Layout, words: Iterable[str]) -> None:
        self._layout = layout
        self._wanted = {layout.prefix + word.encode(): word for word in words}
        self.begins = {word.split(layout.separator, 1)[0] for word in self._wanted}
        self._found = Found()
        self._seen: set[str] = set()
        self._too_long: dict[str, int] = {}
        self._waiting: Lines = []
        self._size = 0
        self._parser = ThreadPoolExecutor(1)
        self._parsing: tuple[Lines, Future[Rows]] | None = None

    def take(self, number: int, begin: bytes, rest: bytes) -> None:
        """Keep a line, cut at its first separator, if it is the line of a word asked for."""
        values, separator = rest.rstrip(), self._layout.separator
        plain = values.count(separator) == self._layout.dimension - 1
        if not (plain and begin in self._wanted):
            self._take_odd(number, begin + separator + rest)
        elif self._is_first(self._wanted[begin], number):
            self._waiting.append((self._wanted[begin], number, values))
            self._size += len(values)
            if self._size > AT_ONCE:
                self._parse()

    def found(self, notes: tuple[str, ...]) -> Found:
        """Everything found, with what is said of the file itself."""
        self._parse()
        self._collect()
        self._parser.shutdown()
        for word, number in self._too_long.items():
            if word not in self._found.vectors:
                expected = f"more than the {self._layout.dimension:,} values expected"
                self._found.remark(BROKEN, word, f"line {number:,}: found {expected}")
        return Found(self._found.vectors, self._found.remarks, notes)

    def _take_odd(self, number: int, line: bytes) -> None:
        """Look closely at a line whose word may hold separators, or which is broken."""
        word, *values = line.rsplit(None, self._layout.dimension) or [b""]
        begin, *rest = [word] if word in self._wanted else word.split() or [word]
        if begin not in self._wanted:
            return
        asked = self._wanted[begin]
        if not rest:
            if self._is_first(asked, number):
                self._keep(asked, number, values)
        elif all(map(is_number, rest)):
            # A word that holds a space, or a value too many: known once the file is through.
            self._too_long.setdefault(asked, number)

    def _is_first(self, word: str, number: int) -> bool:
        if word in self._seen:
            self._found.remark(REPEATED, word, f"again in line {number:,}")
            return False
        self._seen.add(word)
        return True

    def _parse(self) -> None:
        """Begin to parse the lines that wait, once those before them are done."""
        self._collect()
        if self._waiting:
            values, layout = [each for _, _, each in self._waiting], self._layout
            rows = self._parser.submit(plain_rows, values, layout.dimension, layout.separator)
            self._parsing, self._waiting, self._size = (self._waiting, rows), [], 0

    def _collect(self) -> None:
        """Keep the vectors of the lines that are being parsed."""
        if self._parsing is None:
            return
        (lines, future), self._parsing = self._parsing, None
        rows = future.result()
        rows.setflags(write=False)
        whole = np.asarray(np.isfinite(rows).all(axis=1))
        for (word, number, values), row, plain in zip(lines, rows, whole, strict=True):
            if plain:
                self._found.vectors[word] = row
            else:
                self._keep(word, number, values.split())

    def _keep(self, word: str, number: int, values: list[bytes]) -> None:
        """Parse a line's values one by one, and say what is wrong with them."""
        where = f"line {number:,}"
        if wrong := wrong_values(values, self._layout.dimension):
            self._found.remark(BROKEN, word, f"{where}: {wrong}")
        else:
            self._found.keep(word, [float(value) for value in values], where)
