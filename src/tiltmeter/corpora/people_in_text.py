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
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from tiltmeter.corpora.people import CENSUS, WHOLE
from tiltmeter.corpora.schema import PEOPLE
from tiltmeter.errors import TiltmeterError
from tiltmeter.files import parquet_frame

FEMALE, MALE = "female", "male"
OTHER = {FEMALE: MALE, MALE: FEMALE}
SLOT = "\0"
"""Where a name stands; no sentence of a user holds it."""
NOBODY, PERSON = "nobody", "a person"
"""What a user may decide about a word: it mentions nobody, or it does mention a person."""
EXAMPLE = "'My {sister|brother} feels angry.'"


class MentionKind(StrEnum):
    """What kind of word mentions a person."""

    NAME = "name"
    NOUN = "noun"
    PRONOUN = "pronoun"
    TITLE = "title"


@dataclass(frozen=True, slots=True)
class Mention:
    """A word that mentions a person, or may."""

    start: int
    text: str
    kind: MentionKind
    gender: str | None
    """None: the name is both women's and men's."""
    race: str | None = None
    """Of a name: the group that eight of ten bearers belong to."""
    doubt: str = ""
    """Why it is not swapped as it stands."""
    choices: tuple[str, ...] = ()
    """The readings a user may choose from, where there is a doubt."""
    form: str = ""
    """Of a pronoun: subject, object, possessive, own or reflexive."""

    @property
    def end(self) -> int:
        """Where it ends in the sentence."""
        return self.start + len(self.text)


FORMS = {
    "subject": ("she", "he"),
    "object": ("her", "him"),
    "possessive": ("her", "his"),
    "own": ("hers", "his"),
    "reflexive": ("herself", "himself"),
}
"""The pronouns of women and of men by their place."""
PRONOUNS = {"she", "he", "her", "him", "his", "hers", "herself", "himself"}

TITLES = {"mrs": (FEMALE, "Mr"), "ms": (FEMALE, "Mr"), "miss": (FEMALE, "Mr"), "mr": (MALE, "Ms")}
PLURALS = {"woman": "women", "man": "men", "wife": "wives", "lady": "ladies", "hero": "heroes"}
EXCLAIMED = {"man", "boy"}
"""Words that are an exclamation where nothing determines them: *oh man*."""
MAKES = {"make", "makes", "made", "making", "let", "lets", "help", "helps", "helped"}
WHERE = {"in", "near", "around", "across", "inside", "outside", "visit", "visited", "visiting"}
"""Words after which a name of a place is the place."""
MONTHS_THAT_ARE_NAMES = {"April", "August", "June", "May"}
FEW_BEARERS = 2_500
"""Below this a name that opens a sentence and is a word too is taken for the word."""

WORD = re.compile(r"[^\W\d_]+")
CLAUSE_END = re.compile(r"\s*([.,;:!?…)\]\"”—–]|$)")
OPENING = re.compile(r"(^|[.!?…:\"“])\s*$")


class CensusName(NamedTuple):
    """A first name as the Census counts its bearers."""

    gender: str | None
    race: str | None
    bearers: int
    most: str
    """The group that more of its bearers belong to than to any other."""


@cache
def census_names() -> Mapping[str, CensusName]:
    """Every first name of the Census: whose it is, by nine of ten and eight of ten bearers.

    >>> census_names()["Latoya"][:2], census_names()["Casey"].gender
    (('female', 'Black'), None)
    """
    table = parquet_frame(PEOPLE / f"{CENSUS}.parquet")
    races = {
        "black": "Black",
        "white": "White",
        "asian": "Asian or Pacific",
        "hispanic": "Hispanic",
    }
    names = {}
    for row in table.sort("bearers", descending=True, maintain_order=True).iter_rows(named=True):
        share = row["female"]
        gender = FEMALE if share >= 0.9 * WHOLE else MALE if share <= 0.1 * WHOLE else None
        most = max(races, key=row.__getitem__)
        certain = row[most] >= 0.8 * WHOLE
        names[row["name"]] = CensusName(
            gender, races[most] if certain else None, row["bearers"], races[most]
        )
    for name, gender in _eec_genders().items():
        names[name] = names[name]._replace(gender=gender)
    return names


@cache
def _names_of(gender: str, group: str) -> list[str]:
    """The names of a gender that most bearers of a group have, the most frequent first."""
    return [
        name
        for name, known in census_names().items()
        if known.gender == gender and known.most == group
    ]


def counterpart(name: str) -> str:
    """The name of the other gender that is as frequent in the same group; EEC names in its pairs.

    >>> counterpart("Latoya") in census_names(), counterpart("Ebony"), counterpart("Alonzo")
    (True, 'Alonzo', 'Ebony')
    """
    if name in _eec_pairs():
        return _eec_pairs()[name]
    known = census_names()[name]
    if known.gender is None:
        raise TiltmeterError(f"{name!r} is a name of women and of men; no one name stands opposite")
    rank = _names_of(known.gender, known.most).index(name)
    others = _names_of(OTHER[known.gender], known.most)
    return others[min(rank, len(others) - 1)]


@cache
def _eec_lists() -> Mapping[tuple[str, str], list[str]]:
    """The EEC's first names by race and gender."""
    from tiltmeter.corpora.catalogue import load_corpus

    design = load_corpus("eec").design
    lists: dict[tuple[str, str], list[str]] = {}
    for person in design.people if design else ():
        race, gender = person.groups.get("race"), person.groups.get("gender")
        if race and gender:
            lists.setdefault((race, gender), []).append(person.name)
    return lists


def _eec_genders() -> dict[str, str]:
    """Whose each name of the EEC is by its authors, whatever the Census says."""
    return {name: gender for (_, gender), names in _eec_lists().items() for name in names}


@cache
def _eec_pairs() -> Mapping[str, str]:
    """The EEC's first names: the nth woman's for the nth man's of the same group, and back."""
    lists = _eec_lists()
    pairs: dict[str, str] = {}
    for (race, gender), names in lists.items():
        pairs |= dict(zip(names, lists[race, OTHER[gender]], strict=True))
    return pairs


@cache
def _listed(name: str) -> frozenset[str]:
    """A list of words in `english.toml`."""
    return frozenset(tomllib.loads((PEOPLE / "english.toml").read_text("utf-8"))[name].split())


@cache
def _words_too() -> frozenset[str]:
    """Names that are also words of everyday English, from `names-that-are-words.txt`."""
    text = (PEOPLE / "names-that-are-words.txt").read_text("utf-8")
    names = {line for line in text.splitlines() if line and not line.startswith("#")}
    return frozenset(names - _listed("rarely_words"))


@cache
def _nouns() -> Mapping[str, tuple[str, str]]:
    """Every word for people, one or several: whose it is, and its counterpart."""
    text = tomllib.loads((PEOPLE / "english.toml").read_text("utf-8"))["pairs"]
    pairs = [pair.split("/") for pair in text.split()]
    pairs += [[PLURALS.get(word, f"{word}s") for word in pair] for pair in pairs]
    nouns: dict[str, tuple[str, str]] = {}
    for woman, man in pairs:
        nouns.setdefault(woman, (FEMALE, man))
        nouns.setdefault(man, (MALE, woman))
    return nouns


@cache
def _plural_nouns() -> frozenset[str]:
    """Words for several people, which no one name stands for."""
    return frozenset(PLURALS.get(word, f"{word}s") for word in _nouns())


# ---------------------------------------------------------------- reading


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
        rivals = {
            other.text
            for other in self.mentions
            if other.kind in (MentionKind.NAME, MentionKind.NOUN)
            and other.gender == person.gender
            and other.text != person.text
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
        return NameFrame(
            {gender: self._parts_about(person, agreeing, gender) for gender in (FEMALE, MALE)}
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
            whole = re.compile(r"\w+\.?\s+[^\W\d_]+").match(self.sentence, mention.start)
            return Replacement(mention.start, whole[0] if whole else mention.text, SLOT)
        if mention.kind is MentionKind.NOUN:
            before = re.search(r"([^\W\d_]+)\s+$", self.sentence[: mention.start])
            if before and before[1].lower() in _listed("determiners"):
                start = before.start(1)
                return Replacement(start, self.sentence[start : mention.end], SLOT)
        return Replacement(mention.start, mention.text, SLOT)

    def _most_nameable(self) -> Mention | None:
        """A name, else a noun a name can stand for, else a pronoun."""
        for wanted in (MentionKind.NAME, MentionKind.TITLE, MentionKind.NOUN, MentionKind.PRONOUN):
            for mention in self.mentions:
                if mention.kind is not wanted or mention.form == "reflexive":
                    continue
                if wanted is MentionKind.NOUN:
                    before = re.search(r"([^\W\d_]+)\s+$", self.sentence[: mention.start])
                    determined = before is not None and before[1].lower() in _listed("determiners")
                    if mention.text.lower() in _plural_nouns() or not determined:
                        continue
                return mention
        return None

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
    decisions = decisions or {}
    found = list(WORD.finditer(sentence))
    mentions = list[Mention]()
    for nth, match in enumerate(found):
        mention = _mention(sentence, found, nth)
        if mention is None or decisions.get(match.start()) == NOBODY:
            continue
        if (
            mention.kind is MentionKind.NAME
            and mentions
            and _is_surname(sentence, mentions, mention)
        ):
            continue
        choice = decisions.get(mention.start)
        if choice is not None and choice in mention.choices:
            form = {"him": "object", "his": "possessive"}.get(choice, mention.form)
            mention = replace(mention, doubt="", form=form)
        mentions.append(mention)
    return PeopleInText(sentence, tuple(mentions))


def swap_people(sentence: str) -> Swap:
    """The sentence with women and men exchanged, or an error that says which braces to write.

    >>> swap_people("She feels happy.").braced
    '{She|He} feels happy.'
    >>> swap_people("My mother lost his keys.").other
    'My father lost her keys.'
    """
    return read_people(sentence).swap()


def _mention(sentence: str, found: list[re.Match[str]], nth: int) -> Mention | None:
    """What one word of a sentence mentions; None: nobody."""
    match = found[nth]
    text, word = match[0], match[0].lower()
    before = found[nth - 1][0].lower() if nth else ""
    opens = OPENING.search(sentence[: match.start()]) is not None
    if word in PRONOUNS:
        return _pronoun(sentence, found, nth, opens)
    if word in TITLES and text[:1].isupper():
        after = found[nth + 1][0] if nth + 1 < len(found) else ""
        if not after[:1].isupper():
            return None
        return Mention(match.start(), text, MentionKind.TITLE, TITLES[word][0])
    if word in _nouns() and (text not in census_names() or not text.istitle() or opens):
        mention = Mention(match.start(), text, MentionKind.NOUN, _nouns()[word][0])
        if word in EXCLAIMED and before not in _listed("determiners"):
            doubt = f"{text!r} may be a person or an exclamation"
            return replace(mention, doubt=doubt, choices=(PERSON, NOBODY))
        return mention
    if text[:1].isupper() and text in census_names():
        if before in WHERE and text in _listed("places"):
            return None
        return _name(text, match.start(), opens)
    return None


def _is_surname(sentence: str, mentions: list[Mention], mention: Mention) -> bool:
    """Whether a name follows another or a title: *Mrs Smith*, *Adam Scott*."""
    last = mentions[-1]
    between = sentence[last.end : mention.start]
    named = last.kind in (MentionKind.NAME, MentionKind.TITLE)
    return named and re.fullmatch(r"\.?[ \t]+", between) is not None


def _name(text: str, start: int, opens: bool) -> Mention | None:
    """A first name, with a doubt where it may be a word, a place or a day."""
    known = census_names()[text]
    mention = Mention(start, text, MentionKind.NAME, known.gender, known.race)
    what = (
        "a place" if text in _listed("places") else "a day or month" if text in _listed("days")
        else "a people’s name" if text in _listed("peoples") else ""
    )  # fmt: skip
    if what:
        if text in _listed("days") | _listed("peoples") and not (
            opens or text in MONTHS_THAT_ARE_NAMES
        ):
            return None  # a day or a people far more often than a person
        doubt = f"{text!r} may be a person or {what}"
        return replace(mention, doubt=doubt, choices=(PERSON, NOBODY))
    if opens and text in _words_too():
        if (
            text.lower() in _listed("function_words") | _listed("determiners")
            or known.bearers < FEW_BEARERS
        ):
            return None
        doubt = f"{text!r} may be a name or a word where it opens a sentence"
        return replace(mention, doubt=doubt, choices=(PERSON, NOBODY))
    return mention


def _pronoun(sentence: str, found: list[re.Match[str]], nth: int, opens: bool) -> Mention:
    """A pronoun with its place: *her* is *him* or *his*, *his* is *her* or *hers*."""
    match, word = found[nth], found[nth][0].lower()
    gender = FEMALE if word in ("she", "her", "hers", "herself") else MALE
    mention = Mention(match.start(), match[0], MentionKind.PRONOUN, gender)
    if word not in ("her", "his"):
        form = next(form for form, pair in FORMS.items() if word in pair)
        return replace(mention, form=form)
    after = found[nth + 1][0].lower() if nth + 1 < len(found) else ""
    hyphened = nth + 1 < len(found) and sentence[found[nth + 1].end() :].startswith("-")
    by_itself = bool(CLAUSE_END.match(sentence, match.end())) or (
        after in _listed("function_words") and not hyphened  # her in-laws
    )
    if word == "his":
        return replace(mention, form="own" if by_itself else "possessive")
    before = found[nth - 1][0].lower() if nth else ""
    if by_itself or (after == "feel" and before in MAKES):
        return replace(mention, form="object")
    owned = after in _listed("possessions") and before not in _listed("giving")  # gave her money
    if after == "own" or after in _nouns() or owned or opens:
        return replace(mention, form="possessive")
    doubt = f"'her' before {found[nth + 1][0]!r} may stand for 'him' or 'his'"
    return replace(mention, doubt=doubt, choices=("him", "his", NOBODY))


# ---------------------------------------------------------------- swapping


def _opposite(mention: Mention) -> str:
    """What stands for a mention about somebody of the other gender."""
    if mention.kind is MentionKind.PRONOUN:
        return FORMS[mention.form][mention.gender == FEMALE]
    if mention.kind is MentionKind.NOUN:
        return _nouns()[mention.text.lower()][1]
    if mention.kind is MentionKind.TITLE:
        return TITLES[mention.text.lower()][1]
    return counterpart(mention.text)


def _like(word: str, other: str) -> str:
    """The other word in the capitals of the first."""
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other[:1].upper() + other[1:] if word[:1].isupper() else other


def _pieces(sentence: str, words: tuple[Replacement, ...]) -> Iterator[str | Replacement]:
    """The sentence in turn: text that stays, a replacement, and so on."""
    end = 0
    for word in words:
        yield sentence[end : word.start]
        yield word
        end = word.start + len(word.first)
    yield sentence[end:]
