"""What a corpus is made of: axes, people, words and templates, as plain frozen records.

A *design* is one edition of one corpus file, read and checked. It holds no sentences; those are
expanded from it in `expand.py`.

A *rating group* is a family of datasets with one causal diagram (Lakkaraju et al. 2023, Table 1). A
*dataset* is a group with one set of emotion words. Where words are assigned, each slot (a template
with a person) takes one word, positive with the share of the person's class.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tiltmeter.schemas import MANY_GROUPS

if TYPE_CHECKING:
    from tiltmeter.corpora.people_sampling import Deal


NA = "NA"
"""How files and pages name the people without a value; in the sentences table they are null."""
POSITIVE, NEGATIVE = "positive", "negative"
EMOTION_WORD, SENTIMENT = "emotion word", "sentiment"
"""The nodes of every diagram besides the axes."""


@dataclass(frozen=True, slots=True)
class Share:
    """How often the people of one class are given a positive word."""

    groups: Mapping[str, str | None]
    """The class, a group for each axis; None where people have no value."""
    positive: float

    @property
    def key(self) -> tuple[tuple[str, str | None], ...]:
        """The class as something that can be compared and looked up."""
        return tuple(sorted(self.groups.items()))

    def __str__(self) -> str:
        return f"{class_name(self.groups)} {self.positive:g}"


@dataclass(frozen=True, slots=True)
class Assignment:
    """Which words go to whom: by which axes, and the shares of each case k."""

    by: tuple[str, ...]
    otherwise: float
    """The share of every class that a case does not name."""
    cases: Mapping[int, tuple[Share, ...]]


@dataclass(frozen=True, slots=True)
class RatingPlan:
    """What `[rating]` says of a corpus."""

    group: str
    sets: Mapping[str, tuple[str, ...]]
    """Lemmas by the name of their set: e3 → grim, happy."""
    polarity: Mapping[str, str]
    """Emotion → positive or negative."""
    edges: tuple[tuple[str, str], ...]
    """The arrows of the causal diagram, cause first."""
    unobserved: tuple[str, ...] = ()
    assignment: Assignment | None = None
    """None: every word stands in every slot."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Which dataset of a group a corpus is, and how its words were drawn."""

    group: str
    """The name of the corpus it is taken from: rating-2."""
    words: str
    lemmas: tuple[str, ...]
    seed: int | None = None
    """None where nothing is drawn, and so are the next two."""
    shares: tuple[Share, ...] = ()
    otherwise: float | None = None
    chosen: str = ""
    """Where the shares come from: "k = 1", "k = 1 at strength 0.8", "a table of its own"."""

    @property
    def drawn(self) -> bool:
        """True where words were assigned at random."""
        return self.seed is not None

    @property
    def notes(self) -> tuple[str, ...]:
        """The dataset in words, for its page and for reports."""
        said = (f"{self.group}, words {self.words}: {', '.join(self.lemmas)}",)
        if not self.drawn:
            return (*said, "every word stands with every person in every template")
        shares = "; ".join([*map(str, self.shares), f"all others {self.otherwise:g}"])
        drawn = f"one word for each person in each template, drawn with seed {self.seed}"
        return (*said, drawn, f"share of positive words ({self.chosen}): {shares}")


def class_name(groups: Mapping[str, str | None]) -> str:
    """A class as people read it, its groups in the order of the axes.

    >>> class_name({"race": "European American", "gender": "male"})
    'European American male'
    >>> class_name({"race": None, "gender": None})
    'NA'
    """
    named = [group for group in groups.values() if group is not None]
    if not named:
        return NA
    return " ".join(NA if group is None else group for group in groups.values())


def is_share(value: object) -> bool:
    """True for a number from 0 to 1.

    >>> is_share(0.9), is_share(90), is_share(True)
    (True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


# -------------------------------- the design

SUBJECT = "subject"
"""The form of a person that a slot takes unless it asks for another."""

NOTHING, NOUN, SPEAKER = "nothing", "noun", "speaker"
"""What a slot may agree with besides a person slot, which is called by its own name."""
PERSON_FREE = (NOTHING, NOUN, SPEAKER)


PHRASES = {"female": "about women", "male": "about men"}
"""How groups that every corpus knows are spoken of, where a corpus does not say."""
LIKE = {
    **dict.fromkeys(("female", "females", "woman", "women"), "female"),
    **dict.fromkeys(("male", "males", "man", "men"), "male"),
}
"""What else those groups are called, in any case of letters."""
LETTERS = {"f": "female", "fem": "female", "m": "male", "masc": "male"}
"""What they are called on an axis of gender; elsewhere such a letter may mean anything."""
GENDER_AXES = ("gender", "sex")


def known_groups(axis: str, groups: Iterable[str]) -> dict[str, str]:
    """The groups of an axis that mean female or male, whatever they are called.

    A group keeps its name: it is only spoken of as what it is known for. Two groups that may mean
    the same people are left as they are, since which of them is meant nobody can say.

    >>> known_groups("sex", ["F", "M", "X"]), known_groups("grade", ["F", "M"])
    ({'F': 'female', 'M': 'male'}, {})
    >>> known_groups("gender", ["F", "Female", "male"])
    {'male': 'male'}
    """
    called = LIKE | (LETTERS if axis.strip().casefold() in GENDER_AXES else {})
    found = {group: called.get(group.strip().rstrip(".").casefold()) for group in groups}
    meant = list(found.values())
    return {group: known for group, known in found.items() if known and meant.count(known) == 1}


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a list or template comes from, under what terms, and who has read it."""

    source: str = ""
    licence: str = ""
    review: str = "unreviewed"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """A social category under comparison; contrasts are first group minus second."""

    name: str
    groups: tuple[str, ...]
    phrases: tuple[str, ...] = field(default=(), compare=False)
    """How a finding speaks of each group's sentences, in the groups' order; none: the usual way."""

    def phrase(self, group: str) -> str:
        """What follows "sentences": as the corpus says it, else the usual way.

        >>> gender = Axis("gender", ("female", "male"))
        >>> gender.phrase("female"), Axis("age", ("young", "old")).phrase("old")
        ('about women', 'marked “old”')
        >>> Axis("sex", ("F", "M")).phrase("M")
        'about men'
        """
        if self.phrases:
            return self.phrases[self.groups.index(group)]
        known = known_groups(self.name, self.groups).get(group)
        return PHRASES[known] if known else f"marked “{group}”"

    @property
    def many(self) -> bool:
        """Whether each group is compared with the average of all, not with every other."""
        return len(self.groups) >= MANY_GROUPS

    @property
    def contrasts(self) -> tuple[tuple[str, str], ...]:
        """Every pair of groups, earlier minus later."""
        return tuple(
            (first, second)
            for position, first in enumerate(self.groups)
            for second in self.groups[position + 1 :]
        )


@dataclass(frozen=True, slots=True)
class Person:
    """Someone a sentence can be about: their forms, their groups, and whom they stand against."""

    forms: Mapping[str, str]
    groups: Mapping[str, str | None]
    match: str
    pooled: bool
    """True: the whole pool stands against a pool (names). False: one of a pair (mother/father)."""
    gender: str | None
    people_list: str
    agreement: str | None = None
    """The form words take beside them, where it is not that of their gender: plural."""
    family: str | None = None
    """Couples of one meaning share it: mother/father and mom/dad are both parents."""
    number: int | None = None
    """Their place in the corpus, which goes into IDs, where it is not that among `people`."""

    @property
    def name(self) -> str:
        """The form shown in the `person` column."""
        return self.forms.get(SUBJECT) or next(iter(self.forms.values()))

    def form(self, wanted: str) -> str | None:
        """The person's form of that name; someone with one form has it everywhere."""
        return next(iter(self.forms.values())) if len(self.forms) == 1 else self.forms.get(wanted)


@dataclass(frozen=True, slots=True)
class Word:
    """An emotion word: its lemma, the emotion it carries, and its inflected forms."""

    lemma: str
    emotion: str
    forms: Mapping[str, str]
    gloss: str = ""

    def form(self, wanted: str | None) -> str | None:
        """The word's form of that name; a word without forms is its lemma everywhere."""
        if not self.forms:
            return self.lemma
        return self.forms.get(wanted) if wanted else None


@dataclass(frozen=True, slots=True)
class PersonSlot:
    """A place for a person, in one of the person's forms."""

    name: str
    people: tuple[Person, ...]
    form: str = SUBJECT
    otherwise: str | None = None
    """A pattern for people who lack that form, with {} for their subject form."""
    repeats: str = ""
    """The slot whose person stands here once more (`{person} brought {possessive} mother`)."""

    def surface(self, person: Person) -> str | None:
        """How the person reads in this slot, or None where a form is missing."""
        if self.otherwise is None:
            return person.form(self.form)
        return person.forms.get(self.form) or self.otherwise.replace("{}", person.name)


@dataclass(frozen=True, slots=True)
class WordSlot:
    """A place for an emotion word, inflected for what it agrees with."""

    name: str
    words: tuple[Word, ...]
    agrees: str = NOTHING
    form: str | None = None
    noun: str = ""
    grammar: str = ""
    """What grammar says it agrees with, where the wording follows something else."""


@dataclass(frozen=True, slots=True)
class AgreeingSlot:
    """A word of the template itself that changes with a person: himself/herself, a verb."""

    name: str
    agrees: str
    forms: Mapping[str, str]
    grammar: str = ""


@dataclass(frozen=True, slots=True)
class ArticleSlot:
    """The English indefinite article: a or an, by the sound of what follows."""

    name: str = "a/an"


Slot = PersonSlot | WordSlot | AgreeingSlot | ArticleSlot


@dataclass(frozen=True, slots=True)
class Template:
    """One sentence pattern: literal text and slots in order, and what it compares."""

    id: str
    text: str
    pieces: tuple[str | Slot, ...]
    focus: str
    capitalise: bool
    provenance: Provenance

    @property
    def person_slots(self) -> tuple[PersonSlot, ...]:
        """The places for different people, the one under comparison first."""
        slots = {p.name: p for p in self.pieces if isinstance(p, PersonSlot) and not p.repeats}
        return tuple(sorted(slots.values(), key=lambda slot: slot.name != self.focus))

    def person_slot(self, name: str) -> PersonSlot:
        """The place for a person that has this name."""
        return next(slot for slot in self.person_slots if slot.name == name)

    @property
    def word_slots(self) -> tuple[WordSlot, ...]:
        """The places for different emotion words, in order."""
        return tuple({p.name: p for p in self.pieces if isinstance(p, WordSlot)}.values())


WritingDirection = Literal["ltr", "rtl"]
RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur", "ps", "sd", "ug", "yi", "dv"})


@dataclass(frozen=True, slots=True)
class Design:
    """One edition of a corpus: everything needed to write its sentences."""

    name: str
    title: str
    edition: str
    editions: tuple[str, ...]
    edition_note: str
    language: str
    provenance: Provenance
    axes: tuple[Axis, ...]
    people: tuple[Person, ...]
    words: Mapping[str, tuple[Word, ...]]
    templates: tuple[Template, ...]
    agreement: Mapping[str, str]
    """Which word form goes with which gender of a person: female → feminine."""
    speaker: str | None
    """The form that words agreeing with the speaker take."""
    lists: Mapping[str, Provenance] = field(default_factory=dict)
    """Provenance of each list of people and of words, by name."""
    rating: RatingPlan | None = None
    """How datasets for rating are drawn from it, where it says so."""
    deal: Deal | None = field(default=None, repr=False)
    """Who was drawn from its population, and which frames everyone meets, where it has one."""

    def agreement_form(self, person: Person) -> str | None:
        """The word form that goes with a person's own agreement, else with their gender."""
        key = person.agreement or person.gender
        return self.agreement.get(key, key) if key else None


def is_language(code: str) -> bool:
    """True for a language code such as en, es-MX or ar.

    >>> is_language("en"), is_language("english please")
    (True, False)
    """
    return re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*", code) is not None


def direction(language: str) -> WritingDirection:
    """The way a language is written.

    >>> direction("ar"), direction("es")
    ('rtl', 'ltr')
    """
    return "rtl" if language.split("-")[0] in RIGHT_TO_LEFT else "ltr"
