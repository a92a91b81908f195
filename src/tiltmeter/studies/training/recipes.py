"""What can be trained: a recipe is a name, where it comes from, and a function that fits it.

The function is handed train, dev and a context. Settings are chosen on dev, by Pearson's r; the
model is then fitted anew on train and dev together. Test is never seen here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import MissingExtraError, OutputError, TiltmeterError, UnknownNameError
from tiltmeter.files import (
    LARGEST_TEXT,
    file_digest,
    new_folder,
    read_capped,
    without_formulas,
    write_errors,
)
from tiltmeter.vectors import Encoder

if TYPE_CHECKING:
    import polars as pl

Array = NDArray[np.float64]

FEWEST = 20
"""Texts of a part below which nothing can be chosen."""
LARGEST_SEED = 2**32 - 1
ALIKE = 1e-4
"""Answers that spread less than this, on the labels' scale of 0 to 1, are one and the same."""
Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LabelledTexts:
    """Texts and what people said of each, from 0 to 1."""

    texts: tuple[str, ...]
    scores: Array

    def __add__(self, other: LabelledTexts) -> LabelledTexts:
        """Both, one after the other."""
        both = np.concatenate([self.scores, other.scores])
        return LabelledTexts((*self.texts, *other.texts), both)


@dataclass(frozen=True, slots=True)
class TrainContext:
    """What a recipe is handed beside the texts."""

    seed: int = 0
    encoders: tuple[Encoder, ...] = ()
    """What turns texts into numbers, for the recipes that need it."""
    tell: Callable[[str], None] = lambda _: None
    """Told in a few words what is being done: "epoch 3 of 30"; by default nobody is."""


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A model that was fitted, and how its settings were chosen."""

    kind: str
    """What opens it again: see `systems/trained.py`."""
    predict: Callable[[Sequence[str]], Array]
    save: Callable[[Path], str]
    """Writes the weights into a folder; returns the file's name."""
    settings: Settings
    tried: tuple[tuple[Settings, float], ...] = field(default=())
    """Every setting tried, with its Pearson's r on dev."""
    weights: Callable[[], Mapping[str, float]] | None = None
    """For a model that is linear in single words: the weight of each."""
    on_dev: Array | None = None
    """What the chosen settings, fitted on train alone, said of dev."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Something that can be trained."""

    name: str
    what: str
    source: str
    target: str
    """module:function of this package that fits it."""
    extra: str = "learn"
    needs: tuple[str, ...] = ("sklearn", "skops")
    reads: tuple[str, ...] = ()
    """What texts are read through: "words" (word vectors), "texts" (a sentence encoder), or
    "lexicons"; nothing where the recipe takes the texts as they are."""
    classes: bool = False
    """True where ordered classes are what it learns from, if there are any."""


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "svm-unigrams", "linear support vector regression on word unigrams, nothing else",
            "the baseline of Kiritchenko & Mohammad 2018", "regressors:svm_unigrams",
        ),
        Recipe(
            "svm-tfidf", "support vector regression on tf-idf of words and pairs of words",
            "Câmara et al. 2022", "regressors:svm_tfidf",
        ),
        Recipe(
            "lexicon-svr", "support vector regression on sentiment lexicons and word vectors",
            "the shape of most systems in Kiritchenko & Mohammad 2018",
            "regressors:features_svr", "learn,systems",
            ("sklearn", "skops", "nrclex", "senticnet"), reads=("lexicons", "words"),
        ),
        Recipe(
            "embedding-mlp", "the mean of a text's word vectors, and two layers on top",
            "Câmara et al. 2022 (fastText)", "regressors:features_mlp", reads=("words",),
        ),
        Recipe(
            "encoder-mlp", "a frozen sentence encoder, and two layers on top",
            "Câmara et al. 2022 (BERT+, mBERT, XLM-RoBERTa)", "regressors:features_mlp",
            reads=("texts",),
        ),
        Recipe(
            "gru", "embedding, two GRU layers, softmax over seven classes; nothing pre-trained",
            "Lakkaraju et al. 2023", "gru:gru", "neural", ("torch", "safetensors"),
            classes=True,
        ),
    )
}  # fmt: skip


def check_seed(seed: int) -> None:
    """Refuse a seed that scikit-learn or PyTorch would refuse later."""
    if not 0 <= seed <= LARGEST_SEED:
        raise TiltmeterError(f"found {seed} for the seed; expected 0 to {LARGEST_SEED}")


def find_recipe(name: str) -> Recipe:
    """The recipe of a name, if what it needs is installed."""
    if name not in RECIPES:
        raise UnknownNameError("recipe", name, RECIPES)
    recipe = RECIPES[name]
    if any(find_spec(module) is None for module in recipe.needs):
        raise MissingExtraError(f"what {name!r} needs, {', '.join(recipe.needs)},", recipe.extra)
    return recipe


def fit(name: str, train: LabelledTexts, dev: LabelledTexts, context: TrainContext) -> FittedModel:
    """Fit a recipe: settings chosen on dev, then fitted on both."""
    recipe = find_recipe(name)
    for part, labelled in (("train", train), ("dev", dev)):
        if len(labelled.texts) < FEWEST:
            what = f"the {part} part has {len(labelled.texts):,} labelled texts"
            raise TiltmeterError(f"{what}; expected at least {FEWEST}")
        low, high = float(labelled.scores.min()), float(labelled.scores.max())
        if low < 0 or high > 1:
            what = f"the {part} part has scores from {low:g} to {high:g}"
            raise TiltmeterError(f"{what}; expected 0 to 1: rescale them")
        if low == high:
            what = f"every score of the {part} part is {low:g}"
            raise TiltmeterError(f"{what}; expected scores that differ")
    module, _, function = recipe.target.partition(":")
    fitted: FittedModel = getattr(import_module(f"{__package__}.{module}"), function)(
        train, dev, context
    )
    return fitted


def agreement(predicted: Array, gold: Array) -> float:
    """Pearson's r; −1, the worst there is, for a model that always answers the same.

    A penalty that is too high leaves answers that differ by a millionth of the scale: r would still
    be there, and nothing of it when the model is fitted anew.
    """
    if np.std(predicted) < ALIKE:
        return -1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        r = float(np.corrcoef(predicted, gold)[0, 1])
    return r if np.isfinite(r) else -1.0  # answers or labels too large or too alike to be squared


# ---------------------------------------------------------------- a model's folder


CARD = "model.json"
TOOL = "tiltmeter"
PERSON_WORDS = "person-words.csv"
"""The one table that a model may leave beside its weights."""


def check_place(folder: Path) -> None:
    """Raise now if a model could not be written there later, or if something would be lost."""
    place = Path(os.path.realpath(folder))
    with write_errors(folder):
        if place == Path(os.path.realpath(Path.cwd())):
            raise OutputError(f"{folder}: is the folder you are in; name another with -o")
        if place.is_dir():
            inside = {path.name for path in place.iterdir()}
            try:  # what an earlier training wrote there, as its card says
                card = json.loads(read_capped(place / CARD, LARGEST_TEXT, links=False))
                own = card["tool"] == TOOL
                written = {CARD, str(card["weights"]["file"]), PERSON_WORDS} if own else set()
            except (OSError, ValueError, KeyError, TypeError, RecursionError):
                written = set()
            if inside and not written:
                what = "the folder is not empty and holds no trained model; choose another with -o"
                raise OutputError(f"{folder}: {what}")
            if others := sorted(inside - written):
                what = f"holds {others[0]!r} beside a trained model, and it would be lost"
                raise OutputError(f"{folder}: {what}; move it, or choose another with -o")
        elif place.exists():
            raise OutputError(f"{folder}: is a file; expected a folder, or none yet")
        above = next(one for one in place.parents if one.exists())
        if not above.is_dir():
            raise OutputError(f"{folder}: {above} is a file; expected a folder")
        if not os.access(above, os.W_OK):
            raise OutputError(f"{folder}: {above} cannot be written to; choose another with -o")


def write_model(
    fitted: FittedModel,
    card: Mapping[str, Any],
    folder: Path,
    tables: Mapping[str, pl.DataFrame] | None = None,
) -> None:
    """Write a model, its card and tables by name; the folder is whole or as it was."""
    check_place(folder)
    with new_folder(folder) as new:
        weights = fitted.save(new)
        whole_card = {"schema_version": 1, "tool": TOOL, "kind": fitted.kind, **card}
        whole_card["weights"] = {"file": weights, "sha256": file_digest(new / weights)}
        text = json.dumps(whole_card, indent=2, ensure_ascii=False, allow_nan=False)
        (new / CARD).write_text(text + "\n", encoding="utf-8")
        for name, table in (tables or {}).items():
            (new / name).write_text(without_formulas(table).write_csv(), encoding="utf-8")
