"""Character n-grams as fastText makes and hashes them (Bojanowski et al. 2017)."""

from __future__ import annotations

from collections.abc import Iterator

OFFSET, PRIME, WHOLE = 2166136261, 16777619, 0xFFFFFFFF


def buckets(word: str, shortest: int, longest: int, count: int) -> list[int]:
    """The bucket of every n-gram of `<word>`, in fastText's order.

    A bracket alone is no n-gram.

    >>> buckets("ab", 3, 6, 1000) == [fnv1a(b"<ab") % 1000, fnv1a(b"<ab>") % 1000,
    ...                               fnv1a(b"ab>") % 1000]
    True
    """
    letters = [letter.encode() for letter in f"<{word}>"]
    return [hashed % count for hashed in _hashes(letters, shortest, longest)]


def _hashes(letters: list[bytes], shortest: int, longest: int) -> Iterator[int]:
    """Hashes of n-grams; each is its beginning's, carried one letter further."""
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
