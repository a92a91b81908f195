"""Corpora of names crossed with templates and words, of any size, for tests of the regression."""

from itertools import product

import numpy as np
import polars as pl
from scipy.special import expit

TWO = {"gender": ("female", "male"), "race": ("A", "B")}
ONE = {"gender": ("female", "male")}
THREE_GROUPS = {"gender": ("female", "male", "unstated"), "race": ("A", "B", "C")}
THREE_AXES = {"gender": ("female", "male"), "race": ("A", "B"), "age": ("old", "young")}


def crossed_names(axes, names=3, templates=3, words=2, emotion="joy"):
    """Every group's names in every template with every word; `names` by group, or the same."""
    groups = list(product(*axes.values()))
    many = [names] * len(groups) if isinstance(names, int) else names
    people = [
        (f"{'.'.join(group)}.{at}", group)
        for group, size in zip(groups, many, strict=True)
        for at in range(size)
    ]
    rows = [
        {
            "id": f"t{t}-w{w}-{person}", "text": f"{person} {t} {w}", "corpus": "crossed",
            "edition": "corrected", "language": "en", "template": f"t{t}", "person": person,
            **dict(zip(axes, group, strict=True)), "emotion": emotion, "emotion_word": f"w{w}",
            "frame": f"t{t}/w{w}", "match": "names",
        }
        for t in range(templates)
        for w in range(words)
        for person, group in people
    ]  # fmt: skip
    nullable = {"emotion": pl.String, "emotion_word": pl.String}
    return pl.DataFrame(rows, schema_overrides=nullable, infer_schema_length=None)


def drawn(sentences, axes, rng, *, many=1, phi=20.0, level=0.0, effect=0.5, edge=1e-4):
    """Beta scores (many, sentences) whose groups, words and names differ."""

    def some(column):
        values = sentences[column].to_numpy()
        found = np.zeros((many, len(values)))
        for value in np.unique(values):
            found += (values == value) * rng.normal(0, effect, (many, 1))
        return found

    mu = expit(level + sum(some(axis) for axis in axes) + some("emotion_word") + some("person"))
    scores = rng.beta(mu * phi, (1 - mu) * phi)
    return np.clip(scores, edge, 1 - edge)


def planted(sentences, rng, *, names=0.03, noise=0.08, tilt=0.0, group="female", axis="gender"):
    """Scores about one half, where every name has an effect of its own."""
    person = sentences["person"].to_numpy()
    own = {one: rng.normal(0, names) for one in dict.fromkeys(person)}
    found = 0.5 + np.array([own[one] for one in person])
    found += tilt * (sentences[axis].to_numpy() == group)
    return np.clip(found + rng.normal(0, noise, len(found)), 1e-3, 1 - 1e-3)
