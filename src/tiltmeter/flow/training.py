"""Reference systems trained: labelled texts read, a recipe fitted, its skill stated, all kept."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.corpora import Gold, load_corpus, read_gold, semeval_files
from tiltmeter.errors import TiltmeterError
from tiltmeter.measures import pearson, spearman
from tiltmeter.systems import check_task
from tiltmeter.train import (
    RECIPES,
    How,
    LabelledTexts,
    check_place,
    fit,
    person_words,
    write_model,
)
from tiltmeter.writing import write_frame

CORPORA = {"en": "eec", "es": "eec-es", "ar": "eec-ar"}
"""Whose people are looked up in a model's words."""
TERMS = "the labelled texts keep the terms of whoever gave them; the model holds words, not texts"


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
    seed: int = 0,
) -> Trained:
    """Train a reference system into a folder that can be audited like any other system.

    `data` is a folder with SemEval-2018's own files; or give the files of each part. Dev is used
    to choose settings, test only to state skill.
    """
    place = Path(folder)
    check_place(place)
    wanted = check_task(task) or task
    paths = _paths(data, train_file, dev_file, test_file, language, wanted)
    gold = {part: read_gold(path) for part, path in paths.items() if path is not None}
    texts = {part: _labelled(part, one, wanted) for part, one in gold.items()}
    fitted = fit(recipe, texts["train"], texts["dev"], How(seed))
    card: dict[str, Any] = {
        "recipe": recipe,
        "what": RECIPES[recipe].what,
        "source": RECIPES[recipe].source,
        "language": language,
        "task": wanted,
        "scale": [0, 1],
        "settings": dict(fitted.settings),
        "chosen_on_dev": [{**one, "pearson": round(r, 6)} for one, r in fitted.tried],
        "skill": {},
        "data": {part: _about(one, texts[part]) for part, one in gold.items()},
        "terms": TERMS,
        "seed": seed,
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("tiltmeter", "numpy", "scikit-learn", "skops")},
    }
    if "test" in texts:
        card["skill"]["test"] = _skill(fitted.predict(texts["test"].texts), texts["test"].scores)
    best = max(r for _, r in fitted.tried)
    card["skill"]["dev"] = {"n": len(texts["dev"].texts), "pearson": round(best, 6)}
    words = _words(fitted.weights() if fitted.weights else None, texts, language)
    write_model(fitted, card, place)
    if words is not None:
        write_frame(words, place / "person-words.csv")
    return Trained(place, card, words)


def _paths(
    data: Path | str | None,
    train_file: Path | str | None,
    dev_file: Path | str | None,
    test_file: Path | str | None,
    language: str,
    task: str,
) -> dict[str, Path | None]:
    """The file of each part: SemEval's own, or those given."""
    if data is not None:
        found = semeval_files(Path(data), language, task)
        return {"train": found.train, "dev": found.dev, "test": found.test}
    if train_file is None or dev_file is None:
        raise TiltmeterError("there is nothing to train on; give --data DIR, or --train and --dev")
    test = Path(test_file) if test_file is not None else None
    return {"train": Path(train_file), "dev": Path(dev_file), "test": test}


def _labelled(part: str, gold: Gold, task: str) -> LabelledTexts:
    rows = gold.of(task).drop_nulls("text")
    if rows.is_empty():
        there = ", ".join(str(one) for one in gold.tasks)
        what = f"the {part} part ({gold.name}) has no labelled texts for {task}"
        raise TiltmeterError(f"{what}; it has {there or 'none'}")
    return LabelledTexts(tuple(rows["text"]), rows["score"].to_numpy().astype(np.float64))


def _about(gold: Gold, texts: LabelledTexts) -> dict[str, Any]:
    return {
        "files": [{"name": file.name, "sha256": file.sha256} for file in gold.files],
        "rows": len(texts.texts),
    }


def _skill(predicted: Any, gold: Any) -> dict[str, Any]:  # noqa: ANN401 - arrays
    found: dict[str, Any] = {"n": len(gold)}
    for name, measure in (("pearson", pearson), ("spearman", spearman)):
        one = measure(np.asarray(predicted)[None, :], np.asarray(gold))
        for key, value in ((name, one.value), (f"{name}_low", one.low), (f"{name}_high", one.high)):
            found[key] = None if np.isnan(value[0]) else round(float(value[0]), 6)
    return found


def _words(
    weights: Any,  # noqa: ANN401 - a mapping, or None
    texts: dict[str, LabelledTexts],
    language: str,
) -> pl.DataFrame | None:
    if weights is None or language not in CORPORA:
        return None
    people = load_corpus(CORPORA[language]).sentences()["person"].unique(maintain_order=True)
    return person_words(weights, texts["train"] + texts["dev"], people.to_list())
