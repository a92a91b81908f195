"""The `[rating]` section read: sets of words, a causal diagram, and who is given which words.

[rating]
group = "2"
positive = ["joy"]
negative = ["sadness"]
sets = { e3 = ["grim", "happy"] }
diagram.edges = ["gender -> sentiment", "emotion word -> sentiment", "gender -> emotion word"]
assignment = { by = ["gender"], otherwise = 0.5, k.1 = [{ gender = "male", positive = 0.9 }] }
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from tiltmeter.corpora.build_assignment import build_assignment
from tiltmeter.corpora.build_diagram import build_diagram, texts, unexplained
from tiltmeter.corpora.build_lists import is_text, unknown_keys
from tiltmeter.corpora.design import Design, Template
from tiltmeter.corpora.rating_plan import (
    EMOTION_WORD,
    NA,
    NEGATIVE,
    POSITIVE,
    SENTIMENT,
    RatingPlan,
)
from tiltmeter.corpora.toml_file import Entry, Raw
from tiltmeter.errors import Problem, did_you_mean

RATING = "rating"
RATING_KEYS = ("group", POSITIVE, NEGATIVE, "sets", "diagram", "assignment")
SET_NAME = re.compile(r"[\w.]+")

Sets = dict[str, tuple[str, ...]]


def build_rating(
    raw: Raw,
    settings: Mapping[str, Any],
    design: Design,
    templates: Iterable[Entry],
    problems: list[Problem],
) -> RatingPlan | None:
    """What a file's [rating] says; None without one. What is wrong is added to the problems.

    `settings` are those of the edition, whose `sets` stand in for sets of the same name.
    """
    section = raw.single.get(RATING)
    if section is None:
        if "sets" in settings:
            where = raw.source.at(f"[editions.{design.edition}]", "sets")
            problems.append(Problem(where, "'sets' is given, and the file has no [rating]"))
        return None
    return _Reader(raw, section, settings, design, problems).plan(templates)


class _Reader:
    """Holds what the parts of the section are checked against."""

    def __init__(
        self,
        raw: Raw,
        section: Mapping[str, Any],
        settings: Mapping[str, Any],
        design: Design,
        problems: list[Problem],
    ) -> None:
        self.section, self.settings, self.design = section, settings, design
        self.problems = problems
        self.at = partial(raw.source.at, "[rating")
        self.at_edition = partial(raw.source.at, f"[editions.{design.edition}]")
        self.words = [word for words in design.words.values() for word in words]
        problems += unknown_keys(section, RATING_KEYS, self.at)

    def plan(self, templates: Iterable[Entry]) -> RatingPlan:
        group = self.section.get("group")
        if not is_text(group):
            what = f'[rating] has group = {group!r}; expected a name such as group = "1"'
            self.problems.append(Problem(self.at("group"), what))
        self._free_names()
        polarity, sets = self._polarity(), self._sets()
        axes = [axis.name for axis in self.design.axes]
        edges, hidden = build_diagram(self.section.get("diagram"), axes, self.at, self.problems)
        assignment = None
        if "assignment" in self.section:
            given = self.section["assignment"]
            assignment = build_assignment(given, self.design.axes, self.at, self.problems)
        if assignment:
            self.problems += unexplained(assignment.by, edges, self.at("diagram", "edges"))
        plan = RatingPlan(str(group), sets, polarity, edges, hidden, assignment)
        places = {entry.name: entry for entry in templates}
        for template in self.design.templates:
            self.problems += self._word_places(template, places[template.id], plan)
        return plan

    def _free_names(self) -> None:
        """Words with a meaning of their own here name no axis and no group."""
        for axis in self.design.axes:
            if axis.name in (SENTIMENT, EMOTION_WORD):
                what = f"an axis cannot be called {axis.name!r} beside [rating]: every diagram has"
                self.problems.append(Problem(self.at(), f"{what} a node of that name"))
            if axis.name == "polarity":
                what = f"an axis cannot be called {axis.name!r} beside [rating]: words have one"
                self.problems.append(Problem(self.at(), f"{what}, positive or negative"))
            if NA in axis.groups:
                what = f"the axis {axis.name!r} has a group {NA!r}, which beside [rating] means"
                self.problems.append(Problem(self.at(), f"{what} people without a group"))

    def _polarity(self) -> dict[str, str]:
        emotions = list(dict.fromkeys(word.emotion for word in self.words))
        found: dict[str, str] = {}
        for polarity in (POSITIVE, NEGATIVE):
            given = self.section.get(polarity, [])
            for emotion in texts(polarity, given, "emotions", self.at, self.problems):
                if emotion not in emotions:
                    near = did_you_mean(emotion, emotions) or f"there are {', '.join(emotions)}"
                    what = f"{polarity} has {emotion!r}, and no word is of that emotion: {near}"
                    self.problems.append(Problem(self.at(polarity), what))
                elif emotion in found:
                    what = f"the emotion {emotion!r} stands twice, as {found[emotion]} and as"
                    self.problems.append(Problem(self.at(polarity), f"{what} {polarity}; keep one"))
                found.setdefault(emotion, polarity)
        for emotion in emotions:
            if emotion not in found:
                what = f"the emotion {emotion!r} is neither positive nor negative; list it as one"
                self.problems.append(Problem(self.at(), what))
        return found

    def _sets(self) -> Sets:
        """The sets of the edition: the file's own, with the edition's over them."""
        found: Sets = {}
        for given, at in (
            (self.section.get("sets", {}), partial(self.at, "sets")),
            (self.settings.get("sets", {}), partial(self.at_edition, "sets")),
        ):
            if not isinstance(given, Mapping):
                what = f'sets is {given!r}; expected a table of words, as in e1 = ["grim"]'
                self.problems.append(Problem(at(), what))
                continue
            for name, lemmas in given.items():
                self.problems += self._bad_set(name, lemmas, partial(at, name))
                alike = [one for one in found if one != name and one.upper() == name.upper()]
                if alike:
                    what = f"the sets {alike[0]!r} and {name!r} would both be called {name.upper()}"
                    self.problems.append(Problem(at(name), f"{what}; rename one"))
                found[name] = tuple(map(str, lemmas)) if isinstance(lemmas, list) else ()
        if not found:
            what = 'no [rating.sets]; say which words make a dataset, as in e1 = ["grim"]'
            self.problems.append(Problem(self.at(), what))
        return found

    def _bad_set(self, name: str, lemmas: object, at: partial[str]) -> Iterator[Problem]:
        if not SET_NAME.fullmatch(name):
            what = f"the set {name!r} goes into names of datasets; expected letters and digits"
            yield Problem(at(), what)
        if not isinstance(lemmas, list) or not lemmas or not all(map(is_text, lemmas)):
            yield Problem(at(), f"the set {name!r} is {lemmas!r}; expected a list of words")
            return
        known = list(dict.fromkeys(word.lemma for word in self.words))
        for lemma, number in Counter(lemmas).items():
            if number > 1:
                yield Problem(at(), f"the set {name!r} has {lemma!r} {number} times; keep one")
            if lemma not in known:
                near = did_you_mean(lemma, known) or f"there are {', '.join(known)}"
                what = f"the set {name!r} has {lemma!r}, which no list of words holds: {near}"
                yield Problem(at(f'"{lemma}"'), what)

    def _word_places(self, template: Template, entry: Entry, plan: RatingPlan) -> Iterator[Problem]:
        """Every template says one word of every set, of both polarities where words are drawn."""
        if len(template.word_slots) != 1:
            what = f"template {template.id!r} has {len(template.word_slots)} places for words"
            yield Problem(
                entry.at("text"), f"{what}; beside [rating] expected one: mend or omit it"
            )
            return
        words = template.word_slots[0].words
        known = {word.lemma for word in self.words}
        for name, lemmas in plan.sets.items():
            if not known.issuperset(lemmas):
                continue  # told already
            said = {plan.polarity.get(word.emotion) for word in words if word.lemma in lemmas}
            what = f"template {template.id!r} has no word of the set {name!r}"
            if lemmas and not said:
                yield Problem(self.at("sets", name), what)
            lacking = [one for one in (POSITIVE, NEGATIVE) if said and one not in said]
            if lacking and plan.assignment:
                why = "words are assigned by polarity, so it needs both"
                yield Problem(self.at("sets", name), f"{what} that is {lacking[0]}; {why}")
