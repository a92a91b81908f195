"""What differs between two texts, marked: words, or letters where a language joins them to words.

    first, second = marked_difference("Adam feels angry.", "Alonzo feels angry.", "en")

Arabic and Hebrew write pronouns and endings onto words, so that a whole sentence would be marked
where a letter or two differ. There, words that share at least half of their letters are marked by
letter. `script/sentences.js` does the same in the browser; tests hold the two against each other.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from markupsafe import Markup

BY_LETTER = frozenset({"ar", "arc", "ckb", "fa", "he", "ps", "ug", "ur", "yi"})
"""Languages whose words differ by letters."""
ALIKE = 0.5
"""Of the longer word's letters: two words that share fewer are different words."""
MOST = 2_000
"""Words or letters of a text that are compared; beyond, all of what differs is marked."""


def marked_difference(first: str, second: str, language: str = "en") -> tuple[Markup, Markup]:
    """Both texts with `<mark>` around what only one of them has.

    >>> print(*marked_difference("He is sad.", "She is sad."))
    <mark>He</mark> is sad. <mark>She</mark> is sad.
    >>> print(*marked_difference("صديقي حزين", "صديقتي حزينة", "ar"))
    صديقي حزين صديق<mark>ت</mark>ي حزين<mark>ة</mark>
    """
    texts = first.split(), second.split()
    inside = _differing(*texts)
    parts: list[list[tuple[str, bool]]] = [[], []]
    letters = language.split("-")[0].lower() in BY_LETTER
    runs = [list(_runs(words, different)) for words, different in zip(texts, inside, strict=True)]
    by_letter = _words_by_letter(texts, inside) if letters else ({}, {})
    for side, found in enumerate(runs):
        for start, end, different in found:
            if start:
                parts[side].append((" ", False))
            if not different:
                parts[side].append((" ".join(texts[side][start:end]), False))
            elif any(nth in by_letter[side] for nth in range(start, end)):
                for nth in range(start, end):
                    gap = [(" ", False)] if nth > start else []
                    parts[side] += gap + by_letter[side].get(nth, [(texts[side][nth], True)])
            else:
                parts[side].append((" ".join(texts[side][start:end]), True))
    return _markup(parts[0]), _markup(parts[1])


def _markup(parts: Sequence[tuple[str, bool]]) -> Markup:
    return Markup().join(
        Markup("<mark>{}</mark>").format(text) if marked else text for text, marked in parts
    )


def _words_by_letter(
    texts: tuple[Sequence[str], Sequence[str]], inside: tuple[set[int], set[int]]
) -> tuple[dict[int, list[tuple[str, bool]]], dict[int, list[tuple[str, bool]]]]:
    """By their place: the differing words that have a word much like them in the other text."""
    found: tuple[dict[int, list[tuple[str, bool]]], dict[int, list[tuple[str, bool]]]] = ({}, {})
    # What is common stands in the same order in both, so gaps between it face each other.
    for gap in zip(*(_gaps(len(t), d) for t, d in zip(texts, inside, strict=True)), strict=True):
        if len(gap[0]) != len(gap[1]):
            continue
        for places in zip(*gap, strict=True):
            words = [_letters(texts[side][place]) for side, place in enumerate(places)]
            different = _differing(*words)
            shared = len(words[0]) - len(different[0])
            if shared < ALIKE * max(len(words[0]), len(words[1])):
                continue
            for side, place in enumerate(places):
                found[side][place] = [
                    ("".join(words[side][start:end]), marked)
                    for start, end, marked in _runs(words[side], different[side])
                ]
    return found


def _letters(word: str) -> list[str]:
    """Each letter with the marks above and below it."""
    found: list[str] = []
    for sign in word:
        if found and unicodedata.category(sign)[0] == "M":
            found[-1] += sign
        else:
            found.append(sign)
    return found


def _gaps(size: int, different: set[int]) -> list[list[int]]:
    """The differing places before, between and after those that are common."""
    gaps: list[list[int]] = [[]]
    for nth in range(size):
        if nth in different:
            gaps[-1].append(nth)
        else:
            gaps.append([])
    return gaps


def _runs(things: Sequence[str], different: set[int]) -> Iterator[tuple[int, int, bool]]:
    """Start and end of neighbours that are all common or all different."""
    start = 0
    for nth in range(1, len(things) + 1):
        if nth == len(things) or (nth in different) != (start in different):
            yield start, nth, start in different
            start = nth


def _differing(a: Sequence[str], b: Sequence[str]) -> tuple[set[int], set[int]]:
    """The places of what is not in the longest sequence that both have."""
    if max(len(a), len(b)) > MOST:
        return set(range(len(a))), set(range(len(b)))
    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) - 1, -1, -1):
        for j in range(len(b) - 1, -1, -1):
            skipped = max(best[i + 1][j], best[i][j + 1])
            best[i][j] = best[i + 1][j + 1] + 1 if a[i] == b[j] else skipped
    in_a, in_b = set(range(len(a))), set(range(len(b)))
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            in_a.discard(i)
            in_b.discard(j)
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return in_a, in_b
