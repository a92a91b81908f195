"""From a corpus file to a design: every section read, every mistake collected, none guessed at.

    [[people]]
    list = "pronouns"
    members = ["Ana", { subject = "she", object = "her", gender = "female", match = "she/he" }]

    [[words]]
    list = "state"
    joy = ["glad", { lemma = "contento", masculine = "contento", feminine = "contenta" }]

    [[templates]]
    id = "5"
    text = "{person} found {self} in {a/an} {situation} situation."
    slots.self = { agrees = "person", female = "herself", male = "himself" }

`{person}` needs no line of its own: it takes every list of people, in subject form. A slot named
after a list of words takes that list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tiltmeter.columns import AXIS_NAME, RESERVED, may_be_axis
from tiltmeter.corpora.design import (
    NOTHING,
    NOUN,
    PERSON_FREE,
    SUBJECT,
    AgreeingSlot,
    ArticleSlot,
    Axis,
    Design,
    Person,
    PersonSlot,
    Provenance,
    Slot,
    Template,
    Word,
    WordSlot,
)
from tiltmeter.corpora.people import NAMES
from tiltmeter.corpora.people_sampling import DrawOptions, deal_frames, draw_people
from tiltmeter.corpora.population_schema import build_population
from tiltmeter.corpora.rating_schema import build_rating
from tiltmeter.corpora.schema import (
    DEFAULT_EDITION,
    POPULATION,
    PROVENANCE,
    AxisGroups,
    CorpusEntry,
    CorpusFile,
    CorpusSection,
    EditionSection,
    PeopleEntry,
    PersonSlots,
    ProvenanceKeys,
    SpeakerSection,
    SpokenGroup,
    TemplateEntry,
    WordsEntry,
    WordSlots,
    is_text,
)
from tiltmeter.corpora.validate import broken_rules
from tiltmeter.errors import CorpusError, Problem, did_you_mean
from tiltmeter.records import Text, unknown_key

TEMPLATE_ID = re.compile(r"[\w.]+")


def build(raw: CorpusFile, edition: str, options: DrawOptions | None = None) -> Design:
    """Read one edition of a corpus file; raises with every problem found.

    `options` say how people are drawn where it has a population.
    """
    return _Builder(raw, edition, options or DrawOptions()).design()


def editions(raw: CorpusFile) -> tuple[str, ...]:
    """The editions a corpus file declares; a file that declares none has the default one."""
    return tuple(raw.single.get("editions", {})) or (DEFAULT_EDITION,)


class _Builder:
    """Holds the problems found while the sections are read, one method a section."""

    def __init__(self, raw: CorpusFile, edition: str, options: DrawOptions) -> None:
        self.raw, self.edition, self.options = raw, edition, options
        self.entries = raw.edition(edition)
        self.problems: list[Problem] = [*raw.problems, *_misplaced_entries(raw)]

    def design(self) -> Design:
        corpus = self._check(CorpusSection, "corpus") or CorpusSection(name="", language="")
        settings = EditionSection()
        if isinstance(self.raw.single.get("editions", {}).get(self.edition, {}), Mapping):
            settings = self._check(EditionSection, "editions", self.edition) or settings
        else:
            where = self.raw.locator.at("[editions", self.edition)
            self.problems.append(Problem(where, f"write [editions.{self.edition}] as a table"))
        axes = self._axes()
        provenance = corpus.provenance(Provenance())
        people: dict[str, tuple[Person, ...]] = {
            entry.name: tuple(build_people(entry, axes, self.problems))
            for entry in self.entries["people"]
        }
        # Those drawn from the population join the lists of people.
        listed = [person for members in people.values() for person in members]
        population = build_population(self.raw, axes, listed, self.problems)
        sample = draw_people(population, self.options) if population else None
        if population and sample:
            name, values = population.people_list, self.raw.single[POPULATION]
            people[name] = population.persons(sample.rows.tolist(), axes, before=len(listed))
            self.entries["people"].append(
                CorpusEntry(name, None, values, self.raw.file, POPULATION, 0)
            )
        words = {
            entry.name: tuple(build_words(entry, self.problems)) for entry in self.entries["words"]
        }
        templates = [
            build_template(entry, people, words, settings.capitalise, provenance, self.problems)
            for entry in self.entries["templates"]
        ]
        lists: dict[str, Provenance] = {}
        for entry in (*self.entries["people"], *self.entries["words"]):
            own = {key: entry.values[key] for key in PROVENANCE if key in entry.values}
            keys, wrong = entry.check(ProvenanceKeys, own)
            self.problems += wrong
            lists[entry.name] = keys.provenance(provenance) if keys else provenance
        for section in ("people", "templates"):
            drawn = section == "people" and POPULATION in self.raw.single
            if not self.entries[section] and not drawn:
                self.problems.append(Problem(str(self.raw.file.path), f"no [[{section}]] entry"))
        speaker = self._check(SpeakerSection, "speaker")
        design = Design(
            name=corpus.name,
            title=corpus.name if corpus.title is None else corpus.title,
            edition=self.edition,
            editions=editions(self.raw),
            edition_note=settings.note,
            language=corpus.language,
            provenance=provenance,
            axes=axes,
            people=tuple(person for members in people.values() for person in members),
            words=words,
            templates=tuple(template for template in templates if template),
            agreement=self._check(dict[str, Text], "agreement") or {},
            speaker=speaker.form if speaker else None,
            lists=lists,
        )
        self.problems += broken_rules(design, self.entries)
        self.problems += _misplaced_population(self.raw, design)
        rating = build_rating(
            self.raw, settings.sets, design, self.entries["templates"], self.problems
        )
        if self.problems:
            subject = f"the corpus in {self.raw.file.path.name} cannot be used"
            raise CorpusError(subject, list(dict.fromkeys(self.problems)))
        deal = deal_frames(design, sample) if sample else None
        return replace(design, rating=rating, deal=deal)

    def _check(self, kind: Any, *path: str) -> Any:  # noqa: ANN401 - a record or a dict
        """A section as a record, as far as it is sound; what is wrong is noted."""
        record, problems = self.raw.check(kind, *path)
        self.problems += problems
        return record

    def _axes(self) -> tuple[Axis, ...]:
        declared, at = self.raw.single.get("axes", {}), self.raw.locator.at
        if not declared:
            what = 'no [axes]; say what is compared, for instance gender = ["female", "male"]'
            self.problems.append(Problem(at("[corpus]"), what))
        checked, wrong = self.raw.check(dict[str, AxisGroups], "axes")
        self.problems += wrong
        axes = []
        for name, entries in (checked or {}).items():
            spoken = [one for one in entries if isinstance(one, SpokenGroup)]
            groups = [one.group if isinstance(one, SpokenGroup) else one for one in entries]
            what = ""
            if name in RESERVED or (name in PEOPLE_KEYS and name != "gender"):
                what = f"an axis cannot be called {name!r}: that word has another meaning here"
            elif not may_be_axis(name):
                what = f"an axis cannot be called {name!r}; expected {AXIS_NAME}"
            elif len(set(groups)) < len(groups):
                what = f"{name} is {groups!r}; expected two or more different group names"
            if what:
                self.problems.append(Problem(at("[axes]", name), what))
                continue
            axis, phrases = Axis(name, tuple(groups)), {one.group: one.phrase for one in spoken}
            said = tuple(phrases.get(group) or axis.phrase(group) for group in groups)
            axes.append(replace(axis, phrases=said))
        return tuple(axes)


def _misplaced_population(raw: CorpusFile, design: Design) -> Iterator[Problem]:
    """A population is what is compared: it is never held fixed, and no datasets are rated on it."""
    if POPULATION not in raw.single:
        return
    if "rating" in raw.single:
        what = "[rating] and [population] are both here: words are drawn for all people of a group"
        yield Problem(raw.locator.at("[population"), f"{what}; keep one")
    drawn = raw.single[POPULATION].get("list", NAMES)
    for template in design.templates:
        for slot in template.person_slots[1:]:
            if any(person.people_list == drawn for person in slot.people):
                what = f"slot {slot.name!r} of template {template.id!r} holds the population fixed"
                said = f"name other lists: slots.{slot.name}.people"
                yield Problem(raw.locator.at("", "{" + slot.name + "}"), f"{what}; {said}")


def _misplaced_entries(raw: CorpusFile) -> Iterator[Problem]:
    """Entries of an edition nobody declared, names given twice, ids unfit for sentence IDs."""
    known = editions(raw)
    for entries in raw.entries.values():
        seen = set()
        for entry in entries:
            if entry.edition is not None and entry.edition not in known:
                what = f"edition {entry.edition!r} is not declared; known are {', '.join(known)}"
                yield Problem(entry.at("edition"), what)
            if entry.section == "templates" and not TEMPLATE_ID.fullmatch(entry.name):
                what = f"the id {entry.name!r} goes into sentence IDs; expected letters and digits"
                yield Problem(entry.at("id"), what)
            # Sentence IDs write template 1 as t01, so 1 and 01 are one name.
            name = entry.name.zfill(2) if entry.section == "templates" else entry.name
            if (name, entry.edition) in seen:
                what = f"{entry.section} entry {entry.name!r} stands twice; names must differ"
                yield Problem(entry.at(), what)
            seen.add((name, entry.edition))


# -------------------------------- people and words


PEOPLE_KEYS = ("list", "edition", "members", "gender", "match", "family", "agreement", *PROVENANCE)
WORD_LIST_KEYS = ("list", "edition", *PROVENANCE)
SETTINGS = ("gender", "match", "agreement", "family")

Problems = list[Problem]


def build_people(
    entry: CorpusEntry, axes: tuple[Axis, ...], problems: Problems
) -> Iterator[Person]:
    """The people of a list; whatever is wrong with one is added to the problems."""
    record, wrong = entry.check(PeopleEntry)
    problems += wrong
    known = [*PEOPLE_KEYS, *(axis.name for axis in axes)]
    for key in record.groups if record else ():
        if key not in known:
            problems.append(Problem(entry.at(key), unknown_key(key, known, "[[people]]")))
    shared = {key: getattr(record, key) for key in SETTINGS if getattr(record, key, None)}
    shared |= record.groups if record else {}
    for member in record.members if record else ():
        own = {SUBJECT: member} if isinstance(member, str) else member
        if not isinstance(own, Mapping) or not own:
            what = f"{member!r} is not a person; expected text or a table of forms"
            problems.append(Problem(entry.at("members"), what))
        elif person := _person(own, shared, entry, axes, problems):
            yield person


def _person(
    own: Mapping[str, Any],
    shared: Mapping[str, Any],
    entry: CorpusEntry,
    axes: tuple[Axis, ...],
    problems: Problems,
) -> Person | None:
    """One member: what is said of them, over what the members of the list share."""
    settings = {**shared, **own}
    known = {*(axis.name for axis in axes), "gender", "agreement", "match", "family", "note"}
    forms = {key: form for key, form in own.items() if key not in known}
    first = next((form for form in forms.values() if isinstance(form, str)), entry.name)
    at = entry.at("members", f'"{first}"')
    wrong = []
    if not forms:
        what = f'{dict(own)!r} has no form; expected one such as subject = "she"'
        wrong.append(Problem(at, what))
    for key, form in forms.items():
        if not is_text(form):
            what = f"the {key} form of {first!r} is {form!r}; expected text"
            wrong.append(Problem(at, what))
        elif near := did_you_mean(key, known):  # a slip of the pen for something else
            what = f"{key!r} of {first!r} is read as a form of the person: {near}"
            wrong.append(Problem(at, what))
    for key in SETTINGS:
        if key in own and not is_text(own[key]):
            what = f"the {key} of {first!r} is {own[key]!r}; expected text"
            wrong.append(Problem(entry.at(key), what))
    groups = {}
    for axis in axes:
        group = groups[axis.name] = settings.get(axis.name)
        if group is not None and group not in axis.groups:
            near = did_you_mean(str(group), axis.groups) or f"expected {' or '.join(axis.groups)}"
            what = f"{first!r} has {axis.name} {group!r}, which the axis does not list: {near}"
            wrong.append(Problem(entry.at(f'"{group}"'), what))
    problems += wrong
    if wrong:
        return None
    match, gender = settings.get("match", ""), settings.get("gender")
    agreement, family = settings.get("agreement"), settings.get("family")
    pooled = "match" not in own
    return Person(forms, groups, match, pooled, gender, entry.name, agreement, family)


def build_words(entry: CorpusEntry, problems: Problems) -> Iterator[Word]:
    """The words of a list by emotion; whatever is wrong with one is added to the problems."""
    record, wrong = entry.check(WordsEntry)
    problems += wrong
    emotions = record.emotions if record else {}
    if not emotions:
        what = f'the list {entry.name!r} has no words; expected lines like joy = ["glad"]'
        problems.append(Problem(entry.at(), what))
    for emotion, words in emotions.items():
        if not isinstance(words, list) or not words:
            near = did_you_mean(emotion, WORD_LIST_KEYS)
            what = f"{emotion!r} is {words!r}; expected a list of words" + (near and f", or {near}")
            problems.append(Problem(entry.at(emotion), what))
            continue
        for word in words:
            own = {"lemma": word} if isinstance(word, str) else word
            if not isinstance(own, Mapping) or not all(is_text(value) for value in own.values()):
                what = f"{word!r} is not a word; expected text or a table of forms, none empty"
                problems.append(Problem(entry.at(emotion), what))
            elif "lemma" not in own:
                what = f"the {emotion} word {dict(own)!r} has no lemma, the form it is known by"
                problems.append(Problem(entry.at(emotion), what))
            else:
                forms = {key: form for key, form in own.items() if key not in ("lemma", "gloss")}
                yield Word(own["lemma"], emotion, forms, own.get("gloss", ""))


# -------------------------------- templates


PERSON = "person"
_SLOT = re.compile(r"\{([^{}]*)\}")

People = Mapping[str, tuple[Person, ...]]
Words = Mapping[str, tuple[Word, ...]]


def build_template(
    entry: CorpusEntry,
    people: People,
    words: Words,
    capitalise: bool,
    provenance: Provenance,
    problems: list[Problem],
) -> Template | None:
    """Read a template entry; problems are added to the list, and None says it cannot be used."""
    record, wrong = entry.check(TemplateEntry)
    problems += wrong
    if record is None:
        return None
    reader = _TemplateReader(entry, record, people, words, problems)
    pieces = reader.pieces()
    persons = [piece for piece in pieces if isinstance(piece, PersonSlot) and not piece.repeats]
    if not persons:
        reader.complain(f"template {entry.name!r} has no person; expected a slot like {{person}}")
        return None
    names = [slot.name for slot in persons]
    focus = record.focus
    if focus is None:
        focus = PERSON if PERSON in names else names[0]
    if focus not in names:
        near = did_you_mean(focus, names) or f"expected {' or '.join(names)}"
        reader.complain(f"focus {focus!r} is not a person slot: {near}", "focus")
        return None
    own = capitalise if record.capitalise is None else record.capitalise
    said = record.provenance(provenance)
    return Template(entry.name, record.text, tuple(pieces), focus, own, said)


class _TemplateReader:
    """Reads the slots of one template and collects what is wrong with them."""

    def __init__(
        self,
        entry: CorpusEntry,
        record: TemplateEntry,
        people: People,
        words: Words,
        problems: list[Problem],
    ) -> None:
        self.entry, self.people, self.words, self.problems = entry, people, words, problems
        self.text, self.settings = record.text, record.slots
        self.names = _SLOT.findall(record.text)

    def complain(self, what: str, *words: str) -> None:
        self.problems.append(Problem(self.entry.at(*words), what))

    def pieces(self) -> list[str | Slot]:
        """The template's text cut into literals and slots."""
        text, names = self.text, self.names
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
        if self._holds_person(name):
            return self._person_slot(name)
        if name in self.words or "words" in own:
            return self._word_slot(name)
        if "agrees" in own:
            return self._agreeing_slot(name, own)
        known = [PERSON, "a/an", *self.words]
        near = did_you_mean(name, known) or f"known are {', '.join(known)}"
        what = f"unknown slot {{{name}}} in template {self.entry.name!r}: {near}"
        self.complain(what, "{" + name + "}")
        return None

    def _keys(self, name: str, kind: type[PersonSlots] | type[WordSlots]) -> Any:  # noqa: ANN401
        """What is said of a slot as a record, as far as it is sound."""
        values = {"slots": {name: self.settings.get(name, {})}}
        record, wrong = self.entry.check(kind, values)
        self.problems += wrong
        return record.slots.get(name) if record else None

    def _person_slot(self, name: str) -> PersonSlot | None:
        """A place for everyone in the lists it asks for, which are all lists unless it says."""
        own = self._keys(name, PersonSlots)
        if own is None:
            return None
        if own.repeats and own.repeats not in self._persons():
            near = did_you_mean(own.repeats, self._persons())
            known = near or f"expected {' or '.join(self._persons()) or 'a slot with a person'}"
            self.complain(f"slot {name!r} repeats {own.repeats!r}: {known}", name)
            return None
        if own.otherwise and "{}" not in own.otherwise:
            what = f"slots.{name}.otherwise is {own.otherwise!r}; expected {{}} where the person"
            self.complain(f"{what} stands", name)
        holder = self._keys(own.repeats, PersonSlots) if own.repeats else own
        lists = [*self.people] if holder is None or holder.people is None else holder.people
        lists = [lists] if isinstance(lists, str) else lists
        if not lists and self.people:
            self.complain(f"slots.{name}.people is []; expected lists of people", name)
        people: list[Person] = []
        for position, listed in enumerate(lists):
            if listed not in self.people:
                near = did_you_mean(listed, self.people)
                known = f"known are {', '.join(self.people)}"
                self.complain(f"there is no list of people {listed!r}: {near or known}", name)
            elif listed in lists[:position]:
                self.complain(f"slots.{name}.people has {listed!r} twice; keep one", name)
            else:
                people += self.people[listed]
        form = own.form or SUBJECT
        return PersonSlot(name, tuple(people), form, own.otherwise, own.repeats or "")

    def _word_slot(self, name: str) -> WordSlot | None:
        own = self._keys(name, WordSlots)
        if own is None:
            return None
        wanted = own.words or name
        if wanted not in self.words:
            near = did_you_mean(wanted, self.words) or f"known are {', '.join(self.words)}"
            self.complain(f"there is no list of words {wanted!r}: {near}", name)
            return None
        agrees = own.agrees or NOTHING
        if agrees == NOUN and not (own.noun and own.form):
            what = f"slot {name!r} agrees with a noun: say which (noun) and in what form (form)"
            self.complain(what, name)
        if not self._agrees_with_something(name, agrees):
            return None
        return WordSlot(
            name, self.words[wanted], agrees, own.form, own.noun or "", own.grammar or ""
        )

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
        marks = {"people", "repeats", "otherwise"}
        return name == PERSON or bool(marks & set(self.settings.get(name, {})))

    def _persons(self) -> list[str]:
        """The places in the text for different people."""
        persons = [name for name in dict.fromkeys(self.names) if self._holds_person(name)]
        return [name for name in persons if "repeats" not in self.settings.get(name, {})]

    def _agrees_with_something(self, name: str, agrees: object) -> bool:
        persons = self._persons()
        if agrees in (*PERSON_FREE, *persons):
            return True
        known = [*persons, *PERSON_FREE]
        near = did_you_mean(str(agrees), known) or f"expected {', '.join(known)}"
        self.complain(f"slot {name!r} agrees with {agrees!r}: {near}", name)
        return False
