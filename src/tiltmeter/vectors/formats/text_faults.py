"""What is wrong with lines of a text file, counted, with the numbers of the first ones."""

from __future__ import annotations

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors.formats.source import too_many

NAMED = 5
"""Lines that a remark names before it only counts the rest."""
MANY = 100_000
"""Odd lines that a file may have, whatever share of it they are."""
BLANK = "without anything"
NO_VECTOR = "without a word and its values"
NO_UTF8 = "with a word that is not UTF-8"
NUL = "with a NUL byte in the word"


class Faults:
    """Faults of the lines of a file, those of nobody's words among them."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._first: dict[str, list[int]] = {}

    def no_vector(self, number: int, line: bytes) -> None:
        """Count a line that cannot hold a vector."""
        self._add(NO_VECTOR if line.strip() else BLANK, number)

    def words(self, begun: int, words: list[bytes]) -> None:
        """Count the odd ones among the words of lines, the first of which has the number given."""
        joined = b"\n".join(words)
        if joined.isascii() and b"\0" not in joined:
            return
        for number, word in enumerate(words, begun):
            if b"\0" in word:
                self._add(NUL, number)
            elif not _is_utf8(word):
                self._add(NO_UTF8, number)

    def notes(self) -> tuple[str, ...]:
        """A remark for each kind of fault."""
        return tuple(self._said(kind) for kind in self._counts)

    def check(self, where: str, lines: int) -> None:
        """Raise where so many lines hold no vector that the file cannot be trusted."""
        broken = self._counts.get(NO_VECTOR, 0) + self._counts.get(NUL, 0)
        if too_many(broken, lines) or self._mostly_odd(lines):
            what = f"is damaged: it has {lines:,} lines, but {'; '.join(self.notes())}"
            raise TiltmeterError(f"{where}: {what}: fetch the file anew")

    def check_so_far(self, where: str, lines: int) -> None:
        """Raise already now where hardly a line of many held a vector, and go no further."""
        if self._mostly_odd(lines):
            self.check(where, lines)

    def _mostly_odd(self, lines: int) -> bool:
        return sum(self._counts.values()) > max(MANY, lines / 2)

    def _add(self, kind: str, number: int) -> None:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        if self._counts[kind] <= NAMED:
            self._first.setdefault(kind, []).append(number)

    def _said(self, kind: str) -> str:
        count, first = self._counts[kind], ", ".join(f"{at:,}" for at in self._first[kind])
        more = f" and {count - NAMED:,} more" if count > NAMED else ""
        return f"{count:,} line{'' if count == 1 else 's'} {kind}: {first}{more}"


def _is_utf8(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return True
