"""Words of an English sentence that mention a person, or may.

Careful rather than clever. Recognised are pronouns, words for people in pairs (*sister*,
*brother*), titles, and first names of the US Census 2020. What may be read in two ways is a doubt:
it says why and offers its readings (*her* for *him* or *his*; *Grace* that opens a sentence;
*Paris*). What stands beside a name may make it none: *Dr. Patel*, *San Diego*, *Burger King*.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

from tiltmeter.corpora.first_names import FEMALE, MALE, census_names
from tiltmeter.corpora.schema import PEOPLE

NOBODY, PERSON, WOMAN, MAN = "nobody", "a person", "a woman", "a man"
"""What a user may decide about a word: it mentions nobody, a person, or whom its name is of."""
FORM_OF = {"him": "object", "his": "possessive", "her": "possessive", "hers": "own"}
"""What a user may put for *her* and *his*, and the place that says."""


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

    @property
    def changes(self) -> tuple[str, ...]:
        """What a user may read it as instead."""
        if self.doubt:
            return self.choices
        if self.kind is MentionKind.NAME:
            return WOMAN, MAN, NOBODY
        if self.kind is MentionKind.PRONOUN and self.text.lower() in ("her", "his"):
            return (*(("him", "his") if self.gender == FEMALE else ("her", "hers")), NOBODY)
        return (NOBODY,)


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
PLURALS = {"wife": "wives", "hero": "heroes"}
EXCLAIMED = {"man", "boy"}
"""Words that are an exclamation where nothing determines them: *oh man*."""
STYLED = {
    "mother", "father", "sister", "brother", "lady", "king", "queen", "prince", "princess",
}  # fmt: skip
"""Words that are part of a name before one: *Mother Teresa*, *King Charles*."""
MAKES = {"make", "makes", "made", "making", "let", "lets", "help", "helps", "helped"}
WHERE = {"in", "near", "around", "across", "inside", "outside", "visit", "visited", "visiting"}
"""Words after which a name of a place is the place."""
MONTHS_THAT_ARE_NAMES = {"April", "August", "June", "May"}
FEW_BEARERS = 2_500
"""Below this a name that opens a sentence and is a word too is taken for the word."""
MANY_BEARERS = 100_000
"""Above this a name in lower case is offered as a person."""

WORD = re.compile(r"[^\W\d_]+")
BOTH = re.compile(
    r"\b(?:s?/he|(?:s?he|his|hers?|him|himself|herself)(?:\s+or\s+|/)"
    r"(?:s?he|his|hers?|him|himself|herself))\b|\(s\)he\b", re.IGNORECASE,
)  # fmt: skip
"""*his or her*, *she/her*, *(s)he*: of nobody in particular."""
CLAUSE_END = re.compile(r"\s*([.,;:!?…)\]\"”—–]|$)")
OPENING = re.compile(r"(^|[.!?…:\"“])\s*$")


@cache
def word_list(name: str) -> frozenset[str]:
    """A list of words in `english.toml`."""
    return frozenset(tomllib.loads((PEOPLE / "english.toml").read_text("utf-8"))[name].split())


@cache
def _words_too() -> frozenset[str]:
    """Names that are also words of everyday English, from `names-that-are-words.txt`."""
    text = (PEOPLE / "names-that-are-words.txt").read_text("utf-8")
    names = {line for line in text.splitlines() if line and not line.startswith("#")}
    return frozenset(names - word_list("rarely_words"))


@cache
def person_nouns() -> Mapping[str, tuple[str, str]]:
    """Every word for people, one or several: whose it is, and its counterpart."""
    text = tomllib.loads((PEOPLE / "english.toml").read_text("utf-8"))["pairs"]
    pairs = [pair.split("/") for pair in text.split()]
    pairs += [[_plural(word) for word in pair] for pair in pairs]
    nouns: dict[str, tuple[str, str]] = {}
    for woman, man in pairs:
        nouns.setdefault(woman, (FEMALE, man))
        nouns.setdefault(man, (MALE, woman))
    return nouns


def _plural(word: str) -> str:
    """Several of a word for a person.

    >>> [_plural(word) for word in ("policewoman", "lady", "boy", "waitress", "wife")]
    ['policewomen', 'ladies', 'boys', 'waitresses', 'wives']
    """
    if word.endswith("man"):
        return f"{word[:-2]}en"
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{word[:-1]}ies"
    return PLURALS.get(word, f"{word}es" if word.endswith("s") else f"{word}s")


@cache
def plural_nouns() -> frozenset[str]:
    """Words for several people, which no one name stands for."""
    return frozenset(_plural(word) for word in person_nouns())


def find_mentions(
    sentence: str, decisions: Mapping[int, str]
) -> tuple[list[Mention], list[Mention]]:
    """The words that mention people, read as decided, and others that a user may call a name."""
    found = list(WORD.finditer(sentence))
    mentions, others = list[Mention](), list[Mention]()
    for nth, match in enumerate(found):
        if mentions and match.start() < mentions[-1].end:
            continue  # the second part of a name
        choice = decisions.get(match.start())
        if choice == NOBODY:
            continue
        if choice in (WOMAN, MAN):
            mentions.append(_named_by_user(match, FEMALE if choice == WOMAN else MALE))
            continue
        mention = _mention(sentence, found, nth)
        named = mention is not None and mention.kind is MentionKind.NAME
        if mention and named and mentions and choice is None and _is_surname(
            sentence, mentions, mention
        ):  # fmt: skip
            continue
        if mention is None:
            if _may_be_a_name(sentence, found, nth, mentions):
                others.append(Mention(match.start(), match[0], MentionKind.NAME, None))
            continue
        if choice is not None and choice in mention.changes:
            mention = replace(mention, doubt="", form=FORM_OF.get(choice, mention.form))
        mentions.append(mention)
    return mentions, others


def _named_by_user(match: re.Match[str], gender: str) -> Mention:
    """A word that the user says is a name, whether or not a list knows it."""
    known = census_names().get(listed_name(match[0]) or "")
    race = known.race if known else None
    return Mention(match.start(), match[0], MentionKind.NAME, gender, race)


def _mention(sentence: str, found: list[re.Match[str]], nth: int) -> Mention | None:
    """What one word of a sentence mentions; None: nobody."""
    match = found[nth]
    text, word = match[0], match[0].lower()
    opens = OPENING.search(sentence[: match.start()]) is not None
    if word in PRONOUNS:
        if any(both.start() <= match.start() < both.end() for both in BOTH.finditer(sentence)):
            return None
        return _pronoun(sentence, found, nth, opens)
    if word in TITLES and text[:1].isupper():
        after = _after(sentence, found, nth)
        joined = re.compile(r"\.?\s+(?:and|&|or)\s+(\w+)").match(sentence, match.end())
        if not after[:1].isupper() and not (joined and joined[1].lower() in TITLES):
            return None
        return Mention(match.start(), text, MentionKind.TITLE, TITLES[word][0])
    if word in person_nouns() and (text not in census_names() or not text.istitle() or opens):
        return _noun(sentence, found, nth)
    if text[:1].isupper():
        return _name(sentence, found, nth, opens)
    return None


def _after(sentence: str, found: list[re.Match[str]], nth: int) -> str:
    """The word that follows with nothing but a space or an abbreviation's dot between."""
    if nth + 1 == len(found):
        return ""
    between = sentence[found[nth].end() : found[nth + 1].start()]
    return found[nth + 1][0] if re.fullmatch(r"\.?\s+", between) else ""


def _noun(sentence: str, found: list[re.Match[str]], nth: int) -> Mention:
    """A word for a person, with a doubt where it may be an exclamation or part of a name."""
    match, word = found[nth], found[nth][0].lower()
    mention = Mention(match.start(), match[0], MentionKind.NOUN, person_nouns()[word][0])
    clause = re.split(r"[.,;:!?…]", sentence[: match.start()])[-1].lower().split()[-4:]
    determined = not word_list("determiners").isdisjoint(clause)
    doubt = ""
    if word in EXCLAIMED and not determined:
        doubt = f"{match[0]!r} may be a person or an exclamation"
    elif word in STYLED and match[0].istitle() and not determined:
        after = _after(sentence, found, nth)
        if after[:1].isupper() or word in ("king", "queen"):
            doubt = f"{match[0]!r} may be a person or part of a name"
    return replace(mention, doubt=doubt, choices=(PERSON, NOBODY)) if doubt else mention


def listed_name(text: str) -> str | None:
    """A name as the Census spells it: DeShawn and DESHAWN are Deshawn.

    >>> listed_name("DeShawn"), listed_name("JOHN"), listed_name("USA"), listed_name("john")
    ('Deshawn', 'John', None, None)
    """
    if text in census_names():
        return text
    mixed = len(text) > 3 and text[:1].isupper() and text[1:] != text[1:].lower()
    return text.capitalize() if mixed and text.capitalize() in census_names() else None


def _is_surname(sentence: str, mentions: list[Mention], mention: Mention) -> bool:
    """Whether a name follows another or a title: *Mrs Smith*, *Adam Scott*."""
    last = mentions[-1]
    between = sentence[last.end : mention.start]
    named = last.kind in (MentionKind.NAME, MentionKind.TITLE)
    return named and re.fullmatch(r"\.?[ \t]+", between) is not None


def _name(sentence: str, found: list[re.Match[str]], nth: int, opens: bool) -> Mention | None:
    """A first name, with a doubt where it may be a word, a place, a surname or a firm."""
    match, text = found[nth], found[nth][0]
    spelt = listed_name(text)
    loud = sentence.isupper()
    if spelt is None or (text.isupper() and len(text) > 1 and not loud):
        return None
    opens = opens or loud  # where every word is in capitals, each may be a word
    before = found[nth - 1][0] if nth else ""
    after = _after(sentence, found, nth)
    follows = bool(nth) and _after(sentence, found, nth - 1) == text
    if _is_no_first_name(sentence, match, before if follows else "", after, spelt):
        return None
    known = census_names()[spelt]
    whole = _whole_name(sentence, match, after, known.gender)
    mention = Mention(match.start(), whole, MentionKind.NAME, known.gender, known.race)
    if before.lower() in WHERE and spelt in word_list("places"):
        return None
    styled = follows and before[:1].isupper() and before not in ("I", "A") and not loud
    styled = styled and before.lower() not in TITLES
    if styled and before.lower() in STYLED and spelt in _words_too():
        return None  # Mother Nature
    styled = styled and before.lower() not in person_nouns()
    if styled and (spelt in _words_too() or sentence[: match.start()].rstrip().endswith("’s")):
        return None  # Burger King, Her Majesty
    doubt = _doubt_of_name(spelt, text, known.bearers, opens)
    if doubt is None:
        return None
    start_of_before = found[nth - 1].start() if nth else 0
    if not doubt and styled and not OPENING.search(sentence[:start_of_before]) and (
        listed_name(before) is None
    ):  # fmt: skip
        doubt = f"{text!r} may be a first name or a surname"
    return replace(mention, doubt=doubt, choices=(PERSON, NOBODY)) if doubt else mention


def _is_no_first_name(
    sentence: str, match: re.Match[str], before: str, after: str, spelt: str
) -> bool:
    """Whether what stands beside a name makes it something else: *Dr. Patel*, *San Diego*."""
    ahead = sentence[: match.start()]
    if re.search(r"[^\W\d_]['’]$", ahead):
        return True  # O'Brien
    if spelt in _words_too() and re.search(r"\b[^\W\d_]+['’]s $", ahead):
        return re.search(r"\b[A-Z][^\W\d_]*['’]s $", ahead) is not None  # Mother's Day
    if not after[:1].isupper():
        return before[:1].isupper() and before.lower() in word_list("honorifics") | word_list(
            "place_parts"
        )
    return (
        spelt.lower() in word_list("honorifics") | word_list("place_parts")
        or before.lower() in word_list("place_parts")
    )  # fmt: skip


def _whole_name(sentence: str, match: re.Match[str], after: str, gender: str | None) -> str:
    """A name of two parts as one: *Anne-Marie*, *Mary Ann*."""
    hyphened = re.compile(r"(?:-[A-Z][^\W\d_]*)+").match(sentence, match.end())
    if hyphened:
        return match[0] + hyphened[0]
    if gender == FEMALE and after in word_list("second_names"):
        return sentence[match.start() : sentence.index(after, match.end()) + len(after)]
    return match[0]


def _doubt_of_name(spelt: str, text: str, bearers: int, opens: bool) -> str | None:
    """Why a name may be none; empty where it is one, None where it is far more often none."""
    what = (
        "a place" if spelt in word_list("places")
        else "a day or month" if spelt in word_list("days")
        else "a people’s name" if spelt in word_list("peoples")
        else "a firm’s name" if spelt in word_list("products") else ""
    )  # fmt: skip
    if what:
        rarely = spelt in word_list("days") | word_list("peoples")
        if rarely and not (opens or spelt in MONTHS_THAT_ARE_NAMES):
            return None  # a day or a people far more often than a person
        return f"{text!r} may be a person or {what}"
    if opens and spelt in _words_too():
        function = spelt.lower() in word_list("function_words") | word_list("determiners")
        if function or bearers < FEW_BEARERS:
            return None
        return f"{text!r} may be a name or a word where it opens a sentence"
    return ""


def _may_be_a_name(
    sentence: str, found: list[re.Match[str]], nth: int, mentions: list[Mention]
) -> bool:
    """Whether a user is offered to call a word a name: *Zelensky*, *john*."""
    text, start = found[nth][0], found[nth].start()
    follows = mentions and re.fullmatch(r"\.?[ \t]+", sentence[mentions[-1].end : start])
    if follows and mentions[-1].kind in (MentionKind.NAME, MentionKind.TITLE):
        return False  # a surname
    lower = text.lower()
    if len(text) < 3 or lower in PRONOUNS or lower in word_list("function_words"):
        return False
    if text.islower():
        known = census_names().get(text.title())
        return (
            known is not None
            and known.bearers > MANY_BEARERS
            and text.title() not in _words_too()
            and lower not in person_nouns()
        )
    rather = word_list("places") | word_list("days") | word_list("peoples")
    opens = OPENING.search(sentence[:start]) is not None
    return text.istitle() and not opens and text not in rather


def _pronoun(sentence: str, found: list[re.Match[str]], nth: int, opens: bool) -> Mention:
    """A pronoun with its place: *her* is *him* or *his*, *his* is *her* or *hers*."""
    match, word = found[nth], found[nth][0].lower()
    gender = FEMALE if word in ("she", "her", "hers", "herself") else MALE
    mention = Mention(match.start(), match[0], MentionKind.PRONOUN, gender)
    if word not in ("her", "his"):
        form = next(form for form, pair in FORMS.items() if word in pair)
        return replace(mention, form=form)
    next_match = found[nth + 1] if nth + 1 < len(found) else None
    after = next_match[0].lower() if next_match else ""
    hyphened = next_match is not None and sentence[next_match.end() :].startswith("-")
    by_itself = (
        next_match is None
        or CLAUSE_END.match(sentence, match.end()) is not None
        or (after in word_list("function_words") and not hyphened)  # her in-laws
    )
    if word == "his":
        return replace(mention, form="own" if by_itself else "possessive")
    before = found[nth - 1][0].lower() if nth else ""
    if next_match is None or by_itself or (after == "feel" and before in MAKES):
        return replace(mention, form="object")
    given = before in word_list("giving")  # gave her money
    owned = after in word_list("possessions") and not given
    if after == "own" or after in person_nouns() or owned or opens:
        return replace(mention, form="possessive")
    doubt = f"'her' before {next_match[0]!r} may stand for 'him' or 'his'"
    return replace(mention, doubt=doubt, choices=("him", "his", NOBODY))
