"""What can go wrong, drawn as a tree; each leaf knows its exit code.

    TiltmeterError                       exit 2
    ├── ArgumentError                    an argument that cannot be used; knows its option
    ├── UnknownNameError                 a name no registry holds ("did you mean …?")
    ├── NamedByFileError                 what only the user may name, and a file does
    ├── TableError                       a table that breaks its schema, with the rows
    ├── CorpusError                      a corpus that cannot be used, with every problem
    ├── ScoreFileError                   scores made elsewhere that cannot be used
    │   └── OtherSentencesError          … because no row is of the corpus
    ├── SystemFailure                    a system that answers what no system may
    │   └── UnreachableError             a service that does not answer          exit 4
    ├── OutputError                      a place we cannot write to
    ├── StoreError                       a store that cannot be used             exit 4
    ├── IncompleteError                  too much missing to go on               exit 4
    │   └── TooFewScoresError            … of one system
    └── MissingExtraError                a part that is not installed, with the pip line

A message says what was found, what was expected, where, and what to do next.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

SHOWN = 20
"""How many problems a message lists before it only counts the rest."""
PROBLEMS_NAMED = 5
"""How many problems of one kind are named before the rest is only counted."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong, and where: `eec.toml:12: unknown slot {persn}; expected {person}`."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


def cap_problems(problems: Iterable[Problem], rest: str, total: int | None = None) -> list[Problem]:
    """The first problems of a kind and a count of the `rest`, so that other kinds stay in sight.

    There are as many as are given, or `total` of which these are the first.
    """
    found = iter(problems)
    named = list(islice(found, PROBLEMS_NAMED))
    left = (len(named) + sum(1 for _ in found) if total is None else total) - len(named)
    return [*named, Problem("", f"… and {left:,} more {rest}")] if left else named


def argument(name: str, option: str = "") -> str:
    """An argument within an error's text: Python reads it so, the command line as its option.

    >>> error = TiltmeterError(f"draw a larger {argument('sample')}, or {argument('force=True')}")
    >>> str(error), error.for_command_line
    ('draw a larger sample, or force=True', 'draw a larger --sample, or --force')
    """
    shell = option or "--" + name.partition("=")[0].replace("_", "-")
    return f"\ue000{name}\ue001{shell}\ue002"


_ARGUMENT = re.compile("\ue000([^\ue001]*)\ue001([^\ue002]*)\ue002")


class TiltmeterError(Exception):
    """The root: anything Tiltmeter raises on purpose."""

    exit_code = 2
    for_command_line: str
    """The text with options in place of arguments."""

    def __init__(self, text: str = "") -> None:
        self.for_command_line = _ARGUMENT.sub(r"\2", text)
        super().__init__(_ARGUMENT.sub(r"\1", text))

    def name_place(self, where: object) -> None:
        """Say first where it was found."""
        self.for_command_line = f"{where}: {self.for_command_line}"
        self.args = (f"{where}: {self}",)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the finished message, so that an error crosses from a worker process whole."""
        return _rebuilt, (type(self), self.args, self.__dict__)


def _rebuilt(kind: type[TiltmeterError], args: tuple[Any, ...], state: Any) -> TiltmeterError:  # noqa: ANN401
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class ArgumentError(TiltmeterError):
    """An argument that cannot be used: Python reads its name, the command line its option.

    >>> error = ArgumentError("max_missing", "is a share from 0 to 1; found 2")
    >>> str(error), error.for_command_line
    ('max_missing is a share from 0 to 1; found 2', '--max-missing is a share from 0 to 1; found 2')
    """

    def __init__(self, name: str, what: str, option: str = "") -> None:
        self.argument = name
        super().__init__(f"{argument(name, option)} {what}")


class UnknownNameError(TiltmeterError):
    """A name nobody registered; offers the nearest ones.

    >>> str(UnknownNameError("corpus", "ecc", ["eec", "eec-es"]))
    "there is no corpus called 'ecc': did you mean 'eec'?"
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        ordered = sorted(known)
        near = did_you_mean(name, ordered)
        listing = f"known are: {', '.join(ordered)}" if ordered else "none is registered"
        super().__init__(f"there is no {kind} called {name!r}: {near or listing}{hint}")


class NamedByFileError(TiltmeterError):
    """A path, a program, a service or a user's code that a file names, and the user did not.

    >>> str(NamedByFileError("out", "system", "cmd:true", "it is none", "name it yourself"))
    "out names the system 'cmd:true', and a folder may not say what is run or called: it is none; \
name it yourself"
    """

    def __init__(self, where: object, kind: str, name: str, why: str, instead: str) -> None:
        what = f"{where} names the {kind} {name!r}, and a folder may not say what is run or called"
        super().__init__(f"{what}: {why}; {instead}")


class ProblemsError(TiltmeterError):
    """Several problems reported at once."""

    def __init__(self, subject: str, problems: Sequence[Problem]) -> None:
        self.subject, self.problems = subject, tuple(problems)
        lines = [f"  {problem}" for problem in self.problems[:SHOWN]]
        rest = len(self.problems) - SHOWN
        if rest > 0:
            lines.append(f"  … and {rest:,} more")
        super().__init__("\n".join([f"{subject}:", *lines]))


class TableError(ProblemsError):
    """A table that does not keep to its schema."""


class CorpusError(ProblemsError):
    """A corpus that cannot be read or does not hold together."""


class ScoreFileError(ProblemsError):
    """Scores made elsewhere that cannot be read or joined."""


class OtherSentencesError(ScoreFileError):
    """Scores made elsewhere, none of which is of a sentence of the corpus."""


class SystemFailure(TiltmeterError):  # noqa: N818 - SystemError is Python's own
    """A system that cannot be opened, or answers what no system may."""

    def __init__(self, name: str, what: str, text: str = "") -> None:
        self.name, self.what = name, f"{what}{f' (first at the text {text})' if text else ''}"
        super().__init__(f"the system {name!r} {self.what}")


class UnreachableError(SystemFailure):
    """A service that gives no answer, or gives none any more."""

    exit_code = 4

    def __init__(self, name: str, why: str) -> None:
        super().__init__(name, f"cannot be reached: {why}")


class StoreError(TiltmeterError):
    """A store that cannot be read or written."""

    exit_code = 4


class IncompleteError(TiltmeterError):
    """Too many scores are missing to go on; what was gathered is kept."""

    exit_code = 4


class TooFewScoresError(IncompleteError):
    """One system gave too few scores to go on with it."""

    def __init__(self, name: str, what: str) -> None:
        self.name, self.what = name, what
        super().__init__(f"{name} {what}")


class OutputError(TiltmeterError):
    """A file or folder that cannot be written."""


class MissingExtraError(TiltmeterError):
    """A part of Tiltmeter that is not installed here."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} is not installed here: pip install 'tiltmeter[{extra}]'")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Offer the nearest known words as a question, or nothing when none is near."""
    near = difflib.get_close_matches(word, list(known), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(repr(name) for name in near)}?" if near else ""
