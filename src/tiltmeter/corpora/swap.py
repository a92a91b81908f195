"""A sentence in free English about one person, and the same sentence about another.

Careful rather than clever: what is swapped are pronouns, the words for people of the EEC's noun
phrases, and the EEC's first names, women and men for each other. Whatever may be read in two ways
(*her* for *him* or *his*; *Frank* that opens a sentence) is refused with the braces to write.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from tiltmeter.corpora.catalogue import load_corpus
from tiltmeter.corpora.design import Person
from tiltmeter.errors import TiltmeterError

EXAMPLE = "'My {sister|brother} feels angry.'"


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_WORD = re.compile(r"[^\W\d_]+")
_CLAUSE_END = re.compile(r"\s*([.,;:!?…)\]\"”—–]|$)")

_PLAIN = {"she": "he", "he": "she", "herself": "himself", "himself": "herself", "him": "her",
          "hers": "his"}  # fmt: skip
"""Pronouns that stand for exactly one other."""
_FUNCTION = _words(
    "a an the this that these those and or but nor because although though when while if as "
    "than of to in on at by for from with without about during into through again today "
    "yesterday tomorrow there here is was are were am did has had would could should who whom "
    "which what where why how he she it they we you i"
)
"""Words that no possessive stands before: after one of *her* or *his* it is a person by itself."""
_DETERMINERS = _words(
    "a an the this that my your his her our their its every each one no any some another "
    "young old other same"
)
_MAKING = _words("make makes made making let lets help helps helped")
_IRREGULAR = {"woman": "women", "man": "men", "wife": "wives"}
_ALSO_WORDS = _words(
    "Ebony Jasmine Heather Frank Harry Jack Josh Roger Will Grace Rose Mark Hope Joy Faith "
    "May April June Summer Autumn Dawn Iris Ivy Lily Violet Daisy Amber Ruby Pearl Bill Bob "
    "Rob Art Chase Dean Drew Grant Guy Hunter Mason Miles Norm Pat Pierce Ray Reed Rich Rusty "
    "Sue Carol Chance Christian Chuck Cliff Dale Dick Earnest Gene Holly Jade Jasper Max "
    "Melody Olive Penny Robin Sandy Skip Stew Victor Wade Ward Woody"
)
"""Names that are words too."""


@dataclass(frozen=True, slots=True)
class SwappedWord:
    """A word that was recognised, and what stands in its place."""

    start: int
    """Where it begins in the sentence."""
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Swap:
    """A sentence and its counterpart."""

    sentence: str
    words: tuple[SwappedWord, ...]

    @property
    def braced(self) -> str:
        """The sentence as a user would have written it: `{She|He} feels happy.`."""
        return self._filled(lambda word: f"{{{word.first}|{word.second}}}")

    @property
    def other(self) -> str:
        """The same sentence about somebody else."""
        return self._filled(lambda word: word.second)

    def _filled(self, fill: Callable[[SwappedWord], str]) -> str:
        parts, end = list[str](), 0
        for word in self.words:
            parts += [self.sentence[end : word.start], fill(word)]
            end = word.start + len(word.first)
        return "".join([*parts, self.sentence[end:]])


def swap_people(sentence: str) -> Swap:
    """The sentence with women and men exchanged, or an error that says which braces to write.

    >>> swap_people("She feels happy.").braced
    '{She|He} feels happy.'
    >>> swap_people("My mother lost his keys.").other
    'My father lost her keys.'
    """
    found = list(_WORD.finditer(sentence))
    words, doubts = list[SwappedWord](), list[str]()
    for nth, match in enumerate(found):
        try:
            other = _other(sentence, found, nth)
        except _DoubtError as doubt:
            doubts.append(str(doubt))
            continue
        if other is not None:
            words.append(SwappedWord(match.start(), match[0], _like(match[0], other)))
    if doubts:
        raise TiltmeterError(f"{'; '.join(doubts)}. Write what changes in braces: {EXAMPLE}")
    swap = Swap(sentence, tuple(words))
    if not words or swap.other == sentence:
        names = [match[0] for match in found if match[0] in _ALSO_WORDS]
        may = f" ({names[0]} may be a name or a word)" if names else ""
        raise TiltmeterError(
            f"the sentence {sentence!r} has nothing to compare; write what changes in braces: "
            f"{EXAMPLE}. Without braces no person is recognised in it{may}"
        )
    return swap


class _DoubtError(Exception):
    """Why a word is not swapped."""


def _other(sentence: str, found: Sequence[re.Match[str]], nth: int) -> str | None:
    """What stands for a word about somebody else; None where it is about nobody."""
    match = found[nth]
    word, before = match[0].lower(), found[nth - 1][0].lower() if nth else ""
    if word in _PLAIN:
        return _PLAIN[word]
    if word in ("her", "his"):
        return _possessive(sentence, found, nth)
    if word == "man" and before not in _DETERMINERS:
        raise _DoubtError(f"{match[0]!r} may be a person or an exclamation")
    if word in _nouns():
        return _nouns()[word]
    if match[0] in _names():
        if match[0] in _ALSO_WORDS and _opens(sentence, match.start()):
            raise _DoubtError(f"{match[0]!r} may be a name or a word where it opens a sentence")
        return _names()[match[0]]
    return None


def _possessive(sentence: str, found: Sequence[re.Match[str]], nth: int) -> str:
    """*his* for *her* before what is somebody's, *him* where it is the person; likewise *his*."""
    match, word = found[nth], found[nth][0].lower()
    after = found[nth + 1][0].lower() if nth + 1 < len(found) else ""
    ends = bool(_CLAUSE_END.match(sentence, match.end()))
    alone = ends or after in _FUNCTION
    if word == "his":
        return "hers" if alone else "her"
    before = found[nth - 1][0].lower() if nth else ""
    if alone or (after == "feel" and before in _MAKING):
        return "him"
    if after == "own" or after in _nouns() or not nth or _opens(sentence, match.start()):
        return "his"
    raise _DoubtError(f"'her' before {found[nth + 1][0]!r} may stand for 'him' or 'his'")


def _opens(sentence: str, start: int) -> bool:
    """Whether a word is the first of its sentence."""
    return re.search(r"(^|[.!?…:\"“])\s*$", sentence[:start]) is not None


def _like(word: str, other: str) -> str:
    """The other word in the capitals of the first."""
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other[:1].upper() + other[1:] if word[:1].isupper() else other


@cache
def _nouns() -> dict[str, str]:
    """The words for people of the EEC's noun phrases, each with its counterpart; plurals too."""
    pairs = [
        tuple(side.rpartition(" ")[2] for side in match.split("/"))
        for match in dict.fromkeys(person.match for person in _people())
        if " " in match
    ]
    plural = [tuple(_IRREGULAR.get(word, f"{word}s") for word in pair) for pair in pairs]
    return dict(_both([*pairs, *plural]))


@cache
def _names() -> dict[str, str]:
    """The EEC's first names: the nth woman's for the nth man's of the same group, and back."""
    lists: dict[tuple[str, str], list[str]] = {}
    for person in _people():
        race, gender = person.groups.get("race"), person.groups.get("gender")
        if race and gender:
            lists.setdefault((race, gender), []).append(person.name)
    races = dict.fromkeys(race for race, _ in lists)
    return dict(
        _both(
            pair
            for race in races
            for pair in zip(lists[race, "female"], lists[race, "male"], strict=True)
        )
    )


def _both(pairs: Iterable[Sequence[str]]) -> Iterator[tuple[str, str]]:
    for first, second in pairs:
        yield first, second
        yield second, first


def _people() -> Sequence[Person]:
    design = load_corpus("eec").design
    return design.people if design else ()
