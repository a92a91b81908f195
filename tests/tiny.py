"""A corpus small enough to work out by hand, and score tables for any corpus."""

import numpy as np
import polars as pl

from tiltmeter.studies.paired.contrasts import contrasts_of

PEOPLE = [
    # person, gender, race, match
    ("my mother", "female", None, "my mother/my father"),
    ("my father", "male", None, "my mother/my father"),
    ("Ann", "female", "A", "names"),
    ("Bea", "female", "B", "names"),
    ("Cal", "male", "A", "names"),
    ("Dan", "male", "B", "names"),
]
FRAMES = [
    # frame, template, emotion, emotion_word
    ("1/joy/glad", "1", "joy", "glad"),
    ("1/anger/angry", "1", "anger", "angry"),
    ("2", "2", None, None),
]
CONTRASTS = [
    *contrasts_of("gender", ["female", "male"]),
    *contrasts_of("race", ["A", "B"]),
]


def tiny(corpus="tiny"):
    """Three frames of six people: six pairs of gender, three of race."""
    rows = [
        {
            "id": f"{frame}-{person}", "text": f"{person} {frame}", "corpus": corpus,
            "edition": "corrected", "language": "en", "template": template, "person": person,
            "gender": gender, "race": race, "emotion": emotion, "emotion_word": word,
            "frame": frame, "match": match,
        }
        for frame, template, emotion, word in FRAMES
        for person, gender, race, match in PEOPLE
    ]  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def scores_of(sentences, values, *, systems=None, tasks=None, raw=False, repeat=0):
    """The scores table for a matrix of (systems, sentences); NaN is null; `raw`: without scale."""
    values = np.atleast_2d(np.asarray(values, float))
    size, count = sentences.height, len(values)
    names = systems or [f"s{number}" for number in range(count)]
    kinds = tasks or ["valence"] * count
    numbers = pl.Series(values.ravel(), dtype=pl.Float64).fill_nan(None)
    return pl.DataFrame(
        {
            "system": [name for name in names for _ in range(size)],
            "task": [kind for kind in kinds for _ in range(size)],
            "corpus": sentences["corpus"].to_list() * count,
            "id": sentences["id"].to_list() * count,
            "repeat": [repeat] * (size * count),
            "raw": numbers,
            "score": pl.Series([None] * numbers.len(), dtype=pl.Float64) if raw else numbers,
            "reason": pl.Series([None] * numbers.len(), dtype=pl.String),
        }
    )


def one(estimates, **where):
    """The one row of a table that has these values."""
    found = estimates.filter(*(pl.col(name) == value for name, value in where.items()))
    assert found.height == 1, (where, found.height)
    return found.row(0, named=True)
