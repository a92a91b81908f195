"""One `[[templates]]` entry read: its text cut at the slots, each slot told what to hold.

    text = "{person} found {self} in {a/an} {situation} situation."
    slots.self = { agrees = "person", female = "herself", male = "himself" }

`{person}` needs no line of its own: it takes every list of people, in subject form. A slot named
after a list of words takes that list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tiltmeter.corpora.design import (
    NOTHING,
    NOUN,
    PERSON_FREE,
    SUBJECT,
    AgreeingSlot,
    ArticleSlot,
    Person,
    PersonSlot,
    Provenance,
    Slot,
    Template,
    Word,
    WordSlot,
)
from tiltmeter.corpora.toml_file import Entry
from tiltmeter.errors import Problem, did_you_mean

PERSON = "person"
TEMPLATE_KEYS = (
    "id", "edition", "text", "slots", "focus", "capitalise", "source", "licence", "review", "note",
)  # fmt: skip
PERSON_KEYS = ("people", "form", "otherwise", "repeats")
WORD_KEYS = ("words", "agrees", "form", "noun", "grammar")
_SLOT = re.compile(r"\{([^{}]*)\}")

People = Mapping[str, tuple[Person, ...]]
Words = Mapping[str, tuple[Word, ...]]


def build_template(
    entry: Entry,
    people: People,
    words: Words,
    capitalise: bool,
    provenance: Provenance,
    problems: list[Problem],
) -> Template | None:
    """Read a template entry; problems are added to the list, and None says it cannot be used."""
    reader = _Reader(entry, people, words, problems)
    pieces = reader.pieces()
    persons = [piece for piece in pieces if isinstance(piece, PersonSlot) and not piece.repeats]
    if not persons:
        reader.complain(f"template {entry.name!r} has no person; expected a slot like {{person}}")
        return None
    names = [slot.name for slot in persons]
    focus = entry.values.get("focus", PERSON if PERSON in names else names[0])
    if focus not in names:
        near = did_you_mean(str(focus), names) or f"expected {' or '.join(names)}"
        reader.complain(f"focus {focus!r} is not a person slot: {near}", "focus")
        return None
    own = entry.values.get("capitalise", capitalise)
    if not isinstance(own, bool):
        reader.complain(f"capitalise is {own!r}; expected true or false", "capitalise")
    return Template(entry.name, entry.values["text"], tuple(pieces), focus, own is True, provenance)


class _Reader:
    """Reads the slots of one template and collects what is wrong with them."""

    def __init__(self, entry: Entry, people: People, words: Words, problems: list[Problem]) -> None:
        self.entry, self.people, self.words, self.problems = entry, people, words, problems
        self.settings: Mapping[str, Any] = entry.values.get("slots", {})
        if not isinstance(self.settings, Mapping):
            what = f'slots is {self.settings!r}; expected lines like slots.person.form = "object"'
            self.complain(what, "slots")
            self.settings = {}
        self._known(entry.values, TEMPLATE_KEYS, "key")

    def complain(self, what: str, *words: str) -> None:
        self.problems.append(Problem(self.entry.at(*words), what))

    def pieces(self) -> list[str | Slot]:
        """The template's text cut into literals and slots."""
        text = self.entry.values.get("text")
        if not isinstance(text, str) or not text.strip():
            self.complain(f"template {self.entry.name!r} has no text")
            return []
        names = _SLOT.findall(text)
        for name in self.settings:
            if name not in names:
                near = did_you_mean(name, names) or f"its slots are {', '.join(names)}"
                self.complain(f"slot {name!r} does not stand in the text: {near}", name)
        literal = _SLOT.sub("", text)
        if "{" in literal or "}" in literal:
            self.complain(f"a brace in {text!r} is not closed; slots look like {{person}}", "text")
        parts = _SLOT.split(text)
        cut: list[str | Slot | None] = [
            self._slot(part) if position % 2 else part for position, part in enumerate(parts)
        ]
        return [piece for piece in cut if piece]

    def _slot(self, name: str) -> Slot | None:
        if name == "a/an":
            return ArticleSlot()
        own = self.settings.get(name, {})
        if not isinstance(own, Mapping):
            self.complain(f"slots.{name} is {own!r}; expected a table", name)
            return None
        if self._holds_person(name):
            return self._person_slot(name, own)
        if name in self.words or "words" in own:
            return self._word_slot(name, own)
        if "agrees" in own:
            return self._agreeing_slot(name, own)
        known = [PERSON, "a/an", *self.words]
        near = did_you_mean(name, known) or f"known are {', '.join(known)}"
        what = f"unknown slot {{{name}}} in template {self.entry.name!r}: {near}"
        self.complain(what, "{" + name + "}")
        return None

    def _person_slot(self, name: str, own: Mapping[str, Any]) -> PersonSlot | None:
        self._known(own, PERSON_KEYS, f"key of slot {name!r}", name)
        if not self._texts(name, own, but=("people",)):
            return None
        repeats, otherwise = own.get("repeats", ""), own.get("otherwise")
        if repeats and repeats not in self._persons():
            near = did_you_mean(repeats, self._persons())
            known = near or f"expected {' or '.join(self._persons()) or 'a slot with a person'}"
            self.complain(f"slot {name!r} repeats {repeats!r}: {known}", name)
            return None
        if otherwise and "{}" not in otherwise:
            what = f"slots.{name}.otherwise is {otherwise!r}; expected {{}} where the person stands"
            self.complain(what, name)
        people = self._people(name, self.settings.get(repeats, {}) if repeats else own)
        return PersonSlot(name, people, own.get("form", SUBJECT), otherwise, repeats)

    def _people(self, name: str, own: Mapping[str, Any]) -> tuple[Person, ...]:
        """Everyone in the lists a slot asks for, which are all lists unless it says."""
        lists = own.get("people", list(self.people))
        lists = [lists] if isinstance(lists, str) else lists
        if not isinstance(lists, list) or (not lists and "people" in own):
            self.complain(f"slots.{name}.people is {lists!r}; expected lists of people", name)
            return ()
        people: list[Person] = []
        for position, wanted in enumerate(lists):
            if not isinstance(wanted, str) or wanted not in self.people:
                near = did_you_mean(str(wanted), self.people)
                known = f"known are {', '.join(self.people)}"
                self.complain(f"there is no list of people {wanted!r}: {near or known}", name)
            elif wanted in lists[:position]:
                self.complain(f"slots.{name}.people has {wanted!r} twice; keep one", name)
            else:
                people += self.people[wanted]
        return tuple(people)

    def _word_slot(self, name: str, own: Mapping[str, Any]) -> WordSlot | None:
        self._known(own, WORD_KEYS, f"key of slot {name!r}", name)
        if not self._texts(name, own):
            return None
        wanted = own.get("words", name)
        if wanted not in self.words:
            known = f"known are {', '.join(self.words)}"
            near = did_you_mean(str(wanted), self.words) or known
            self.complain(f"there is no list of words {wanted!r}: {near}", name)
            return None
        agrees = own.get("agrees", NOTHING)
        if agrees == NOUN and not (own.get("noun") and own.get("form")):
            what = f"slot {name!r} agrees with a noun: say which (noun) and in what form (form)"
            self.complain(what, name)
        if not self._agrees_with_something(name, agrees):
            return None
        return WordSlot(
            name, self.words[wanted], agrees, own.get("form"), own.get("noun", ""),
            own.get("grammar", ""),
        )  # fmt: skip

    def _agreeing_slot(self, name: str, own: Mapping[str, Any]) -> AgreeingSlot | None:
        agrees = own["agrees"]
        forms = {key: form for key, form in own.items() if key not in ("agrees", "grammar")}
        if agrees in PERSON_FREE:
            what = f"slot {name!r} agrees with {agrees!r}, so it never changes: write it as text"
            self.complain(what, name)
            return None
        if not self._agrees_with_something(name, agrees):
            return None
        if not forms or not all(isinstance(form, str) for form in own.values()):
            self.complain(f"slot {name!r} needs its forms, each a text", name)
            return None
        return AgreeingSlot(name, agrees, forms, own.get("grammar", ""))

    def _holds_person(self, name: str) -> bool:
        own = self.settings.get(name, {})
        marks = {"people", "repeats", "otherwise"}
        return isinstance(own, Mapping) and (name == PERSON or bool(marks & set(own)))

    def _persons(self) -> list[str]:
        """The places in the text for different people."""
        names = dict.fromkeys(_SLOT.findall(self.entry.values["text"]))
        persons = [name for name in names if self._holds_person(name)]
        return [name for name in persons if "repeats" not in self.settings.get(name, {})]

    def _texts(self, name: str, own: Mapping[str, Any], but: tuple[str, ...] = ()) -> bool:
        """Whether the settings of a slot are texts, apart from some."""
        bad = [k for k, v in own.items() if k not in but and not (isinstance(v, str) and v.strip())]
        for key in bad:
            self.complain(f"slots.{name}.{key} is {own[key]!r}; expected text", name, key)
        return not bad

    def _agrees_with_something(self, name: str, agrees: object) -> bool:
        persons = self._persons()
        if agrees in (*PERSON_FREE, *persons):
            return True
        known = [*persons, *PERSON_FREE]
        near = did_you_mean(str(agrees), known) or f"expected {', '.join(known)}"
        self.complain(f"slot {name!r} agrees with {agrees!r}: {near}", name)
        return False

    def _known(self, found: Mapping[str, Any], known: tuple[str, ...], what: str, *at: str) -> None:
        for key in found:
            if key not in known:
                near = did_you_mean(key, known) or f"expected {', '.join(known)}"
                self.complain(f"unknown {what} {key!r}: {near}", *at, key)
