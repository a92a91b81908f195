"""From a corpus file to a design: every section read, every mistake collected, none guessed at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from tiltmeter.corpora.build_template import build_template
from tiltmeter.corpora.design import SUBJECT, Axis, Design, Person, Provenance, Word
from tiltmeter.corpora.rules import broken_rules
from tiltmeter.corpora.toml_file import Entry, Raw
from tiltmeter.errors import CorpusError, Problem, did_you_mean
from tiltmeter.tables import SENTENCES

DEFAULT_EDITION = "corrected"
PROVENANCE = ("source", "licence", "review", "note")
REVIEWS = ("unreviewed", "reviewed", "published")
CORPUS_KEYS = ("name", "title", "language", "extends", "omit", *PROVENANCE)
PEOPLE_KEYS = ("list", "edition", "members", "gender", "match", *PROVENANCE)
WORD_KEYS = ("lemma", "gloss")


def build(raw: Raw, edition: str) -> Design:
    """Read one edition of a corpus file; raises with every problem found."""
    return _Builder(raw, edition).design()


def editions(raw: Raw) -> tuple[str, ...]:
    """The editions a corpus file declares; a file that declares none has the default one."""
    return tuple(raw.single.get("editions", {})) or (DEFAULT_EDITION,)


class _Builder:
    """Holds the problems found while the sections are read, one method a section."""

    def __init__(self, raw: Raw, edition: str) -> None:
        self.raw, self.edition = raw, edition
        self.entries = raw.edition(edition)
        self.problems: list[Problem] = list(_misplaced_entries(raw))

    def design(self) -> Design:
        corpus, settings = self._corpus(), self._edition_settings()
        axes = self._axes()
        people = tuple(self._people(axes))
        words = {entry.name: tuple(self._words(entry)) for entry in self.entries["words"]}
        lists: dict[str, list[Person]] = {entry.name: [] for entry in self.entries["people"]}
        for person in people:
            lists[person.people_list].append(person)
        provenance = self._provenance(corpus, Provenance())
        templates = [
            build_template(
                entry,
                {name: tuple(members) for name, members in lists.items()},
                words,
                settings.get("capitalise", True),
                self._provenance(entry.values, provenance, entry),
                self.problems,
            )
            for entry in self.entries["templates"]
        ]
        for section in ("people", "templates"):
            if not self.entries[section]:
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
            people=people,
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
        if self.problems:
            subject = f"the corpus in {self.raw.source.path.name} cannot be used"
            raise CorpusError(subject, list(dict.fromkeys(self.problems)))
        return design

    def _corpus(self) -> Mapping[str, Any]:
        corpus = self.raw.single.get("corpus", {})
        at = self.raw.source.at
        self._unknown(corpus, CORPUS_KEYS, partial(at, "[corpus]"))
        for key, example in (("name", "my-corpus"), ("language", "en")):
            if not isinstance(corpus.get(key), str) or not corpus[key].strip():
                what = f'[corpus] needs {key}, for instance {key} = "{example}"'
                self.problems.append(Problem(at("[corpus]"), what))
        return corpus

    def _edition_settings(self) -> Mapping[str, Any]:
        settings = self.raw.single.get("editions", {}).get(self.edition, {})
        if not isinstance(settings, Mapping):
            where = self.raw.source.at("[editions", self.edition)
            self.problems.append(Problem(where, f"write [editions.{self.edition}] as a table"))
            return {}
        at = partial(self.raw.source.at, f"[editions.{self.edition}]")
        self._unknown(settings, ("note", "capitalise"), at)
        if not isinstance(settings.get("capitalise", True), bool):
            what = f"capitalise is {settings['capitalise']!r}; expected true or false"
            self.problems.append(Problem(at("capitalise"), what))
            return {}
        return settings

    def _texts(self, section: str, known: tuple[str, ...] = ()) -> dict[str, str]:
        """A table of texts, such as [agreement] and [speaker]."""
        table, at = self.raw.single.get(section, {}), partial(self.raw.source.at, f"[{section}]")
        if known:
            self._unknown(table, known, at)
        for key, value in table.items():
            if not _text_or_none(value):
                what = f"[{section}] has {key} = {value!r}; expected text"
                self.problems.append(Problem(at(key), what))
        return {key: value for key, value in table.items() if _text_or_none(value)}

    def _axes(self) -> tuple[Axis, ...]:
        declared, at = self.raw.single.get("axes", {}), self.raw.source.at
        if not declared:
            what = 'no [axes]; say what is compared, for instance gender = ["female", "male"]'
            self.problems.append(Problem(at("[corpus]"), what))
        axes = []
        for name, groups in declared.items():
            if name in SENTENCES.columns or (name in PEOPLE_KEYS and name != "gender"):
                what = f"an axis cannot be called {name!r}: that word has another meaning here"
                self.problems.append(Problem(at("[axes]", name), what))
            elif not _is_texts(groups) or len(set(groups)) < 2 or len(set(groups)) != len(groups):
                what = f"axis {name!r} is {groups!r}; expected two or more different group names"
                self.problems.append(Problem(at("[axes]", name), what))
            else:
                axes.append(Axis(name, tuple(groups)))
        return tuple(axes)

    def _people(self, axes: tuple[Axis, ...]) -> Iterator[Person]:
        for entry in self.entries["people"]:
            names = [axis.name for axis in axes]
            self._unknown(entry.values, (*PEOPLE_KEYS, *names), entry.at)
            members = entry.values.get("members")
            if not isinstance(members, list) or not members:
                what = f"the list {entry.name!r} has no members; expected members = [...]"
                self.problems.append(Problem(entry.at(), what))
                continue
            for member in members:
                if person := self._person(member, entry, axes):
                    yield person

    def _person(self, member: object, entry: Entry, axes: tuple[Axis, ...]) -> Person | None:
        own = {SUBJECT: member} if isinstance(member, str) else member
        if not isinstance(own, Mapping) or not own:
            what = f"{member!r} is not a person; expected text or a table of forms"
            self.problems.append(Problem(entry.at("members"), what))
            return None
        settings = {**entry.values, **own}
        names = {axis.name for axis in axes}
        forms = {k: v for k, v in own.items() if k not in {*names, "gender", "match", "note"}}
        bad = [key for key, form in forms.items() if not isinstance(form, str) or not form.strip()]
        first = next((form for form in forms.values() if isinstance(form, str)), entry.name)
        for key in bad:
            what = f"the {key} form of {first!r} is {forms[key]!r}; expected text"
            self.problems.append(Problem(entry.at("members", first), what))
        for key in ("gender", "match"):
            if key in settings and not _text_or_none(settings[key]):
                what = f"the {key} of {first!r} is {settings[key]!r}; expected text"
                self.problems.append(Problem(entry.at(key), what))
        if not forms:
            what = f'{dict(own)!r} has no form; expected one such as subject = "she"'
            self.problems.append(Problem(entry.at("members"), what))
        if bad or not forms:
            return None
        groups = {axis.name: self._group(settings, axis, first, entry) for axis in axes}
        match, gender = (_text_or_none(settings.get(key)) for key in ("match", "gender"))
        return Person(forms, groups, match or "", "match" not in own, gender, entry.name)

    def _group(
        self, settings: Mapping[str, Any], axis: Axis, person: str, entry: Entry
    ) -> str | None:
        group = settings.get(axis.name)
        if group is None or group in axis.groups:
            return group
        near = did_you_mean(str(group), axis.groups) or f"expected {' or '.join(axis.groups)}"
        what = f"{person!r} has {axis.name} {group!r}, which the axis does not list: {near}"
        self.problems.append(Problem(entry.at(str(group)), what))
        return None

    def _words(self, entry: Entry) -> Iterator[Word]:
        known = ("list", "edition", *PROVENANCE)
        emotions = {
            key: v for key, v in entry.values.items() if isinstance(v, list) and key not in known
        }
        texts = [key for key in entry.values if key not in emotions]
        self._unknown(texts, known, entry.at)
        if not any(emotions.values()):
            what = f'the list {entry.name!r} has no words; expected lines like joy = ["glad"]'
            self.problems.append(Problem(entry.at(), what))
        for emotion, words in emotions.items():
            for word in words:
                if built := self._word(word, emotion, entry):
                    yield built

    def _word(self, word: object, emotion: str, entry: Entry) -> Word | None:
        own = {"lemma": word} if isinstance(word, str) else word
        if not isinstance(own, Mapping) or not all(
            isinstance(value, str) and value.strip() for value in own.values()
        ):
            what = f"{word!r} is not a word; expected text or a table of forms, none empty"
            self.problems.append(Problem(entry.at(emotion), what))
            return None
        if "lemma" not in own:
            what = f"the {emotion} word {dict(own)!r} has no lemma, the form it is known by"
            self.problems.append(Problem(entry.at(emotion), what))
            return None
        forms = {key: form for key, form in own.items() if key not in WORD_KEYS}
        return Word(own["lemma"], emotion, forms, own.get("gloss", ""))

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
        if review.split(" ")[0].rstrip(",:;") not in REVIEWS:
            what = f"review is {review!r}; expected it to begin with {', '.join(REVIEWS)}"
            self.problems.append(Problem(at("review"), what))
        return Provenance(
            own.get("source", inherited.source),
            own.get("licence", inherited.licence),
            review,
            own.get("note", ""),
        )

    def _unknown(
        self, found: Iterable[str], known: tuple[str, ...], at: Callable[[str], str]
    ) -> None:
        for key in found:
            if key not in known:
                near = did_you_mean(key, known) or f"expected {', '.join(known)}"
                self.problems.append(Problem(at(key), f"unknown key {key!r}: {near}"))


def _misplaced_entries(raw: Raw) -> Iterator[Problem]:
    """Entries of an edition nobody declared, and names given twice."""
    known = editions(raw)
    for entries in raw.entries.values():
        seen = set()
        for entry in entries:
            if entry.edition is not None and entry.edition not in known:
                what = f"edition {entry.edition!r} is not declared; known are {', '.join(known)}"
                yield Problem(entry.at("edition"), what)
            # Sentence IDs write template 1 as t01, so 1 and 01 are one name.
            name = entry.name.zfill(2) if entry.section == "templates" else entry.name
            if (name, entry.edition) in seen:
                what = f"{entry.section} entry {entry.name!r} stands twice; names must differ"
                yield Problem(entry.at(), what)
            seen.add((name, entry.edition))


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) and v.strip() for v in value)


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
