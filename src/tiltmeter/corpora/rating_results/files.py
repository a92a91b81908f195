"""Which files hold stored outputs, and which system and dataset their names speak of."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tiltmeter.errors import Problem, ScoreFileError
from tiltmeter.files import is_there
from tiltmeter.table_files import TABLE_FILES

SUBJECT = "the stored outputs cannot be rated"
JOINERS = "\u200c\u200d"
"""Letters that show nothing themselves and yet belong in Persian and Hindi names."""
LISTED = 5
"""How many names a note lists before the rest is only counted."""


GAP = r"[\W_]*"
BEGINS, ENDS = r"(?<![^\W_])", r"(?![^\W_])"
"""No letter or digit stands before, or after."""
NUMBER = r"([0-9]{1,2})"
SET = rf"(?:e|set){GAP}{NUMBER}{ENDS}"
BOTH = re.compile(rf"{BEGINS}(?:rating|group|g){GAP}{NUMBER}{GAP}{SET}", re.IGNORECASE)
BARE = re.compile(rf"(?:^|(?<=/)){NUMBER}[\W_]+{SET}", re.IGNORECASE)
"""`1-e1` where a name begins with it: in `gpt-4-e1` the 4 may be the system's."""
GROUP = re.compile(rf"{BEGINS}(?:rating|group){GAP}{NUMBER}{ENDS}", re.IGNORECASE)
SHORT_GROUP = re.compile(rf"{BEGINS}(?:rating|group|g){GAP}{NUMBER}{ENDS}", re.IGNORECASE)
ANY_SET = re.compile(rf"{BEGINS}{SET}", re.IGNORECASE)
OWN_SET = re.compile(rf"(?:rating[\W_]+)?(.+?)[\W_]+e{NUMBER}", re.IGNORECASE)

CUT = "\0"
"""Stands where a dataset's name was cut out of a path."""
BARELY_NAMED = frozenset(
    ("all", "data", "output", "outputs", "predictions", "result", "results", "score", "scores")
)
"""File names that say nothing of a system."""


@dataclass(frozen=True, slots=True)
class NameFacts:
    """What a path says: None where it does not."""

    system: str
    group: str | None = None
    words: str | None = None
    by_folder: bool = False
    """The system is called after a folder."""


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One file, and what its name says of the outputs in it."""

    path: Path
    named: NameFacts


def result_files(path: Path) -> tuple[list[ResultFile], list[str]]:
    """The file itself, or every table in the folder and below it, and notes on what is not read."""
    if not is_there(path):
        raise _refused(path, "found no such file or folder; check the path")
    if path.is_dir():
        root = path
        inside = sorted(_within(root))
        tables = [  # none that a link takes from outside the folder
            path
            for path in inside
            if path.suffix.lower() in TABLE_FILES
            and path.is_file()
            and path.resolve().is_relative_to(root.resolve())
        ]
        taken = set(tables)
        others = [repr(str(path.relative_to(root))) for path in inside if path not in taken]
        if not tables:
            found = listed(others) or "nothing"
            raise _refused(root, f"found {found} in the folder; expected {', '.join(TABLE_FILES)}")
        notes = [f"not read, since no table: {listed(others)}"] if others else []
        return _with_names(tables, root), notes
    if not path.is_file():
        raise _refused(path, f"found no regular file; expected one of {', '.join(TABLE_FILES)}")
    return _with_names([path], path.parent), []


def shows(name: str) -> bool:
    r"""True for a name without control characters and halves of letters.

    >>> shows("Torrance 🙂"), shows("a\x1b[31m")
    (True, False)
    """
    return all(each.isprintable() or each in JOINERS for each in name)


def listed(names: Sequence[str], most: int = LISTED) -> str:
    """The first names, and how many more there are: `a, b and 3 more`."""
    rest = len(names) - most
    return f"{', '.join(names[:most])} and {rest:,} more" if rest > 0 else ", ".join(names)


def _within(root: Path) -> Iterator[Path]:
    """Every file below the folder that is not hidden; links to folders are not followed."""

    def refuse(error: OSError) -> None:
        what = f"{error.strerror}; expected a folder that can be read"
        raise _refused(Path(error.filename), what)

    for folder, below, files in os.walk(root, onerror=refuse):
        below[:] = [name for name in below if not name.startswith(".")]
        yield from (Path(folder, name) for name in files if not name.startswith("."))


def _with_names(paths: Sequence[Path], root: Path) -> list[ResultFile]:
    if hidden := [path for path in paths if not shows(str(path.relative_to(root)))]:
        what = "the name holds control characters or is no UTF-8; rename the file"
        raise ScoreFileError(SUBJECT, [Problem(repr(str(path)), what) for path in hidden])
    within = [path.relative_to(root).with_suffix("").as_posix() for path in paths]
    found = read_names(within, root.resolve().name or "unnamed")
    return [ResultFile(path, said) for path, said in zip(paths, found, strict=True)]


def _refused(path: Path, what: str) -> ScoreFileError:
    where = str(path) if shows(str(path)) else repr(str(path))
    return ScoreFileError(SUBJECT, [Problem(where, what)])


# ---------------------------------------------------------------- what names say


def read_names(paths: Sequence[str], root: str) -> list[NameFacts]:
    """What each path within the folder `root` says, its ending left out.

    A set of words alone (`textblob-e3`) counts where the name is nothing else, or where another
    path differs only in the set: encoders are called E5, too.

    >>> read_names(["textblob/group1_e1", "G3_E4_vader"], "results")[1]
    NameFacts(system='vader', group='3', words='e4', by_folder=False)
    """
    alone = list[tuple[str, str | None]]()  # the path without its file's set of words, and the set
    for path in paths:
        folder, slash, file = path.rpartition("/")
        found_set = ANY_SET.search(file)
        if found_set:
            rest = f"{folder}{slash}{_without(file, found_set)}"
            alone.append((rest, f"e{_plain(found_set[1])}"))
        else:
            alone.append((path, None))
    beside = Counter(rest for rest, words in set(alone) if words)
    within = BOTH.search(root)
    said = []
    for path, (rest, words) in zip(paths, alone, strict=True):
        found = _cut(path)
        if found == (path, None, None) and within:
            found = path, _plain(within[1]), f"e{_plain(within[2])}"
        elif found == (path, None, None) and (beside[rest] > 1 or (rest.rpartition("/")[2] == CUT)):
            found = rest, None, words
        said.append(_name_facts(*found, root))
    return said


def dataset_named(text: str) -> tuple[str, str | None]:
    """The group and the set of words (None: it names none) of a dataset as a cell names it.

    >>> dataset_named("rating-1-e3"), dataset_named("G1E3"), dataset_named("office")
    (('1', 'e3'), ('1', 'e3'), ('office', None))
    """
    found = BOTH.fullmatch(text) or BARE.fullmatch(text)
    if found:
        return _plain(found[1]), f"e{_plain(found[2])}"
    if found := OWN_SET.fullmatch(text):
        return group_named(found[1]), f"e{_plain(found[2])}"
    return group_named(text), None


def group_named(text: str) -> str:
    """The group as a cell names it: "Group 1", "g1", "1.0" and "1" are group 1."""
    found = SHORT_GROUP.fullmatch(text) or re.fullmatch(rf"{NUMBER}(?:\.0)?", text)
    return _plain(found[1]) if found else text


def set_named(text: str) -> str:
    """The set of words as a cell names it: "E1", "set 1" and "1" are e1."""
    found = ANY_SET.fullmatch(text) or re.fullmatch(rf"{NUMBER}(?:\.0)?", text)
    return f"e{_plain(found[1])}" if found else text


def _plain(number: str) -> str:
    return str(int(number))


def _cut(path: str) -> tuple[str, str | None, str | None]:
    """The path without its dataset, and the dataset's group and set of words."""
    if found := BOTH.search(path) or BARE.search(path):
        return _without(path, found), _plain(found[1]), f"e{_plain(found[2])}"
    group, words = SHORT_GROUP.search(path), ANY_SET.search(path)
    if group and words:
        first, second = sorted((group, words), key=re.Match.start, reverse=True)
        rest = _without(_without(path, first), second)
        return rest, _plain(group[1]), f"e{_plain(words[1])}"
    if group := GROUP.search(path):
        return _without(path, group), _plain(group[1]), None
    return path, None, None


def _without(path: str, found: re.Match[str]) -> str:
    """The path with what was found cut out; a folder's end in it stays one."""
    return path[: found.start()] + ("/" if "/" in found[0] else CUT) + path[found.end() :]


def _name_facts(rest: str, group: str | None, words: str | None, root: str) -> NameFacts:
    *folders, file = (
        "-".join(filter(None, (piece.strip(" ._-") for piece in part.split(CUT))))
        for part in rest.split("/")
    )
    said = NameFacts("", group, words)
    if file and file.lower() not in BARELY_NAMED:
        return replace(said, system=file)
    above = [name for name in folders if name and name.lower() not in BARELY_NAMED]
    if above or not file:
        return replace(said, system=above[-1] if above else root, by_folder=True)
    return replace(said, system=file)
