"""gensim's KeyedVectors as its `save` writes them: a pickle, and large arrays beside it.

    some.kv                  words, and the vectors where they are few
    some.kv.vectors.npy      else the vectors, which stay on disk

The pickle is read without unpickling (`inert_pickle`). Its words are all held in memory at once;
of the vectors only those asked for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors.formats.files import AS_WORD2VEC, refuse_other_files
from tiltmeter.vectors.formats.inert_pickle import BEGINS, Record, kind_of, read_inert
from tiltmeter.vectors.formats.npy import matrix_vectors, npy_header, taken
from tiltmeter.vectors.formats.source import Source

FORMAT = "gensim KeyedVectors"
KEYED = (
    "BaseKeyedVectors", "EuclideanKeyedVectors", "FastTextKeyedVectors", "KeyedVectors",
    "Word2VecKeyedVectors", "WordEmbeddingsKeyedVectors",
)  # fmt: skip
ARRAYS = frozenset({"_reconstruct", "scalar", "_frombuffer"})
NAMES = {
    "gensim.models.keyedvectors": frozenset({*KEYED, "Vocab"}),
    "gensim.models.fasttext": frozenset({"FastTextKeyedVectors"}),
    **dict.fromkeys(("numpy.core.multiarray", "numpy._core.multiarray"), ARRAYS),
    **dict.fromkeys(("numpy.core.numeric", "numpy._core.numeric"), ARRAYS),
    "numpy": frozenset({"ndarray", "dtype", "float32", "float64"}),
    "_codecs": frozenset({"encode"}),
    **dict.fromkeys(("builtins", "__builtin__"), frozenset({"set", "frozenset"})),
}
"""Everything that a KeyedVectors of gensim 3 or 4 is saved with; each is only recorded."""
WORDS, VECTORS = ("index_to_key", "index2word", "index2entity"), ("vectors", "syn0")
FLOAT = re.compile(r"[<>=|]?f[248]")


def gensim_vectors(path: Path) -> Source:
    """The vectors of a KeyedVectors saved by gensim 3 or 4."""
    if not refuse_other_files(path).startswith(BEGINS):
        raise TiltmeterError(f"{path}: is no file saved by gensim's KeyedVectors: {AS_WORD2VEC}")
    held = read_inert(path, NAMES, "KeyedVectors")
    if kind_of(held) not in KEYED or not isinstance(held.state, dict):
        found = f"holds a {kind_of(held)}; expected gensim's KeyedVectors"
        raise TiltmeterError(f"{path}: {found}: save model.wv instead, with model.wv.save(FILE)")
    places = _places(path, held.state)
    for name in VECTORS:
        if (beside := path.with_name(f"{path.name}.{name}.npy")).is_file():
            _as_long(path, len(places), npy_header(beside).shape[0])
            return matrix_vectors(path.name, beside, path, partial(_asked, places), FORMAT)
        if isinstance(held.state.get(name), Record):
            return _held_within(path, places, held.state[name])
    wanted = f"{path.name}.vectors.npy"
    raise TiltmeterError(f"{path}: has no vectors; expected {wanted} beside it: move it there")


def _places(path: Path, state: Mapping[str, Any]) -> dict[str, int]:
    """The row of each word."""
    words = next((state[name] for name in WORDS if isinstance(state.get(name), list)), None)
    if words is None:
        raise TiltmeterError(f"{path}: has no list of words; expected index_to_key: {AS_WORD2VEC}")
    return {word: row for row, word in enumerate(words) if isinstance(word, str)}


def _asked(places: Mapping[str, int], words: Sequence[str]) -> dict[str, list[int]]:
    return {word: [places[word]] for word in words if word in places}


def _as_long(path: Path, words: int, rows: int) -> None:
    if words > rows:
        what = f"has {words:,} words, but vectors for {rows:,}"
        raise TiltmeterError(f"{path}: {what}; expected one for each: fetch it anew")


def _held_within(path: Path, places: Mapping[str, int], array: Record) -> Source:
    rows = _array(array)
    if rows is None:
        what = "has vectors in a form that is not read; expected floats of (words, dimension)"
        raise TiltmeterError(f"{path}: {what}: {AS_WORD2VEC}")
    _as_long(path, len(places), len(rows))
    found = lambda words: taken(_asked(places, words), lambda wanted: rows[wanted])  # noqa: E731
    return Source(path.name, (path,), rows.shape[1], found, FORMAT)


def _array(said: Record) -> NDArray[np.floating[Any]] | None:
    """The array that NumPy would make of what a pickle says, if that is a matrix of floats."""
    if kind_of(said) == "_frombuffer" and len(said.args) == 4:
        raw, kind, shape, by_columns = *said.args[:3], said.args[3] == "F"
    elif kind_of(said) == "_reconstruct" and isinstance(said.state, tuple) and len(said.state) == 5:
        _, shape, kind, by_columns, raw = said.state
    else:
        return None
    dtype, raw = _dtype(kind), _bytes(raw)
    plain = isinstance(shape, tuple) and len(shape) == 2 and all(type(n) is int for n in shape)
    if dtype is None or not plain or min(shape) < 1:
        return None
    if len(raw) != math.prod(shape) * dtype.itemsize:
        return None
    return np.frombuffer(raw, dtype).reshape(shape, order="F" if by_columns else "C")


def _dtype(said: object) -> np.dtype[np.floating[Any]] | None:
    if not isinstance(said, Record) or kind_of(said) != "dtype" or not said.args:
        return None
    order = said.state[1] if isinstance(said.state, tuple) and len(said.state) > 1 else ""
    name = f"{order}{said.args[0]}"
    return np.dtype(name) if FLOAT.fullmatch(name) else None


def _bytes(said: object) -> bytes:
    """Bytes as they are, or as protocol 2 writes them: a text to encode."""
    if isinstance(said, Record) and kind_of(said) == "encode" and said.args:
        text = said.args[0]
        return text.encode("latin1", "replace") if isinstance(text, str) else b""
    return bytes(said) if isinstance(said, bytes | bytearray) else b""
