"""What must hold between the parts of a design before a sentence is written from it.

Every slot can be filled for every combination, nobody stands on both sides of an axis, and every
match has someone to stand against.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations, product

from tiltmeter.corpora.design import (
    PERSON_FREE,
    SPEAKER,
    AgreeingSlot,
    Design,
    Person,
    PersonSlot,
    Template,
    WordSlot,
)
from tiltmeter.corpora.schema import CorpusEntry
from tiltmeter.errors import Problem

Entries = Mapping[str, list[CorpusEntry]]


def broken_rules(design: Design, entries: Entries) -> list[Problem]:
    """Every rule the design breaks, with the place in its file."""
    people = {entry.name: entry for entry in entries["people"]}
    word_lists = {entry.name: entry for entry in entries["words"]}
    templates = {entry.name: entry for entry in entries["templates"]}
    problems = [*_both_sides(design, people)]
    for name, words in design.words.items():
        # Within one emotion a lemma stands once: the frame is named by it.
        for (emotion, lemma), number in Counter(
            (word.emotion, word.lemma) for word in words
        ).items():
            if number > 1:
                what = f"{lemma!r} stands {number} times under {emotion} in list {name!r}; keep one"
                problems.append(Problem(word_lists[name].at(emotion, f'"{lemma}"'), what))
    for template in design.templates:
        entry = templates[template.id]
        problems += _matches(design, template, people)
        for piece in template.pieces:
            match piece:
                case PersonSlot():
                    problems += _missing_person_forms(piece, entry)
                case AgreeingSlot():
                    for form, person in _agreements(design, template, piece.agrees).items():
                        if form not in piece.forms:
                            what = _no_form(f"slot {piece.name!r}", form, person)
                            problems.append(Problem(entry.at(piece.name), what))
                case WordSlot():
                    problems += _missing_word_forms(design, template, piece, entry)
        # Two places for people draw on different lists, or a frame would lose one side of a pair.
        for first, second in combinations(template.person_slots, 2):
            shared = {p.people_list for p in first.people} & {p.people_list for p in second.people}
            if shared:
                what = (
                    f"slots {first.name!r} and {second.name!r} of template {entry.name!r} share "
                    f"the list {min(shared)!r}, so a person could meet themselves; use two lists"
                )
                problems.append(Problem(entry.at("{" + second.name + "}"), what))
        # A word never stands twice in a sentence, so two slots need two words.
        lemmas = [[word.lemma for word in slot.words] for slot in template.word_slots]
        if all(lemmas) and not any(len(set(row)) == len(row) for row in product(*lemmas)):
            what = f"template {entry.name!r} needs {len(lemmas)} different words"
            problems.append(Problem(entry.at("text"), f"{what}; its lists have fewer"))
    return problems


def _both_sides(design: Design, entries: Mapping[str, CorpusEntry]) -> Iterator[Problem]:
    """Nobody may stand twice, least of all in two groups of one axis."""
    seen: dict[str, Person] = {}
    for person in design.people:
        known = seen.setdefault(person.name.casefold(), person)
        if known is person:
            continue
        where = entries[person.people_list].at("members", f'"{person.name}"')
        sides = [
            f"{axis.name} {known.groups[axis.name]} and {person.groups[axis.name]}"
            for axis in design.axes
            if known.groups[axis.name] != person.groups[axis.name]
        ]
        if sides:
            what = f"{person.name!r} stands on both sides of an axis: {'; '.join(sides)}"
        else:
            what = f"{person.name!r} stands twice, in {known.people_list!r} as well"
        yield Problem(where, f"{what}; keep one")


def _matches(
    design: Design, template: Template, entries: Mapping[str, CorpusEntry]
) -> Iterator[Problem]:
    """A match needs people of two groups of some axis; a pair needs as many of each."""
    matches: dict[str, list[Person]] = {}
    for person in template.person_slots[0].people:
        matches.setdefault(person.match, []).append(person)
    for match, people in matches.items():
        where = entries[people[0].people_list].at("members", f'"{people[0].name}"')
        who = ", ".join(person.name for person in people[:3])
        if not match:
            yield Problem(where, f'{who}: no match; say whom they stand against: match = "names"')
            continue
        counts = {
            axis.name: Counter(p.groups[axis.name] for p in people if p.groups[axis.name])
            for axis in design.axes
        }
        if all(len(count) < 2 for count in counts.values()):
            what = f"unbalanced match {match!r}: {who} has nobody of another group to stand against"
            yield Problem(where, what)
        for axis, count in counts.items():
            if not all(p.pooled for p in people) and len(set(count.values())) > 1:
                found = ", ".join(f"{number} {group}" for group, number in count.items())
                what = f"unbalanced match {match!r} on {axis}: {found}; expected one of each"
                yield Problem(where, what)


def _missing_person_forms(slot: PersonSlot, entry: CorpusEntry) -> Iterator[Problem]:
    # People of no group take their own forms: they stand beside a pair and not on a side of it.
    compared = [person for person in slot.people if any(person.groups.values())]
    has = {person.match for person in compared if slot.form in person.forms and person.match}
    for person in slot.people:
        beside = any(person.groups.values()) and person.match in has
        uneven = slot.otherwise is None and beside and slot.form not in person.forms
        if uneven or not slot.surface(person):
            what = f"template {entry.name!r} needs the {slot.form} form of {person.name!r}, "
            what += f"which has only {', '.join(person.forms)}"
            yield Problem(entry.at("{" + slot.name + "}"), what)


def _agreements(design: Design, template: Template, agrees: str) -> dict[str | None, Person]:
    """The word forms that the people of a slot ask for, each with the first who does."""
    found: dict[str | None, Person] = {}
    for slot in template.person_slots:
        for person in slot.people if slot.name == agrees else ():
            found.setdefault(design.agreement_form(person), person)
    return found


def _missing_word_forms(
    design: Design, template: Template, slot: WordSlot, entry: CorpusEntry
) -> Iterator[Problem]:
    where = entry.at("{" + slot.name + "}")
    inflected = [word for word in slot.words if word.forms]
    if slot.agrees == SPEAKER and inflected and not design.speaker:
        what = f"slot {slot.name!r} agrees with the speaker; add [speaker] with its form"
        yield Problem(where, what)
    elif slot.agrees in PERSON_FREE:
        wanted = design.speaker if slot.agrees == SPEAKER else slot.form
        for word in inflected:
            if not wanted:
                what = f"{word.lemma!r} has several forms: say which slot {slot.name!r} takes"
                yield Problem(where, f"{what}, or what it agrees with")
            elif wanted not in word.forms:
                what = f"template {entry.name!r} needs the {wanted} form of {word.lemma!r}"
                yield Problem(where, f"{what}, which has only {', '.join(word.forms)}")
    else:
        for form, person in _agreements(design, template, slot.agrees).items():
            for word in inflected:
                if form not in word.forms:
                    yield Problem(where, _no_form(f"the word {word.lemma!r}", form, person))


def _no_form(what: str, form: str | None, person: Person) -> str:
    if form is None:
        lacks = f"{what} agrees with {person.name!r}, who has no gender"
        return f"{lacks}; give one to agree with, or an agreement"
    return f"{what} has no form {form!r}, which {person.name!r} asks for"
