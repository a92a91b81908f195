"""Reading a corpus file: its text, the file it extends, and the entries of one edition.

A corpus file has single tables (`[corpus]`, `[axes]`, `[agreement]`, `[speaker]`, `[editions]`,
`[rating]`, `[population]`) and lists of entries (`[[people]]`, `[[words]]`, `[[templates]]`).
Entries are known by `list` or `id`. An entry marked `edition = "published"` stands in for the
unmarked one of the same name in that edition. A file that `extends` another adds to it, entry by
entry; `omit` leaves out some entries and axes. A population with a table of its own replaces the
whole population of the other file.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from msgspec import Meta, field

from tiltmeter.corpora.design import Provenance
from tiltmeter.errors import CorpusError, Problem, did_you_mean
from tiltmeter.files import is_file
from tiltmeter.records import (
    Record,
    RecordFile,
    Text,
    TomlLocator,
    check_record,
    read_toml,
    toml_locator,
)

POPULATION = "population"
SINGLE = ("corpus", "axes", "agreement", "speaker", "editions", "rating", POPULATION)
PROVENANCE = ("source", "licence", "review", "note")
DEFAULT_EDITION = "corrected"
REVIEWS = ("unreviewed", "reviewed", "published")
Review = Annotated[
    str,
    Meta(
        pattern=rf"^({'|'.join(REVIEWS)})[,:;]*( |\Z)",
        description=f"it to begin with {', '.join(REVIEWS)}",
    ),
]
LanguageCode = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*\Z", description="a code, as in en, es or ar"),
]
PEOPLE = Path(__file__).parent / "data" / "people"
"""Where our own tables of people lie."""
ENTRIES = {"people": "list", "words": "list", "templates": "id"}
"""The lists of entries, and the key that names an entry in each."""


T = TypeVar("T")
Checked = tuple[T | None, list[Problem]]

# -------------------------------- what the sections hold

NonBlank = Annotated[str, Meta(pattern=r"\S", description="text")]
WordSet = Annotated[tuple[Text, ...], Meta(min_length=1, description="a list of words")]
WordSets = Annotated[dict[str, WordSet], Meta(description='a table of words, as in e1 = ["grim"]')]
"""Lemmas by the name of their set."""


class ProvenanceKeys(Record, kw_only=True):
    """Where a list or template comes from; what is not said is that of the corpus."""

    source: str | None = None
    licence: str | None = None
    review: Review | None = None
    note: str | None = None

    def provenance(self, inherited: Provenance) -> Provenance:
        """As said here, else as inherited; a note is nobody else's."""
        return Provenance(
            inherited.source if self.source is None else self.source,
            inherited.licence if self.licence is None else self.licence,
            inherited.review if self.review is None else self.review,
            self.note or "",
        )


class CorpusSection(ProvenanceKeys, kw_only=True):
    """`[corpus]`."""

    name: Annotated[Text, Meta(examples=["my-corpus"])]
    language: Annotated[LanguageCode, Meta(examples=["en"])]
    title: str | None = None
    extends: str | None = None
    omit: tuple[str, ...] = ()


class SpokenGroup(Record, kw_only=True):
    """A group of `[axes]` with how findings should speak of it."""

    group: Text
    phrase: Text | None = None


AxisGroups = Annotated[
    tuple[Text | SpokenGroup, ...],
    Meta(min_length=2, description="two or more different group names"),
]


class EditionSection(Record, kw_only=True):
    """`[editions.NAME]`."""

    note: str = ""
    capitalise: bool = True
    sets: WordSets | None = None
    """Sets of words for rating that stand in for the file's own."""


class SpeakerSection(Record, kw_only=True):
    """`[speaker]`: the form that words agreeing with the speaker take."""

    form: Text | None = None
    note: Text | None = None


class PeopleEntry(ProvenanceKeys, kw_only=True):
    """`[[people]]`: what its members share, and they themselves."""

    REST = "groups"
    list: str | int
    members: Annotated[
        tuple[Any, ...], Meta(min_length=1, description="people, as in members = [...]")
    ]
    edition: str | None = None
    gender: Text | None = None
    match: Text | None = None
    family: Text | None = None
    agreement: Text | None = None
    groups: dict[str, Any] = field(name="*", default_factory=dict)
    """By axis."""


class WordsEntry(ProvenanceKeys, kw_only=True):
    """`[[words]]`: lists of words by emotion."""

    REST = "emotions"
    list: str | int
    edition: str | None = None
    emotions: dict[str, Any] = field(name="*", default_factory=dict)


class TemplateEntry(ProvenanceKeys, kw_only=True):
    """`[[templates]]`: a sentence with slots, and what is said of some of them."""

    id: str | int
    text: Annotated[NonBlank, Meta(examples=["{person} feels {state}."])]
    edition: str | None = None
    slots: Annotated[
        dict[str, dict[str, Any]],
        Meta(description='lines like slots.person.form = "object", a table for each slot'),
    ] = field(default_factory=dict)
    focus: str | None = None
    capitalise: bool | None = None


class PersonSlotKeys(Record, kw_only=True):
    """`slots.NAME` of a place for a person."""

    people: Annotated[tuple[str, ...] | str, Meta(description="lists of people")] | None = None
    form: NonBlank | None = None
    otherwise: NonBlank | None = None
    repeats: NonBlank | None = None


class WordSlotKeys(Record, kw_only=True):
    """`slots.NAME` of a place for an emotion word."""

    words: NonBlank | None = None
    agrees: NonBlank | None = None
    form: NonBlank | None = None
    noun: NonBlank | None = None
    grammar: NonBlank | None = None


class PersonSlots(Record, kw_only=True):
    """Slots that hold people."""

    slots: dict[str, PersonSlotKeys]


class WordSlots(Record, kw_only=True):
    """Slots that hold words."""

    slots: dict[str, WordSlotKeys]


# -------------------------------- the file, and what it extends


@dataclass(frozen=True, slots=True)
class CorpusEntry:
    """One list of people or words, or one template, and where it stands."""

    name: str
    edition: str | None
    values: Mapping[str, Any]
    file: RecordFile
    section: str
    nth: int

    def at(self, *words: str) -> str:
        """The place of some words within this entry."""
        header = f"[{self.section}]" if self.section in SINGLE else f"[[{self.section}]]"
        return toml_locator(self.file).at(header, *words, nth=self.nth)

    def check(self, kind: type[T], values: Mapping[str, Any] | None = None) -> Checked[T]:
        """The entry, or some values of it, as a record, and what is wrong with it."""
        path = (self.section,) if self.section in SINGLE else (self.section, self.nth)
        return check_record(self.file, kind, path, self.values if values is None else values)


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A corpus file as written, together with what it extends; not yet checked."""

    file: RecordFile
    single: Mapping[str, Mapping[str, Any]]
    entries: Mapping[str, tuple[CorpusEntry, ...]]
    problems: tuple[Problem, ...] = ()
    """What is wrong with the sections, to be told together with what is wrong in them."""

    @property
    def locator(self) -> TomlLocator:
        """Finds the lines of the file itself, not of what it extends."""
        return toml_locator(self.file)

    def check(self, kind: Any, *path: str) -> Checked[Any]:  # noqa: ANN401 - a record or a dict
        """A section as a record, and what is wrong with it; an empty one where it is not there."""
        values: Any = self.single
        for key in path:
            values = values.get(key, {}) if isinstance(values, Mapping) else {}
        return check_record(self.file, kind, path, values)

    def edition(self, edition: str) -> dict[str, list[CorpusEntry]]:
        """The entries that make up one edition, in the order their names first appear."""
        chosen: dict[str, dict[str, CorpusEntry]] = {section: {} for section in self.entries}
        for section, entries in self.entries.items():
            for entry in entries:
                fits = entry.edition in (None, edition)
                if fits and (entry.name not in chosen[section] or entry.edition == edition):
                    chosen[section][entry.name] = entry
        return {section: list(named.values()) for section, named in chosen.items()}


def read_raw(path: Path, find_base: Callable[[str], Path]) -> CorpusFile:
    """Read a corpus file and what it extends, or say why it cannot be read."""
    return _read(path, find_base, ())


def _read(path: Path, find_base: Callable[[str], Path], chain: tuple[Path, ...]) -> CorpusFile:
    if os.path.realpath(path) in map(os.path.realpath, chain):
        loop = " extends ".join(str(link) for link in (*chain, path))
        raise CorpusError("the corpus extends itself", [Problem(str(path), loop)])
    advice = "check the path, or see `tiltmeter corpus list` for those known by name"
    expected = "a corpus: `tiltmeter corpus new` writes one to start"
    file = read_toml(path, expected, advice=advice)
    corpus = file.values.get("corpus")
    base_name = corpus.get("extends") if isinstance(corpus, Mapping) else None
    raw = CorpusFile(file, _single(file), *_entries(file))
    if not base_name:
        if isinstance(corpus, Mapping) and "omit" in corpus:
            what = "'omit' leaves out what 'extends' brings, and nothing is extended"
            raise _unreadable(file.at(["omit"]), what)
        return raw
    if not isinstance(base_name, str):
        what = f"'extends' is {base_name!r}; expected the name of a corpus or a file"
        raise _unreadable(file.at(["extends"]), what)
    beside = path.parent / base_name
    base_path = beside if beside.suffix.lower() == ".toml" else find_base(base_name)
    if not is_file(base_path):
        what = f"extends {base_name!r}, and there is no file {base_path}"
        raise _unreadable(file.at(["corpus", "extends"]), what)
    # The base with this file's tables and entries laid over it
    base = _read(base_path, find_base, (*chain, path))
    omitted = _omitted(base, raw)
    inherited = {
        **base.single,
        "axes": {
            name: groups
            for name, groups in base.single.get("axes", {}).items()
            if name not in omitted
        },
    }
    single = {
        name: {**inherited.get(name, {}), **raw.single.get(name, {})}
        for name in {*inherited, *raw.single}
    }
    if "people" in raw.single.get(POPULATION, {}):
        single[POPULATION] = {**raw.single[POPULATION]}  # another table has other columns
    for spent in ("extends", "omit"):
        single["corpus"].pop(spent, None)
    entries = {}
    for section in ENTRIES:
        kept = [entry for entry in base.entries[section] if entry.name not in omitted]
        entries[section] = _override_entries(kept, raw.entries[section])
    return CorpusFile(raw.file, single, entries, (*base.problems, *raw.problems))


def _unreadable(where: str, what: str) -> CorpusError:
    return CorpusError("the corpus cannot be read", [Problem(where, what)])


def _single(file: RecordFile) -> dict[str, Mapping[str, Any]]:
    """The single tables; a table of people lies beside the file, one without an ending is ours."""
    single = {n: file.values[n] for n in SINGLE if isinstance(file.values.get(n), Mapping)}
    people = single.get(POPULATION, {}).get("people")
    if isinstance(people, str) and people.strip():
        ours = PEOPLE / f"{people}.parquet"
        path = file.path.parent / people if Path(people).suffix else ours
        single[POPULATION] = {**single[POPULATION], "people": str(path)}
    return single


def _entries(
    file: RecordFile,
) -> tuple[dict[str, tuple[CorpusEntry, ...]], tuple[Problem, ...]]:
    own = file.values
    known = ", ".join([f"[{name}]" for name in SINGLE] + [f"[[{name}]]" for name in ENTRIES])
    problems = [
        Problem(file.at([name]), f"unknown section {name!r}; expected {known}")
        for name in own
        if name not in (*SINGLE, *ENTRIES)
    ]
    problems += [
        Problem(file.at([name]), f"{name!r} is not a table; write [{name}] above its entries")
        for name in SINGLE
        if name in own and not isinstance(own[name], Mapping)
    ]
    found: dict[str, tuple[CorpusEntry, ...]] = {}
    for section, key in ENTRIES.items():
        values = own.get(section, [])
        if not isinstance(values, list) or not all(isinstance(v, Mapping) for v in values):
            what = f"write each entry under its own [[{section}]]"
            problems.append(Problem(file.at([section]), what))
            found[section] = ()
            continue
        named: list[CorpusEntry] = []
        for nth, own_values in enumerate(values):
            name, edition = own_values.get(key, ""), own_values.get("edition", "-")
            entry = CorpusEntry(
                str(name), own_values.get("edition"), own_values, file, section, nth
            )
            wrong = []
            if name == "":
                wrong.append(Problem(entry.at(), f"this entry has no {key!r}; give it a name"))
            elif not isinstance(name, str | int):
                wrong.append(Problem(entry.at(key), f"{key!r} is {name!r}; expected a name"))
            if not isinstance(edition, str):
                what = f"'edition' is {edition!r}; expected a name"
                wrong.append(Problem(entry.at("edition"), what))
            problems += wrong
            named += [] if wrong else [entry]
        found[section] = tuple(named)
    return found, tuple(problems)


def _override_entries(
    base: list[CorpusEntry], own: tuple[CorpusEntry, ...]
) -> tuple[CorpusEntry, ...]:
    """The base's entries with our own in place of those they replace, and the rest after them.

    An unmarked entry replaces every edition of its name; a marked one only its own edition.
    """
    mine = {(entry.name, entry.edition): entry for entry in own}
    placed: dict[int, CorpusEntry] = {}
    for entry in base:
        replacement = mine.get((entry.name, entry.edition)) or mine.get((entry.name, None), entry)
        placed.setdefault(id(replacement), replacement)
    return (*placed.values(), *(entry for entry in own if id(entry) not in placed))


def _omitted(base: CorpusFile, own: CorpusFile) -> list[str]:
    omit = own.single["corpus"].get("omit", [])
    if not isinstance(omit, list) or not all(isinstance(name, str) for name in omit):
        what = f"'omit' is {omit!r}; expected a list of names"
        where = own.file.at(["corpus", "omit"])
        raise _unreadable(where, what)
    known = [entry.name for entries in base.entries.values() for entry in entries]
    known += base.single.get("axes", {})
    if strange := [name for name in omit if name not in known]:
        near = did_you_mean(strange[0], known) or f"known are {', '.join(dict.fromkeys(known))}"
        problem = Problem(own.file.at(["corpus"], strange[0]), f"omit {strange[0]!r}: {near}")
        raise CorpusError("the corpus omits what its base does not have", [problem])
    return omit


def is_text(value: object) -> bool:
    """True for a text with something in it and no control characters such as line breaks."""
    if not isinstance(value, str) or not value.strip():
        return False
    return not any(unicodedata.category(letter) == "Cc" for letter in value)
