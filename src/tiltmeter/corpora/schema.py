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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from tiltmeter.errors import CorpusError, Problem, did_you_mean
from tiltmeter.files import LARGEST_TEXT, is_file, plain_bytes, toml_of
from tiltmeter.records import TomlLocator

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


@dataclass(frozen=True, slots=True)
class Entry:
    """One list of people or words, or one template, and where it stands."""

    name: str
    edition: str | None
    values: Mapping[str, Any]
    source: TomlLocator
    section: str
    nth: int

    def at(self, *words: str) -> str:
        """The place of some words within this entry."""
        header = f"[{self.section}]" if self.section in SINGLE else f"[[{self.section}]]"
        return self.source.at(header, *words, nth=self.nth)


@dataclass(frozen=True, slots=True)
class Raw:
    """A corpus file as written, together with what it extends; not yet checked."""

    source: TomlLocator
    single: Mapping[str, Mapping[str, Any]]
    entries: Mapping[str, tuple[Entry, ...]]
    problems: tuple[Problem, ...] = ()
    """What is wrong with the sections, to be told together with what is wrong in them."""

    def edition(self, edition: str) -> dict[str, list[Entry]]:
        """The entries that make up one edition, in the order their names first appear."""
        return {section: _choose(entries, edition) for section, entries in self.entries.items()}


def read_raw(path: Path, find_base: Callable[[str], Path]) -> Raw:
    """Read a corpus file and what it extends, or say why it cannot be read."""
    return _read(path, find_base, ())


def _read(path: Path, find_base: Callable[[str], Path], chain: tuple[Path, ...]) -> Raw:
    if os.path.realpath(path) in map(os.path.realpath, chain):
        loop = " extends ".join(str(link) for link in (*chain, path))
        raise CorpusError("the corpus extends itself", [Problem(str(path), loop)])
    source = TomlLocator(path, read_text(path))
    own = _parse(source)
    corpus = own.get("corpus")
    base_name = corpus.get("extends") if isinstance(corpus, Mapping) else None
    raw = Raw(source, _single(own, source), *_entries(own, source))
    if not base_name:
        if isinstance(corpus, Mapping) and "omit" in corpus:
            what = "'omit' leaves out what 'extends' brings, and nothing is extended"
            raise CorpusError("the corpus cannot be read", [Problem(source.at("", "omit"), what)])
        return raw
    if not isinstance(base_name, str):
        what = f"'extends' is {base_name!r}; expected the name of a corpus or a file"
        raise CorpusError("the corpus cannot be read", [Problem(source.at("", "extends"), what)])
    beside = path.parent / base_name
    base_path = beside if beside.suffix.lower() == ".toml" else find_base(base_name)
    if not is_file(base_path):
        what = f"extends {base_name!r}, and there is no file {base_path}"
        where = source.at("[corpus]", "extends")
        raise CorpusError("the corpus cannot be read", [Problem(where, what)])
    return _overlay(_read(base_path, find_base, (*chain, path)), raw)


def read_text(path: Path) -> str:
    """The text of a UTF-8 file in Unicode NFC, or an error that names the bad byte's line."""
    try:
        data = plain_bytes(path, LARGEST_TEXT)
    except OSError as error:
        reason = error.strerror or str(error)
        what = f"{reason}; check the path, or see `tiltmeter corpus list` for those known by name"
        raise CorpusError("the file cannot be read", [Problem(str(path), what)]) from error
    if not data.strip():
        what = "found nothing in it; expected a corpus: `tiltmeter corpus new` writes one to start"
        raise CorpusError("the file is empty", [Problem(str(path), what)])
    try:
        return unicodedata.normalize("NFC", data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        problem = Problem(f"{path}:{line}", what)
        raise CorpusError("the file is in another encoding", [problem]) from error


def _parse(source: TomlLocator) -> dict[str, Any]:
    try:
        return {key: _composed(value) for key, value in toml_of(source.text).items()}
    except ValueError as error:
        raise CorpusError("the file is not valid TOML", [_bad_toml(source, error)]) from error


def _bad_toml(source: TomlLocator, error: Exception) -> Problem:
    """A mistake in the TOML itself, at its line, in words that say what to look for."""
    what, _, place = str(error).partition(" (at line ")
    line = place.partition(",")[0]
    where = f"{source.path}:{line}" if line.isdigit() else str(source.path)
    advice = "look for an unclosed quote, bracket or table there or just above"
    return Problem(where, f"{what}; {advice}")


def _composed(value: object) -> object:
    """The value with its texts in NFC, which an escaped accent would undo."""
    match value:
        case str():
            return unicodedata.normalize("NFC", value)
        case list():
            return [_composed(part) for part in value]
        case dict():
            return {_composed(key): _composed(part) for key, part in value.items()}
        case _:
            return value


def _single(own: Mapping[str, Any], source: TomlLocator) -> dict[str, Mapping[str, Any]]:
    single = {name: own[name] for name in SINGLE if isinstance(own.get(name), Mapping)}
    people = single.get(POPULATION, {}).get("people")
    if isinstance(people, str) and people.strip():
        single[POPULATION] = {**single[POPULATION], "people": str(_people_file(people, source))}
    return single


def _people_file(people: str, source: TomlLocator) -> Path:
    """A table of people beside the corpus file; a name without an ending is a table of ours."""
    return source.path.parent / people if Path(people).suffix else PEOPLE / f"{people}.parquet"


def _entries(
    own: Mapping[str, Any], source: TomlLocator
) -> tuple[dict[str, tuple[Entry, ...]], tuple[Problem, ...]]:
    problems = [
        Problem(source.at("", name), f"unknown section {name!r}; expected {_sections()}")
        for name in own
        if name not in (*SINGLE, *ENTRIES)
    ]
    problems += [
        Problem(source.at("", name), f"{name!r} is not a table; write [{name}] above its entries")
        for name in SINGLE
        if name in own and not isinstance(own[name], Mapping)
    ]
    found: dict[str, tuple[Entry, ...]] = {}
    for section, key in ENTRIES.items():
        values = own.get(section, [])
        if not isinstance(values, list) or not all(isinstance(v, Mapping) for v in values):
            what = f"write each entry under its own [[{section}]]"
            problems.append(Problem(source.at(f"[{section}"), what))
            found[section] = ()
            continue
        entries = [
            Entry(str(v.get(key, "")), v.get("edition"), v, source, section, nth)
            for nth, v in enumerate(values)
        ]
        misnamed = {entry.nth: list(_misnamed(entry, key)) for entry in entries}
        problems += [problem for found_here in misnamed.values() for problem in found_here]
        found[section] = tuple(entry for entry in entries if not misnamed[entry.nth])
    return found, tuple(problems)


def _misnamed(entry: Entry, key: str) -> Iterator[Problem]:
    name, edition = entry.values.get(key, ""), entry.values.get("edition", "-")
    if name == "":
        yield Problem(entry.at(), f"this entry has no {key!r}; give it a name")
    elif not isinstance(name, str | int):
        yield Problem(entry.at(key), f"{key!r} is {name!r}; expected a name")
    if not isinstance(edition, str):
        yield Problem(entry.at("edition"), f"'edition' is {edition!r}; expected a name")


def _sections() -> str:
    return ", ".join([f"[{name}]" for name in SINGLE] + [f"[[{name}]]" for name in ENTRIES])


def _overlay(base: Raw, own: Raw) -> Raw:
    """The base with this file's tables and entries laid over it."""
    omitted = _omitted(base, own)
    inherited = {**base.single, "axes": _without(base.single.get("axes", {}), omitted)}
    single = {
        name: {**inherited.get(name, {}), **own.single.get(name, {})}
        for name in {*inherited, *own.single}
    }
    if "people" in own.single.get(POPULATION, {}):
        single[POPULATION] = {**own.single[POPULATION]}  # another table has other columns
    for spent in ("extends", "omit"):
        single["corpus"].pop(spent, None)
    entries = {}
    for section in ENTRIES:
        kept = [entry for entry in base.entries[section] if entry.name not in omitted]
        entries[section] = _laid_over(kept, own.entries[section])
    return Raw(own.source, single, entries, (*base.problems, *own.problems))


def _without(axes: Mapping[str, Any], omitted: list[str]) -> dict[str, Any]:
    return {name: groups for name, groups in axes.items() if name not in omitted}


def _laid_over(base: list[Entry], own: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The base's entries with our own in place of those they replace, and the rest after them.

    An unmarked entry replaces every edition of its name; a marked one only its own edition.
    """
    mine = {(entry.name, entry.edition): entry for entry in own}
    placed: dict[int, Entry] = {}
    for entry in base:
        replacement = mine.get((entry.name, entry.edition)) or mine.get((entry.name, None), entry)
        placed.setdefault(id(replacement), replacement)
    return (*placed.values(), *(entry for entry in own if id(entry) not in placed))


def _omitted(base: Raw, own: Raw) -> list[str]:
    omit = own.single["corpus"].get("omit", [])
    if not isinstance(omit, list) or not all(isinstance(name, str) for name in omit):
        what = f"'omit' is {omit!r}; expected a list of names"
        where = own.source.at("[corpus]", "omit")
        raise CorpusError("the corpus cannot be read", [Problem(where, what)])
    known = [entry.name for entries in base.entries.values() for entry in entries]
    known += base.single.get("axes", {})
    if strange := [name for name in omit if name not in known]:
        near = did_you_mean(strange[0], known) or f"known are {', '.join(dict.fromkeys(known))}"
        problem = Problem(own.source.at("[corpus]", strange[0]), f"omit {strange[0]!r}: {near}")
        raise CorpusError("the corpus omits what its base does not have", [problem])
    return omit


def _choose(entries: tuple[Entry, ...], edition: str) -> list[Entry]:
    chosen: dict[str, Entry] = {}
    for entry in entries:
        if entry.edition not in (None, edition):
            continue
        if entry.name not in chosen or entry.edition == edition:
            chosen[entry.name] = entry
    return list(chosen.values())


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
