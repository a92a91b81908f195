"""Reading a TOML file of words: its tables, and the line of whatever is wrong in them.

Each file has one table that says what it is (`[list]`, `[lexicon]`, `[direction]` …) and, most of
them, a list of entries (`[[terms]]`, `[[tests]]` …). Mistakes are gathered, so that a user sees
them all at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiltmeter.corpora.words.part import Part
from tiltmeter.errors import CorpusError, Problem, UnknownNameError, did_you_mean
from tiltmeter.files import LARGEST_TEXT, plain_bytes, toml_of
from tiltmeter.records import TomlLocator

SUBJECT = "the word list cannot be used"
FOLDER = "folder"
DATA = Path(__file__).parents[1] / "data" / "words"


@dataclass(frozen=True, slots=True)
class WordFile:
    """A file of words taken apart; not yet checked."""

    path: Path
    head: Part
    entries: tuple[Part, ...]
    problems: list[Problem] = field(default_factory=list)

    def check(self) -> None:
        """Raise with every problem noted so far."""
        if self.problems:
            raise CorpusError(SUBJECT, self.problems)


def read_word_file(path: Path, head: str, entries: str = "") -> WordFile:
    """The table `[head]` and the entries `[[entries]]` of a file, or why it cannot be read."""
    source = TomlLocator(path, _text(path, head))
    own = _parsed(source)
    problems: list[Problem] = []
    expected = [f"[{head}]", *([f"[[{entries}]]"] if entries else [])]
    for name in own:
        if name not in (head, entries):
            near = did_you_mean(name, (head, entries)) or f"expected {' and '.join(expected)}"
            problems.append(Problem(source.at("", name), f"unknown section {name!r}: {near}"))
    if not isinstance(own.get(head), Mapping):
        problems.append(Problem(str(path), f"found no table [{head}]; expected one"))
        raise CorpusError(SUBJECT, problems)
    parts = _entries(own.get(entries, []), source, entries, problems) if entries else ()
    return WordFile(path, Part(source, f"[{head}]", own[head], problems), parts, problems)


def file_of(spec: str | Path, kind: str, known: Sequence[str], prefix: str = "") -> Path:
    """The file of a built-in name, or a path as it stands; else the nearest names."""
    name, path = str(spec), Path(spec)
    if name in known:
        return DATA / f"{prefix}{name}.toml"
    if path.suffix.lower() == ".toml" or len(path.parts) > 1 or found_at(path):
        return path
    raise UnknownNameError(kind, name, known, " (or the path of a TOML file)")


def _entries(
    values: object, source: TomlLocator, name: str, problems: list[Problem]
) -> tuple[Part, ...]:
    if not isinstance(values, list) or not all(isinstance(value, Mapping) for value in values):
        what = f"write each entry under its own [[{name}]]"
        problems.append(Problem(source.at(f"[{name}", name), what))
        return ()
    return tuple(Part(source, f"[[{name}]]", v, problems, nth) for nth, v in enumerate(values))


def found_at(path: Path) -> str:
    """`folder`, `file`, or nothing where there is nothing or the path cannot be one."""
    try:
        return FOLDER if path.is_dir() else "file" if path.exists() else ""
    except OSError:
        return ""


def bytes_of(path: Path, expected: str) -> bytes:
    """What a file holds, or one clear error where it cannot be read or holds nothing."""
    try:
        data = plain_bytes(path, LARGEST_TEXT)
    except OSError as error:
        reason = "this is a folder" if found_at(path) == FOLDER else error.strerror or str(error)
        what = f"{reason}; expected {expected}"
        raise CorpusError("the file cannot be read", [Problem(str(path), what)]) from error
    if not data.strip():
        what = f"found nothing in it; expected {expected}"
        raise CorpusError("the file is empty", [Problem(str(path), what)])
    return data


def _text(path: Path, head: str) -> str:
    data = bytes_of(path, f"a TOML file with [{head}]")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        problem = Problem(f"{path}:{line}", what)
        raise CorpusError("the file is in another encoding", [problem]) from error


def _parsed(source: TomlLocator) -> dict[str, Any]:
    try:
        return toml_of(source.text)
    except ValueError as error:
        what, _, place = str(error).partition(" (at ")
        line = place.removeprefix("line ").partition(",")[0]
        if not line.isdigit():  # at end of document
            line = str(len(source.text.rstrip().split("\n")))
        where = f"{source.path}:{line}"
        advice = "look for an unclosed quote, bracket or table there or just above"
        problem = Problem(where, f"{what}; {advice}")
        raise CorpusError("the file is not valid TOML", [problem]) from error
