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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from tiltmeter.corpora.columns import AXIS_NAME, RESERVED, may_be_axis
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
    is_language,
)
from tiltmeter.corpora.people import NAMES
from tiltmeter.corpora.people_sampling import DrawOptions, PeopleSample, deal_frames, draw_people
from tiltmeter.corpora.population_schema import build_population
from tiltmeter.corpora.rating_schema import build_rating
from tiltmeter.corpora.schema import (
    DEFAULT_EDITION,
    POPULATION,
    PROVENANCE,
    REVIEWS,
    Entry,
    Raw,
    is_text,
    unknown_keys,
)
from tiltmeter.corpora.validate import broken_rules
from tiltmeter.errors import CorpusError, Problem, did_you_mean

TEMPLATE_ID = re.compile(r"[\w.]+")
CORPUS_KEYS = ("name", "title", "language", "extends", "omit", *PROVENANCE)


def build(raw: Raw, edition: str, options: DrawOptions | None = None) -> Design:
    """Read one edition of a corpus file; raises with every problem found.

    `options` say how people are drawn where it has a population.
    """
    return _Builder(raw, edition, options or DrawOptions()).design()


def editions(raw: Raw) -> tuple[str, ...]:
    """The editions a corpus file declares; a file that declares none has the default one."""
    return tuple(raw.single.get("editions", {})) or (DEFAULT_EDITION,)


class _Builder:
    """Holds the problems found while the sections are read, one method a section."""

    def __init__(self, raw: Raw, edition: str, options: DrawOptions) -> None:
        self.raw, self.edition, self.options = raw, edition, options
        self.entries = raw.edition(edition)
        self.problems: list[Problem] = [*raw.problems, *_misplaced_entries(raw)]

    def design(self) -> Design:
        corpus, settings = self._corpus(), self._edition_settings()
        axes = self._axes()
        people = {
            entry.name: tuple(build_people(entry, axes, self.problems))
            for entry in self.entries["people"]
        }
        sample = self._sample(axes, people)
        words = {
            entry.name: tuple(build_words(entry, self.problems)) for entry in self.entries["words"]
        }
        provenance = self._provenance(corpus, Provenance())
        templates = [
            build_template(
                entry,
                people,
                words,
                settings.get("capitalise", True),
                self._provenance(entry.values, provenance, entry),
                self.problems,
            )
            for entry in self.entries["templates"]
        ]
        for section in ("people", "templates"):
            drawn = section == "people" and POPULATION in self.raw.single
            if not self.entries[section] and not drawn:
                self.problems.append(Problem(str(self.raw.source.path), f"no [[{section}]] entry"))
        design = Design(
            name=str(corpus.get("name", "")),
            title=str(corpus.get("title", corpus.get("name", ""))),
            edition=self.edition,
            editions=editions(self.raw),
            edition_note=str(settings.get("note", "")),
            language=str(corpus.get("language", "")),
            provenance=provenance,
            axes=axes,
            people=tuple(person for members in people.values() for person in members),
            words=words,
            templates=tuple(template for template in templates if template),
            agreement=self._texts("agreement"),
            speaker=self._texts("speaker", ("form", "note")).get("form"),
            lists={
                entry.name: self._provenance(entry.values, provenance, entry)
                for entry in (*self.entries["people"], *self.entries["words"])
            },
        )
        self.problems += broken_rules(design, self.entries)
        self.problems += _misplaced_population(self.raw, design)
        rating = build_rating(self.raw, settings, design, self.entries["templates"], self.problems)
        if self.problems:
            subject = f"the corpus in {self.raw.source.path.name} cannot be used"
            raise CorpusError(subject, list(dict.fromkeys(self.problems)))
        deal = deal_frames(design, sample) if sample else None
        return replace(design, rating=rating, deal=deal)

    def _sample(
        self, axes: tuple[Axis, ...], people: dict[str, tuple[Person, ...]]
    ) -> PeopleSample | None:
        """Those drawn from the population, who join the lists of people."""
        listed = [person for members in people.values() for person in members]
        population = build_population(self.raw, axes, listed, self.problems)
        if population is None:
            return None
        sample = draw_people(population, self.options)
        name = population.people_list
        people[name] = population.persons(sample.rows.tolist(), axes, before=len(listed))
        values = self.raw.single[POPULATION]
        self.entries["people"].append(Entry(name, None, values, self.raw.source, POPULATION, 0))
        return sample

    def _corpus(self) -> Mapping[str, Any]:
        corpus = self.raw.single.get("corpus", {})
        at = self.raw.source.at
        self.problems += unknown_keys(corpus, CORPUS_KEYS, partial(at, "[corpus]"))
        for key, example in (("name", "my-corpus"), ("language", "en")):
            if not is_text(corpus.get(key)):
                what = f'[corpus] needs {key}, for instance {key} = "{example}"'
                self.problems.append(Problem(at("[corpus]"), what))
        language = corpus.get("language")
        if is_text(language) and not is_language(str(language)):
            what = f"language is {language!r}; expected a code such as en, es or ar"
            self.problems.append(Problem(at("[corpus]", "language"), what))
        return corpus

    def _edition_settings(self) -> Mapping[str, Any]:
        settings = self.raw.single.get("editions", {}).get(self.edition, {})
        if not isinstance(settings, Mapping):
            where = self.raw.source.at("[editions", self.edition)
            self.problems.append(Problem(where, f"write [editions.{self.edition}] as a table"))
            return {}
        at = partial(self.raw.source.at, f"[editions.{self.edition}]")
        self.problems += unknown_keys(settings, ("note", "capitalise", "sets"), at)
        if not isinstance(settings.get("capitalise", True), bool):
            what = f"capitalise is {settings['capitalise']!r}; expected true or false"
            self.problems.append(Problem(at("capitalise"), what))
            return {}
        return settings

    def _texts(self, section: str, known: tuple[str, ...] = ()) -> dict[str, str]:
        """A table of texts, such as [agreement] and [speaker]."""
        table, at = self.raw.single.get(section, {}), partial(self.raw.source.at, f"[{section}]")
        if known:
            self.problems += unknown_keys(table, known, at)
        for key, value in table.items():
            if not is_text(value):
                what = f"[{section}] has {key} = {value!r}; expected text"
                self.problems.append(Problem(at(key), what))
        return {key: value for key, value in table.items() if is_text(value)}

    def _axes(self) -> tuple[Axis, ...]:
        declared, at = self.raw.single.get("axes", {}), self.raw.source.at
        if not declared:
            what = 'no [axes]; say what is compared, for instance gender = ["female", "male"]'
            self.problems.append(Problem(at("[corpus]"), what))
        axes = []
        for name, entries in declared.items():
            groups = [_group(entry) for entry in entries] if isinstance(entries, list) else entries
            if name in RESERVED or (name in PEOPLE_KEYS and name != "gender"):
                what = f"an axis cannot be called {name!r}: that word has another meaning here"
                self.problems.append(Problem(at("[axes]", name), what))
            elif not may_be_axis(name):
                what = f"an axis cannot be called {name!r}; expected {AXIS_NAME}"
                self.problems.append(Problem(at("[axes]", name), what))
            elif not _is_texts(groups) or len(set(groups)) < 2 or len(set(groups)) != len(groups):
                what = f"axis {name!r} is {groups!r}; expected two or more different group names"
                self.problems.append(Problem(at("[axes]", name), what))
            else:
                axes.append(_spoken(Axis(name, tuple(map(str, groups))), entries))
        return tuple(axes)

    def _provenance(
        self, values: Mapping[str, Any], inherited: Provenance, entry: Entry | None = None
    ) -> Provenance:
        own = {key: str(values[key]) for key in PROVENANCE if key in values}
        at = entry.at if entry else partial(self.raw.source.at, "[corpus]")
        for key in own:
            if not isinstance(values[key], str):
                what = f"{key} is {values[key]!r}; expected text"
                self.problems.append(Problem(at(key), what))
        review = own.get("review", inherited.review)
        if "review" in own and review.split(" ")[0].rstrip(",:;") not in REVIEWS:
            what = f"review is {review!r}; expected it to begin with {', '.join(REVIEWS)}"
            self.problems.append(Problem(at("review"), what))
        return Provenance(
            own.get("source", inherited.source),
            own.get("licence", inherited.licence),
            review,
            own.get("note", ""),
        )


def _misplaced_population(raw: Raw, design: Design) -> Iterator[Problem]:
    """A population is what is compared: it is never held fixed, and no datasets are rated on it."""
    if POPULATION not in raw.single:
        return
    if "rating" in raw.single:
        what = "[rating] and [population] are both here: words are drawn for all people of a group"
        yield Problem(raw.source.at("[population"), f"{what}; keep one")
    drawn = raw.single[POPULATION].get("list", NAMES)
    for template in design.templates:
        for slot in template.person_slots[1:]:
            if any(person.people_list == drawn for person in slot.people):
                what = f"slot {slot.name!r} of template {template.id!r} holds the population fixed"
                said = f"name other lists: slots.{slot.name}.people"
                yield Problem(raw.source.at("", "{" + slot.name + "}"), f"{what}; {said}")


def _misplaced_entries(raw: Raw) -> Iterator[Problem]:
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


def _group(entry: object) -> object:
    """A group's name: written plainly, or in a table beside how to speak of it."""
    if (
        isinstance(entry, Mapping)
        and set(entry) == {"group", "phrase"}
        and is_text(entry["phrase"])
    ):
        return entry["group"]
    return entry


def _spoken(axis: Axis, entries: list[Any]) -> Axis:
    """The axis with how each of its groups is spoken of."""
    phrases = (
        str(entry["phrase"]) if isinstance(entry, Mapping) else axis.phrase(group)
        for entry, group in zip(entries, axis.groups, strict=True)
    )
    return replace(axis, phrases=tuple(phrases))


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(is_text(part) for part in value)


# -------------------------------- people and words


PEOPLE_KEYS = ("list", "edition", "members", "gender", "match", "family", "agreement", *PROVENANCE)
WORD_LIST_KEYS = ("list", "edition", *PROVENANCE)
WORD_KEYS = ("lemma", "gloss")

Problems = list[Problem]


def build_people(entry: Entry, axes: tuple[Axis, ...], problems: Problems) -> Iterator[Person]:
    """The people of a list; whatever is wrong with one is added to the problems."""
    problems += unknown_keys(entry.values, (*PEOPLE_KEYS, *(axis.name for axis in axes)), entry.at)
    members = entry.values.get("members")
    if not isinstance(members, list) or not members:
        what = f"the list {entry.name!r} has no members; expected members = [...]"
        problems.append(Problem(entry.at(), what))
        return
    for member in members:
        own = {SUBJECT: member} if isinstance(member, str) else member
        if not isinstance(own, Mapping) or not own:
            what = f"{member!r} is not a person; expected text or a table of forms"
            problems.append(Problem(entry.at("members"), what))
        elif person := _person(own, entry, axes, problems):
            yield person


def _person(
    own: Mapping[str, Any], entry: Entry, axes: tuple[Axis, ...], problems: Problems
) -> Person | None:
    settings = {**entry.values, **own}
    known = {*(axis.name for axis in axes), "gender", "agreement", "match", "family", "note"}
    forms = {key: form for key, form in own.items() if key not in known}
    first = next((form for form in forms.values() if isinstance(form, str)), entry.name)
    at = entry.at("members", f'"{first}"')
    wrong = [*_bad_forms(own, forms, known, first, at), *_bad_settings(settings, first, entry)]
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


def _bad_forms(
    own: Mapping[str, Any], forms: Mapping[str, Any], known: Iterable[str], first: str, at: str
) -> Iterator[Problem]:
    """Forms that are no text, none at all, or a slip of the pen for something else."""
    if not forms:
        yield Problem(at, f'{dict(own)!r} has no form; expected one such as subject = "she"')
    for key, form in forms.items():
        near = did_you_mean(key, known)
        if not is_text(form):
            yield Problem(at, f"the {key} form of {first!r} is {form!r}; expected text")
        elif near:
            yield Problem(at, f"{key!r} of {first!r} is read as a form of the person: {near}")


def _bad_settings(settings: Mapping[str, Any], first: str, entry: Entry) -> Iterator[Problem]:
    for key in ("gender", "match", "agreement", "family"):
        if key in settings and not is_text(settings[key]):
            what = f"the {key} of {first!r} is {settings[key]!r}; expected text"
            yield Problem(entry.at(key), what)


def build_words(entry: Entry, problems: Problems) -> Iterator[Word]:
    """The words of a list by emotion; whatever is wrong with one is added to the problems."""
    emotions = {key: words for key, words in entry.values.items() if key not in WORD_LIST_KEYS}
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
            built = _word(word, emotion)
            if isinstance(built, Word):
                yield built
            else:
                problems.append(Problem(entry.at(emotion), built))


def _word(word: object, emotion: str) -> Word | str:
    """The word, or what is wrong with it."""
    own = {"lemma": word} if isinstance(word, str) else word
    if not isinstance(own, Mapping) or not all(is_text(value) for value in own.values()):
        return f"{word!r} is not a word; expected text or a table of forms, none empty"
    if "lemma" not in own:
        return f"the {emotion} word {dict(own)!r} has no lemma, the form it is known by"
    forms = {key: form for key, form in own.items() if key not in WORD_KEYS}
    return Word(own["lemma"], emotion, forms, own.get("gloss", ""))


# -------------------------------- templates


PERSON = "person"
TEMPLATE_KEYS = (
    "id", "edition", "text", "slots", "focus", "capitalise", "source", "licence", "review", "note",
)  # fmt: skip
PERSON_SLOT_KEYS = ("people", "form", "otherwise", "repeats")
WORD_SLOT_KEYS = ("words", "agrees", "form", "noun", "grammar")
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
    reader = _TemplateReader(entry, people, words, problems)
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


class _TemplateReader:
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
        self._known(own, PERSON_SLOT_KEYS, f"key of slot {name!r}", name)
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
        self._known(own, WORD_SLOT_KEYS, f"key of slot {name!r}", name)
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
