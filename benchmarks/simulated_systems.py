"""Systems simulated on a corpus' real design: what people, templates, words and chance do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter import load_corpus
from tiltmeter.measures import Contrast, Spreads, contrasts_of

Array = NDArray[np.float64]
Places = NDArray[np.int64]

BATCH = 250
"""Systems at a time."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How simulated systems scatter."""

    name: str
    spreads: Spreads
    draw: str = "normal"
    """Or `tails`, of t with 3 degrees of freedom, or `ties`: nineteen in twenty are 0."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A corpus' sentences, and where each person, template and word stands in them."""

    sentences: pl.DataFrame
    axes: list[str]
    contrasts: list[Contrast]
    person: Places
    template: Places
    word: Places
    wordless: NDArray[np.bool_]
    sides: list[Array]
    """For each contrast, ½ in the first group's sentences, −½ in the second's, 0 in others."""


def scene(sentences: pl.DataFrame | None = None) -> Scene:
    """The Equity Evaluation Corpus, or some of its sentences."""
    corpus = load_corpus("eec")
    rows = corpus.sentences() if sentences is None else sentences
    contrasts = [one for axis in corpus.axes for one in contrasts_of(axis.name, axis.groups)]
    return Scene(
        rows, [axis.name for axis in corpus.axes], contrasts, codes(rows, "person"),
        codes(rows, "template"), codes(rows, "emotion_word"),
        rows["emotion_word"].is_null().to_numpy(), [_sides(rows, one) for one in contrasts],
    )  # fmt: skip


def codes(sentences: pl.DataFrame, column: str) -> Places:
    """A number for each name, from 0 up."""
    return (sentences[column].fill_null("").rank("dense").to_numpy() - 1).astype(np.int64)


def _sides(sentences: pl.DataFrame, contrast: Contrast) -> Array:
    group = pl.col(contrast.axis)
    side = pl.when(group == contrast.first).then(0.5).when(group == contrast.second).then(-0.5)
    return sentences.select(side.otherwise(0.0)).to_series().to_numpy()


def batches(place: Scene, kind: Kind, systems: int, seed: int) -> Iterator[Array]:
    """Scores of (systems, sentences) without any tilt, some systems at a time."""
    rng = np.random.default_rng(seed)
    for start in range(0, systems, BATCH):
        yield _scores(place, kind, min(BATCH, systems - start), rng)


def _scores(place: Scene, kind: Kind, many: int, rng: np.random.Generator) -> Array:
    """A level, the person's own, and on either side what template and word do to the group."""
    sd = kind.spreads

    def effects(of: Places) -> Array:
        return _drawn(kind.draw, (many, int(of.max()) + 1), rng)[:, of]

    scores = 0.5 + sd.noise * _drawn(kind.draw, (many, place.sentences.height), rng)
    scores += sd.people * effects(place.person)
    for side in place.sides:
        by_word = np.where(place.wordless, 0.0, sd.words * effects(place.word))
        scores += side * (sd.templates * effects(place.template) + by_word)
    return scores


def _drawn(how: str, shape: tuple[int, int], rng: np.random.Generator) -> Array:
    """Numbers with mean 0 and standard deviation 1."""
    if how == "tails":
        return np.asarray(rng.standard_t(3, shape) / np.sqrt(3.0))
    normal = rng.standard_normal(shape)
    return normal if how == "normal" else np.where(rng.random(shape) < 0.05, normal * 20**0.5, 0.0)
