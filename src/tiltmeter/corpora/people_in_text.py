"""People in a free English sentence: who is mentioned, and the same sentence about somebody else.

Careful rather than clever. Recognised are pronouns, words for people in pairs (*sister*,
*brother*), titles, and first names of the US Census 2020. A name is a woman's or a man's where nine
of ten bearers are. What may be read in two ways is a doubt: it says why, offers its readings, and
nothing is swapped until the user has chosen (*her* for *him* or *his*; *Grace* that opens a
sentence; *Paris*).

    people = read_people("Adam lost his keys.")
    people.mentions[0].text                  'Adam'
    people.swap().braced                     '{Adam|Amanda} lost {his|her} keys.'
    people.frame().text("Latoya", "female")  'Latoya lost her keys.'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tiltmeter.corpora.first_names import FEMALE, MALE, counterpart
from tiltmeter.corpora.mentions import (
    FORMS,
    TITLES,
    WORD,
    Mention,
    MentionKind,
    find_mentions,
    listed_name,
    person_nouns,
    plural_nouns,
)
from tiltmeter.errors import TiltmeterError

SLOT = "\0"
"""Where a name stands; no sentence of a user holds it."""
NOT_WITH = r"(?:(?!(?:with|at|to|from|by|for|near|on|in|under|behind|over|and|than)\b)[^\W\d_]+\s+)"
PREDICATE = re.compile(
    r"\b(?:am|is|are|was|were|be|been|being|become|becomes|became|as|like|’s|'s)\s+"
    rf"{NOT_WITH}{{0,3}}$|,\s+(?:an?|the|my|our|his|her|their)\s+{NOT_WITH}{{0,2}}$", re.IGNORECASE,
)  # fmt: skip
"""What stands before a noun that says who somebody is: *she is a kind …*, *Tyrone, a …*."""
TITLED = re.compile(r"\.?\s+(?!and\b|or\b)[^\W\d_]+")
"""What follows a title: a name."""
COUPLED = re.compile(r"\b(?:Mrs?|Ms|Miss)\.?\s+(?:and|or|&)\s+$")
CALLED = re.compile(r"\s+(?:named|called)\s")
DETERMINED = re.compile(
    r"(?<![\w’'-])(?:my|your|his|her|our|their|its|the|an?|this|that|each|every)\s+$", re.IGNORECASE
)
"""What makes a noun a whole that a name can stand for: *my sister*, not *my old sister*."""
EXAMPLE = "'My {sister|brother} feels angry.'"


@dataclass(frozen=True, slots=True)
class Replacement:
    """A stretch of the sentence and what stands there instead."""

    start: int
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Swap:
    """A sentence and its counterpart."""

    sentence: str
    words: tuple[Replacement, ...]

    @property
    def braced(self) -> str:
        """The sentence as a user would have written it: `{She|He} feels happy.`."""
        return "".join(
            part if isinstance(part, str) else f"{{{part.first}|{part.second}}}"
            for part in _pieces(self.sentence, self.words)
        )

    @property
    def other(self) -> str:
        """The same sentence about somebody else."""
        return "".join(
            part if isinstance(part, str) else part.second
            for part in _pieces(self.sentence, self.words)
        )


@dataclass(frozen=True, slots=True)
class NameFrame:
    """A sentence with a place for a name, in which pronouns agree with whose name it is."""

    parts: Mapping[str, tuple[str, ...]]
    """Female and male: the stretches of text between which the name stands."""

    def text(self, name: str, gender: str) -> str:
        """The sentence about one person."""
        return name.join(self.parts[gender])

    @property
    def agrees(self) -> bool:
        """Whether the sentence differs between women and men besides the name."""
        return self.parts[FEMALE] != self.parts[MALE]


@dataclass(frozen=True, slots=True)
class PeopleInText:
    """A sentence and the people that are mentioned in it."""

    sentence: str
    mentions: tuple[Mention, ...] = field(default=())
    others: tuple[Mention, ...] = field(default=())
    """Words that no list knows and that a user may say are a person's name."""

    @property
    def doubts(self) -> tuple[Mention, ...]:
        """What the user has to decide first."""
        return tuple(mention for mention in self.mentions if mention.doubt)

    def swap(self) -> Swap:
        """Women and men exchanged; an error names the doubts, or says that nobody is mentioned."""
        self._check_doubts()
        words = [
            Replacement(mention.start, mention.text, _like(mention.text, _opposite(mention)))
            for mention in self.mentions
            if mention.gender is not None
        ]
        swap = Swap(self.sentence, tuple(words))
        both = [mention.text for mention in self.mentions if mention.gender is None]
        if both and not words:
            raise TiltmeterError(
                f"{both[0]!r} is a name of women and of men, and no one name stands opposite; "
                f"write what changes in braces: {EXAMPLE}"
            )
        if not words or swap.other == self.sentence:
            raise TiltmeterError(
                f"the sentence {self.sentence!r} has nothing to compare; write what changes in "
                f"braces: {EXAMPLE}. Without braces no person is recognised in it"
            )
        return swap

    def frame(self, mention: Mention | None = None) -> NameFrame:
        """The sentence with a name in the place of one person, by default the first who allows it.

        Pronouns and titles of that person agree. Refused where it is open whom a pronoun means.
        """
        self._check_doubts()
        person = mention or self._most_nameable()
        if person is None:
            raise TiltmeterError(
                f"the sentence {self.sentence!r} has no place for a name: no person is recognised "
                "in it. Write one in: 'Adam feels angry.'"
            )
        same = [other for other in self.mentions if self._says_who(other, person)]
        rivals = {
            other.text
            for other in self.mentions
            if other.kind in (MentionKind.NAME, MentionKind.NOUN)
            and other.gender == person.gender
            and other.text != person.text
            and other not in same
        }
        place = self._name_place(person)
        agreeing = [
            other
            for other in self.mentions
            if other.kind is MentionKind.PRONOUN
            and other.gender == person.gender
            and not place.start <= other.start < place.start + len(place.first)
        ]
        if rivals and agreeing:
            who = " or ".join(sorted({person.text, *rivals}))
            raise TiltmeterError(f"{agreeing[0].text!r} may mean {who}; say it with names alone")
        if person.form == "subject" and any(other.form == "object" for other in agreeing):
            other = next(other for other in agreeing if other.form == "object")
            raise TiltmeterError(
                f"{person.text!r} and {other.text!r} may be two people; write a name for one"
            )
        agreeing += same
        return NameFrame(
            {gender: self._parts_about(person, agreeing, gender) for gender in (FEMALE, MALE)}
        )

    def _says_who(self, noun: Mention, person: Mention) -> bool:
        """Whether a noun says who that person is: *she is a kind woman*, *my sister Emily*."""
        if noun.kind is not MentionKind.NOUN or noun == person or noun.gender != person.gender:
            return False
        before = person.kind is MentionKind.NAME and self.sentence[noun.end : person.start]
        return self._is_predicate(noun) or (bool(before) and str(before).isspace())

    def _is_predicate(self, noun: Mention) -> bool:
        return bool(
            PREDICATE.search(self.sentence[: noun.start]) or CALLED.match(self.sentence, noun.end)
        )

    def _parts_about(
        self, person: Mention, agreeing: list[Mention], gender: str
    ) -> tuple[str, ...]:
        """The sentence cut where the name stands, the other words agreeing with a gender."""
        words = []
        for mention in self.mentions:
            if mention == person or (
                person.kind is MentionKind.NAME and mention.text == person.text
            ):
                words.append(self._name_place(mention))
            elif mention in agreeing:
                same = mention.gender == gender
                other = mention.text if same else _like(mention.text, _opposite(mention))
                words.append(Replacement(mention.start, mention.text, other))
        return tuple(Swap(self.sentence, tuple(words)).other.split(SLOT))

    def _name_place(self, mention: Mention) -> Replacement:
        """What a name replaces: a word, *my sister* with what determines it, *Mrs Smith*."""
        if mention.kind is MentionKind.PRONOUN and mention.form in ("possessive", "own"):
            return Replacement(mention.start, mention.text, f"{SLOT}’s")
        if mention.kind is MentionKind.TITLE:
            named = TITLED.match(self.sentence, mention.end)
            whole = mention.text + (named[0] if named else "")
            return Replacement(mention.start, whole, SLOT)
        if mention.kind is MentionKind.NOUN and (before := self._determiner(mention)):
            start = before.start()
            return Replacement(start, self.sentence[start : mention.end], SLOT)
        return Replacement(mention.start, mention.text, SLOT)

    def _most_nameable(self) -> Mention | None:
        """A name, else a noun a name can stand for, else a pronoun."""
        for wanted in (MentionKind.NAME, MentionKind.TITLE, MentionKind.NOUN, MentionKind.PRONOUN):
            for mention in self.mentions:
                if mention.kind is not wanted or mention.form == "reflexive":
                    continue
                if wanted is MentionKind.NOUN and not self._names_one(mention):
                    continue
                joined = COUPLED.search(self.sentence[: mention.start])
                titled = TITLED.match(self.sentence, mention.end) and not joined
                if wanted is MentionKind.TITLE and not titled:
                    continue
                return mention
        return None

    def _determiner(self, noun: Mention) -> re.Match[str] | None:
        return DETERMINED.search(self.sentence[: noun.start])

    def _names_one(self, noun: Mention) -> bool:
        """Whether a name can stand for a noun: *my sister*, not *the 25-year-old woman*."""
        ends = re.match(r"-| of\b| who\b", self.sentence[noun.end :]) is None
        one = noun.text.lower() not in plural_nouns() and not self._is_predicate(noun)
        before = self._determiner(noun)
        both = before and re.search(r"(?:\bor\s+|/)$", self.sentence[: before.start()])
        return ends and one and before is not None and not both

    def _check_doubts(self) -> None:
        if self.doubts:
            doubts = "; ".join(mention.doubt for mention in self.doubts)
            raise TiltmeterError(f"{doubts}. Write what changes in braces: {EXAMPLE}")


def read_people(sentence: str, decisions: Mapping[int, str] | None = None) -> PeopleInText:
    """Who is mentioned in a sentence. `decisions` settle doubts: where a word begins → a reading.

    >>> [mention.text for mention in read_people("She told Jamal about his aunt.").mentions]
    ['She', 'Jamal', 'his', 'aunt']
    >>> read_people("I saw her duck.").doubts[0].choices
    ('him', 'his', 'nobody')
    >>> read_people("I saw her duck.", {6: "his"}).swap().other
    'I saw his duck.'
    """
    mentions, others = find_mentions(sentence, decisions or {})
    return PeopleInText(sentence, tuple(mentions), tuple(others))


def swap_people(sentence: str) -> Swap:
    """The sentence with women and men exchanged, or an error that says which braces to write.

    >>> swap_people("She feels happy.").braced
    '{She|He} feels happy.'
    >>> swap_people("My mother lost his keys.").other
    'My father lost her keys.'
    """
    return read_people(sentence).swap()


def _opposite(mention: Mention) -> str:
    """What stands for a mention about somebody of the other gender."""
    if mention.kind is MentionKind.PRONOUN:
        return FORMS[mention.form][mention.gender == FEMALE]
    if mention.kind is MentionKind.NOUN:
        return person_nouns()[mention.text.lower()][1]
    if mention.kind is MentionKind.TITLE:
        return TITLES[mention.text.lower()][1]
    first = WORD.match(mention.text)
    name = first[0] if first else mention.text
    return counterpart(listed_name(name) or name.title(), mention.gender)


def _like(word: str, other: str) -> str:
    """The other word in the capitals of the first."""
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other[:1].upper() + other[1:] if word[:1].isupper() else other.lower()


def _pieces(sentence: str, words: tuple[Replacement, ...]) -> Iterator[str | Replacement]:
    """The sentence in turn: text that stays, a replacement, and so on."""
    end = 0
    for word in words:
        yield sentence[end : word.start]
        yield word
        end = word.start + len(word.first)
    yield sentence[end:]
