"""An encoder by its spec: the one way in, for training and for opening what was trained.

A spec is `lexicons`; the name or the file of word vectors; the name, the folder or the hub name of
a sentence encoder.
"""

from __future__ import annotations

from pathlib import Path

from tiltmeter.files import is_file, is_there
from tiltmeter.vectors.encoder import Encoder
from tiltmeter.vectors.formats import ENDINGS, NAMES, open_vectors
from tiltmeter.vectors.lexicons import NAME as LEXICONS
from tiltmeter.vectors.lexicons import lexicon_features
from tiltmeter.vectors.mean import mean_of_words


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
    if spec == LEXICONS:
        return lexicon_features(language)
    there = spec if beside is None else _beside(spec, beside)
    if holds_words(spec):
        return mean_of_words(open_vectors(there, language), spec)
    from tiltmeter.vectors.sentence import open_text_encoder

    return open_text_encoder(there, pooling=pooling, language=language)


def holds_words(spec: str) -> bool:
    """True for word vectors: a known name, or a file.

    >>> holds_words("glove-6b-50d"), holds_words("cc.es.300.vec.gz"), holds_words("bert+")
    (True, True, False)
    """
    path = Path(spec)
    return spec in NAMES or is_file(path) or path.suffix.lower() in (*ENDINGS, ".gz", ".h5")


def _beside(spec: str, folder: Path) -> str:
    """The spec, or what stands in the folder or near it under its last name."""
    path, places = Path(spec), [folder]
    if path.is_absolute() and not is_there(path):
        places += folder.resolve().parents[:2]
    found = (place / path.name for place in places if is_there(place / path.name))
    return str(next(found, spec))
