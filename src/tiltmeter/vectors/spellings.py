"""How else a word may stand in a file of vectors: with underscores, in another case."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from tiltmeter.errors import UnknownNameError

FALLBACK, EXACT = "fallback", "exact"
CASES = (FALLBACK, EXACT)
PIECE = re.compile(r"[^\s_-]+")


def spellings(word: str, also: Iterable[str] = (), case: str = FALLBACK) -> tuple[str, ...]:
    """The spellings a word is looked for under, the best first.

    As given, then the caller's other ones; then, unless `exact`, each of them in lower case,
    Capitalised and in UPPER case. Spaces may stand as underscores.

    >>> spellings("New York", ["NYC"], case="exact")
    ('New_York', 'New York', 'NYC')
    >>> spellings("irish")
    ('irish', 'Irish', 'IRISH')
    """
    if case not in CASES:
        raise UnknownNameError("way to treat case", case, CASES)
    given = (word, *also)
    cased = [change(each) for change in (str.lower, capitalised, str.upper) for each in given]
    asked = given if case == EXACT else (*given, *cased)
    return tuple(dict.fromkeys(form for each in asked for form in _written(each) if form))


def capitalised(word: str) -> str:
    """A word with its first letter in upper case; of several words, each.

    >>> capitalised("african-american"), capitalised("MEXICAN")
    ('African-American', 'Mexican')
    """
    return PIECE.sub(lambda piece: piece[0][0].upper() + piece[0][1:].lower(), word)


def every_spelling(
    words: Iterable[str], also: Mapping[str, Sequence[str]], case: str
) -> dict[str, tuple[str, ...]]:
    """Each word once, with the spellings it is looked for under."""
    return {word: spellings(word, also.get(word, ()), case) for word in words}


def _written(word: str) -> tuple[str, ...]:
    return ("_".join(word.split()), word) if " " in word.strip() else (word,)
