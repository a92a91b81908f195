"""Word vectors by name or by file; the ending says the family, the first bytes the format."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tiltmeter.errors import TiltmeterError, UnknownNameError
from tiltmeter.files import at_home, is_file, is_there
from tiltmeter.vectors.encoder import WordVectors
from tiltmeter.vectors.formats.fasttext import fasttext_vectors, is_fasttext
from tiltmeter.vectors.formats.files import beginning
from tiltmeter.vectors.formats.gensim import gensim_vectors
from tiltmeter.vectors.formats.named import NAMES
from tiltmeter.vectors.formats.npy import npy_vectors
from tiltmeter.vectors.formats.npz import npz_vectors
from tiltmeter.vectors.formats.parquet import parquet_vectors
from tiltmeter.vectors.formats.source import Source, SourceVectors
from tiltmeter.vectors.formats.text import text_vectors
from tiltmeter.vectors.formats.word2vec import is_word2vec_binary, word2vec_vectors


def open_vectors(spec: str, language: str | None = None) -> WordVectors:
    """Open word vectors by a registered name, else from a file.

    `language` picks the words of one where a file names them by language; English, unless told.

    >>> glove = open_vectors("glove-6b-50d")
    >>> sorted(glove.lookup(["she", "he", "Aisha"])), glove.dimension
    (['he', 'she'], 50)
    """
    if spec in NAMES:
        vectors: WordVectors = NAMES.get(spec)()
        return vectors
    path = at_home(spec)
    if not is_there(path):
        raise _not_there(spec)
    if not is_file(path):
        what = "is a folder" if path.is_dir() else "is no regular file"
        raise TiltmeterError(f"{path}: {what}; expected a file with one of {known_endings()}")
    reader = _for_ending(path)
    return SourceVectors(words_file(path, language) if reader is words_file else reader(path))


def words_file(path: Path, language: str | None = None) -> Source:
    """Text, word2vec binary or fastText binary: told apart by what the file begins with."""
    start = beginning(path)
    if is_fasttext(start):
        return fasttext_vectors(path)
    if is_word2vec_binary(start):
        return word2vec_vectors(path, start)
    return text_vectors(path, start, language)


def pickled(path: Path) -> Source:
    """Refuse what only unpickling would open."""
    what = "is a pickled model, which could run code when opened"
    save = "where gensim wrote it, save its vectors with model.wv.save('vectors.kv')"
    raise TiltmeterError(f"{path}: {what}; expected {known_endings()}: {save}")


ENDINGS: dict[str, Callable[[Path], Source]] = {
    ".txt": words_file,
    ".vec": words_file,
    ".bin": words_file,
    ".npz": npz_vectors,
    ".npy": npy_vectors,
    ".parquet": parquet_vectors,
    ".kv": gensim_vectors,
    ".wordvectors": gensim_vectors,
}
"""What reads each ending; .txt, .vec and .bin also with .gz behind."""
REFUSED = {
    ".h5": words_file,
    ".hdf5": words_file,
    ".ftz": words_file,
    ".model": pickled,
    ".pkl": pickled,
    ".pickle": pickled,
}


def _for_ending(path: Path) -> Callable[[Path], Source]:
    compressed = path.suffix.lower() == ".gz"
    ending = Path(path.stem if compressed else path.name).suffix.lower()
    reader = (ENDINGS | REFUSED).get(ending)
    if reader is None or (compressed and reader is not words_file):
        found = "".join(path.suffixes[-2:] if compressed else path.suffixes[-1:]) or "none"
        unpack = "; unpack it first" if ending in (".zip", ".bz2", ".xz", ".zst", ".tar") else ""
        what = f"cannot tell the format from the ending ({found}); expected {known_endings()}"
        raise TiltmeterError(f"{path}: {what}{unpack}")
    return reader


def known_endings() -> str:
    """The endings that can be read, for messages."""
    return f"{', '.join(ENDINGS)} (text and .bin also with .gz)"


def _not_there(spec: str) -> TiltmeterError:
    """What to say of a spec that is neither a name nor a file."""
    if os.sep in spec or Path(spec).suffix:
        return TiltmeterError(f"{spec}: there is no such file; expected one with {known_endings()}")
    return UnknownNameError(
        "set of word vectors", spec, NAMES, f"; or give a file with {known_endings()}"
    )
