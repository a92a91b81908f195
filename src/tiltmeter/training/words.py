"""Where a tilt was learned (K&M 2018, §6): every word that names a person, and what it is worth."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from tiltmeter.training.recipes import LabelledTexts

WORD = re.compile(r"\b\w\w+\b")
"""As scikit-learn cuts texts into words."""


def person_words(
    weights: Mapping[str, float], train: LabelledTexts, groups: Iterable[Sequence[str]]
) -> pl.DataFrame:
    """word, weight, texts (how many hold it), mean_score (of those): a row a word of the people.

    `groups` has the people of each. A word that stands in more than one, as *my* does, tells nobody
    apart and is left out. A word without a weight was not seen in training: the model is blind to
    it.

    >>> import numpy as np
    >>> seen = LabelledTexts(("my son cried", "my son sang"), np.array([0.2, 0.6]))
    >>> person_words({"son": 0.1}, seen, [["my son", "Adam"], ["my daughter"]]).rows()
    [('adam', None, 0, None), ('daughter', None, 0, None), ('son', 0.1, 2, 0.4)]
    """
    found = Counter(word for people in groups for word in words_of(people))
    words = sorted(word for word, held_by in found.items() if held_by == 1)
    held = [words_of([text]) for text in train.texts]
    rows = []
    for word in words:
        scores = [float(s) for s, inside in zip(train.scores, held, strict=True) if word in inside]
        mean = sum(scores) / len(scores) if scores else None
        rows.append((word, weights.get(word), len(scores), mean))
    schema = {"word": pl.String, "weight": pl.Float64, "texts": pl.Int64, "mean_score": pl.Float64}
    return pl.DataFrame(rows, schema, orient="row")


def words_of(texts: Iterable[str]) -> set[str]:
    """The words of texts, each once, as scikit-learn cuts them."""
    return {word for text in texts for word in WORD.findall(text.lower())}
