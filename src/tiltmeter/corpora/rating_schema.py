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
from typing import Annotated, Any

from msgspec import Meta, field

from tiltmeter.corpora.design import (
    EMOTION_WORD,
    NA,
    NEGATIVE,
    POSITIVE,
    SENTIMENT,
    Assignment,
    Axis,
    Design,
    RatingPlan,
    Share,
    Template,
    class_name,
    is_share,
)
from tiltmeter.corpora.schema import CorpusEntry, CorpusFile, WordSets
from tiltmeter.errors import Problem, did_you_mean
from tiltmeter.records import Record, Text

RATING = "rating"
SET_NAME = re.compile(r"[\w.]+")
ARROW = "->"

Edge = tuple[str, str]

# -------------------------------- what the section holds

Emotions = Annotated[tuple[Text, ...], Meta(description="a list of emotions")]


class DiagramTable(Record, kw_only=True):
    """`[rating.diagram]`: arrows between axes, the word and the sentiment, and nodes unrecorded."""

    edges: Annotated[
        tuple[Text, ...],
        Meta(min_length=1, description="a list of arrows", examples=[["gender -> sentiment"]]),
    ]
    unobserved: Annotated[tuple[Text, ...], Meta(description="a list of nodes")] = ()


Classes = Annotated[
    tuple[Annotated[dict[str, Any], Meta(description='{ gender = "male", positive = 0.9 }')], ...],
    Meta(description='a list of shares, as in [{ gender = "male", positive = 0.9 }]'),
]
"""The shares of a case: a group for each axis that words are assigned by, and `positive`."""


class AssignmentTable(Record, kw_only=True):
    """`[rating.assignment]`: shares of positive words, case by case."""

    by: Annotated[
        tuple[Text, ...],
        Meta(min_length=1, description='the axes words are assigned by, as in ["gender"]'),
    ]
    otherwise: Annotated[float, Meta(ge=0, le=1, description="a share from 0 to 1")] = 0.5
    k: Annotated[
        dict[str, Classes],
        Meta(min_length=1, description='cases like 1 = [{ gender = "male", positive = 0.9 }]'),
    ]


Diagram = Annotated[
    DiagramTable, Meta(description='[rating.diagram] with edges = ["gender -> sentiment"]')
]


class RatingParts(Record, kw_only=True):
    """What of `[rating]` is checked further even where its group or diagram is wrong."""

    group: Text = ""
    positive: Emotions = ()
    negative: Emotions = ()
    sets: WordSets = field(default_factory=dict)
    diagram: Diagram | None = None
    assignment: AssignmentTable | None = None


class RatingSection(RatingParts, kw_only=True):
    """`[rating]`."""

    group: Annotated[Text, Meta(examples=["1"])]
    diagram: Diagram


# -------------------------------- what depends on the rest of the corpus


def build_rating(
    raw: CorpusFile,
    edition_sets: WordSets | None,
    design: Design,
    templates: Iterable[CorpusEntry],
    problems: list[Problem],
) -> RatingPlan | None:
    """What a file's [rating] says; None without one. What is wrong is added to the problems.

    `edition_sets` are those of the edition, which stand in for sets of the same name.
    """
    if RATING not in raw.single:
        if edition_sets is not None:
            where = raw.file.at(("editions", design.edition, "sets"))
            problems.append(Problem(where, "'sets' is given, and the file has no [rating]"))
        return None
    section, wrong = raw.check(RatingSection, RATING)
    problems += wrong
    parts = section or raw.check(RatingParts, RATING)[0] or RatingParts()
    return _RatingReader(raw, parts, design, problems).plan(edition_sets or {}, templates)


class _RatingReader:
    """Checks the parts of the section against axes, words and templates."""

    def __init__(
        self, raw: CorpusFile, parts: RatingParts, design: Design, problems: list[Problem]
    ) -> None:
        self.raw, self.parts, self.design, self.problems = raw, parts, design, problems
        self.axes = {axis.name: axis for axis in design.axes}
        self.words = [word for words in design.words.values() for word in words]
        self.lemmas = list(dict.fromkeys(word.lemma for word in self.words))

    def complain(self, what: str, *path: str, text: str = "") -> None:
        """Note what is wrong at a key of the file, or at a text among its values."""
        self.problems.append(Problem(self.raw.file.at(path or (RATING,), text), what))

    def plan(self, edition_sets: WordSets, templates: Iterable[CorpusEntry]) -> RatingPlan:
        self._free_names()
        polarity, sets = self._polarity(), self._sets(edition_sets)
        edges, unobserved = self._diagram()
        assignment = self._assignment(edges)
        plan = RatingPlan(self.parts.group, sets, polarity, edges, unobserved, assignment)
        places = {entry.name: entry for entry in templates}
        for template in self.design.templates:
            self._word_places(template, places[template.id], plan)
        return plan

    def _free_names(self) -> None:
        """Words with a meaning of their own here name no axis and no group."""
        for name, axis in self.axes.items():
            called = f"an axis cannot be called {name!r} beside [rating]:"
            if name in (SENTIMENT, EMOTION_WORD):
                self.complain(f"{called} every diagram has a node of that name")
            if name == "polarity":
                self.complain(f"{called} words have one, positive or negative")
            if NA in axis.groups:
                what = f"the axis {name!r} has a group {NA!r}, which beside [rating] means"
                self.complain(f"{what} people without a group")

    def _polarity(self) -> dict[str, str]:
        emotions = list(dict.fromkeys(word.emotion for word in self.words))
        polarity_of: dict[str, str] = {}
        for polarity in (POSITIVE, NEGATIVE):
            for emotion in getattr(self.parts, polarity):
                if emotion not in emotions:
                    near = did_you_mean(emotion, emotions) or f"there are {', '.join(emotions)}"
                    what = f"{polarity} has {emotion!r}, and no word is of that emotion: {near}"
                    self.complain(what, RATING, polarity)
                elif emotion in polarity_of:
                    what = f"the emotion {emotion!r} stands twice, as {polarity_of[emotion]} and as"
                    self.complain(f"{what} {polarity}; keep one", RATING, polarity)
                polarity_of.setdefault(emotion, polarity)
        for emotion in emotions:
            if emotion not in polarity_of:
                what = f"the emotion {emotion!r} is neither positive nor negative; list it as one"
                self.complain(what)
        return polarity_of

    def _sets(self, edition_sets: WordSets) -> WordSets:
        """The sets of the edition: the file's own, with the edition's over them."""
        sets: WordSets = {}
        for name, lemmas in self.parts.sets.items():
            self._add_set(sets, name, lemmas, RATING)
        for name, lemmas in edition_sets.items():
            self._add_set(sets, name, lemmas, "editions", self.design.edition)
        if not sets and not self.raw.single[RATING].get("sets"):
            self.complain('no [rating.sets]; say which words make a dataset, as in e1 = ["grim"]')
        return sets

    def _add_set(self, sets: WordSets, name: str, lemmas: tuple[str, ...], *table: str) -> None:
        path = (*table, "sets", name)
        if not SET_NAME.fullmatch(name):
            what = f"the set {name!r} goes into names of datasets; expected letters and digits"
            self.complain(what, *path)
        if alike := [one for one in sets if one != name and one.upper() == name.upper()]:
            what = f"the sets {alike[0]!r} and {name!r} would both be called {name.upper()}"
            self.complain(f"{what}; rename one", *path)
        for lemma, number in Counter(lemmas).items():
            if number > 1:
                self.complain(f"the set {name!r} has {lemma!r} {number} times; keep one", *path)
            if lemma not in self.lemmas:
                near = did_you_mean(lemma, self.lemmas) or f"there are {', '.join(self.lemmas)}"
                what = f"the set {name!r} has {lemma!r}, which no list of words holds: {near}"
                self.complain(what, *path, text=lemma)
        sets[name] = lemmas

    def _word_places(self, template: Template, entry: CorpusEntry, plan: RatingPlan) -> None:
        """Every template says one word of every set, of both polarities where words are drawn."""
        if len(template.word_slots) != 1:
            what = f"template {template.id!r} has {len(template.word_slots)} places for words"
            what = f"{what}; beside [rating] expected one: mend or omit it"
            self.problems.append(Problem(entry.at("text"), what))
            return
        words = template.word_slots[0].words
        for name, lemmas in plan.sets.items():
            if not set(lemmas) <= set(self.lemmas):
                continue  # told already
            said = {plan.polarity.get(word.emotion) for word in words if word.lemma in lemmas}
            what = f"template {template.id!r} has no word of the set {name!r}"
            if not said:
                self.complain(what, RATING, "sets", name)
            lacking = [one for one in (POSITIVE, NEGATIVE) if said and one not in said]
            if lacking and plan.assignment:
                why = "words are assigned by polarity, so it needs both"
                self.complain(f"{what} that is {lacking[0]}; {why}", RATING, "sets", name)

    def _diagram(self) -> tuple[tuple[Edge, ...], tuple[str, ...]]:
        """The arrows and the nodes nobody recorded."""
        diagram = self.parts.diagram
        if diagram is None:
            return (), ()
        known = [*self.axes, EMOTION_WORD, SENTIMENT, *diagram.unobserved]
        for node, number in Counter(known).items():
            if number > 1:
                what = f"unobserved has {node!r}, which is a node already; name another, or drop it"
                self.complain(what, RATING, "diagram", "unobserved")
        edges: list[Edge] = []
        for text in diagram.edges:
            wrong = list(_bad_edge(text, known, edges))
            for what in wrong:
                self.complain(what, RATING, "diagram", text=text)
            if not wrong:
                edges.append(_ends(text))
        return tuple(edges), diagram.unobserved

    def _assignment(self, edges: tuple[Edge, ...]) -> Assignment | None:
        table = self.parts.assignment
        if table is None:
            return None
        for axis, number in Counter(table.by).items():
            if axis not in self.axes:
                near = did_you_mean(axis, self.axes) or f"the axes are {', '.join(self.axes)}"
                what = f"by has {axis!r}, which is no axis: {near}"
                self.complain(what, RATING, "assignment", "by")
            elif edges and EMOTION_WORD not in _effects(axis, edges):
                what = f"words are assigned by {axis!r}, and no arrow of the diagram says so"
                what = f'{what}; add "{axis} {ARROW} {EMOTION_WORD}"'
                self.complain(what, RATING, "diagram", "edges")
            if number > 1:
                what = f"by has {axis!r} {number} times; keep one"
                self.complain(what, RATING, "assignment", "by")
        cases: dict[int, tuple[Share, ...]] = {}
        for k, classes in table.k.items():
            if not k.isdecimal():
                self._complain_of_case(k, "is not a whole number; write 1 = [...] or another")
                continue
            if int(k) in cases:
                self._complain_of_case(k, f"is {int(k)} again; keep one")
            cases[int(k)] = tuple(self._shares(k, classes, table.by))
        return Assignment(table.by, table.otherwise, cases)

    def _complain_of_case(self, k: str, what: str) -> None:
        """Note what is wrong with a case, at its number: a share of 0.7 is not the case 7."""
        self.complain(f"k = {k} {what}", RATING, "assignment", f"{k} = ")

    def _shares(
        self, k: str, classes: Iterable[dict[str, Any]], by: tuple[str, ...]
    ) -> Iterator[Share]:
        """The sound shares of a case."""
        seen = set()
        for given in classes:
            wrong = list(_bad_share(given, by, self.axes))
            for what in wrong:
                self._complain_of_case(k, f"has {what}")
            if wrong or not set(by) <= set(self.axes):
                continue
            groups = {axis: None if given[axis] == NA else given[axis] for axis in by}
            share = Share(groups, float(given[POSITIVE]))
            if share.key in seen:
                self._complain_of_case(k, f"names {class_name(groups)!r} twice; keep one")
            seen.add(share.key)
            yield share


def _bad_share(
    given: Mapping[str, Any], by: tuple[str, ...], axes: Mapping[str, Axis]
) -> Iterator[str]:
    if set(given) != {*by, POSITIVE}:
        example = "{ " + ", ".join(f'{axis} = "…"' for axis in by) + ", positive = 0.9 }"
        yield f"{given!r}; expected {example}"
        return
    for axis in (axis for axis in by if axis in axes):
        groups = (*axes[axis].groups, NA)
        if given[axis] not in groups:
            near = did_you_mean(str(given[axis]), groups) or f"there are {', '.join(groups)}"
            yield f"{axis} = {given[axis]!r}, which the axis does not list: {near}"
    if not is_share(given[POSITIVE]):
        yield f"positive = {given[POSITIVE]!r}; expected a share from 0 to 1"


def _ends(text: str) -> Edge:
    cause, _, effect = text.partition(ARROW)
    return cause.strip(), effect.strip()


def _bad_edge(text: str, known: list[str], before: list[Edge]) -> Iterator[str]:
    cause, effect = _ends(text)
    if not (cause and effect) or ARROW in effect or cause == effect:
        yield f'{text!r} is no arrow; expected "cause -> effect", as in "gender -> sentiment"'
        return
    for node in (cause, effect):
        if node not in known:
            near = did_you_mean(node, known) or f"known are {', '.join(known)}"
            yield f"{text!r} has the node {node!r}: {near} (nodes nobody recorded: unobserved)"
    if (cause, effect) in before:
        yield f"{text!r} stands twice; keep one"


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
