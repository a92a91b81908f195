"""Word vectors as an encoder of texts: the mean of its words' (Câmara et al. 2022, §4.1)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from tiltmeter.vectors.encoder import Encoder, Rows, WordVectors
from tiltmeter.vectors.formats import SourceVectors
from tiltmeter.vectors.words import words_in

MANNER = "mean of the words' vectors; a word as spelled, else in lower case; none: zeros"


def mean_of_words(vectors: WordVectors, spec: str) -> Encoder:
    """An encoder that averages the vectors of a text's words.

    A word is looked for as it is spelled and then in lower case, since some vectors know only
    *Ebony* and others only *ebony*. A text without a known word is all zeros.
    """

    def encode(texts: Sequence[str]) -> Rows:
        cut = [words_in(text, lower=False) for text in texts]
        spelled = {word for words in cut for word in words}
        asked = spelled | {word.lower() for word in spelled}
        known = vectors.lookup(asked)
        if isinstance(vectors, SourceVectors):
            vectors.must_be_whole(asked)  # rows carry no remarks, so nothing may be left out
        rows = np.zeros((len(texts), vectors.dimension), np.float32)
        for row, words in zip(rows, cut, strict=True):
            found = [known.get(word, known.get(word.lower())) for word in words]
            held = [vector for vector in found if vector is not None]
            if held:
                row[:] = np.mean(held, axis=0)
        return rows

    return Encoder(
        vectors.name,
        vectors.dimension,
        hashlib.sha256(f"{vectors.digest}\n{MANNER}".encode()).hexdigest(),
        encode,
        vectors.languages,
        vectors.licence,
        vectors.notes,
        {"spec": spec, "pooling": "mean of words"},
        kept=False,
    )
