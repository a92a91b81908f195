"""Records read from TOML and JSON files: typed, checked, and every mistake said with its place.

A record is a subclass of `Record`; `read_toml` or `read_json` opens the file within bounds, and
`check_record` turns its values into the record, or says all that is wrong with them:

    class Limits(Record):
        timeout: Annotated[float, Meta(gt=0, description="a number of seconds above 0")] = 30.0

    limits, problems = check_record(file, Limits, ["limits"])

What is sound of a faulty record is kept: a bad value gives way to its default, a bad entry of a
list is left out, so that what comes after can be checked too.

Why msgspec and not pydantic, which collects errors by itself: every corpus is such a file, so every
command pays for the library. After Polars, seven times each in turn on two busy cores, importing
msgspec took 3 to 24 ms (median 7) and declaring eight records 0.1 ms; pydantic's BaseModel took 45
to 258 ms (median 92) and 85 to 120 ms. msgspec is one
wheel of 0.2 MB without dependencies. It stops at the first error and names no line; pydantic names
none either, and its words ("Input should be a valid string") would need translating all the same.
"""

from __future__ import annotations

import json
import re
import types
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Meta
from msgspec.structs import FieldInfo

from tiltmeter.errors import CorpusError, Problem, ProblemsError, did_you_mean
from tiltmeter.files import LARGEST_TEXT, is_folder, parse_json, parse_toml, read_capped

T = TypeVar("T")
KeyPath = tuple[str | int, ...]
"""Where a value stands: ("people", 2, "members") is in the third [[people]]."""

Text = Annotated[str, Meta(pattern=r"^(?=.*\S)[^\x00-\x1f\x7f-\x9f]+\Z", description="text")]
"""A text with something in it and no control characters such as line breaks.

Never beside a list, as in `Text | tuple[str, ...]`: of such a choice msgspec 0.22 frees the pattern
twice, and the process crashes later, often as it ends. A test looks through all records for it.
"""
HIDDEN = {"hidden": True}
"""`Meta(extra=HIDDEN)`: a message never repeats the value, which may be a secret or long."""
KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    list: "a list",
    tuple: "a list",
}
JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],\n]|[^\s{}\[\],:"]+')
ADVICE = "look for an unclosed quote, bracket or table there or just above"


class Record(msgspec.Struct, forbid_unknown_fields=True):
    """A table of a file. Fields have types; `Meta` says what is expected and gives an example.

    `REST` names a field that takes every key that is not a field's; give it `field(name="*")`, or
    a file could use its name as a key. What holds between fields is checked in `__post_init__`,
    which raises `RuleError`.
    """

    REST: ClassVar[str] = ""


class RuleError(ValueError):
    """What does not hold within a record, by key, or by key and the text among its values.

    `RuleError({"k": "expected two or more", ("words", "a"): "'a' stands twice; keep one"})`
    """

    def __init__(self, wrong: Mapping[str, str] | Mapping[tuple[str, str], str]) -> None:
        pairs = [((key, "") if isinstance(key, str) else key, what) for key, what in wrong.items()]
        self.wrong: dict[tuple[str, str], str] = dict(pairs)
        super().__init__("; ".join(f"{key}: {what}" for (key, _), what in self.wrong.items()))


@dataclass(frozen=True)
class TomlLocator:
    """Finds the line of a TOML file that a message should point at.

    The standard TOML reader forgets where a value stood, so this looks for it in the text: first
    the table's header, then the words in order from there. A near line is good enough for a person.
    """

    path: Path
    text: str

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    def at(self, header: str, *words: str, nth: int = 0) -> str:
        r"""The place `file:line` of the last word found after the nth such header.

        >>> TomlLocator(Path("c.toml"), '[corpus]\nname = "c"').at("[corpus]", "name")
        'c.toml:2'
        """
        headers = [n for n, line in enumerate(self._lines) if line.strip().startswith(header)]
        line = headers[nth] if nth < len(headers) else 0
        for word in words:
            line = self._next(word, line)
        return f"{self.path}:{line + 1}" if headers or words else str(self.path)

    def of(self, path: Sequence[str | int], value: object = None) -> str:
        r"""The place of a key, and of a text among its values.

        >>> TomlLocator(Path("c.toml"), "[[b]]\nx = 2\n[[b]]\nx = 3").of(["b", 1, "x"])
        'c.toml:4'
        """
        nth, depth = 0, 0
        header = ""
        if len(path) > 1 and isinstance(path[1], int):
            header, nth, depth = f"[[{path[0]}]]", path[1], 2
        else:
            for deep in range(len(path), 0, -1):
                dotted = "[" + ".".join(map(str, path[:deep]))
                if any(re.match(rf"\s*{re.escape(dotted)}[.\]]", line) for line in self._lines):
                    header, depth = dotted, deep
                    break
        words = [str(key) for key in path[depth:] if isinstance(key, str)]
        if isinstance(value, str) and value:
            words.append(f'"{value}"')
        return self.at(header, *words, nth=nth)

    def _next(self, word: str, start: int) -> int:
        """The next line that holds the word; a word in quotes may stand without them too."""
        for form in dict.fromkeys((word, word.strip('"'))):
            edge = r"\b" if form.isalnum() else ""
            wanted = re.compile(f"{edge}{re.escape(form)}{edge}")
            for number in range(start, len(self._lines)):
                if wanted.search(self._lines[number]):
                    return number
        return start


@dataclass(frozen=True)
class JsonLocator:
    """Finds the line of a JSON file on which a value begins."""

    path: Path
    text: str

    @cached_property
    def _lines(self) -> dict[KeyPath, int]:
        lines, number = dict[KeyPath, int](), 1
        at = list[Any]()  # the key or place in each table and list that is open; None: before a key
        for part in JSON_TOKEN.findall(self.text):
            if part == "\n":
                number += 1
            elif part in "}]":
                at.pop()
            elif part == ",":
                at[-1] = at[-1] + 1 if isinstance(at[-1], int) else None
            elif at and at[-1] is None:
                at[-1] = json.loads(part)
            else:
                lines[tuple(at)] = number
                if part in "{[":
                    at.append(None if part == "{" else 0)
        return lines

    def of(self, path: Sequence[str | int], _value: object = None) -> str:
        r"""The place of a key, with the path to it; of one that lacks, that of its table.

        >>> JsonLocator(Path("c.json"), '{"b": [1,\n {"x": 3}]}').of(["b", 1, "x"])
        'c.json:2: b[1].x'
        """
        there = (tuple(path[:end]) for end in range(len(path), -1, -1))
        line = next((self._lines[one] for one in there if one in self._lines), 1)
        return f"{self.path}:{line}: {dotted(path, places=True)}" if path else f"{self.path}:{line}"


@dataclass(frozen=True)
class RecordFile:
    """A TOML or JSON file as it stands: its tables, and where in it a value is."""

    path: Path
    values: Mapping[str, Any]
    locator: TomlLocator | JsonLocator

    def at(self, path: Sequence[str | int], value: object = None) -> str:
        """The place of a key for a message: `file.toml:12`, or `file.json:3: settings.answer`."""
        return self.locator.of(path, value) if path else str(self.path)


def toml_locator(file: RecordFile) -> TomlLocator:
    """Finds the lines of a TOML file by words; of no other file there is anything to find."""
    return file.locator if isinstance(file.locator, TomlLocator) else TomlLocator(file.path, "")


def read_toml(
    path: Path,
    expected: str,
    *,
    advice: str = "",
    compose: bool = True,
    error: type[ProblemsError] = CorpusError,
) -> RecordFile:
    """The tables of a TOML file, or an error that says why it cannot be read.

    `expected` says what should be in it, `advice` what to do where there is no such file. Texts are
    put into Unicode NFC unless `compose` is false.
    """
    data = read_bytes(path, expected, advice=advice, error=error)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        line = data.count(b"\n", 0, bad.start) + 1
        what = f"byte 0x{data[bad.start]:02x} is not UTF-8; save the file as UTF-8"
        raise error("the file is in another encoding", [Problem(f"{path}:{line}", what)]) from bad
    text = unicodedata.normalize("NFC", text) if compose else text
    try:
        values = parse_toml(text)
    except ValueError as bad:
        what, _, place = str(bad).partition(" (at ")
        line = int(number) if (number := place[5:].partition(",")[0]).isdigit() else 0
        if place.startswith("end of"):
            line = len(text.rstrip().split("\n"))
        where = f"{path}:{line}" if line else str(path)
        raise error("the file is not valid TOML", [Problem(where, f"{what}; {ADVICE}")]) from bad
    return RecordFile(path, _composed(values) if compose else values, TomlLocator(path, text))


def read_json(path: Path, expected: str, *, error: type[ProblemsError] = CorpusError) -> RecordFile:
    """The object in a JSON file, or an error that says why it cannot be read."""
    return json_record(path, read_bytes(path, expected, error=error), expected, error=error)


def json_record(
    path: Path, data: bytes, expected: str, *, error: type[ProblemsError] = CorpusError
) -> RecordFile:
    """The object in a JSON file whose bytes are at hand."""
    try:
        values = parse_json(data)
    except ValueError as bad:
        what = f"{bad}; expected {expected}"
        raise error("the file is not valid JSON", [Problem(str(path), what)]) from bad
    if not isinstance(values, dict):
        what = f"found {type(values).__name__}; expected an object, {expected}"
        raise error("the file is not valid JSON", [Problem(str(path), what)])
    return RecordFile(path, values, JsonLocator(path, data.decode(errors="replace")))


def read_bytes(
    path: Path, expected: str, *, advice: str = "", error: type[ProblemsError] = CorpusError
) -> bytes:
    """What a file that people write holds, or one clear error."""
    try:
        data = read_capped(path, LARGEST_TEXT)
    except OSError as bad:
        reason = "this is a folder" if is_folder(path) else bad.strerror or str(bad)
        what = f"{reason}; {advice or f'expected {expected}'}"
        raise error("the file cannot be read", [Problem(str(path), what)]) from bad
    if not data.strip():
        what = f"found nothing in it; expected {expected}"
        raise error("the file is empty", [Problem(str(path), what)])
    return data


def check_record(
    file: RecordFile,
    kind: type[T],
    path: Sequence[str | int] = (),
    values: object = None,
) -> tuple[T | None, list[Problem]]:
    """The record at a key path of a file, as far as it is sound, and all that is wrong with it.

    None where it cannot be made: a needed key lacks or is wrong. `values` stand in for the file's.
    """
    if values is None:
        values = file.values
        for key in path:
            values = values.get(key) if isinstance(values, Mapping) else values[key]  # type: ignore[index]
    root = None if path else kind
    checker = _Checker(tuple(path), isinstance(file.locator, TomlLocator), root)
    found = checker.value(values, kind)
    problems = [
        Problem(file.at((*path, *inner), value), what) for inner, what, value in checker.faults
    ]
    return (None if found is MISSING else found), list(dict.fromkeys(problems))


def read_record(
    file: RecordFile,
    kind: type[T],
    subject: str,
    *,
    path: Sequence[str | int] = (),
    error: type[ProblemsError] = CorpusError,
) -> T:
    """The record at a key path of a file, or one error with all that is wrong with it."""
    found, problems = check_record(file, kind, path)
    if problems or found is None:
        raise error(subject, problems)
    return found


def dotted(path: Sequence[str | int], *, places: bool = False) -> str:
    """A key path as TOML writes it, with or without the places in lists.

    >>> dotted(["slots", "person", "form"]), dotted(["words", 3]), dotted(["b", 3], places=True)
    ('slots.person.form', 'words', 'b[3]')
    """
    keys = (f".{key}" if isinstance(key, str) else f"[{key}]" if places else "" for key in path)
    return "".join(keys).removeprefix(".")


def unknown_key(key: str, known: Sequence[str], table: str) -> str:
    """What is said of a key of a table that nobody reads, with the nearest one that somebody does.

    >>> unknown_key("forn", ["form", "people"], "[slots.person]")
    "unknown key 'forn' in [slots.person]: did you mean 'form'?"
    """
    near = did_you_mean(key, known) or f"expected {', '.join(known)}"
    return f"unknown key {key!r} in {table}: {near}"


# ---------------------------------------------------------------- going through a faulty record

MISSING: Any = object()
"""In place of a value that could not be read."""


@dataclass(frozen=True, slots=True)
class _Checker:
    """Goes through the values of one record and notes every fault: its path, what, and the value.

    The path is within the record, which stands at `where` in its file.
    """

    where: KeyPath
    toml: bool
    """Whether the file is TOML, in whose terms a message says what to write."""
    root: Any = None
    """What the whole file should be, where it is checked whole."""
    faults: list[tuple[KeyPath, str, object]] = dataclass_field(default_factory=list)

    def wrong(self, path: KeyPath, what: str, value: object = None) -> None:
        self.faults.append((path, what, value))

    def value(self, value: object, kind: Any, path: KeyPath = ()) -> Any:  # noqa: ANN401
        """The value as a kind, as far as it is sound."""
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError:
            pass
        before = len(self.faults)
        for choice in _choices(kind):
            if isinstance(value, Mapping) and _is_record(choice):
                return self.table(value, choice, path)
            origin, inner = get_origin(choice), get_args(choice)
            if isinstance(value, Mapping) and origin is dict:
                made: Any = dict(self.parts(value.items(), inner[1], path))
            elif isinstance(value, list) and origin is tuple and Ellipsis not in inner:
                if len(value) == len(inner):  # a pair and its like: sound as a whole or not at all
                    for nth, (part, its) in enumerate(zip(value, inner, strict=True)):
                        self.value(part, its, (*path, nth))
                    return MISSING
                continue
            elif isinstance(value, list) and origin in (list, tuple):
                made = origin(part for _, part in self.parts(enumerate(value), inner[0], path))
            else:
                continue
            least = max((meta.min_length or 0 for meta in _metas(kind)), default=0)
            if len(self.faults) > before or len(made) >= least:
                return made
        self.not_of_kind(value, kind, path)
        return MISSING

    def parts(
        self, pairs: Iterable[tuple[str | int, object]], kind: object, path: KeyPath
    ) -> list[tuple[str | int, Any]]:
        """The sound parts of a list or table."""
        found = [(key, self.value(part, kind, (*path, key))) for key, part in pairs]
        return [(key, part) for key, part in found if part is not MISSING]

    def table(self, values: Mapping[str, Any], kind: type[Record], path: KeyPath) -> Any:  # noqa: ANN401
        """A record key by key: unknown ones, those that lack, and what is wrong with the others."""
        every = msgspec.structs.fields(kind)
        fields = {field.encode_name: field for field in every if field.name != kind.REST}
        others = {key: value for key, value in values.items() if key not in fields}
        found: dict[str, Any] = {}
        for field in every:
            if field.name == kind.REST:
                found[field.name] = self.value(others, field.type, path)
                others = {}
        for key in others if kind.__struct_config__.forbid_unknown_fields else ():
            self.unknown(key, list(fields.values()), path)
        for key, field in fields.items():
            if key in values:
                found[field.name] = self.value(values[key], field.type, (*path, key))
            elif field.required:
                self.lacking(field, path)
        sound = {name: part for name, part in found.items() if part is not MISSING}
        if any(field.required and field.name not in sound for field in every):
            return MISSING
        try:
            return kind(**sound)
        except RuleError as error:
            for (key, text), what in error.wrong.items():
                self.wrong((*path, key), what, text)
            return MISSING

    def table_name(self, path: KeyPath) -> str:
        """A table as the file writes it: [corpus], or [[people]] for one of several."""
        at = (*self.where, *path)
        if not at or not self.toml:
            return dotted(at, places=True) or "the file"
        return f"[[{at[0]}]]" if len(at) == 2 and isinstance(at[1], int) else f"[{dotted(at)}]"

    def unknown(self, key: str, fields: Sequence[FieldInfo], path: KeyPath) -> None:
        """A key that nobody reads: the section it belongs under, or the nearest that is known."""
        names = [field.encode_name for field in fields]
        sections = msgspec.structs.fields(self.root) if _is_record(self.root) else ()
        homes = [
            _section(section)
            for section in sections
            for choice in _choices(section.type)
            if _is_record(choice) and key in choice.__struct_encode_fields__
        ]
        if homes:
            self.wrong((*path, key), f"the key {key!r} belongs under {' or '.join(homes)}")
        elif self.where or path or not self.toml:
            self.wrong((*path, key), unknown_key(key, names, self.table_name(path)))
        else:
            near = did_you_mean(key, names) or f"expected {', '.join(map(_section, fields))}"
            self.wrong((key,), f"unknown section {key!r}: {near}")

    def lacking(self, field: FieldInfo, path: KeyPath) -> None:
        """A key that is needed and not there, with an example where there is one."""
        key, at = field.encode_name, (*self.where, *path)
        if self.toml and not at and any(map(_is_record, _choices(field.type))):
            self.wrong(path, f"found no table {_section(field)}; expected one")
            return
        examples = [one for meta in _metas(field.type) for one in meta.examples or ()]
        how = f", for instance {key} = {json.dumps(examples[0])}" if examples and self.toml else ""
        expected = how or f"; expected {self.expected(field.type)}"
        self.wrong(path, f"{self.table_name(path)} needs {key}{expected}")

    def expected(self, kind: Any) -> str:  # noqa: ANN401
        """What a value should be, in the words of the file's format."""
        said = _expected(kind)
        return said if self.toml else re.sub(r"\ba table\b", "an object", said)

    def not_of_kind(self, value: object, kind: object, path: KeyPath) -> None:
        """A value that is not of its kind; of a few words, with the nearest."""
        if self.toml and len(path) == 1 and not self.where:  # a whole section
            for choice in _choices(kind):
                if _is_record(choice) or get_origin(choice) is dict:
                    how = f"{path[0]!r} is not a table; write [{path[0]}] above its entries"
                    return self.wrong(path, how)
                if get_origin(choice) in (list, tuple) and _is_record(get_args(choice)[0]):
                    return self.wrong(path, f"write each entry under its own [[{path[0]}]]")
        section = 0 if self.where or len(path) < 2 else 1  # of a whole file, its place says which
        expected, name = f"; expected {self.expected(kind)}", dotted(path[section:]) or dotted(path)
        words = [get_args(choice) for choice in _choices(kind) if get_origin(choice) is Literal]
        if words and isinstance(value, str) and (near := did_you_mean(value, words[0])):
            expected = f": {near}"
        if any((meta.extra or {}).get("hidden") for meta in _metas(kind)):
            return self.wrong(path, f"{name} is not as it should be{expected}")
        if path and isinstance(path[-1], int):
            shown = "an empty text" if value == "" else repr(value)
            return self.wrong(path, f"{shown} in {name!r}{expected}", value)
        found = f"{name} is {value!r}" if name else f"found {value!r}"
        return self.wrong(path, f"{found}{expected}")


def _is_record(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Record)


def _section(field: FieldInfo) -> str:
    """A section as a file writes it: [corpus], or [[people]] for a list of entries."""
    many = any(get_origin(choice) in (list, tuple) for choice in _choices(field.type))
    return f"[[{field.encode_name}]]" if many else f"[{field.encode_name}]"


def _expected(kind: Any) -> str:  # noqa: ANN401
    """What a value should be, as its `Meta` says or by its type."""
    if said := [meta.description for meta in _metas(kind) if meta.description]:
        return said[0]
    names = []
    for choice in _choices(kind, plain=False):
        if get_origin(choice) is Annotated:
            names.append(_expected(choice))
        elif get_origin(choice) is Literal:
            names += [repr(one) for one in get_args(choice)]
        else:
            names.append(KINDS.get(get_origin(choice) or choice, "a table"))
    return " or ".join(dict.fromkeys(names))


def _metas(kind: Any) -> list[Meta]:  # noqa: ANN401
    """What an annotation says besides the type."""
    return [one for one in getattr(kind, "__metadata__", ()) if isinstance(one, Meta)]


def _choices(kind: Any, *, plain: bool = True) -> list[Any]:  # noqa: ANN401
    """The types that a value may have besides None; plain ones without what is said of them."""
    bare = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    if get_origin(bare) not in (Union, types.UnionType):
        return [bare]
    inner = [one for one in get_args(bare) if one is not type(None)]
    if not plain:
        return inner
    return [get_args(one)[0] if get_origin(one) is Annotated else one for one in inner]


def _composed(value: Any) -> Any:  # noqa: ANN401
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
