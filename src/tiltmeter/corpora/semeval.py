"""The labelled files of SemEval-2018 Task 1, by language, task and part.

2018-EI-reg-En-anger-train.txt   2018-Valence-reg-Es-dev.txt   …-test-gold.txt

The kind `reg` has scores from 0 to 1, `oc` the same tweets in ordered classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tiltmeter.errors import CorpusError, Problem

LANGUAGES = {"en": "En", "es": "Es", "ar": "Ar"}
PARTS = {"train": "train", "dev": "dev", "test": "test-gold"}
EMOTIONS = ("anger", "fear", "joy", "sadness")
Kind = Literal["reg", "oc"]
KINDS: tuple[Kind, ...] = ("reg", "oc")


@dataclass(frozen=True, slots=True)
class Parts:
    """Where the parts of one language and task stand; test is None where it is not there."""

    train: Path
    dev: Path
    test: Path | None


def semeval_files(folder: Path, language: str, task: str, *, kind: Kind = "reg") -> Parts:
    """The files of a language and task, in a folder or below it; an error names what is missing."""
    if kind not in KINDS:
        what = f"there is no kind {kind!r} in SemEval-2018; expected {' or '.join(KINDS)}"
        raise CorpusError("the labelled files cannot be found", [Problem("", what)])
    if language not in LANGUAGES:
        what = f"there is no language {language!r} in SemEval-2018; expected {', '.join(LANGUAGES)}"
        raise CorpusError("the labelled files cannot be found", [Problem("", what)])
    names = {part: _name(language, task, ending, kind) for part, ending in PARTS.items()}
    found = {part: _found(folder, name) for part, name in names.items()}
    missing = [part for part in ("train", "dev") if found[part] is None]
    if missing or found["train"] is None or found["dev"] is None:
        wanted = ", ".join(names[part] for part in missing)
        what = f"found no {wanted}; expected SemEval-2018's own names, or give --train and --dev"
        raise CorpusError("the labelled files cannot be found", [Problem(str(folder), what)])
    return Parts(found["train"], found["dev"], found["test"])


def _name(language: str, task: str, ending: str, kind: Kind = "reg") -> str:
    """The file's own name.

    >>> _name("es", "valence", "dev"), _name("en", "anger", "test-gold", "oc")
    ('2018-Valence-reg-Es-dev.txt', '2018-EI-oc-En-anger-test-gold.txt')
    """
    code = LANGUAGES[language]
    of = f"EI-{kind}-{code}-{task}" if task in EMOTIONS else f"Valence-{kind}-{code}"
    return f"2018-{of}-{ending}.txt"


def _found(folder: Path, name: str) -> Path | None:
    return next(iter(sorted(folder.rglob(name))), None) if folder.is_dir() else None
