"""Which files hold stored outputs, and what their names say of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.corpora.files import TABLE_FILES
from tiltmeter.corpora.rating_results.names import Named, named
from tiltmeter.errors import Problem, ScoreFileError
from tiltmeter.files import is_there

SUBJECT = "the stored outputs cannot be rated"
JOINERS = "\u200c\u200d"
"""Letters that show nothing themselves and yet belong in Persian and Hindi names."""
NAMED = 5
"""How many names a note lists before the rest is only counted."""


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One file, and what its name says of the outputs in it."""

    path: Path
    named: Named


def result_files(path: Path) -> tuple[list[ResultFile], list[str]]:
    """The file itself, or every table in the folder and below it, and notes on what is not read."""
    if not is_there(path):
        raise _refused(path, "found no such file or folder; check the path")
    if path.is_dir():
        return _in_folder(path)
    if not path.is_file():
        raise _refused(path, f"found no regular file; expected one of {', '.join(TABLE_FILES)}")
    return _with_names([path], path.parent), []


def shows(name: str) -> bool:
    r"""True for a name without control characters and halves of letters.

    >>> shows("Torrance 🙂"), shows("a\x1b[31m")
    (True, False)
    """
    return all(each.isprintable() or each in JOINERS for each in name)


def listed(names: Sequence[str], most: int = NAMED) -> str:
    """The first names, and how many more there are: `a, b and 3 more`."""
    rest = len(names) - most
    return f"{', '.join(names[:most])} and {rest:,} more" if rest > 0 else ", ".join(names)


def _in_folder(root: Path) -> tuple[list[ResultFile], list[str]]:
    inside = sorted(_within(root))
    tables = [path for path in inside if _is_table(path, root)]
    taken = set(tables)
    others = [repr(str(path.relative_to(root))) for path in inside if path not in taken]
    if not tables:
        found = listed(others) or "nothing"
        raise _refused(root, f"found {found} in the folder; expected {', '.join(TABLE_FILES)}")
    notes = [f"not read, since no table: {listed(others)}"] if others else []
    return _with_names(tables, root), notes


def _within(root: Path) -> Iterator[Path]:
    """Every file below the folder that is not hidden; links to folders are not followed."""
    for folder, below, files in os.walk(root, onerror=_unreadable):
        below[:] = [name for name in below if not name.startswith(".")]
        yield from (Path(folder, name) for name in files if not name.startswith("."))


def _is_table(path: Path, root: Path) -> bool:
    """True for a table that no link takes from outside the folder."""
    table = path.suffix.lower() in TABLE_FILES and path.is_file()
    return table and path.resolve().is_relative_to(root.resolve())


def _unreadable(error: OSError) -> None:
    raise _refused(Path(error.filename), f"{error.strerror}; expected a folder that can be read")


def _with_names(paths: Sequence[Path], root: Path) -> list[ResultFile]:
    if hidden := [path for path in paths if not shows(str(path.relative_to(root)))]:
        what = "the name holds control characters or is no UTF-8; rename the file"
        raise ScoreFileError(SUBJECT, [Problem(repr(str(path)), what) for path in hidden])
    within = [path.relative_to(root).with_suffix("").as_posix() for path in paths]
    found = named(within, root.resolve().name or "unnamed")
    return [ResultFile(path, said) for path, said in zip(paths, found, strict=True)]


def _refused(path: Path, what: str) -> ScoreFileError:
    where = str(path) if shows(str(path)) else repr(str(path))
    return ScoreFileError(SUBJECT, [Problem(where, what)])
