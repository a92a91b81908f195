"""The vectors of exactly the words asked for, from a file, a package or an encoder of texts.

A word may stand in a file in another spelling: with underscores, in another case.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from tiltmeter.errors import UnknownNameError
from tiltmeter.files import without_folders
from tiltmeter.vectors.cache import features
from tiltmeter.vectors.encoder import Rows, WordVectors
from tiltmeter.vectors.formats.source import SourceVectors, remark_text
from tiltmeter.vectors.open import open_encoder, open_vectors, reads_texts

if TYPE_CHECKING:
    import polars as pl

WORDS, TEXTS = "words", "texts"
NONE: Mapping[str, Sequence[str]] = MappingProxyType({})
Progress = Callable[[int, int], None]
"""Told how many words or texts are done, and how many there are."""
FALLBACK, EXACT = "fallback", "exact"
CASES = (FALLBACK, EXACT)
PIECE = re.compile(r"[^\s_-]+")
RESPELLED = "were found only in another spelling"
MIXED = "also stand in another case, which was not used"
AskedSpellings = Mapping[str, Sequence[str]]
"""Words, each with the spellings it is looked for under, the best first."""


@dataclass(frozen=True, eq=False)
class WordReading:
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


def read_words(
    spec: str,
    words: Iterable[str],
    *,
    also: Mapping[str, Sequence[str]] = NONE,
    case: str = FALLBACK,
    language: str | None = None,
    progress: Progress | None = None,
) -> WordReading:
    """Read the vectors of words; an encoder of texts may be asked for sentences too.

    `also` gives further spellings of a word. A word is looked for as spelled, then so, and, unless
    `case` is `exact`, in lower, Capitalised and UPPER case; the file is gone through once.

    >>> found = read_words("glove-6b-50d", ["Irish", "she", "qwrtzqwrtz"])
    >>> dict(found.found_as), found.missing, found.vectors.height
    ({'Irish': 'irish'}, ('qwrtzqwrtz',), 2)
    """
    asked = {word: spellings(word, also.get(word, ()), case) for word in dict.fromkeys(words)}
    if reads_texts(spec):
        encoder = open_encoder(spec, language=language)
        texts = list(asked)
        rows = features(encoder, texts, tell=progress)
        return WordReading(
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
    held = open_vectors(spec, language)
    known = held.lookup([form for forms in asked.values() for form in forms])
    if progress:
        progress(len(asked), len(asked))
    taken = choose_spellings(held, asked, known)
    rows = np.array([known[form] for form in taken.values()], np.float32)
    rows = rows.reshape(len(taken), held.dimension)
    return WordReading(
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
        spelling_remarks(held, asked, known, taken),
    )


def _digest(words: Sequence[str], forms: Sequence[str], rows: Rows) -> str:
    """SHA-256 over words in sorted order, so that it does not depend on who asked first."""
    order = sorted(range(len(words)), key=words.__getitem__)
    spelled = "\n".join(f"{words[at]}\t{forms[at]}" for at in order)
    whole = hashlib.sha256(spelled.encode(errors="surrogatepass"))
    whole.update(np.ascontiguousarray(rows[order], "<f4").tobytes())
    return whole.hexdigest()


def _table(name: str, texts: Sequence[str], rows: Rows) -> pl.DataFrame:
    import polars as pl

    vectors = pl.Series("vector", rows, dtype=pl.Array(pl.Float32, rows.shape[1])).arr.to_list()
    encoder = pl.Series("encoder", [name] * len(texts), dtype=pl.String)
    return pl.DataFrame([encoder, pl.Series("text", texts, dtype=pl.String), vectors])


# ---------------------------------------------------------------- spellings


def spellings(word: str, also: Iterable[str] = (), case: str = FALLBACK) -> tuple[str, ...]:
    """The spellings a word is looked for under, the best first.

    As given, then the caller's other ones; then, unless `exact`, each of them in lower case,
    Capitalised and in UPPER case. Spaces may stand as underscores.

    >>> spellings("New York", ["NYC"], case="exact")
    ('New_York', 'New York', 'NYC')
    >>> spellings("irish")
    ('irish', 'Irish', 'IRISH')
    """
    if case not in CASES:
        raise UnknownNameError("way to treat case", case, CASES)
    given = (word, *also)
    cased = [change(each) for change in (str.lower, capitalised, str.upper) for each in given]
    asked = given if case == EXACT else (*given, *cased)
    forms = (
        form
        for each in asked
        for form in (("_".join(each.split()), each) if " " in each.strip() else (each,))
    )
    return tuple(dict.fromkeys(form for form in forms if form))


def capitalised(word: str) -> str:
    """A word with its first letter in upper case; of several words, each.

    >>> capitalised("african-american"), capitalised("MEXICAN")
    ('African-American', 'Mexican')
    """
    return PIECE.sub(lambda piece: piece[0][0].upper() + piece[0][1:].lower(), word)


def choose_spellings(
    held: WordVectors, asked: AskedSpellings, known: Container[str]
) -> dict[str, str]:
    """The spelling of each word that is taken: the first there is, sooner than one built."""
    built, taken = _built(held), {}
    for word, forms in asked.items():
        there = [form for form in forms if form in known]
        if there:
            taken[word] = next((form for form in there if form not in built), there[0])
    return taken


def spelling_remarks(
    held: WordVectors, asked: AskedSpellings, known: Container[str], taken: Mapping[str, str]
) -> tuple[str, ...]:
    """What a reader should know of the file, and of how words were found in it.

    Of single spellings: those taken, and those that would have come first but cannot be read.
    """
    built, notes = _built(held), held.notes
    if isinstance(held, SourceVectors):
        passed_over = {
            form
            for word, forms in asked.items()
            for form in forms[: forms.index(taken[word]) if word in taken else None]
            if form not in built
        }
        notes = held.notes_on(passed_over | set(taken.values()))
    respelled = {word: f"as {form!r}" for word, form in taken.items() if word != form}
    mixed = {}
    for word, form in taken.items():
        there = [one for one in asked[word] if one in known and one not in built and one != form]
        if other_cases := [one for one in there if one.lower() == form.lower()]:
            mixed[word] = " and ".join(map(repr, other_cases))
    kinds = ((RESPELLED, respelled), (MIXED, mixed))
    return (*notes, *(remark_text(what, which) for what, which in kinds if which))


def _built(held: WordVectors) -> Container[str]:
    return held.built_words() if isinstance(held, SourceVectors) else ()
