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
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from tiltmeter.corpora.design import Axis, Design, Template
from tiltmeter.corpora.rating_plan import (
    EMOTION_WORD,
    NA,
    NEGATIVE,
    POSITIVE,
    SENTIMENT,
    Assignment,
    RatingPlan,
    Share,
    class_name,
    is_share,
)
from tiltmeter.corpora.schema import CorpusEntry, CorpusFile, is_text, unknown_keys
from tiltmeter.errors import Problem, did_you_mean

RATING = "rating"
RATING_KEYS = ("group", POSITIVE, NEGATIVE, "sets", "diagram", "assignment")
SET_NAME = re.compile(r"[\w.]+")

Sets = dict[str, tuple[str, ...]]


def build_rating(
    raw: CorpusFile,
    edition_sets: object,
    design: Design,
    templates: Iterable[CorpusEntry],
    problems: list[Problem],
) -> RatingPlan | None:
    """What a file's [rating] says; None without one. What is wrong is added to the problems.

    `edition_sets` are those of the edition, which stand in for sets of the same name.
    """
    section = raw.single.get(RATING)
    if section is None:
        if edition_sets is not None:
            where = raw.locator.at(f"[editions.{design.edition}]", "sets")
            problems.append(Problem(where, "'sets' is given, and the file has no [rating]"))
        return None
    return _RatingReader(raw, section, edition_sets, design, problems).plan(templates)


class _RatingReader:
    """Holds what the parts of the section are checked against."""

    def __init__(
        self,
        raw: CorpusFile,
        section: Mapping[str, Any],
        edition_sets: object,
        design: Design,
        problems: list[Problem],
    ) -> None:
        self.section, self.design = section, design
        self.edition_sets = {} if edition_sets is None else edition_sets
        self.problems = problems
        self.at = partial(raw.locator.at, "[rating")
        self.at_edition = partial(raw.locator.at, f"[editions.{design.edition}]")
        self.words = [word for words in design.words.values() for word in words]
        problems += unknown_keys(section, RATING_KEYS, self.at)

    def plan(self, templates: Iterable[CorpusEntry]) -> RatingPlan:
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
            (self.edition_sets, partial(self.at_edition, "sets")),
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

    def _word_places(
        self, template: Template, entry: CorpusEntry, plan: RatingPlan
    ) -> Iterator[Problem]:
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


# -------------------------------- [rating.diagram]: arrows between known nodes


DIAGRAM_KEYS = ("edges", "unobserved")
EXAMPLE = '[rating.diagram] with edges = ["gender -> sentiment"]'
ARROW = "->"

At = Callable[..., str]
Edge = tuple[str, str]


def build_diagram(
    given: object, axes: list[str], at: At, problems: list[Problem]
) -> tuple[tuple[Edge, ...], tuple[str, ...]]:
    """The arrows and the nodes nobody recorded; what is wrong is added to the problems."""
    here = partial(at, "diagram")
    if not isinstance(given, Mapping):
        found = "no diagram" if given is None else f"the diagram is {given!r}"
        problems.append(Problem(here(), f"{found}; expected {EXAMPLE}"))
        return (), ()
    problems += unknown_keys(given, DIAGRAM_KEYS, here)
    hidden = texts("unobserved", given.get("unobserved", []), "nodes", here, problems)
    known = [*axes, EMOTION_WORD, SENTIMENT, *hidden]
    for node, number in Counter(known).items():
        if number > 1:
            what = f"unobserved has {node!r}, which is a node already; name another, or drop it"
            problems.append(Problem(here("unobserved"), what))
    written = texts("edges", given.get("edges", []), "arrows", here, problems)
    if not written:
        problems.append(Problem(here("edges"), f"the diagram is empty; expected {EXAMPLE}"))
    edges: list[Edge] = []
    for text in written:
        wrong = list(_bad_edge(text, known, edges, here(f'"{text}"')))
        problems += wrong
        if not wrong:
            edges.append(_ends(text))
    return tuple(edges), tuple(hidden)


def _ends(text: str) -> Edge:
    cause, _, effect = text.partition(ARROW)
    return cause.strip(), effect.strip()


def _bad_edge(text: str, known: list[str], before: list[Edge], where: str) -> Iterator[Problem]:
    cause, effect = _ends(text)
    if not (cause and effect) or ARROW in effect or cause == effect:
        what = f'{text!r} is no arrow; expected "cause -> effect", as in "gender -> sentiment"'
        yield Problem(where, what)
        return
    for node in (cause, effect):
        if node not in known:
            near = did_you_mean(node, known) or f"known are {', '.join(known)}"
            what = f"{text!r} has the node {node!r}: {near} (nodes nobody recorded: unobserved)"
            yield Problem(where, what)
    if (cause, effect) in before:
        yield Problem(where, f"{text!r} stands twice; keep one")


def unexplained(by: tuple[str, ...], edges: tuple[Edge, ...], where: str) -> Iterator[Problem]:
    """Words given by an axis depend on it, so arrows must lead from it to the word."""
    for axis in by if edges else ():
        if EMOTION_WORD not in _effects(axis, edges):
            what = f"words are assigned by {axis!r}, and no arrow of the diagram says so"
            yield Problem(where, f'{what}; add "{axis} {ARROW} {EMOTION_WORD}"')


def _effects(cause: str, edges: tuple[Edge, ...]) -> set[str]:
    """Every node that arrows lead to from a cause."""
    found: set[str] = set()
    ahead = [cause]
    while ahead:
        here = ahead.pop()
        new = {effect for start, effect in edges if start == here} - found
        found |= new
        ahead += new
    return found


def texts(key: str, given: object, what: str, at: At, problems: list[Problem]) -> list[str]:
    """A list of texts; anything else is a problem, and none."""
    if isinstance(given, list) and all(map(is_text, given)):
        return given
    problems.append(Problem(at(key), f"{key} is {given!r}; expected a list of {what}"))
    return []


# -------------------------------- [rating.assignment]: shares of positive words, case by case


ASSIGNMENT_KEYS = ("by", "otherwise", "k")
EVEN = 0.5


def build_assignment(
    given: object, axes: tuple[Axis, ...], at: At, problems: list[Problem]
) -> Assignment | None:
    """The assignment a section declares; what is wrong is added to the problems."""
    here = partial(at, "assignment")
    if not isinstance(given, Mapping):
        what = "expected [rating.assignment] with by, otherwise and the cases k"
        problems.append(Problem(here(), f"assignment is {given!r}; {what}"))
        return None
    problems += unknown_keys(given, ASSIGNMENT_KEYS, here)
    known = {axis.name: axis for axis in axes}
    by = _by(given.get("by"), known, here, problems)
    otherwise = given.get("otherwise", EVEN)
    if not is_share(otherwise):
        what = f"otherwise is {otherwise!r}; expected a share from 0 to 1"
        problems.append(Problem(here("otherwise"), what))
    cases = given.get("k", {})
    if not isinstance(cases, Mapping) or not cases:
        what = "no case; expected [rating.assignment.k] with lines like"
        problems.append(Problem(here(), f'{what} 1 = [{{ gender = "male", positive = 0.9 }}]'))
        return None
    found: dict[int, tuple[Share, ...]] = {}
    for k, shares in cases.items():
        place = partial(here, f"{k} = ")
        if not k.isdecimal() or not isinstance(shares, list):
            what = f"the case k = {k} is {shares!r}; expected a whole number, then a list of shares"
            problems.append(Problem(place(), what))
            continue
        if int(k) in found:
            problems.append(Problem(place(), f"the case k = {int(k)} stands twice; keep one"))
        read = (_share(share, by, known, k, place, problems) for share in shares)
        found[int(k)] = tuple(share for share in read if share)
        problems += _repeated(found[int(k)], k, place)
    return Assignment(by, float(otherwise) if is_share(otherwise) else EVEN, found)


def _by(
    given: object, known: Mapping[str, Axis], at: At, problems: list[Problem]
) -> tuple[str, ...]:
    if not isinstance(given, list) or not given or not all(map(is_text, given)):
        what = f'by is {given!r}; expected the axes words are assigned by, as in ["gender"]'
        problems.append(Problem(at("by"), what))
        return ()
    for name in given:
        if name not in known:
            near = did_you_mean(name, known) or f"the axes are {', '.join(known)}"
            problems.append(Problem(at("by"), f"by has {name!r}, which is no axis: {near}"))
    if len(set(given)) != len(given):
        problems.append(Problem(at("by"), f"by has an axis twice: {', '.join(given)}; keep one"))
    return tuple(name for name in dict.fromkeys(given) if name in known)


def _share(
    given: object,
    by: tuple[str, ...],
    known: Mapping[str, Axis],
    k: str,
    at: At,
    problems: list[Problem],
) -> Share | None:
    example = "{ " + ", ".join(f'{name} = "…"' for name in by) + ", positive = 0.9 }"
    if not isinstance(given, Mapping) or set(given) != {*by, POSITIVE}:
        found = dict(given) if isinstance(given, Mapping) else given
        problems.append(Problem(at(), f"k = {k} has {found!r}; expected {example}"))
        return None
    wrong = list(_bad_groups(given, by, known, k, at))
    if not is_share(given[POSITIVE]):
        what = f"k = {k} has positive = {given[POSITIVE]!r}; expected a share from 0 to 1"
        wrong.append(Problem(at(), what))
    problems += wrong
    if wrong:
        return None
    groups = {name: None if given[name] == NA else given[name] for name in by}
    return Share(groups, float(given[POSITIVE]))


def _bad_groups(
    given: Mapping[str, Any], by: tuple[str, ...], known: Mapping[str, Axis], k: str, at: At
) -> Iterator[Problem]:
    for name in by:
        groups = (*known[name].groups, NA)
        if given[name] not in groups:
            near = did_you_mean(str(given[name]), groups) or f"there are {', '.join(groups)}"
            what = f"k = {k} has {name} = {given[name]!r}, which the axis does not list: {near}"
            yield Problem(at(), what)


def _repeated(shares: tuple[Share, ...], k: str, at: At) -> Iterator[Problem]:
    seen = set()
    for share in shares:
        if share.key in seen:
            yield Problem(at(), f"k = {k} names {class_name(share.groups)!r} twice; keep one")
        seen.add(share.key)
