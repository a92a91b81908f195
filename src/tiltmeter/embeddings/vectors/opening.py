"""Word vectors by name or by file; the ending says the family, the first bytes the format."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tiltmeter.embeddings.encoder import WordVectors
from tiltmeter.embeddings.vectors.fasttext import fasttext_vectors, is_fasttext
from tiltmeter.embeddings.vectors.files import AS_WORD2VEC, beginning
from tiltmeter.embeddings.vectors.named import NAMES
from tiltmeter.embeddings.vectors.npy import npy_vectors
from tiltmeter.embeddings.vectors.npz import npz_vectors
from tiltmeter.embeddings.vectors.parquet import parquet_vectors
from tiltmeter.embeddings.vectors.source import Source, SourceVectors
from tiltmeter.embeddings.vectors.text import text_vectors
from tiltmeter.embeddings.vectors.word2vec import is_word2vec_binary, word2vec_vectors
from tiltmeter.errors import TiltmeterError, UnknownNameError


def open_vectors(spec: str) -> WordVectors:
    """Open word vectors by a registered name, else from a file.

    >>> glove = open_vectors("glove-6b-50d")
    >>> sorted(glove.lookup(["she", "he", "Aisha"])), glove.dimension
    (['he', 'she'], 50)
    """
    if spec in NAMES:
        vectors: WordVectors = NAMES.get(spec)()
        return vectors
    path = Path(spec)
    if not path.exists():
        raise _not_there(spec)
    if not path.is_file():
        raise TiltmeterError(f"{path}: is a folder; expected a file with one of {_known()}")
    return SourceVectors(_for_ending(path)(path))


def words_file(path: Path) -> Source:
    """Text, word2vec binary or fastText binary: told apart by what the file begins with."""
    start = beginning(path)
    if is_fasttext(start):
        return fasttext_vectors(path)
    return (word2vec_vectors if is_word2vec_binary(start) else text_vectors)(path, start)


def pickled(path: Path) -> Source:
    """Refuse what only unpickling would open."""
    what = "is saved by gensim or pickle, which could run code when opened"
    raise TiltmeterError(f"{path}: {what}; expected {_known()}: {AS_WORD2VEC}")


ENDINGS: dict[str, Callable[[Path], Source]] = {
    ".txt": words_file,
    ".vec": words_file,
    ".bin": words_file,
    ".npz": npz_vectors,
    ".npy": npy_vectors,
    ".parquet": parquet_vectors,
}
"""What reads each ending; .txt, .vec and .bin also with .gz behind."""
REFUSED = {
    ".ftz": words_file,
    ".kv": pickled,
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
        what = f"cannot tell the format from the ending ({found}); expected {_known()}"
        raise TiltmeterError(f"{path}: {what}{unpack}")
    return reader


def _known() -> str:
    return f"{', '.join(ENDINGS)} (text and .bin also with .gz)"


def _not_there(spec: str) -> TiltmeterError:
    """What to say of a spec that is neither a name nor a file."""
    if os.sep in spec or Path(spec).suffix:
        return TiltmeterError(f"{spec}: there is no such file; expected one with {_known()}")
    return UnknownNameError("set of word vectors", spec, NAMES, f"; or give a file with {_known()}")
