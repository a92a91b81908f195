"""Which files of a folder hold scores, and what each one's system is called.

A file in the folder itself is a system of its own. A sub-folder is one system, whatever its files:
teams hand in a file for each task. Links that lead out of the folder are not followed.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

import polars as pl

from tiltmeter.columns import tasks_in_name
from tiltmeter.errors import Problem, ScoreFileError
from tiltmeter.files import is_folder, is_there
from tiltmeter.systems.catalogue import SCORE_FILES
from tiltmeter.systems.protocol import VALENCE

MOST_BYTES = 2 * 1024**3
"""The largest file that is read."""

JOINERS = "\u200c\u200d"
"""Letters that show nothing themselves and yet belong in Persian and Hindi names."""

Blocks = Sequence[tuple[str | None, str]]
"""The systems (None: the file names none) and tasks of a file."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One file, where it stands in the folder, and why it is refused unread, if it is."""

    path: Path
    name: str
    """Its path within the folder, fit to be shown."""
    system: str
    """What its system is called when the file itself does not say."""
    refused: str | None = None
    table: pl.DataFrame | None = field(default=None, compare=False, repr=False)
    """The scores themselves, where there is no file to read."""


@dataclass(frozen=True, slots=True)
class NamedScores:
    """Scores under a name of the user's own: a file, or a table in hand."""

    name: str
    scores: Path | pl.DataFrame = field(repr=False)


def submissions(spec: Path | NamedScores) -> list[Submission]:
    """The file itself, or every file in the folder and its sub-folders, in the order of names."""
    if isinstance(spec, NamedScores):
        system = shown(spec.name)
        if isinstance(spec.scores, pl.DataFrame):
            return [Submission(Path(system), system, system, table=spec.scores)]
        if spec.scores.is_dir():
            what = f"a folder holds many systems, so it cannot be called {system!r}"
            problem = Problem(str(spec.scores), f"{what}; give it no name")
            raise ScoreFileError("the scores cannot be used", [problem])
        return [replace(file, system=system) for file in submissions(spec.scores)]
    if not is_folder(spec):
        refused = None if is_there(spec) else "found no such file or folder"
        name = shown(spec.name)
        return [Submission(spec, name, shown(spec.stem), refused or _refusal_reason(spec, None))]
    found = sorted(_within(spec), key=lambda each: each.name)
    if not found:
        what = f"found no file in it; expected {', '.join(SCORE_FILES)}"
        raise ScoreFileError("the folder is empty", [Problem(shown(str(spec)), what)])
    return found


def task_in_name(name: str) -> str | None:
    """The one task a file's name speaks of.

    >>> task_in_name("EI-reg_en_anger_pred.txt"), task_in_name("V-reg_en_pred.txt")
    ('anger', 'valence')
    """
    named = tasks_in_name(name)
    if not named and re.search(r"(?<![a-z])v-(reg|oc)(?![a-z])", name.lower()):
        return VALENCE
    return named[0] if len(named) == 1 else None


def shown(name: str) -> str:
    """A name fit to be shown and stored: no control characters, no halves of letters."""
    plain = (each if each.isprintable() or each in JOINERS else "\ufffd" for each in name)
    return "".join(plain).strip() or "unnamed"


def unique_names(files: Mapping[Submission, Blocks]) -> dict[tuple[Submission, str | None], str]:
    """What each system is called: no two files give the same name for the same task."""
    # Ever longer names for the system of a file that names none
    names = {
        each: (each.system, each.name.removesuffix(each.path.suffix), each.name) for each in files
    }
    stage = dict.fromkeys(files, 0)
    for _ in range(2):
        taken = _count_names(files, {each: names[each][stage[each]] for each in files})
        for each, blocks in files.items():
            shortest = names[each][stage[each]]
            if any(taken[shortest, task] > 1 for system, task in blocks if system is None):
                stage[each] += 1
    # The names, with the file's added to those that two files share all the same
    own = {each: names[each][stage[each]] for each in files}
    taken, found = _count_names(files, own), dict[tuple[Submission, str | None], str]()
    used: set[str] = set()
    for each, blocks in files.items():
        for system in dict.fromkeys(system for system, _ in blocks):
            name = own[each] if system is None else system
            tasks = [task for other, task in blocks if other == system]
            if any(taken[name, task] > 1 for task in tasks):
                name = f"{name} ({each.name})"
                numbered = (name if nth == 1 else f"{name} {nth}" for nth in count(1))
                name = next(other for other in numbered if other not in used)
            found[each, system] = name
            used.add(name)
    return found


def _count_names(
    files: Mapping[Submission, Blocks], own: Mapping[Submission, str]
) -> Counter[Name]:
    return Counter(
        (own[each] if system is None else system, task)
        for each, blocks in files.items()
        for system, task in blocks
    )


Name = tuple[str, str]
"""A system and a task."""


def _within(root: Path) -> Iterator[Submission]:
    """Every file that is not hidden, and every folder that cannot be entered."""
    inside, barred = root.resolve(), list[OSError]()
    for folder, folders, files in os.walk(root, onerror=barred.append):
        here = Path(folder)
        visible = sorted(name for name in folders if not name.startswith("."))
        linked = [name for name in visible if (here / name).is_symlink()]
        folders[:] = [name for name in visible if name not in linked]
        for name in linked:
            yield _submission_at(root, here / name, "a link to a folder, which is not followed")
        for name in files:
            if not name.startswith("."):
                yield _submission_at(root, here / name, _refusal_reason(here / name, inside))
    for error in barred:
        reason = f"the folder cannot be entered ({error.strerror})"
        yield _submission_at(root, Path(str(error.filename)), reason)


def _submission_at(root: Path, path: Path, refused: str | None) -> Submission:
    """The file with its name in the folder; in a sub-folder the sub-folder names the system."""
    within = path.relative_to(root)
    system = path.stem if within.parent == Path() else within.parent.as_posix()
    return Submission(path, shown(within.as_posix()), shown(system), refused)


def _refusal_reason(path: Path, inside: Path | None) -> str | None:
    """Why a file is not even opened, or None."""
    try:
        target = path.resolve(strict=True)
        facts = target.stat()
    except (OSError, RuntimeError) as error:
        return f"it cannot be read ({getattr(error, 'strerror', None) or error})"
    if inside is not None and path.is_symlink() and not target.is_relative_to(inside):
        return "a link that leads out of the folder, which is not followed"
    if not stat.S_ISREG(facts.st_mode):
        return "not a plain file, so not opened"
    if path.suffix.lower() not in SCORE_FILES:
        ending = f"the ending {shown(path.suffix)!r}" if path.suffix else "no ending"
        return f"found {ending}, so not opened; expected one of {', '.join(SCORE_FILES)}"
    if facts.st_size > MOST_BYTES:
        size = f"{facts.st_size / 1024**3:.1f} GB; expected at most {MOST_BYTES / 1024**3:.0f}"
        return f"found {size}; leave out the rows that are not of the corpus"
    return None
