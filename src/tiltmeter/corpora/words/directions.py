"""Identity directions, by name or from a user's own file."""

from __future__ import annotations

from pathlib import Path

from tiltmeter.corpora.schema import PROVENANCE
from tiltmeter.corpora.words.name_terms import CORPUS_KEYS, terms_of_names
from tiltmeter.corpora.words.part import Part
from tiltmeter.corpora.words.plain_words import WORD_LISTS, words_of_list
from tiltmeter.corpora.words.records import Direction
from tiltmeter.corpora.words.word_file import file_of, read_word_file
from tiltmeter.errors import did_you_mean

DIRECTIONS = ("gender", "race-names")
KEYS = (
    "name", "title", "language", "first_name", "second_name", "pairs", "first", "second",
    "neutral", *CORPUS_KEYS, *PROVENANCE,
)  # fmt: skip
FEWEST = 2
"""Pairs, or words of each side, that a direction needs."""
Side = tuple[str, ...]


def load_direction(spec: str | Path = "gender") -> Direction:
    """A direction: one of DIRECTIONS, or the path of a TOML file with `[direction]`.

    >>> gender = load_direction()
    >>> gender.first_name, gender.pairs[0], len(gender.pairs), "engineer" in gender.neutral
    ('female', ('she', 'he'), 10, True)
    """
    file = read_word_file(file_of(spec, "direction", DIRECTIONS, "direction-"), "direction")
    head = file.head
    head.only(*KEYS)
    head.language()
    pairs = head.pairs("pairs")
    names, (first, second) = _sides(head, pairs)
    neutral = _neutral(head)
    _check(head, pairs, first, second, neutral)
    name = head.text("name", file.path.stem) or file.path.stem
    direction = Direction(
        name,
        head.text("title", name) or name,
        *names,
        pairs,
        first,
        second,
        neutral,
        head.provenance(),
    )
    file.check()
    return direction


def _sides(head: Part, pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], list[Side]]:
    """What the two sides are called, and their words: listed, a corpus' names, or the pairs'."""
    terms = terms_of_names(head)
    groups = list(dict.fromkeys(term.group or "" for term in terms))
    if terms and len(groups) != 2:
        what = f"found {len(groups)} groups of names ({', '.join(groups)}); expected two"
        head.wrong(what, "axis")
    if len(groups) == 2:
        sides = [tuple(t.text for t in terms if t.group == group) for group in groups]
        return (groups[0], groups[1]), sides
    called = (
        head.text("first_name", "first") or "first",
        head.text("second_name", "second") or "second",
    )
    listed = [head.words("first", 0), head.words("second", 0)]
    return called, [
        side or tuple(dict.fromkeys(pair[nth] for pair in pairs)) for nth, side in enumerate(listed)
    ]


def _neutral(head: Part) -> Side:
    """Words that should not lean: listed, or the name of a list of ours."""
    value = head.values.get("neutral", [])
    if not isinstance(value, str):
        return head.words("neutral", 0)
    if value in WORD_LISTS:
        return words_of_list(value)
    near = did_you_mean(value, WORD_LISTS) or f"expected words, or one of {', '.join(WORD_LISTS)}"
    head.wrong(f"there is no list {value!r} of neutral words: {near}", "neutral")
    return ()


def _check(
    head: Part, pairs: tuple[tuple[str, str], ...], first: Side, second: Side, neutral: Side
) -> None:
    """Note what keeps the words from spanning a direction."""
    for one, other in pairs:
        if one.casefold() == other.casefold():
            head.wrong(f"the pair {one!r}, {other!r} is one word twice", "pairs", f'"{one}"')
    if not head.problems and len(pairs) < FEWEST and min(len(first), len(second)) < FEWEST:
        what = f"found {len(pairs)} pairs, {len(first)} and {len(second)} words of the two sides"
        head.wrong(f"{what}; expected two pairs or more, or two words or more in each side")
    for word in dict.fromkeys(first):
        if word in second:
            head.wrong(f"{word!r} stands on both sides; keep one", "first", f'"{word}"')
    for word in neutral:
        if word in first or word in second:
            head.wrong(f"{word!r} is neutral and stands on a side as well", f'"{word}"')
