"""gensim's KeyedVectors as its `save` writes them: a pickle, and large arrays beside it.

    some.kv                  words, and the vectors where they are few
    some.kv.vectors.npy      else the vectors, which stay on disk

The pickle is read without unpickling. Unpickling can run any code because a pickle names functions
that are then called. Here a name is never looked up: a known one stands for a record that keeps
what it was given, any other is refused. The words are all held in memory at once; of the vectors
only those asked for.
"""

from __future__ import annotations

import math
import mmap
import pickle
import pickletools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors.formats.arrays import found_rows, matrix_vectors, npy_header
from tiltmeter.vectors.formats.source import (
    AS_WORD2VEC,
    FoundVectors,
    VectorSource,
    file_errors,
    refuse_other_files,
)

FORMAT = "gensim KeyedVectors"
BEGINS = tuple(bytes([0x80, protocol]) for protocol in range(2, 6))
KEYED = (
    "BaseKeyedVectors", "EuclideanKeyedVectors", "FastTextKeyedVectors", "KeyedVectors",
    "Word2VecKeyedVectors", "WordEmbeddingsKeyedVectors",
)  # fmt: skip
ARRAY_MAKERS = frozenset({"_reconstruct", "scalar", "_frombuffer"})
KNOWN_NAMES = {
    "gensim.models.keyedvectors": frozenset({*KEYED, "Vocab"}),
    "gensim.models.fasttext": frozenset({"FastTextKeyedVectors"}),
    **dict.fromkeys(("numpy.core.multiarray", "numpy._core.multiarray"), ARRAY_MAKERS),
    **dict.fromkeys(("numpy.core.numeric", "numpy._core.numeric"), ARRAY_MAKERS),
    "numpy": frozenset({"ndarray", "dtype", "float32", "float64"}),
    "_codecs": frozenset({"encode"}),
    **dict.fromkeys(("builtins", "__builtin__"), frozenset({"set", "frozenset"})),
}
"""Everything that a KeyedVectors of gensim 3 or 4 is saved with; each is only recorded."""
WORDS, VECTORS = ("index_to_key", "index2word", "index2entity"), ("vectors", "syn0")
FLOAT = re.compile(r"[<>=|]?f[248]")
Floats = NDArray[np.floating[Any]]


def gensim_vectors(path: Path) -> VectorSource:
    """The vectors of a KeyedVectors saved by gensim 3 or 4."""
    if not refuse_other_files(path).startswith(BEGINS):
        raise TiltmeterError(f"{path}: is no file saved by gensim's KeyedVectors: {AS_WORD2VEC}")
    held = read_inert(path, KNOWN_NAMES, "KeyedVectors")
    if kind_of(held) not in KEYED or not isinstance(held.state, dict):
        found = f"holds a {kind_of(held)}; expected gensim's KeyedVectors"
        raise TiltmeterError(f"{path}: {found}: save model.wv instead, with model.wv.save(FILE)")
    words = next(
        (held.state[name] for name in WORDS if isinstance(held.state.get(name), list)), None
    )
    if words is None:
        raise TiltmeterError(f"{path}: has no list of words; expected index_to_key: {AS_WORD2VEC}")
    places = {word: [row] for row, word in enumerate(words) if isinstance(word, str)}

    def places_of(asked: Sequence[str]) -> dict[str, list[int]]:
        return {word: places[word] for word in asked if word in places}

    for name in VECTORS:
        if (beside := path.with_name(f"{path.name}.{name}.npy")).is_file():
            _check_length(path, len(places), npy_header(beside).shape[0])
            return matrix_vectors(path.name, beside, path, places_of, FORMAT)
        if isinstance(held.state.get(name), PickleRecord):
            rows = _array(held.state[name])
            if rows is None:
                what = "has vectors in a form that is not read"
                expected = "expected floats of (words, dimension)"
                raise TiltmeterError(f"{path}: {what}; {expected}: {AS_WORD2VEC}")
            _check_length(path, len(places), len(rows))

            def find(asked: Sequence[str], rows: Floats = rows) -> FoundVectors:
                return found_rows(places_of(asked), lambda wanted: rows[wanted])

            return VectorSource(path.name, (path,), rows.shape[1], find, FORMAT)
    wanted = f"{path.name}.vectors.npy"
    raise TiltmeterError(f"{path}: has no vectors; expected {wanted} beside it: move it there")


def _check_length(path: Path, words: int, rows: int) -> None:
    if words > rows:
        what = f"has {words:,} words, but vectors for {rows:,}"
        raise TiltmeterError(f"{path}: {what}; expected one for each: fetch it anew")


def _array(record: PickleRecord) -> Floats | None:
    """The array that NumPy would make of what a pickle says, if that is a matrix of floats."""
    if kind_of(record) == "_frombuffer" and len(record.args) == 4:
        raw, kind, shape, by_columns = *record.args[:3], record.args[3] == "F"
    elif (
        kind_of(record) == "_reconstruct"
        and isinstance(record.state, tuple)
        and len(record.state) == 5
    ):
        _, shape, kind, by_columns, raw = record.state
    else:
        return None
    dtype, raw = _dtype(kind), _bytes(raw)
    plain = isinstance(shape, tuple) and len(shape) == 2 and all(type(n) is int for n in shape)
    if dtype is None or not plain or min(shape) < 1:
        return None
    if len(raw) != math.prod(shape) * dtype.itemsize:
        return None
    return np.frombuffer(raw, dtype).reshape(shape, order="F" if by_columns else "C")


def _dtype(record: object) -> np.dtype[np.floating[Any]] | None:
    if not isinstance(record, PickleRecord) or kind_of(record) != "dtype" or not record.args:
        return None
    order = record.state[1] if isinstance(record.state, tuple) and len(record.state) > 1 else ""
    name = f"{order}{record.args[0]}"
    return np.dtype(name) if FLOAT.fullmatch(name) else None


def _bytes(record: object) -> bytes:
    """Bytes as they are, or as protocol 2 writes them: a text to encode."""
    if isinstance(record, PickleRecord) and kind_of(record) == "encode" and record.args:
        text = record.args[0]
        return text.encode("latin1", "replace") if isinstance(text, str) else b""
    return bytes(record) if isinstance(record, bytes | bytearray) else b""


# ---------------------------------------------------------------- a pickle as inert records

Names = Mapping[str, frozenset[str]]
"""The names that may stand in a pickle, by module."""


class PickleRecord:
    """What a pickle says of one object: made of what, and in what state."""

    __slots__ = ("args", "state")

    def __new__(cls, *args: Any) -> PickleRecord:  # noqa: ANN401
        """Keep what the pickle would call something with."""
        record = super().__new__(cls)
        record.args, record.state = args, None
        return record

    args: tuple[Any, ...]
    state: Any

    def __setstate__(self, state: Any) -> None:  # noqa: ANN401
        """Keep what the pickle would set."""
        self.state = state


class _RefusedError(Exception):
    """A name that may not stand in the pickle."""


class _InertUnpickler(pickle.Unpickler):
    """Reads a pickle into records, one kind for each known name."""

    def __init__(self, file: Any, names: Names) -> None:  # noqa: ANN401
        super().__init__(file, encoding="latin1")
        self._names, self._kinds = names, dict[tuple[str, str], type[PickleRecord]]()

    def find_class(self, module: str, name: str) -> type[PickleRecord]:
        """A kind of record instead of what the name stands for."""
        if name not in self._names.get(module, frozenset()):
            raise _RefusedError(f"{module}.{name}")
        if (module, name) not in self._kinds:
            self._kinds[module, name] = type(name, (PickleRecord,), {"__slots__": ()})
        return self._kinds[module, name]


def read_inert(path: Path, names: Names, expected: str) -> Any:  # noqa: ANN401
    """The object of a pickle as records, lists, dicts, texts and numbers; nothing in it runs."""
    with file_errors(path), path.open("rb") as file:
        try:
            check_memo(path)
            return _InertUnpickler(file, names).load()
        except _RefusedError as refused:
            what = (
                f"names {str(refused)[:100]!r}, which no {expected} needs and which could run code"
            )
            raise TiltmeterError(f"{path}: {what}; nothing was run: {AS_WORD2VEC}") from None
        except (OSError, TiltmeterError):
            raise
        except Exception as error:
            what = f"is damaged, cut short or no {expected} ({type(error).__name__})"
            raise TiltmeterError(f"{path}: {what}: fetch it anew, or {AS_WORD2VEC}") from error


def kind_of(value: object) -> str:
    """The name a record stands for, or what else the value is."""
    return type(value).__name__


# ---------------------------------------------------------------- how large a pickle's memo is

# A pickle numbers what it will mention again, and the reader makes room up to the highest number. A
# damaged or hostile file of a few bytes may say 4,294,967,295, and 64 GB would be set aside for it.
# Each number is used by an instruction of its own, so an honest one is smaller than the file.

PUTS = {"PUT", "BINPUT", "LONG_BINPUT"}
LENGTH_BYTES = {-2: 1, -3: 4, -4: 4, -5: 8}
"""How many bytes say how long an argument is, by what `pickletools` calls its kind."""
CODES = {op.code.encode("latin1")[0]: op for op in pickletools.opcodes}
FIXED = {code: op.arg.n if op.arg else 0 for code, op in CODES.items()}
LINES = {code: 2 if op.name in ("GLOBAL", "INST") else 1 for code, op in CODES.items()}
PUT_CODES = {code for code, op in CODES.items() if op.name in PUTS}
STOP = ord(".")


def check_memo(path: Path) -> None:
    """Raise where an instruction asks for more room than an honest file of this size needs."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at, size, highest = 0, len(data), 0
        while at < size and (code := data[at]) != STOP:
            length = FIXED.get(code)
            if length is None:
                break  # reading it will say what is wrong
            start = at + 1
            if length >= 0:
                at = start + length
            elif length == -1:
                at = start
                for _ in range(LINES[code]):
                    at = (data.find(b"\n", at) + 1) or size
            else:
                prefix = LENGTH_BYTES[length]
                at = start + prefix + int.from_bytes(data[start : start + prefix], "little")
            if code in PUT_CODES:  # a number as digits and a line's end, or as bytes
                written = data[start:at]
                digits = written.strip() if written.endswith(b"\n") else b""
                decimal = digits.isdigit() and len(written) > 1
                number = int(digits[:20]) if decimal else int.from_bytes(written, "little")
                highest = max(highest, number)
        if highest > size:
            what = "is damaged: it asks for far more memory than its size allows"
            raise TiltmeterError(f"{path}: {what}; nothing was read: fetch it anew")
