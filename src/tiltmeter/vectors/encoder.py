"""What turns words and texts into numbers: two records, filled by whoever can open one.

`WordVectors` know words; an `Encoder` knows texts. Averaging the vectors of a text's words makes an
encoder of the first kind; a Transformers model or a table of lexicons is one already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError

Rows = NDArray[np.float32]
"""(texts or words, dimension)"""


@dataclass(frozen=True)
class WordVectors:
    """Vectors of single words, from a file or an installed package."""

    name: str
    dimension: int
    digest: str
    """SHA-256 of whatever determines the vectors, the same on every machine."""
    lookup: Callable[[Iterable[str]], Mapping[str, NDArray[np.float32]]] = field(repr=False)
    """The words asked for that have a vector, exactly as spelled. A word is looked for once."""
    languages: tuple[str, ...] = ()
    """Codes such as en; none: not known, so any."""
    licence: str = ""
    notes: tuple[str, ...] = ()
    """What was found odd while reading, for people."""
    format: str = ""
    """In plain words, as in `word2vec binary`."""


@dataclass(frozen=True)
class Encoder:
    """Something that turns texts into rows of numbers."""

    name: str
    dimension: int
    digest: str
    """SHA-256 of everything that changes a row: weights, pooling, how texts are cut."""
    encode: Callable[[Sequence[str]], Rows] = field(repr=False)
    """Texts to rows, in order, finite; (0, dimension) for no text."""
    languages: tuple[str, ...] = ()
    licence: str = ""
    notes: tuple[str, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    """How it was opened, in plain values, to stand on a model's card."""
    kept: bool = True
    """False where a row is sooner computed than found again on disk."""


def encoder_failure(name: str, what: str) -> TiltmeterError:
    """What to say of an encoder that cannot be opened or used.

    >>> str(encoder_failure("bert+", "is not there"))
    "the encoder 'bert+' is not there"
    """
    return TiltmeterError(f"the encoder {name!r} {what}")
