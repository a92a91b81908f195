"""A GRU network read from its file, if what stands there holds together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import MissingExtraError, SystemFailure
from tiltmeter.systems.gru_network import (
    CLASSES,
    DENSE,
    DENSE_BIAS,
    EMBEDDING,
    VOCABULARY,
    GruNetwork,
)

if TYPE_CHECKING:
    from tiltmeter.systems.gru_network import Array


def read_network(name: str, path: Path) -> GruNetwork:
    """The network in a file, if it holds together."""
    if find_spec("safetensors") is None:
        raise MissingExtraError(f"what {name!r} needs, safetensors,", "learn")
    import numpy as np
    from safetensors import safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            arrays = {key: np.asarray(file.get_tensor(key), np.float64) for key in file.keys()}  # noqa: SIM118
            words = json.loads((file.metadata() or {}).get(VOCABULARY, "null"))
    except Exception as error:
        what = f"has weights that cannot be read ({path.name}): {type(error).__name__}: {error}"
        raise SystemFailure(name, f"{what}; train it anew") from error
    for wrong in _wrong(words, arrays):
        raise SystemFailure(name, f"has weights that are no GRU ({path.name}): {wrong}")
    return GruNetwork(tuple(words), arrays)


def _wrong(words: Any, arrays: Mapping[str, Array]) -> Iterator[str]:  # noqa: ANN401 - any JSON
    """What keeps these from being a network, the gravest first."""
    import numpy as np

    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        yield f"found no {VOCABULARY} in the metadata; expected a list of words"
        return
    flat = [key for key in (EMBEDDING, DENSE) if key not in arrays or arrays[key].ndim != 2]
    if flat:
        yield f"found no matrix {flat[0]}"
        return
    expected = shapes(len(words), arrays[EMBEDDING].shape[1], arrays[DENSE].shape[1])
    for key in sorted({*expected, *arrays}):
        found = arrays[key].shape if key in arrays else None
        if found != expected.get(key):
            yield f"found {key} {found or 'missing'}; expected {expected.get(key, 'no such array')}"
        elif not np.isfinite(arrays[key]).all():
            yield f"found a number in {key} that is not finite"


def shapes(words: int, embedding: int, hidden: int) -> dict[str, tuple[int, ...]]:
    """The arrays of a network and their shapes."""
    three = 3 * hidden
    layers = {
        f"gru.{kind}_l{nth}": shape
        for nth, x in enumerate((embedding, hidden))
        for kind, shape in (
            ("weight_ih", (three, x)), ("weight_hh", (three, hidden)),
            ("bias_ih", (three,)), ("bias_hh", (three,)),
        )
    }  # fmt: skip
    ends = {
        EMBEDDING: (words + 1, embedding),
        DENSE: (CLASSES, hidden),
        DENSE_BIAS: (CLASSES,),
    }
    return {**ends, **layers}
