"""What a reference system is trained on: the files of each part, read and checked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tiltmeter.corpora import Gold, read_gold, semeval_files
from tiltmeter.errors import CorpusError, TiltmeterError, argument
from tiltmeter.studies.training.recipes import LabelledTexts

TERMS = "the labelled texts keep the terms of whoever gave them"
COMMON = {
    "en": ("the", "and", "is", "to", "of", "in", "it", "you", "for", "this", "that", "was", "my"),
    "es": ("de", "que", "la", "el", "no", "en", "los", "un", "una", "por", "con", "se", "lo"),
    "ar": ("في", "من", "على", "ما", "لا", "و", "يا", "الله", "كل", "اللي", "انا", "عن", "هذا"),
}
"""Words of which nearly every text in a language has one, and that others hardly share."""
CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]+)*")
PLAINLY = 3
"""So many times as many of another language's words is no accident."""


@dataclass(frozen=True, slots=True)
class TrainingPart:
    """One part of the labelled texts: what was read, and what is learned from or tried on."""

    gold: Gold
    texts: LabelledTexts
    before: AbstractSet[str] = frozenset()
    """The texts of the parts before it."""

    @property
    def seen(self) -> int:
        """How many of its texts stand in a part before it too: they flatter what is found on it."""
        return sum(text in self.before for text in self.texts.texts)

    @property
    def facts(self) -> dict[str, Any]:
        """What stands on a model's card."""
        files = [{"name": file.name, "sha256": file.sha256} for file in self.gold.files]
        left_out = sum(f.unlabelled + f.mystery + f.repeated for f in self.gold.files)
        rows = {"rows": len(self.texts.texts), "rows_left_out": left_out}
        return {"files": files, **rows, "texts_seen_before": self.seen}


def read_parts(
    files: Mapping[str, Path], task: str, language: str, columns: Mapping[str, str] | None = None
) -> dict[str, TrainingPart]:
    """The parts of the labelled texts for a task; what is wrong names the part and its file."""
    found: dict[str, TrainingPart] = {}
    for name, path in files.items():
        gold = read_gold(path, columns=columns, unit=task)
        rows = gold.of(task).drop_nulls("text")
        if rows.is_empty():
            there = ", ".join(str(one) for one in gold.tasks if one)
            what = f"the {name} part ({gold.name}) has no labelled texts for {task}"
            raise TiltmeterError(f"{what}; it has {there or 'none with a text'}")
        texts = LabelledTexts(tuple(rows["text"]), rows["score"].to_numpy().astype(np.float64))
        before = set[str]().union(*(part.texts.texts for part in found.values()))
        found[name] = TrainingPart(gold, texts, before)
    _check_language(language, found)
    return found


def check_code(language: str) -> None:
    """Refuse what is no code of a language: nothing of what is known for one would be found."""
    if not CODE.fullmatch(language):
        what = f"found {language!r} for the language; expected a code in small letters"
        raise TiltmeterError(f"{what}, such as en, es or ar")


def files_of(
    data: Path | str | None,
    single: Mapping[str, Path | str | None],
    language: str,
    task: str,
    *,
    classes: bool = False,
) -> dict[str, Path]:
    """The file of each part: SemEval's own, or single ones; classes where there are any."""
    if data is not None and any(single.values()):
        what = f"both {argument('data')} and single files are given"
        raise TiltmeterError(f"{what}; expected one or the other")
    if data is None:
        if single["train"] is None or single["dev"] is None:
            train, dev = argument("train_file", "--train"), argument("dev_file", "--dev")
            ways = f"{argument('data')} DIR, or {train} FILE and {dev} FILE"
            raise TiltmeterError(f"there is nothing to train on; give {ways}")
        return {part: Path(path) for part, path in single.items() if path is not None}
    folder = Path(data)
    scores = learned = semeval_files(folder, language, task, kind="reg")
    if classes:
        with suppress(CorpusError):  # no classes for this cell: scores will do
            learned = semeval_files(folder, language, task, kind="oc")
    # Skill is stated on the scores, as every other system's is.
    parts = {"train": learned.train, "dev": learned.dev, "test": scores.test}
    return {part: path for part, path in parts.items() if path is not None}


def _check_language(language: str, parts: Mapping[str, TrainingPart]) -> None:
    """Refuse texts that are plainly in another language: nothing else would say so."""
    if language not in COMMON:
        return
    for name, part in parts.items():
        words = Counter(word for text in part.texts.texts for word in text.lower().split())
        found = {code: sum(words[word] for word in common) for code, common in COMMON.items()}
        other = max(found, key=lambda code: found[code])
        if found[other] > PLAINLY * max(found[language], len(part.texts.texts) // 20):
            what = (
                f"the {name} part ({part.gold.name}) reads like {other}; --language is {language}"
            )
            raise TiltmeterError(f"{what}: name the language of the texts")
