"""The vectors of exactly the words asked for, from a file, a package or an encoder of texts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from tiltmeter.errors import UnknownNameError
from tiltmeter.files import at_home, is_folder, without_folders
from tiltmeter.vectors.chosen_spellings import chosen, remarks_on
from tiltmeter.vectors.encoder import Encoder, Rows, WordVectors
from tiltmeter.vectors.feature_cache import features
from tiltmeter.vectors.formats import NAMES, known_endings, open_vectors
from tiltmeter.vectors.lexicons import NAME as LEXICONS
from tiltmeter.vectors.opening import holds_words, open_encoder
from tiltmeter.vectors.presets import PRESETS, SHIPPED
from tiltmeter.vectors.sentence import HUB
from tiltmeter.vectors.spellings import FALLBACK, every_spelling

if TYPE_CHECKING:
    import polars as pl

WORDS, TEXTS = "words", "texts"
NONE: Mapping[str, Sequence[str]] = MappingProxyType({})
Progress = Callable[[int, int], None]
"""Told how many words or texts are done, and how many there are."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What an embedding holds of the words asked for."""

    name: str
    spec: str
    kind: str
    """words, or texts where every text gets a vector"""
    format: str
    dimension: int
    digest: str
    """SHA-256 of the words found, their spellings and their vectors; not of the whole file."""
    licence: str
    languages: tuple[str, ...]
    vectors: pl.DataFrame = field(repr=False)
    """The `vectors` table: encoder, text as asked, vector; in the order asked."""
    found_as: Mapping[str, str]
    """Asked → the spelling found, only where they differ."""
    missing: tuple[str, ...]
    remarks: tuple[str, ...]
    """What was found odd, for people."""


def reads_texts(spec: str) -> bool:
    """True for an encoder of texts, which knows every word; false for vectors of words.

    >>> reads_texts("glove-6b-50d"), reads_texts("xlm-r")
    (False, True)
    """
    if holds_words(spec):
        return False
    if spec.partition("=")[0] in (*SHIPPED, *PRESETS, LEXICONS) or spec.startswith(HUB):
        return True
    if is_folder(at_home(spec)):
        return True
    known = [*NAMES, *SHIPPED, *PRESETS]
    hint = f"; or give a file with {known_endings()}, or an encoder's folder"
    raise UnknownNameError("embedding", spec, known, hint)


def read_words(
    spec: str,
    words: Iterable[str],
    *,
    also: Mapping[str, Sequence[str]] = NONE,
    case: str = FALLBACK,
    language: str | None = None,
    progress: Progress | None = None,
) -> Reading:
    """Read the vectors of words; an encoder of texts may be asked for sentences too.

    `also` gives further spellings of a word. A word is looked for as spelled, then so, and, unless
    `case` is `exact`, in lower, Capitalised and UPPER case; the file is gone through once.

    >>> found = read_words("glove-6b-50d", ["Irish", "she", "qwrtzqwrtz"])
    >>> dict(found.found_as), found.missing, found.vectors.height
    ({'Irish': 'irish'}, ('qwrtzqwrtz',), 2)
    """
    asked = every_spelling(dict.fromkeys(words), also, case)
    if reads_texts(spec):
        encoder = open_encoder(spec, language=language)
        return _of_texts(spec, encoder, list(asked), progress)
    return _of_words(spec, open_vectors(spec, language), asked, progress)


def _of_texts(spec: str, encoder: Encoder, texts: list[str], progress: Progress | None) -> Reading:
    rows = features(encoder, texts, tell=progress)
    return Reading(
        without_folders(encoder.name),
        spec,
        TEXTS,
        "encoder of texts",
        encoder.dimension,
        _digest(texts, texts, rows),
        encoder.licence,
        encoder.languages,
        _table(without_folders(encoder.name), texts, rows),
        MappingProxyType({}),
        (),
        encoder.notes,
    )


def _of_words(
    spec: str, held: WordVectors, asked: Mapping[str, Sequence[str]], progress: Progress | None
) -> Reading:
    known = held.lookup([form for forms in asked.values() for form in forms])
    if progress:
        progress(len(asked), len(asked))
    taken = chosen(held, asked, known)
    rows = np.array([known[form] for form in taken.values()], np.float32)
    rows = rows.reshape(len(taken), held.dimension)
    return Reading(
        held.name,
        spec,
        WORDS,
        held.format,
        held.dimension,
        _digest([*taken], [*taken.values()], rows),
        held.licence,
        held.languages,
        _table(held.name, [*taken], rows),
        MappingProxyType({word: form for word, form in taken.items() if word != form}),
        tuple(word for word in asked if word not in taken),
        remarks_on(held, asked, known, taken),
    )


def _digest(words: Sequence[str], forms: Sequence[str], rows: Rows) -> str:
    """SHA-256 over words in sorted order, so that it does not depend on who asked first."""
    order = sorted(range(len(words)), key=words.__getitem__)
    spelled = "\n".join(f"{words[at]}\t{forms[at]}" for at in order)
    told = hashlib.sha256(spelled.encode(errors="surrogatepass"))
    told.update(np.ascontiguousarray(rows[order], "<f4").tobytes())
    return told.hexdigest()


def _table(name: str, texts: Sequence[str], rows: Rows) -> pl.DataFrame:
    import polars as pl

    vectors = pl.Series("vector", rows, dtype=pl.Array(pl.Float32, rows.shape[1])).arr.to_list()
    encoder = pl.Series("encoder", [name] * len(texts), dtype=pl.String)
    return pl.DataFrame([encoder, pl.Series("text", texts, dtype=pl.String), vectors])
