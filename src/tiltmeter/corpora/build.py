"""From a corpus file to a design: every section read, every mistake collected, none guessed at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from tiltmeter.corpora.build_lists import (
    PEOPLE_KEYS,
    build_people,
    build_words,
    is_text,
    unknown_keys,
)
from tiltmeter.corpora.build_population import build_population
from tiltmeter.corpora.build_rating import build_rating
from tiltmeter.corpora.build_template import build_template
from tiltmeter.corpora.columns import AXIS_NAME, RESERVED, may_be_axis
from tiltmeter.corpora.design import Axis, Design, Person, Provenance, is_language
from tiltmeter.corpora.people import NAMES
from tiltmeter.corpora.people_sample import DrawOptions, PeopleSample, deal_frames, draw_people
from tiltmeter.corpora.rules import broken_rules
from tiltmeter.corpora.toml_file import POPULATION, PROVENANCE, Entry, Raw
from tiltmeter.errors import CorpusError, Problem

DEFAULT_EDITION = "corrected"
TEMPLATE_ID = re.compile(r"[\w.]+")
REVIEWS = ("unreviewed", "reviewed", "published")
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
