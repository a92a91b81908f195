"""The labelled files of SemEval-2018 Task 1, by language, task and part.

2018-EI-reg-En-anger-train.txt   2018-Valence-reg-Es-dev.txt   …-test-gold.txt

The kind `reg` has scores from 0 to 1, `oc` the same tweets in ordered classes, which are read as
scores.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from tiltmeter.columns import fold_name
from tiltmeter.errors import CorpusError, Problem

LANGUAGES = {"en": "En", "es": "Es", "ar": "Ar"}
PARTS = {"train": "train", "dev": "dev", "test": "test-gold"}
EMOTIONS = ("anger", "fear", "joy", "sadness")
Kind = Literal["reg", "oc"]
KINDS: tuple[Kind, ...] = ("reg", "oc")
SPOKEN = {"en": "English", "es": "Spanish", "ar": "Arabic"}
BEST = ("test-gold", "dev", "train", "test")
"""Which part tells a system's skill: it may have been trained on the later ones; the last has no
labels."""
DEEPEST = 6
"""Folders within folders that are looked through; the archive has three."""
NAME = re.compile(
    r"(?:2018-)?(?P<of>EI|Valence|V|E)-(?P<kind>reg|oc|c)-(?P<language>En|Es|Ar)"
    r"(?:-(?P<task>anger|fear|joy|sadness))?-(?P<part>train|dev|test-gold|test)\.txt",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Parts:
    """Where the parts of one language and task stand; test is None where it is not there."""

    train: Path
    dev: Path
    test: Path | None


def semeval_files(folder: Path, language: str, task: str, *, kind: Kind = "reg") -> Parts:
    """The files of a language and task, in a folder or below it; an error names what is missing."""
    what = ""
    if kind not in KINDS:
        what = f"there is no kind {kind!r} in SemEval-2018; expected {' or '.join(KINDS)}"
    elif language not in LANGUAGES:
        what = f"there is no language {language!r} in SemEval-2018; expected {', '.join(LANGUAGES)}"
    if what:
        raise CorpusError("the labelled files cannot be found", [Problem("", what)])
    names = {part: file_name(language, task, ending, kind) for part, ending in PARTS.items()}
    found = {part: min(folder.rglob(name), default=None) for part, name in names.items()}
    train, dev = found["train"], found["dev"]
    if train is None or dev is None:
        missing = ", ".join(names[part] for part in ("train", "dev") if found[part] is None)
        what = f"found no {missing}; expected SemEval-2018's own names, or give --train and --dev"
        raise CorpusError("the labelled files cannot be found", [Problem(str(folder), what)])
    return Parts(train, dev, found["test"])


def file_name(language: str, task: str, ending: str, kind: Kind = "reg") -> str:
    """The file's own name.

    >>> file_name("es", "valence", "dev"), file_name("en", "anger", "test-gold", "oc")
    ('2018-Valence-reg-Es-dev.txt', '2018-EI-oc-En-anger-test-gold.txt')
    """
    code = LANGUAGES[language]
    of = f"EI-{kind}-{code}-{task}" if task in EMOTIONS else f"Valence-{kind}-{code}"
    return f"2018-{of}-{ending}.txt"


# ---------------------------------------------------------------- the archive as gold


@dataclass(frozen=True, slots=True)
class OfficialFile:
    """What the name of one of SemEval-2018's files says."""

    path: Path
    language: str
    task: str
    kind: str
    part: str


@dataclass(frozen=True, slots=True)
class GoldChoice:
    """The files of an archive that gold scores are read from, and what was left out, in words."""

    files: tuple[Path, ...]
    note: str = ""


def official_file(path: Path) -> OfficialFile | None:
    """What a file's name says, where it is one of SemEval-2018's.

    >>> official_file(Path("2018-Valence-reg-Es-dev.txt")).task
    'valence'
    """
    found = NAME.fullmatch(path.name)
    if not found:
        return None
    task = (found["task"] or "valence").lower()
    return OfficialFile(
        path, found["language"].lower(), task, found["kind"].lower(), found["part"].lower()
    )


def tables_below(folder: Path, endings: Sequence[str]) -> Iterator[Path]:
    """Every file with such an ending in the folders of a folder, as far down as an archive goes."""
    for here, folders, files in os.walk(folder):
        depth = len(Path(here).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        folders[:] = folders if depth < DEEPEST else []
        for name in sorted(files):
            if not name.startswith(".") and Path(name).suffix.lower() in endings:
                yield Path(here) / name


def choose_gold(files: Sequence[Path], languages: Sequence[str], where: Path) -> GoldChoice:
    """Of an archive's files those of some languages that tell a system's skill.

    For each task the regression's scores rather than classes, and the test part rather than what
    systems are trained on. Files of other names are all read.
    """
    official = [one for path in files if (one := official_file(path))]
    if not official:
        return GoldChoice(tuple(files))
    there = list(dict.fromkeys(one.language for one in official))
    own = [one for one in official if not languages or one.language in languages]
    scored = [one for one in own if one.kind in KINDS]
    what = ""
    if not languages and len(there) > 1:
        what = f"found gold scores in {_listed(there)}; expected one language: name its folder or "
        what += "its files; `tiltmeter skill` takes --language too"
    elif not own:
        expected = f"expected {_listed(languages)}, as the sentences are"
        what = f"found gold scores in {_listed(there)}; {expected}"
    elif not scored:
        what = "found only files of several emotions at once (E-c); expected EI-reg or V-reg"
    if what:
        raise CorpusError("the gold scores cannot be used", [Problem(str(where), what)])
    best: dict[tuple[str, str], OfficialFile] = {}
    for one in sorted(scored, key=lambda each: (BEST.index(each.part), KINDS.index(each.kind))):
        best.setdefault((one.language, one.task), one)
    chosen = list(best.values())
    left = {one.path for one in official} - {one.path for one in chosen}
    files = tuple(path for path in files if path not in left)
    if len(chosen) == len(official):
        return GoldChoice(files)
    parts = ", ".join(dict.fromkeys(one.part for one in chosen))
    spoken = list(dict.fromkeys(one.language for one in chosen))
    apart = Counter(
        SPOKEN[one.language] if one.language not in spoken else "other parts and kinds"
        for one in official
        if one not in chosen
    )
    left_out = ", ".join(f"{many} ({what})" for what, many in apart.items())
    read = f"{len(chosen)} of {len(official)} files read: {_listed(spoken)}, {parts}"
    return GoldChoice(files, f"{read}; left out {left_out}")


def _listed(languages: Sequence[str]) -> str:
    *first, last = (SPOKEN.get(one, one) for one in languages)
    return f"{', '.join(first)} and {last}" if first else last


# ---------------------------------------------------------------- ordered classes

CLASSES = "intensity class"
"""What SemEval calls its column of classes."""
LOWEST, HIGHEST = -3, 3
"""Valence has seven classes; an emotion has the four from 0."""
CLASSES_READ = "classes read as scores from 0 to 1: valence (class + 3)/6, an emotion class/3"


def holds_classes(column: str) -> bool:
    """True for a column that is called as SemEval calls its classes."""
    return fold_name(column) == fold_name(CLASSES)


def class_scores(classes: pl.Series, tasks: pl.Series) -> pl.Series:
    """Classes as scores from 0 to 1: valence (class + 3)/6, an emotion class/3; else null.

    >>> cells = pl.Series(["-3: very negative", "0: neutral or mixed", "2: moderate", "4: none"])
    >>> class_scores(cells, pl.Series(["valence", "valence", "joy", "joy"])).round(3).to_list()
    [0.0, 0.5, 0.667, None]
    """
    rows = pl.DataFrame({"class": classes, "task": tasks})
    number = pl.col("class").str.extract(r"^([+-]?\d+)\s*(?::|$)").cast(pl.Int64, strict=False)
    of_valence = pl.col("task") == "valence"
    lowest = pl.when(of_valence).then(LOWEST).when(pl.col("task").is_not_null()).then(0)
    score = pl.when(number.is_between(lowest, HIGHEST)).then((number - lowest) / (HIGHEST - lowest))
    return rows.select(score.alias("score")).to_series()


def class_expected(task: str | None) -> str:
    """What should have stood in a cell of classes."""
    if task is None:
        return "a task beside it, in a column or in the file's name, since classes differ by task"
    if task == "valence":
        return f"a class from −3 to {HIGHEST}, as in '-3: very negative …'"
    return f"a class from 0 to {HIGHEST}, as in '2: moderate amount …'"
