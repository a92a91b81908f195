"""The `[[people]]` and `[[words]]` entries read: who can be spoken of, and in which words.

members = ["Ana", { subject = "she", object = "her", gender = "female", match = "she/he" }]
joy = ["glad", { lemma = "contento", masculine = "contento", feminine = "contenta" }]
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tiltmeter.corpora.design import SUBJECT, Axis, Person, Word
from tiltmeter.corpora.toml_file import PROVENANCE, Entry
from tiltmeter.errors import Problem, did_you_mean

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


def unknown_keys(
    found: Iterable[str], known: tuple[str, ...], at: Callable[[str], str]
) -> Iterator[Problem]:
    """Keys that nobody reads, each with the nearest one that somebody does."""
    for key in found:
        if key not in known:
            near = did_you_mean(key, known) or f"expected {', '.join(known)}"
            yield Problem(at(key), f"unknown key {key!r}: {near}")


def is_text(value: object) -> bool:
    """True for a text with something in it and no control characters such as line breaks."""
    if not isinstance(value, str) or not value.strip():
        return False
    return not any(unicodedata.category(letter) == "Cc" for letter in value)
